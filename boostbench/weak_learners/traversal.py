"""Compiled traversal of a forest on values encoded as small integers.

Only the rank of a value among the thresholds of the feature affects the path of a row. A call first
replaces every value by a code, the number of smaller thresholds, and every threshold by its rank,
so that ``x <= threshold`` is exactly ``code <= rank``. A traversal then reads two bytes per
comparison instead of eight, and a block of rows stays in cache while all trees are traversed.

The codes of a block of rows are stored by feature. In a small tree, all rows of a block pass node
by node, sixteen rows per vector instruction. In a large tree, each row walks down alone, since it
meets only few of the nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, kernel

BLOCK = 512  # rows
SMALL_TREE = 96  # nodes; in larger trees, walking down is faster than passing all nodes


class BlockWork(NamedTuple):
    """Work space for a block of rows.

    Attributes
    ----------
    position, walking, label : array of int32, shape (BLOCK,)
        Node or leaf of each row, rows that are not in a leaf yet, and predicted labels.
    best : array of float64, shape (BLOCK,)
        Highest score of each row.
    scores : array of float64, shape (K, BLOCK)
        Scores by class.
    """

    position: NDArray[np.int32]
    walking: NDArray[np.int32]
    label: NDArray[np.int32]
    best: NDArray[np.float64]
    scores: NDArray[np.float64]

    @classmethod
    def space(cls, n_columns: int = 0) -> BlockWork:
        """Return work space for scores of ``n_columns`` columns."""
        ints = np.empty((3, BLOCK), np.int32)
        scores = np.empty((n_columns, BLOCK))
        return cls(ints[0], ints[1], ints[2], np.empty(BLOCK), scores)


@kernel
def encode(X, ranks, codes):  # type: ignore[no-untyped-def]
    """Write the codes of X, shape (n_blocks, n_used, BLOCK); see `scoring.Ranks`."""
    features, grid, grid_offset = ranks.features, ranks.grid, ranks.grid_offset
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
    """Write the leaves of the first rows of a block in a tree to ``position``, as ``~leaf``.

    ``walking`` is work space of the same length.
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
def apply(codes, nodes, leaves, work):  # type: ignore[no-untyped-def]
    """Write the leaf of every row in every tree to ``leaves``, shape (n, n_trees)."""
    n, n_trees = leaves.shape
    position = work.position
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, n - start)
        for tree in range(n_trees):
            _descend(codes[block], nodes, tree, rows, position, work.walking)
            for i in range(rows):
                leaves[start + i, tree] = ~position[i]


@inner
def _add_answers(leaves, tree, coefficient, rows, position, G):  # type: ignore[no-untyped-def]
    """Add coefficient times the leaf values of a tree to the scores of a block, G[K, BLOCK]."""
    leaf_value, leaf_column, leaf_offset = leaves
    first = leaf_offset[tree]
    if leaf_value.shape[1] > 1:
        for k in range(leaf_value.shape[1]):
            for i in range(rows):
                G[k, i] += coefficient * leaf_value[np.uint64(first + ~position[i]), k]
        return
    for i in range(rows):
        leaf = np.uint64(first + ~position[i])
        G[np.uint64(leaf_column[leaf]), i] += coefficient * leaf_value[leaf, 0]


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
def add_scores(  # type: ignore[no-untyped-def]
    codes, nodes, leaves, tree_index, coefficient, F, work
):
    """Add the leaf values of some trees to F; see `Forest.add_scores`."""
    position, G = work.position, work.scores
    # Adding to scores by class is faster, but for few trees the transposition costs more.
    turned = len(tree_index) >= len(G)
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, len(F) - start)
        if turned:
            _load(F, start, rows, G)
        for j in range(len(tree_index)):
            tree, step = tree_index[j], coefficient[j]
            _descend(codes[block], nodes, tree, rows, position, work.walking)
            if turned:
                _add_answers(leaves, tree, step, rows, position, G)
            else:
                _add_answers(leaves, tree, step, rows, position, F[start : start + rows].T)
        if turned:
            _store(G, start, rows, F)


@kernel
def staged_errors(  # type: ignore[no-untyped-def]
    codes, nodes, leaves, y, tree_index, coefficient, round_end, F, errors, work
):
    """Add the number of errors after every round to ``errors``; see `Forest.staged_errors`."""
    position, G = work.position, work.scores
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, len(F) - start)
        _load(F, start, rows, G)
        j = 0
        for t in range(len(round_end)):
            while j < round_end[t]:
                tree, step = tree_index[j], coefficient[j]
                _descend(codes[block], nodes, tree, rows, position, work.walking)
                _add_answers(leaves, tree, step, rows, position, G)
                j += 1
            errors[t] += _errors(G, y[start : start + rows], work.best, work.label)
        _store(G, start, rows, F)


@inner
def _errors(G, y, best, label):  # type: ignore[no-untyped-def]
    """Count the columns i of G whose first maximum is not in row y[i]."""
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
