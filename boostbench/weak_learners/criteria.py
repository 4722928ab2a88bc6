"""Criteria: the impurity of a node, as a function of its sums.

All sums are integers: weights, costs and targets are scaled by a power of two and rounded, so that
the sum over all rows stays below 2**61. Integer sums do not depend on the order of the rows, on
subtraction instead of addition, or on threads; the sums of an empty bin are exactly zero; and the
resolution is finer than that of float64 sums. The impurity of a node is a mass: its weight times
the usual impurity.

==============  ===========================================  =================
criterion       impurity of a node                           statistic
==============  ===========================================  =================
gini            ``W - sum_k w_k^2 / W``                      w_k per class
entropy         ``W log2 W - sum_k w_k log2 w_k`` (bits)     w_k per class
error           ``W - max_k w_k``                            w_k per class
cost            ``min_k C_k``                                C_k per label
squared error   ``sum w z^2 - (sum w z)^2 / W``              sum w z, W
==============  ===========================================  =================

`GAIN_RATIO` and `C45` use the entropy and choose among features by the gain ratio.
"""

from __future__ import annotations

import numpy as np

from boostbench.compiled import inner, rough
from boostbench.portable.elementary import log2_
from boostbench.weak_learners import demands

#: Kinds of row statistics: weights and labels; the same from signed weights; costs; targets.
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

#: Gini of two classes without missing values, drawn splits or counted samples: the most frequent
#: case, with a faster search.
TWO_CLASSES = 7

#: Sums whose difference is at most this fraction of the weight of a node tie.
TIE = 1e-12


@inner
def xlogx(x):  # type: ignore[no-untyped-def]
    """Return ``x log2 x``, 0 at 0."""
    return x * log2_(x) if x > 0.0 else 0.0


@rough
def about_xlogx(x):  # type: ignore[no-untyped-def]
    """Return ``x log2 x`` for x >= 0 with an error of at most 5e-8 x; it vectorises.

    The logarithm of the mantissa is a Chebyshev polynomial of degree 8.
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
def weight_of(rules, total):  # type: ignore[no-untyped-def]
    """Return the weight of a node, or the sum of all costs; positive for any row."""
    if rules.criterion == SQUARED_ERROR:
        return total[1]
    weight = np.int64(0)
    for k in range(rules.n_sums):
        weight += total[k]
    return weight


@inner
def impurity(rules, total, square):  # type: ignore[no-untyped-def]
    """Return the impurity mass of a node with the given sums.

    For all criteria without logarithms; see `entropy` for the others.
    """
    if rules.criterion == SQUARED_ERROR:
        targets = np.float64(total[0])
        return max(square - targets * targets / np.float64(total[1]), 0.0)
    least, most = total[0], total[0]
    for k in range(1, rules.n_sums):
        least, most = min(least, total[k]), max(most, total[k])
    if rules.criterion == COST:
        return np.float64(least)
    W = weight_of(rules, total)
    if rules.criterion == ERROR:
        return np.float64(W - most)
    scale, pure = 1.0 / np.float64(W), 0.0
    for k in range(rules.n_sums):
        share = np.float64(total[k]) * scale
        pure += share * share
    return np.float64(W) * (1.0 - pure)


@inner
def entropy(rules, total):  # type: ignore[no-untyped-def]
    """Return the entropy mass, in bits, of a node with the given sums."""
    W = np.float64(weight_of(rules, total))
    scale, pure = 1.0 / W, 0.0
    for k in range(rules.n_sums):
        pure += xlogx(np.float64(total[k]) * scale)
    return W * -pure


@inner
def most_gain(rules, total, impurity):  # type: ignore[no-untyped-def]
    """Return an upper bound of the gain of any split of a node.

    The impurity of a child is at least its weight outside its heaviest class (Hellman & Raviv 1970
    for the entropy), and two children have at most two heaviest classes.
    """
    if rules.kind == COSTS or rules.kind == TARGETS:
        return impurity
    first, second = np.int64(0), np.int64(0)
    for k in range(rules.n_sums):
        second = max(second, min(first, total[k]))
        first = max(first, total[k])
    return impurity - np.float64(weight_of(rules, total) - first - second)


@inner
def resolution(rules, total, square, scale):  # type: ignore[no-untyped-def]
    """Return the difference below which two gains in a node tie.

    The tie is relative to ``scale``, the sum of all costs or weights of the tree, for the cost and
    error criteria, as in the papers, and relative to the node for the other criteria.
    """
    if rules.criterion == SQUARED_ERROR:
        tie = TIE * square
    elif rules.criterion == COST or rules.criterion == ERROR:
        tie = TIE * scale
    else:
        tie = TIE * np.float64(weight_of(rules, total))
    return max(tie, 1e-290)


@inner
def label_of(rules, total):  # type: ignore[no-untyped-def]
    """Return the label of a node: the heaviest class or the cheapest label, the lowest on ties."""
    margin = np.int64(TIE * np.float64(weight_of(rules, total)))
    best = 0
    for k in range(1, rules.n_sums):
        if rules.kind == COSTS:
            better = total[k] < total[best] - margin
        else:
            better = total[k] > total[best] + margin
        if better:
            best = k
    return best
