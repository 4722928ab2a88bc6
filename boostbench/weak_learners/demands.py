"""Demands: the targets that a booster sets a weak learner.

A demand is plain data about the training rows, in their order. A row without influence on a
demand (weight 0, or costs that are all equal) is left out by the weak learner: it moves no
threshold, and costs next to nothing.

A row may stand for several equal samples, as the data say that the weak learner prepared; its
numbers in a demand are the sums over them. A booster that draws samples says with the demand how
many it drew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class WeightedLabels:
    """Answer one label per row; a wrong answer costs the row's weight.

    Attributes
    ----------
    y : ndarray of int32, shape (n,)
        Labels 0..K-1.
    weight : ndarray of float64, shape (n,)
        Not negative.
    n_classes : int
        K.
    count : ndarray of int64, shape (n,), or None
        Samples drawn of each row; None where all samples are asked about.
    """

    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    n_classes: int
    count: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class BinaryLabels:
    """Answer -1 or +1 for each of K questions per row, by one tree per question.

    Attributes
    ----------
    signed_weight : ndarray of float64, shape (n, K)
        The sign is the wanted answer, the magnitude is the weight.
    count : ndarray of int64, shape (n, K), or None
        Samples drawn of each row and question; None where all samples are asked about.
    """

    signed_weight: NDArray[np.float64]
    count: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Costs:
    """Answer one label per row; answering k costs ``cost[i, k]``.

    Attributes
    ----------
    cost : ndarray of float64, shape (n, K)
        Of any sign; only differences within a row matter.
    """

    cost: NDArray[np.float64]


@dataclass(frozen=True)
class Targets:
    """Approach m targets per row in weighted least squares, by one tree per target.

    Attributes
    ----------
    target : ndarray of float64, shape (n, m)
    weight : ndarray of float64, shape (n, m) or (n, 1)
        Not negative.
    """

    target: NDArray[np.float64]
    weight: NDArray[np.float64]


Demand: TypeAlias = WeightedLabels | BinaryLabels | Costs | Targets
