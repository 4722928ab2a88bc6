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
from boostbench.reports.values.frame import Result, Study, check_recorded, error_at, round_of
from boostbench.reports.values.rank_statistics import (
    LEVEL,
    ROUNDING,
    Floats,
    quantile,
    signed_rank_p,
    skewed_t_p,
    tail,
)

Unit = tuple[int, int]
#: Difference between the runs of two units: all data, the split of one data set, or only the label
#: noise and the random draws of the booster.
Source = Literal["fresh data", "splits", "one split"]
#: Tests of differences over units.
_TESTS: dict[Source, str] = {
    "fresh data": "paired t test",
    "splits": "corrected resampled t test (Nadeau & Bengio)",
    "one split": "paired t test over seeds, on the given data",
}


class Design(NamedTuple):
    """Design of the runs behind a quantity on one data set, and what follows for tests."""

    units: frozenset[Unit]  # planned
    source: Source = "fresh data"
    ratio: float = 0.0  # of test samples to training samples of a split
    on_test: bool = False  # True if estimated on test samples, False if computed
    problem: str = ""  # data set and split; runs of different problems are not paired
    n_test: int = 1  # test samples of a run

    @property
    def is_given(self) -> bool:
        """True if all runs have one split, which a paper shares."""
        return self.source == "one split"

    @property
    def counts_each(self) -> bool:
        """True if tests compare single test samples: on one split, or with a single unit."""
        return self.is_given or len(self.units) == 1

    @property
    def overlap(self) -> float:
        """Part of the variance between splits that further splits do not reduce."""
        return self.ratio if self.source == "splits" else 0.0

    def inflation(self, n: int) -> float:
        """Return the factor by which overlaps enlarge the variance of a mean of n runs."""
        return 1 + n * self.overlap

    def of_a_run(self, spread: float | None, error: float) -> float:
        """Return the variance of what a new run would vary, such as one of a paper.

        On a given split these are the draws alone, and otherwise also the samples. One run shows no
        variance between runs, so half as much again is added for the training sample.

        Parameters
        ----------
        spread : float or None
            Variance between our runs; None for one run.
        error : float
            Expected error, for the binomial variance of the test samples.
        """
        # Half an error is added on each side, so that the variance is positive without errors.
        binomial = (error * (1 - error) + 1 / self.n_test) / self.n_test
        if self.is_given:
            return binomial if spread is None else spread
        of_samples = binomial / (1 + self.overlap)
        return 1.25 * of_samples if spread is None else max(spread, of_samples)


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
        return combined([self], lambda alone: change(alone[0]))

    def minus(self, other: Repeats) -> Repeats:
        """Return the differences in the common units."""
        return combined([self, other], lambda pair: pair[0] - pair[1])


def over_sets(samples: Sequence[Repeats]) -> Repeats:
    """Return the mean over data sets, one sample each, in each of their common units."""
    if len(samples) == 1:
        return samples[0]
    # Test samples of different data sets are not paired.
    unpaired = [replace(sample, on_each={}) for sample in samples]
    return replace(combined(unpaired, mean), sets=tuple(samples))


def sample_of(
    results: Iterable[Result],
    name: str = "",
    *,
    metric: str = "",
    at: int | str | None = None,
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
    at : int, "end" or None, default=None
        Round T, by default the last; see `round_of`.
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
        unit, T = (result.run.seed, result.fold), round_of(result.run, at)
        value = np.nan if T is None or not result.ok else read(result)
        if np.isnan(value):
            beyond = f"T = {at} is beyond the {result.run.rounds} rounds made" if T is None else ""
            gaps.append(f"{name}: {beyond or 'not recorded' if result.ok else result.status}")
            continue
        values[unit] = value
        # Only where tests need them: those of thousands of runs on fresh data take much memory.
        by_sample = bool(metric) and bool(QUANTITIES[metric].samples)
        if by_sample and design.counts_each and result.record is not None and T is not None:
            right = result.record.right_at(T)
            if right is not None:
                on_each[unit] = (~right).astype(np.float64)
    return Repeats(values, design, tuple(dict.fromkeys(gaps)), on_each)


def design_of(results: Sequence[Result], *, on_test: bool = False) -> Design:
    """Return the design of runs on one data set."""
    units = frozenset((result.run.seed, result.fold) for result in results)
    if not results:
        return Design(units, on_test=on_test)
    source, problem = _source_and_problem(results[0].run.data, results[0].run.split)
    records = [result.record for result in results if result.ok and result.record]
    ratios = [record.n_test / record.n_train for record in records if record.n_train]
    n_test = max((record.n_test for record in records), default=1)
    return Design(units, source, max(ratios, default=0.0), on_test, problem, n_test)


@cache
def _source_and_problem(data: Data, its_split: str | Params) -> tuple[Source, str]:
    split = its_split.plain() if isinstance(its_split, Params) else {"official": True}
    split.pop("fold", None)
    source: Source = "one split" if "official" in split else "splits"
    with suppress(BoostbenchError):
        is_generated = len(data.params) or find_entry(data.component).generator
        source = "fresh data" if is_generated and "folds" not in split else source
    return source, canonical_json([data.name, data.params.plain(), data.encode, split])


def mean(parts: Sequence[Any]) -> Any:
    """Return the mean of numbers or arrays, a function for `combined`."""
    return sum(parts) / len(parts)


def in_common(samples: Iterable[Repeats]) -> list[Repeats]:
    """Return the samples with the values in their common units alone, in the order of the units."""
    samples = list(samples)
    units = sorted(set.intersection(*(set(each.values) for each in samples)))
    return [replace(each, values={unit: each.values[unit] for unit in units}) for each in samples]


class Samples(dict[tuple[str, str, str], Repeats]):
    """Samples by the labels of noise, data set and booster; empty for a cell without runs."""

    def __missing__(self, labels: tuple[str, str, str]) -> Repeats:
        return Repeats({}, Design(frozenset()))


def samples_of(study: Study, metric: str, at: int | None = None) -> Samples:
    """Return a metric at round T, by default the last of each run, in all cells of a study.

    Raises
    ------
    BoostbenchError
        If no finished run recorded the metric, or none is finished.
    """
    check_recorded(study, metric)
    if not study.contenders:
        raise BoostbenchError("no run has a result yet")
    cells = study.cells.items()
    return Samples({labels: sample_of(of, metric=metric, at=at) for labels, of in cells})


def side_by_side(samples: Samples, boosters: Sequence[str]) -> dict[tuple[str, str], list[Repeats]]:
    """Return the samples of some boosters in their common units, by noise and data set.

    Noises and data sets without a common unit are left out.
    """
    places = dict.fromkeys((noise, dataset) for noise, dataset, _ in samples)
    found = {place: in_common(samples[*place, name] for name in boosters) for place in places}
    return {place: side for place, side in found.items() if side[0].values}


def combined(samples: Sequence[Repeats], join: Callable[[Sequence[Any]], Any]) -> Repeats:
    """Return a function of the values of several samples in each of their common units.

    It is linear, unless no sample has values by test sample.
    """
    first, *rest = samples
    units = [unit for unit in first.values if all(unit in sample.values for sample in rest)]
    known = [unit for unit in units if all(unit in sample.on_each for sample in samples)]
    has_sets = all(len(sample.sets) == len(first.sets) for sample in rest)
    parts = zip(*(sample.sets for sample in samples), strict=True) if has_sets else ()
    return Repeats(
        {unit: join([sample.values[unit] for sample in samples]) for unit in units},
        first.design._replace(
            units=frozenset().union(*(sample.design.units for sample in samples)),
            on_test=any(sample.design.on_test for sample in samples),
        ),
        tuple(dict.fromkeys(gap for sample in samples for gap in sample.gaps)),
        {unit: join([sample.on_each[unit] for sample in samples]) for unit in known},
        tuple(combined(part, join) for part in parts),
    )


#: Fewest data sets that a test can decide on: with five, all hold by chance with probability 1/32.
FEWEST_SETS = 6
NO_SAMPLES = (
    "one split cannot tell, since records hold no such values by test sample; repeated splits can"
)
UNPAIRED = "the runs are on different problems and cannot be paired"
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
        return tail(self.df, (self.difference - bound) / self.scale)

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
    if pairs.sets:
        means = np.array([statistics.fmean(each.values.values()) for each in pairs.sets])
        return _over_sets(means, n)
    difference = float(values.mean())
    if left.design.problem != right.design.problem:
        return Estimate(difference, n=n, why=UNPAIRED)
    variance = float(values.var(ddof=1)) if n > 1 else 0.0
    variance *= variance > ROUNDING**2
    if design.on_test and (n == 1 or design.is_given):
        parts = [pairs.on_each[unit] for unit in pairs.values if unit in pairs.on_each]
        if len(parts) < n or not all(part.ndim for part in parts):
            return Estimate(difference, n=n, why=NO_SAMPLES)
        return _on_test_samples(difference, np.array(parts), variance)
    if n == 1 or (variance == 0.0 and design.is_given):
        return Estimate(difference, "" if n == 1 else "equal differences in all runs", n)
    if variance == 0.0:
        return _without_spread(difference, n, design)
    name = _TESTS[design.source]
    return Estimate(difference, name, n, variance, variance * design.overlap, n - 1)


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


def _without_spread(difference: float, n: int, design: Design) -> Estimate:
    """Return a difference that is the same in n runs, for an exact sign test.

    Runs on overlapping splits count as a smaller number.
    """
    name = "exact sign test, since differences are equal in all runs"
    return Estimate(difference, name, n, least=0.5 ** (n / design.inflation(n)))


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
        n_doubtful = int(2 * min(0.5, _without_spread(1.0, n, design).least) * len(draws))
        draws[:n_doubtful] = rng.permuted(draws[:n_doubtful], axis=1)
    return draws


@cache
def resampled_sets(m: int) -> NDArray[np.int64]:
    """Return the counts of m data sets in bootstrap resamples, shape (2000, m)."""
    return np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=_RESAMPLES)
