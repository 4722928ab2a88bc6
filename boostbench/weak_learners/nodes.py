"""Node table of a growing tree (see `structures.NODE`), rows of nodes, and histogram slots."""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner, stage
from boostbench.weak_learners.criteria import C45, COSTS, TARGETS, weight_of


@stage
def start_table(sample, tree):  # type: ignore[no-untyped-def]
    """Initialise the table with a root of all active rows, and free all histograms."""
    for s in range(tree.free.shape[0]):
        tree.free[s] = s - 1
    tree.free[0] = tree.free.shape[0] - 1
    _open_node(tree.nodes[0], -1, 0, sample.n_active, 0)


@inner
def _open_node(new, parent, start, end, depth):  # type: ignore[no-untyped-def]
    new.start, new.end, new.depth, new.parent = start, end, depth, parent
    new.left = new.slot = new.feature = -1
    new.gain = new.impurity = new.square = 0.0
    new.compact = False


@stage
def split_node(data, node, child, tree):  # type: ignore[no-untyped-def]
    """Split a leaf into the new leaves ``child`` and ``child + 1``."""
    split = tree.nodes[node]
    start, end, depth = split.start, split.end, split.depth + 1
    codes, missing = data.codes[split.feature], data.n_bins[split.feature]
    middle = start + partition(codes, missing, split, tree.rows[start:end], tree.buffer)
    split.left = child
    _open_node(tree.nodes[child], node, start, middle, depth)
    _open_node(tree.nodes[child + 1], node, middle, end, depth)
    for k in range(tree.total.shape[1]):
        tree.total[child, k] = tree.left[node, k]
        tree.total[child + 1, k] = tree.total[node, k] - tree.left[node, k]


@inner
def partition(codes, missing, split, rows, buffer):  # type: ignore[no-untyped-def]
    """Move the rows that go left to the front, stably, and return their number.

    ``codes`` are the bins of the rows in the feature of the split; ``missing`` is the bin of
    missing values.
    """
    last, other = np.int32(split.bin), np.int32(missing if split.missing_left else -1)
    n_left, n_right = 0, 0
    for i in range(rows.shape[0]):
        r = rows[i]
        code = np.int32(codes[r])
        left = (code <= last) | (code == other)  # a branch would be mispredicted often
        rows[n_left] = r
        buffer[n_right] = r
        n_left += left
        n_right += not left
    for i in range(n_right):  # a slice assignment takes longer to compile
        rows[n_left + i] = buffer[i]
    return n_left


@inner
def may_split(rules, unit, leaf, total, tie):  # type: ignore[no-untyped-def]
    """Return whether a leaf with the given sums may be split."""
    if leaf.depth >= rules.max_depth or leaf.end - leaf.start < 2:
        return False
    if rules.min_samples_leaf > 1 and total[rules.n_sums] < 2 * rules.min_samples_leaf:
        return False
    if rules.kind == COSTS or rules.kind == TARGETS:
        return leaf.impurity > tie
    weight = np.float64(weight_of(rules, total))
    if weight < 2.0 * rules.min_cases * unit * (1.0 - 1e-12):
        return False
    return leaf.impurity > 2.3e-16 * weight  # as scikit-learn's CART


@inner
def least_weight(rules, unit, root, total):  # type: ignore[no-untyped-def]
    """Return the smallest weight of a child of a node, at least 1 so that no child is empty."""
    if rules.kind == COSTS:
        return np.int64(1)
    least = rules.min_weight_fraction_leaf * np.float64(weight_of(rules, root))
    if rules.min_cases > 0.0:
        cases = rules.min_cases
        if rules.criterion == C45:
            share = 0.1 * np.float64(weight_of(rules, total)) / unit / rules.n_sums
            cases = min(max(share, cases), 25.0)
        least = max(least, cases * unit)
    # the tolerance lets a share of 1/3 hold in spite of rounded sums
    return max(np.int64(np.ceil(least * (1.0 - 1e-12))), np.int64(1))


@inner
def place_histogram(nodes, free, node):  # type: ignore[no-untyped-def]
    """Return the node whose histogram is built, its slot, and the slot of the parent or -1.

    If the parent has a histogram, that of the child with fewer rows is built, and the parent's
    becomes that of the other child by subtraction.
    """
    built, parent, whole = node, nodes[node].parent, np.int64(-1)
    if parent >= 0 and nodes[parent].slot >= 0:
        whole = nodes[parent].slot
        left = nodes[parent].left
        middle = nodes[left + 1].start
        built = left + (nodes[left + 1].end - middle < middle - nodes[left].start)  # left on ties
        nodes[2 * left + 1 - built].slot, nodes[parent].slot = whole, -1
    slot = free.shape[0] - 1
    if free[0] > 0 and not nodes[built].compact:
        slot = free[free[0]]
        free[0] -= 1
        nodes[built].slot = slot
    return built, slot, whole


@inner
def release(leaf, free):  # type: ignore[no-untyped-def]
    """Free the histogram of a leaf."""
    if leaf.slot >= 0:
        free[0] += 1
        free[free[0]] = leaf.slot
        leaf.slot = -1
