"""Values of a quantity over repeats, with the design of the experiment behind them.

A *unit* is a seed and a fold. All boosters see the same split, labels and problem in it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import find_entry
from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import Params, canonical_json
from boostbench.reports.values.frame import Result
from boostbench.reports.values.metrics import END

Unit = tuple[int, int]
Statistic = Literal["mean", "median"]
#: Difference between the runs of two units: all their data, the split of one data set, or nothing
#: but label noise and the booster's own draws.
Source = Literal["fresh data", "splits", "one split"]
Floats = NDArray[np.float64]


class Design(NamedTuple):
    """Design of the runs behind a quantity on one data set."""

    units: frozenset[Unit]  # those planned
    source: Source = "fresh data"
    ratio: float = 0.0  # test samples by training samples of a split
    on_test: bool = False  # estimated on test samples; else computed
    problem: str = ""  # the data set and how it is split; runs of two problems are not paired

    @property
    def counts_each(self) -> bool:
        """True if test samples are what repeats: tests then ask which of them were right."""
        return self.source == "one split" or len(self.units) == 1

    def union(self, *others: Design) -> Design:
        """Return the design of several quantities taken together."""
        units = self.units.union(*(other.units for other in others))
        on_test = self.on_test or any(other.on_test for other in others)
        return self._replace(units=units, on_test=on_test)


@dataclass(frozen=True)
class Repeats:
    """Values of a quantity by unit."""

    values: Mapping[Unit, float]
    design: Design
    gaps: tuple[str, ...] = ()  # reasons for missing values
    #: The parts of a value, one for each test sample (1: wrong), where records hold them.
    on_each: Mapping[Unit, Floats] = field(default_factory=dict)
    sets: tuple[Repeats, ...] = ()  # the data sets whose mean this is; empty if it is one
    printed: float | None = None  # what the paper has in this place

    @classmethod
    def constant(cls, value: float, like: Repeats) -> Repeats:
        """Return one value for every unit of another sample."""
        units = like.design.units
        return cls(
            dict.fromkeys(units, value),
            like.design,
            on_each=dict.fromkeys(units, np.asarray(value, dtype=np.float64)),
            sets=tuple(cls.constant(value, each) for each in like.sets),
            printed=value,
        )

    @property
    def mean(self) -> float | None:
        """The mean; None without a value."""
        return statistics.fmean(self.values.values()) if self.values else None

    def middle(self, statistic: Statistic) -> float | None:
        """Return the mean or the median; None without a value."""
        if statistic == "mean" or not self.values:
            return self.mean
        return float(statistics.median(self.values.values()))

    def map(self, change: Callable[[Any], Any]) -> Repeats:
        """Return the sample with every value changed by a linear function."""
        return replace(
            self,
            values={unit: change(value) for unit, value in self.values.items()},
            on_each={unit: change(parts) for unit, parts in self.on_each.items()},
            sets=tuple(each.map(change) for each in self.sets),
            printed=None if self.printed is None else change(self.printed),
        )

    def only(self, unit: Unit) -> Repeats:
        """Return the sample of one unit, as a value without spread."""
        design = Design(frozenset([unit]), problem=self.design.problem)
        return Repeats({unit: self.values[unit]}, design)

    def minus(self, other: Repeats) -> Repeats:
        """Return the differences in the units that both have."""
        return _combined([self, other], lambda pair: pair[0] - pair[1])


def mean_of(samples: Sequence[Repeats]) -> Repeats:
    """Return, by unit, the mean over samples; only units that all of them have count."""
    return samples[0] if len(samples) == 1 else _combined(samples, _mean)


def over_sets(samples: Sequence[Repeats]) -> Repeats:
    """Return the mean over data sets."""
    if len(samples) == 1:
        return samples[0]
    # Test samples of different sets do not belong together.
    bare = [replace(its, on_each={}) for its in samples]
    return replace(_combined(bare, _mean), sets=tuple(samples))


def sample_of(
    results: Iterable[Result],
    read: Callable[[Result], float],
    name: str,
    *,
    absent: Callable[[Result], str] = lambda result: "" if result.ok else result.status,
    wrong_at: int | str | None = None,
    on_test: bool = False,
) -> Repeats:
    """Return what runs of one booster on one data set say of a quantity.

    Parameters
    ----------
    results : iterable of Result
    read : callable
        Takes a `Result` that is ok; NaN stands for no value.
    name : str
        Name of the runs in gaps.
    absent : callable
        Returns why a result has no value; empty if it has.
    wrong_at : int, "end" or None, default=None
        The round whose test samples count one by one; None if the quantity is no test error.
    on_test : bool, default=False
        The quantity is estimated on test samples.
    """
    results = list(results)
    design = design_of(results, on_test=on_test)
    values: dict[Unit, float] = {}
    on_each: dict[Unit, Floats] = {}
    gaps: list[str] = []
    for result in results:
        unit, why = (result.run.seed, result.fold), absent(result)
        value = np.nan if why else read(result)
        if np.isnan(value):
            gaps.append(f"{name}: {why or 'not recorded'}")
            continue
        values[unit] = value
        # Thousands of runs on fresh data would take memory that nothing asks for.
        if wrong_at is not None and design.counts_each and result.record is not None:
            at = result.run.rounds if wrong_at == END else int(wrong_at)
            right = result.record.right_at(at)
            if right is not None:
                on_each[unit] = (~right).astype(np.float64)
    return Repeats(values, design, tuple(dict.fromkeys(gaps)), on_each)


def design_of(results: Sequence[Result], *, on_test: bool = False) -> Design:
    """Return the design of runs on one data set."""
    units = frozenset((result.run.seed, result.fold) for result in results)
    if not results:
        return Design(units, on_test=on_test)
    run = results[0].run
    split = run.split.plain() if isinstance(run.split, Params) else {"official": True}
    split.pop("fold", None)
    source: Source = "splits"
    if _is_generated(run.data.name, run.data.params) and "folds" not in split:
        source = "fresh data"
    elif {"official", "first"} & set(split):
        source = "one split"
    records = [result.record for result in results if result.ok and result.record]
    ratios = [record.n_test / record.n_train for record in records if record.n_train]
    data = [run.data.name, run.data.params.plain(), run.data.encode, split]
    ratio = max(ratios, default=0.0)
    return Design(units, source, ratio, on_test, canonical_json(data))


@cache
def _is_generated(name: str, params: Params) -> bool:
    """Tell whether every seed draws the data anew."""
    if len(params):
        return True
    try:
        return bool(find_entry(name).generator)
    except BoostbenchError:
        return False


def _mean(parts: Sequence[Any]) -> Any:
    return sum(parts) / len(parts)


def _combined(samples: Sequence[Repeats], join: Callable[[Sequence[Any]], Any]) -> Repeats:
    first, *rest = samples
    units = [unit for unit in first.values if all(unit in sample.values for sample in rest)]
    known = [unit for unit in units if all(unit in sample.on_each for sample in samples)]
    printed = [sample.printed for sample in samples]
    has_sets = first.sets and all(len(each.sets) == len(first.sets) for each in rest)
    return Repeats(
        {unit: join([sample.values[unit] for sample in samples]) for unit in units},
        first.design.union(*(sample.design for sample in rest)),
        tuple(dict.fromkeys(gap for sample in samples for gap in sample.gaps)),
        {unit: join([sample.on_each[unit] for sample in samples]) for unit in known},
        tuple(_combined(parts, join) for parts in zip(*(s.sets for s in samples), strict=True))
        if has_sets
        else (),
        None if None in printed else join(printed),
    )
