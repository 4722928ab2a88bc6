"""Binning: conversion of the features of the training rows to small integers, once per fit.

A feature with at most `max_bins` distinct values gets one bin per value, so that a tree on bins
equals a tree on values. Other features get bins of about equal numbers of samples, or of equal
width. Missing values get a separate bin, the last one of the feature.

The codes are stored twice. Splits read them by column, to send the rows of a leaf left or right.
Histograms read them by row: the weight of a row is loaded once, and its additions go to different
bins, so that no addition waits for another. The copy by row leaves out the most frequent bin of
each sparse feature; the sums of this bin follow from those of the node (exactly, because sums are
integers).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from boostbench.compiled import kernel
from boostbench.threads import in_parts, n_threads

#: Features whose most frequent bin holds at least this share of the rows are stored sparsely. An
#: entry of a sparse row costs four bytes and a separate loop iteration.
SPARSE_SHARE = 0.6
#: Bytes of the columns that all threads together copy at a time; for a million rows, a cache line
#: of each row.
_BLOCK_BYTES = 2**26
#: Largest number of columns that a thread copies at a time; copies of more leave the cache before
#: they are read.
_BLOCK_COLUMNS = 32
#: Number of values that are encoded together.
_TOGETHER = 256
#: Largest number of distinct values that are found without sorting: that of a byte.
_FEW = 256


class BinnedData(NamedTuple):
    """Binned training rows.

    Attributes
    ----------
    codes : ndarray of uint8, shape (d, n)
        Bin of each row within each feature.
    offset : ndarray of int64, shape (d + 1,)
        Bin b of feature j is the global bin ``offset[j] + b``.
    n_bins : ndarray of int64, shape (d,)
        Number of bins of present values; a bin of missing values, if any, follows.
    low, high : ndarray of float64, shape (offset[d],)
        Smallest and largest training value of each global bin; NaN for missing values.
    dense_codes : ndarray of uint8, shape (n, n_dense)
        Codes of the features that are not sparse, by row.
    dense_offset : ndarray of uint32, shape (n_dense,)
        First global bin of each dense feature.
    cuts : ndarray of int64, shape (n_parts + 1, 3)
        First feature, first dense feature and first sparse feature of each part of the features
        that threads share.
    sparse_start : ndarray of int64, shape (n_parts * n + 1,), or (1,) without sparse features
        With ``p = n_parts * i + part``, ``sparse_bins[sparse_start[p]:sparse_start[p + 1]]`` are
        the entries of row i in a part of the features.
    sparse_bins : ndarray of uint32, shape (n_entries,)
        Global bins of the sparse features, without the most frequent bin of each.
    sparse_features : ndarray of int64, shape (n_sparse,)
        Indices of the sparse features.
    default_bin : ndarray of int64, shape (n_sparse,)
        Most frequent global bin of each sparse feature.
    samples : ndarray of int64, shape (1 or n_trees, n), or (1, 1) if all numbers are 1
        Number of samples that each row represents; one row per tree if the demand gives counts.
    has_missing : bool
        Whether any feature has a bin of missing values.
    """

    codes: NDArray[np.uint8]
    offset: NDArray[np.int64]
    n_bins: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    dense_codes: NDArray[np.uint8]
    dense_offset: NDArray[np.uint32]
    cuts: NDArray[np.int64]
    sparse_start: NDArray[np.int64]
    sparse_bins: NDArray[np.uint32]
    sparse_features: NDArray[np.int64]
    default_bin: NDArray[np.int64]
    samples: NDArray[np.int64]
    has_missing: bool

    @property
    def n_rows(self) -> int:
        """Number n of training rows."""
        return int(self.codes.shape[1])

    @property
    def n_features(self) -> int:
        """Number d of features."""
        return int(self.codes.shape[0])

    @property
    def n_parts(self) -> int:
        """Number of parts of the features that threads share."""
        return len(self.cuts) - 1


def bin_features(
    X: Any,
    rows: NDArray[np.intp] | None = None,
    count: NDArray[np.int64] | None = None,
    max_bins: int = 255,
    sparse_share: float = SPARSE_SHARE,
    edges: str | None = None,
) -> BinnedData:
    """Bin the features of training rows.

    Parameters
    ----------
    X : ndarray of float64 or sparse matrix, shape (n_samples, d)
        NaN is a missing value. Columns of a sparse matrix become dense a few at a time.
    rows : ndarray of intp, shape (n,), optional
        Samples to take, in this order; all samples by default.
    count : ndarray of int64, shape (n,), optional
        Number of samples, at least 1, that each row represents; 1 by default.
    max_bins : int, default=255
        Largest number of bins of present values per feature, 2..255.
    sparse_share : float, default=0.6
        Smallest share of rows in the most frequent bin of a feature that is stored sparsely; no
        feature is if above 1. Affects speed and memory, never the trees.
    edges : {"feature", "global"} or None, default=None
        Whether ``max_bins`` bins of equal width cut the range of each feature or the common range
        of all features; None for bins of equal numbers of samples.

    Returns
    -------
    BinnedData

    Examples
    --------
    >>> data = bin_features(np.array([[1.0], [3.0], [np.nan], [3.0]]))
    >>> data.codes.tolist(), data.n_bins.tolist(), data.high.tolist()
    ([[0, 1, 2, 1]], [2], [1.0, 3.0, nan])
    """
    rows = np.arange(X.shape[0]) if rows is None else rows
    n, d = len(rows), X.shape[1]
    repeated = None if count is None or count.max(initial=1) == 1 else count
    if issparse(X):
        X = X[rows].tocsc()
    extremes = _extremes(X.data if issparse(X) else X[rows]) if edges == "global" else None
    codes = np.empty((d, n), dtype=np.uint8)
    n_jobs = n_threads(codes.size)
    lows, highs = [np.empty(0)] * d, [np.empty(0)] * d
    n_bins, frequent, its_rows = np.empty((3, d), dtype=np.int64)
    width = min(max(1, _BLOCK_BYTES // (8 * max(n, 1) * n_jobs)), _BLOCK_COLUMNS)

    def bin_part(part: slice) -> None:
        first = np.empty(_TOGETHER, dtype=np.int32)
        table, found = np.empty(4 * _FEW, dtype=np.int16), np.empty((2, _FEW))
        numbers, numbered = np.empty(n, dtype=np.int16), np.empty((2, _FEW + 1), dtype=np.int64)
        columns = np.empty((min(width, part.stop - part.start), n))
        for j in range(part.start, part.stop):
            taken = (j - part.start) % len(columns)
            if taken == 0:
                some = columns[: part.stop - j]
                if issparse(X):
                    X[:, j : j + len(some)].toarray(out=some.T)
                else:
                    _take(X, rows, j, some)
            column = columns[taken]
            few = _number(column, table, found, numbers, numbered) if edges is None else -1
            counts = numbered[1, : few + 1]
            if 0 <= few <= max_bins:
                low = high = found[1, :few].copy()
                codes[j] = numbers
            elif few >= 0:
                samples = np.bincount(numbers, repeated)[:few].astype(np.int64)
                low, high = _even_bins(found[1, :few], samples, max_bins)
                bins = np.append(np.searchsorted(high, found[1, :few]), len(high))
                codes[j] = bins.astype(np.uint8)[numbers]
            else:
                if edges is not None:
                    low, high = _equal_bins(extremes or _extremes(column), max_bins)
                else:
                    low, high = _even_bins(*_count_values(column, repeated), max_bins)
                _encode(column, high, codes[j], first)
            if not 0 <= few <= max_bins:
                counts = np.bincount(codes[j], minlength=_FEW)
            n_bins[j], frequent[j] = len(low), counts.argmax()  # the first of several
            its_rows[j] = counts[frequent[j]]
            missing = counts[len(low)] > 0
            lows[j] = np.append(low, np.nan) if missing else low
            highs[j] = np.append(high, np.nan) if missing else high

    in_parts(bin_part, d, codes.size)
    offset = np.concatenate([[0], np.cumsum([len(low) for low in lows])]).astype(np.int64)
    share = its_rows / max(n, 1)
    rowwise = _rows_of(codes, offset, frequent, share, sparse_share, min(n_jobs, max(d, 1)))
    low, high = np.concatenate(lows), np.concatenate(highs)
    samples = np.ones((1, 1), dtype=np.int64) if repeated is None else repeated[None, :]
    has_missing = bool(offset[-1] > n_bins.sum())
    return BinnedData(
        codes, offset, n_bins, low, high, **rowwise, samples=samples, has_missing=has_missing
    )


def _count_values(
    column: NDArray[np.float64], count: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct present values in order, and the number of samples of each."""
    values = np.sort(column)
    values = values[: len(values) - np.count_nonzero(np.isnan(values))]
    first = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    if count is None:
        return values[first], np.diff(np.append(first, len(values)))
    return values[first], np.add.reduceat(count[np.argsort(column)[: len(values)]], first)


def _even_bins(
    distinct: NDArray[np.float64], counts: NDArray[np.int64], max_bins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the smallest and the largest value of each bin, for more distinct values than bins."""
    starts = np.empty(max_bins, dtype=np.int64)
    starts = starts[: _even_groups(counts, starts)]
    return distinct[starts], distinct[np.append(starts[1:], len(distinct)) - 1]


def _extremes(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the smallest and the largest value; NaN if all are missing."""
    return np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)


def _equal_bins(
    extremes: tuple[float, float], n_bins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and upper edges of bins of equal width.

    There are fewer bins than asked for if the range has too few distinct floats. Thresholds must be
    edges, so the lower edge of a bin equals the upper edge of the previous one.
    """
    low, high = extremes
    if not low < high:
        only = np.array([low] if low == high else [])
        return only, only
    share = np.arange(n_bins + 1) / n_bins
    edges = np.unique(np.clip(low * (1.0 - share) + high * share, low, high))
    return edges[:-1], edges[1:]


@kernel
def _even_groups(counts, starts):  # type: ignore[no-untyped-def]
    """Write the starts of groups of values with about equal counts; return the number of groups.

    A group is closed once it holds an equal share of the remaining samples, so that a frequent
    value does not make later groups small.
    """
    n_groups, left = starts.shape[0], np.int64(0)
    for value in range(counts.shape[0]):
        left += counts[value]
    n = 0
    filled = 0
    share = 0.0
    for value in range(counts.shape[0]):
        if filled == 0:
            starts[n] = value
            share = left / (n_groups - n)
            n += 1
        filled += counts[value]
        if filled >= share and n < n_groups:
            left -= filled
            filled = 0
    return n


@kernel
def _take(X, rows, first, columns):  # type: ignore[no-untyped-def]
    """Copy columns of some rows of X, beginning with a column, to the rows of ``columns``."""
    for i in range(rows.shape[0]):
        row = np.uint64(rows[i])
        for k in range(columns.shape[0]):
            columns[k, i] = X[row, np.uint64(first + k)]


@kernel
def _number(column, table, found, numbers, numbered):  # type: ignore[no-untyped-def]
    """Write for each value its rank among the n distinct values, and return n; NaN gets n.

    ``found[1]`` gets the distinct values in order, and ``numbered[1]`` how often each rank was
    written. Return -1 if there are more values than these hold. The values are numbered in a hash
    table first.
    """
    n, values, ordered = np.int64(0), found[0], found[1]
    times, missing = numbered[0], np.int64(0)
    for k in range(table.shape[0]):
        table[k] = -1
    for i in range(column.shape[0]):
        x = np.float64(column[i] + 0.0)  # -0.0 and 0.0 are equal
        if x != x:
            numbers[i] = -1
            missing += 1
            continue
        place = (x.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(54)  # below 1024
        while table[place] >= 0 and values[table[place]] != x:
            place = (place + np.uint64(1)) & np.uint64(table.shape[0] - 1)
        if table[place] < 0:
            if n == values.shape[0]:
                return -1
            values[n], times[n], table[place] = x, 0, n
            n += 1
        numbers[i] = table[place]
        times[np.uint64(table[place])] += 1
    for k in range(n):
        rank = 0
        for m in range(n):
            rank += values[m] < values[k]
        ordered[rank], numbered[1, rank], table[k] = values[k], times[k], rank
    numbered[1, n] = missing
    for i in range(column.shape[0]):
        numbers[i] = table[numbers[i]] if numbers[i] >= 0 else n
    return n


@kernel
def _encode(column, high, codes, first):  # type: ignore[no-untyped-def]
    """Write for each value x the first bin whose largest value is at least x; NaN gets n_bins.

    The binary searches of as many values as `first` has elements take each step together, as a
    vector operation.
    """
    n_bins = high.shape[0]
    for start in range(0, column.shape[0], first.shape[0]):
        values = column[start : start + first.shape[0]]
        for i in range(values.shape[0]):
            first[i] = 0
        size = n_bins
        while size > 1:
            half = np.int32(size >> 1)
            for i in range(values.shape[0]):
                below = high[np.uint64(first[i] + half - 1)] < values[i]
                first[i] += half if below else np.int32(0)
            size -= half
        for i in range(values.shape[0]):
            codes[start + i] = first[i] if values[i] == values[i] else n_bins


def _rows_of(
    codes: NDArray[np.uint8],
    offset: NDArray[np.int64],
    default: NDArray[np.int64],
    share: NDArray[np.float64],
    sparse_share: float,
    n_parts: int,
) -> dict[str, NDArray[Any]]:
    """Return the row-wise fields of `BinnedData`."""
    d, n = codes.shape
    sparse = np.flatnonzero(share >= sparse_share)
    dense = np.flatnonzero(share < sparse_share)
    entries = np.cumsum(np.where(share < sparse_share, 1.0, 1.0 - share))  # of a mean row
    first = np.searchsorted(entries, entries[-1:] * np.arange(1, n_parts) / n_parts) + 1
    first = np.concatenate([[0], first, [d]])  # about as many entries in each part
    cuts = [(c, np.searchsorted(dense, c), np.searchsorted(sparse, c)) for c in first.tolist()]
    counts = np.zeros((n_parts, n if len(sparse) else 0), dtype=np.int64)
    features = np.split(sparse, [of_sparse for _, _, of_sparse in cuts[1:-1]])

    def count_part(parts: slice) -> None:
        for p in range(parts.start, parts.stop):
            for k in range(0, len(features[p]), _BLOCK_COLUMNS):
                some = features[p][k : k + _BLOCK_COLUMNS]
                differs = (codes[some] != default[some, None]).view(np.uint8)
                counts[p] += np.add.reduce(differs, dtype=np.uint8)

    in_parts(count_part, n_parts, codes.size)
    start = np.append(0, np.cumsum(counts.T))
    bins = np.empty(start[-1], dtype=np.uint32)

    def list_part(parts: slice) -> None:
        for p in range(parts.start, parts.stop):
            ends = start[p:-1:n_parts].copy(), start[p + 1 :: n_parts].copy()
            _list_sparse(codes, offset, features[p], default, *ends, bins)

    in_parts(list_part, n_parts, codes.size)
    return {
        "dense_codes": np.ascontiguousarray(codes[dense].T),
        "dense_offset": offset[dense].astype(np.uint32),
        "cuts": np.array(cuts, dtype=np.int64),
        "sparse_start": start,
        "sparse_bins": bins,
        "sparse_features": sparse,
        "default_bin": default[sparse] + offset[sparse],
    }


@kernel
def _list_sparse(codes, offset, sparse, default, first, end, bins):  # type: ignore[no-untyped-def]
    """Write the sparse bins of each row to its places, without a branch on the codes."""
    for i in range(np.uint64(first.shape[0])):
        place, s = np.uint64(first[i]), np.uint64(0)
        while place < np.uint64(end[i]):
            j = np.uint64(sparse[s])
            bins[place] = offset[j] + codes[j, i]
            place += np.uint64(codes[j, i] != default[j])
            s += np.uint64(1)
