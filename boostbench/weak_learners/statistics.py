"""Statistics: from a demand's numbers to the integers that trees are grown on.

See `boostbench.weak_learners.criteria` for why sums are integers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.criteria import COSTS, SIGNED, TARGETS


class Sample(NamedTuple):
    """The rows that take part in one tree.

    Attributes
    ----------
    n_active : int
    scale : float
        Sum of all costs or weights.
    unit : float
        Weight of one case if the weights summed to the number of samples (C4.5).
    factor, weight_factor : float
        What numbers and weights were multiplied by.
    centre : float
        What was subtracted from the targets: their weighted mean.
    """

    n_active: int
    scale: float
    unit: float
    factor: float
    weight_factor: float
    centre: float


@inner
def _factor(total):  # type: ignore[no-untyped-def]
    """Return the power of two that brings a sum just below 2**61."""
    if not total > 0.0:
        return 1.0
    return math.ldexp(1.0, min(60 - math.frexp(total)[1], 1000))


@inner
def prepare(rules, cost, number, weight, count, rows, label, stat):  # type: ignore[no-untyped-def]
    """Fill rows, labels and integer statistics of one tree; rows without influence are left out.

    Numbers that round to nothing become 1: such rows keep their say about thresholds.

    Parameters
    ----------
    rules : GrowthRules
    cost : float64[K, n]
        For cost statistics; otherwise not looked at, as are the next two for costs.
    number, weight : float64[n]
        The tree's weights, or its signed weights, or its targets and their weights.
    count : int64[n]
        Samples that each row stands for.
    rows : int32[n]
    label : int32[n]
        Holds the labels already, if the weights have no signs.
    stat : int64[n, q]
    """
    if rules.min_samples > 1 or rules.kind == COSTS:
        for i in range(count.shape[0]):
            stat[i, stat.shape[1] - 1] = count[i]
    if rules.kind == COSTS:
        return _prepare_costs(rules, cost, rows, stat)
    if rules.kind == TARGETS:
        return _prepare_targets(number, weight, rows, stat)
    total, n, cases = 0.0, np.int64(0), np.int64(0)
    for i in range(number.shape[0]):
        w = abs(number[i])
        rows[n] = i
        n += w > 0.0
        cases += count[i] if w > 0.0 else 0
        total += w
    factor = _factor(total)
    heavy = 0.0
    for p in range(n):
        i = rows[p]
        w = number[i]
        if rules.kind == SIGNED:
            label[i] = w > 0.0
            w = abs(w)
        stat[i, 0] = max(np.int64(w * factor + 0.5), np.int64(1))
        heavy += np.float64(stat[i, 0])
    return Sample(int(n), heavy, heavy / np.maximum(cases, 1), factor, factor, 0.0)


@stage
def _prepare_costs(rules, cost, rows, stat):  # type: ignore[no-untyped-def]
    """Costs above each row's smallest."""
    n, total = 0, 0.0
    for i in range(cost.shape[1]):
        least, most, row_sum = cost[0, i], cost[0, i], 0.0
        for k in range(rules.n_sums):
            least, most = min(least, cost[k, i]), max(most, cost[k, i])
        for k in range(rules.n_sums):
            row_sum += cost[k, i] - least
        rows[n] = i
        n += most > least
        total += row_sum
    factor = _factor(total)
    for p in range(n):
        i = rows[p]
        least = cost[0, i]
        for k in range(rules.n_sums):
            least = min(least, cost[k, i])
        for k in range(rules.n_sums):
            over = cost[k, i] - least
            stat[i, k] = max(np.int64(over * factor + 0.5), np.int64(over > 0.0))
    return Sample(n, total * factor, 1.0, factor, factor, 0.0)


@stage
def _prepare_targets(target, weight, rows, stat):  # type: ignore[no-untyped-def]
    """Weighted targets about their mean, and weights."""
    n, total, mean = 0, 0.0, 0.0
    for i in range(target.shape[0]):
        w = weight[i]
        rows[n] = i
        n += w > 0.0
        total += w
        mean += w * target[i] if w > 0.0 else 0.0
    mean = mean / total if n else 0.0
    size = 0.0
    for p in range(n):
        i = rows[p]
        size += abs(weight[i] * (target[i] - mean))
    factor, weight_factor = _factor(size), _factor(total)
    for p in range(n):
        i = rows[p]
        stat[i, 0] = np.int64(np.rint(weight[i] * (target[i] - mean) * factor))
        stat[i, 1] = max(np.int64(np.rint(weight[i] * weight_factor)), np.int64(1))
    return Sample(n, 0.0, 1.0, factor, weight_factor, mean)


@inner
def node_sums(rules, rows, label, stat, total):  # type: ignore[no-untyped-def]
    """Add up the statistics of a node's rows; return the sum of weight times squared target."""
    square, counted = 0.0, total.shape[0] > rules.n_sums
    if rules.kind == COSTS:
        for i in range(rows.shape[0]):
            for k in range(total.shape[0]):
                total[k] += stat[rows[i], k]
    elif rules.kind == TARGETS:
        for i in range(rows.shape[0]):
            s, w = stat[rows[i], 0], stat[rows[i], 1]
            total[0] += s
            total[1] += w
            if counted:
                total[2] += stat[rows[i], 2]
            square += np.float64(s) * (np.float64(s) / np.float64(w))
    else:
        for i in range(rows.shape[0]):
            total[label[rows[i]]] += stat[rows[i], 0]
            if counted:
                total[rules.n_sums] += stat[rows[i], 1]
    return square
