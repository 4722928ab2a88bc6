"""Differences of quantities, tested according to the design of the runs, and p-values of ranks.

| runs | test |
|---|---|
| fresh data for every seed | paired t test |
| repeated splits of one data set | corrected resampled t test (Nadeau & Bengio 2003, eq. 11) |
| several seeds on one split | t test with the spread over seeds and over test samples |
| one run | exact McNemar test on its test samples; with a margin, a normal test on them |
| several data sets | Wilcoxon's signed-rank test and a t test for skewed values |
| equal differences in all runs | exact sign test |
| several seeds on one split, a quantity without test samples | paired t test over the seeds |
| one run, such a quantity but a time | none, a computed value |

If a test needs what the records do not hold, the difference is known and its p-values are 1.

A tail of a t distribution is a p-value and also, under a flat prior, a posterior probability: the
first two rows are the Bayesian correlated t test (Corani & Benavoli 2015; Benavoli et al. 2017,
JMLR 18).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from boostbench.reports.values.samples import Floats, Repeats, Source

#: Level of one-sided tests, 5 % for both sides.
LEVEL = 0.025
ROUNDING = 1e-12
#: Rounding before comparison: means of equal counts may differ in the last bits.
DECIMALS = 10
#: Tests of differences over units.
_TESTS: dict[Source, str] = {
    "fresh data": "paired t test",
    "splits": "corrected resampled t test (Nadeau & Bengio)",
    "one split": "paired t test over seeds, on the given data",
}
#: Fewest data sets that a test can decide on: with five, all hold by chance with probability 1/32.
FEWEST_SETS = 6
NO_SAMPLES = (
    "one split cannot tell, since records hold no such values by test sample; repeated splits can"
)
_ON_ONE_RUN = "normal test on the test samples of one run"
UNSHARED = "no runs in common"
_MOST_DF = 1e6
_RESAMPLES = 2000
_POSTERIOR_DRAWS = 20_000


@dataclass(frozen=True)
class Estimate:
    """Estimated difference with its standard error."""

    difference: float
    test: str = ""  # name of the test; empty for a computed value
    n: int = 1  # units
    per_unit: float = 0.0  # the difference has the variance ``per_unit / n + fixed``
    fixed: float = 0.0
    df: float = _MOST_DF  # degrees of freedom of the t distribution
    #: Numbers of test samples that only left, and only right, misclassifies (exact McNemar test).
    discordant: tuple[int, int] | None = None
    #: Differences by data set, for the signed-rank test; their bootstrap is the distribution.
    by_set: Floats | None = None
    least: float = 0.0  # p-value of a difference without spread; 0 for a computed value
    why: str = ""  # reason why no test is possible

    @property
    def scale(self) -> float:
        """Standard error; 0 for a computed value."""
        return math.sqrt(self.per_unit / self.n + self.fixed)

    @property
    def reach(self) -> float:
        """Half the width of the 95 % interval; approximate for a bootstrap."""
        return -quantile(self.df) * self.scale

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        if self.by_set is not None:
            low, high = np.quantile(_resampled(self.by_set), [LEVEL, 1 - LEVEL])
            return float(low), float(high)
        return self.difference - self.reach, self.difference + self.reach

    def with_margin(self, margin: float) -> Estimate:
        """Return the estimate for tests with a margin; that of McNemar has none."""
        return replace(self, test=_ON_ONE_RUN) if margin and self.discordant else self

    def not_below(self, bound: float) -> float:
        """Return the p-value of the hypothesis that the difference is at least the bound."""
        return self._p(bound, 1)

    def not_above(self, bound: float) -> float:
        """Return the p-value of the hypothesis that the difference is at most the bound."""
        return self._p(bound, -1)

    def above(self, bound: float) -> float:
        """Return the posterior probability that the difference is above the bound.

        A difference of 0 in all runs has no spread; any other that is equal in all runs may be due
        to chance.
        """
        if self.by_set is not None:
            return float((_resampled(self.by_set) > bound + ROUNDING).mean())
        if self.scale == 0.0:
            doubt = min(0.5, self.least) if self.difference else 0.0
            return 1 - doubt if self.difference > bound + ROUNDING else doubt
        return tail(self.df, (self.difference - bound) / self.scale)

    def _p(self, bound: float, sign: Literal[1, -1]) -> float:
        """Return the p-value of the hypothesis that the signed excess over a bound is positive."""
        excess = sign * (self.difference - bound)
        if self.why:
            return 1.0
        if self.discordant is not None and bound == 0.0:
            worse, n = self.discordant[::sign][0], sum(self.discordant)
            return float(scipy.stats.binomtest(worse, n, alternative="less").pvalue) if n else 1.0
        if self.by_set is not None:
            excesses = sign * (self.by_set - bound)
            return max(skewed_t_p(excesses), signed_rank_p(excesses))
        if self.scale == 0.0:
            return self.least if excess < -ROUNDING else 1.0
        return tail(self.df, excess / self.scale)


def estimate(left: Repeats, right: Repeats) -> Estimate:
    """Return the difference of two quantities; the design of their runs determines the test.

    Parameters
    ----------
    left, right : Repeats

    Returns
    -------
    estimate : Estimate
    """
    pairs = left.minus(right)
    values = np.array([*pairs.values.values()])
    n, design = len(values), pairs.design
    if n == 0:
        return Estimate(math.nan, why=UNSHARED)
    if pairs.sets:
        return _over_sets(np.array([each.mean for each in pairs.sets]), n)
    difference = float(values.mean())
    if left.design.problem != right.design.problem:
        return Estimate(
            difference, n=n, why="the runs are on different problems and cannot be paired"
        )
    variance = float(values.var(ddof=1)) if n > 1 else 0.0
    variance *= variance > ROUNDING**2
    if design.on_test and (n == 1 or design.is_given):
        parts = [pairs.on_each[unit] for unit in pairs.values if unit in pairs.on_each]
        if len(parts) < n or not all(part.ndim for part in parts):
            return Estimate(difference, n=n, why=NO_SAMPLES)
        return _on_test_samples(difference, np.array(parts), variance)
    if n == 1 and design.is_time:
        return Estimate(difference, why="the time of one run shows no spread; further seeds do")
    if n == 1 or (variance == 0.0 and design.is_given):
        return Estimate(difference, "" if n == 1 else "equal differences in all runs", n)
    if variance == 0.0:
        name = "exact sign test, since differences are equal in all runs"
        return Estimate(difference, name, n, least=design.doubt(n))
    fixed = variance * design.overlap
    return Estimate(difference, _TESTS[design.source], n, variance, fixed, n - 1)


def _on_test_samples(difference: float, parts: Floats, between: float) -> Estimate:
    """Compare two boosters on the test samples of one split, shape (n_units, n_samples).

    One run: exact McNemar test, with the interval of Agresti & Min (2005), who add half a sample to
    each cell. Several seeds: t test with the sum of the variances over seeds and over test samples,
    which counts their interaction twice (Owen 2007, "The pigeonhole bootstrap"), and with
    Satterthwaite's degrees of freedom; with few seeds, whose spread is hardly known, at most
    (n - 1)^2 of them.
    """
    n_units, n = parts.shape
    of_samples = parts.mean(axis=0)
    total, squares = float(of_samples.sum()), float(np.square(of_samples).sum())
    fixed = (squares + 1 - total**2 / (n + 2)) / (n + 2) ** 2
    if n_units == 1:
        if np.isin(parts, (-1.0, 0.0, 1.0)).all():
            discordant = int((parts > 0).sum()), int((parts < 0).sum())
            name = "exact McNemar test on one run"
            return Estimate(difference, name, fixed=fixed, discordant=discordant)
        return Estimate(difference, _ON_ONE_RUN, fixed=fixed)
    of_seeds = between / n_units
    df = (of_seeds + fixed) ** 2 / (of_seeds**2 / (n_units - 1) + fixed**2 / (n - 1))
    name = "t test over seeds and test samples of one split"
    return Estimate(difference, name, n_units, between, fixed, min(df, (n_units - 1) ** 2))


def _over_sets(means: Floats, n: int) -> Estimate:
    """Compare means over data sets, which are the sample rather than their runs.

    The p-value is the larger of those of Wilcoxon's signed-rank test, which is exact for few data
    sets, and of a t test that allows for skewed differences. The interval is that of a bootstrap.
    Percentile intervals are too narrow for few data sets, so the draws are stretched to the width
    of a t interval (Hesterberg 2015, "expanded percentile interval").
    """
    m, difference = len(means), float(means.mean())
    fixed = float(means.var(ddof=1)) / m
    name = "signed-rank test and t test for skewed values over data sets"
    return Estimate(difference, name, n, fixed=fixed, df=m - 1, by_set=means, least=0.5**m)


def _resampled(means: Floats) -> Floats:
    """Return bootstrap draws of the mean over data sets, the first axis of ``means``."""
    m, centre = len(means), means.mean(axis=0)
    stretch = math.sqrt(m / (m - 1)) * quantile(m - 1) / quantile(_MOST_DF)
    return np.asarray(centre + stretch * (resampled_sets(m) @ means / m - centre))


def joint_draws(samples: Sequence[Repeats]) -> Floats:
    """Return joint draws of the means of several quantities in the same units, one column each.

    The difference of two columns has the distribution that `estimate` assumes: the bootstrap over
    data sets, or the t distribution of the correlated t test on a single data set.
    """
    if samples[0].sets:
        return _resampled(np.array([[each.mean for each in sample.sets] for sample in samples]).T)
    units = [*samples[0].values]
    values = np.array([[sample.values[unit] for sample in samples] for unit in units])
    n, centre = len(values), values.mean(axis=0)
    rng = np.random.default_rng(0)
    root = np.linalg.qr(values - centre, mode="r")  # square root of (n - 1) * covariance
    normal = rng.standard_normal((_POSTERIOR_DRAWS, len(root))) @ root
    design = samples[0].design
    spread = (1 / n + design.overlap) / rng.chisquare(n - 1, (_POSTERIOR_DRAWS, 1))
    draws = np.asarray(centre + np.sqrt(spread) * normal)
    gaps = values - values[:, :1]
    is_still = (np.ptp(gaps, axis=0) <= ROUNDING) & (np.abs(gaps[0]) > ROUNDING)
    if is_still.any():  # equal differences in few runs may be due to chance
        n_doubtful = int(2 * min(0.5, design.doubt(n)) * len(draws))
        draws[:n_doubtful] = rng.permuted(draws[:n_doubtful], axis=1)
    return draws


@cache
def resampled_sets(m: int) -> NDArray[np.int64]:
    """Return the counts of m data sets in bootstrap resamples, shape (2000, m)."""
    return np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=_RESAMPLES)


def quantile(df: float) -> float:
    """Return the quantile of the t distribution at `LEVEL`."""
    return float(scipy.special.stdtrit(df, LEVEL))


def tail(df: float, t: float) -> float:
    """Return the probability of a value up to t under the t distribution."""
    return float(scipy.special.stdtr(df, t))


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
    rounded = np.round(differences, 12)  # ties are equal in all but the last bits
    nonzero = rounded[rounded != 0]
    ranks = np.rint(2 * scipy.stats.rankdata(np.abs(nonzero))).astype(int)  # ties have halves
    chances = np.ones(1)  # of each sum of the ranks of positive differences
    for rank in ranks:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return float(min(1.0, chances[: int(ranks[nonzero > 0].sum()) + 1].sum()))


def competition_ranks(errors: Floats) -> NDArray[np.int64]:
    """Return ranks from 1 for the lowest error; equal errors share the better rank.

    Examples
    --------
    >>> competition_ranks(np.array([[0.2, 0.1, 0.2, 0.3]])).tolist()
    [[2, 1, 2, 4]]
    """
    return np.asarray(scipy.stats.rankdata(errors, method="min", axis=1), dtype=np.int64)


def share_in_words(successes: int, n: int) -> str:
    """Return a share in percent with its 95 % interval (Wilson).

    Examples
    --------
    >>> share_in_words(60, 100)
    '60 % (50 to 69)'
    """
    interval = scipy.stats.binomtest(successes, n).proportion_ci(method="wilson")
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
    return [float(value) for value in np.minimum(steps, 1.0)[np.argsort(order)]]
