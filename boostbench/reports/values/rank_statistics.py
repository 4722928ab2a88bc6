"""Ranks and tests of boosters over several data sets (Demsar 2006, JMLR 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.reports.text import span
from boostbench.reports.values.frame import Study
from boostbench.reports.values.part_options import check_compared, chosen_round

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
