"""Packing: from the node table of a grown tree to the arrays of a forest, and rows to leaves."""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import SIGNED, TARGETS, answer

__all__ = ["pack"]


@stage
def pack(  # type: ignore[no-untyped-def]
    data, rules, sample, column, t, rows, number, weight, nodes, split_order, out
):
    """Append tree t to the arrays of a `GrownTrees`; uses up the table's column of slots."""
    first, first_leaf = out.node_offset[t], out.leaf_offset[t]
    index = nodes.slot
    for s in range(split_order.shape[0]):
        index[split_order[s]] = s
    n_leaves = 0
    for node in range(2 * split_order.shape[0] + 1):
        if nodes.left[node] < 0:
            index[node] = ~n_leaves
            value, answered = _answer(rules, sample, column, nodes, node)
            if rules.kind == TARGETS:
                value = _mean(rows[nodes.start[node] : nodes.end[node]], number, weight)
            out.leaf_value[first_leaf + n_leaves] = value
            out.leaf_column[first_leaf + n_leaves] = answered
            n_leaves += 1
    for s in range(split_order.shape[0]):
        node, place = split_order[s], first + s
        left = nodes.left[node]
        out.feature[place] = nodes.feature[node]
        out.threshold[place] = nodes.threshold[node]
        out.bin[place] = nodes.bin[node]
        out.missing_left[place] = nodes.missing_left[node]
        out.left[place], out.right[place] = index[left], index[left + 1]
        out.gain[place] = nodes.gain[node] / _unit(rules, sample)
        value, answered = _answer(rules, sample, column, nodes, node)
        out.node_value[place], out.node_column[place] = value, answered
    out.node_offset[t + 1] = first + split_order.shape[0]
    out.leaf_offset[t + 1] = first_leaf + n_leaves
    out.root_impurity[t] = nodes.impurity[0] / _unit(rules, sample)
    _assign_leaves(data, nodes, split_order, rows, sample.n_active, out.leaves[t])


@inner
def _unit(rules, sample):  # type: ignore[no-untyped-def]
    """Return what one unit of impurity mass is in the integers' units."""
    if rules.kind == TARGETS:
        return sample.factor / sample.weight_factor * sample.factor
    return sample.factor


@inner
def _answer(rules, sample, column, nodes, node):  # type: ignore[no-untyped-def]
    """Return value and column of what a node answers."""
    total = nodes.total[node]
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


@inner
def _mean(rows, target, weight):  # type: ignore[no-untyped-def]
    """Return the weighted mean of a leaf's targets from the numbers as they came.

    Beside large weights, the smallest ones keep few digits as integers.
    """
    s, w = 0.0, 0.0
    for i in range(rows.shape[0]):
        s += weight[rows[i]] * target[rows[i]]
        w += weight[rows[i]]
    return s / w if w > 0.0 else 0.0


@inner
def _assign_leaves(data, nodes, split_order, rows, n_active, leaves):  # type: ignore[no-untyped-def]
    """Write the leaf of every row, whether it took part in growing or not."""
    n, n_splits = leaves.shape[0], split_order.shape[0]
    left_out = n - n_active
    # a vector operation on all rows per split takes about a hundredth of a walk down the tree
    if left_out * 100 > n * n_splits:
        _sweep(data, nodes, split_order, leaves)
        return
    if left_out > 0:
        leaves[:] = -1
    for node in range(2 * n_splits + 1):
        if nodes.left[node] < 0:
            leaf = ~nodes.slot[node]
            for p in range(nodes.start[node], nodes.end[node]):
                leaves[rows[p]] = leaf
    if left_out > 0:
        _walk(data, nodes, leaves)


@inner
def _sweep(data, nodes, split_order, leaves):  # type: ignore[no-untyped-def]
    """Move all rows down the tree together, one split at a time."""
    leaves[:] = 0
    for s in range(split_order.shape[0]):
        node = split_order[s]
        j = nodes.feature[node]
        codes = data.codes[j]
        here, left = np.int32(node), np.int32(nodes.left[node])
        right = np.int32(left + 1)
        last = np.int32(nodes.bin[node])
        missing = np.int32(data.n_bins[j] if nodes.missing_left[node] else -1)
        for i in range(leaves.shape[0]):
            code = np.int32(codes[i])
            child = right if (code > last) & (code != missing) else left
            leaves[i] = child if leaves[i] == here else leaves[i]
    for i in range(leaves.shape[0]):
        leaves[i] = ~nodes.slot[leaves[i]]


@inner
def _walk(data, nodes, leaves):  # type: ignore[no-untyped-def]
    """Move the rows without a leaf down the tree, one row at a time."""
    for i in range(leaves.shape[0]):
        if leaves[i] < 0:
            node = 0
            while nodes.left[node] >= 0:
                j = nodes.feature[node]
                code = data.codes[j, i]
                left = code <= nodes.bin[node]
                if code == data.n_bins[j]:
                    left = left or nodes.missing_left[node]
                node = nodes.left[node] + (not left)
            leaves[i] = ~nodes.slot[node]
