"""Packing: from the node table of a grown tree to the arrays of a forest, and rows to leaves."""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import SIGNED, TARGETS, answer

__all__ = ["pack"]


@stage
def pack(  # type: ignore[no-untyped-def]
    data, rules, sample, column, t, rows, numbers, weights, nodes, split_order, out
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
                value = _mean(rows[nodes.start[node] : nodes.end[node]], numbers, weights, column)
            out.leaf_value[first_leaf + n_leaves] = value
            out.leaf_column[first_leaf + n_leaves] = answered
            n_leaves += 1
    for s in range(split_order.shape[0]):
        node, place = split_order[s], first + s
        left = nodes.left[node]
        out.feature[place] = nodes.feature[node]
        out.threshold[place] = nodes.threshold[node]
        out.missing_left[place] = nodes.missing_left[node]
        out.left[place], out.right[place] = index[left], index[left + 1]
        out.gain[place] = nodes.gain[node] / _unit(rules, sample)
        value, answered = _answer(rules, sample, column, nodes, node)
        out.node_value[place], out.node_column[place] = value, answered
    out.node_offset[t + 1] = first + split_order.shape[0]
    out.leaf_offset[t + 1] = first_leaf + n_leaves
    out.root_impurity[t] = nodes.impurity[0] / _unit(rules, sample)
    _assign_leaves(data, nodes, 2 * split_order.shape[0] + 1, rows, sample.n_active, out.leaves[t])


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
def _mean(rows, target, weights, column):  # type: ignore[no-untyped-def]
    """Return the weighted mean of a leaf's targets from the numbers as they came.

    Beside large weights, the smallest ones keep few digits as integers.
    """
    c = column if weights.shape[1] > 1 else 0
    s, w = 0.0, 0.0
    for i in range(rows.shape[0]):
        s += weights[rows[i], c] * target[rows[i], column]
        w += weights[rows[i], c]
    return s / w if w > 0.0 else 0.0


@inner
def _assign_leaves(data, nodes, n_nodes, rows, n_active, leaves):  # type: ignore[no-untyped-def]
    """Write the leaf of every row, whether it took part in growing or not."""
    n = leaves.shape[0]
    if n_active < n:
        leaves[:] = -1
    for node in range(n_nodes):
        if nodes.left[node] < 0:
            leaf = ~nodes.slot[node]
            for p in range(nodes.start[node], nodes.end[node]):
                leaves[rows[p]] = leaf
    if n_active == n:
        return
    for i in range(n):
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
