"""Packing: conversion of the node table to the arrays of a forest, and the leaf of each row."""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner, stage
from boostbench.weak_learners.criteria import SIGNED, SQUARED_ERROR, label_of


@stage
def list_leaves(criterion, rules, n_splits, tree):  # type: ignore[no-untyped-def]
    """List the leaves in the order of the table, and write the labels of all nodes."""
    n_leaves = 0
    for node in range(2 * n_splits + 1):
        if criterion != SQUARED_ERROR:
            tree.nodes[node].answer = label_of(rules, tree.total[node])
        if tree.nodes[node].left < 0:
            tree.leaf_order[n_leaves] = node
            n_leaves += 1


@stage
def pack(  # type: ignore[no-untyped-def]
    criterion, rules, numbers, sample, column, n_splits, tree, trees
):
    """Write the tree of a column in the node table to the trees.

    Overwrites the slots of the table with the numbers of nodes and leaves in the forest.
    """
    nodes, first = tree.nodes, column * rules.max_leaves
    for s in range(n_splits):
        nodes[tree.split_order[s]].slot = s
    for leaf in range(n_splits + 1):
        node = tree.leaf_order[leaf]
        nodes[node].slot = ~leaf
        answer = trees.answers[first + leaf]
        if criterion == SQUARED_ERROR:
            answer.value, answer.column = _mean(sample, numbers, column, node, tree), column
        else:
            answer.value, answer.column = _answer(rules.kind, column, nodes[node].answer)
    unit = sample.factor
    if criterion == SQUARED_ERROR:
        unit = sample.factor / sample.weight_factor * sample.factor
    for s in range(n_splits):
        node = tree.split_order[s]
        split, out = nodes[node], trees.nodes[first + s]
        out.feature, out.threshold = split.feature, split.threshold
        out.missing_left, out.gain = split.missing_left, split.gain / unit
        out.left, out.right = nodes[split.left].slot, nodes[split.left + 1].slot
        if criterion == SQUARED_ERROR:
            out.value, out.column = _mean(sample, numbers, column, node, tree), column
        else:
            out.value, out.column = _answer(rules.kind, column, split.answer)
    trees.node_offset[column + 1], trees.leaf_offset[column + 1] = n_splits, n_splits + 1
    trees.root_impurity[column] = nodes[0].impurity / unit


@inner
def _answer(kind, column, label):  # type: ignore[no-untyped-def]
    """Return the leaf value and the column of the scores for a label."""
    if kind == SIGNED:
        return 2.0 * label - 1.0, column
    return 1.0, label


@inner
def _mean(sample, numbers, column, node, tree):  # type: ignore[no-untyped-def]
    """Return the weighted mean of the targets of a node.

    The mean of a leaf is computed from the original numbers, since beside large weights the
    smallest weights keep few digits as integers.
    """
    leaf = tree.nodes[node]
    if leaf.left >= 0:
        mean = np.float64(tree.total[node, 0]) / sample.factor
        return sample.centre + mean / (np.float64(tree.total[node, 1]) / sample.weight_factor)
    target = numbers.numbers[column]
    weight = numbers.weights[column if numbers.weights.shape[0] > 1 else 0]
    s, w = 0.0, 0.0
    for p in range(leaf.start, leaf.end):
        s += weight[tree.rows[p]] * target[tree.rows[p]]
        w += weight[tree.rows[p]]
    return s / w if w > 0.0 else 0.0


@stage
def assign_leaves(data, tree, n_splits, n_placed, leaves):  # type: ignore[no-untyped-def]
    """Write the leaf of every row, including rows that took no part in growing.

    The first ``n_placed`` rows of the table are in order of the leaves already.
    """
    nodes, n = tree.nodes, leaves.shape[0]
    left_out = n - n_placed
    # per row, a vector operation for one split takes less than 1/500 of a walk down the tree
    if n_splits < 256 and left_out * 500 > n * n_splits:
        _sweep(data.codes, data.n_bins, nodes, tree.split_order[:n_splits], tree.at, leaves)
    else:
        if left_out > 0:
            for i in range(n):
                leaves[i] = -1
        if n_placed > 0:
            for leaf in range(n_splits + 1):
                table = nodes[tree.leaf_order[leaf]]
                for p in range(np.uint64(table.start), np.uint64(table.end)):
                    leaves[tree.rows[p]] = leaf
        if left_out > 0:
            _walk(data.codes, data.n_bins, nodes, leaves)


@inner
def _sweep(codes, n_bins, nodes, split_order, at, leaves):  # type: ignore[no-untyped-def]
    """Move all rows down the tree together, split by split.

    A row at a node has the number of the node's first leaf, in a byte: a vector operation on bytes
    moves many rows. A row that goes left keeps its number.
    """
    root = np.uint8(_first_leaf(nodes, 0))
    for i in range(at.shape[0]):
        at[i] = root
    for s in range(split_order.shape[0]):
        node = split_order[s]
        split = nodes[node]
        its_codes = codes[split.feature]
        here = np.uint8(_first_leaf(nodes, node))
        right, last = np.uint8(_first_leaf(nodes, split.left + 1)), np.uint8(split.bin)
        missing = np.uint8(n_bins[split.feature]) if split.missing_left else last
        for i in range(at.shape[0]):
            goes = (at[i] == here) & (its_codes[i] > last) & (its_codes[i] != missing)
            at[i] = right if goes else at[i]
    for i in range(at.shape[0]):
        leaves[i] = at[i]


@inner
def _first_leaf(nodes, node):  # type: ignore[no-untyped-def]
    """Return the number of the leftmost leaf below a node."""
    while nodes[node].left >= 0:
        node = nodes[node].left
    return ~nodes[node].slot


@inner
def _walk(codes, n_bins, nodes, leaves):  # type: ignore[no-untyped-def]
    """Move the rows without a leaf down the tree, row by row."""
    for i in range(leaves.shape[0]):
        if leaves[i] < 0:
            node = 0
            while nodes[node].left >= 0:
                split = nodes[node]
                code = codes[split.feature, i]
                left = code <= split.bin
                if code == n_bins[split.feature]:
                    left = left or split.missing_left
                node = split.left + (not left)
            leaves[i] = ~nodes[node].slot
