"""Compiled traversal of a forest: rows become small integers, then go down the trees.

Only the order of a value among the thresholds of its feature matters to a forest. So a call first
turns every value into a code, the number of thresholds below it, and every threshold into its
rank: ``x <= threshold`` is ``code <= rank``, exactly. A traversal then reads two bytes per
comparison instead of eight, and a block of rows stays in cache while all trees pass over it.

Rows are handled in blocks, codes of a block feature by feature. In a small tree all rows of a block
pass node after node, which vector instructions do for sixteen rows at a time; in a large one every
row walks down alone, as only few of the nodes concern it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, kernel

BLOCK = 512  # rows
SMALL_TREE = 96  # nodes; beyond it walking down costs less than passing all nodes


class BlockWork(NamedTuple):
    """Work space for a block of rows.

    Attributes
    ----------
    position, walking, label : array of int32, shape (BLOCK,)
        Nodes or leaves of the rows, the rows that are not in a leaf yet, and labels.
    best : array of float64, shape (BLOCK,)
        Highest scores.
    scores : array of float64, shape (K, BLOCK)
        Scores, class by class.
    """

    position: NDArray[np.int32]
    walking: NDArray[np.int32]
    label: NDArray[np.int32]
    best: NDArray[np.float64]
    scores: NDArray[np.float64]

    @classmethod
    def space(cls, n_columns: int = 0) -> BlockWork:
        """Return space for scores of so many columns."""
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
def apply(codes, nodes, leaves, work):  # type: ignore[no-untyped-def]
    """Write the leaf of every row in every tree into ``leaves``, shape (n, n_trees)."""
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
    """Add coefficient times a tree's answers to the scores of a block, G[K, BLOCK]."""
    leaf_value, leaf_column, leaf_offset = leaves
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
def add_scores(  # type: ignore[no-untyped-def]
    codes, nodes, leaves, tree_index, coefficient, F, work
):
    """Add the answers of some trees to F; see `Forest.add_scores`."""
    position, G = work.position, work.scores
    # Scores class by class are faster to add to, but a few trees do not earn the turning around.
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
    """Add the errors after every round to ``errors``; see `Forest.staged_errors`."""
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
