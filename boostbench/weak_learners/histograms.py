"""Histograms: sums of the statistics of the rows of a node in every bin of every feature.

A histogram is one flat array of int64. Label and target statistics are stored plane by plane (a
plane holds one statistic for all bins), so that a scan over the bins of a feature is a vector
operation. Costs are stored bin by bin, so that the addition of the costs of a row is a vector
operation. An optional last plane counts samples. The planes of classes that are absent from a node
are neither cleared nor filled, and must not be read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boostbench.compiled import inner, prefetch
from boostbench.weak_learners.criteria import COSTS

#: Largest number of codes that are assumed to stay in the cache.
_IN_CACHE = 1 << 20
#: Largest mean distance, in bytes, between the rows of a node that the processor itself fetches.
_NEAR = 128
#: Number of rows between the row added to a histogram and the row whose codes are fetched.
AHEAD = 4


class Share(NamedTuple):
    """Ranges of all, dense and sparse features in the parts ``part..stop-1`` of the features."""

    part: int
    stop: int
    first: int
    end: int
    dense: int
    dense_end: int
    sparse: int
    sparse_end: int


@inner
def share_of(data, part, stop):  # type: ignore[no-untyped-def]
    """Return the ranges of features in the parts ``part..stop-1``."""
    a, b = data.cuts[part], data.cuts[stop]
    return Share(part, stop, a[0], b[0], a[1], b[1], a[2], b[2])


@inner
def entries(data, part, stop, r):  # type: ignore[no-untyped-def]
    """Return the range of the sparse bins of a row in parts that have sparse features."""
    start, n_parts = data.sparse_start, np.uint64(data.cuts.shape[0] - 1)
    first = start[np.uint64(r) * n_parts + np.uint64(part)]
    end = start[np.uint64(r) * n_parts + np.uint64(stop)]
    return np.uint64(first), np.uint64(end)


@inner
def n_ahead(data, n_rows):  # type: ignore[no-untyped-def]
    """Return for how many rows of a node, from the first on, the codes of a later row are fetched.

    None are if the codes are in the cache, or the rows of the node are near each other.
    """
    n_bytes = data.dense_codes.size + 4 * data.sparse_bins.shape[0]
    if data.codes.size <= _IN_CACHE or n_bytes <= _NEAR * n_rows:
        return 0
    return n_rows - AHEAD


@inner
def fetch(data, share, r):  # type: ignore[no-untyped-def]
    """Fetch the codes of a later row into the cache; those of the rows of a node are scattered."""
    r = np.int64(r)
    for j in range(share.dense, share.dense_end, 64):  # bytes of a cache line
        prefetch(data.dense_codes, r * data.dense_codes.shape[1] + j)
    if data.sparse_bins.shape[0] >= 16 * data.codes.shape[1]:  # a cache line per row, or more
        first, end = entries(data, share.part, share.stop, r)
        for p in range(np.int64(first), np.int64(end), 16):
            prefetch(data.sparse_bins, p)


@inner
def build_labels(rules, data, share, tree, rows, total, sums):  # type: ignore[no-untyped-def]
    """Fill the histogram of the weights per class of the given rows, for some features.

    Parameters
    ----------
    rules : GrowthRules
    data : BinnedData
    share : Share
    tree : GrowingTree
        Provides the labels and statistics of the rows.
    rows : int32[m]
    total : int64[n_planes]
        Sums over the rows; the number of samples last, if samples are counted.
    sums : int64[n_planes * n_bins]
        The histogram; written.
    """
    _clear(rules.kind, data, share, total, sums)
    n_bins, label, stat = data.low.shape[0], tree.label, tree.stat
    add(data, share, label, n_bins, stat[:, 0], None, None, rows, sums)
    if total.shape[0] > rules.n_sums:
        counts = sums[rules.n_sums * n_bins :]
        add(data, share, label, 0, stat[:, 1], None, None, rows, counts)
    _complete(rules.kind, data, share, total, sums)


@inner
def build_costs(rules, data, share, tree, rows, total, sums):  # type: ignore[no-untyped-def]
    """Fill the histogram of costs and samples; see `build_labels`."""
    _clear(rules.kind, data, share, total, sums)
    _add_costs(data, share, tree.stat, rows, total.shape[0], sums)
    _complete(rules.kind, data, share, total, sums)


@inner
def build_targets(rules, data, share, tree, rows, total, sums):  # type: ignore[no-untyped-def]
    """Fill the histogram of targets and weights; see `build_labels`."""
    _clear(rules.kind, data, share, total, sums)
    label, stat = tree.label, tree.stat
    add(data, share, label, 0, stat[:, 0], stat[:, 1], None, rows, sums)
    if total.shape[0] > rules.n_sums:
        counts = sums[rules.n_sums * data.low.shape[0] :]
        add(data, share, label, 0, stat[:, 2], None, None, rows, counts)
    _complete(rules.kind, data, share, total, sums)


@inner
def has_plane(kind, total, k):  # type: ignore[no-untyped-def]
    """Return whether a plane is in use; the planes of absent classes are not."""
    return total[k] != 0 or kind >= COSTS  # costs or targets


@inner
def _plane(kind, data, share, total, k):  # type: ignore[no-untyped-def]
    """Return the range of the sums of some features: in plane k, or all sums for costs."""
    start, stop = data.offset[share.first], data.offset[share.end]
    if kind == COSTS:
        return start * total.shape[0], stop * total.shape[0]
    return k * data.low.shape[0] + start, k * data.low.shape[0] + stop


@inner
def _clear(kind, data, share, total, sums):  # type: ignore[no-untyped-def]
    for k in range(total.shape[0] if kind != COSTS else 1):
        if has_plane(kind, total, k):
            start, stop = _plane(kind, data, share, total, k)
            plane = sums[start:stop]
            for b in range(plane.shape[0]):
                plane[b] = 0


@inner
def add(  # type: ignore[no-untyped-def]
    data, share, label, size, number, second, place, rows, sums
):
    """Add the number of each row to its bins.

    Parameters
    ----------
    data : BinnedData
    share : Share
    label : int32[n]
    size : int
        Size of the planes, of which a row adds to that of its label; 0 for a single plane.
    number : int64[n]
    second : int64[n] or None
        Numbers to add to a second plane, if the size is 0.
    place : int32[n_bins] or None
        Place of each bin in a compact histogram; None if all bins have places.
    rows : uint32[m]
    sums : int64[n_planes * n_bins]
        Changed.
    """
    if share.dense < share.dense_end:
        _add_dense(data, share, label, size, number, second, place, rows, sums)
    if share.sparse < share.sparse_end:
        _add_sparse(data, share, label, size, number, second, place, rows, sums)


@inner
def _add_dense(  # type: ignore[no-untyped-def]
    data, share, label, size, number, second, place, rows, sums
):
    """Add to the dense bins, two rows at a time, so that offsets are read half as often."""
    dense, n_dense = np.uint64(share.dense), share.dense_end - share.dense
    n_bins, n_rows = np.uint64(data.low.shape[0]), rows.shape[0]
    n_fetched = n_ahead(data, n_rows)
    for i in range(0, n_rows, 2):
        if i < n_fetched - 1:
            fetch(data, share, rows[i + AHEAD])
            fetch(data, share, rows[i + AHEAD + 1])
        is_pair = i + 1 < n_rows  # else the last row is paired with itself, and adds 0
        r, s = rows[i], rows[i + is_pair]
        w, v = number[r], number[s] * is_pair
        plane, its_plane = np.uint64(label[r] * size), np.uint64(label[s] * size)
        if second is not None:
            other, its_other = second[r], second[s] * is_pair
        for c in range(n_dense):
            j = dense + np.uint64(c)
            offset = np.uint64(data.dense_offset[j])
            a = offset + np.uint64(data.dense_codes[r, j])
            b = offset + np.uint64(data.dense_codes[s, j])
            if place is not None:
                a, b = np.uint64(place[a]), np.uint64(place[b])
            sums[plane + a] += w
            sums[its_plane + b] += v
            if second is not None:
                sums[n_bins + a] += other
                sums[n_bins + b] += its_other


@inner
def _add_sparse(  # type: ignore[no-untyped-def]
    data, share, label, size, number, second, place, rows, sums
):
    """Add to the sparse bins, which `_add_dense` has fetched if there are dense ones."""
    n_bins, n_fetched = np.uint64(data.low.shape[0]), n_ahead(data, rows.shape[0])
    fetched = share.dense == share.dense_end
    for i in range(rows.shape[0]):
        if fetched and i < n_fetched:
            fetch(data, share, rows[i + AHEAD])
        r = rows[i]
        w, plane = number[r], np.uint64(label[r] * size)
        if second is not None:
            other = second[r]
        first, end = entries(data, share.part, share.stop, r)
        for p in range(first, end):
            b = np.uint64(data.sparse_bins[p])
            if place is not None:
                b = np.uint64(place[b])
            sums[plane + b] += w
            if second is not None:
                sums[n_bins + b] += other


@inner
def _add_costs(data, share, stat, rows, q, histogram):  # type: ignore[no-untyped-def]
    """Add the costs and samples of each row to its bins."""
    for i in range(rows.shape[0]):
        r = rows[i]
        costs = stat[r]
        for j in range(share.dense, share.dense_end):
            place = (np.int64(data.dense_offset[j]) + np.int64(data.dense_codes[r, j])) * q
            cell = histogram[place : place + q]
            for k in range(q):
                cell[k] += costs[k]
        if share.sparse < share.sparse_end:
            first, end = entries(data, share.part, share.stop, r)
            for p in range(first, end):
                place = np.int64(data.sparse_bins[p]) * q
                cell = histogram[place : place + q]
                for k in range(q):
                    cell[k] += costs[k]


@inner
def _complete(kind, data, share, total, sums):  # type: ignore[no-untyped-def]
    """Fill the most frequent bin of each sparse feature: the total less the other bins."""
    bin_step, plane_step = 1, data.low.shape[0]
    if kind == COSTS:
        bin_step, plane_step = total.shape[0], 1
    for s in range(share.sparse, share.sparse_end):
        j = data.sparse_features[s]
        for k in range(total.shape[0]):
            if has_plane(kind, total, k):
                rest = total[k]
                for b in range(data.offset[j], data.offset[j + 1]):
                    rest -= sums[np.uint64(b * bin_step + k * plane_step)]
                sums[data.default_bin[s] * bin_step + k * plane_step] = rest


@inner
def subtract(kind, data, share, sums, part, part_total):  # type: ignore[no-untyped-def]
    """Turn the histogram of a node into that of a child, given histogram and sums of the other."""
    for k in range(part_total.shape[0] if kind != COSTS else 1):
        if has_plane(kind, part_total, k):
            start, stop = _plane(kind, data, share, part_total, k)
            plane, other = sums[start:stop], part[start:stop]
            for b in range(plane.shape[0]):
                plane[b] -= other[b]
