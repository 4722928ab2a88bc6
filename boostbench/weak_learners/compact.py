"""Compact histograms: of a node of few rows, only the bins that they are in.

A histogram of all bins is cleared, completed and searched at a cost that does not depend on the
rows. Deep in a tree of many leaves most bins are empty. There, the bins of the node's rows are
listed first, and the histogram has these bins only, and no feature whose rows are all in the bin
that sparse rows leave out. It is searched at once and forgotten: no histogram is subtracted from
it. The sums are the same integers, so it changes speed and memory, never a tree.
"""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import COSTS, TARGETS
from boostbench.weak_learners.structures import Layout

#: Rows of the work arrays: of bins, those listed and where each one is; of features, the listed
#: ones, their layout, and the bin that sparse rows leave out of each feature of the data (or -1).
LISTED, PLACE = range(2)
FEATURE, OFFSET, N_BINS, DEFAULT = range(4)


@inner
def is_cheaper(data, rules, rows, total):  # type: ignore[no-untyped-def]
    """Whether a compact histogram is estimated to cost less than one of all bins.

    The one costs a multiple of the rows' entries; the other, all bins of the classes present.
    Compact ones are for class weights alone: samples are not counted in them, and drawn thresholds
    may fall into bins that they leave out.
    """
    if rules.kind == COSTS or rules.kind == TARGETS or rules.min_samples > 1 or rules.random:
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
def build_compact(  # type: ignore[no-untyped-def]
    data, label, number, rows, total, marks, bins, features, histogram
):
    """Fill a compact histogram of class weights; return its layout.

    Parameters
    ----------
    data : BinnedData
    label : int32[n]
    number : int64[n]
        Weight of each row.
    rows : int32[m]
    total : int64[n_planes]
        Sums over the rows.
    marks, bins, features : uint64[more than n_bins / 64], int32[2, n_bins], int64[4, d + 1]
        Work space; no bit of the marks is set before and after.
    histogram : int64[n_planes * n_bins]
        Planes of as many bins as are listed.
    """
    # a layout is made of arrays, which an `inner` function must not return: nothing counts them
    size, n_features = _fill(data, label, number, rows, total, marks, bins, features, histogram)
    return Layout(features[OFFSET, : n_features + 1], features[N_BINS, :n_features], size)


@inner
def _fill(  # type: ignore[no-untyped-def]
    data, label, number, rows, total, marks, bins, features, histogram
):
    """Fill a compact histogram; return its numbers of bins and features."""
    _mark_all(data, rows, marks, features)
    size, n_features = _list_marked(data, marks, bins, features)
    for k in range(total.shape[0]):
        if total[k] != 0:
            plane = histogram[k * size : (k + 1) * size]
            for b in range(size):
                plane[b] = 0
    _add(data, label, number, rows, bins[PLACE], size, histogram)
    if data.sparse_features.shape[0] > 0:
        _complete(total, bins[PLACE], features, n_features, size, histogram)
    return size, n_features


@inner
def in_data(data, bins, features, f, b, right):  # type: ignore[no-untyped-def]
    """Return a listed feature and two of its bins as the data number them."""
    j, first = features[FEATURE, f], features[OFFSET, f]
    offset = data.offset[j]
    return j, bins[LISTED, first + b] - offset, bins[LISTED, first + right] - offset


@stage
def _mark_all(data, rows, marks, features):  # type: ignore[no-untyped-def]
    """Mark the bins of the rows, and those that must be listed though they may be empty."""
    for i in range(rows.shape[0]):
        r = rows[i]
        for j in range(data.dense_offset.shape[0]):
            _mark(np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j]), marks)
        if data.sparse_bins.shape[0] > 0:
            for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
                _mark(np.uint64(data.sparse_bins[p]), marks)
    for j in range(data.n_bins.shape[0]):
        features[DEFAULT, j] = -1
        if data.offset[j + 1] - data.offset[j] > data.n_bins[j]:
            # the first bin is a candidate even if it is empty: missing values alone go left
            _mark(np.uint64(data.offset[j]), marks)
    for s in range(data.default_bin.shape[0]):
        features[DEFAULT, data.sparse_features[s]] = data.default_bin[s]
        _mark(np.uint64(data.default_bin[s]), marks)


@inner
def _mark(b, marks):  # type: ignore[no-untyped-def]
    marks[b >> np.uint64(6)] |= np.uint64(1) << (b & np.uint64(63))


@stage
def _list_marked(data, marks, bins, features):  # type: ignore[no-untyped-def]
    """List the marked bins and their features; return their numbers, and clear the marks."""
    listed, place = bins[LISTED], bins[PLACE]
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
    for j in range(data.n_bins.shape[0]):
        start = stop
        while stop < n and listed[stop] < data.offset[j + 1]:
            stop += 1
        if stop - start == 1 and listed[start] == features[DEFAULT, j]:
            continue
        missing = listed[stop - 1] - data.offset[j] == data.n_bins[j]
        features[FEATURE, f], features[OFFSET, f] = j, size
        features[N_BINS, f] = stop - start - missing
        f += 1
        for c in range(start, stop):
            place[listed[c]] = size
            listed[size] = listed[c]
            size += 1
    features[OFFSET, f] = size
    return size, f


@stage
def _add(data, label, number, rows, place, size, histogram):  # type: ignore[no-untyped-def]
    """Add each row's number to its bins, in the plane of its label."""
    for i in range(rows.shape[0]):
        r = rows[i]
        w = number[r]
        plane = np.uint64(label[r] * size)
        for j in range(data.dense_offset.shape[0]):
            b = np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j])
            histogram[plane + np.uint64(place[b])] += w
        if data.sparse_bins.shape[0] > 0:
            for p in range(data.sparse_start[r], data.sparse_start[r + 1]):
                histogram[plane + np.uint64(place[np.uint64(data.sparse_bins[p])])] += w


@stage
def _complete(total, place, features, n_features, size, histogram):  # type: ignore[no-untyped-def]
    """Give the bin that sparse rows leave out what the feature's other bins leave of the total."""
    for k in range(total.shape[0]):
        if total[k] == 0:
            continue
        plane = histogram[k * size : (k + 1) * size]
        for f in range(n_features):
            default = features[DEFAULT, features[FEATURE, f]]
            if default >= 0:
                its_bins = plane[features[OFFSET, f] : features[OFFSET, f + 1]]
                rest = total[k]
                for b in range(its_bins.shape[0]):
                    rest -= its_bins[b]
                plane[place[default]] = rest
