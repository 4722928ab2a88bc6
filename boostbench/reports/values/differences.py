"""Differences of two quantities, tested according to the design of the experiment.

| runs | test |
|---|---|
| fresh data for every seed | paired t test |
| repeated splits of one data set | corrected resampled t test (Nadeau & Bengio 2003, eq. 11) |
| several seeds on one split | t test with the spread over seeds and over test samples |
| one run | exact McNemar test on its test samples |
| several data sets | bootstrap over data sets |
| runs that share no data | Welch's t test |
| medians | bootstrap over runs |
| one run, a quantity without test samples | none, a computed value |

A tail of a t distribution is a p-value and also, under a flat prior, a posterior probability: the
first two rows are the Bayesian correlated t test (Corani & Benavoli 2015; Benavoli et al. 2017,
JMLR 18).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from boostbench.reports.values.designs import Floats, Repeats, Statistic

#: Level of one-sided tests, 5 % for both sides.
LEVEL = 0.025
ROUNDING = 1e-12
#: Fewest data sets for a bootstrap: with four, all hold by chance with probability 1/16.
FEWEST_SETS = 5
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
    draws: Floats | None = None  # resampled differences, used instead of the t distribution
    #: Numbers of test samples that only left, and only right, misclassifies (exact McNemar test).
    discordant: tuple[int, int] | None = None

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
        if self.draws is not None:
            low, high = np.quantile(self.draws, [LEVEL, 1 - LEVEL])
            return float(low), float(high)
        return self.difference - self.reach, self.difference + self.reach

    def not_below(self, bound: float) -> float:
        """Return the p-value of the hypothesis that the difference is at least the bound."""
        if self.discordant is not None and bound == 0.0:
            return _one_sided(*self.discordant)
        if self.draws is not None:
            return float((self.draws >= bound).mean())
        return _tail(self.df, (self.difference - bound) / self.scale)

    def not_above(self, bound: float) -> float:
        """Return the p-value of the hypothesis that the difference is at most the bound."""
        if self.discordant is not None and bound == 0.0:
            return _one_sided(*self.discordant[::-1])
        if self.draws is not None:
            return float((self.draws <= bound).mean())
        return _tail(self.df, (bound - self.difference) / self.scale)


def quantile(df: float, level: float = LEVEL) -> float:
    """Return a lower quantile of the t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(df, level))


def _tail(df: float, t: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(df, t))


def estimate(left: Repeats, right: Repeats, statistic: Statistic = "mean") -> Estimate | None:
    """Return the difference of two quantities; the design of their runs determines the test.

    Parameters
    ----------
    left, right : Repeats
    statistic : {"mean", "median"}, default="mean"
        Statistic over units.

    Returns
    -------
    estimate : Estimate or None
        None if the test needs the misclassified test samples and records do not hold them, or if
        Welch's t test lacks values.
    """
    pairs = left.minus(right)
    values = np.array([*pairs.values.values()])
    n, design = len(values), pairs.design
    if pairs.sets:
        means = np.array([statistics.fmean(each.values.values()) for each in pairs.sets])
        return _over_sets(means, n)
    if statistic == "median" and n > 1:
        return _of_medians(left, right, [*pairs.values], 1 + n * pairs.design.overlap)
    difference = float(values.mean())
    if left.design.problem != right.design.problem:
        return _welch(left, right)
    variance = float(values.var(ddof=1)) if n > 1 else 0.0
    variance *= variance > ROUNDING**2
    if design.on_test and (n == 1 or design.source == "one split"):
        parts = [pairs.on_each[unit] for unit in pairs.values if unit in pairs.on_each]
        if len(parts) < n or not all(part.ndim for part in parts):
            return None
        return _on_test_samples(difference, np.array(parts), variance)
    if n == 1 or variance == 0.0:
        return Estimate(difference, "" if n == 1 else "equal differences in all runs", n)
    name = "paired t test"
    if design.source == "splits":
        name = "corrected resampled t test (Nadeau & Bengio)"
    if design.source == "one split":
        name = "paired t test over seeds, on the given data"
    return Estimate(difference, name, n, variance, variance * pairs.design.overlap, n - 1)


def _on_test_samples(difference: float, parts: Floats, between: float) -> Estimate:
    """Compare two boosters on the test samples of one split, shape (n_units, n_samples).

    One run: exact McNemar test, with the interval of Agresti & Min (2005), who add half a sample to
    each cell. Several seeds: t test with the sum of the variances over seeds and over test samples,
    which counts their interaction twice (Owen 2007, "The pigeonhole bootstrap"), and with
    Satterthwaite's degrees of freedom.
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
        return Estimate(difference, "normal test on the test samples of one run", fixed=fixed)
    df = (between / n_units + fixed) ** 2 / (
        (between / n_units) ** 2 / (n_units - 1) + fixed**2 / (n - 1)
    )
    name = "t test over seeds and test samples of one split"
    return Estimate(difference, name, n_units, between, fixed, df)


def _over_sets(means: Floats, n: int) -> Estimate:
    """Compare means by a bootstrap over data sets, which are the sample rather than their runs.

    Percentile intervals are too narrow for few data sets, so the draws are stretched to the width
    of a t interval (Hesterberg 2015, "expanded percentile interval").
    """
    m, difference = len(means), float(means.mean())
    if np.ptp(means) <= ROUNDING:
        return Estimate(difference, "equal differences on all data sets", n)
    fixed = float(means.var(ddof=1)) / m
    name = f"bootstrap over {m} data sets"
    return Estimate(difference, name, n, fixed=fixed, df=m - 1, draws=_resampled(means))


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
    spread = (1 / n + samples[0].design.overlap) / rng.chisquare(n - 1, (_POSTERIOR_DRAWS, 1))
    return np.asarray(centre + np.sqrt(spread) * normal)


@cache
def resampled_sets(m: int) -> NDArray[np.int64]:
    """Return the counts of m data sets in bootstrap resamples, shape (2000, m)."""
    return np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=_RESAMPLES)


def _of_medians(
    left: Repeats, right: Repeats, units: Sequence[tuple[int, int]], inflation: float
) -> Estimate:
    """Compare medians by a paired bootstrap over units, with the variance times ``inflation``."""
    from scipy.stats import bootstrap

    a = np.array([left.values[unit] for unit in units])
    b = np.array([right.values[unit] for unit in units])
    n, difference = len(units), float(np.median(a) - np.median(b))
    result = bootstrap(
        (a, b),
        lambda x, y, axis: np.median(x, axis=axis) - np.median(y, axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=_RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    variance = float(result.standard_error) ** 2 * n
    if variance <= ROUNDING**2:
        return Estimate(difference, "equal medians in all resamples", n)
    fixed = variance * (inflation - 1) / n
    return Estimate(difference, "bootstrap of medians over runs", n, variance, fixed, n - 1)


def _welch(left: Repeats, right: Repeats) -> Estimate | None:
    """Compare the means of unpaired runs; None if a side has fewer than two values."""
    sides = [np.array([*sample.values.values()]) for sample in (left, right)]
    difference = float(sides[0].mean() - sides[1].mean())
    if min(map(len, sides)) < 2:
        return None
    parts = [
        float(side.var(ddof=1)) * (1 / len(side) + sample.design.overlap)
        for side, sample in zip(sides, (left, right), strict=True)
    ]
    variance = sum(parts)
    denominator = sum(part**2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
    n = min(map(len, sides))
    df = variance**2 / denominator if denominator else _MOST_DF
    return Estimate(difference, "Welch's t test, not paired", n, fixed=variance, df=df)


def _one_sided(wrong_left: int, wrong_right: int) -> float:
    """Return the p-value of McNemar's exact test that left misclassifies fewer samples."""
    from scipy.stats import binomtest

    n = wrong_left + wrong_right
    return float(binomtest(wrong_left, n, alternative="less").pvalue) if n else 1.0
