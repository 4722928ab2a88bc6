"""Candidates: what every bin of some features is worth as the last one that goes left.

Long loops over plain arrays, one class after the other: they become vector instructions.
"""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import COST, ERROR, GINI, SQUARED_ERROR, xlogx

__all__ = ["score_candidates", "weight_of"]


@inner
def score_candidates(  # type: ignore[no-untyped-def]
    data, rules, histogram, total, n_sums, node, square, grid, min_weight, first, end,
    missing_left, ints, floats,
):  # fmt: skip
    """Write key, gain and left weight of every bin of some features as a candidate.

    The key is the gain on the grid of ties, -inf where a child would be too light. The missing bin
    is a candidate like any other if it does not go left: all present against missing comes before
    it, and it itself leaves nothing on the right.
    """
    start, n_all = data.offset[first], data.low.shape[0]
    size = data.offset[end] - start
    left, right_sum, score = ints[0, :size], floats[0, :size], floats[1, :size]
    prefix = ints[1, :size]
    W = weight_of(rules.criterion, total, n_sums)
    if rules.criterion == COST:
        _score_costs(data, histogram, total, n_sums, first, end, missing_left, ints[1], left, score)
    elif rules.criterion == SQUARED_ERROR:
        _prefix(data.offset, histogram[:n_all], first, end, missing_left, prefix)
        _prefix(data.offset, histogram[n_all:], first, end, missing_left, left)
        for b in range(size):
            s, w = np.float64(prefix[b]), np.float64(left[b])
            rest, others = np.float64(total[0] - prefix[b]), np.float64(W - left[b])
            score[b] = s * s / w + rest * rest / others - square
    else:
        _score_labels(
            data, rules.criterion, histogram, total, n_sums, W, first, end, missing_left, prefix,
            left, right_sum, score,
        )  # fmt: skip
    key = right_sum
    for b in range(size):
        score[b] += node
        light = (left[b] < min_weight) | (W - left[b] < min_weight)
        key[b] = -np.inf if light else np.rint(score[b] * grid)


@inner
def _prefix(offset, plane, first, end, missing_left, out):  # type: ignore[no-untyped-def]
    """Write the sums up to each bin within its feature."""
    start = offset[first]
    for j in range(first, end):
        run = plane[offset[j + 1] - 1] if missing_left else np.int64(0)
        for b in range(offset[j], offset[j + 1]):
            run += plane[b]
            out[b - start] = run


@stage
def _score_labels(  # type: ignore[no-untyped-def]
    data, criterion, histogram, total, n_sums, W, first, end, missing_left, prefix, left,
    right_sum, score,
):  # fmt: skip
    """Write left weight and minus the children's impurity, for class weights."""
    n_all = data.low.shape[0]
    left[:] = 0
    score[:] = 0.0
    right_sum[:] = 0.0
    for k in range(n_sums):
        if total[k] == 0:
            continue
        _prefix(
            data.offset, histogram[k * n_all : (k + 1) * n_all], first, end, missing_left, prefix
        )
        for b in range(left.shape[0]):
            left[b] += prefix[b]
        if criterion == GINI:
            for b in range(left.shape[0]):
                here, there = np.float64(prefix[b]), np.float64(total[k] - prefix[b])
                score[b] += here * here
                right_sum[b] += there * there
        elif criterion == ERROR:
            for b in range(left.shape[0]):
                score[b] = max(score[b], np.float64(prefix[b]))
                right_sum[b] = max(right_sum[b], np.float64(total[k] - prefix[b]))
        else:
            for b in range(left.shape[0]):
                score[b] += xlogx(np.float64(prefix[b]))
                right_sum[b] += xlogx(np.float64(total[k] - prefix[b]))
    if criterion == GINI:
        for b in range(left.shape[0]):
            w, others = np.float64(left[b]), np.float64(W - left[b])
            score[b] = (score[b] * others + right_sum[b] * w) / (w * others) - np.float64(W)
    elif criterion == ERROR:
        for b in range(left.shape[0]):
            score[b] += right_sum[b] - np.float64(W)
    else:
        for b in range(left.shape[0]):
            w, others = np.float64(left[b]), np.float64(W - left[b])
            score[b] += right_sum[b] - xlogx(w) - xlogx(others)


@inner
def _score_costs(  # type: ignore[no-untyped-def]
    data, histogram, total, n_sums, first, end, missing_left, run, left, score
):
    """Write a left weight (the sum of all costs) and minus the children's cost."""
    q, start = total.shape[0], data.offset[first]
    for j in range(first, end):
        missing = (data.offset[j + 1] - 1) * q
        for k in range(n_sums):
            run[k] = histogram[missing + k] if missing_left else 0
        for b in range(data.offset[j], data.offset[j + 1]):
            cell = histogram[b * q : (b + 1) * q]
            least, least_other, weight = np.int64(2**62), np.int64(2**62), np.int64(0)
            for k in range(n_sums):
                run[k] += cell[k]
                least = min(least, run[k])
                least_other = min(least_other, total[k] - run[k])
                weight += run[k]
            left[b - start] = weight
            score[b - start] = -np.float64(least + least_other)


@inner
def weight_of(criterion, total, n_sums):  # type: ignore[no-untyped-def]
    """Return a sum that is positive for any row: the weight, or the sum of all costs."""
    if criterion == SQUARED_ERROR:
        return total[1]
    weight = np.int64(0)
    for k in range(n_sums):
        weight += total[k]
    return weight
