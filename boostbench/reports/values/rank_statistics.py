"""P-values and ranks: t distribution, Wilcoxon's signed ranks, ranks of boosters, Holm's method."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Level of one-sided tests, 5 % for both sides.
LEVEL = 0.025
ROUNDING = 1e-12
_DECIMALS = 12


def quantile(df: float, level: float = LEVEL) -> float:
    """Return a lower quantile of the t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(df, level))


def tail(df: float, t: float) -> float:
    """Return the probability of a value up to t under the t distribution."""
    from scipy.special import stdtr

    return float(stdtr(df, t))


def skewed_t_p(values: Floats) -> float:
    """Return the p-value that the mean of values is not below 0, by a t test for skewed values.

    The statistic is that of Johnson (1978, JASA 73, "Modified t tests and confidence intervals for
    asymmetrical populations").
    """
    m, mean, deviation = len(values), float(values.mean()), float(values.std(ddof=1))
    if deviation <= ROUNDING:
        return float(mean >= 0)  # the signed-rank test decides
    third = float(((values - mean) ** 3).mean()) / deviation**2
    shifted = mean + third / (6 * m) + third * (mean / deviation) ** 2 / 3
    return tail(m - 1, shifted / (deviation / math.sqrt(m)))


def signed_rank_p(differences: Floats) -> float:
    """Return the p-value that differences are not below 0, by Wilcoxon's signed-rank test.

    The distribution is exact, also with ties; differences of 0 are left out.

    Examples
    --------
    >>> signed_rank_p(np.array([-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]))
    0.015625
    """
    from scipy.stats import rankdata

    rounded = np.round(differences, _DECIMALS)
    nonzero = rounded[rounded != 0]
    if not len(nonzero):
        return 1.0
    ranks = np.rint(2 * rankdata(np.abs(nonzero))).astype(int)  # doubled: ties have halves
    chances = np.ones(1)  # of each sum of the ranks of positive differences
    for rank in ranks:
        shifted = np.concatenate([np.zeros(rank), chances])
        chances = (np.pad(chances, (0, rank)) + shifted) / 2
    return float(min(1.0, chances[: int(ranks[nonzero > 0].sum()) + 1].sum()))


def competition_ranks(errors: Floats) -> NDArray[np.int64]:
    """Return ranks from 1 for the lowest error; equal errors share the better rank.

    Examples
    --------
    >>> competition_ranks(np.array([[0.2, 0.1, 0.2, 0.3]])).tolist()
    [[2, 1, 2, 4]]
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(errors, method="min", axis=1), dtype=np.int64)


def mean_ranks(errors: Floats) -> Floats:
    """Return the mean rank of each column; equal errors share the mean of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(errors, axis=1).mean(axis=0))


def share_in_words(successes: int, n: int) -> str:
    """Return a share in percent with its 95 % interval (Wilson).

    Examples
    --------
    >>> share_in_words(60, 100)
    '60 % (50 to 69)'
    """
    from scipy.stats import binomtest

    interval = binomtest(successes, n).proportion_ci(method="wilson")
    return f"{100 * successes / n:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method (1979).

    Examples
    --------
    >>> [round(value, 6) for value in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p)
    steps = np.maximum.accumulate(np.sort(p) * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return [float(value) for value in adjusted]
