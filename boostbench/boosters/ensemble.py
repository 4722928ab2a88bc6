"""The fitted model of every booster: weak hypotheses and the steps taken along them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
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

    Attributes
    ----------
    n_rounds : int
        Rounds added so far.

    Notes
    -----
    A round adds one tree, or one tree per class, each with its own coefficient. All trees lie in
    one `Forest`; hypotheses that are no trees keep their own predictors and are called in turn.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.n_rounds = 0
        self._parts: list[Any] = []
        self._coefficients: list[NDArray[np.float64]] = []
        self._decays: list[float] = []
        self._round_end = np.zeros(0, dtype=np.int64)

    def add(self, trees: Any, step: ArrayLike, decay: float = 1.0) -> None:
        """Append one round: a `Forest` of the round's trees and one coefficient or one per tree.

        The scores of the rounds before are multiplied by ``decay``.
        """
        self._parts.append(trees)
        coefficients = np.empty(trees.n_trees)
        coefficients[:] = step
        self._coefficients.append(coefficients)
        self._decays.append(decay)
        self.n_rounds += 1

    def seal(self) -> Ensemble:
        """Pack the rounds into contiguous arrays; call once, when training is over."""
        self._round_end = np.cumsum([len(step) for step in self._coefficients], dtype=np.int64)
        if self._parts and all(isinstance(part, Forest) for part in self._parts):
            self._parts = [Forest.concatenate(self._parts)]
            self._coefficients = [np.concatenate(self._coefficients)]
        return self

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(part.n_leaves for part in self._parts)

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        F = np.zeros((X.shape[0], self.n_classes))
        if any(decay != 1.0 for decay in self._decays):
            return deque(self.staged_scores(X), maxlen=1).pop()
        for part, coefficient in zip(self._parts, self._coefficients, strict=True):
            part.add_scores(X, np.arange(part.n_trees), coefficient, F)
        return F

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
        if len(self._parts) == 1 and isinstance(self._parts[0], Forest):
            forest, coefficient = self._parts[0], self._coefficients[0]
            tree_index = np.arange(forest.n_trees)
            yield from forest.staged_scores(X, tree_index, coefficient, self._round_end, F)
            return
        for part, coefficient in zip(self._parts, self._coefficients, strict=True):
            part.add_scores(X, np.arange(part.n_trees), coefficient, F)
            yield F
