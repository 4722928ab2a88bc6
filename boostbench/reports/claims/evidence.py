"""Evidence of claims: the cells that a claim looks at, the values there, and its cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.kind_options import Scope
from boostbench.reports.claims.inference import Design, Outcome, Sample, Statistic, Unit, mean_of
from boostbench.reports.values.frame import Result, Study, error_curve, noise_label
from boostbench.reports.values.metrics import END, METRICS, Metric

#: Gives the study of another config.
Studies = Callable[[Config], Study]


@dataclass(frozen=True)
class Cell:
    """A place in the grid of an experiment: where a claim looks for one of its cases.

    Attributes
    ----------
    group : str
        The claim's rule must be met in every group.
    datasets : tuple of str
        One, or all those whose mean is looked at.
    noise : str
        Label.
    at : int or "end"
        Round T.
    booster : str
        Empty for cases about several boosters.
    subject : str
        The cell in words, less its group.
    """

    group: str
    datasets: tuple[str, ...]
    noise: str
    at: int | str
    booster: str = ""
    subject: str = ""


@dataclass(frozen=True)
class Selection:
    """The part of an experiment that a claim is about.

    Attributes
    ----------
    datasets, noises : tuple of str
        Labels; noises by rising rate.
    value : str
        A key of `METRICS`.
    at : tuple of (int or "end")
    excepted : tuple of dict
        Each leaves out the cells that agree with all its keys: ``dataset``, ``noise``, ``at``,
        ``booster``.
    per : {"dataset", "mean"}
    pooled : bool
        Whether all noises and T make one group.
    """

    datasets: tuple[str, ...] = ()
    noises: tuple[str, ...] = ()
    value: str = "test_error"
    at: tuple[int | str, ...] = (END,)
    excepted: tuple[dict[str, Any], ...] = ()
    per: Literal["dataset", "mean"] = "dataset"
    pooled: bool = False


@dataclass(frozen=True)
class Case:
    """One of the things that have to hold.

    Attributes
    ----------
    group : str
    subject : str
        A data set, the mean over data sets, a booster ...
    outcome : Outcome
    numbers : dict of str to str
        The numbers behind the outcome, by column.
    """

    group: str
    subject: str
    outcome: Outcome
    numbers: dict[str, str] = field(default_factory=dict)


class Evidence:
    """The runs of an experiment, as a claim looks at them.

    Parameters
    ----------
    scope : Scope
        The data sets, noises and boosters of the config; there need not be runs of all of them.
    results : iterable of Result
        Without any, every case is missing; a claim is tried so when its config is read.
    selection : Selection
    studies : callable or None, default=None
        Gives the runs of another config.
    """

    def __init__(
        self,
        scope: Scope,
        results: Iterable[Result],
        selection: Selection,
        studies: Studies | None = None,
    ) -> None:
        self.scope = scope
        self.selection = selection
        self.studies = studies
        self._results: dict[tuple[str, str, str], list[Result]] = {}
        for result in results:
            key = (result.run.dataset, result.run.method, result.noise)
            self._results.setdefault(key, []).append(result)

    @property
    def metric(self) -> Metric:
        """The quantity of the claim."""
        return METRICS[self.selection.value]

    def cells(
        self,
        boosters: Sequence[str] = ("",),
        *,
        along: Literal["", "rounds", "noise"] = "",
        named: bool | None = None,
    ) -> Iterator[Cell]:
        """Yield the cells of a claim: noises, T, data sets, boosters, without the exceptions.

        Parameters
        ----------
        boosters : sequence of str, default=("",)
            Labels of boosters that have cases of their own.
        along : {"", "rounds", "noise"}
            An axis that the kind walks along itself; cells stand at its first value, and an
            exception anywhere on it leaves out the whole.
        named : bool, default=None
            Whether subjects name the booster; by default if there are several.
        """
        chosen = self.selection
        noises = chosen.noises[:1] if along == "noise" else chosen.noises
        rounds = chosen.at[:1] if along == "rounds" else chosen.at
        named = len(boosters) > 1 if named is None else named
        for noise, at in itertools.product(noises, rounds):
            words = [noise] if len(noises) > 1 else []
            words += [f"T = {at}"] if len(rounds) > 1 else []
            group, more = ("", words) if chosen.pooled else (", ".join(words), [])
            kept = [d for d in chosen.datasets if not self._excepts(along, d, noise, at)]
            parts: list[tuple[str, ...]] = [(name,) for name in kept]
            if chosen.per == "mean":
                parts = [tuple(kept)] if kept else []
            for datasets, booster in itertools.product(parts, boosters):
                if booster and self._excepts(along, datasets[0], noise, at, booster):
                    continue
                mean = "mean" if len(datasets) == 1 else f"mean of {len(datasets)}"
                name = datasets[0] if chosen.per == "dataset" else mean
                subject = ", ".join([name, *more, *([booster] if named else [])])
                yield Cell(group, datasets, noise, at, booster, subject)

    def sample(
        self,
        cell: Cell,
        booster: str = "",
        *,
        value: str = "",
        counted: bool = False,
        rounds: int | None = None,
    ) -> Sample:
        """Return a booster's values in a cell, one per seed and fold.

        Parameters
        ----------
        cell : Cell
        booster : str, default=""
            Label; that of the cell by default.
        value : str, default=""
            A key of `METRICS`; that of the claim by default.
        counted : bool, default=False
            Whether errors are counted instead of their share.
        rounds : int or None, default=None
            Runs of another number of rounds have no value.
        """
        metric = value or self.selection.value

        def read(result: Result) -> float:
            if rounds not in (None, result.run.rounds):
                return math.nan
            at = result.run.rounds if cell.at == END else int(cell.at)
            found = float(error_curve(result, metric, [at])[0])
            size = METRICS[metric].size
            return (
                found * getattr(result.record, size)
                if counted and size and result.record
                else found
            )

        return self.gathered(cell, read, booster)

    def gathered(self, cell: Cell, read: Callable[[Result], float], booster: str = "") -> Sample:
        """Return what ``read`` makes of the runs in a cell, the mean over its data sets.

        Parameters
        ----------
        cell : Cell
        read : callable
            Takes a `Result` that is ok; NaN stands for no value.
        booster : str, default=""
            Label; that of the cell by default.
        """
        label = booster or cell.booster
        return mean_of([self._of_dataset(name, cell, label, read) for name in cell.datasets])

    def of(self, config: Config) -> Evidence:
        """Return the same of another config's runs; without noise if it has some without."""
        scope = config.scope()
        clean = [noise for noise in scope.noises if noise.model == "none"]
        selection = replace(self.selection, noises=tuple(map(noise_label, clean or scope.noises)))
        is_known = self.studies is not None and bool(self._results)
        results = self.studies(config).results if self.studies and is_known else ()
        return Evidence(scope, results, selection, self.studies)

    def text(self, sample: Sample, *, value: str = "", statistic: Statistic = "mean") -> str:
        """Return the mean of a sample as tables show it; a dash if it is empty."""
        middle = sample.middle(statistic)
        return "–" if middle is None else METRICS[value or self.selection.value].text(middle)

    def change(self, outcome: Outcome) -> str:
        """Return a difference with its interval as tables show it."""
        if outcome.difference is None:
            return "–"
        text = self._signed(outcome.difference)
        if outcome.interval is None:
            return text
        low, high = outcome.interval
        return f"{text} ({self._signed(low)} to {self._signed(high)})"

    def case(self, cell: Cell, outcome: Outcome, numbers: Mapping[str, str]) -> Case:
        """Return a case about a cell."""
        return Case(cell.group, cell.subject, outcome, dict(numbers))

    def _signed(self, value: float) -> str:
        text = self.metric.text(value)
        is_zero = not text.strip("-0.")
        return text.lstrip("-") if is_zero else f"+{text}" if value > 0 else text

    def _excepts(
        self, along: str, dataset: str, noise: str, at: int | str, booster: str = ""
    ) -> bool:
        here = {"dataset": dataset, "noise": noise, "at": at, "booster": booster}
        here.pop("at" if along == "rounds" else along, None)
        return any(
            all(here.get(key, wanted) == wanted for key, wanted in exception.items())
            for exception in self.selection.excepted
        )

    def _of_dataset(
        self, dataset: str, cell: Cell, booster: str, read: Callable[[Result], float]
    ) -> Sample:
        results = self._results.get((dataset, booster, cell.noise), ())
        values: dict[Unit, float] = {}
        gaps: list[str] = []
        name = "/".join([dataset, booster, *([cell.noise] if cell.noise != "clean" else [])])
        for result in results:
            gap = _gap(result, cell.at)
            value = math.nan if gap else read(result)
            if math.isnan(value):
                gaps.append(f"{name}: {gap or 'not recorded'}")
            else:
                values[result.run.seed, result.fold] = value
        units = frozenset((result.run.seed, result.fold) for result in results)
        if not results:
            units = frozenset((seed, 0) for seed in self.scope.seeds)
            gaps.append(f"{name}: not among the runs")
        splits = frozenset(result.run.split for result in results)
        return Sample(values, Design(units, splits), tuple(dict.fromkeys(gaps)))


def _gap(result: Result, at: int | str) -> str:
    """Return the reason why a result says nothing about round T; empty if it does."""
    if not result.ok:
        return result.status
    beyond = at != END and int(at) > result.run.rounds and not result.run.booster.rounds
    return f"T = {at} is beyond the {result.run.rounds} rounds made" if beyond else ""
