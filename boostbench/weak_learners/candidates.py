"""Candidates: the splits of a node after each bin of some features, and their scores.

A candidate is the last bin that goes left. Only bins that hold rows of the node are candidates,
since a split after an empty bin equals the split before it. The candidates are listed first, so
that scoring consists of long loops over plain arrays, class by class, which compile to vector
instructions.

Logarithms take most of the time of entropies. All candidates of a feature are therefore scored
with the approximate `about_xlogx`, and those close to the best score once more exactly, which gives
the choice of exact scores.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from boostbench.compiled import in_line, inner
from boostbench.portable.elementary import log2_
from boostbench.weak_learners.criteria import (
    C45,
    COSTS,
    ENTROPY,
    GAIN_RATIO,
    TARGETS,
    about_xlogx,
    weight_of,
    xlogx,
)

#: Approximate scores that differ by more than this share of the weight are in the exact order.
_SLACK = 3e-7
#: The bits of 2**84 and of 2**52, and those of the lower half of an integer.
_UPPER, _LOWER, _HALF = 0x4530000000000000, 0x4330000000000000, 0xFFFFFFFF
_SHIFT = 2.0**84 + 2.0**52


class Features(NamedTuple):
    """Block of features ``first..end-1`` of a histogram, and the side of missing values."""

    first: int
    end: int
    missing_left: bool


@inner
def list_bins(rules, hist, block, scan):  # type: ignore[no-untyped-def]
    """List the candidates of a block of features.

    Empty bins are listed too if thresholds are drawn, since these may fall into empty bins, and in
    compact histograms, which have few: such a candidate ties with the one before it, which wins. If
    missing values go right, the missing bin is listed as well: the candidate before it separates
    present from missing values, and the missing bin leaves nothing on the right.
    """
    start, total = hist.offset[block.first], hist.total
    occupied = scan.left[: hist.offset[block.end] - start]
    for b in range(occupied.shape[0]):
        occupied[b] = rules.random or hist.compact
    if rules.kind == COSTS:
        q = total.shape[0]
        cells = hist.sums[start * q :]
        for b in range(occupied.shape[0]):
            occupied[b] |= cells[b * q + rules.n_sums]
    elif not hist.compact:
        for k in range(rules.n_sums):
            if total[k] != 0 and (rules.kind != TARGETS or k == 1):
                plane = hist.sums[k * hist.size + start :]
                for b in range(occupied.shape[0]):
                    occupied[b] |= plane[b]
    n = np.uint64(0)  # unsigned, so that no check for negative indices is compiled
    for j in range(block.first, block.end):
        scan.where[j - block.first] = n
        offset = hist.offset[j]
        here = occupied[offset - start : hist.offset[j + 1] - start]
        if block.missing_left:  # an empty first bin sends only missing values left
            here[0] = 1
        for b in range(hist.n_bins[j] if block.missing_left else here.shape[0]):
            scan.bins[n], scan.turn[n] = offset + b, j - block.first
            n += np.uint64(here[b] != 0)
    scan.where[block.end - block.first] = n


@inner
def set_keys(rules, hist, node, scan, size):  # type: ignore[no-untyped-def]
    """Turn scores (minus the impurity of the children) into gains, and write the keys.

    A key is the gain rounded to the grid of ties, or the approximate gain for criteria with
    logarithms (see `pick_exactly`), or -inf if a child is too light.
    """
    left, key, score = scan.left[:size], scan.key[:size], scan.score[:size]
    criterion, W = rules.criterion, weight_of(rules, hist.total)
    impurity, grid, least = node.impurity, node.grid, node.least_weight
    nearly = (criterion == ENTROPY) | (criterion == GAIN_RATIO) | (criterion == C45)
    for c in range(size):
        score[c] += impurity
        light = (left[c] < least) | (W - left[c] < least)
        key[c] = -np.inf if light else (score[c] if nearly else np.rint(score[c] * grid))


@inner
def _prefix(plane, total, hist, block, scan, out):  # type: ignore[no-untyped-def]
    """Write for each candidate the sum over the bins of the feature that go left.

    A loop per feature would take longer. Sums over all features of the block therefore come first;
    the bins of each earlier feature add up to the total of the node. Sums beyond int64 wrap around,
    and the differences are right.
    """
    run = plane[hist.offset[block.end] - 1] if block.missing_left else np.int64(0)
    for c in range(out.shape[0]):
        run += plane[np.uint64(scan.bins[c])]
        out[c] = run
    for c in range(out.shape[0]):
        out[c] -= scan.turn[c] * total


@inner
def score_targets(rules, hist, node, block, scan):  # type: ignore[no-untyped-def]
    """Write the left weights, and minus the squared error of the children as scores."""
    size, total = scan.where[block.end - block.first], hist.total
    prefix, left, square = scan.prefix[0, :size], scan.left[:size], node.square
    _prefix(hist.sums, total[0], hist, block, scan, prefix)
    _prefix(hist.sums[hist.size :], total[1], hist, block, scan, left)
    for c in range(size):
        s, w = np.float64(prefix[c]), np.float64(left[c])
        rest, others = np.float64(total[0] - prefix[c]), np.float64(total[1] - left[c])
        scan.score[c] = s * s / w + rest * rest / others - square


@in_line
def _as_float(x: np.int64) -> np.float64:
    """Return an integer from 0 to 2**63 - 1 as a float, rounded as by `numpy.float64`.

    The upper and the lower half become the last bits of 2**84 and of 2**52, in operations that
    processors have for vectors of integers; many have none that converts them.
    """
    upper = np.int64((x >> 32) | _UPPER).view(np.float64)
    lower = np.int64((x & _HALF) | _LOWER).view(np.float64)
    return (upper - _SHIFT) + lower


def _score_labels(term: Any, whole: Any, keeps: bool = False) -> Any:
    """Return the function that scores candidates by the class weights of their children.

    Parameters
    ----------
    term : compiled function
        Adds the weight of a class to a sum for a child: ``sum = term(sum, weight)``.
    whole : compiled function
        Score, given both sums and the weights of the children and of the node.
    keeps : bool, default=False
        Whether the prefix sums of all classes are needed later.
    """

    @inner
    def score(rules, hist, node, block, scan):  # type: ignore[no-untyped-def]
        """Write the left weights, and minus the impurity mass of the children as scores."""
        total, size = hist.total, scan.where[block.end - block.first]
        left, score, right = scan.left[:size], scan.score[:size], scan.key[:size]
        for c in range(size):
            left[c], score[c], right[c] = 0, 0.0, 0.0
        for k in range(rules.n_sums):
            its_total = total[k]
            if its_total != 0:
                prefix = scan.prefix[k if keeps else 0, :size]
                _prefix(hist.sums[k * hist.size :], its_total, hist, block, scan, prefix)
                for c in range(size):
                    left[c] += prefix[c]
                    score[c] = term(score[c], _as_float(prefix[c]))
                    right[c] = term(right[c], _as_float(its_total - prefix[c]))
        W = weight_of(rules, total)
        for c in range(size):
            w, others = _as_float(left[c]), _as_float(W - left[c])
            score[c] = whole(score[c], right[c], w, others, np.float64(W))

    return score


@in_line
def _add_square(total, w):  # type: ignore[no-untyped-def]
    return total + w * w


@in_line
def _gini(left, right, w, others, W):  # type: ignore[no-untyped-def]
    return (left * others + right * w) / (w * others) - W


@in_line
def _larger(total, w):  # type: ignore[no-untyped-def]
    return max(total, w)


@in_line
def _error(left, right, w, others, W):  # type: ignore[no-untyped-def]
    return left + (right - W)


@in_line
def _add_xlogx(total, w):  # type: ignore[no-untyped-def]
    return total + about_xlogx(w)


@in_line
def _entropy(left, right, w, others, W):  # type: ignore[no-untyped-def]
    return left + (right - about_xlogx(w) - about_xlogx(others))


score_gini = _score_labels(_add_square, _gini)
score_error = _score_labels(_larger, _error)
score_entropy = _score_labels(_add_xlogx, _entropy, keeps=True)


@inner
def score_two_classes(rules, hist, node, block, scan):  # type: ignore[no-untyped-def]
    """Write the left weights and scores of all bins.

    The score is minus the Gini mass of the children, ``2 w_0 w_1 / W`` for each child.
    """
    total, start = hist.total, hist.offset[block.first]
    size = hist.offset[block.end] - start
    negative, positive = hist.sums[start : hist.size], hist.sums[hist.size + start :]
    left_0, left_1 = scan.prefix[0, :size], scan.prefix[1, :size]
    for j in range(block.first, block.end):
        run_0, run_1 = np.int64(0), np.int64(0)
        # unsigned, so that no check for negative indices is compiled
        first, end = np.uint64(hist.offset[j] - start), np.uint64(hist.offset[j + 1] - start)
        for b in range(first, end):
            run_0 += negative[b]
            run_1 += positive[b]
            left_0[b], left_1[b] = run_0, run_1
    left, score, total_0, total_1 = scan.left[:size], scan.score[:size], total[0], total[1]
    for b in range(size):
        left[b] = left_0[b] + left_1[b]
        right_0, right_1 = total_0 - left_0[b], total_1 - left_1[b]
        W_l, W_r = _as_float(left[b]), _as_float(right_0 + right_1)
        mass = _as_float(left_0[b]) * _as_float(left_1[b]) * W_r
        mass += _as_float(right_0) * _as_float(right_1) * W_l
        score[b] = -(2.0 * mass / (W_l * W_r))


@inner
def score_costs(rules, hist, node, block, scan):  # type: ignore[no-untyped-def]
    """Write the left weights (sums of all costs), and minus the cost of the children as scores."""
    total, run = hist.total, scan.prefix[0]
    q = total.shape[0]
    for j in range(block.first, block.end):
        missing = (hist.offset[j + 1] - 1) * q
        for k in range(rules.n_sums):
            run[k] = hist.sums[missing + k] if block.missing_left else 0
        start, stop = scan.where[j - block.first], scan.where[j - block.first + 1]
        its_bins, left = scan.bins[start:stop], scan.left[start:stop]
        its_scores = scan.score[start:stop]
        for c in range(its_bins.shape[0]):
            cell = np.uint64(its_bins[c] * q)
            least, least_other, weight = np.int64(2**62), np.int64(2**62), np.int64(0)
            for k in range(rules.n_sums):
                run[k] += hist.sums[cell + np.uint64(k)]
                least = min(least, run[k])
                least_other = min(least_other, total[k] - run[k])
                weight += run[k]
            left[c] = weight
            its_scores[c] = -np.float64(least + least_other)


@inner
def pick_exactly(  # type: ignore[no-untyped-def]
    rules, hist, node, start, end, scan, best
):
    """Return the best of the candidates start..end-1, or -1 if none has a larger key than `best`.

    The listed scores are approximate; those near the largest are computed exactly. Key, gain and
    split information of the candidate are written to `best`. C4.5's gain is corrected for the
    number of candidates.
    """
    largest, found, best_key = _largest(scan.key[start:end]), -1, best.key
    if largest == -np.inf:
        return found
    W = weight_of(rules, hist.total)
    near = largest - _SLACK * np.float64(W)
    for c in range(start, end):
        if scan.key[c] >= near:
            scan.score[c] = _exact_gain(rules, hist, node, W, c, scan)
            scan.key[c] = np.rint(scan.score[c] * node.grid)
            if scan.key[c] > best_key:
                found, best_key = c, scan.key[c]
    if found >= 0:
        share = np.float64(scan.left[found]) / np.float64(W)
        best.key, best.gain = best_key, scan.score[found]
        best.information = -xlogx(share) - xlogx(1.0 - share)
        if rules.criterion == C45:
            best.gain -= log2_(_cuts(start, np.float64(W), scan)) * node.unit
    return found


@inner
def _cuts(start, W, scan):  # type: ignore[no-untyped-def]
    """Return the number of candidates of a feature, at least 1."""
    before, cuts, c = np.int64(0), 0, start
    while np.float64(before) < W:  # the last candidate of the feature has all of the weight
        cuts += scan.left[c] > before and scan.key[c] > -np.inf
        before = scan.left[c]
        c += 1
    return np.float64(max(cuts, 1))


@inner
def _largest(keys):  # type: ignore[no-untyped-def]
    """Return the largest key, by four independent maxima, so that comparisons run in parallel."""
    first, second, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    n = keys.shape[0]
    for c in range(n // 4):
        first, second = max(first, keys[4 * c]), max(second, keys[4 * c + 1])
        third, fourth = max(third, keys[4 * c + 2]), max(fourth, keys[4 * c + 3])
    for c in range(n - n % 4, n):
        first = max(first, keys[c])
    return max(max(first, second), max(third, fourth))


@inner
def first_largest(keys, least):  # type: ignore[no-untyped-def]
    """Return the index of the largest key, the first of several, or -1 if it is below `least`."""
    largest, found = _largest(keys), 0
    if not largest >= least or largest == -np.inf:
        return -1
    while keys[found] < largest:
        found += 1
    return found


@inner
def _exact_gain(rules, hist, node, W, c, scan):  # type: ignore[no-untyped-def]
    """Return the exact decrease of the entropy mass by one candidate."""
    left_sum, right_sum, total = 0.0, 0.0, hist.total
    for k in range(rules.n_sums):
        if total[k] != 0:
            left_sum += xlogx(np.float64(scan.prefix[k, c]))
            right_sum += xlogx(np.float64(total[k] - scan.prefix[k, c]))
    w, others = np.float64(scan.left[c]), np.float64(W - scan.left[c])
    left_sum += right_sum - xlogx(w) - xlogx(others)
    return left_sum + node.impurity
