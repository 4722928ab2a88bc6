"""Demands: the learning tasks that a booster passes to a weak learner.

A demand holds arrays with an entry per training row. The weak learner leaves out rows without
influence (weight 0, or equal costs for all labels): they affect no threshold and take almost no
time.

A row may represent several equal samples, as set in ``WeakLearner.prepare``; the numbers of a row
in a demand are then sums over these samples. A booster that resamples gives the numbers of drawn
samples in `count`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class WeightedLabels:
    """Classification: predict one label per row; an error costs the weight of the row.

    Attributes
    ----------
    y : ndarray of int32, shape (n,)
        Labels 0..K-1.
    weight : ndarray of float64, shape (n,)
        Not negative.
    n_classes : int
        K.
    count : ndarray of int64, shape (n,), or None
        Number of samples drawn of each row; None if all samples are used.
    """

    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    n_classes: int
    count: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class BinaryLabels:
    """Binary classification: predict -1 or +1 for each of K questions per row, one tree each.

    Attributes
    ----------
    signed_weight : ndarray of float64, shape (n, K)
        The sign is the binary label, the magnitude is the weight.
    count : ndarray of int64, shape (n, K), or None
        Number of samples drawn of each row and question; None if all samples are used.
    """

    signed_weight: NDArray[np.float64]
    count: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Costs:
    """Cost-sensitive classification: predict one label per row; label k costs ``cost[i, k]``.

    Attributes
    ----------
    cost : ndarray of float64, shape (n, K)
        Of any sign; only differences within a row matter.
    """

    cost: NDArray[np.float64]


@dataclass(frozen=True)
class Targets:
    """Regression: fit m targets per row by weighted least squares, one tree per target.

    Attributes
    ----------
    target : ndarray of float64, shape (n, m)
    weight : ndarray of float64, shape (n, m) or (n, 1)
        Not negative.
    """

    target: NDArray[np.float64]
    weight: NDArray[np.float64]


Demand: TypeAlias = WeightedLabels | BinaryLabels | Costs | Targets


def either(kinds: tuple[type, ...]) -> str:
    """Return the names of kinds of demands, joined by "or"."""
    return " or ".join(kind.__name__ for kind in kinds)
