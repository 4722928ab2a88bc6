"""Compiled traversal of a forest: of many rows on small codes, of few by masks of leaves.

Only the rank of a value among the thresholds of the feature affects the path of a row. For many
rows, every value is replaced by a code, the number of smaller thresholds, and every threshold by
its rank, so that ``x <= threshold`` is exactly ``code <= rank``. A traversal then reads two bytes
per comparison instead of eight, and a block of rows stays in cache while all trees are traversed.

The codes of a block of rows are stored by feature. In a small tree, all rows of a block pass node
by node, as many per vector instruction as the type of the numbers of nodes allows. In a large tree,
each row walks down alone, since it meets only few of the nodes.

For a single row, each leaf of a tree is a bit, from left to right. A node that sends the row to the
right removes the leaves of its left subtree, by a mask; the first leaf that remains is that of the
row. Nodes are sorted by feature and threshold: those that send the row to the right are found by
one search per feature, and their masks lie next to each other (QuickScorer: Lucchese et al., SIGIR
2015). A tree may have as many leaves as a mask has bits.
"""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner, kernel

BLOCK = 512  # rows
SMALL_TREE = 96  # nodes; in larger trees, walking down is faster than passing all nodes

#: The number of a bit that is alone in 64, by the upper six bits of its product with a constant.
_FACTOR = np.uint64(0x03F79D71B4CB0A89)
_NUMBER = np.argsort([(int(_FACTOR) << bit) % 2**64 >> 58 for bit in range(64)])


@inner
def _first_not_below(values, first, end, x):  # type: ignore[no-untyped-def]
    """Return the place of the first of some ascending values that is at least x, or the end."""
    while first < end:
        middle = (first + end) >> 1
        if values[middle] < x:
            first = middle + 1
        else:
            end = middle
    return first


@kernel
def encode(X, ranks, codes):  # type: ignore[no-untyped-def]
    """Write the codes of X, shape (n_blocks, n_used, BLOCK); see `scoring.RankedForest`."""
    features, grid, grid_offset = ranks
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
                below = _first_not_below(grid, grid_offset[j], grid_offset[j + 1], x)
                codes[block, j, i] = below - grid_offset[j]


@inner
def _descend(  # type: ignore[no-untyped-def]
    codes, start, nodes, tree, rows, position, walking
):
    """Move the rows of a block whose ``position`` is 0 down a tree, to ``~leaf``.

    ``codes`` has a row per feature; the block has ``rows`` columns from `start` on. ``walking`` is
    work space of the length of ``position``.
    """
    column, low, high, left, right, node_offset = nodes
    first = node_offset[tree]
    n_nodes = node_offset[tree + 1] - first
    if n_nodes == 0:
        for i in range(rows):
            position[i] = -1
    elif n_nodes <= SMALL_TREE:
        for node in range(n_nodes):
            code = codes[column[first + node], start : start + rows]
            a, b = low[first + node], high[first + node]
            cast = position.dtype.type
            to_left, to_right = cast(left[first + node]), cast(right[first + node])
            here = cast(node)
            for i in range(rows):
                to = to_right if (code[i] > a) & (code[i] <= b) else to_left
                position[i] = to if position[i] == here else position[i]
    else:
        n_walking = 0
        for i in range(rows):
            walking[n_walking] = i
            n_walking += position[i] == 0
        while n_walking:
            still = 0
            for w in range(n_walking):
                i = walking[w]
                at = first + position[i]
                code = codes[column[at], start + i]
                node = right[at] if (code > low[at]) & (code <= high[at]) else left[at]
                position[i] = node
                walking[still] = i
                still += node >= 0
            n_walking = still


@kernel
def place(  # type: ignore[no-untyped-def]
    codes, grown, offset, trees, leaves, position, walking
):
    """Replace leaf -1 of training rows in some grown trees, given the bins, shape (d, n)."""
    nodes = grown.feature, grown.low, grown.high, grown.left, grown.right, offset
    for tree in trees:
        for start in range(0, leaves.shape[1], BLOCK):
            rows = min(BLOCK, leaves.shape[1] - start)
            own = leaves[tree, start : start + rows]
            for i in range(rows):
                position[i] = ~own[i]
            _descend(codes, start, nodes, tree, rows, position, walking)
            for i in range(rows):
                own[i] = ~position[i]


@kernel
def apply(codes, nodes, leaves, work):  # type: ignore[no-untyped-def]
    """Write the leaf of every row in every tree to ``leaves``, shape (n, n_trees)."""
    position, walking, _ = work
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, len(leaves) - start)
        for tree in range(leaves.shape[1]):
            for i in range(rows):
                position[i] = 0
            _descend(codes[block], 0, nodes, tree, rows, position, walking)
            for i in range(rows):
                leaves[start + i, tree] = ~position[i]


@inner
def _add_answers(leaves, tree, step, decay, rows, position, G):  # type: ignore[no-untyped-def]
    """Add step times the leaf values of a tree to decay times the scores of rows, G[K, rows]."""
    leaf_value, leaf_column, leaf_offset = leaves
    first = leaf_offset[tree]
    if decay != 1.0:
        for k in range(len(G)):
            for i in range(rows):
                G[k, i] *= decay
    if leaf_value.shape[1] > 1:
        for k in range(leaf_value.shape[1]):
            for i in range(rows):
                G[k, i] += step * leaf_value[np.uint64(first + ~position[i]), k]
        return
    for i in range(rows):
        leaf = np.uint64(first + ~position[i])
        G[np.uint64(leaf_column[leaf]), i] += step * leaf_value[leaf, 0]


@kernel
def add_found(found, leaves, additions, F):  # type: ignore[no-untyped-def]
    """Add leaf values to F row by row, given the leaf of every row in the tree of each addition."""
    leaf_value, leaf_column, leaf_offset = leaves
    trees, steps, decays = additions
    decayed = False
    for decay in decays:
        decayed |= decay != 1.0
    for i in range(len(F)):
        f = F[i]
        for j in range(len(trees)):
            leaf = np.uint64(leaf_offset[np.uint64(trees[j])] + found[i, j])
            if decayed:
                for k in range(len(f)):
                    f[k] *= decays[j]
            if leaf_value.shape[1] == 1:
                f[np.uint64(leaf_column[leaf])] += steps[j] * leaf_value[leaf, 0]
            else:
                for k in range(leaf_value.shape[1]):
                    f[k] += steps[j] * leaf_value[leaf, k]


@kernel
def number_leaves(trees, count, start, masks, leaf_at):  # type: ignore[no-untyped-def]
    """Write the mask of every node, and the leaves of every tree from left to right.

    ``count`` and ``start`` are work space: the leaves below each node, and the first of them. See
    `scoring.MaskedForest`.
    """
    left, right, node_offset, leaf_offset = trees
    one = np.uint64(1)
    for tree in range(len(node_offset) - 1):
        root, end, leaf = node_offset[tree], node_offset[tree + 1], leaf_offset[tree]
        start[root:end] = 0
        leaf_at[root + tree] = leaf
        for node in range(end - 1, root - 1, -1):  # children come after their parents
            a, b = left[node], right[node]
            count[node] = (count[root + a] if a >= 0 else 1) + (count[root + b] if b >= 0 else 1)
        for node in range(root, end):
            at = np.int64(start[node])
            n_left = count[root + left[node]] if left[node] >= 0 else 1
            masks[node] = ~(((one << np.uint64(n_left)) - one) << np.uint64(at))
            for child, first in ((left[node], at), (right[node], at + n_left)):
                if child >= 0:
                    start[root + child] = first
                else:
                    leaf_at[root + tree + first] = leaf + ~child


@kernel
def apply_masks(X, nodes, trees, leaves, left):  # type: ignore[no-untyped-def]
    """Write the leaf of every row in every tree to ``leaves``, shape (n, n_trees).

    Leaves are numbered from left to right; ``left`` is work space for those left in each tree.
    """
    features, offset, threshold, missing_left, tree_of, masks = nodes
    for i in range(len(X)):
        left[:] = ~left.dtype.type(0)
        for j in range(len(features)):
            x = X[i, features[j]]
            first, end = offset[j], offset[j + 1]
            if np.isnan(x):
                for node in range(first, end):
                    if not missing_left[node]:
                        left[tree_of[node]] &= masks[node]
                continue
            for node in range(first, _first_not_below(threshold, first, end, x)):
                left[tree_of[node]] &= masks[node]
        for j in range(len(trees)):
            bits = np.uint64(left[np.uint64(trees[j])])
            first_bit = bits & (~bits + np.uint64(1))
            leaves[i, j] = _NUMBER[(first_bit * _FACTOR) >> np.uint64(58)]


@inner
def _copy(scores, rows, to):  # type: ignore[no-untyped-def]
    for i in range(rows):
        for k in range(len(scores)):
            to[k, i] = scores[k, i]


@kernel
def add_to_many(codes, nodes, leaves, additions, F, work):  # type: ignore[no-untyped-def]
    """Add the leaf values of some trees to F, block by block; see `scoring.Additions`."""
    trees, steps, decays = additions
    position, walking, G = work
    # Adding to scores by class is faster, but for few trees the transposition costs more.
    turned = len(trees) >= len(G)
    for block in range(len(codes)):
        start = block * BLOCK
        rows = min(BLOCK, len(F) - start)
        part = F[start : start + rows].T
        if turned:
            _copy(part, rows, G)
        for j in range(len(trees)):
            tree, step, decay = trees[j], steps[j], decays[j]
            for i in range(rows):
                position[i] = 0
            _descend(codes[block], 0, nodes, tree, rows, position, walking)
            if turned:
                _add_answers(leaves, tree, step, decay, rows, position, G)
            else:
                _add_answers(leaves, tree, step, decay, rows, position, part)
        if turned:
            _copy(G, rows, part)
