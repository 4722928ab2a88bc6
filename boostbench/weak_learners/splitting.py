"""Splitting: the best split of a node, found in its histogram.

A candidate sends the bins up to b of a feature left. Where rows of the node miss the value, missing
is tried on the right and on the left, and on its own against all that is present. Scores are
compared on a grid of `criteria.TIE`; of tied candidates the lowest feature wins, then missing on
the right, then the lowest threshold. So rounding decides nothing.
"""

from __future__ import annotations

import numpy as np

from boostbench.portable.elementary import log2_
from boostbench.weak_learners.candidates import (
    BINS,
    KEY,
    LEFT,
    WHERE,
    list_bins,
    pick,
    score_candidates,
    weight_of,
)
from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import (
    C45,
    COST,
    GAIN_RATIO,
    GINI,
    SQUARED_ERROR,
    resolution,
    xlogx,
)
from boostbench.weak_learners.structures import BLOCK


@inner
def find_split(  # type: ignore[no-untyped-def]
    data, layout, rules, histogram, total, n_sums, node, square, scale, min_weight, unit, stream,
    found, ints, floats,
):  # fmt: skip
    """Return (feature, bin, missing_left, gain) of a node's best split; feature -1 if none.

    Feature and bin are the histogram's.

    Parameters
    ----------
    data : BinnedData
        All bins, for drawn thresholds and to see whether there are missing values at all.
    layout : Layout
        Bins of the histogram.
    rules : GrowthRules
    histogram : int64[n_planes * n_bins]
    total : int64[n_planes]
        Sums of the node.
    n_sums : int
        Number of sums without the count of samples.
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
    ints, floats : int64[3 + n_sums, more than BLOCK], float64[2, BLOCK]
        Work space of `boostbench.weak_learners.candidates`.
    """
    d = layout.n_bins.shape[0]
    grid = 1.0 / max(resolution(rules.criterion, total, n_sums, square, scale), 1e-290)
    W = np.float64(weight_of(rules.criterion, total, n_sums))
    ratio = rules.criterion == GAIN_RATIO or rules.criterion == C45
    # not constants: a function is compiled once more for each constant it is called with
    right, left, first = np.bool_(False), np.bool_(True), np.int64(0)
    while first < d:
        end = first + 1
        while end < d and layout.offset[end + 1] - layout.offset[first] <= BLOCK:
            end += 1
        for j in range(first, end):
            found[0, j] = -np.inf
        _search(
            data, layout, rules, histogram, total, n_sums, node, square, grid, min_weight, unit,
            first, end, right, stream, found, ints, floats,
        )  # fmt: skip
        for j in range(first, end):
            missing = layout.offset[j + 1] - 1
            if missing - layout.offset[j] < layout.n_bins[j]:
                continue
            if _is_empty(layout, rules.criterion, histogram, total, n_sums, missing):
                continue
            _search(
                data, layout, rules, histogram, total, n_sums, node, square, grid, min_weight, unit,
                j, j + 1, left, stream, found, ints, floats,
            )  # fmt: skip
        first = end
    if d == 0:
        return -1, 0, False, 0.0
    best = _best_ratio(found, d, W, rules.criterion == C45) if ratio else np.argmax(found[0, :d])
    if found[0, best] == -np.inf:
        return -1, 0, False, 0.0
    return best, np.int64(found[3, best]), found[4, best] > 0.0, max(found[1, best], 0.0)


@inner
def _search(  # type: ignore[no-untyped-def]
    data, layout, rules, histogram, total, n_sums, node, square, grid, min_weight, unit, first,
    end, missing_left, stream, found, ints, floats,
):  # fmt: skip
    """Note the best candidates of some features, missing values on one side."""
    special = rules.random or rules.min_samples > 1
    two_classes = rules.criterion == GINI and n_sums == 2 and not special
    two_classes = two_classes and data.low.shape[0] == data.n_bins.sum()
    list_bins(layout, rules, histogram, total, n_sums, first, end, missing_left, ints)
    if two_classes:
        for j in range(first, end):
            _best_of_two_classes(
                layout, histogram, total, node, grid, min_weight, j, ints[WHERE, j - first],
                ints[WHERE, j - first + 1], ints[BINS], found[:, j],
            )  # fmt: skip
        return
    score_candidates(
        layout, rules, histogram, total, n_sums, node, square, grid, min_weight, first, end,
        missing_left, ints, floats,
    )  # fmt: skip
    W = np.float64(weight_of(rules.criterion, total, n_sums))
    for j in range(first, end):
        start, stop = ints[WHERE, j - first], ints[WHERE, j - first + 1]
        if special:
            _rule_out(
                data, layout, rules, histogram, total, n_sums, j, start, stop, missing_left,
                stream, ints[BINS], floats[KEY],
            )  # fmt: skip
        best = pick(rules, total, n_sums, node, grid, start, stop, ints, floats, found[:, j])
        if best >= 0:
            found[3, j], found[4, j] = ints[BINS, best] - layout.offset[j], missing_left
            if rules.criterion == GAIN_RATIO or rules.criterion == C45:
                _note_share(
                    rules.criterion, W, start, best, unit, ints[LEFT], floats[KEY], found[:, j]
                )


@inner
def _best_of_two_classes(  # type: ignore[no-untyped-def]
    layout, histogram, total, node, grid, min_weight, j, start, stop, bins, found
):
    """Find a feature's best candidate for Gini, in one pass: the bulk of all boosting.

    With two classes the impurity mass is ``2 w_0 w_1 / W``; no value may be missing.
    """
    n_all = layout.size
    negative, positive = histogram[:n_all], histogram[n_all : 2 * n_all]
    left_0, left_1 = np.int64(0), np.int64(0)
    best, best_bin, best_sum = -np.inf, layout.offset[j], 0.0
    its_bins = bins[start : stop - 1]
    for c in range(its_bins.shape[0]):
        b = np.uint64(its_bins[c])
        left_0 += negative[b]
        left_1 += positive[b]
        right_0, right_1 = total[0] - left_0, total[1] - left_1
        left, right = left_0 + left_1, right_0 + right_1
        if left < min_weight or right < min_weight:
            continue
        W_l, W_r = np.float64(left), np.float64(right)
        mass = np.float64(left_0) * np.float64(left_1) * W_r
        mass += np.float64(right_0) * np.float64(right_1) * W_l
        children = 2.0 * mass / (W_l * W_r)
        key = np.rint((node - children) * grid)
        if key > best:
            best, best_bin, best_sum = key, its_bins[c], children
    found[0], found[1] = best, node - best_sum
    found[3], found[4] = best_bin - layout.offset[j], 0.0


@inner
def _note_share(criterion, W, start, best, unit, left, key, found):  # type: ignore[no-untyped-def]
    """Note the information in the shares of a feature's best split; correct C4.5's gain."""
    share = np.float64(left[best]) / W
    found[2] = -xlogx(share) - xlogx(1.0 - share)
    if criterion == C45:
        before, cuts = np.int64(0), 0
        c = start
        while np.float64(before) < W:  # the last bin, or all present ones, complete the weight
            cuts += left[c] > before and key[c] > -np.inf
            before = left[c]
            c += 1
        found[1] -= log2_(np.float64(max(cuts, 1))) * unit


@inner
def _rule_out(  # type: ignore[no-untyped-def]
    data, layout, rules, histogram, total, n_sums, j, start, stop, missing_left, stream, bins, key
):
    """Rule out candidates that were not drawn, or that leave too few samples on a side."""
    first, n_bins = layout.offset[j], layout.n_bins[j]
    if rules.random:
        only, _ = draw(data, layout, rules.criterion, histogram, total, n_sums, j, stream)
        for c in range(start, stop):
            if bins[c] - first != only and bins[c] - first < n_bins - 1:
                key[c] = -np.inf
    if rules.min_samples > 1:
        counts, step = n_sums * layout.size, 1
        if rules.criterion == COST:
            counts, step = n_sums, total.shape[0]
        its_bins, its_keys = bins[start:stop], key[start:stop]
        run = histogram[counts + (first + n_bins) * step] if missing_left else np.int64(0)
        for c in range(its_bins.shape[0]):
            run += histogram[counts + its_bins[c] * step]
            if run >= rules.min_samples:
                break
            its_keys[c] = -np.inf
        rest = np.int64(0)
        for c in range(its_bins.shape[0] - 1, -1, -1):
            if rest >= rules.min_samples:
                break
            its_keys[c] = -np.inf
            rest += histogram[counts + its_bins[c] * step]


@stage
def _best_ratio(found, d, weight, corrected):  # type: ignore[no-untyped-def]
    """Return the feature of the largest gain ratio among those of at least mean gain (C4.5)."""
    least = 0.0 if corrected else 1e-10
    mean, n = 0.0, 0
    for j in range(d):
        gain = found[1, j] / weight
        if found[0, j] > -np.inf and gain > least:
            mean += gain
            n += 1
        else:
            found[0, j] = -np.inf
    best, best_ratio = 0, 0.0
    for j in range(d):
        gain = found[1, j] / weight
        enough = found[0, j] > -np.inf and gain >= mean / max(n, 1) - 1e-3
        enough = enough and (found[2, j] > 1e-3 or not corrected)
        if enough and gain / found[2, j] > best_ratio * (1.0 + 1e-12):
            best, best_ratio = j, gain / found[2, j]
    if best_ratio == 0.0:
        found[0, best] = -np.inf
    return best


@inner
def _is_empty(layout, criterion, histogram, total, n_sums, b):  # type: ignore[no-untyped-def]
    """Whether no row of the node is in global bin b; sums of rows are positive and exact."""
    n_all = layout.size
    if criterion == SQUARED_ERROR:
        return histogram[n_all + b] == 0
    if criterion == COST:
        return histogram[b * total.shape[0] + n_sums] == 0
    occupied = np.int64(0)
    for k in range(n_sums):
        if total[k] > 0:  # planes of absent classes are not filled
            occupied |= histogram[b + k * n_all]
    return occupied == 0


@inner
def next_occupied(layout, rules, histogram, total, n_sums, j, b):  # type: ignore[no-untyped-def]
    """Return the first bin after b of the histogram's feature j that holds rows of the node."""
    b += 1
    while _is_empty(layout, rules.criterion, histogram, total, n_sums, layout.offset[j] + b):
        b += 1
    return b


@inner
def threshold_of(  # type: ignore[no-untyped-def]
    data, layout, rules, histogram, total, n_sums, j, b, right, stream
):
    """Return (bin, threshold): the last bin that goes left, and the value that says so.

    The threshold is midway between the largest value on the left, in bin b of feature j, and the
    smallest on the right of the node; bins between them, empty in the node, fall on the side where
    the threshold puts them.
    """
    if b == data.n_bins[j] - 1:
        return b, np.inf
    if rules.random:
        return draw(data, layout, rules.criterion, histogram, total, n_sums, j, stream)
    first = data.offset[j]
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
def draw(data, layout, criterion, histogram, total, n_sums, j, stream):  # type: ignore[no-untyped-def]
    """Return (bin, threshold) of a threshold drawn uniformly between the node's extreme values.

    The bin is -1 if all present values are equal.
    """
    first, right = data.offset[j], data.n_bins[j] - 1
    left = 0
    while left < right and _is_empty(layout, criterion, histogram, total, n_sums, first + left):
        left += 1
    while left < right and _is_empty(layout, criterion, histogram, total, n_sums, first + right):
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
