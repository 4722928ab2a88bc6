"""Histograms: the sums of a node's rows in every bin of every feature.

A histogram is one flat array of int64. Label and target statistics are stored plane after plane (a
plane holds one sum for all bins), so that a scan over the bins of a feature is a vector operation;
costs are stored bin after bin, so that adding a row's costs is one. An optional last plane counts
samples. The plane of a class that no row of the node has is left as it is, and must not be read.
"""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner
from boostbench.weak_learners.criteria import COSTS


@inner
def build_labels(rules, data, tree, rows, total, sums):  # type: ignore[no-untyped-def]
    """Fill the histogram of weights per class of the given rows.

    Parameters
    ----------
    rules : GrowthRules
    data : BinnedData
    tree : GrowingTree
        Its labels and statistics are added.
    rows : int32[m]
    total : int64[n_planes]
        Sums over the rows; the count of samples last, if it is asked for.
    sums : int64[n_planes * n_bins]
    """
    _clear(rules.kind, total, data.low.shape[0], sums)
    add(data, tree.label, tree.stat[:, 0], rows, sums)
    if total.shape[0] > rules.n_sums:
        _count(data, tree.stat[:, 1], rows, sums[rules.n_sums * data.low.shape[0] :])
    _complete(rules.kind, data, total, sums)


@inner
def build_costs(rules, data, tree, rows, total, sums):  # type: ignore[no-untyped-def]
    """Fill the histogram of costs and samples; see `build_labels`."""
    _clear(rules.kind, total, data.low.shape[0], sums)
    _add_costs(data, tree.stat, rows, total.shape[0], sums)
    _complete(rules.kind, data, total, sums)


@inner
def build_targets(rules, data, tree, rows, total, sums):  # type: ignore[no-untyped-def]
    """Fill the histogram of targets and weights; see `build_labels`."""
    _clear(rules.kind, total, data.low.shape[0], sums)
    _add_targets(data, tree.stat, rows, total.shape[0] > rules.n_sums, sums)
    _complete(rules.kind, data, total, sums)


@inner
def _has_plane(kind, total, k):  # type: ignore[no-untyped-def]
    """Return whether a plane is filled: those of absent classes are not."""
    return total[k] != 0 or kind >= COSTS  # costs or targets


@inner
def _clear(kind, total, n_bins, sums):  # type: ignore[no-untyped-def]
    for k in range(total.shape[0]):
        if _has_plane(kind, total, k):
            plane = sums[k * n_bins : (k + 1) * n_bins]
            for b in range(n_bins):
                plane[b] = 0


@inner
def add(data, label, number, rows, histogram):  # type: ignore[no-untyped-def]
    """Add each row's number to its bins, in the plane of its label."""
    n_dense = data.dense_offset.shape[0]
    n_bins = data.low.shape[0]
    sparse = data.sparse_bins.shape[0] > 0
    for i in range(rows.shape[0]):
        r = rows[i]
        w = number[r]
        plane = label[r] * n_bins
        for j in range(n_dense):
            b = np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j])
            histogram[np.uint64(plane) + b] += w
        if sparse:
            for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
                histogram[np.uint64(plane) + np.uint64(data.sparse_bins[p])] += w


@inner
def _add_targets(data, stat, rows, counted, histogram):  # type: ignore[no-untyped-def]
    """Add each row's target, weight and samples to its bins."""
    n_bins = data.low.shape[0]
    target, weight = histogram[:n_bins], histogram[n_bins : 2 * n_bins]
    count = histogram[2 * n_bins :]
    for i in range(rows.shape[0]):
        r = rows[i]
        s, w = stat[r, 0], stat[r, 1]
        samples = stat[r, 2] if counted else np.int64(0)
        for j in range(data.dense_offset.shape[0]):
            b = np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j])
            target[b] += s
            weight[b] += w
            if counted:
                count[b] += samples
        for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
            b = np.uint64(data.sparse_bins[p])
            target[b] += s
            weight[b] += w
            if counted:
                count[b] += samples


@inner
def _count(data, samples, rows, plane):  # type: ignore[no-untyped-def]
    """Add each row's samples to its bins."""
    for i in range(rows.shape[0]):
        r = rows[i]
        for j in range(data.dense_offset.shape[0]):
            b = np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j])
            plane[b] += samples[r]
        for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
            plane[np.uint64(data.sparse_bins[p])] += samples[r]


@inner
def _add_costs(data, stat, rows, q, histogram):  # type: ignore[no-untyped-def]
    """Add each row's costs (and its samples) to its bins."""
    for i in range(rows.shape[0]):
        r = rows[i]
        costs = stat[r]
        for j in range(data.dense_offset.shape[0]):
            first = (np.int64(data.dense_offset[j]) + np.int64(data.dense_codes[r, j])) * q
            cell = histogram[first : first + q]
            for k in range(q):
                cell[k] += costs[k]
        for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
            first = np.int64(data.sparse_bins[p]) * q
            cell = histogram[first : first + q]
            for k in range(q):
                cell[k] += costs[k]


@inner
def _complete(kind, data, total, sums):  # type: ignore[no-untyped-def]
    """Give the most frequent bin of each sparse feature what the other bins leave of the total."""
    bin_step, plane_step = 1, data.low.shape[0]
    if kind == COSTS:
        bin_step, plane_step = total.shape[0], 1
    for s in range(data.sparse_features.shape[0]):
        j = data.sparse_features[s]
        for k in range(total.shape[0]):
            if _has_plane(kind, total, k):
                rest = total[k]
                for b in range(data.offset[j], data.offset[j + 1]):
                    rest -= sums[b * bin_step + k * plane_step]
                sums[data.default_bin[s] * bin_step + k * plane_step] = rest


@inner
def subtract(kind, sums, part, part_total):  # type: ignore[no-untyped-def]
    """Turn the histogram of a node into that of one child, given the other's and its sums."""
    size = sums.shape[0] // part_total.shape[0]
    for k in range(part_total.shape[0]):
        if _has_plane(kind, part_total, k):
            plane, other = sums[k * size : (k + 1) * size], part[k * size : (k + 1) * size]
            for b in range(size):
                plane[b] -= other[b]
