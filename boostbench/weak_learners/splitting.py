"""Splitting: search for the best split of a node in its histogram.

A candidate sends the bins of a feature up to bin b left. If values are missing in rows of the node,
missing values are tried on the right, on the left, and against all present values. Scores are
compared on a grid of width `criteria.TIE`; of tied candidates the lowest feature wins, then missing
values on the right, then the lowest threshold. Rounding errors therefore do not affect the choice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from boostbench.compiled import inner, stage
from boostbench.weak_learners.candidates import (
    Features,
    first_largest,
    list_bins,
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
from boostbench.weak_learners.histograms import has_plane
from boostbench.weak_learners.structures import BLOCK


@inner
def _block_end(hist, first, end):  # type: ignore[no-untyped-def]
    """Return the end of the block of features, from `first` on, that is scanned at a time."""
    following = first + 1
    while following < end and hist.offset[following + 1] - hist.offset[first] <= BLOCK:
        following += 1
    return following


@inner
def _wins(best, key, j, feature):  # type: ignore[no-untyped-def]
    """Return whether a key of feature j is larger than the best one so far, the lower on ties."""
    if feature < 0:
        return key > -np.inf
    return key > best[feature].key or (key == best[feature].key and j < feature)


@inner
def _misses(rules, hist, j):  # type: ignore[no-untyped-def]
    """Return whether values of feature j are missing in rows of the node."""
    missing = hist.offset[j + 1] - 1
    if missing - hist.offset[j] < hist.n_bins[j]:
        return False
    return not _is_empty(rules, hist, missing)


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
            counts, step = rules.n_sums, hist.total.shape[0]
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
def best_ratio(rules, hist, d, best):  # type: ignore[no-untyped-def]
    """Return the feature of the largest gain ratio among those of at least mean gain (C4.5), or -1.

    As in C4.5, gains may be below the mean by 1e-3 bits.
    """
    weight = np.float64(weight_of(rules, hist.total))
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
def _is_empty(rules, hist, b):  # type: ignore[no-untyped-def]
    """Return whether bin b has no row of the node; exact, as sums are of positive integers."""
    if rules.kind == TARGETS:
        return hist.sums[hist.size + b] == 0
    if rules.kind == COSTS:
        return hist.sums[b * hist.total.shape[0] + rules.n_sums] == 0
    occupied = np.int64(0)
    for k in range(rules.n_sums):
        if hist.total[k] > 0:  # the planes of absent classes are not filled
            occupied |= hist.sums[b + k * hist.size]
    return occupied == 0


@inner
def next_occupied(rules, hist, j, b):  # type: ignore[no-untyped-def]
    """Return the first occupied bin after bin b of feature j of the histogram."""
    b += 1
    while _is_empty(rules, hist, hist.offset[j] + b):
        b += 1
    return b


@inner
def sum_left(rules, hist, j, b, missing_left, left):  # type: ignore[no-untyped-def]
    """Write the sums of the rows in the first b + 1 bins of a feature, or with missing values."""
    bin_step, plane_step, n_bins, total = 1, hist.size, hist.n_bins[j], hist.total
    if rules.kind == COSTS:
        bin_step, plane_step = total.shape[0], 1
    for k in range(total.shape[0]):
        run = np.int64(0)
        if has_plane(rules.kind, total, k):
            place = hist.offset[j] * bin_step + k * plane_step
            for c in range(b + 1):
                run += hist.sums[np.uint64(place + c * bin_step)]
            if missing_left:
                run += hist.sums[place + n_bins * bin_step]
        left[k] = run


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
    while left < right and _is_empty(rules, hist, first + left):
        left += 1
    while left < right and _is_empty(rules, hist, first + right):
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
        varies = varies or _varies(rules, hist, order[n])
        n += 1
    return n


@inner
def _varies(rules, hist, j):  # type: ignore[no-untyped-def]
    """Return whether rows of the node differ in feature j."""
    occupied = 0
    for b in range(hist.offset[j], hist.offset[j + 1]):
        occupied += not _is_empty(rules, hist, b)
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


def _search_with(score: Any, listed: bool = True, exactly: bool = False) -> Any:
    """Return the search function of a criterion.

    Parameters
    ----------
    score : compiled function
        Function of `candidates` that scores a block of candidates.
    listed : bool, default=True
        Whether the candidates are listed. Otherwise all bins are candidates: an empty bin ties with
        the bin before it, which wins. Values are not missing, and nothing is drawn or counted.
    exactly : bool, default=False
        Whether the scores are approximate; then every feature has its own best candidate.
    """

    @inner
    def search(rules, data, hist, node, first, end, scan):  # type: ignore[no-untyped-def]
        """Write the best candidate; return its feature, or -1.

        Features and bins are numbered as in the histogram.

        Parameters
        ----------
        rules : GrowthRules
        data : BinnedData
            Provides the values of the bins, for drawn thresholds.
        hist : Histogram
        node : STEP
            Record of `structures.STEP`.
        first, end : int
            Features first..end-1; all features if features are drawn.
        scan : Scan
        """
        best, feature, done, n = scan.best, -1, first, end
        draws = listed and rules.n_drawn < hist.n_bins.shape[0]
        if listed and draws:
            n = draw_features(rules, hist, node, scan)
        while done < n:
            start = scan.order[done] if draws else done
            stop = start + 1 if draws else _block_end(hist, start, end)
            block, following = Features(start, stop, False), start
            while block.first < stop:
                size = hist.offset[block.end] - hist.offset[block.first]
                if listed:
                    list_bins(rules, hist, block, scan)
                    size = scan.where[block.end - block.first]
                score(rules, hist, node, block, scan)
                set_keys(rules, hist, node, scan, size)
                if listed and (rules.random or rules.min_samples_leaf > 1):
                    for j in range(block.first, block.end):
                        _rule_out(rules, data, hist, node, block, j, scan)
                if exactly:
                    for j in range(block.first, block.end):
                        if not block.missing_left:
                            best[j].key = -np.inf
                        c, c_end = scan.where[j - block.first], scan.where[j - block.first + 1]
                        found = pick_exactly(rules, hist, node, c, c_end, scan, best[j])
                        if found >= 0:
                            best[j].bin = scan.bins[found] - hist.offset[j]
                            best[j].missing_left = block.missing_left
                        if _wins(best, best[j].key, j, feature):
                            feature = j
                else:
                    least = best[feature].key if feature >= 0 else -np.inf
                    found, j = first_largest(scan.key[:size], least), block.first
                    if found >= 0:
                        place = scan.bins[found] if listed else hist.offset[j] + found
                        while hist.offset[j + 1] <= place:
                            j += 1
                        if _wins(best, scan.key[found], j, feature):
                            feature, own = j, best[j]
                            own.key, own.gain = scan.key[found], scan.score[found]
                            own.bin, own.missing_left = place - hist.offset[j], block.missing_left
                if not listed:
                    break
                while following < stop and not _misses(rules, hist, following):
                    following += 1
                block = Features(following, following + 1, True)
                following += 1
            done += stop - start
        return feature

    return search


search_two_classes = _search_with(score_two_classes, listed=False)
search_gini = _search_with(score_gini)
search_error = _search_with(score_error)
search_costs = _search_with(score_costs)
search_targets = _search_with(score_targets)
search_entropy = _search_with(score_entropy, exactly=True)
