"""Statistics: conversion of the numbers of a demand to the integers that trees are grown on.

`boostbench.weak_learners.criteria` explains why sums are integers. The function of a kind of demand
fills the rows, labels and statistics of a tree, leaves out rows without influence, and writes the
sums of the root. Positive weights and costs that round to 0 become 1, so that tiny weights still
influence thresholds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from boostbench.compiled import inner
from boostbench.weak_learners.criteria import SIGNED


class Sample(NamedTuple):
    """Summary of the rows that take part in the growth of one tree.

    Attributes
    ----------
    n_active : int
        Number of the rows.
    scale : float
        Sum of all scaled costs or weights; 0 for targets.
    unit : float
        Scaled weight of one case, if the cases sum to the number of samples (C4.5).
    factor, weight_factor : float
        Scaling factors of the numbers and of the weights.
    centre : float
        Weighted mean of the targets, which is subtracted from the targets; 0 otherwise.
    """

    n_active: int
    scale: float
    unit: float
    factor: float
    weight_factor: float
    centre: float


@inner
def _factor(total):  # type: ignore[no-untyped-def]
    """Return the power of two, at most 2**1000, that scales a sum into [2**59, 2**60)."""
    if not total > 0.0:
        return 1.0
    return math.ldexp(1.0, min(60 - math.frexp(total)[1], 1000))


@inner
def prepare_labels(kind, number, count, rows, label, stat, sums):  # type: ignore[no-untyped-def]
    """Scale the weights of labels, or signed weights, whose signs become labels.

    Parameters
    ----------
    kind : int
    number : float64[n]
    count : int64[n] or int64[1]
        Number of samples that each row represents.
    rows, label, stat
        As in `GrowingTree`.
    sums : int64[n_planes]
        Sums of the root; written.
    """
    total, n = 0.0, np.uint64(0)
    for i in range(number.shape[0]):
        w = abs(number[i])
        rows[n] = i
        n += np.uint64(w > 0.0)
        total += w
    factor = _factor(total)
    heavy, cases, step = 0.0, np.int64(0), np.uint64(count.shape[0] > 1)
    both, positive = np.int64(0), np.int64(0)  # additions to one sum in memory would wait
    for k in range(sums.shape[0]):
        sums[k] = 0
    for p in range(n):
        i = rows[p]
        w = number[i]
        if kind == SIGNED:
            label[i] = w > 0.0
            w = abs(w)
        stat[i, 0] = max(np.int64(w * factor + 0.5), np.int64(1))
        heavy += np.float64(stat[i, 0])
        cases += count[i * step]
        if kind == SIGNED:
            both += stat[i, 0]
            positive += stat[i, 0] * label[i]
        else:
            sums[label[i]] += stat[i, 0]
    if kind == SIGNED:
        sums[0], sums[1] = both - positive, positive
    return Sample(int(n), heavy, heavy / np.maximum(cases, 1), factor, factor, 0.0)


@inner
def prepare_costs(cost, rows, stat, sums):  # type: ignore[no-untyped-def]
    """Scale costs, float64[K, n], less the smallest cost of each row."""
    for k in range(cost.shape[0]):
        sums[k] = 0
    n, total = 0, 0.0
    for i in range(cost.shape[1]):
        least, most, row_sum = cost[0, i], cost[0, i], 0.0
        for k in range(cost.shape[0]):
            least, most = min(least, cost[k, i]), max(most, cost[k, i])
        for k in range(cost.shape[0]):
            row_sum += cost[k, i] - least
        rows[n] = i
        n += most > least
        total += row_sum
    factor = _factor(total)
    for p in range(n):
        i = rows[p]
        least = cost[0, i]
        for k in range(cost.shape[0]):
            least = min(least, cost[k, i])
        for k in range(cost.shape[0]):
            over = cost[k, i] - least
            stat[i, k] = max(np.int64(over * factor + 0.5), np.int64(over > 0.0))
            sums[k] += stat[i, k]
    return Sample(n, total * factor, 1.0, factor, factor, 0.0)


@inner
def prepare_targets(target, weight, rows, stat, sums):  # type: ignore[no-untyped-def]
    """Scale weights, and weighted targets less their mean."""
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
    sums[0] = sums[1] = 0
    for p in range(n):
        i = rows[p]
        stat[i, 0] = np.int64(np.rint(weight[i] * (target[i] - mean) * factor))
        stat[i, 1] = max(np.int64(np.rint(weight[i] * weight_factor)), np.int64(1))
        sums[0] += stat[i, 0]
        sums[1] += stat[i, 1]
    return Sample(n, 0.0, 1.0, factor, weight_factor, mean)


@inner
def count_samples(count, rows, stat, total):  # type: ignore[no-untyped-def]
    """Write the number of samples of each row to its last statistic, and add it to the last sum."""
    last = stat.shape[1] - 1
    total[total.shape[0] - 1] = 0
    for p in range(rows.shape[0]):
        i = rows[p]
        stat[i, last] = count[i if count.shape[0] > 1 else 0]
        total[total.shape[0] - 1] += stat[i, last]


@inner
def square_of(stat, rows):  # type: ignore[no-untyped-def]
    """Return the sum of weight times target^2 over the rows.

    It is a float, so it is not a difference of such sums, which would have rounding errors.
    """
    square = 0.0
    for i in range(rows.shape[0]):
        s, w = np.float64(stat[rows[i], 0]), np.float64(stat[rows[i], 1])
        square += s * (s / w)
    return square
