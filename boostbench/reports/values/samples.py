"""Values of a quantity over repeated runs.

A *unit* is a pair of seed and fold. All boosters have the same split, labels and problem in a unit.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
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
from boostbench.quantities import QUANTITIES, Clock
from boostbench.reports.values.frame import Result, Study, check_recorded, error_at, round_of

Floats = NDArray[np.float64]
Unit = tuple[int, int]
#: Function from an ok result to a number, NaN if there is no value.
Read = Callable[[Result], float]
#: Difference between the runs of two units: all data, the split of one data set, or only the label
#: noise and the random draws of the booster.
Source = Literal["fresh data", "splits", "one split"]


class Design(NamedTuple):
    """Design of the runs behind a quantity on one data set, and what follows for tests."""

    units: frozenset[Unit]  # planned
    source: Source = "fresh data"
    ratio: float = 0.0  # of test samples to training samples of a split
    on_test: bool = False  # True if estimated on test samples, False if computed
    problem: str = ""  # data set and split; runs of different problems are not paired
    n_test: int = 1  # test samples of a run
    is_time: bool = False  # True if measured by a clock, which differs between equal runs

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

    def doubt(self, n: int) -> float:
        """Return the p-value of n equal differences, by an exact sign test.

        Runs on overlapping splits count as a smaller number.
        """
        return float(0.5 ** (n / self.inflation(n)))

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
        values = dict.fromkeys(like.design.units, value)
        on_each = dict.fromkeys(values, np.asarray(value, dtype=np.float64))
        sets = tuple(cls.constant(value, each) for each in like.sets)
        return cls(values, like.design, on_each=on_each, sets=sets)

    @property
    def mean(self) -> float | None:
        """The mean, over data sets that of their means; None without a value."""
        means = [each.mean for each in self.sets if each.mean is not None]
        return statistics.fmean(means or self.values.values()) if self.values else None

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
    return replace(combined(samples, mean, by_sample=False), sets=tuple(samples))


def sample_of(
    results: Iterable[Result],
    name: str = "",
    *,
    metric: str = "",
    at: int | str | None = None,
    read: Read | None = None,
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
    read : Read or None, default=None
        By default, the metric at round T.
    """
    results, quantity = list(results), QUANTITIES.get(metric)
    read = read or partial(error_at, metric=metric, at=at)
    design = design_of(results, on_test=quantity is not None and quantity.on_test)
    design = design._replace(is_time=isinstance(quantity, Clock))
    # Only where tests need them: those of thousands of runs on fresh data take much memory.
    by_sample = design.counts_each and quantity is not None and quantity.samples
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
        record = result.record if by_sample else None
        if record is not None and T is not None and (right := record.right_at(T)) is not None:
            on_each[unit] = (~right).astype(np.float64)
    return Repeats(values, design, tuple(dict.fromkeys(gaps)), on_each)


def design_of(results: Sequence[Result], *, on_test: bool = False) -> Design:
    """Return the design of runs on one data set."""
    units = frozenset((result.run.seed, result.fold) for result in results)
    source, problem = _source_and_problem(results[0].run.data, results[0].run.split)
    records = [result.record for result in results if result.ok and result.record]
    ratios = [record.n_test / record.n_train for record in records if record.n_train]
    n_test = max((record.n_test for record in records), default=1)
    return Design(units, source, max(ratios, default=0.0), on_test, problem, n_test)


@cache
def _source_and_problem(data: Data, its_split: str | Params) -> tuple[Source, str]:
    split = its_split.plain() if isinstance(its_split, Params) else {"official": True}
    split.pop("fold", None)
    is_generated, n_train = bool(len(data.params)), None
    with suppress(BoostbenchError):
        entry = find_entry(data.component)
        is_generated = is_generated or bool(entry.generator)
        n_train = (find_entry(entry.base) if entry.base else entry).n_train
    is_given = "official" in split and ("otherwise" not in split or n_train is not None)
    source: Source = "one split" if is_given else "splits"
    if is_generated and "folds" not in split:
        source = "fresh data"
    return source, canonical_json([data.name, data.params.plain(), data.encode, split])


def mean(parts: Sequence[Any]) -> Any:
    """Return the mean of numbers or arrays, a function for `combined`."""
    return sum(parts) / len(parts)


def in_common(samples: Iterable[Repeats]) -> list[Repeats]:
    """Return the samples with the values in their common units alone, in the order of the units."""
    samples = list(samples)
    units = sorted(set.intersection(*(set(each.values) for each in samples)))
    return [replace(each, values={unit: each.values[unit] for unit in units}) for each in samples]


#: Samples by the labels of noise, data set and booster; empty for a cell without runs.
Samples = defaultdict[tuple[str, str, str], Repeats]


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
    found = Samples(lambda: Repeats({}, Design(frozenset())))
    return found | {of: sample_of(runs, metric=metric, at=at) for of, runs in study.cells.items()}


def side_by_side(samples: Samples, boosters: Sequence[str]) -> dict[tuple[str, str], list[Repeats]]:
    """Return the samples of some boosters in their common units, by noise and data set.

    Noises and data sets without a common unit are left out.
    """
    places = dict.fromkeys((noise, dataset) for noise, dataset, _ in samples)
    found = {place: in_common(samples[*place, name] for name in boosters) for place in places}
    return {place: side for place, side in found.items() if side[0].values}


def combined(
    samples: Sequence[Repeats], join: Callable[[Sequence[Any]], Any], *, by_sample: bool = True
) -> Repeats:
    """Return a function of the values of several samples in each of their common units.

    Values ``by_sample`` need a linear function and paired test samples.
    """
    first, *rest = samples
    units = [unit for unit in first.values if all(unit in sample.values for sample in rest)]
    known = [unit for unit in units if by_sample and all(unit in s.on_each for s in samples)]
    has_sets = all(len(sample.sets) == len(first.sets) for sample in rest)
    parts = zip(*(sample.sets for sample in samples), strict=True) if has_sets else ()
    planned = frozenset().union(*(sample.design.units for sample in samples))
    on_test = any(sample.design.on_test for sample in samples)
    return Repeats(
        {unit: join([sample.values[unit] for sample in samples]) for unit in units},
        first.design._replace(units=planned, on_test=on_test),
        tuple(dict.fromkeys(gap for sample in samples for gap in sample.gaps)),
        {unit: join([sample.on_each[unit] for sample in samples]) for unit in known},
        tuple(combined(part, join) for part in parts),
    )
