"""Training rows in canonical order, with equal samples merged.

Equal samples (x, y) are merged into one row with their summed weight, and the rows are ordered by
content. A permutation of the samples, or a repeated sample in place of an integer weight, then
leads to the same arithmetic bit for bit, and to the same trees even if splits tie.

Each row stores the number of its samples. Quantities that count samples (the minimum size of a
leaf, the cases of C4.5, the quantiles of a feature) are therefore the same as without merging.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import kernel
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
    """

    representative: NDArray[np.intp]
    weight: NDArray[np.float64]
    count: NDArray[np.int64]
    row_of: NDArray[np.intp]
    sample_weight: NDArray[np.float64]


def canonical_rows(
    X: NDArray[np.float64], y: NDArray[np.int32], sample_weight: NDArray[np.float64]
) -> CanonicalRows:
    """Merge equal samples of positive weight and order the rows by content.

    If all weights are integers of at most `MOST_COPIES` on average, a sample of weight w counts as
    w samples; otherwise every sample of positive weight counts as one. Only ratios of weights
    matter: weights whose sum overflows are scaled. X is C-contiguous. NaN marks a missing value;
    missing values are equal to each other.
    """
    if sample_weight.max(initial=0.0) > np.finfo(np.float64).max / len(sample_weight):
        sample_weight = np.ldexp(sample_weight, -np.frexp(float(len(sample_weight)))[1])
    is_few = sample_weight.sum() <= MOST_COPIES * len(sample_weight)
    whole = bool(is_few) and np.array_equal(sample_weight, np.floor(sample_weight))
    order = _order(X, y)
    order = order[sample_weight[order] > 0]
    row_of = np.full(X.shape[0], -1, dtype=np.intp)
    weight, count = np.empty(len(order)), np.empty(len(order), np.int64)
    n = _merge(X, y, np.ascontiguousarray(sample_weight), whole, order, row_of, weight, count)
    return CanonicalRows(
        representative=order[:n],
        weight=weight[:n] / total(weight[:n]),
        count=count[:n] if count[:n].max(initial=1) > 1 else np.broadcast_to(np.int64(1), n),
        row_of=row_of,
        sample_weight=sample_weight,
    )


def _order(X: NDArray[np.float64], y: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the order of the samples by hashed content."""
    hashed = np.empty(len(X), np.uint64)
    in_parts(lambda part: _hash_rows(X[part], hashed[part]), len(X), X.size)
    return np.lexsort((y, hashed))


@kernel
def _hash_rows(X: NDArray[np.float64], hashed: NDArray[np.uint64]) -> None:  # pragma: no cover
    for i in range(X.shape[0]):
        h = np.uint64(14695981039346656037)
        for j in range(X.shape[1]):
            value = X[i, j]
            if value != value:
                bits = np.uint64(0x7FF8000000000000)
            else:
                bits = np.float64(value + 0.0).view(np.uint64)  # -0.0 and 0.0 are equal
            h = (h ^ bits) * np.uint64(1099511628211)
            h = h ^ (h >> np.uint64(29))
        hashed[i] = h


@kernel
def _merge(  # type: ignore[no-untyped-def]
    X, y, sample_weight, whole, order, row_of, weight, count
):  # pragma: no cover
    """Merge equal samples, which are neighbours in the order; return the number of rows.

    The first elements of the order are replaced by the first samples of the rows.
    """
    n = 0
    for position in range(order.shape[0]):
        i, first = order[position], order[max(n - 1, 0)]
        equal = n > 0 and y[first] == y[i]
        j = 0
        while equal and j < X.shape[1]:
            u, v = X[first, j], X[i, j]
            equal = u == v or (u != u and v != v)
            j += 1
        if not equal:
            order[n], weight[n], count[n] = i, 0.0, 0
            n += 1
        row_of[i] = n - 1
        weight[n - 1] += sample_weight[i]
        count[n - 1] += np.int64(sample_weight[i]) if whole else 1
    return n
