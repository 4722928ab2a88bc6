"""Candidates: what the bins of some features are worth as the last one that goes left.

Only bins that hold rows of the node are candidates: a split after an empty bin is the split before
it. They are listed first; then come long loops over plain arrays, one class after the other, which
become vector instructions.

Logarithms take most of the time of entropies. So all candidates of a feature are scored with
`about_xlogx`, and those near enough to the best one once more, exactly: the choice is that of exact
scores.
"""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import COST, ERROR, GINI, SQUARED_ERROR, about_xlogx, xlogx

#: Rows of the work arrays: integers, of which the last ones are sums per class, and floats.
BINS, WHERE, LEFT, PREFIX = range(4)
KEY, SCORE = range(2)

#: Scores of `about_xlogx` that differ by more than this share of the weight are in the right order.
_SLACK = 3e-7


@inner
def list_bins(layout, rules, histogram, total, n_sums, first, end, missing_left, ints):  # type: ignore[no-untyped-def]
    """List the candidates of some features; those of feature j start at ``WHERE[j - first]``.

    Drawn thresholds may fall into empty bins, which are listed too then. The missing bin is a
    candidate like any other if it does not go left: all present against missing comes before it,
    and it itself leaves nothing on the right.
    """
    bins, where, occupied = ints[BINS], ints[WHERE], ints[LEFT]
    start, n_all = layout.offset[first], layout.size
    size = layout.offset[end] - start
    for b in range(size):
        occupied[b] = rules.random
    if rules.criterion == COST:
        q = total.shape[0]
        cells = histogram[start * q : (start + size) * q]
        for b in range(size):
            occupied[b] |= cells[b * q + n_sums]
    else:
        for k in range(n_sums):
            if total[k] != 0 and (rules.criterion != SQUARED_ERROR or k == 1):
                plane = histogram[k * n_all + start : k * n_all + start + size]
                for b in range(size):
                    occupied[b] |= plane[b]
    n = np.uint64(0)  # unsigned: no negative index to look out for
    for j in range(first, end):
        where[j - first] = n
        offset = layout.offset[j]
        here = occupied[offset - start : layout.offset[j + 1] - start]
        if missing_left:  # an empty first bin sends missing values left alone
            here[0] = 1
        for b in range(layout.n_bins[j] if missing_left else here.shape[0]):
            bins[n] = offset + b
            n += np.uint64(here[b] != 0)
    where[end - first] = n


@inner
def score_candidates(  # type: ignore[no-untyped-def]
    layout, rules, histogram, total, n_sums, node, square, grid, min_weight, first, end,
    missing_left, ints, floats,
):  # fmt: skip
    """Write key, gain and left weight of the listed candidates.

    The key is the gain on the grid of ties, or nearly the gain (see `pick`); -inf where a child
    would be too light.
    """
    n_all, size = layout.size, ints[WHERE, end - first]
    left, key, score = ints[LEFT, :size], floats[KEY, :size], floats[SCORE, :size]
    W = weight_of(rules.criterion, total, n_sums)
    if rules.criterion == COST:
        _score_costs(layout, histogram, total, n_sums, first, end, missing_left, ints, score)
    elif rules.criterion == SQUARED_ERROR:
        prefix = ints[PREFIX]
        _prefix(layout, histogram[:n_all], first, end, missing_left, ints, prefix)
        _prefix(layout, histogram[n_all:], first, end, missing_left, ints, left)
        for c in range(size):
            s, w = np.float64(prefix[c]), np.float64(left[c])
            rest, others = np.float64(total[0] - prefix[c]), np.float64(W - left[c])
            score[c] = s * s / w + rest * rest / others - square
    else:
        _score_labels(
            layout, rules.criterion, histogram, total, n_sums, W, first, end, missing_left, ints,
            left, key, score,
        )  # fmt: skip
    exact = not takes_logs(rules.criterion)
    for c in range(size):
        score[c] += node
        light = (left[c] < min_weight) | (W - left[c] < min_weight)
        key[c] = -np.inf if light else (np.rint(score[c] * grid) if exact else score[c])


@inner
def takes_logs(criterion):  # type: ignore[no-untyped-def]
    """Whether candidates are scored nearly at first."""
    return criterion not in (COST, ERROR, GINI, SQUARED_ERROR)


@inner
def _prefix(layout, plane, first, end, missing_left, ints, out):  # type: ignore[no-untyped-def]
    """Write the sums up to each candidate within its feature."""
    bins, where = ints[BINS], ints[WHERE]
    for j in range(first, end):
        run = plane[layout.offset[j + 1] - 1] if missing_left else np.int64(0)
        here = slice(where[j - first], where[j - first + 1])
        its_bins, its_sums = bins[here], out[here]
        for c in range(its_bins.shape[0]):
            run += plane[np.uint64(its_bins[c])]
            its_sums[c] = run


@stage
def _score_labels(  # type: ignore[no-untyped-def]
    layout, criterion, histogram, total, n_sums, W, first, end, missing_left, ints, left, right_sum,
    score,
):  # fmt: skip
    """Write left weight and minus the children's impurity, for class weights."""
    n_all = layout.size
    left[:] = 0
    score[:] = 0.0
    right_sum[:] = 0.0
    for k in range(n_sums):
        if total[k] == 0:
            continue
        prefix = ints[PREFIX + k if takes_logs(criterion) else PREFIX, : left.shape[0]]
        plane = histogram[k * n_all : (k + 1) * n_all]
        _prefix(layout, plane, first, end, missing_left, ints, prefix)
        if criterion == GINI:
            for c in range(left.shape[0]):
                left[c] += prefix[c]
                here, there = np.float64(prefix[c]), np.float64(total[k] - prefix[c])
                score[c] += here * here
                right_sum[c] += there * there
        elif criterion == ERROR:
            for c in range(left.shape[0]):
                left[c] += prefix[c]
                score[c] = max(score[c], np.float64(prefix[c]))
                right_sum[c] = max(right_sum[c], np.float64(total[k] - prefix[c]))
        else:
            for c in range(left.shape[0]):
                left[c] += prefix[c]
                score[c] += about_xlogx(np.float64(prefix[c]))
                right_sum[c] += about_xlogx(np.float64(total[k] - prefix[c]))
    if criterion == GINI:
        for c in range(left.shape[0]):
            w, others = np.float64(left[c]), np.float64(W - left[c])
            score[c] = (score[c] * others + right_sum[c] * w) / (w * others) - np.float64(W)
    elif criterion == ERROR:
        for c in range(left.shape[0]):
            score[c] += right_sum[c] - np.float64(W)
    else:
        for c in range(left.shape[0]):
            w, others = np.float64(left[c]), np.float64(W - left[c])
            score[c] += right_sum[c] - about_xlogx(w) - about_xlogx(others)


@inner
def _score_costs(  # type: ignore[no-untyped-def]
    layout, histogram, total, n_sums, first, end, missing_left, ints, score
):
    """Write a left weight (the sum of all costs) and minus the children's cost."""
    q, run = total.shape[0], ints[PREFIX]
    for j in range(first, end):
        missing = (layout.offset[j + 1] - 1) * q
        for k in range(n_sums):
            run[k] = histogram[missing + k] if missing_left else 0
        here = slice(ints[WHERE, j - first], ints[WHERE, j - first + 1])
        its_bins, its_scores, left = ints[BINS, here], score[here], ints[LEFT, here]
        for c in range(its_bins.shape[0]):
            cell = np.uint64(its_bins[c] * q)
            least, least_other, weight = np.int64(2**62), np.int64(2**62), np.int64(0)
            for k in range(n_sums):
                run[k] += histogram[cell + np.uint64(k)]
                least = min(least, run[k])
                least_other = min(least_other, total[k] - run[k])
                weight += run[k]
            left[c] = weight
            its_scores[c] = -np.float64(least + least_other)


@inner
def pick(rules, total, n_sums, node, grid, start, end, ints, floats, found):  # type: ignore[no-untyped-def]
    """Return the best of the candidates start..end-1, -1 if none is better than what was found.

    It is noted in ``found``: its key and its gain.
    """
    largest = _largest(floats[KEY, start:end])
    if largest == -np.inf or (largest <= found[0] and not takes_logs(rules.criterion)):
        return -1
    best = start
    if takes_logs(rules.criterion):
        best = _best_of_near(rules, total, n_sums, node, grid, start, end, largest, ints, floats)
    else:
        while floats[KEY, best] < largest:
            best += 1
    if floats[KEY, best] <= found[0]:
        return -1
    found[0], found[1] = floats[KEY, best], floats[SCORE, best]
    return best


@stage
def _best_of_near(  # type: ignore[no-untyped-def]
    rules, total, n_sums, node, grid, start, end, largest, ints, floats
):
    """Return the best of the candidates near the largest score, after scoring them exactly."""
    W = weight_of(rules.criterion, total, n_sums)
    near = largest - _SLACK * np.float64(W)
    keys, scores = floats[KEY, start:end], floats[SCORE, start:end]
    best, best_key = 0, -np.inf
    for c in range(keys.shape[0]):
        if keys[c] >= near:
            scores[c] = _exact_gain(total, n_sums, node, W, start + c, ints)
            keys[c] = np.rint(scores[c] * grid)
            if keys[c] > best_key:
                best, best_key = c, keys[c]
    return start + best


@inner
def _largest(keys):  # type: ignore[no-untyped-def]
    """Return the largest key, four at a time: a comparison need not wait for the one before."""
    first, second, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    n = keys.shape[0]
    for c in range(n // 4):
        first, second = max(first, keys[4 * c]), max(second, keys[4 * c + 1])
        third, fourth = max(third, keys[4 * c + 2]), max(fourth, keys[4 * c + 3])
    for c in range(n - n % 4, n):
        first = max(first, keys[c])
    return max(max(first, second), max(third, fourth))


@inner
def _exact_gain(total, n_sums, node, W, c, ints):  # type: ignore[no-untyped-def]
    """Return the decrease of the entropy mass of one candidate."""
    left_sum, right_sum = 0.0, 0.0
    for k in range(n_sums):
        if total[k] != 0:
            left_sum += xlogx(np.float64(ints[PREFIX + k, c]))
            right_sum += xlogx(np.float64(total[k] - ints[PREFIX + k, c]))
    w, others = np.float64(ints[LEFT, c]), np.float64(W - ints[LEFT, c])
    left_sum += right_sum - xlogx(w) - xlogx(others)
    return left_sum + node


@inner
def weight_of(criterion, total, n_sums):  # type: ignore[no-untyped-def]
    """Return a sum that is positive for any row: the weight, or the sum of all costs."""
    if criterion == SQUARED_ERROR:
        return total[1]
    weight = np.int64(0)
    for k in range(n_sums):
        weight += total[k]
    return weight
