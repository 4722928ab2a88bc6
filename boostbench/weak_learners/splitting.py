"""Splitting: the best split of a node, found in its histogram.

A candidate sends the bins up to b of a feature left. Where rows of the node miss the value, missing
is tried on the right and on the left, and on its own against all that is present. Scores are
compared on a grid of `criteria.TIE`; of tied candidates the lowest feature wins, then missing on
the right, then the lowest threshold. So rounding decides nothing.
"""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import (
    C45,
    COST,
    ERROR,
    GAIN_RATIO,
    GINI,
    SQUARED_ERROR,
    resolution,
    xlogx,
)

__all__ = ["find_split", "threshold_of"]


@inner
def find_split(  # type: ignore[no-untyped-def]
    data, rules, histogram, total, n_sums, node, square, scale, min_weight, unit, stream, found
):
    """Return (feature, bin, missing_left, gain) of a node's best split; feature -1 if none.

    Parameters
    ----------
    data : BinnedData
    rules : GrowthRules
    histogram : int64[n_planes * n_bins]
    total : int64[n_planes]
        Sums of the node.
    n_sums : int
        Number of sums without the count of rows.
    node, square, scale : float
        Impurity of the node, its sum of weight times squared target, and the tree's sum of costs.
    min_weight : int
        Smallest weight of a child, at least 1.
    unit : float
        Weight of one case, for C4.5's correction.
    stream : uint64
        Key of the node's random draws.
    found : float64[5, d]
        Work space: key, gain, share information, bin and side of each feature's best candidate.
    """
    d = data.n_bins.shape[0]
    grid = 1.0 / max(resolution(rules.criterion, total, n_sums, square, scale), 1e-290)
    weight = _weight(rules.criterion, total, n_sums)
    ints = np.empty((3, 256), dtype=np.int64)
    floats = np.empty((2, 256), dtype=np.float64)
    plain = rules.criterion == GINI and n_sums == 2 and total.shape[0] == 2 and not rules.random
    for j in range(d):
        found[0, j] = -np.inf
        if plain and data.offset[j + 1] - data.offset[j] == data.n_bins[j]:
            first, n_bins, n_all = data.offset[j], data.n_bins[j], data.low.shape[0]
            _best_of_two_classes(
                histogram[first : first + n_bins],
                histogram[n_all + first : n_all + first + n_bins],
                total[0], total[1], node, grid, min_weight, found[:, j],
            )  # fmt: skip
            continue
        _best_of_feature(
            data, rules, histogram, total, n_sums, j, weight, node, square, grid, min_weight, unit,
            stream, ints, floats, found,
        )  # fmt: skip
    if rules.criterion == GAIN_RATIO or rules.criterion == C45:
        best = _best_ratio(found, np.float64(weight), rules.criterion == C45)
    else:
        best = np.argmax(found[0])
    if found[0, best] == -np.inf:
        return -1, 0, False, 0.0
    return best, np.int64(found[3, best]), found[4, best] > 0.0, max(found[1, best], 0.0)


@inner
def _best_of_two_classes(  # type: ignore[no-untyped-def]
    negative, positive, total_0, total_1, node, grid, min_weight, found
):
    """As `_best_of_feature` for the Gini criterion, in one pass: the bulk of all boosting.

    With two classes the impurity mass is ``2 w_0 w_1 / W``.
    """
    left_0, left_1 = np.int64(0), np.int64(0)
    best, best_bin, best_sum = -np.inf, 0, 0.0
    for b in range(negative.shape[0] - 1):
        left_0 += negative[b]
        left_1 += positive[b]
        right_0, right_1 = total_0 - left_0, total_1 - left_1
        left, right = left_0 + left_1, right_0 + right_1
        if left < min_weight or right < min_weight:
            continue
        W_l, W_r = np.float64(left), np.float64(right)
        mass = np.float64(left_0) * np.float64(left_1) * W_r
        mass += np.float64(right_0) * np.float64(right_1) * W_l
        children = 2.0 * mass / (W_l * W_r)
        key = np.rint((node - children) * grid)
        if key > best:
            best, best_bin, best_sum = key, b, children
    found[0], found[1], found[3], found[4] = best, node - best_sum, best_bin, 0.0


@stage
def _best_of_feature(  # type: ignore[no-untyped-def]
    data, rules, histogram, total, n_sums, j, weight, node, square, grid, min_weight, unit,
    stream, ints, floats, found,
):  # fmt: skip
    """Write feature j's best candidate to column j of ``found``."""
    n_bins = data.n_bins[j]
    first = data.offset[j]
    missing = data.offset[j + 1] - first > n_bins
    if missing:
        missing = not _is_empty(data, rules.criterion, histogram, total, n_sums, first + n_bins)
    only = -1
    if rules.random:
        only, _ = draw(data, rules.criterion, histogram, total, n_sums, j, stream)
    cuts = 0
    for side in range(2 if missing else 1):
        limit = n_bins if missing and side == 0 else n_bins - 1
        extra = first + n_bins if side == 1 else -1
        _score(
            data,
            rules.criterion,
            histogram,
            total,
            n_sums,
            square,
            first,
            limit,
            extra,
            ints,
            floats,
        )
        counted = total.shape[0] > n_sums
        if counted:
            _count_left(data, rules.criterion, histogram, total, n_sums, first, limit, extra, ints)
        before = 0
        for b in range(limit):
            left = ints[0, b]
            fresh = left > before
            before = left
            if left < min_weight or weight - left < min_weight:
                continue
            if counted and not (
                rules.min_samples <= ints[1, b] <= total[n_sums] - rules.min_samples
            ):
                continue
            if rules.random and b != only and b != n_bins - 1:
                continue
            cuts += fresh
            key = np.rint((floats[0, b] + node) * grid)
            if key > found[0, j]:
                found[0, j] = key
                found[1, j] = floats[0, b] + node
                found[3, j] = b
                found[4, j] = side
                share = np.float64(left) / np.float64(weight)
                found[2, j] = share
    share = found[2, j]
    if rules.criterion >= GAIN_RATIO and rules.criterion <= C45 and found[0, j] > -np.inf:
        found[2, j] = -xlogx(share) - xlogx(1.0 - share)
        if rules.criterion == C45:
            found[1, j] -= np.log2(np.float64(cuts)) * unit


@stage
def _best_ratio(found, weight, corrected):  # type: ignore[no-untyped-def]
    """Return the feature of the largest gain ratio among those of at least mean gain (C4.5)."""
    least = 0.0 if corrected else 1e-10
    mean, n = 0.0, 0
    for j in range(found.shape[1]):
        gain = found[1, j] / weight
        if found[0, j] > -np.inf and gain > least:
            mean += gain
            n += 1
        else:
            found[0, j] = -np.inf
    best, best_ratio = 0, 0.0
    for j in range(found.shape[1]):
        gain = found[1, j] / weight
        enough = found[0, j] > -np.inf and gain >= mean / max(n, 1) - 1e-3
        enough = enough and (found[2, j] > 1e-3 or not corrected)
        if enough and gain / found[2, j] > best_ratio * (1.0 + 1e-12):
            best, best_ratio = j, gain / found[2, j]
    if best_ratio == 0.0:
        found[0, best] = -np.inf
    return best


@inner
def _score(  # type: ignore[no-untyped-def]
    data, criterion, histogram, total, n_sums, square, first, limit, extra, ints, floats
):
    """Write minus the children's impurity, and the left child's weight, of each candidate.

    ``extra`` is the global bin that goes left with every candidate, or -1.
    """
    n_all = data.low.shape[0]
    left, score, right_part = ints[0], floats[0], floats[1]
    if criterion == COST:
        _score_costs(histogram, total, n_sums, first, limit, extra, left, score)
        return
    if criterion == SQUARED_ERROR:
        run, weights = np.int64(0), np.int64(0)
        if extra >= 0:
            run, weights = histogram[extra], histogram[n_all + extra]
        for b in range(limit):
            run += histogram[first + b]
            weights += histogram[n_all + first + b]
            left[b] = weights
            score[b] = np.float64(run)
        for b in range(limit):
            s, w = score[b], np.float64(left[b])
            rest, others = np.float64(total[0]) - s, np.float64(total[1] - left[b])
            score[b] = s * s / w + rest * rest / others
        for b in range(limit):
            score[b] -= square
        return
    prefix = ints[2]
    left[:limit] = 0
    score[:limit] = 0.0
    right_part[:limit] = 0.0
    for k in range(n_sums):
        if total[k] == 0:
            continue
        plane = histogram[k * n_all : (k + 1) * n_all]
        run = plane[extra] if extra >= 0 else np.int64(0)
        for b in range(limit):
            run += plane[first + b]
            prefix[b] = run
        if criterion == GINI:
            for b in range(limit):
                here = np.float64(prefix[b])
                there = np.float64(total[k] - prefix[b])
                left[b] += prefix[b]
                score[b] += here * here
                right_part[b] += there * there
        elif criterion == ERROR:
            for b in range(limit):
                left[b] += prefix[b]
                score[b] = max(score[b], np.float64(prefix[b]))
                right_part[b] = max(right_part[b], np.float64(total[k] - prefix[b]))
        else:
            for b in range(limit):
                left[b] += prefix[b]
                score[b] += xlogx(np.float64(prefix[b]))
                right_part[b] += xlogx(np.float64(total[k] - prefix[b]))
    weight = _weight(criterion, total, n_sums)
    for b in range(limit):
        w, others = np.float64(left[b]), np.float64(weight - left[b])
        if criterion == GINI:
            score[b] = score[b] / w + right_part[b] / others - np.float64(weight)
        elif criterion == ERROR:
            score[b] = score[b] + right_part[b] - np.float64(weight)
        else:
            score[b] = (score[b] - xlogx(w)) + (right_part[b] - xlogx(others))


@inner
def _score_costs(  # type: ignore[no-untyped-def]
    histogram, total, n_sums, first, limit, extra, left, score
):
    q = total.shape[0]
    run = np.zeros(n_sums, dtype=np.int64)
    if extra >= 0:
        for k in range(n_sums):
            run[k] = histogram[extra * q + k]
    for b in range(limit):
        cell = histogram[(first + b) * q : (first + b + 1) * q]
        least, least_other, weight = np.int64(2**62), np.int64(2**62), np.int64(0)
        for k in range(n_sums):
            run[k] += cell[k]
            least = min(least, run[k])
            least_other = min(least_other, total[k] - run[k])
            weight += run[k]
        left[b] = weight
        score[b] = -np.float64(least + least_other)


@stage
def _count_left(  # type: ignore[no-untyped-def]
    data, criterion, histogram, total, n_sums, first, limit, extra, ints
):
    """Write the number of rows left of each candidate."""
    start, step = n_sums * data.low.shape[0], 1
    if criterion == COST:
        start, step = n_sums, total.shape[0]
    run = histogram[start + extra * step] if extra >= 0 else np.int64(0)
    for b in range(limit):
        run += histogram[start + (first + b) * step]
        ints[1, b] = run


@inner
def _weight(criterion, total, n_sums):  # type: ignore[no-untyped-def]
    """Return a sum that is positive for any row: the weight, or the sum of all costs."""
    if criterion == SQUARED_ERROR:
        return total[1]
    weight = np.int64(0)
    for k in range(n_sums):
        weight += total[k]
    return weight


@inner
def _is_empty(data, criterion, histogram, total, n_sums, b):  # type: ignore[no-untyped-def]
    """Whether no row of the node is in global bin b; sums of rows are positive and exact."""
    n_all = data.low.shape[0]
    if criterion == SQUARED_ERROR:
        return histogram[n_all + b] == 0
    step, start = (1, b * total.shape[0]) if criterion == COST else (n_all, b)
    occupied = np.int64(0)
    for k in range(n_sums):
        occupied |= histogram[start + k * step]
    return occupied == 0


@inner
def threshold_of(data, rules, histogram, total, n_sums, j, b, stream):  # type: ignore[no-untyped-def]
    """Return (bin, threshold): the last bin that goes left, and the value that says so.

    The threshold is midway between the largest value on the left and the smallest on the right of
    the node; bins between them, empty in the node, fall on the side where the threshold puts them.
    """
    if b == data.n_bins[j] - 1:
        return b, np.inf
    if rules.random:
        return draw(data, rules.criterion, histogram, total, n_sums, j, stream)
    first = data.offset[j]
    right = b + 1
    while _is_empty(data, rules.criterion, histogram, total, n_sums, first + right):
        right += 1
    low, high = data.high[first + b], data.low[first + right]
    middle = 0.5 * low + 0.5 * high
    if not low <= middle < high:
        middle = low
    last, threshold = _settle(data, first, b, right, middle)
    if rules.criterion == C45:
        threshold = data.high[first + last]
    return last, threshold


@inner
def _settle(data, first, left, right, threshold):  # type: ignore[no-untyped-def]
    """Return the last bin in left..right-1 that is at most the threshold, and the threshold.

    A bin of several values may straddle it; then the threshold moves to the gap before that bin, so
    that all rows of a bin go the same way.
    """
    last = left
    while last + 1 < right and data.high[first + last + 1] <= threshold:
        last += 1
    here, following = data.high[first + last], data.low[first + last + 1]
    if not here <= threshold < following:
        middle = 0.5 * here + 0.5 * following
        threshold = middle if here <= middle < following else here
    return last, threshold


@inner
def draw(data, criterion, histogram, total, n_sums, j, stream):  # type: ignore[no-untyped-def]
    """Return (bin, threshold) of a threshold drawn uniformly between the node's extreme values.

    The bin is -1 if all present values are equal.
    """
    first, right = data.offset[j], data.n_bins[j] - 1
    left = 0
    while left < right and _is_empty(data, criterion, histogram, total, n_sums, first + left):
        left += 1
    while left < right and _is_empty(data, criterion, histogram, total, n_sums, first + right):
        right -= 1
    if left >= right:
        return -1, 0.0
    low, high = data.low[first + left], data.high[first + right]
    threshold = low + _uniform(stream, j) * (high - low)
    if not low <= threshold < high:
        threshold = low
    return _settle(data, first, left, right, threshold)


@inner
def _uniform(stream, j):  # type: ignore[no-untyped-def]
    """Return a number in [0, 1) that depends on the key and the feature alone (splitmix64)."""
    x = stream + np.uint64(j + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53
