"""Fast answers of a forest: rows become small integers, then go down the trees.

Only the order of a value among the thresholds of its feature matters to a forest. So a call first
turns every value into a code, the number of thresholds below it, and every threshold into its
rank: ``x <= threshold`` is ``code <= rank``, exactly. A traversal then reads two bytes per
comparison instead of eight, and a block of rows stays in cache while all trees pass over it.

Rows are handled in blocks, codes of a block feature by feature. In a small tree all rows of a block
pass node after node, which vector instructions do for sixteen rows at a time; in a large one every
row walks down alone, as only few of the nodes concern it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.compiled import inner, kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boostbench.weak_learners.forest import Forest

BLOCK = 512  # rows
SMALL_TREE = 96  # nodes; beyond it walking down costs less than passing all nodes


@dataclass(frozen=True, eq=False)
class CompiledForest:
    """A forest whose thresholds are ranks.

    Parameters
    ----------
    forest : Forest
        Where it comes from.
    features : array of int64, shape (n_used,)
        The features the forest asks for.
    grid, grid_offset : array of float64, shape (n_thresholds,); array of int64, shape (n_used + 1,)
        Distinct thresholds of each used feature, rising.
    column : array of int32, shape (n_nodes,)
        Index of a node's feature within `features`.
    low, high : array of uint16 or uint32, shape (n_nodes,)
        A row goes right if ``low < code <= high``.
    """

    forest: Forest
    features: NDArray[np.int64]
    grid: NDArray[np.float64]
    grid_offset: NDArray[np.int64]
    column: NDArray[np.int32]
    low: NDArray[Any]
    high: NDArray[Any]

    def encode(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Return the codes of X, shape (n_blocks, n_used, BLOCK)."""
        n_blocks = -(-len(X) // BLOCK)
        codes = np.zeros((n_blocks, len(self.features), BLOCK), dtype=self.low.dtype)
        _encode(X, self.features, self.grid, self.grid_offset, codes)
        return codes

    def apply(self, codes: NDArray[Any], leaves: NDArray[np.int32]) -> None:
        """Write the leaf of every row in every tree into ``leaves``, shape (n, n_trees)."""
        _apply(codes, self.nodes, leaves)

    def add_scores(
        self,
        codes: NDArray[Any],
        tree_index: NDArray[np.int64],
        coefficient: NDArray[np.float64],
        F: NDArray[np.float64],
    ) -> None:
        """Add the answers of some trees to F; see `Forest.add_scores`."""
        _add_scores(codes, self.nodes, self.leaves, tree_index, coefficient, F)

    def staged_errors(
        self,
        codes: NDArray[Any],
        y: NDArray[np.int64],
        tree_index: NDArray[np.int64],
        coefficient: NDArray[np.float64],
        round_end: NDArray[np.int64],
        F: NDArray[np.float64],
        errors: NDArray[np.int64],
    ) -> None:
        """Add the errors after every round to ``errors``; see `Forest.staged_errors`."""
        _staged_errors(
            codes, self.nodes, self.leaves, y, tree_index, coefficient, round_end, F, errors
        )

    @property
    def nodes(self) -> tuple[NDArray[Any], ...]:
        """Arrays of the nodes for the kernels."""
        forest = self.forest
        return (self.column, self.low, self.high, forest.left, forest.right, forest.node_offset)

    @property
    def leaves(self) -> tuple[NDArray[Any], ...]:
        """Arrays of the leaves for the kernels."""
        return (self.forest.leaf_value, self.forest.leaf_column, self.forest.leaf_offset)


def compile_forest(forest: Forest) -> CompiledForest:
    """Rank the thresholds of a forest.

    Parameters
    ----------
    forest : Forest
        Any, also without trees.

    Returns
    -------
    CompiledForest
    """
    order = np.lexsort((forest.threshold, forest.feature))
    feature, threshold = forest.feature[order], forest.threshold[order]
    new_feature = np.ones(len(order), dtype=np.bool_)
    new_feature[1:] = feature[1:] != feature[:-1]
    new_threshold = new_feature.copy()
    new_threshold[1:] |= threshold[1:] != threshold[:-1]
    features = feature[new_feature].astype(np.int64)
    position = np.cumsum(new_threshold) - 1
    column = np.cumsum(new_feature) - 1
    grid_start = position[new_feature]
    n_thresholds = int(new_threshold.sum())
    grid_offset = np.append(grid_start, n_thresholds).astype(np.int64)
    sizes = np.diff(grid_offset)
    # The largest code is kept for missing values.
    code_type: type[Any] = np.uint16 if sizes.max(initial=0) < 2**16 - 1 else np.uint32
    missing = np.iinfo(code_type).max
    low = np.empty(len(order), dtype=code_type)
    low[order] = position - grid_start[column]
    columns = np.empty(len(order), dtype=np.int32)
    columns[order] = column
    high = np.where(forest.missing_left, missing - 1, missing).astype(code_type)
    return CompiledForest(
        forest, features, threshold[new_threshold], grid_offset, columns, low, high
    )


@kernel
def _encode(X, features, grid, grid_offset, codes):  # type: ignore[no-untyped-def]
    n = len(X)
    missing = ~codes.dtype.type(0)
    for block in range(len(codes)):
        start = block * BLOCK
        for i in range(min(BLOCK, n - start)):
            for j in range(len(features)):
                x = X[start + i, features[j]]
                if np.isnan(x):
                    codes[block, j, i] = missing
                    continue
                below, end = grid_offset[j], grid_offset[j + 1]
                while below < end:
                    middle = (below + end) >> 1
                    if grid[middle] < x:
                        below = middle + 1
                    else:
                        end = middle
                codes[block, j, i] = below - grid_offset[j]


@inner
def _descend(codes, nodes, tree, rows, position, walking):  # type: ignore[no-untyped-def]
    """Write the leaf of each of a block's first rows in a tree into position, as ~leaf.

    ``walking`` is work space, as long as position.
    """
    column, low, high, left, right, node_offset = nodes
    first = node_offset[tree]
    n_nodes = node_offset[tree + 1] - first
    if n_nodes == 0:
        for i in range(rows):
            position[i] = -1
    elif n_nodes <= SMALL_TREE:
        for i in range(rows):
            position[i] = 0
        for node in range(n_nodes):
            code = codes[column[first + node]]
            a, b = low[first + node], high[first + node]
            to_left, to_right = np.int16(left[first + node]), np.int16(right[first + node])
            here = np.int16(node)
            for i in range(rows):
                to = to_right if (code[i] > a) & (code[i] <= b) else to_left
                position[i] = to if position[i] == here else position[i]
    else:
        for i in range(rows):
            position[i] = 0
        for i in range(rows):
            walking[i] = i
        n_walking = rows
        while n_walking:
            still = 0
            for w in range(n_walking):
                i = walking[w]
                at = first + position[i]
                code = codes[column[at], i]
                node = right[at] if (code > low[at]) & (code <= high[at]) else left[at]
                position[i] = node
                walking[still] = i
                still += node >= 0
            n_walking = still


@kernel
def _apply(codes, nodes, leaves):  # type: ignore[no-untyped-def]
    n, n_trees = leaves.shape
    position, walking = np.empty(BLOCK, dtype=np.int32), np.empty(BLOCK, dtype=np.int32)
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, n - start)
        for tree in range(n_trees):
            _descend(codes[block], nodes, tree, rows, position, walking)
            for i in range(rows):
                leaves[start + i, tree] = ~position[i]


@inner
def _add_tree(  # type: ignore[no-untyped-def]
    codes, nodes, leaves, tree, coefficient, rows, position, walking, G
):
    """Add coefficient times a tree's answers to the scores of a block, G[K, BLOCK]."""
    leaf_value, leaf_column, leaf_offset = leaves
    _descend(codes, nodes, tree, rows, position, walking)
    first = leaf_offset[tree]
    if leaf_value.shape[1] > 1:
        for k in range(leaf_value.shape[1]):
            for i in range(rows):
                G[k, i] += coefficient * leaf_value[first + ~position[i], k]
        return
    for i in range(rows):
        leaf = first + ~position[i]
        G[leaf_column[leaf], i] += coefficient * leaf_value[leaf, 0]


@inner
def _load(F, start, rows, G):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for k in range(len(G)):
            G[k, i] = F[start + i, k]


@inner
def _store(G, start, rows, F):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for k in range(len(G)):
            F[start + i, k] = G[k, i]


@kernel
def _add_scores(codes, nodes, leaves, tree_index, coefficient, F):  # type: ignore[no-untyped-def]
    position, walking = np.empty(BLOCK, dtype=np.int32), np.empty(BLOCK, dtype=np.int32)
    n_columns = F.shape[1]
    # Scores class by class are faster to add to, but a few trees do not earn the turning around.
    turned = len(tree_index) >= n_columns
    G = np.empty((n_columns, BLOCK if turned else 0))
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, len(F) - start)
        if turned:
            _load(F, start, rows, G)
        for j in range(len(tree_index)):
            tree, step = tree_index[j], coefficient[j]
            if turned:
                _add_tree(codes[block], nodes, leaves, tree, step, rows, position, walking, G)
            else:
                scores = F[start : start + rows].T
                _add_tree(codes[block], nodes, leaves, tree, step, rows, position, walking, scores)
        if turned:
            _store(G, start, rows, F)


@kernel
def _staged_errors(  # type: ignore[no-untyped-def]
    codes, nodes, leaves, y, tree_index, coefficient, round_end, F, errors
):
    position, walking = np.empty(BLOCK, dtype=np.int32), np.empty(BLOCK, dtype=np.int32)
    best, label = np.empty(BLOCK), np.empty(BLOCK, dtype=np.int32)
    G = np.empty((F.shape[1], BLOCK))
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, len(F) - start)
        _load(F, start, rows, G)
        j = 0
        for t in range(len(round_end)):
            while j < round_end[t]:
                tree, step = tree_index[j], coefficient[j]
                _add_tree(codes[block], nodes, leaves, tree, step, rows, position, walking, G)
                j += 1
            errors[t] += _errors(G, y[start : start + rows], best, label)
        _store(G, start, rows, F)


@inner
def _errors(G, y, best, label):  # type: ignore[no-untyped-def]
    """Count the columns of G whose first maximum is not in row y."""
    rows = len(y)
    for i in range(rows):
        best[i] = G[0, i]
        label[i] = 0
    for k in range(1, len(G)):
        for i in range(rows):
            if G[k, i] > best[i]:
                best[i] = G[k, i]
                label[i] = k
    errors = 0
    for i in range(rows):
        errors += label[i] != y[i]
    return errors
