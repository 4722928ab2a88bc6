"""Growing: trees best first, from the statistics of the rows.

The rows of a leaf are contiguous. Of two children only the one with fewer rows has its histogram
built; the other's is the parent's minus that. A leaf's histogram is built only when its impurity,
which bounds the gain of any split of it, is the largest key among all leaves: most pure leaves, and
all leaves left when the tree is full, never cost one. A leaf of few rows has a compact histogram
instead, which costs nothing but what its rows cost (see `boostbench.weak_learners.compact`).

Nodes are numbered as they arise (children: left, right), the inner nodes of the finished tree in
the order in which they were split. So the first l - 1 of them are the best-first tree of l leaves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compact import build_compact, in_data, is_cheaper
from boostbench.weak_learners.compiled import inner, kernel, stage
from boostbench.weak_learners.criteria import C45, COSTS, TARGETS, impurity, resolution
from boostbench.weak_learners.heap import pop, push
from boostbench.weak_learners.histograms import build, subtract
from boostbench.weak_learners.packing import pack
from boostbench.weak_learners.splitting import find_split, next_occupied, threshold_of
from boostbench.weak_learners.statistics import node_sums, prepare
from boostbench.weak_learners.structures import Finished, GrowthRules, Layout, Work


def grow_trees(
    data: BinnedData,
    rules: GrowthRules,
    labels: NDArray[np.int32],
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64],
    columns: NDArray[np.int64],
) -> Finished:
    """Grow one tree per column of a demand.

    Parameters
    ----------
    data : BinnedData
    rules : GrowthRules
    labels : ndarray of int32, shape (n,)
        Classes, for label statistics.
    numbers : ndarray of float64, shape (m, n)
        Columns of weights; signed weights; costs; or targets.
    weights : ndarray of float64, shape (1 or m, n)
        Weights of the targets.
    columns : ndarray of int64, shape (n_trees,)
        Which of ``numbers`` to grow a tree for; of costs, all of them make one tree.

    Returns
    -------
    Finished
    """
    max_leaves = max(min(rules.max_leaves, data.n_rows), 1)
    work = Work.space(rules, data, labels, max_leaves)
    finished = Finished.room(len(columns), max_leaves, data.n_rows)
    _grow_trees(data, rules, numbers, weights, columns, work, finished)
    return finished


@kernel
def _grow_trees(data, rules, numbers, weights, columns, work, finished):  # type: ignore[no-untyped-def]
    for t in range(columns.shape[0]):
        column = columns[t]
        number, weight = numbers[column], weights[column if weights.shape[0] > 1 else 0]
        count = data.samples[column if data.samples.shape[0] > 1 else 0]
        sample = prepare(rules, numbers, number, weight, count, work.rows, work.label, work.stat)
        n_splits = _grow(data, rules, sample, column, work)
        pack(data, rules, sample, column, t, number, weight, work, n_splits, finished)


@stage
def _grow(data, rules, sample, column, work):  # type: ignore[no-untyped-def]
    """Grow one tree in the node table; return its number of splits."""
    nodes, keys, heap = work.nodes, work.keys, work.heap
    for s in range(work.free.shape[0]):
        work.free[s] = s - 1
    work.free[0] = work.free.shape[0] - 1
    root = np.int64(0)
    _open_node(work, root, root - 1, root, sample.n_active, root)
    if sample.n_active == 0:
        return 0
    nodes[0].square = node_sums(
        rules, work.rows[: sample.n_active], work.label, work.stat, work.total[0]
    )
    nodes[0].impurity = impurity(rules.criterion, work.total[0], rules.n_sums, nodes[0].square)
    tie = max(
        resolution(rules.criterion, work.total[0], rules.n_sums, nodes[0].square, sample.scale),
        1e-290,
    )
    nodes[0].compact = is_cheaper(data, rules, work.rows[: sample.n_active], work.total[0])
    n_heap, n_splits, n_nodes = np.int64(0), np.int64(0), np.int64(1)
    if _may_split(rules, sample, work, root, tie):
        n_heap = push(keys, heap, n_heap, np.inf, root)
    while n_heap > 0 and n_splits + 1 < rules.max_leaves:
        node = heap[0]
        n_heap = pop(keys, heap, n_heap)
        if nodes[node].feature < 0:
            _find(data, rules, sample, node, _stream(rules.seed, column, node), work)
            gain = nodes[node].gain
            if nodes[node].feature >= 0 and (rules.zero_gain or gain > tie):
                n_heap = push(keys, heap, n_heap, np.rint(gain / tie), node)
            else:
                _release(work, node)
            continue
        work.split_order[n_splits] = node
        n_splits += 1
        _split(data, rules, node, n_nodes, work)
        for child in range(n_nodes, n_nodes + 2):
            if _may_split(rules, sample, work, child, tie):
                bound = np.rint(nodes[child].impurity / tie) + 1.0
                n_heap = push(keys, heap, n_heap, bound, child)
        n_nodes += 2
    return n_splits


@inner
def _open_node(work, node, parent, start, end, depth):  # type: ignore[no-untyped-def]
    new = work.nodes[node]
    new.start, new.end, new.depth, new.parent = start, end, depth, parent
    new.left = new.slot = new.feature = -1
    new.gain = new.impurity = new.square = 0.0
    new.compact = False
    for k in range(work.total.shape[1]):
        work.total[node, k] = 0


@inner
def _may_split(rules, sample, work, node, tie):  # type: ignore[no-untyped-def]
    """Whether a split of the node is worth looking for."""
    leaf = work.nodes[node]
    if leaf.depth >= rules.max_depth or leaf.end - leaf.start < 2:
        return False
    if rules.min_samples > 1 and work.total[node, rules.n_sums] < 2 * rules.min_samples:
        return False
    if rules.kind == COSTS or rules.kind == TARGETS:
        return leaf.impurity > tie
    weight = np.float64(_weight_of(rules, work.total[node]))
    if weight < 2.0 * rules.min_cases * sample.unit * (1.0 - 1e-12):
        return False
    return leaf.impurity > 2.3e-16 * weight  # as scikit-learn's CART


@inner
def _weight_of(rules, total):  # type: ignore[no-untyped-def]
    """Return the weight of a node's labels or targets."""
    if rules.kind == TARGETS:
        return total[1]
    weight = np.int64(0)
    for k in range(rules.n_sums):
        weight += total[k]
    return weight


@inner
def _least_weight(rules, sample, root, total):  # type: ignore[no-untyped-def]
    """Return the smallest weight of a child of a node, at least 1 so that none is empty."""
    if rules.kind == COSTS:
        return np.int64(1)
    least = rules.min_weight_fraction * np.float64(_weight_of(rules, root))
    if rules.min_cases > 0.0:
        cases = rules.min_cases
        if rules.criterion == C45:
            share = 0.1 * np.float64(_weight_of(rules, total)) / sample.unit / rules.n_sums
            cases = min(max(share, cases), 25.0)
        least = max(least, cases * sample.unit)
    # a share of 1/3 means a third in spite of rounded sums
    return max(np.int64(np.ceil(least * (1.0 - 1e-12))), np.int64(1))


@stage
def _find(data, rules, sample, node, stream, work):  # type: ignore[no-untyped-def]
    """Find the best split of a leaf and note it in the table."""
    leaf, total = work.nodes[node], work.total[node]
    if leaf.compact:
        histogram = work.histogram[work.histogram.shape[0] - 1]
        layout = build_compact(
            data, work.label, work.stat[:, 0], work.rows[leaf.start : leaf.end], total,
            work.marks, work.bins, work.features, histogram,
        )  # fmt: skip
    else:
        histogram = work.histogram[_histogram_of(data, rules, node, work)]
        layout = Layout(data.offset, data.n_bins, data.low.shape[0])
    least = _least_weight(rules, sample, work.total[0], total)
    feature, b, missing_left, gain = find_split(
        data, layout, rules, histogram, total, rules.n_sums, leaf.impurity, leaf.square,
        sample.scale, least, sample.unit, stream, work.found, work.ints, work.floats,
    )  # fmt: skip
    if feature >= 0:
        right = next_occupied(layout, rules, histogram, total, rules.n_sums, feature, b)
        if leaf.compact:
            feature, b, right = in_data(data, work.bins, work.features, feature, b, right)
        leaf.bin, leaf.threshold = threshold_of(
            data, layout, rules, histogram, total, rules.n_sums, feature, b, right, stream
        )
        leaf.missing_left, leaf.gain = missing_left, gain
    leaf.feature = feature
    if not rules.subtraction:
        _release(work, node)


@stage
def _histogram_of(data, rules, node, work):  # type: ignore[no-untyped-def]
    """Return the place where the leaf's histogram is, after building it if need be."""
    nodes, free = work.nodes, work.free
    if nodes[node].slot >= 0:
        return nodes[node].slot
    parent = nodes[node].parent
    whole = nodes[parent].slot if parent >= 0 else -1
    built, other = node, node
    if whole >= 0:
        left = nodes[parent].left
        built, other = left, left + 1
        if nodes[other].end - nodes[other].start < nodes[built].end - nodes[built].start:
            built, other = other, built
    slot = work.histogram.shape[0] - 1
    if free[0] > 0 and not nodes[built].compact:
        slot = free[free[0]]
        free[0] -= 1
        nodes[built].slot = slot
    build(
        rules.kind, data, work.label, work.stat, work.rows[nodes[built].start : nodes[built].end],
        work.total[built], rules.n_sums, work.histogram[slot],
    )  # fmt: skip
    if whole >= 0:
        subtract(rules.kind, work.histogram[whole], work.histogram[slot], work.total[built])
        nodes[other].slot, nodes[parent].slot = whole, -1
    return slot if built == node else whole


@inner
def _release(work, node):  # type: ignore[no-untyped-def]
    """Give a leaf's histogram back."""
    leaf, free = work.nodes[node], work.free
    if leaf.slot >= 0:
        free[0] += 1
        free[free[0]] = leaf.slot
        leaf.slot = -1


@stage
def _split(data, rules, node, child, work):  # type: ignore[no-untyped-def]
    """Split a leaf into the new leaves ``child`` and ``child + 1``."""
    split = work.nodes[node]
    start, end, depth, j = split.start, split.end, split.depth + 1, split.feature
    middle = start + partition(
        data.codes[j], split.bin, data.n_bins[j], split.missing_left, work.rows[start:end],
        work.buffer,
    )  # fmt: skip
    split.left = child
    _open_node(work, child, node, start, middle, depth)
    _open_node(work, child + 1, node, middle, end, depth)
    small, big = (child, child + 1) if middle - start <= end - middle else (child + 1, child)
    total = work.total
    for leaf in (small, big):
        new = work.nodes[leaf]
        if leaf == small or rules.kind == TARGETS:  # squares are no integers: no subtraction
            new.square = node_sums(
                rules, work.rows[new.start : new.end], work.label, work.stat, total[leaf]
            )
        else:
            for k in range(total.shape[1]):
                total[big, k] = total[node, k] - total[small, k]
        new.impurity = impurity(rules.criterion, total[leaf], rules.n_sums, new.square)
        new.compact = is_cheaper(data, rules, work.rows[new.start : new.end], total[leaf])
    if work.nodes[small].compact and work.nodes[big].compact:
        _release(work, node)


@inner
def partition(codes, last, missing, missing_left, rows, buffer):  # type: ignore[no-untyped-def]
    """Move the rows that go left to the front, keep both orders, and return their number."""
    n_left, n_right = 0, 0
    for i in range(rows.shape[0]):
        r = rows[i]
        code = codes[r]
        left = code <= last or (missing_left and code == missing)
        rows[n_left] = r
        buffer[n_right] = r
        n_left += left
        n_right += not left
    for i in range(n_right):  # a slice assignment would compile numba's error messages
        rows[n_left + i] = buffer[i]
    return n_left


@inner
def _stream(seed, column, node):  # type: ignore[no-untyped-def]
    """Return the key of a node's draws: nodes are numbered alike whatever the order of rows."""
    x = np.uint64(seed) + np.uint64(column) * np.uint64(0xD1342543DE82EF95)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    x = x + np.uint64(node) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(32))
