"""Boosting against a lazy weak learner, which does no more than required (end of Sec. 9).

The learner has all classifiers of the two samples of Figure 1. It tries the two constant ones first
and returns the first classifier whose edge on the cost matrix, over the uniform baseline, is at
least gamma. The constant classifiers meet all demands of SAMME, whose error stays at one half. They
do not meet those of AdaBoost.MM, which reduces the error to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import (
    Space,
    exp,
    log,
    row_sums,
    total,
    true_label_first,
    two_constants,
)

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class LazyGame:
    """Choices of the learner and errors of the booster in each round.

    Attributes
    ----------
    chosen : ndarray of int64, shape (T,)
        Index of the classifier that the learner returned.
    error : ndarray of float64, shape (T,)
        Training error of the combined classifier after each round.
    """

    chosen: Labels
    error: Floats


def lazy_space() -> Space:
    """Return all nine classifiers of the two samples of Figure 1, the two constant ones first."""
    example = two_constants()
    answers = [[0, 0], [1, 1], [0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1], [2, 2]]
    return Space("lazy", example.y, np.array(answers).T, example.n_classes)


def play_lazy(
    booster: str, n_rounds: int = 100, gamma: float = 0.1, space: Space | None = None
) -> LazyGame:
    """Boost with the lazy learner until the error is 0 or the rounds are over.

    Parameters
    ----------
    booster : {"samme", "adaboost-mm"}
        Rule for the costs and the step; AdaBoost.MM uses the approximate step.
    n_rounds : int, default=100
        Largest number of rounds.
    gamma : float, default=0.1
        Smallest edge of the classifiers that the learner returns.
    space : Space, optional
        Classifiers in the order of trial; `lazy_space` by default.

    Returns
    -------
    game : LazyGame
        Shorter than ``n_rounds`` if the error reached 0 or no classifier had the edge.
    """
    costs, step = _RULES[booster]
    space = lazy_space() if space is None else space
    rows = np.arange(len(space.y))
    F = np.zeros((len(space.y), space.n_classes))
    chosen: list[int] = []
    error: list[float] = []
    for _ in range(n_rounds):
        C = costs(F, space.y)
        index = _first_with_edge(space, C, gamma)
        if index is None:
            break
        h = space.predictions[:, index]
        F[rows, h] += step(C, space.y, h)
        chosen.append(index)
        error.append(float((F.argmax(axis=1) != space.y).mean()))
        if error[-1] == 0.0:
            break
    return LazyGame(np.array(chosen, dtype=np.int64), np.array(error))


def uniform_edge(cost: Floats, y: Labels, answers: Labels) -> float:
    r"""Return the largest gamma for which h costs no more than the gamma-biased uniform baseline.

    .. math:: \gamma = \frac{\frac1K\sum_{il} C_{il} - C\cdot 1_h}
                            {\frac1K\sum_{il} C_{il} - \sum_i C_{i y_i}}

    Parameters
    ----------
    cost : ndarray of float64, shape (n, K)
        Costs; the true label is cheapest in each row, and some label is more expensive.
    y, answers : ndarray of int, shape (n,)
        True labels, and labels predicted by h.
    """
    rows = np.arange(len(y))
    paid, least = total(cost[rows, answers]), total(cost[rows, y])
    expected = total(row_sums(true_label_first(cost, y)) / cost.shape[1])
    return (expected - paid) / (expected - least)


def _first_with_edge(space: Space, C: Floats, gamma: float) -> int | None:
    for index, h in enumerate(space.predictions.T):
        if uniform_edge(C, space.y, h) >= gamma:
            return index
    return None


def _samme_costs(F: Floats, y: Labels) -> Floats:
    """Return costs D_i for all wrong labels, where an error of h increases D_i by exp(alpha)."""
    rows = np.arange(len(y))
    D = exp(F[rows, y].min() - F[rows, y])
    C = np.tile((D / total(D))[:, None], (1, F.shape[1]))
    C[rows, y] = 0.0
    return C


def _samme_step(C: Floats, y: Labels, h: Labels) -> float:
    error = max(total(C[np.arange(len(y)), h]), 1e-10)
    return float(log((1.0 - error) / error) + log(C.shape[1] - 1))


def _mm_costs(F: Floats, y: Labels) -> Floats:
    """Return exp(F_il - F_iy) for wrong labels and minus the sum of these for the true one (64)."""
    rows = np.arange(len(y))
    C: Floats = exp(F - F[rows, y][:, None])
    C[rows, y] = 0.0
    C[rows, y] = -row_sums(C)
    return C


def _mm_step(C: Floats, y: Labels, h: Labels) -> float:
    rows = np.arange(len(y))
    delta = min(total(C[rows, h]) / total(C[rows, y]), 1.0 - 1e-10)
    return float(0.5 * log((1.0 + delta) / (1.0 - delta)))


_RULES: dict[str, tuple[Callable[..., Floats], Callable[..., float]]] = {
    "samme": (_samme_costs, _samme_step),
    "adaboost-mm": (_mm_costs, _mm_step),
}
