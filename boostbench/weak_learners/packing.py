"""Packing: conversion of the node table to the arrays of a forest."""

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
    criterion, rules, n_bins, numbers, sample, column, n_splits, tree, trees
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
        answer.value, answer.column = _answer(criterion, rules, sample, numbers, column, node, tree)
    # of squared targets per weight; of weights and costs, both factors are equal
    unit = sample.factor / sample.weight_factor * sample.factor
    for s in range(n_splits):
        node = tree.split_order[s]
        split, out = nodes[node], trees.nodes[first - column + s]
        out.feature, out.threshold = split.feature, split.threshold
        out.missing_left, out.gain = split.missing_left, split.gain / unit
        out.low = split.bin
        out.high = n_bins[split.feature] - 1 if split.missing_left else 255
        out.left, out.right = nodes[split.left].slot, nodes[split.left + 1].slot
        out.value, out.column = _answer(criterion, rules, sample, numbers, column, node, tree)
    trees.node_offset[column + 1], trees.leaf_offset[column + 1] = n_splits, n_splits + 1
    trees.root_impurity[column] = nodes[0].impurity / unit


@stage
def _answer(criterion, rules, sample, numbers, column, node, tree):  # type: ignore[no-untyped-def]
    """Return what a node predicts as a leaf: the value, and the column of the scores."""
    value, to = 1.0, tree.nodes[node].answer
    if criterion == SQUARED_ERROR:
        value, to = _mean(sample, numbers, column, node, tree), column
    elif rules.kind == SIGNED:
        value, to = 2.0 * to - 1.0, column
    return value, to


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


@inner
def place_rows(tree, n_splits, leaves):  # type: ignore[no-untyped-def]
    """Write the leaf of every row that took part in growing."""
    for leaf in range(n_splits + 1):
        table = tree.nodes[tree.leaf_order[leaf]]
        for p in range(np.uint64(table.start), np.uint64(table.end)):
            leaves[tree.rows[p]] = leaf
