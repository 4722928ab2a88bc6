"""Training rows in canonical order, with equal samples merged.

Equal samples (x, y) are merged into one row with their summed weight, and the rows are ordered by
content. A permutation of the samples, or a repeated sample in place of an integer weight, then
leads to the same arithmetic bit for bit, and to the same trees even if splits tie.

Each row stores the number of its samples. Quantities that count samples (the minimum size of a
leaf, the cases of C4.5, the quantiles of a feature) are therefore the same as without merging.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import hstack, issparse

from boostbench.compiled import inner, kernel
from boostbench.portable import total
from boostbench.threads import in_parts

#: Largest mean of integer weights that are numbers of copies; larger ones, as of surveys, are not.
MOST_COPIES = 1000


@dataclass(frozen=True)
class CanonicalRows:
    """Distinct training rows.

    Attributes
    ----------
    representative : ndarray of intp, shape (n,)
        Index of one sample of each row, in canonical order.
    weight : ndarray of float64, shape (n,)
        Share of the row's samples in the summed weight, positive.
    count : ndarray of int64, shape (n,)
        Number of samples in the row, at least 1; if it is 1 for all rows, they share the memory of
        one number.
    row_of : ndarray of intp, shape (n_samples,)
        Row index of each sample, -1 for samples of weight 0.
    sample_weight : ndarray of float64, shape (n_samples,)
        Weight of each sample.
    made : list of (CanonicalRows, object), or None
        Data made by `prepare`, shared by fits of the same samples, weak learner and rows.
    """

    representative: NDArray[np.intp]
    weight: NDArray[np.float64]
    count: NDArray[np.int64]
    row_of: NDArray[np.intp]
    sample_weight: NDArray[np.float64]
    made: Made | None = None

    def prepare(self, learner: Any, X: Any) -> Any:
        """Return what a weak learner makes of the rows before its first fit."""
        for rows, data in self.made or ():
            is_same = np.array_equal(rows.representative, self.representative)
            if is_same and np.array_equal(rows.count, self.count):
                return data
        data = learner.prepare(X, self.representative, self.count)
        if self.made is not None:
            self.made.append((self, data))
        return data


#: Rows, and what a weak learner made of them.
Made = list[tuple[CanonicalRows, Any]]


def canonical_form(X: Any) -> Any:
    """Return X, or a sparse matrix with sorted indices and without stored zeros."""
    if issparse(X) and not (X.has_canonical_format and X.data.all()):
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return X


def product(u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return u v, or a multiple of it if a product overflows or vanishes."""
    with np.errstate(over="ignore", under="ignore"):
        product = u * v
    if np.isfinite(product).all() and ((product > 0.0) == ((u > 0.0) & (v > 0.0))).all():
        return product
    (a, i), (b, j) = np.frexp(u), np.frexp(v)
    exponent = np.where((a > 0.0) & (b > 0.0), i + j, np.iinfo(np.int32).min)
    scaled: NDArray[np.float64] = np.ldexp(a * b, np.maximum(exponent - exponent.max(), -2000))
    return scaled


def with_columns(X: Any, columns: NDArray[np.float64]) -> Any:
    """Return X with further columns."""
    if issparse(X):
        return canonical_form(hstack([X, columns], format="csr"))
    return np.column_stack([X, columns])


def canonical_rows(
    X: Any,
    y: NDArray[np.int32],
    sample_weight: NDArray[np.float64],
    made: Made | None = None,
) -> CanonicalRows:
    """Merge equal samples of positive weight and order the rows by content.

    If all weights are integers of at most `MOST_COPIES` on average, a sample of weight w counts as
    w samples; otherwise every sample of positive weight counts as one. Only ratios of weights
    matter: weights whose sum overflows are scaled. X is C-contiguous, or sparse as made by
    `canonical_form`. NaN marks a missing value; missing values are equal to each other.
    """
    if sample_weight.max(initial=0.0) > np.finfo(np.float64).max / len(sample_weight):
        sample_weight = np.ldexp(sample_weight, -np.frexp(float(len(sample_weight)))[1])
    is_few = sample_weight.sum() <= MOST_COPIES * len(sample_weight)
    whole = bool(is_few) and np.array_equal(sample_weight, np.floor(sample_weight))
    order = _order(X, y)
    order = order[sample_weight[order] > 0]
    row_of = np.full(X.shape[0], -1, dtype=np.intp)
    weight, count = np.empty(len(order)), np.empty(len(order), np.int64)
    same = np.empty(len(order), np.bool_)
    _compare(*_parts_of(X), order, same)
    n = _merge(same, y, np.ascontiguousarray(sample_weight), whole, order, row_of, weight, count)
    return CanonicalRows(
        representative=order[:n],
        weight=weight[:n] / total(weight[:n]),
        count=count[:n] if count[:n].max(initial=1) > 1 else np.broadcast_to(np.int64(1), n),
        row_of=row_of,
        sample_weight=sample_weight,
        made=made,
    )


def _order(X: Any, y: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the order of the samples by hashed content."""
    hashed = np.empty(X.shape[0], np.uint64)
    size = X.shape[0] * X.shape[1]
    parts = _parts_of(X)

    def hash_part(part: slice) -> None:
        _hash_rows(*parts, X.shape[1], part.start, part.stop, hashed)

    in_parts(hash_part, X.shape[0], size)
    return np.lexsort((y, hashed))


def _parts_of(X: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return values, and for sparse rows their columns and the first value of each row."""
    if issparse(X):
        return X.data[None], X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X, np.zeros(0, np.int64), np.zeros(0, np.int64)


@inner
def _bits(value):  # type: ignore[no-untyped-def]
    """Return the bits of a number; -0.0 and 0.0 are equal, as are missing values."""
    if value != value:
        return np.uint64(0x7FF8000000000000)
    return np.float64(value + 0.0).view(np.uint64)


@kernel
def _hash_rows(values, column, start, d, first, last, hashed):  # type: ignore[no-untyped-def]
    """Hash all d values of each row, in order; the zeros of a sparse row too."""
    sparse = start.shape[0] > 0
    for i in range(first, last):
        h = np.uint64(14695981039346656037)
        p, end = (start[i], start[i + 1]) if sparse else (np.int64(0), np.int64(0))
        for j in range(d):
            bits = np.uint64(0)
            if not sparse:
                bits = _bits(values[i, j])
            elif p < end and column[p] == j:
                bits = _bits(values[0, p])
                p += 1
            h = (h ^ bits) * np.uint64(1099511628211)
            h = h ^ (h >> np.uint64(29))
        hashed[i] = h


@kernel
def _compare(values, column, start, order, same):  # type: ignore[no-untyped-def]
    """Write for each sample in the order whether its values are those of the one before."""
    for position in range(order.shape[0]):
        one, i = order[max(position - 1, 0)], order[position]
        equal = position > 0
        if start.shape[0] == 0:
            j = 0
            while equal and j < values.shape[1]:
                equal = _bits(values[one, j]) == _bits(values[i, j])
                j += 1
        else:
            p, q = start[one], start[i]
            equal = equal and start[one + 1] - p == start[i + 1] - q
            while equal and q < start[i + 1]:
                equal = column[p] == column[q] and _bits(values[0, p]) == _bits(values[0, q])
                p += 1
                q += 1
        same[position] = equal


@kernel
def _merge(  # type: ignore[no-untyped-def]
    same, y, sample_weight, whole, order, row_of, weight, count
):  # pragma: no cover
    """Merge equal samples, which are neighbours in the order; return the number of rows.

    The first elements of the order are replaced by the first samples of the rows.
    """
    n = 0
    for position in range(order.shape[0]):
        i = order[position]
        if not same[position] or y[order[max(n - 1, 0)]] != y[i]:
            order[n], weight[n], count[n] = i, 0.0, 0
            n += 1
        row_of[i] = n - 1
        weight[n - 1] += sample_weight[i]
        count[n - 1] += np.int64(sample_weight[i]) if whole else 1
    return n
