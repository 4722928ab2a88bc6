"""The fitted model of every booster: weak hypotheses and the steps taken along them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import total
from boostbench.weak_learners import Forest

#: Inverse of the spacing of `on_grid`.
_GRID = 2.0**38


class Ensemble:
    """The sum of steps ``F <- decay * F + step * h``, round by round.

    Parameters
    ----------
    n_classes : int
        Number K of score columns.

    Notes
    -----
    A round adds one tree, or one tree per class, each with its own coefficient, or goes on along
    trees of earlier rounds. All trees lie in one `Forest`; hypotheses that are no trees keep
    their own predictors and are called in turn.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self._parts: list[Any] = []
        self._grown_in: list[int] = []  # the round of each tree
        self._tree_index: list[int] = []
        self._steps: list[float] = []
        self._round_end: list[int] = []
        self._decays: list[float] = []

    def add(self, trees: Any, step: ArrayLike, decay: float = 1.0) -> None:
        """Append one round: a `Forest` of the round's trees and one coefficient or one per tree.

        The scores of the rounds before are multiplied by ``decay``.
        """
        start = len(self._grown_in)
        self._append(trees)
        self._add_steps(range(start, len(self._grown_in)), step, decay)

    def add_corrected(self, trees: Any, steps: NDArray[np.float64]) -> None:
        """Append one round that goes on along all trees so far and the new ones, one step each.

        The steps are those of `add_again`.
        """
        self._append(trees)
        moved = np.flatnonzero(steps)
        self._add_steps(moved.tolist(), steps[moved], 1.0)

    def add_again(self, tree: int, step: float) -> None:
        """Append one round along an earlier tree, counted from 0.

        The steps of an ensemble that does so are `on_grid`, where sums are exact.
        """
        self._add_steps([tree], step, 1.0)

    def _append(self, trees: Any) -> None:
        self._parts.append(trees)
        self._grown_in += [self.n_rounds] * trees.n_trees

    def _add_steps(self, trees: Sequence[int], step: ArrayLike, decay: float) -> None:
        self._tree_index += trees
        steps = np.empty(len(trees))
        steps[:] = step
        self._steps += steps.tolist()
        self._round_end.append(len(self._steps))
        self._decays.append(decay)

    def seal(self) -> Ensemble:
        """Pack the trees into contiguous arrays; call once, when training is over."""
        if self._parts and all(isinstance(part, Forest) for part in self._parts):
            self._parts = [Forest.concatenate(self._parts)]
        return self

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self._decays)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(part.n_leaves for part in self._parts)

    def importances(self) -> NDArray[np.float64] | None:
        """Return the share of each feature in the gains; None if they are not known.

        The gains of a round are divided by their sum, and those of a tree weighted by the size of
        all steps along it.
        """
        if not self._is_forest():
            return None
        forest, index = self._parts[0], np.array(self._tree_index)
        n_nodes = np.diff(forest.node_offset)
        tree = np.repeat(np.arange(len(n_nodes)), n_nodes)
        unknown = np.isnan(forest.gain)
        gain = np.where(unknown & (n_nodes[tree] == 1), 1.0, forest.gain)  # a stump's is the whole
        if np.isnan(gain).any():
            return None
        # the product of the decays of later rounds
        left = np.cumprod([1.0, *self._decays[:0:-1]])[::-1]
        steps = np.array(self._steps) * np.repeat(left, np.diff([0, *self._round_end]))
        size = np.abs(np.bincount(index, weights=steps, minlength=len(n_nodes)))
        round_of = np.array(self._grown_in)[tree]
        sums = np.bincount(round_of, weights=gain)[round_of]
        share = np.divide(gain, sums, out=np.zeros_like(gain), where=sums > 0.0)
        found = np.bincount(forest.feature, share * size[tree], forest.n_features)
        return np.asarray(found / (total(found) or 1.0))

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        F = np.zeros((X.shape[0], self.n_classes))
        if not self._is_forest() or any(decay != 1.0 for decay in self._decays):
            for stage in self.staged_scores(X):
                F = stage
            return F
        forest, index, steps = self._parts[0], np.array(self._tree_index), np.array(self._steps)
        if len(index) > forest.n_trees and forest.width == 1:
            # a tree once, with all its steps; of a tree that answers fractions only the same
            # steps give the same sums
            steps = np.bincount(index, weights=steps, minlength=forest.n_trees)
            index = np.flatnonzero(steps)
            steps = steps[index]
        return np.asarray(forest.add_scores(X, index, steps, F))

    def staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round; the array is the same one every time."""
        F = np.zeros((X.shape[0], self.n_classes))
        rounds = self._add_rounds(X, F)
        for decay in self._decays:
            if decay != 1.0:
                F *= decay
            next(rounds)
            yield F

    def _add_rounds(
        self, X: NDArray[np.float64], F: NDArray[np.float64]
    ) -> Iterator[NDArray[np.float64]]:
        """Add a round to F for each item taken."""
        if self._is_forest():
            yield from self._parts[0].staged_scores(
                X, self._tree_index, self._steps, self._round_end, F
            )
            return
        # each of the parts answers by as many predictors as its trees
        owner = [(part, k) for part in self._parts for k in range(part.n_trees)]
        for start, end in zip([0, *self._round_end], self._round_end, strict=False):
            for tree, step in zip(self._tree_index[start:end], self._steps[start:end], strict=True):
                part, k = owner[tree]
                part.add_scores(X, np.array([k]), np.array([step]), F)
            yield F

    def _is_forest(self) -> bool:
        return len(self._parts) == 1 and isinstance(self._parts[0], Forest)


def on_grid(steps: ArrayLike) -> NDArray[np.float64]:
    """Return the multiples of 2**-38 (4e-12) nearest to steps.

    Sums of such numbers below 2**15 are exact in float64, so the scores of trees that answer labels
    do not depend on the order of the steps, and one whose steps sum to zero leaves no trace.

    Examples
    --------
    >>> a, b = on_grid([0.1, 0.7])
    >>> bool((a + b) - b == a), (0.1 + 0.7) - 0.7 == 0.1
    (True, False)
    """
    return np.asarray(np.rint(np.asarray(steps) * _GRID) / _GRID)
