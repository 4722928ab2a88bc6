"""Values of a quantity over repeated runs, and differences tested according to the design.

A *unit* is a pair of seed and fold. All boosters have the same split, labels and problem in a unit.

| runs | test |
|---|---|
| fresh data for every seed | paired t test |
| repeated splits of one data set | corrected resampled t test (Nadeau & Bengio 2003, eq. 11) |
| several seeds on one split | t test with the spread over seeds and over test samples |
| one run | exact McNemar test on its test samples |
| several data sets | Wilcoxon's signed-rank test and a t test for skewed values |
| equal differences in all runs | exact sign test |
| one run, a quantity without test samples | none, a computed value |

If a test needs what the records do not hold, the difference is known and its p-values are 1.

A tail of a t distribution is a p-value and also, under a flat prior, a posterior probability: the
first two rows are the Bayesian correlated t test (Corani & Benavoli 2015; Benavoli et al. 2017,
JMLR 18).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import find_entry
from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import Data, Params
from boostbench.experiments.streams import canonical_json
from boostbench.quantities import QUANTITIES
from boostbench.reports.values.frame import END, Result, error_at

Unit = tuple[int, int]
#: Difference between the runs of two units: all data, the split of one data set, or only the label
#: noise and the random draws of the booster.
Source = Literal["fresh data", "splits", "one split"]
Floats = NDArray[np.float64]


class Design(NamedTuple):
    """Design of the runs behind a quantity on one data set."""

    units: frozenset[Unit]  # planned
    source: Source = "fresh data"
    ratio: float = 0.0  # of test samples to training samples of a split
    on_test: bool = False  # True if estimated on test samples, False if computed
    problem: str = ""  # data set and split; runs of different problems are not paired

    @property
    def counts_each(self) -> bool:
        """True if tests compare single test samples: on one split, or with a single unit."""
        return self.source == "one split" or len(self.units) == 1

    @property
    def overlap(self) -> float:
        """Part of the variance between splits that further splits do not reduce."""
        return self.ratio if self.source == "splits" else 0.0


@dataclass(frozen=True)
class Repeats:
    """Values of a quantity by unit."""

    values: Mapping[Unit, float]
    design: Design
    gaps: tuple[str, ...] = ()  # reasons for missing values
    #: Values by test sample (1: misclassified) of a unit, where they are recorded.
    on_each: Mapping[Unit, Floats] = field(default_factory=dict)
    sets: tuple[Repeats, ...] = ()  # samples by data set of a mean over data sets; else empty

    @classmethod
    def constant(cls, value: float, like: Repeats) -> Repeats:
        """Return a sample with the same value for each unit of another sample."""
        units = like.design.units
        return cls(
            dict.fromkeys(units, value),
            like.design,
            on_each=dict.fromkeys(units, np.asarray(value, dtype=np.float64)),
            sets=tuple(cls.constant(value, each) for each in like.sets),
        )

    @property
    def mean(self) -> float | None:
        """The mean; None without a value."""
        return statistics.fmean(self.values.values()) if self.values else None

    def map(self, change: Callable[[Any], Any]) -> Repeats:
        """Return the sample with every value changed by a linear function."""
        return _linear([self], lambda alone: change(alone[0]))

    def minus(self, other: Repeats) -> Repeats:
        """Return the differences in the common units."""
        return _linear([self, other], lambda pair: pair[0] - pair[1])


def mean_of(samples: Sequence[Repeats]) -> Repeats:
    """Return the mean of samples in each of their common units."""
    return samples[0] if len(samples) == 1 else _linear(samples, _mean)


def over_sets(samples: Sequence[Repeats]) -> Repeats:
    """Return the mean over data sets, one sample each, in each of their common units."""
    if len(samples) == 1:
        return samples[0]
    # Test samples of different data sets are not paired.
    unpaired = [replace(sample, on_each={}) for sample in samples]
    return replace(_linear(unpaired, _mean), sets=tuple(samples))


def sample_of(
    results: Iterable[Result],
    name: str = "",
    *,
    metric: str = "",
    at: int | str = END,
    read: Callable[[Result], float] | None = None,
) -> Repeats:
    """Return the values of a quantity in the runs of one booster on one data set.

    Parameters
    ----------
    results : iterable of Result
    name : str, default=""
        Name of the runs in gaps.
    metric : str, default=""
        A key of `QUANTITIES`; empty for a value computed by ``read``.
    at : int or "end", default="end"
        Round T. Runs of fewer rounds have no value, unless their booster has a fixed number.
    read : callable, default=None
        Function from an ok `Result` to a number, NaN if there is no value; by default, the metric
        at round T.
    """
    results = list(results)
    read = read or partial(error_at, metric=metric, at=at)
    design = design_of(results, on_test=bool(metric) and QUANTITIES[metric].on_test)
    values: dict[Unit, float] = {}
    on_each: dict[Unit, Floats] = {}
    gaps: list[str] = []
    for result in results:
        unit, why = (result.run.seed, result.fold), _gap(result, at)
        value = np.nan if why else read(result)
        if np.isnan(value):
            gaps.append(f"{name}: {why or 'not recorded'}")
            continue
        values[unit] = value
        # Only where tests need them: those of thousands of runs on fresh data take much memory.
        by_sample = bool(metric) and bool(QUANTITIES[metric].samples)
        if by_sample and design.counts_each and result.record is not None:
            right = result.record.right_at(result.run.rounds if at == END else int(at))
            if right is not None:
                on_each[unit] = (~right).astype(np.float64)
    return Repeats(values, design, tuple(dict.fromkeys(gaps)), on_each)


def _gap(result: Result, at: int | str) -> str:
    """Return the reason why a result has no value at round T; empty if it has one."""
    if not result.ok:
        return result.status
    beyond = at != END and int(at) > result.run.rounds and not result.run.booster.rounds
    return f"T = {at} is beyond the {result.run.rounds} rounds made" if beyond else ""


def design_of(results: Sequence[Result], *, on_test: bool = False) -> Design:
    """Return the design of runs on one data set."""
    units = frozenset((result.run.seed, result.fold) for result in results)
    if not results:
        return Design(units, on_test=on_test)
    source, problem = _source_and_problem(results[0].run.data, results[0].run.split)
    records = [result.record for result in results if result.ok and result.record]
    ratios = [record.n_test / record.n_train for record in records if record.n_train]
    return Design(units, source, max(ratios, default=0.0), on_test, problem)


@cache
def _source_and_problem(data: Data, its_split: str | Params) -> tuple[Source, str]:
    split = its_split.plain() if isinstance(its_split, Params) else {"official": True}
    split.pop("fold", None)
    source: Source = "one split" if "official" in split else "splits"
    with suppress(BoostbenchError):
        is_generated = len(data.params) or find_entry(data.name).generator
        source = "fresh data" if is_generated and "folds" not in split else source
    return source, canonical_json([data.name, data.params.plain(), data.encode, split])


def _mean(parts: Sequence[Any]) -> Any:
    return sum(parts) / len(parts)


def combined(samples: Sequence[Repeats], join: Callable[[Sequence[Any]], Any]) -> Repeats:
    """Return a function of the values of several samples in each of their common units."""
    first, *rest = samples
    units = [unit for unit in first.values if all(unit in sample.values for sample in rest)]
    return Repeats(
        {unit: join([sample.values[unit] for sample in samples]) for unit in units},
        first.design._replace(
            units=frozenset().union(*(sample.design.units for sample in samples)),
            on_test=any(sample.design.on_test for sample in samples),
        ),
        tuple(dict.fromkeys(gap for sample in samples for gap in sample.gaps)),
    )


def _linear(samples: Sequence[Repeats], join: Callable[[Sequence[Any]], Any]) -> Repeats:
    """Return a linear combination of samples, also of their parts by test sample and data set."""
    first, *rest = samples
    joined = combined(samples, join)
    known = [unit for unit in joined.values if all(unit in sample.on_each for sample in samples)]
    sets: tuple[Repeats, ...] = ()
    if first.sets and all(len(sample.sets) == len(first.sets) for sample in rest):
        parts = zip(*(sample.sets for sample in samples), strict=True)
        sets = tuple(_linear(part, join) for part in parts)
    on_each = {unit: join([sample.on_each[unit] for sample in samples]) for unit in known}
    return replace(joined, on_each=on_each, sets=sets)


#: Level of one-sided tests, 5 % for both sides.
LEVEL = 0.025
ROUNDING = 1e-12
#: Fewest data sets that a test can decide on: with five, all hold by chance with probability 1/32.
FEWEST_SETS = 6
NO_SAMPLES = (
    "one split cannot tell, since records hold no such values by test sample; repeated splits can"
)
UNPAIRED = "the runs are on different problems and cannot be paired"
_MOST_DF = 1e6
_DECIMALS = 12
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
    by_set: Floats | None = None  # differences by data set, for the signed-rank test
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
        if self.draws is not None:
            low, high = np.quantile(self.draws, [LEVEL, 1 - LEVEL])
            return float(low), float(high)
        return self.difference - self.reach, self.difference + self.reach

    def not_below(self, bound: float) -> float:
        """Return the p-value of the hypothesis that the difference is at least the bound."""
        return self._p(bound, 1)

    def not_above(self, bound: float) -> float:
        """Return the p-value of the hypothesis that the difference is at most the bound."""
        return self._p(bound, -1)

    def above(self, bound: float) -> float:
        """Return the posterior probability that the difference is at least the bound.

        A difference of 0 in all runs has no spread; any other that is equal in all runs may be due
        to chance.
        """
        if self.draws is not None:
            return float((self.draws >= bound).mean())
        if self.scale == 0.0:
            doubt = min(0.5, self.least) if self.difference else 0.0
            return 1 - doubt if self.difference > bound + ROUNDING else doubt
        return _tail(self.df, (self.difference - bound) / self.scale)

    def _p(self, bound: float, sign: Literal[1, -1]) -> float:
        """Return the p-value of the hypothesis that the signed excess over a bound is positive."""
        from scipy.stats import binomtest

        excess = sign * (self.difference - bound)
        if self.why:
            return 1.0
        if self.discordant is not None and bound == 0.0:
            worse, n = self.discordant[::sign][0], sum(self.discordant)
            return float(binomtest(worse, n, alternative="less").pvalue) if n else 1.0
        if self.by_set is not None:
            excesses = sign * (self.by_set - bound)
            return max(skewed_t_p(excesses), signed_rank_p(excesses))
        if self.scale == 0.0:
            return self.least if excess < -ROUNDING else 1.0
        return _tail(self.df, excess / self.scale)


def quantile(df: float, level: float = LEVEL) -> float:
    """Return a lower quantile of the t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(df, level))


def _tail(df: float, t: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(df, t))


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
    if pairs.sets:
        means = np.array([statistics.fmean(each.values.values()) for each in pairs.sets])
        return _over_sets(means, n)
    difference = float(values.mean())
    if left.design.problem != right.design.problem:
        return Estimate(difference, n=n, why=UNPAIRED)
    variance = float(values.var(ddof=1)) if n > 1 else 0.0
    variance *= variance > ROUNDING**2
    if design.on_test and (n == 1 or design.source == "one split"):
        parts = [pairs.on_each[unit] for unit in pairs.values if unit in pairs.on_each]
        if len(parts) < n or not all(part.ndim for part in parts):
            return Estimate(difference, n=n, why=NO_SAMPLES)
        return _on_test_samples(difference, np.array(parts), variance)
    if n == 1 or (variance == 0.0 and design.source == "one split"):
        return Estimate(difference, "" if n == 1 else "equal differences in all runs", n)
    if variance == 0.0:
        return _without_spread(difference, n, 1 + n * design.overlap)
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
        return Estimate(difference, "normal test on the test samples of one run", fixed=fixed)
    df = (between / n_units + fixed) ** 2 / (
        (between / n_units) ** 2 / (n_units - 1) + fixed**2 / (n - 1)
    )
    name = "t test over seeds and test samples of one split"
    return Estimate(difference, name, n_units, between, fixed, min(df, (n_units - 1) ** 2))


def _without_spread(difference: float, n: int, inflation: float) -> Estimate:
    """Return a difference that is the same in n runs, for an exact sign test.

    Runs on overlapping splits count as a smaller number, by the ``inflation`` of their variance.
    """
    name = "exact sign test, since differences are equal in all runs"
    return Estimate(difference, name, n, least=0.5 ** (n / inflation))


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
    draws = _resampled(means)
    return Estimate(difference, name, n, fixed=fixed, df=m - 1, draws=draws, by_set=means)


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
    return _tail(m - 1, shifted / (deviation / math.sqrt(m)))


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
    overlap = samples[0].design.overlap
    spread = (1 / n + overlap) / rng.chisquare(n - 1, (_POSTERIOR_DRAWS, 1))
    draws = np.asarray(centre + np.sqrt(spread) * normal)
    gaps = values - values[:, :1]
    is_still = (np.ptp(gaps, axis=0) <= ROUNDING) & (np.abs(gaps[0]) > ROUNDING)
    if is_still.any():  # equal differences in few runs may be due to chance
        n_doubtful = int(2 * min(0.5, _without_spread(1.0, n, 1 + n * overlap).least) * len(draws))
        draws[:n_doubtful] = rng.permuted(draws[:n_doubtful], axis=1)
    return draws


@cache
def resampled_sets(m: int) -> NDArray[np.int64]:
    """Return the counts of m data sets in bootstrap resamples, shape (2000, m)."""
    return np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=_RESAMPLES)
