"""Fitted model of a booster: weak hypotheses and their step sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import row_sums, total
from boostbench.weak_learners import Forest
from boostbench.weak_learners.scoring import Additions

#: Inverse of the grid spacing of `on_grid`.
_GRID = 2.0**38
#: Attributes that predictions prepare.
_PREPARED = ("_additions", "_total")


class Ensemble:
    """Weighted sum of weak hypotheses, ``F <- decay * F + step * h`` in each round.

    Parameters
    ----------
    n_classes : int
        Number K of score columns.

    Notes
    -----
    A round adds one tree, or one tree per class, each with its own coefficient, or changes the
    coefficients of trees of earlier rounds. `seal` joins all trees in one `Forest`; hypotheses
    that are not trees keep their own predictors, which are called one after another. An ensemble
    predicts while it grows, too, only slower.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self._parts: list[Any] = []
        self._grown_in: list[int] = []  # round in which each tree was grown
        self._tree_index: list[int] = []
        self._steps: list[float] = []
        self._round_end: list[int] = []
        self._decays: list[float] = []

    def add(self, trees: Any, step: ArrayLike, decay: float = 1.0) -> None:
        """Append a round of new trees, with a common coefficient or one per tree.

        The scores of the earlier rounds are multiplied by ``decay``.
        """
        start = len(self._grown_in)
        self.grow(trees)
        self.move(range(start, len(self._grown_in)), step, decay)

    def grow(self, trees: Any) -> None:
        """Append the trees of a round; `move` ends the round."""
        self._parts.append(trees)
        self._grown_in += [self.n_rounds] * trees.n_trees

    def move(self, trees: Sequence[int], step: ArrayLike, decay: float = 1.0) -> None:
        """Append a round that changes the coefficients of trees, counted from 0.

        All steps of an ensemble in which trees move again must be `on_grid`, so that their sums
        are exact.
        """
        self._forget()
        self._tree_index += trees
        steps = np.empty(len(trees))
        steps[:] = step
        self._steps += steps.tolist()
        self._round_end.append(len(self._steps))
        self._decays.append(decay)

    def _forget(self) -> None:
        """Drop what predictions have prepared."""
        for name in _PREPARED:
            self.__dict__.pop(name, None)

    def seal(self) -> Ensemble:
        """Join the trees in one `Forest`; call after the last round."""
        if len(self._parts) > 1 and all(isinstance(part, Forest) for part in self._parts):
            self._parts = [Forest.concatenate(self._parts)]
        return self

    def cut(self, n_rounds: int) -> None:
        """Keep the first rounds, at least one, and their trees."""
        n_trees = int(np.searchsorted(self._grown_in, n_rounds))
        self._forget()
        self.seal()
        self._parts = [self.forest[:n_trees]] if self._is_forest() else self._parts[:n_trees]
        n_steps = self._round_end[n_rounds - 1]
        del self._grown_in[n_trees:], self._tree_index[n_steps:], self._steps[n_steps:]
        del self._round_end[n_rounds:], self._decays[n_rounds:]

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self._decays)

    @property
    def forest(self) -> Forest:
        """All trees; after `seal`, and if there are any."""
        forest: Forest = self._parts[0]
        return forest

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Final coefficient of each tree, in the order in which they were grown."""
        if not self._decays:
            return np.zeros(0)
        left = np.cumprod([1.0, *self._decays[:0:-1]])[::-1]  # product of the later decays
        steps = np.array(self._steps) * np.repeat(left, np.diff([0, *self._round_end]))
        found = np.bincount(np.array(self._tree_index), steps, len(self._grown_in))
        return np.asarray(found, dtype=np.float64)

    def importances(self) -> NDArray[np.float64] | None:
        """Return the share of each feature in the split gains; None if a gain is unknown.

        The gains of a round are divided by their sum, and the gains of a tree are weighted by the
        magnitude of its final coefficient. Classifiers of scikit-learn give their own shares.
        """
        size: NDArray[np.float64] = np.abs(self.coefficients)
        if not self._is_forest():
            each = [getattr(part, "importances", None) for part in self._parts]
            if not each or any(shares is None for shares in each):
                return None
            found = row_sums((np.array(each) * size[:, None]).T)
            return np.asarray(found / (total(found) or 1.0))
        forest = self.forest
        n_nodes = np.diff(forest.node_offset)
        tree = np.repeat(np.arange(len(n_nodes)), n_nodes)
        unknown = np.isnan(forest.gain)
        # a stump has one split, hence the whole gain, even if its size is unknown
        gain = np.where(unknown & (n_nodes[tree] == 1), 1.0, forest.gain)
        if np.isnan(gain).any():
            return None
        round_of = np.array(self._grown_in)[tree]
        sums = np.bincount(round_of, weights=gain)[round_of]
        share = np.divide(gain, sums, out=np.zeros_like(gain), where=sums > 0.0)
        shares = np.bincount(forest.feature, share * size[tree], forest.n_features)
        return np.asarray(shares / (total(shares) or 1.0))

    def grown(self, n_features: int) -> tuple[Forest, Any, Any] | None:
        """Return all trees; None if the hypotheses are no trees of this package.

        Returns
        -------
        forest : Forest
            Trees in the order in which they were grown.
        coefficients : ndarray of float64, shape (n_trees,)
            Factor of each tree in the scores; 1 in a branching program.
        rounds : ndarray of intp, shape (n_trees,)
            Round in which each tree was grown, from 1.
        """
        if self._is_forest():
            forest = self.forest
        elif self._parts:
            return None
        else:
            forest = Forest.of_nothing(n_features)
        rounds = np.array(self._grown_in, dtype=np.intp) + 1
        return forest, self.coefficients, rounds

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        F = np.zeros((X.shape[0], self.n_classes))
        if self._is_forest():
            return self._total.add_to(F, X)
        for stage in self.follow(X):
            F = stage
        return F

    def staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round, in an array that is reused."""
        if self._is_forest():
            F = np.zeros((X.shape[0], self.n_classes))
            return self._additions.stages(F, X, self._round_end)
        return self.follow(X)

    @cached_property
    def _additions(self) -> Additions:
        """The additions of all rounds; not before `seal`."""
        first = np.array([0, *self._round_end[:-1]])
        is_round = first < self._round_end
        decays = np.ones(len(self._steps))
        decays[first[is_round]] = np.array(self._decays)[is_round]
        return Additions(self._parts[0], self._tree_index, self._steps, decays)

    @cached_property
    def _total(self) -> Additions:
        """Additions that give the scores after the last round; not before `seal`."""
        forest, n = self._parts[0], self._parts[0].n_trees
        if len(self._steps) <= n or forest.width > 1 or any(d != 1.0 for d in self._decays):
            return self._additions
        # add each tree once, with the sum of its steps; not for trees whose answers are fractions,
        # where the order of the additions changes the rounding
        steps = self.coefficients
        index = np.flatnonzero(steps)
        return Additions(forest, index, steps[index])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _PREPARED}

    def follow(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round, in an array that is reused, tree by tree.

        Rounds may be added between the steps of the iterator, which then yields them too.
        """
        F = np.zeros((X.shape[0], self.n_classes))
        start = 0
        for end, decay in zip(self._round_end, self._decays, strict=True):
            if decay != 1.0:
                F *= decay
            for tree, step in zip(self._tree_index[start:end], self._steps[start:end], strict=True):
                part, k = self._part_of(tree)
                part.add_scores(X, np.array([k]), np.array([step]), F)
            start = end
            yield F

    def _part_of(self, tree: int) -> tuple[Any, int]:
        """Return the part that holds a tree, at present, and the position of the tree there."""
        start = len(self._grown_in)
        for part in reversed(self._parts):  # the trees of a round in progress are the last ones
            start -= part.n_trees
            if tree >= start:
                break
        return part, tree - start

    def _is_forest(self) -> bool:
        return len(self._parts) == 1 and isinstance(self._parts[0], Forest)


def on_grid(steps: ArrayLike) -> NDArray[np.float64]:
    """Return steps rounded to the nearest multiples of 2**-38 (4e-12).

    Sums of these multiples are exact in float64 below 2**15. The scores of trees that predict
    labels therefore do not depend on the order of the steps, and steps that sum to zero cancel
    exactly.

    Examples
    --------
    >>> a, b = on_grid([0.1, 0.7])
    >>> bool((a + b) - b == a), (0.1 + 0.7) - 0.7 == 0.1
    (True, False)
    """
    return np.asarray(np.rint(np.asarray(steps) * _GRID) / _GRID)
