"""Histograms: the sums of a node's rows in every bin of every feature.

A histogram is one flat array of int64. Label and target statistics are stored plane after plane (a
plane holds one sum for all bins), so that a scan over the bins of a feature is a vector operation;
costs are stored bin after bin, so that adding a row's costs is one. An optional last plane counts
samples. The plane of a class that no row of the node has is left as it is, and must not be read.
"""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import COSTS, TARGETS


@inner
def build(kind, data, label, stat, rows, total, n_sums, histogram):  # type: ignore[no-untyped-def]
    """Fill the histogram of the given rows, whose sums are ``total``.

    Parameters
    ----------
    kind : int
    data : BinnedData
    label : int32[n]
        Class of each row, for label statistics.
    stat : int64[n, q]
        Weight; costs; or weighted target and weight; then the samples, if they are counted.
    rows : int32[m]
    total : int64[n_planes]
        Sums over the rows; the count of samples last, if it is asked for.
    n_sums : int
        Number of sums without the count.
    histogram : int64[n_planes * n_bins]
    """
    counted = total.shape[0] > n_sums
    n_bins = data.low.shape[0]
    for k in range(total.shape[0]):
        if total[k] != 0 or kind in (COSTS, TARGETS):
            histogram[k * n_bins : (k + 1) * n_bins] = 0
    if kind == COSTS:
        _add_costs(data, stat, rows, total.shape[0], histogram)
    elif kind == TARGETS:
        _add_targets(data, stat, rows, counted, histogram)
    else:
        _add(data, label, stat[:, 0], rows, histogram)
        if counted:
            _count(data, stat[:, 1], rows, histogram[n_sums * n_bins :])
    if data.sparse_features.shape[0]:
        by_bin = kind == COSTS
        bin_step, plane_step = (total.shape[0], 1) if by_bin else (1, n_bins)
        labelled = kind not in (COSTS, TARGETS)
        _complete(data, total, labelled, bin_step, plane_step, histogram)


@inner
def _add(data, label, number, rows, histogram):  # type: ignore[no-untyped-def]
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


@stage
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


@stage
def _count(data, samples, rows, plane):  # type: ignore[no-untyped-def]
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
def _complete(data, total, labelled, bin_step, plane_step, histogram):  # type: ignore[no-untyped-def]
    """Give the most frequent bin of each sparse feature what the other bins leave of the total."""
    for s in range(data.sparse_features.shape[0]):
        j = data.sparse_features[s]
        for k in range(total.shape[0]):
            if labelled and total[k] == 0:
                continue
            rest = total[k]
            for b in range(data.offset[j], data.offset[j + 1]):
                rest -= histogram[b * bin_step + k * plane_step]
            histogram[data.default_bin[s] * bin_step + k * plane_step] = rest


@inner
def subtract(kind, histogram, part, part_total):  # type: ignore[no-untyped-def]
    """Turn the histogram of a node into that of one child, given the other's and its sums."""
    size = histogram.shape[0] // part_total.shape[0]
    for k in range(part_total.shape[0]):
        if part_total[k] != 0 or kind in (COSTS, TARGETS):
            plane, other = histogram[k * size : (k + 1) * size], part[k * size : (k + 1) * size]
            for b in range(size):
                plane[b] -= other[b]
