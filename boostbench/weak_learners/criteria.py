"""Criteria: the impurity of a node, as a function of its sums.

All sums are integers: weights, costs and targets are scaled by a power of two and rounded, so that
the sum over all rows stays below 2**61. Integer sums do not depend on the order of the rows, on
subtraction instead of addition, or on threads; an empty bin is exactly empty; and the resolution
is finer than that of float64 sums. The impurity of a node is a mass: weight times the field's
impurity.

==============  ===========================================  =================
criterion       impurity of a node                           statistic
==============  ===========================================  =================
gini            ``W - sum_k w_k^2 / W``                      w_k per class
entropy         ``W log2 W - sum_k w_k log2 w_k`` (bits)     w_k per class
error           ``W - max_k w_k``                            w_k per class
cost            ``min_k C_k``                                C_k per answer
squared error   ``sum w z^2 - (sum w z)^2 / W``              sum w z, W
==============  ===========================================  =================

`GAIN_RATIO` and `C45` use the entropy; they differ in how a split is chosen among features.
"""

from __future__ import annotations

import numpy as np

from boostbench.portable.elementary import log2_
from boostbench.weak_learners import demands
from boostbench.weak_learners.compiled import inner, rough

#: Kinds of row statistics: weight and label; the same from signed weights; costs; targets.
LABELS, SIGNED, COSTS, TARGETS = range(4)
KIND_OF: dict[type, int] = {
    demands.WeightedLabels: LABELS,
    demands.BinaryLabels: SIGNED,
    demands.Costs: COSTS,
    demands.Targets: TARGETS,
}

GINI, ENTROPY, GAIN_RATIO, C45, ERROR, COST, SQUARED_ERROR = range(7)
CRITERIA = {
    "gini": GINI,
    "entropy": ENTROPY,
    "gain-ratio": GAIN_RATIO,
    "c45": C45,
    "error": ERROR,
    "cost": COST,
    "squared-error": SQUARED_ERROR,
}

#: Sums that agree to this fraction of a node's weight are taken to tie.
TIE = 1e-12


@inner
def xlogx(x):  # type: ignore[no-untyped-def]
    """Return ``x log2 x``, 0 at 0."""
    return x * log2_(x) if x > 0.0 else 0.0


@rough
def about_xlogx(x):  # type: ignore[no-untyped-def]
    """Return ``x log2 x`` but for 5e-8 x, for x >= 0, in arithmetic that becomes vectors.

    The logarithm of the mantissa is the Chebyshev polynomial of degree 8.
    """
    bits = np.float64(x).view(np.int64)
    exponent = np.float64((bits >> 52) - 1023)
    mantissa = np.int64((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    t = 2.0 * mantissa - 3.0
    p = -3.46667837699795e-05
    p = p * t + 0.00011545875598492629
    p = p * t - 0.00032321648380348174
    p = p * t + 0.0011707167972767505
    p = p * t - 0.004455188209372488
    p = p * t + 0.017815796271106875
    p = p * t - 0.08014941648012325
    p = p * t + 0.4808979858506571
    p = p * t + 0.5849624944956765
    return x * (exponent + p)


@inner
def impurity(criterion, total, n_sums, square):  # type: ignore[no-untyped-def]
    """Return the impurity mass of a node with the given sums; an upper bound of any gain."""
    if criterion == SQUARED_ERROR:
        return max(square - np.float64(total[0]) ** 2 / np.float64(total[1]), 0.0)
    if criterion == COST:
        least = total[0]
        for k in range(1, n_sums):
            least = min(least, total[k])
        return np.float64(least)
    W = 0
    for k in range(n_sums):
        W += total[k]
    if criterion == ERROR:
        most = total[0]
        for k in range(1, n_sums):
            most = max(most, total[k])
        return np.float64(W - most)
    scale = 1.0 / np.float64(W)
    pure = 0.0
    for k in range(n_sums):
        share = np.float64(total[k]) * scale
        pure += share * share if criterion == GINI else xlogx(share)
    return np.float64(W) * (1.0 - pure if criterion == GINI else -pure)


@inner
def resolution(criterion, total, n_sums, square, scale):  # type: ignore[no-untyped-def]
    """Return the difference below which two gains in a node tie.

    ``scale`` is the sum of all costs or weights of the tree, used by the criteria whose gains have
    long plateaus: the papers state their ties relative to that sum.
    """
    if criterion == SQUARED_ERROR:
        return TIE * square
    if criterion in (COST, ERROR):
        return TIE * scale
    W = 0
    for k in range(n_sums):
        W += total[k]
    return TIE * np.float64(W)


@inner
def answer(kind, total, n_sums):  # type: ignore[no-untyped-def]
    """Return the label a node answers: heaviest class or cheapest answer, the lowest on ties."""
    W = 0
    for k in range(n_sums):
        W += total[k]
    margin = np.int64(TIE * np.float64(W))
    best = 0
    for k in range(1, n_sums):
        if kind == COSTS:
            better = total[k] < total[best] - margin
        else:
            better = total[k] > total[best] + margin
        if better:
            best = k
    return best
