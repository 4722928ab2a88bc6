"""Ranks and tests of boosters over several data sets (Demsar 2006, JMLR 7)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.reports.text import span
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import check_compared, chosen_round

#: Most cases that are tested by permutations, for which asymptotic distributions are wrong.
_FEW_CASES = 12
_PERMUTATIONS = 20_000
_DECIMALS = 10  # means of the same counts may differ in the last bits
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cases:
    """Mean errors of boosters in the cases in which all of them have a value."""

    boosters: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]  # data set and noise
    errors: Floats  # shape (n_cases, n_boosters); means over the repeats that all boosters have
    n_planned: int  # planned cases
    repeats: tuple[int, int]  # smallest and largest number of repeats of a case

    @property
    def words(self) -> str:
        """Number of cases and repeats, in words."""
        n = f"{len(self.keys)} cases"
        if len(self.keys) < self.n_planned:
            n += f" of {self.n_planned} with a result"
        return f"{n}, means of {span(self.repeats)} repeat{'s' * (max(self.repeats) > 1)}"

    @property
    def by_set(self) -> Floats:
        """Means over the noises of each data set, shape (n_sets, n_boosters).

        Tests assume independent cases, but noises of one data set are dependent.
        """
        names = np.array([dataset for dataset, _ in self.keys])
        sets = [self.errors[names == name].mean(axis=0) for name in dict.fromkeys(names)]
        return np.round(sets, _DECIMALS)


def case_errors(study: Study, value: str, at: int | None = None) -> Cases:
    """Return the mean error of each booster with a result in each case, a data set with a noise.

    A metric that is better if higher is replaced by 1 minus it.

    Parameters
    ----------
    study : Study
    value : str
        A metric.
    at : int or None, default=None
        Round T; the last of each run by default.

    Raises
    ------
    BoostbenchError
        If no run recorded the metric, there are fewer than two boosters, or no case has a value of
        every booster.
    """
    check_compared(study, value)
    boosters = study.contenders
    complete = study.by_booster(value, chosen_round(study, at))[boosters].dropna()
    if complete.empty:
        raise BoostbenchError("there is no case in which every booster has a result yet")
    grouped = complete.groupby(level=["dataset", "noise"], sort=False, observed=True)
    means, counts = grouped.mean(), grouped.size()
    planned = dict.fromkeys((result.run.dataset, result.noise) for result in study.results)
    keys = [key for key in planned if key in means.index]
    return Cases(
        tuple(boosters),
        tuple(keys),
        np.round(means.loc[keys].to_numpy(dtype=np.float64), _DECIMALS),
        len(planned),
        (int(counts.min()), int(counts.max())),
    )


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


@dataclass(frozen=True)
class RankTests:
    """Tests on mean ranks."""

    mean_ranks: Floats  # shape (k,)
    chi2: float  # Friedman's statistic, corrected for ties
    #: Of equal boosters: by permutations for few cases or two boosters, else by the F-distribution
    #: (Iman & Davenport).
    p: float
    critical_difference: float  # Nemenyi's; mean ranks that are further apart differ significantly
    n: int  # cases
    k: int  # boosters


def compare_ranks(errors: Floats, alpha: float = 0.05) -> RankTests:
    """Test whether boosters differ over cases.

    Parameters
    ----------
    errors : ndarray of float64, shape (n, k)
        At least 2 cases and 2 boosters.
    alpha : float, default=0.05

    Returns
    -------
    tests : RankTests
    """
    from scipy.stats import f as f_distribution
    from scipy.stats import rankdata, studentized_range

    n, k = errors.shape
    ranks = rankdata(errors, axis=1) - (k + 1) / 2
    found, total = np.square(ranks.sum(axis=0)).sum(), np.square(ranks).sum()
    chi2 = float((k - 1) * found / total) if total else 0.0
    if n <= _FEW_CASES or k == 2:
        spread = np.square(_permuted_sums(ranks)).sum(axis=1)
        p = float((spread >= found - 1e-9).mean())
        ideal = np.ptp(_permuted_sums(np.tile(np.arange(1.0, k + 1), (n, 1))), axis=1) / n
        cd = float(np.quantile(ideal, 1 - alpha, method="inverted_cdf")) + 1e-9
    else:
        left = n * (k - 1) - chi2
        F = (n - 1) * chi2 / left if left > 1e-9 * n * k else np.inf
        p = float(f_distribution.sf(F, k - 1, (k - 1) * (n - 1)))
        q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
        cd = q * float(np.sqrt(k * (k + 1) / (6 * n)))
    return RankTests(mean_ranks(errors), chi2, p, cd, n, k)


def _permuted_sums(ranks: Floats) -> Floats:
    """Return the sums of ranks of each booster under permutations of every row.

    All permutations, if they are few, else random ones and the given ranks. The first row may stay
    as it is, since sums are compared without regard to the order of boosters.
    """
    n, k = ranks.shape
    if math.factorial(k) ** (n - 1) <= _PERMUTATIONS:
        sums = ranks[:1]
        for row in ranks[1:]:
            permuted = np.array([*itertools.permutations(row)])
            sums = (sums[:, None] + permuted).reshape(-1, k)
        return sums
    rng = np.random.default_rng(0)
    sums = np.zeros((_PERMUTATIONS, k))
    for row in ranks:
        sums += rng.permuted(np.tile(row, (_PERMUTATIONS, 1)), axis=1)
    return np.vstack([ranks.sum(axis=0), sums])


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


def groups_of(ranks: Floats, critical_difference: float) -> list[tuple[int, int]]:
    """Return the maximal groups of sorted mean ranks that do not differ, as (first, last) indices.

    Examples
    --------
    >>> groups_of(np.array([1.0, 1.5, 2.2, 4.0]), 1.0)
    [(0, 1), (1, 2)]
    """
    ranks = np.sort(ranks)
    ends = [int(np.flatnonzero(ranks <= rank + critical_difference)[-1]) for rank in ranks]
    groups: list[tuple[int, int]] = []
    for first, last in enumerate(ends):
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups
