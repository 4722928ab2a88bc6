"""A non-negative combination of trees, reached by steps along single trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners import Forest

_GRID = 2.0**38


def on_grid(step: float) -> float:
    """Return the multiple of 2**-38 (4e-12) nearest to a step.

    Sums of such numbers below 2**15 are exact in float64, so the scores of trees that answer labels
    do not depend on the order of the steps, and one whose steps sum to zero leaves no trace.

    Examples
    --------
    >>> a, b = on_grid(0.1), on_grid(0.7)
    >>> (a + b) - b == a, (0.1 + 0.7) - 0.7 == 0.1
    (True, False)
    """
    return float(np.rint(step * _GRID) / _GRID)


class Combination:
    """The sum of coefficients times trees; a round changes the coefficient of one tree.

    Parameters
    ----------
    n_classes : int
        Number K of score columns.

    Attributes
    ----------
    coefficients : list of float
        Sum of the steps along each tree.
    """

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes
        self.coefficients: list[float] = []
        self._trees: list[Forest] = []
        self._tree_index: list[int] = []
        self._steps: list[float] = []

    def add_tree(self, tree: Forest) -> int:
        """Add a tree with coefficient 0 and return its index."""
        self._trees.append(tree)
        self.coefficients.append(0.0)
        return len(self.coefficients) - 1

    def add_step(self, tree: int, step: float) -> None:
        """Append one round: ``step``, from `on_grid`, is added to the coefficient of a tree."""
        self._tree_index.append(tree)
        self._steps.append(step)
        self.coefficients[tree] += step

    def seal(self) -> Combination:
        """Pack the trees into one forest; call once, when training is over."""
        if self._trees:
            self._trees = [Forest.concatenate(self._trees)]
        return self

    @property
    def n_rounds(self) -> int:
        """Number of steps."""
        return len(self._steps)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees."""
        return sum(part.n_leaves for part in self._trees)

    def scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores after the last round, shape (n_samples, n_classes)."""
        F = np.zeros((X.shape[0], self.n_classes))
        coefficients = np.array(self.coefficients)
        kept = np.flatnonzero(coefficients)
        for forest in self._trees:
            if forest.width == 1:
                forest.add_scores(X, kept, coefficients[kept], F)
            else:  # multiples of shares are rounded: only the same steps give the same sums
                forest.add_scores(X, self._tree_index, self._steps, F)
        return F

    def staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each round; the array is the same one every time."""
        F = np.zeros((X.shape[0], self.n_classes))
        round_end = np.arange(1, self.n_rounds + 1)
        for forest in self._trees:
            yield from forest.staged_scores(X, self._tree_index, self._steps, round_end, F)
