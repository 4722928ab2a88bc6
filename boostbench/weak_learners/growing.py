"""Growing: trees best first, from the statistics of the rows.

The rows of a leaf are contiguous. Of two children only the one with fewer rows has its histogram
built; the other's is the parent's minus that. A leaf's histogram is built only when its impurity,
which bounds the gain of any split of it, is the largest key among all leaves: most pure leaves, and
all leaves left when the tree is full, never cost one.

Nodes are numbered as they arise (children: left, right), the inner nodes of the finished tree in
the order in which they were split. So the first l - 1 of them are the best-first tree of l leaves.
"""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, kernel, stage
from boostbench.weak_learners.criteria import C45, COSTS, TARGETS, impurity, resolution
from boostbench.weak_learners.heap import pop, push
from boostbench.weak_learners.histograms import build, subtract
from boostbench.weak_learners.packing import pack
from boostbench.weak_learners.splitting import find_split, threshold_of
from boostbench.weak_learners.statistics import node_sums, prepare
from boostbench.weak_learners.structures import GrownTrees, Pool, new_nodes

__all__ = ["grow_trees", "partition"]

#: Columns of a demand copied at a time: as many numbers as a cache line holds.
_LANES = 8


@kernel
def grow_trees(data, rules, labels, numbers, weights, columns):  # type: ignore[no-untyped-def]
    """Grow one tree per column.

    Parameters
    ----------
    data : BinnedData
    rules : GrowthRules
    labels : int32[n]
        Classes, for label statistics.
    numbers : float64[n, m]
        Weights; signed weights; costs; or targets.
    weights : float64[n, 1 or m]
        Weights of the targets.
    columns : int64[n_trees]
        Columns of ``numbers`` to grow a tree for.

    Returns
    -------
    GrownTrees
    """
    n, n_trees = data.codes.shape[1], columns.shape[0]
    n_planes = rules.n_sums + (rules.min_samples > 1)
    capacity = max(min(rules.max_leaves, n), 1)
    rows, buffer = np.empty(n, np.int32), np.empty(n, np.int32)
    q = n_planes if rules.kind == COSTS else 2
    stat, label = np.empty((n, q), np.int64), labels.copy()
    lanes = np.empty((_LANES if rules.kind != COSTS else 1, n), np.float64)
    weight_lanes = np.empty((_LANES if rules.kind == TARGETS else 1, n), np.float64)
    nodes = new_nodes(2 * capacity, n_planes)
    cells = n_planes * data.low.shape[0]
    n_kept = min(rules.histograms, capacity)
    pool = Pool(
        np.empty((n_kept + 1, cells), np.int64), np.empty(n_kept, np.int64), np.empty(1, np.int64)
    )
    found = np.empty((5, data.n_bins.shape[0]), np.float64)
    split_order = np.empty(capacity, np.int64)
    n_out = n_trees * capacity
    out = GrownTrees(
        np.empty(n_out, np.int32),
        np.empty(n_out, np.float64),
        np.empty(n_out, np.int32),
        np.empty(n_out, np.bool_),
        np.empty(n_out, np.int32),
        np.empty(n_out, np.int32),
        np.zeros(n_trees + 1, np.int64),
        np.empty(n_out, np.float64),
        np.empty(n_out, np.float64),
        np.empty(n_out, np.float64),
        np.empty(n_out, np.int32),
        np.empty(n_out, np.int32),
        np.zeros(n_trees + 1, np.int64),
        np.empty(n_trees, np.float64),
        np.empty((n_trees, n), np.int32),
    )
    for t in range(n_trees):
        lane = t % _LANES
        if lane == 0 and rules.kind != COSTS:
            _take_columns(numbers, columns[t:], lanes)
            if rules.kind == TARGETS:
                _take_columns(weights, columns[t:], weight_lanes)
        number, weight = lanes[lane], weight_lanes[lane if rules.kind == TARGETS else 0]
        sample = prepare(rules, numbers, number, weight, rows, label, stat)
        n_splits = _grow(
            data,
            rules,
            sample,
            columns[t],
            rows,
            buffer,
            label,
            stat,
            nodes,
            pool,
            found,
            split_order,
        )
        pack(
            data, rules, sample, columns[t], t, rows, number, weight, nodes,
            split_order[:n_splits], out,
        )  # fmt: skip
    n_nodes, n_leaves = out.node_offset[n_trees], out.leaf_offset[n_trees]
    return GrownTrees(
        out.feature[:n_nodes].copy(),
        out.threshold[:n_nodes].copy(),
        out.bin[:n_nodes].copy(),
        out.missing_left[:n_nodes].copy(),
        out.left[:n_nodes].copy(),
        out.right[:n_nodes].copy(),
        out.node_offset,
        out.gain[:n_nodes].copy(),
        out.node_value[:n_nodes].copy(),
        out.leaf_value[:n_leaves].copy(),
        out.node_column[:n_nodes].copy(),
        out.leaf_column[:n_leaves].copy(),
        out.leaf_offset,
        out.root_impurity,
        out.leaves,
    )


@inner
def _take_columns(matrix, columns, lanes):  # type: ignore[no-untyped-def]
    """Copy the next columns of a matrix; one column stands for all if it is the only one."""
    n_lanes = min(lanes.shape[0], columns.shape[0])
    for i in range(matrix.shape[0]):
        for c in range(n_lanes):
            lanes[c, i] = matrix[i, columns[c] if matrix.shape[1] > 1 else 0]


@stage
def _grow(  # type: ignore[no-untyped-def]
    data, rules, sample, column, rows, buffer, label, stat, nodes, pool, found, split_order
):
    """Grow one tree in the node table; return its number of splits."""
    capacity = split_order.shape[0]
    keys, heap = np.empty(2 * capacity, np.float64), np.empty(2 * capacity, np.int64)
    pool.n_free[0] = pool.free.shape[0]
    for s in range(pool.free.shape[0]):
        pool.free[s] = s
    root = np.int64(0)
    _open_node(rules, nodes, root, root - 1, root, sample.n_active, root)
    if sample.n_active == 0:
        return 0
    nodes.square[0] = node_sums(rules, sample, rows[: sample.n_active], label, stat, nodes.total[0])
    nodes.impurity[0] = impurity(rules.criterion, nodes.total[0], rules.n_sums, nodes.square[0])
    tie = max(
        resolution(rules.criterion, nodes.total[0], rules.n_sums, nodes.square[0], sample.scale),
        1e-290,
    )
    n_heap, n_splits, n_nodes = np.int64(0), np.int64(0), np.int64(1)
    if _may_split(rules, sample, nodes, root, tie):
        n_heap = push(keys, heap, n_heap, np.inf, root)
    while n_heap > 0 and n_splits + 1 < rules.max_leaves:
        node = heap[0]
        n_heap = pop(keys, heap, n_heap)
        if nodes.feature[node] < 0:
            stream = _stream(rules.seed, column, node)
            _find(data, rules, sample, nodes, node, rows, label, stat, pool, stream, found)
            if nodes.feature[node] >= 0 and (rules.zero_gain or nodes.gain[node] > tie):
                n_heap = push(keys, heap, n_heap, np.rint(nodes.gain[node] / tie), node)
            else:
                _release(nodes, node, pool)
            continue
        split_order[n_splits] = node
        n_splits += 1
        _split(data, rules, sample, nodes, node, n_nodes, rows, buffer, label, stat)
        for child in range(n_nodes, n_nodes + 2):
            if _may_split(rules, sample, nodes, child, tie):
                bound = np.rint(nodes.impurity[child] / tie) + 1.0
                n_heap = push(keys, heap, n_heap, bound, child)
        n_nodes += 2
    return n_splits


@inner
def _open_node(rules, nodes, node, parent, start, end, depth):  # type: ignore[no-untyped-def]
    nodes.start[node], nodes.end[node] = start, end
    nodes.depth[node], nodes.parent[node] = depth, parent
    nodes.left[node] = nodes.slot[node] = nodes.feature[node] = -1
    nodes.gain[node] = nodes.impurity[node] = nodes.square[node] = 0.0
    nodes.total[node, :] = 0


@inner
def _may_split(rules, sample, nodes, node, tie):  # type: ignore[no-untyped-def]
    """Whether a split of the node is worth looking for."""
    n = nodes.end[node] - nodes.start[node]
    if nodes.depth[node] >= rules.max_depth or n < 2 * rules.min_samples:
        return False
    if rules.kind == COSTS or rules.kind == TARGETS:
        return nodes.impurity[node] > tie
    weight = np.float64(_weight_of(rules, nodes.total[node]))
    if weight < 2.0 * rules.min_cases * sample.unit * (1.0 - 1e-12):
        return False
    return nodes.impurity[node] > 2.3e-16 * weight  # as scikit-learn's CART


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
def _find(  # type: ignore[no-untyped-def]
    data, rules, sample, nodes, node, rows, label, stat, pool, stream, found
):
    """Find the best split of a leaf and note it in the table."""
    slot = _histogram_of(data, rules, nodes, node, rows, label, stat, pool)
    histogram, total = pool.histogram[slot], nodes.total[node]
    least = _least_weight(rules, sample, nodes.total[0], total)
    feature, b, missing_left, gain = find_split(
        data, rules, histogram, total, rules.n_sums, nodes.impurity[node], nodes.square[node],
        sample.scale, least, sample.unit, stream, found,
    )  # fmt: skip
    nodes.feature[node] = feature
    if feature >= 0:
        last, threshold = threshold_of(
            data, rules, histogram, total, rules.n_sums, feature, b, stream
        )
        nodes.bin[node], nodes.threshold[node] = last, threshold
        nodes.missing_left[node], nodes.gain[node] = missing_left, gain
    if not rules.subtraction:
        _release(nodes, node, pool)


@stage
def _histogram_of(data, rules, nodes, node, rows, label, stat, pool):  # type: ignore[no-untyped-def]
    """Return the place in the pool where the leaf's histogram is, after building it if need be."""
    if nodes.slot[node] >= 0:
        return nodes.slot[node]
    parent = nodes.parent[node]
    whole = nodes.slot[parent] if parent >= 0 else -1
    built, other = node, node
    if whole >= 0:
        left = nodes.left[parent]
        built, other = left, left + 1
        if nodes.end[other] - nodes.start[other] < nodes.end[built] - nodes.start[built]:
            built, other = other, built
    slot = pool.free.shape[0]
    if pool.n_free[0] > 0:
        pool.n_free[0] -= 1
        slot = pool.free[pool.n_free[0]]
        nodes.slot[built] = slot
    build(
        rules.kind, data, label, stat, rows[nodes.start[built] : nodes.end[built]],
        nodes.total[built], rules.n_sums, pool.histogram[slot],
    )  # fmt: skip
    if whole >= 0:
        subtract(rules.kind, pool.histogram[whole], pool.histogram[slot], nodes.total[built])
        nodes.slot[other], nodes.slot[parent] = whole, -1
    return slot if built == node else whole


@inner
def _release(nodes, node, pool):  # type: ignore[no-untyped-def]
    """Give a leaf's histogram back to the pool."""
    if nodes.slot[node] >= 0:
        pool.free[pool.n_free[0]] = nodes.slot[node]
        pool.n_free[0] += 1
        nodes.slot[node] = -1


@stage
def _split(data, rules, sample, nodes, node, child, rows, buffer, label, stat):  # type: ignore[no-untyped-def]
    """Split a leaf into the new leaves ``child`` and ``child + 1``."""
    start, end, depth = nodes.start[node], nodes.end[node], nodes.depth[node] + 1
    j = nodes.feature[node]
    middle = start + partition(
        data.codes[j], nodes.bin[node], data.n_bins[j], nodes.missing_left[node],
        rows[start:end], buffer,
    )  # fmt: skip
    nodes.left[node] = child
    _open_node(rules, nodes, child, node, start, middle, depth)
    _open_node(rules, nodes, child + 1, node, middle, end, depth)
    small, big = (child, child + 1) if middle - start <= end - middle else (child + 1, child)
    nodes.square[small] = node_sums(
        rules, sample, rows[nodes.start[small] : nodes.end[small]], label, stat, nodes.total[small]
    )
    if rules.kind == TARGETS:  # squares are no integers: subtraction would leave a rest
        nodes.square[big] = node_sums(
            rules, sample, rows[nodes.start[big] : nodes.end[big]], label, stat, nodes.total[big]
        )
    else:
        for k in range(nodes.total.shape[1]):
            nodes.total[big, k] = nodes.total[node, k] - nodes.total[small, k]
    for leaf in (small, big):
        nodes.impurity[leaf] = impurity(
            rules.criterion, nodes.total[leaf], rules.n_sums, nodes.square[leaf]
        )


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
