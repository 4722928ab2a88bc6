"""Prediction of a forest: checks of arguments, preparation of the trees, kernel calls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from boostbench.weak_learners.traversal import (
    BLOCK,
    add_found,
    add_to_many,
    apply,
    apply_masks,
    encode,
    number_leaves,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from boostbench.weak_learners.forest import Forest

#: Rows encoded at a time, which bounds the memory of a call on many rows.
_ROWS_AT_A_TIME = 1 << 16

#: Numbers of a sparse matrix that are dense at a time.
_NUMBERS_AT_A_TIME = 1 << 24

#: Rows up to which masks take less time than codes.
_FEW = 12


class RankedForest:
    """A forest with thresholds replaced by ranks, in the form that the kernels take.

    Attributes
    ----------
    ranks : tuple of ndarray
        The features used in splits; their distinct thresholds ``grid``, in ascending order; and
        ``offset``: those of the j-th used feature are ``grid[offset[j]:offset[j + 1]]``.
    nodes : tuple of ndarray
        For each node: index of the feature among those used (int32), low and high (uint16 or
        uint32; a row goes right if ``low < code <= high``), left and right child; and the offset of
        the nodes of each tree.
    leaves : tuple of ndarray
        Values and columns of the leaves, and the offset of the leaves of each tree.
    """

    def __init__(self, forest: Forest) -> None:
        order, feature, threshold, new_feature = _sorted(forest)
        new_threshold = new_feature.copy()
        new_threshold[1:] |= threshold[1:] != threshold[:-1]
        position = np.cumsum(new_threshold) - 1
        column = np.cumsum(new_feature) - 1
        first = position[new_feature]
        offset = np.append(first, new_threshold.sum()).astype(np.int64)
        self.ranks = feature[new_feature].astype(np.int64), threshold[new_threshold], offset
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
        self.leaves = forest.leaf_value, forest.leaf_column, forest.leaf_offset

    def encode(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the codes of X, shape (n_blocks, n_used, BLOCK); see `traversal`."""
        shape = (-(-len(X) // BLOCK), len(self.ranks[0]), BLOCK)
        codes = np.zeros(shape, dtype=self.nodes[1].dtype)
        encode(X, self.ranks, codes)
        return codes


class MaskedForest:
    """A forest with a mask of leaves for each node, in the form that `apply_masks` takes.

    Attributes
    ----------
    nodes : tuple of ndarray
        The features used in splits, and their offsets in the arrays that follow; for each node, by
        feature and threshold: threshold, whether missing values go left, tree, and the mask that
        removes the leaves of the left subtree.
    leaves : tuple of ndarray
        As of `RankedForest`, with the leaves of each tree from left to right.
    """

    def __init__(self, forest: Forest) -> None:
        order, feature, threshold, is_new = _sorted(forest)
        sizes, n_nodes = np.diff(forest.node_offset), len(order)
        tree_of = np.repeat(np.arange(forest.n_trees, dtype=np.uint32), sizes)
        masks = np.empty(n_nodes, np.uint16 if sizes.max(initial=0) < 16 else np.uint64)
        leaf_at = np.empty(n_nodes + forest.n_trees, dtype=np.int32)
        trees = forest.left, forest.right, forest.node_offset, forest.leaf_offset
        number_leaves(trees, *np.empty((2, n_nodes), dtype=np.int32), masks, leaf_at)
        columns = feature[is_new], np.append(np.flatnonzero(is_new), n_nodes), threshold
        self.nodes = *columns, forest.missing_left[order], tree_of[order], masks[order]
        answers = forest.leaf_value[leaf_at], forest.leaf_column[leaf_at]
        self.leaves = *answers, forest.node_offset[:-1] + np.arange(forest.n_trees)

    @staticmethod
    def serves(forest: Forest) -> bool:
        """Return whether masks have enough bits, and every node but the roots has one parent."""
        sizes, roots = np.diff(forest.node_offset), forest.node_offset[:-1]
        root = np.repeat(roots, sizes)
        below = [(root + child)[child >= 0] for child in (forest.left, forest.right)]
        met = np.sort(np.concatenate([roots[sizes > 0], *below]))
        return sizes.max(initial=0) < 64 and np.array_equal(met, np.arange(len(root)))


class Additions:
    """Additions of trees of a forest to scores, ``F <- decay * F + coefficient * h`` one by one.

    What does not depend on the rows is prepared once, when it is first needed. Several threads may
    use the object.

    Parameters
    ----------
    forest : Forest
    tree_index : array of int, shape (m,)
        Indices of trees; repeats are allowed.
    coefficient : array of float, shape (m,)
        Factors of the leaf values.
    decay : array of float, shape (m,), optional
        Factors of the scores before each addition; 1 by default.

    Raises
    ------
    ValueError
        If the arguments do not fit together.
    """

    def __init__(
        self,
        forest: Forest,
        tree_index: ArrayLike,
        coefficient: ArrayLike,
        decay: ArrayLike | None = None,
    ) -> None:
        trees = np.ascontiguousarray(tree_index, dtype=np.int64)
        steps = np.ascontiguousarray(coefficient, dtype=np.float64)
        if trees.shape != steps.shape or trees.ndim != 1:
            raise ValueError(
                f"tree_index and coefficient must be equally long, found shapes {trees.shape} "
                f"and {steps.shape}"
            )
        if len(trees) and not 0 <= trees.min() <= trees.max() < forest.n_trees:
            raise ValueError(f"tree_index must be within 0..{forest.n_trees - 1}")
        decays = np.ones(len(trees)) if decay is None else np.array(decay, dtype=np.float64)
        self._forest, self._additions = forest, (trees, steps, decays)
        highest = int(forest.leaf_column.max(initial=-1))
        self._n_columns = forest.width if forest.width > 1 else highest + 1

    @cached_property
    def _added(self) -> tuple[Forest, tuple[NDArray[Any], ...]]:
        """The trees that are added, and the additions in their numbers."""
        trees, *factors = self._additions
        used, renumbered = np.unique(trees, return_inverse=True)
        if len(used) == self._forest.n_trees:
            return self._forest, self._additions
        return self._forest.take(used), (renumbered.astype(np.int64), *factors)

    @cached_property
    def _ranked(self) -> RankedForest:
        return RankedForest(self._added[0])

    @cached_property
    def _masked(self) -> MaskedForest | None:
        forest = self._added[0]
        return MaskedForest(forest) if MaskedForest.serves(forest) else None

    def add_to(self, F: NDArray[np.float64], X: ArrayLike) -> NDArray[np.float64]:
        """Do all additions; see `Forest.add_scores`."""
        X, (forest, added) = self._check(F, X), self._added
        if len(F) <= _FEW and self._masked is not None:
            masked, trees = self._masked, added[0]
            found = np.empty((len(F), len(trees)), dtype=np.int32)
            left = np.empty(forest.n_trees, masked.nodes[-1].dtype)
            apply_masks(_dense(X), masked.nodes, trees, found, left)
            add_found(found, masked.leaves, added, F)
            return F
        nodes, leaves, work = self._ranked.nodes, self._ranked.leaves, _work(forest, F.shape[1])
        for rows, part in _blocks(X):
            add_to_many(self._ranked.encode(part), nodes, leaves, added, F[rows], work)
        return F

    def stages(
        self, F: NDArray[np.float64], X: Any, round_end: ArrayLike
    ) -> Iterator[NDArray[np.float64]]:
        """Yield F after every round.

        Parameters
        ----------
        F, X
            As for `Forest.add_scores`.
        round_end : array of int, shape (T,)
            Round t ends before addition ``round_end[t]``; non-decreasing.

        Yields
        ------
        array of float64, shape (n, K)
            F itself, which the next round changes in place.
        """
        X, ends = self._check(F, X), np.asarray(round_end, dtype=np.int64)
        ranked, (forest, (trees, steps, decays)) = self._ranked, self._added
        if (np.diff(ends, prepend=0, append=len(trees)) < 0).any():
            raise ValueError(f"round_end must rise from 0 or more to at most {len(trees)}")
        codes = np.concatenate([ranked.encode(part) for _, part in _blocks(X)])
        work, first = _work(forest, F.shape[1]), 0
        for last in ends.tolist():
            added = trees[first:last], steps[first:last], decays[first:last]
            add_to_many(codes, ranked.nodes, ranked.leaves, added, F, work)
            first = last
            yield F

    def _check(self, F: NDArray[np.float64], X: Any) -> Any:
        X, K = _check_rows(self._forest, X), self._n_columns
        if F.ndim != 2 or len(F) != X.shape[0] or F.shape[1] < K or F.dtype != np.float64:
            raise ValueError(
                f"F must be float64 of shape ({X.shape[0]}, {K} or more), "
                f"found {F.dtype} of shape {F.shape}"
            )
        return X


def find_leaves(forest: Forest, X: Any) -> NDArray[np.int32]:
    """Find the leaf of every row in every tree; see `Forest.apply`."""
    X, ranked = _check_rows(forest, X), RankedForest(forest)
    leaves = np.empty((X.shape[0], forest.n_trees), dtype=np.int32)
    for rows, part in _blocks(X):
        apply(ranked.encode(part), ranked.nodes, leaves[rows], _work(forest, 0))
    return leaves


def _sorted(forest: Forest) -> tuple[NDArray[Any], ...]:
    """Return the order of nodes by feature and threshold, both in it, and where features begin."""
    order = np.argsort(forest.threshold)
    small = forest.feature[order].astype(np.min_scalar_type(forest.n_features))
    order = order[np.argsort(small, kind="stable")]  # small numbers are sorted in linear time
    feature = forest.feature[order]
    return order, feature, forest.threshold[order], np.diff(feature, prepend=-1) != 0


def _work(forest: Forest, n_columns: int) -> tuple[NDArray[Any], ...]:
    """Return work space for a block: node or leaf of each row, rows not in a leaf yet, scores."""
    number = np.int16 if np.diff(forest.node_offset).max(initial=0) < 2**15 else np.int32
    return np.empty(BLOCK, number), np.empty(BLOCK, np.int32), np.empty((n_columns, BLOCK))


def _blocks(X: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield some rows of X at a time, dense; at least one block."""
    n, d = X.shape
    size = max(_NUMBERS_AT_A_TIME // max(d, 1) // BLOCK, 1) * BLOCK if issparse(X) else max(n, 1)
    size = min(size, _ROWS_AT_A_TIME)
    for start in range(0, max(n, 1), size):
        rows = slice(start, start + size)
        yield rows, _dense(X[rows])


def _dense(X: Any) -> Any:
    return X.toarray() if issparse(X) else X


def _check_rows(forest: Forest, X: Any) -> Any:
    X = X.tocsr() if issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != forest.n_features:
        raise ValueError(f"X must have {forest.n_features} columns, found shape {X.shape}")
    return X
