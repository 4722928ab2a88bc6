"""The edge of one weak classifier on one cost matrix whose true labels are the cheapest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import row_sums, total
from boostbench.theory.layout import require, true_label_first
from boostbench.theory.minimal import worst_mean

_Chance = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def uniform_edge(cost: ArrayLike, y: ArrayLike, answers: ArrayLike) -> float:
    r"""Return the largest gamma with which h is as good as the gamma-biased uniform baseline.

    .. math:: \gamma = \frac{\frac1K\sum_{il} C_{il} - C\cdot 1_h}
                            {\frac1K\sum_{il} C_{il} - \sum_i C_{i y_i}}

    Parameters
    ----------
    cost : array_like of float, shape (n, K)
        No label is cheaper than the true one, and in some row one is dearer.
    y, answers : array_like of int, shape (n,)
        True labels; the labels h gives.

    Returns
    -------
    edge : float
        At most 1.

    Raises
    ------
    BoostbenchError
        If a label is cheaper than the true one, or all costs of every row are equal.

    Examples
    --------
    >>> round(uniform_edge([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], [0, 1], [0, 0]), 6)
    0.25
    """
    return _edge(cost, y, answers, lambda rows: row_sums(rows) / rows.shape[1])


def minimal_edge(cost: ArrayLike, y: ArrayLike, answers: ArrayLike) -> float:
    r"""Return the largest gamma with which h meets the minimal condition on this cost matrix.

    The worst baseline of edge gamma costs :math:`\gamma c_0 + (1-\gamma) m` in a row, where m is
    the largest mean of the true label's cost and the a-1 largest others, a = 2..K. So

    .. math:: \gamma = \frac{\sum_i m_i - C\cdot 1_h}{\sum_i m_i - \sum_i C_{i y_i}} .

    Parameters, errors and range are those of `uniform_edge`, which it is at least.

    Examples
    --------
    >>> minimal_edge([[-1.0, 1.0, 0.0], [1.0, -1.0, 0.0]], [0, 1], [0, 0])
    0.0
    """
    return _edge(cost, y, answers, lambda rows: worst_mean(rows[:, 0], rows[:, 1:]))


def _edge(cost: ArrayLike, y: ArrayLike, answers: ArrayLike, chance: _Chance) -> float:
    cost = np.asarray(cost, dtype=np.float64)
    rows = true_label_first(cost, y)
    true = rows[:, 0]
    require(bool((true[:, None] <= rows).all()), "no label may cost less than the true one")
    paid = total(np.take_along_axis(cost, np.asarray(answers)[:, None], axis=1))
    expected, least = total(chance(rows)), total(true)
    require(expected > least, "the costs of every row are equal: any edge is met")
    return (expected - paid) / (expected - least)
