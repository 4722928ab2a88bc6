r"""Margins, weights, costs and risk of pairs of a sample and a wrong label.

In AdaBoost.MM and MCBoost, the loss of a sample is the sum of :math:`\phi(v_{il})` over the labels
:math:`l \ne y_i`, where :math:`v_{il} = F_{i y_i} - F_{il}` is the margin over label l. The weight
of the pair is :math:`a_{il} = -\phi'(v_{il})`, which is also the cost of predicting l instead of
:math:`y_i`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.losses import EXPONENTIAL, MarginLoss
from boostbench.portable import exp, row_sums, total

Floats = NDArray[np.float64]


def pair_margins(F: Floats, y: NDArray[np.int32]) -> Floats:
    """Return ``v_il = F_iy - F_il``, infinite at the true label, shape (n, K).

    Examples
    --------
    >>> pair_margins(np.array([[3.0, 1.0, 0.5]]), np.array([1])).tolist()
    [[-2.0, inf, 0.5]]
    """
    rows = np.arange(len(y))
    v: Floats = F[rows, y][:, None] - F
    v[rows, y] = np.inf
    return v


def pair_weights(v: Floats, importance: Floats, loss: MarginLoss = EXPONENTIAL) -> Floats:
    """Return ``a_il = importance_il * -phi'(v_il)``, 0 at the true label, shape (n, K).

    Parameters
    ----------
    v : ndarray of float64, shape (n, K)
        Result of `pair_margins`.
    importance : ndarray of float64, shape (n, 1) or (n, K)
        Sample weights, optionally multiplied by the cost of predicting each class; not negative.
    loss : MarginLoss, default=EXPONENTIAL
        Loss phi. For the exponential loss, the weights are divided by the largest ``exp(-v)`` to
        keep them finite; a common factor has no effect on a weak learner.
    """
    a = exp(v.min() - v) if loss is EXPONENTIAL else loss.weight(v)
    a *= importance
    return a


def pair_costs(a: Floats, y: NDArray[np.int32]) -> Floats:
    """Return ``C_il = a_il``, and ``C_iy = -sum_l a_il`` for the true label, shape (n, K)."""
    C = a.copy()
    C[np.arange(len(y)), y] = -row_sums(a)
    return C


def pair_risk(v: Floats, importance: Floats, loss: MarginLoss = EXPONENTIAL) -> float:
    """Return the sum of ``importance_il * phi(v_il)`` over all wrong labels."""
    return total(importance * np.where(v < np.inf, loss.value(v), 0.0))
