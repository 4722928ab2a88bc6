"""Splitting: search for the best split of a node in its histogram.

A candidate sends the bins of a feature up to bin b left. If values are missing in rows of the node,
missing values are tried on the right, on the left, and against all present values. Scores are
compared on a grid of width `criteria.TIE`; of tied candidates the lowest feature wins, then missing
values on the right, then the lowest threshold. Rounding errors therefore do not affect the choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, stage
from boostbench.weak_learners.candidates import (
    Features,
    list_bins,
    pick,
    pick_exactly,
    score_costs,
    score_entropy,
    score_error,
    score_gini,
    score_targets,
    score_two_classes,
    set_keys,
)
from boostbench.weak_learners.criteria import C45, COSTS, TARGETS, weight_of
from boostbench.weak_learners.structures import BLOCK


class Searched(NamedTuple):
    """A node whose best split is searched for.

    Attributes
    ----------
    total : int64[n_planes]
        Sums over the rows.
    impurity, square : float64
        Impurity mass, and the sum of weight times squared target.
    grid : float64
        Inverse of the difference below which gains tie.
    least_weight : int64
        Smallest weight of a child, at least 1.
    unit : float64
        Weight of one case, for C4.5's correction.
    stream : uint64
        Key of the random draws.
    """

    total: NDArray[np.int64]
    impurity: float
    square: float
    grid: float
    least_weight: int
    unit: float
    stream: int


@inner
def search_two_classes(rules, data, hist, node, first, end, scan):  # type: ignore[no-untyped-def]
    """Write the best candidate of Gini for two classes without missing values.

    Return its feature, or -1. All bins are candidates: an empty bin ties with the bin before it,
    which wins.
    """
    feature = -1
    if first == end:
        return feature
    best = scan.best[first]
    best.key, best.missing_left = -np.inf, False
    while first < end:
        block = Features(first, _block_end(hist, first, end), False)
        start = hist.offset[first]
        size = hist.offset[block.end] - start
        score_two_classes(hist, node, block, scan)
        set_keys(rules, node, scan, size)
        found = pick(rules, node, 0, size, scan, best)
        if found >= 0:
            feature = first
            while hist.offset[feature + 1] <= start + found:
                feature += 1
            best.bin = start + found - hist.offset[feature]
        first = block.end
    if feature >= 0:
        scan.best[feature] = best
    return feature


@inner
def _block_end(hist, first, end):  # type: ignore[no-untyped-def]
    """Return the end of the block of features, from `first` on, that is scanned at a time."""
    following = first + 1
    while following < end and hist.offset[following + 1] - hist.offset[first] <= BLOCK:
        following += 1
    return following


@inner
def _best_of(first, end, best):  # type: ignore[no-untyped-def]
    """Return the feature of the largest key, the first one on ties, or -1 if all are -inf."""
    found, largest = -1, -np.inf
    for j in range(first, end):
        if best[j].key > largest:
            found, largest = j, best[j].key
    return found


@inner
def _misses(rules, hist, total, j):  # type: ignore[no-untyped-def]
    """Return whether values of feature j are missing in rows of the node."""
    missing = hist.offset[j + 1] - 1
    if missing - hist.offset[j] < hist.n_bins[j]:
        return False
    return not _is_empty(rules, hist, total, missing)


@inner
def _rule_out(rules, data, hist, node, block, j, scan):  # type: ignore[no-untyped-def]
    """Set the keys of candidates that were not drawn, or leave too few samples, to -inf."""
    start, stop = scan.where[j - block.first], scan.where[j - block.first + 1]
    bins, key = scan.bins[start:stop], scan.key[start:stop]
    first, n_bins = hist.offset[j], hist.n_bins[j]
    if rules.random:
        only, _ = draw(rules, data, hist, node, j)
        for c in range(bins.shape[0]):
            if bins[c] - first != only and bins[c] - first < n_bins - 1:
                key[c] = -np.inf
    if rules.min_samples_leaf > 1:
        counts, step = rules.n_sums * hist.size, 1
        if rules.kind == COSTS:
            counts, step = rules.n_sums, node.total.shape[0]
        run = hist.sums[counts + (first + n_bins) * step] if block.missing_left else np.int64(0)
        for c in range(bins.shape[0]):
            run += hist.sums[counts + bins[c] * step]
            if run >= rules.min_samples_leaf:
                break
            key[c] = -np.inf
        rest = np.int64(0)
        for c in range(bins.shape[0] - 1, -1, -1):
            if rest >= rules.min_samples_leaf:
                break
            key[c] = -np.inf
            rest += hist.sums[counts + bins[c] * step]


@inner
def best_ratio(rules, node, d, best):  # type: ignore[no-untyped-def]
    """Return the feature of the largest gain ratio among those of at least mean gain (C4.5), or -1.

    As in C4.5, gains may be below the mean by 1e-3 bits.
    """
    weight = np.float64(weight_of(rules, node.total))
    corrected = rules.criterion == C45
    least = 0.0 if corrected else 1e-10
    mean, n = 0.0, 0
    for j in range(d):
        gain = best[j].gain / weight
        if best[j].key > -np.inf and gain > least:
            mean += gain
            n += 1
        else:
            best[j].key = -np.inf
    found, largest = -1, 0.0
    for j in range(d):
        gain, information = best[j].gain / weight, best[j].information
        enough = best[j].key > -np.inf and gain >= mean / max(n, 1) - 1e-3
        enough = enough and (information > 1e-3 or not corrected)
        if enough and gain / information > largest * (1.0 + 1e-12):
            found, largest = j, gain / information
    return found


@inner
def _is_empty(rules, hist, total, b):  # type: ignore[no-untyped-def]
    """Return whether bin b has no row of the node; exact, as sums are of positive integers."""
    if rules.kind == TARGETS:
        return hist.sums[hist.size + b] == 0
    if rules.kind == COSTS:
        return hist.sums[b * total.shape[0] + rules.n_sums] == 0
    occupied = np.int64(0)
    for k in range(rules.n_sums):
        if total[k] > 0:  # the planes of absent classes are not filled
            occupied |= hist.sums[b + k * hist.size]
    return occupied == 0


@inner
def next_occupied(rules, hist, total, j, b):  # type: ignore[no-untyped-def]
    """Return the first occupied bin after bin b of feature j of the histogram."""
    b += 1
    while _is_empty(rules, hist, total, hist.offset[j] + b):
        b += 1
    return b


@stage
def threshold_of(rules, data, j, b, right):  # type: ignore[no-untyped-def]
    """Return (bin, threshold): the last bin that goes left, and the largest value that goes left.

    The threshold is midway between the largest value on the left, in bin b of feature j, and the
    smallest value on the right, in bin `right`. Bins between these, which are empty in the node, go
    to the side given by the threshold.
    """
    last, threshold = b, np.inf
    if b < data.n_bins[j] - 1:
        first = data.offset[j]
        low, high = data.high[first + b], data.low[first + right]
        middle = 0.5 * low + 0.5 * high
        if not low <= middle < high:
            middle = low
        last, threshold = settle(data.low, data.high, first, b, right, middle)
        if rules.criterion == C45:
            threshold = data.high[first + last]
    return last, threshold


@inner
def settle(lows, highs, first, left, right, threshold):  # type: ignore[no-untyped-def]
    """Return the last bin in left..right-1 that is at most the threshold, and the threshold.

    If a bin of several values straddles the threshold, the threshold moves to the gap before that
    bin, so that all rows of a bin go to the same side.
    """
    last = left
    while last + 1 < right and highs[first + last + 1] <= threshold:
        last += 1
    here, following = highs[first + last], lows[first + last + 1]
    if not here <= threshold < following:
        middle = 0.5 * here + 0.5 * following
        threshold = middle if here <= middle < following else here
    return last, threshold


@inner
def draw(rules, data, hist, node, j):  # type: ignore[no-untyped-def]
    """Return (bin, threshold) for a uniform threshold between the extreme values in the node.

    The bin is -1 if all present values are in one bin.
    """
    first, right = data.offset[j], data.n_bins[j] - 1
    left = 0
    while left < right and _is_empty(rules, hist, node.total, first + left):
        left += 1
    while left < right and _is_empty(rules, hist, node.total, first + right):
        right -= 1
    if left >= right:
        return -1, 0.0
    low, high = data.low[first + left], data.high[first + right]
    threshold = low + _uniform(node.stream, j) * (high - low)
    if not low <= threshold < high:
        threshold = low
    return settle(data.low, data.high, first, left, right, threshold)


@inner
def draw_features(rules, hist, node, scan):  # type: ignore[no-untyped-def]
    """Draw the features of a node, write them to the front of the order, and return their number.

    As in scikit-learn, features are drawn without replacement, and further features until one has
    different values in the node.
    """
    d, order = hist.n_bins.shape[0], scan.order
    for j in range(d):
        order[j], scan.best[j].key = j, -np.inf
    stream = ~node.stream  # the stream itself is used for thresholds
    n, varies = 0, False
    while n < d and (n < rules.n_drawn or not varies):
        other = n + np.int64(_uniform(stream, n) * (d - n))
        order[n], order[other] = order[other], order[n]
        varies = varies or _varies(rules, hist, node.total, order[n])
        n += 1
    return n


@inner
def _varies(rules, hist, total, j):  # type: ignore[no-untyped-def]
    """Return whether rows of the node differ in feature j."""
    occupied = 0
    for b in range(hist.offset[j], hist.offset[j + 1]):
        occupied += not _is_empty(rules, hist, total, b)
        if occupied > 1:
            return True
    return False


@inner
def _uniform(stream, j):  # type: ignore[no-untyped-def]
    """Return a pseudo-random number in [0, 1), a hash of the key and the feature (splitmix64)."""
    x = stream + np.uint64(j + 1) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53


def _search_with(score: Any, pick: Any) -> Any:
    """Return the search function of a criterion, given two functions of `candidates`."""

    @inner
    def search(rules, data, hist, node, first, end, scan):  # type: ignore[no-untyped-def]
        """Write the best candidate of each feature; return the best feature, or -1.

        Features and bins are numbered as in the histogram.

        Parameters
        ----------
        rules : GrowthRules
        data : BinnedData
            Provides the values of the bins, for drawn thresholds.
        hist : Histogram
        node : Searched
        first, end : int
            Features first..end-1; all features if features are drawn.
        scan : Scan
        """
        best, draws = scan.best, rules.n_drawn < hist.n_bins.shape[0]
        done, n = first, draw_features(rules, hist, node, scan) if draws else end
        while done < n:
            start = scan.order[done] if draws else done
            stop = start + 1 if draws else _block_end(hist, start, end)
            block, following = Features(start, stop, False), start
            for j in range(start, stop):
                best[j].key = -np.inf
            while block.first < stop:
                list_bins(rules, hist, node.total, block, scan)
                score(rules, hist, node, block, scan)
                set_keys(rules, node, scan, scan.where[block.end - block.first])
                for j in range(block.first, block.end):
                    if rules.random or rules.min_samples_leaf > 1:
                        _rule_out(rules, data, hist, node, block, j, scan)
                    c, c_end = scan.where[j - block.first], scan.where[j - block.first + 1]
                    found = pick(rules, node, c, c_end, scan, best[j])
                    if found >= 0:
                        best[j].bin = scan.bins[found] - hist.offset[j]
                        best[j].missing_left = block.missing_left
                while following < stop and not _misses(rules, hist, node.total, following):
                    following += 1
                block = Features(following, following + 1, True)
                following += 1
            done += stop - start
        return _best_of(first, end, best)

    return search


search_gini = _search_with(score_gini, pick)
search_error = _search_with(score_error, pick)
search_costs = _search_with(score_costs, pick)
search_targets = _search_with(score_targets, pick)
search_entropy = _search_with(score_entropy, pick_exactly)
