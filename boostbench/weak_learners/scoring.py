"""Prediction of a forest for many rows: checks of arguments, division into blocks, kernel calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from boostbench.weak_learners.traversal import (
    BLOCK,
    BlockWork,
    add_scores,
    apply,
    encode,
    staged_errors,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from boostbench.weak_learners.flat_trees import FlatTrees

#: Rows encoded at a time, which bounds the memory of a call on many rows.
_ROWS_AT_A_TIME = 1 << 16


class Ranks(NamedTuple):
    """Sorted thresholds of a forest.

    Attributes
    ----------
    features : array of int64, shape (n_used,)
        Features used in splits.
    grid : array of float64, shape (n_thresholds,)
        Distinct thresholds of each used feature, in ascending order.
    grid_offset : array of int64, shape (n_used + 1,)
        Thresholds of the j-th used feature are ``grid[grid_offset[j]:grid_offset[j + 1]]``.
    """

    features: NDArray[np.int64]
    grid: NDArray[np.float64]
    grid_offset: NDArray[np.int64]


class RankedForest:
    """A forest with thresholds replaced by ranks, in the form that the kernels take.

    Attributes
    ----------
    ranks : Ranks
    nodes : tuple of ndarray
        For each node: index of the feature in ``ranks.features`` (int32), low and high (uint16 or
        uint32; a row goes right if ``low < code <= high``), left and right child; and the offset of
        the nodes of each tree.
    leaves : tuple of ndarray
        Values and columns of the leaves, and the offset of the leaves of each tree.
    """

    def __init__(self, forest: FlatTrees) -> None:
        order = np.lexsort((forest.threshold, forest.feature))
        feature, threshold = forest.feature[order], forest.threshold[order]
        new_feature = np.ones(len(order), dtype=np.bool_)
        new_feature[1:] = feature[1:] != feature[:-1]
        new_threshold = new_feature.copy()
        new_threshold[1:] |= threshold[1:] != threshold[:-1]
        position = np.cumsum(new_threshold) - 1
        column = np.cumsum(new_feature) - 1
        first = position[new_feature]
        offset = np.append(first, new_threshold.sum()).astype(np.int64)
        self.ranks = Ranks(feature[new_feature].astype(np.int64), threshold[new_threshold], offset)
        # The largest code is reserved for missing values.
        large = np.diff(offset).max(initial=0) >= 2**16 - 1
        code_type: type[Any] = np.uint32 if large else np.uint16
        missing = np.iinfo(code_type).max
        low = np.empty(len(order), dtype=code_type)
        low[order] = position - first[column]
        columns = np.empty(len(order), dtype=np.int32)
        columns[order] = column
        high = np.where(forest.missing_left, missing - 1, missing).astype(code_type)
        self.nodes = (columns, low, high, forest.left, forest.right, forest.node_offset)
        self.leaves = (forest.leaf_value, forest.leaf_column, forest.leaf_offset)

    def encode(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the codes of X, shape (n_blocks, n_used, BLOCK); see `traversal`."""
        shape = (-(-len(X) // BLOCK), len(self.ranks.features), BLOCK)
        codes = np.zeros(shape, dtype=self.nodes[1].dtype)
        encode(X, self.ranks, codes)
        return codes


def find_leaves(forest: FlatTrees, X: ArrayLike) -> NDArray[np.int32]:
    """Find the leaf of every row in every tree; see `Forest.apply`."""
    X = _check_rows(forest, X)
    ranked = RankedForest(forest)
    leaves = np.empty((len(X), forest.n_trees), dtype=np.int32)
    work = BlockWork.space()
    for rows in _row_slices(len(X)):
        apply(ranked.encode(X[rows]), ranked.nodes, leaves[rows], work)
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
        If the arguments do not fit together.
    """

    def __init__(
        self,
        forest: FlatTrees,
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
        self.ranked = self._rank(forest)
        self.work = BlockWork.space(F.shape[1])

    def _check(self, forest: FlatTrees) -> None:
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

    def _rank(self, forest: FlatTrees) -> RankedForest:
        """Rank only the trees in `tree_index`, since the others need not be encoded."""
        used, renumbered = np.unique(self.tree_index, return_inverse=True)
        if len(used) == forest.n_trees:
            return RankedForest(forest)
        self.tree_index = renumbered.astype(np.int64)
        return RankedForest(forest.take(used))

    def run(self) -> None:
        """Do all additions."""
        for rows in _row_slices(len(self.X)):
            codes = self.ranked.encode(self.X[rows])
            self._add(codes, slice(None), self.F[rows])

    def stages(self, round_end: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Do the additions round by round; see `Forest.staged_scores`."""
        ends = self._check_ends(round_end)
        codes = self.ranked.encode(self.X)
        first = 0
        for last in ends.tolist():
            self._add(codes, slice(first, last), self.F)
            first = last
            yield self.F

    def _add(self, codes: NDArray[Any], part: slice, F: NDArray[np.float64]) -> None:
        trees, coefficient = self.tree_index[part], self.coefficient[part]
        model = self.ranked.nodes, self.ranked.leaves
        add_scores(codes, *model, trees, coefficient, F, self.work)

    def errors(self, y: ArrayLike, round_end: ArrayLike) -> NDArray[np.int64]:
        """Do the additions and count errors after each round; see `Forest.staged_errors`."""
        ends = self._check_ends(round_end)
        labels = np.ascontiguousarray(y, dtype=np.int64)
        if labels.shape != (len(self.X),):
            raise ValueError(f"y must hold {len(self.X)} labels, found shape {labels.shape}")
        errors = np.zeros(len(ends), dtype=np.int64)
        model = self.ranked.nodes, self.ranked.leaves
        additions = self.tree_index, self.coefficient, ends
        for rows in _row_slices(len(self.X)):
            codes = self.ranked.encode(self.X[rows])
            staged_errors(codes, *model, labels[rows], *additions, self.F[rows], errors, self.work)
        return errors

    def _check_ends(self, round_end: ArrayLike) -> NDArray[np.int64]:
        ends = np.ascontiguousarray(round_end, dtype=np.int64)
        n = len(self.tree_index)
        if (np.diff(ends, prepend=0, append=n) < 0).any():
            raise ValueError(f"round_end must rise from 0 or more to at most {n}")
        return ends


def _check_rows(forest: FlatTrees, X: ArrayLike) -> NDArray[np.float64]:
    X = np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != forest.n_features:
        raise ValueError(f"X must have {forest.n_features} columns, found shape {X.shape}")
    return X


def _row_slices(n: int) -> Iterator[slice]:
    for start in range(0, n, _ROWS_AT_A_TIME):
        yield slice(start, min(start + _ROWS_AT_A_TIME, n))
