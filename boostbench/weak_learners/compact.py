"""Compact histograms of nodes with few rows: only the occupied bins are stored.

The cost of clearing, completing and searching a full histogram does not depend on the number of
rows. Deep in a tree of many leaves most bins are empty. There, the bins of the rows of the node are
listed first, and the histogram consists of these bins only, without the features whose rows are all
in the bin that sparse rows leave out. A compact histogram is searched at once and discarded; it
takes no part in subtractions. It holds class weights only: it does not count samples, and it leaves
out bins that drawn thresholds may fall into and features that may be drawn. The sums are the same
integers, so compact histograms affect speed and memory, never the trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boostbench.compiled import inner, stage
from boostbench.weak_learners.histograms import AHEAD, add, entries, fetch, n_ahead


def most_rows(rules: Any, data: Any, n_planes: int) -> Any:
    """Return below how many rows a compact histogram is estimated to cost less than a full one.

    The estimate for a compact histogram is a multiple of the number of entries of mean rows; for a
    full one, the number of bins times the number of classes present, `n_planes`.
    """
    entries_of_row = data.dense_offset.shape[0] + data.sparse_bins.shape[0] / data.codes.shape[1]
    return n_planes * data.low.shape[0] / (rules.entry_cost * max(entries_of_row, 1.0))


_most_rows = inner(most_rows)  # for kernels


@inner
def is_cheaper(rules, data, n_rows, total):  # type: ignore[no-untyped-def]
    """Return whether a compact histogram of a node is estimated to cost less than a full one."""
    planes = 0
    for k in range(total.shape[0]):
        planes += total[k] != 0
    return n_rows < _most_rows(rules, data, planes)


@stage
def build_compact(data, share, tree, rows, total, bins, sums):  # type: ignore[no-untyped-def]
    """Fill a compact histogram of class weights; return its number of bins and last feature + 1.

    The histogram numbers its features from ``share.first`` on.

    Parameters
    ----------
    data : BinnedData
    share : Share
    tree : GrowingTree
    rows : int32[m]
    total : int64[n_planes]
        Sums over the rows.
    bins : CompactBins
        Layout of the histogram; written.
    sums : int64[n_planes * n_bins]
        Planes of as many sums as there are listed bins; written.
    """
    _mark_all(data, share, rows, bins)
    size, end = _list_marked(data.offset, data.n_bins, share, bins)
    for k in range(total.shape[0]):
        if total[k] != 0:
            plane = sums[k * size : (k + 1) * size]
            for b in range(size):
                plane[b] = 0
    add(data, share, tree.label, size, tree.stat[:, 0], None, bins.place, rows, sums)
    if share.sparse < share.sparse_end:
        _complete(total, share, bins, size, end, sums)
    return size, end


@stage
def in_data(data, bins, f, b, right):  # type: ignore[no-untyped-def]
    """Convert a feature of a compact histogram and two of its bins to the numbers of the data."""
    j, first = bins.feature[f], bins.offset[f]
    offset = data.offset[j]
    return j, bins.listed[first + b] - offset, bins.listed[first + right] - offset


@inner
def _mark_all(data, share, rows, bins):  # type: ignore[no-untyped-def]
    """Mark the bins of the rows, and the bins that are listed even if empty."""
    marks, default, sparse = bins.marks, bins.default, share.sparse < share.sparse_end
    dense, n_dense = np.uint64(share.dense), share.dense_end - share.dense
    n_fetched = n_ahead(data, rows.shape[0])
    for i in range(rows.shape[0]):
        if i < n_fetched:
            fetch(data, share, rows[i + AHEAD])
        r = rows[i]
        for c in range(n_dense):
            j = dense + np.uint64(c)
            _mark(np.uint64(data.dense_offset[j]) + np.uint64(data.dense_codes[r, j]), marks)
        if sparse:
            first, end = entries(data, share.part, share.stop, r)
            for p in range(first, end):
                _mark(np.uint64(data.sparse_bins[p]), marks)
    for feature in range(share.first, share.end):
        default[feature] = -1
        if data.offset[feature + 1] - data.offset[feature] > data.n_bins[feature]:
            # the first bin is a candidate even if empty: only missing values go left
            _mark(np.uint64(data.offset[feature]), marks)
    for s in range(share.sparse, share.sparse_end):
        default[data.sparse_features[s]] = data.default_bin[s]
        _mark(np.uint64(data.default_bin[s]), marks)


@inner
def _mark(b, marks):  # type: ignore[no-untyped-def]
    marks[b >> np.uint64(6)] |= np.uint64(1) << (b & np.uint64(63))


@inner
def _list_marked(offset, n_bins, share, bins):  # type: ignore[no-untyped-def]
    """List the marked bins and their features; return the number of bins and last feature + 1.

    The marks are cleared.
    """
    listed, place, marks = bins.listed, bins.place, bins.marks
    n = np.uint64(0)  # unsigned, so that no checks for negative indices are compiled
    for word in range(offset[share.first] >> 6, (offset[share.end] + 63) >> 6):
        left = marks[word]
        while left != 0:
            lowest = left & (~left + np.uint64(1))
            left ^= lowest
            # the exponent of a power of two is the number of its bit
            listed[n] = 64 * word + (np.float64(lowest).view(np.int64) >> 52) - 1023
            n += np.uint64(1)
        marks[word] = 0
    size, f, c = np.uint64(0), share.first, np.uint64(0)
    for j in range(share.first, share.end):
        start, stop = size, offset[j + 1]
        while c < n and listed[c] < stop:
            listed[size] = listed[c]
            place[np.uint64(listed[c])] = size
            size += np.uint64(1)
            c += np.uint64(1)
        if size - start == 1 and listed[start] == bins.default[j]:
            size = start
            continue
        missing = listed[size - np.uint64(1)] - offset[j] == n_bins[j]
        bins.feature[f], bins.offset[f] = j, start
        bins.n_bins[f] = size - start - np.uint64(missing)
        f += 1
    bins.offset[f] = size
    return np.int64(size), f


@inner
def _complete(total, share, bins, size, end, sums):  # type: ignore[no-untyped-def]
    """Fill the left-out bin of each sparse feature: the total less the sums of the other bins."""
    for k in range(total.shape[0]):
        if total[k] == 0:
            continue
        plane = sums[k * size : (k + 1) * size]
        for f in range(share.first, end):
            default = bins.default[bins.feature[f]]
            if default >= 0:
                its_bins = plane[bins.offset[f] : bins.offset[f + 1]]
                rest = total[k]
                for b in range(its_bins.shape[0]):
                    rest -= its_bins[b]
                plane[bins.place[default]] = rest
