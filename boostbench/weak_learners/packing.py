"""Packing: from the node table of a grown tree to the arrays of a forest, and rows to leaves."""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import SIGNED, TARGETS, answer


@stage
def pack(  # type: ignore[no-untyped-def]
    data, rules, sample, column, t, number, weight, work, n_splits, finished
):
    """Append tree t to the finished ones; uses up the table's slots."""
    nodes, rows, split_order = work.nodes, work.rows, work.split_order
    first, first_leaf = finished.node_offset[t], finished.leaf_offset[t]
    for s in range(n_splits):
        nodes[split_order[s]].slot = s
    n_leaves = 0
    for node in range(2 * n_splits + 1):
        grown = nodes[node]
        if grown.left < 0:
            grown.slot = ~n_leaves
            value, answered = _answer(rules, sample, column, work.total[node])
            if rules.kind == TARGETS:
                value = _mean(rows[grown.start : grown.end], number, weight)
            leaf = finished.leaf[first_leaf + n_leaves]
            leaf.leaf_value, leaf.leaf_column = value, answered
            n_leaves += 1
    unit = _unit(rules, sample)
    for s in range(n_splits):
        grown, out = nodes[split_order[s]], finished.nodes[first + s]
        out.feature, out.bin = grown.feature, grown.bin
        out.threshold, out.missing_left = grown.threshold, grown.missing_left
        out.left, out.right = nodes[grown.left].slot, nodes[grown.left + 1].slot
        out.gain = grown.gain / unit
        value, answered = _answer(rules, sample, column, work.total[split_order[s]])
        out.node_value, out.node_column = value, answered
    finished.node_offset[t + 1] = first + n_splits
    finished.leaf_offset[t + 1] = first_leaf + n_leaves
    finished.root_impurity[t] = nodes[0].impurity / unit
    _assign_leaves(data, nodes, split_order[:n_splits], rows, sample.n_active, finished.leaves[t])


@stage
def _unit(rules, sample):  # type: ignore[no-untyped-def]
    """Return what one unit of impurity mass is in the integers' units."""
    if rules.kind == TARGETS:
        return sample.factor / sample.weight_factor * sample.factor
    return sample.factor


@inner
def _answer(rules, sample, column, total):  # type: ignore[no-untyped-def]
    """Return value and column of what a node of these sums answers."""
    if rules.kind == TARGETS:
        mean = sample.centre
        if total[1] > 0:
            s, w = np.float64(total[0]) / sample.factor, np.float64(total[1]) / sample.weight_factor
            mean += s / w
        return mean, column
    k = answer(rules.kind, total, rules.n_sums)
    if rules.kind == SIGNED:
        return 2.0 * k - 1.0, column
    return 1.0, k


@stage
def _mean(rows, target, weight):  # type: ignore[no-untyped-def]
    """Return the weighted mean of a leaf's targets from the numbers as they came.

    Beside large weights, the smallest ones keep few digits as integers.
    """
    s, w = 0.0, 0.0
    for i in range(rows.shape[0]):
        s += weight[rows[i]] * target[rows[i]]
        w += weight[rows[i]]
    return s / w if w > 0.0 else 0.0


@stage
def _assign_leaves(data, nodes, split_order, rows, n_active, leaves):  # type: ignore[no-untyped-def]
    """Write the leaf of every row, whether it took part in growing or not."""
    n, n_splits = leaves.shape[0], split_order.shape[0]
    left_out = n - n_active
    # a vector operation on all rows per split takes about a hundredth of a walk down the tree
    if left_out * 100 > n * n_splits:
        _sweep(data, nodes, split_order, leaves)
        return
    if left_out > 0:
        for i in range(n):
            leaves[i] = -1
    for node in range(2 * n_splits + 1):
        if nodes[node].left < 0:
            leaf = ~nodes[node].slot
            for p in range(nodes[node].start, nodes[node].end):
                leaves[rows[p]] = leaf
    if left_out > 0:
        _walk(data, nodes, leaves)


@stage
def _sweep(data, nodes, split_order, leaves):  # type: ignore[no-untyped-def]
    """Move all rows down the tree together, one split at a time."""
    for i in range(leaves.shape[0]):
        leaves[i] = 0
    for s in range(split_order.shape[0]):
        node = split_order[s]
        split = nodes[node]
        codes = data.codes[split.feature]
        here, left = np.int32(node), np.int32(split.left)
        right = np.int32(left + 1)
        last = np.int32(split.bin)
        missing = np.int32(data.n_bins[split.feature] if split.missing_left else -1)
        for i in range(leaves.shape[0]):
            code = np.int32(codes[i])
            child = right if (code > last) & (code != missing) else left
            leaves[i] = child if leaves[i] == here else leaves[i]
    for i in range(leaves.shape[0]):
        leaves[i] = ~nodes[leaves[i]].slot


@stage
def _walk(data, nodes, leaves):  # type: ignore[no-untyped-def]
    """Move the rows without a leaf down the tree, one row at a time."""
    for i in range(leaves.shape[0]):
        if leaves[i] < 0:
            node = 0
            while nodes[node].left >= 0:
                split = nodes[node]
                code = data.codes[split.feature, i]
                left = code <= split.bin
                if code == data.n_bins[split.feature]:
                    left = left or split.missing_left
                node = split.left + (not left)
            leaves[i] = ~nodes[node].slot
