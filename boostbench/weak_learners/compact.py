"""Compact histograms: of a node of few rows, only the bins that they are in.

A histogram of all bins is cleared, completed and searched at a cost that does not depend on the
rows. Deep in a tree of many leaves most bins are empty. There, the bins of the node's rows are
listed first, and the histogram has these bins only, and no feature whose rows are all in the bin
that sparse rows leave out. It is searched at once and forgotten: no histogram is subtracted from
it. The sums are the same integers, so it changes speed and memory, never a tree.
"""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner, stage


@inner
def is_cheaper(rules, data, rows, total):  # type: ignore[no-untyped-def]
    """Return whether a compact histogram is estimated to cost less than one of all bins.

    The one costs a multiple of the rows' entries; the other, all bins of the classes present.
    Compact ones are for class weights alone: samples are not counted in them, and they leave out
    bins that drawn thresholds may fall into, and features that may be drawn.
    """
    if rules.min_samples > 1 or rules.random or rules.max_features < data.n_bins.shape[0]:
        return False
    planes = 0
    for k in range(total.shape[0]):
        planes += total[k] != 0
    n_cells = np.float64(planes * data.low.shape[0])
    cost = rules.entry_cost * (rows.shape[0] * data.dense_offset.shape[0])
    if data.sparse_bins.shape[0] > 0:
        for i in range(rows.shape[0]):
            if cost >= n_cells:  # most rows of a large node need not be looked at
                break
            n_sparse = data.sparse_start[rows[i] + 1] - data.sparse_start[rows[i]]
            cost += rules.entry_cost * n_sparse
    return cost < n_cells


@stage
def build_compact(data, tree, rows, total, bins, sums):  # type: ignore[no-untyped-def]
    """Fill a compact histogram of class weights; return its numbers of bins and features.

    Parameters
    ----------
    data : BinnedData
    tree : GrowingTree
    rows : int32[m]
    total : int64[n_planes]
        Sums over the rows.
    bins : CompactBins
        Its layout, filled too.
    sums : int64[n_planes * n_bins]
        Planes of as many bins as are listed.
    """
    _mark_all(data, rows, bins)
    size, n_features = _list_marked(data.offset, data.n_bins, bins)
    for k in range(total.shape[0]):
        if total[k] != 0:
            plane = sums[k * size : (k + 1) * size]
            for b in range(size):
                plane[b] = 0
    _add(data, tree.label, tree.stat, rows, bins.place, size, sums)
    if data.sparse_features.shape[0] > 0:
        _complete(total, bins, size, n_features, sums)
    return size, n_features


@stage
def in_data(data, bins, f, b, right):  # type: ignore[no-untyped-def]
    """Return a listed feature and two of its bins as the data number them."""
    j, first = bins.feature[f], bins.offset[f]
    offset = data.offset[j]
    return j, bins.listed[first + b] - offset, bins.listed[first + right] - offset


@inner
def _mark_all(data, rows, bins):  # type: ignore[no-untyped-def]
    """Mark the bins of the rows, and those that must be listed though they may be empty."""
    marks, default = bins.marks, bins.default
    for i in range(rows.shape[0]):
        r = rows[i]
        for j in range(data.dense_offset.shape[0]):
            _mark(np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j]), marks)
        if data.sparse_bins.shape[0] > 0:
            for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
                _mark(np.uint64(data.sparse_bins[p]), marks)
    for j in range(data.n_bins.shape[0]):
        default[j] = -1
        if data.offset[j + 1] - data.offset[j] > data.n_bins[j]:
            # the first bin is a candidate even if it is empty: missing values alone go left
            _mark(np.uint64(data.offset[j]), marks)
    for s in range(data.default_bin.shape[0]):
        default[data.sparse_features[s]] = data.default_bin[s]
        _mark(np.uint64(data.default_bin[s]), marks)


@inner
def _mark(b, marks):  # type: ignore[no-untyped-def]
    marks[b >> np.uint64(6)] |= np.uint64(1) << (b & np.uint64(63))


@inner
def _list_marked(offset, n_bins, bins):  # type: ignore[no-untyped-def]
    """List the marked bins and their features; return their numbers, and clear the marks."""
    listed, place, marks = bins.listed, bins.place, bins.marks
    n = 0
    for word in range(marks.shape[0]):
        left = marks[word]
        while left != 0:
            lowest = left & (~left + np.uint64(1))
            left ^= lowest
            # a power of two is its exponent
            listed[n] = 64 * word + (np.float64(lowest).view(np.int64) >> 52) - 1023
            n += 1
        marks[word] = 0
    size, f, start, stop = 0, 0, 0, 0
    for j in range(n_bins.shape[0]):
        start = stop
        while stop < n and listed[stop] < offset[j + 1]:
            stop += 1
        if stop - start == 1 and listed[start] == bins.default[j]:
            continue
        missing = listed[stop - 1] - offset[j] == n_bins[j]
        bins.feature[f], bins.offset[f] = j, size
        bins.n_bins[f] = stop - start - missing
        f += 1
        for c in range(start, stop):
            place[listed[c]] = size
            listed[size] = listed[c]
            size += 1
    bins.offset[f] = size
    return size, f


@inner
def _add(data, label, stat, rows, place, size, sums):  # type: ignore[no-untyped-def]
    """Add each row's weight to its bins, in the plane of its label."""
    for i in range(rows.shape[0]):
        r = rows[i]
        w = stat[r, 0]
        first = np.uint64(label[r] * size)
        for j in range(data.dense_offset.shape[0]):
            b = np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j])
            sums[first + np.uint64(place[b])] += w
        if data.sparse_bins.shape[0] > 0:
            for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
                sums[first + np.uint64(place[np.uint64(data.sparse_bins[p])])] += w


@inner
def _complete(total, bins, size, n_features, sums):  # type: ignore[no-untyped-def]
    """Give the bin that sparse rows leave out what the feature's other bins leave of the total."""
    for k in range(total.shape[0]):
        if total[k] == 0:
            continue
        plane = sums[k * size : (k + 1) * size]
        for f in range(n_features):
            default = bins.default[bins.feature[f]]
            if default >= 0:
                its_bins = plane[bins.offset[f] : bins.offset[f + 1]]
                rest = total[k]
                for b in range(its_bins.shape[0]):
                    rest -= its_bins[b]
                plane[bins.place[default]] = rest
