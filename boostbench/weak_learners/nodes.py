"""Nodes of the tree that grows: the table of `structures.NODE`, and the rows of each node."""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner, stage
from boostbench.weak_learners.criteria import C45, COSTS, TARGETS, weight_of


@stage
def start_table(sample, tree):  # type: ignore[no-untyped-def]
    """Make the table a root of all active rows, and all histograms free."""
    for s in range(tree.free.shape[0]):
        tree.free[s] = s - 1
    tree.free[0] = tree.free.shape[0] - 1
    _open_node(tree.nodes, tree.total, 0, -1, 0, sample.n_active, 0)


@inner
def _open_node(  # type: ignore[no-untyped-def]
    nodes, total, node, parent, start, end, depth
):
    new = nodes[node]
    new.start, new.end, new.depth, new.parent = start, end, depth, parent
    new.left = new.slot = new.feature = -1
    new.gain = new.impurity = new.square = 0.0
    new.compact = False
    for k in range(total.shape[1]):
        total[node, k] = 0


@stage
def split_node(data, node, child, tree):  # type: ignore[no-untyped-def]
    """Split a leaf into the new leaves ``child`` and ``child + 1``."""
    split = tree.nodes[node]
    start, end, depth = split.start, split.end, split.depth + 1
    codes, missing = data.codes[split.feature], data.n_bins[split.feature]
    middle = start + partition(codes, missing, split, tree.rows[start:end], tree.buffer)
    split.left = child
    _open_node(tree.nodes, tree.total, child, node, start, middle, depth)
    _open_node(tree.nodes, tree.total, child + 1, node, middle, end, depth)


@inner
def partition(codes, missing, split, rows, buffer):  # type: ignore[no-untyped-def]
    """Move the rows that go left to the front, keep both orders, and return their number.

    ``codes`` and ``missing`` are the bins of the split's feature, and the one of missing values.
    """
    last, other = np.int32(split.bin), np.int32(missing if split.missing_left else -1)
    n_left, n_right = 0, 0
    for i in range(rows.shape[0]):
        r = rows[i]
        code = np.int32(codes[r])
        left = (code <= last) | (code == other)  # no branch, which would be guessed wrong
        rows[n_left] = r
        buffer[n_right] = r
        n_left += left
        n_right += not left
    for i in range(n_right):  # a slice assignment would compile numba's error messages
        rows[n_left + i] = buffer[i]
    return n_left


@inner
def smaller(nodes, left):  # type: ignore[no-untyped-def]
    """Return the child of fewer rows, the left one on ties."""
    right = left + 1
    if nodes[right].end - nodes[right].start < nodes[left].end - nodes[left].start:
        return right
    return left


@inner
def take_off(whole, part, rest):  # type: ignore[no-untyped-def]
    """Write the sums of a child: its parent's without the other child's."""
    for k in range(whole.shape[0]):
        rest[k] = whole[k] - part[k]


@inner
def may_split(rules, unit, leaf, total, tie):  # type: ignore[no-untyped-def]
    """Return whether a split of a leaf is worth looking for, given its sums."""
    if leaf.depth >= rules.max_depth or leaf.end - leaf.start < 2:
        return False
    if rules.min_samples > 1 and total[rules.n_sums] < 2 * rules.min_samples:
        return False
    if rules.kind == COSTS or rules.kind == TARGETS:
        return leaf.impurity > tie
    weight = np.float64(weight_of(rules, total))
    if weight < 2.0 * rules.min_cases * unit * (1.0 - 1e-12):
        return False
    return leaf.impurity > 2.3e-16 * weight  # as scikit-learn's CART


@inner
def least_weight(rules, unit, root, total):  # type: ignore[no-untyped-def]
    """Return the smallest weight of a child of a node, at least 1 so that none is empty."""
    if rules.kind == COSTS:
        return np.int64(1)
    least = rules.min_weight_fraction * np.float64(weight_of(rules, root))
    if rules.min_cases > 0.0:
        cases = rules.min_cases
        if rules.criterion == C45:
            share = 0.1 * np.float64(weight_of(rules, total)) / unit / rules.n_sums
            cases = min(max(share, cases), 25.0)
        least = max(least, cases * unit)
    # a share of 1/3 means a third in spite of rounded sums
    return max(np.int64(np.ceil(least * (1.0 - 1e-12))), np.int64(1))


@inner
def place_histogram(nodes, free, node):  # type: ignore[no-untyped-def]
    """Return the node whose histogram is to be built, its place, and the parent's, or -1.

    If the parent has a histogram, the one of the child with fewer rows is built, and the parent's
    becomes the other's by subtraction.
    """
    built, parent, whole = node, nodes[node].parent, np.int64(-1)
    if parent >= 0 and nodes[parent].slot >= 0:
        whole = nodes[parent].slot
        built = smaller(nodes, nodes[parent].left)
        nodes[2 * nodes[parent].left + 1 - built].slot, nodes[parent].slot = whole, -1
    slot = free.shape[0] - 1
    if free[0] > 0 and not nodes[built].compact:
        slot = free[free[0]]
        free[0] -= 1
        nodes[built].slot = slot
    return built, slot, whole


@inner
def release(leaf, free):  # type: ignore[no-untyped-def]
    """Give a leaf's histogram back."""
    if leaf.slot >= 0:
        free[0] += 1
        free[free[0]] = leaf.slot
        leaf.slot = -1
