"""The fitted model of every booster: weak hypotheses and the steps taken along them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.weak_learners import Forest


class Ensemble:
    """The sum of steps ``F <- decay * F + step * h``, round by round.

    Parameters
    ----------
    n_classes : int
        Number K of score columns.

    Notes
    -----
    A round adds one tree, or one tree per class, each with its own coefficient, or goes on along a
    tree of an earlier round. All trees lie in one `Forest`; hypotheses that are no trees keep
    their own predictors and are called in turn.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self._parts: list[Any] = []
        self._n_trees = 0
        self._tree_index: list[int] = []
        self._steps: list[float] = []
        self._round_end: list[int] = []
        self._decays: list[float] = []

    def add(self, trees: Any, step: ArrayLike, decay: float = 1.0) -> None:
        """Append one round: a `Forest` of the round's trees and one coefficient or one per tree.

        The scores of the rounds before are multiplied by ``decay``.
        """
        self._parts.append(trees)
        start, self._n_trees = self._n_trees, self._n_trees + trees.n_trees
        self._add_steps(range(start, self._n_trees), step, decay)

    def add_again(self, tree: int, step: float) -> None:
        """Append one round along an earlier tree, counted from 0.

        The steps of an ensemble that does so lie on a grid on which sums are exact.
        """
        self._add_steps([tree], step, 1.0)

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

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        F = np.zeros((X.shape[0], self.n_classes))
        if not self._is_forest() or any(decay != 1.0 for decay in self._decays):
            for stage in self.staged_scores(X):
                F = stage
            return F
        forest, index, steps = self._parts[0], np.array(self._tree_index), np.array(self._steps)
        if len(index) > self._n_trees and forest.width == 1:
            # a tree once, with all its steps; of a tree that answers fractions only the same
            # steps give the same sums
            steps = np.bincount(index, weights=steps, minlength=self._n_trees)
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
        ends = self._round_end
        for part, start, end in zip(self._parts, [0, *ends], ends, strict=False):
            part.add_scores(X, np.arange(part.n_trees), np.array(self._steps[start:end]), F)
            yield F

    def _is_forest(self) -> bool:
        return len(self._parts) == 1 and isinstance(self._parts[0], Forest)
