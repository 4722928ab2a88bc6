"""A forest's answers for many rows: calls checked, cut into pieces, handed to the kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from boostbench.weak_learners.traversal import CompiledForest, compile_forest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from boostbench.weak_learners.forest import Forest

#: Rows whose codes are held at a time: bounds the memory of a call on many rows.
_ROWS_AT_A_TIME = 1 << 16


def find_leaves(forest: Forest, X: ArrayLike) -> NDArray[np.int32]:
    """Find the leaf of every row in every tree; see `Forest.apply`."""
    X = _check_rows(forest, X)
    compiled = compile_forest(forest)
    leaves = np.empty((len(X), forest.n_trees), dtype=np.int32)
    for rows in _row_slices(len(X)):
        compiled.apply(compiled.encode(X[rows]), leaves[rows])
    return leaves


class Scoring:
    """Additions of a forest's trees to scores.

    Parameters
    ----------
    forest, X, tree_index, coefficient, F
        As for `Forest.add_scores`.

    Raises
    ------
    ValueError
        If they do not fit together.
    """

    def __init__(
        self,
        forest: Forest,
        X: ArrayLike,
        tree_index: ArrayLike,
        coefficient: ArrayLike,
        F: NDArray[np.float64],
    ) -> None:
        self.X = _check_rows(forest, X)
        self.F = F
        self.tree_index = np.ascontiguousarray(tree_index, dtype=np.int64)
        self.coefficient = np.ascontiguousarray(coefficient, dtype=np.float64)
        self._check(forest)
        self.compiled = self._compile(forest)

    def _check(self, forest: Forest) -> None:
        trees, F = self.tree_index, self.F
        if trees.shape != self.coefficient.shape or trees.ndim != 1:
            raise ValueError(
                f"tree_index and coefficient must be equally long, found shapes {trees.shape} "
                f"and {self.coefficient.shape}"
            )
        if len(trees) and not 0 <= trees.min() <= trees.max() < forest.n_trees:
            raise ValueError(f"tree_index must be within 0..{forest.n_trees - 1}")
        columns = forest.width if forest.width > 1 else int(forest.leaf_column.max(initial=-1)) + 1
        if F.ndim != 2 or len(F) != len(self.X) or F.shape[1] < columns or F.dtype != np.float64:
            raise ValueError(
                f"F must be float64 of shape ({len(self.X)}, {columns} or more), "
                f"found {F.dtype} of shape {F.shape}"
            )

    def _compile(self, forest: Forest) -> CompiledForest:
        """Leave out the trees that are not asked for, so that they cost nothing."""
        used, renumbered = np.unique(self.tree_index, return_inverse=True)
        if len(used) == forest.n_trees:
            return compile_forest(forest)
        self.tree_index = renumbered.astype(np.int64)
        return compile_forest(forest.take(used))

    def run(self) -> None:
        """Do all additions."""
        for rows in _row_slices(len(self.X)):
            codes = self.compiled.encode(self.X[rows])
            self.compiled.add_scores(codes, self.tree_index, self.coefficient, self.F[rows])

    def stages(self, round_end: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Do the additions round by round; see `Forest.staged_scores`."""
        ends = self._check_ends(round_end)
        codes = self.compiled.encode(self.X)
        first = 0
        for last in ends.tolist():
            trees, coefficient = self.tree_index[first:last], self.coefficient[first:last]
            self.compiled.add_scores(codes, trees, coefficient, self.F)
            first = last
            yield self.F

    def errors(self, y: ArrayLike, round_end: ArrayLike) -> NDArray[np.int64]:
        """Do the additions and count errors after each round; see `Forest.staged_errors`."""
        ends = self._check_ends(round_end)
        labels = np.ascontiguousarray(y, dtype=np.int64)
        if labels.shape != (len(self.X),):
            raise ValueError(f"y must hold {len(self.X)} labels, found shape {labels.shape}")
        errors = np.zeros(len(ends), dtype=np.int64)
        for rows in _row_slices(len(self.X)):
            self.compiled.staged_errors(
                self.compiled.encode(self.X[rows]),
                labels[rows],
                self.tree_index,
                self.coefficient,
                ends,
                self.F[rows],
                errors,
            )
        return errors

    def _check_ends(self, round_end: ArrayLike) -> NDArray[np.int64]:
        ends = np.ascontiguousarray(round_end, dtype=np.int64)
        n = len(self.tree_index)
        if (np.diff(ends, prepend=0, append=n) < 0).any():
            raise ValueError(f"round_end must rise from 0 or more to at most {n}")
        return ends


def _check_rows(forest: Forest, X: ArrayLike) -> NDArray[np.float64]:
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != forest.n_features:
        raise ValueError(f"X must have {forest.n_features} columns, found shape {X.shape}")
    return X


def _row_slices(n: int) -> Iterator[slice]:
    for start in range(0, n, _ROWS_AT_A_TIME):
        yield slice(start, min(start + _ROWS_AT_A_TIME, n))
