"""Values of a quantity over repeated runs, with the design of the experiment.

A *unit* is a pair of seed and fold. All boosters have the same split, labels and problem in a unit.
"""

from __future__ import annotations

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

    def union(self, *others: Design) -> Design:
        """Return the design of a combination of quantities."""
        units = self.units.union(*(other.units for other in others))
        on_test = self.on_test or any(other.on_test for other in others)
        return self._replace(units=units, on_test=on_test)


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
        first.design.union(*(sample.design for sample in rest)),
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
