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


@dataclass(frozen=True)
class CanonicalRows:
    """Distinct training rows.

    Attributes
    ----------
    representative : ndarray of intp, shape (n,)
        Index of one sample of each row, in canonical order.
    weight : ndarray of float64, shape (n,)
        Summed weight of the row's samples, positive.
    count : ndarray of int64, shape (n,)
        Number of samples in the row, at least 1; see `sample_counts`.
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

    X is C-contiguous. NaN marks a missing value; missing values are equal to each other.
    """
    used = np.flatnonzero(sample_weight > 0)
    hashed, starts = np.empty(len(used), np.uint64), np.empty(len(used), np.bool_)
    _hash_rows(X, used, hashed)
    order = used[np.lexsort((y[used], hashed))]
    _mark_starts(X, y, order, starts)
    group = np.cumsum(starts) - 1
    row_of = np.full(X.shape[0], -1, dtype=np.intp)
    row_of[order] = group
    count = sample_counts(sample_weight)
    return CanonicalRows(
        representative=order[starts],
        weight=np.bincount(group, weights=sample_weight[order]).astype(np.float64),
        count=np.bincount(group, weights=count[order]).astype(np.int64),
        row_of=row_of,
        sample_weight=sample_weight,
    )


def sample_counts(sample_weight: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of samples that each sample counts as.

    If all weights are integers, a sample of weight w counts as w samples; otherwise every sample
    of positive weight counts as one.

    Examples
    --------
    >>> sample_counts(np.array([2.0, 0.0, 1.0])).tolist()
    [2, 0, 1]
    >>> sample_counts(np.array([2.0, 0.0, 0.5])).tolist()
    [1, 0, 1]
    """
    # from 2**53 on all floats are integers, so integer weights do not indicate repetitions
    whole = np.array_equal(sample_weight, np.floor(sample_weight)) and sample_weight.sum() < 2**53
    return (sample_weight if whole else sample_weight > 0).astype(np.int64)


@kernel
def _hash_rows(
    X: NDArray[np.float64], used: NDArray[np.intp], hashed: NDArray[np.uint64]
) -> None:  # pragma: no cover
    for position in range(used.shape[0]):
        h = np.uint64(14695981039346656037)
        for j in range(X.shape[1]):
            value = X[used[position], j]
            if value != value:
                bits = np.uint64(0x7FF8000000000000)
            else:
                bits = np.float64(value + 0.0).view(np.uint64)  # -0.0 and 0.0 are equal
            h = (h ^ bits) * np.uint64(1099511628211)
            h = h ^ (h >> np.uint64(29))
        hashed[position] = h


@kernel
def _mark_starts(
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    order: NDArray[np.intp],
    starts: NDArray[np.bool_],
) -> None:  # pragma: no cover
    for position in range(order.shape[0]):
        a, b = order[max(position - 1, 0)], order[position]
        equal = position > 0 and y[a] == y[b]
        j = 0
        while equal and j < X.shape[1]:
            u, v = X[a, j], X[b, j]
            equal = u == v or (u != u and v != v)
            j += 1
        starts[position] = not equal
