"""Evidence of claims: cells of an experiment, the values of boosters in them, and cases."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.kind_options import Scope
from boostbench.quantities import QUANTITIES, Quantity
from boostbench.reports.claims.inference import Outcome
from boostbench.reports.values.designs import Design, Repeats, Statistic, over_sets, sample_of
from boostbench.reports.values.frame import END, Result, Study, error_at
from boostbench.reports.values.paper import PRINTED, PaperValue, PaperValues

#: Sample of a test: the runs of each data set, data sets, or data sets for the mean over them.
UnitOfTest = Literal["runs", "sets", "mean"]
#: Function from another config to its study.
Studies = Callable[[Config], Study]


@dataclass(frozen=True)
class Cell:
    """Cell in the grid of an experiment, which a case of a claim is about."""

    group: str  # the claim's rule must be met in every group
    datasets: tuple[str, ...]  # one, or several whose mean is taken
    noise: str  # label
    at: int | str  # round T, or "end"
    booster: str = ""  # empty for cases about several boosters
    subject: str = ""  # the cell in words, without its group


@dataclass(frozen=True)
class CellSelection:
    """Part of an experiment that a claim is about, from the options of the same names."""

    datasets: tuple[str, ...] = ()  # labels
    noise: tuple[str, ...] = ()  # labels by rising rate
    value: str = "test_error"  # a key of `QUANTITIES`
    at: tuple[int | str, ...] = (END,)
    #: Exclusions; each excludes the cells that match all its fields.
    except_: tuple[Iterable[tuple[str, Any]], ...] = ()
    unit: UnitOfTest = "runs"
    pooled: bool = False  # True to count the cases of all noises and T in one group


@dataclass(frozen=True)
class Case:
    """A condition of a claim."""

    group: str
    subject: str  # such as a data set, the mean over data sets or a booster
    outcome: Outcome
    numbers: dict[str, str] = field(default_factory=dict)  # shown with the outcome, by column
    dataset: str = ""  # empty for cases about several data sets
    #: Share of the other boosters whose values also agree with the printed value of this case.
    placebo: float | None = None


class Evidence:
    """Runs of an experiment, from which a kind of claim computes its cases.

    Parameters
    ----------
    scope : Scope
        Data sets, noises and boosters of the config, including those without runs.
    results : iterable of Result
        If empty, every case is missing; the validation of a config relies on this.
    selection : CellSelection
    studies : callable or None, default=None
        Function from another config to its study.
    """

    def __init__(
        self,
        scope: Scope,
        results: Iterable[Result],
        selection: CellSelection,
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
    def metric(self) -> Quantity:
        """The quantity of the claim."""
        return QUANTITIES[self.selection.value]

    def cells(
        self,
        boosters: Sequence[str] = ("",),
        *,
        along: Literal["", "rounds", "noise"] = "",
        named: bool | None = None,
    ) -> Iterator[Cell]:
        """Yield the cells of a claim by noise, T, data set and booster, without its exceptions.

        Parameters
        ----------
        boosters : sequence of str, default=("",)
            Labels of the boosters with separate cases.
        along : {"", "rounds", "noise"}, default=""
            Axis that the kind iterates over itself. Cells are yielded at its first value only, and
            an exception at any value of the axis excludes the cell.
        named : bool or None, default=None
            True to name the booster in subjects; by default, only if there are several boosters.
        """
        chosen = self.selection
        noises = chosen.noise[:1] if along == "noise" else chosen.noise
        rounds = chosen.at[:1] if along == "rounds" else chosen.at
        named = len(boosters) > 1 if named is None else named
        for noise, at in itertools.product(noises, rounds):
            place = [noise] if len(noises) > 1 else []
            place += [f"T = {at}"] if len(rounds) > 1 else []
            group, prefix = ("", place) if chosen.pooled else (", ".join(place), [])
            included = [d for d in chosen.datasets if not self._excepts(along, d, noise, at)]
            parts: list[tuple[str, ...]] = [(name,) for name in included]
            if chosen.unit == "mean":
                parts = [tuple(included)] if included else []
            for datasets, booster in itertools.product(parts, boosters):
                if booster and self._excepts(along, datasets[0], noise, at, booster):
                    continue
                mean = "mean" if len(datasets) == 1 else f"mean of {len(datasets)}"
                name = datasets[0] if chosen.unit != "mean" else mean
                is_apart = chosen.unit == "sets" and named and not chosen.pooled
                words = [name, *prefix, *([booster] if named and not is_apart else [])]
                where = ", ".join([*place, booster]) if is_apart else group
                yield Cell(where, datasets, noise, at, booster, ", ".join(words))

    def sample(
        self,
        cell: Cell,
        booster: str = "",
        *,
        value: str = "",
        counted: bool = False,
        rounds: int | None = None,
    ) -> Repeats:
        """Return a booster's values in a cell, one per seed and fold.

        Parameters
        ----------
        cell : Cell
        booster : str, default=""
            Label; by default, the booster of the cell.
        value : str, default=""
            A key of `QUANTITIES`; by default, the metric of the claim.
        counted : bool, default=False
            Return numbers of errors instead of error rates.
        rounds : int or None, default=None
            If given, runs of another number of rounds have no value.
        """
        metric = value or self.selection.value
        size = QUANTITIES[metric].counted if counted else ""

        def read(result: Result) -> float:
            if rounds not in (None, result.run.rounds):
                return math.nan
            error = error_at(result, metric, cell.at)
            return error * float(getattr(result.record, size)) if size else error

        return self.gathered(cell, read, booster, metric="" if counted else metric)

    def gathered(
        self, cell: Cell, read: Callable[[Result], float], booster: str = "", *, metric: str = ""
    ) -> Repeats:
        """Return the values of ``read`` for the runs of a cell, as means over its data sets.

        Parameters
        ----------
        cell : Cell
        read : callable
            Function from an ok `Result` to a number; NaN if there is no value.
        booster : str, default=""
            Label; by default, the booster of the cell.
        metric : str, default=""
            Quantity that ``read`` returns; empty for a computed value.
        """
        label = booster or cell.booster
        return over_sets([self._of_set(name, cell, label, read, metric) for name in cell.datasets])

    def printed(
        self, paper: PaperValues, cell: Cell, dataset: str, booster: str = ""
    ) -> PaperValue | None:
        """Return the printed value of a booster in a cell; at the end, that of the largest T."""
        label, names = booster or cell.booster, self.scope.names
        datasets = dataset, names.get(dataset, dataset)
        methods = label, names.get(label, label)
        rate = next(n.rate for n in self.scope.noises if n.full_label == cell.noise)
        # No table has a rate that is drawn with the problem.
        rate = -1.0 if isinstance(rate, str) else rate
        return paper.find(datasets, methods, None if cell.at == END else int(cell.at), rate)

    def of(self, config: Config) -> Evidence:
        """Return the evidence of another config, restricted to its clean noises if it has any."""
        scope = config.scope()
        clean = [noise for noise in scope.noises if noise.model == "none"]
        labels = tuple(noise.full_label for noise in clean or scope.noises)
        selection = replace(self.selection, noise=labels)
        is_known = self.studies is not None and bool(self._results)
        results = self.studies(config).results if self.studies and is_known else ()
        return Evidence(scope, results, selection, self.studies)

    def n_test(self, cell: Cell) -> int:
        """Return the number of test samples of the first data set of a cell; 1 if unknown."""
        results = self._results.get((cell.datasets[0], cell.booster, cell.noise), [])
        records = [result.record for result in results if result.ok and result.record]
        return records[0].n_test if records else 1

    def text(self, sample: Repeats, *, value: str = "", statistic: Statistic = "mean") -> str:
        """Return the mean or median of a sample as tables show it; a dash if it is empty."""
        middle = sample.middle(statistic)
        return "–" if middle is None else QUANTITIES[value or self.selection.value].text(middle)

    def change(self, outcome: Outcome) -> str:
        """Return the difference of an outcome with its interval, as tables show it."""
        if outcome.difference is None:
            return "–"
        text = self._signed(outcome.difference)
        if outcome.interval is None:
            return text
        low, high = outcome.interval
        return f"{text} ({self._signed(low)} to {self._signed(high)})"

    def case(self, cell: Cell, outcome: Outcome, numbers: Mapping[str, str]) -> Case:
        """Return the case of a cell."""
        dataset = cell.datasets[0] if len(cell.datasets) == 1 else ""
        return Case(cell.group, cell.subject, outcome, dict(numbers), dataset)

    def _signed(self, value: float) -> str:
        text = self.metric.text(value)
        is_zero = not text.strip("-0.")
        return text.lstrip("-") if is_zero else f"+{text}" if value > 0 else text

    def _excepts(
        self, along: str, dataset: str, noise: str, at: int | str, booster: str = ""
    ) -> bool:
        cell = {"dataset": dataset, "noise": noise, "at": at, "booster": booster}
        cell.pop("at" if along == "rounds" else along, None)
        return any(
            all(wanted is None or cell.get(key, wanted) == wanted for key, wanted in exception)
            for exception in self.selection.except_
        )

    def _of_set(
        self,
        dataset: str,
        cell: Cell,
        booster: str,
        read: Callable[[Result], float],
        metric: str,
    ) -> Repeats:
        results = self._results.get((dataset, booster, cell.noise), [])
        name = "/".join([dataset, booster, *([cell.noise] if cell.noise != "clean" else [])])
        if not results:
            units = frozenset((seed, 0) for seed in self.scope.seeds)
            sample = Repeats({}, Design(units), (f"{name}: not among the runs",))
        else:
            sample = sample_of(results, name, metric=metric, at=cell.at, read=read)
        return sample


class PrintedEvidence(Evidence):
    """Printed test errors in place of runs, one of each booster in a cell.

    Parameters
    ----------
    scope : Scope
    papers : sequence of PaperValues
        The first file with a value counts.
    selection : CellSelection
    """

    def __init__(
        self, scope: Scope, papers: Sequence[PaperValues], selection: CellSelection
    ) -> None:
        super().__init__(scope, (), selection)
        self._papers = papers

    def _of_set(
        self,
        dataset: str,
        cell: Cell,
        booster: str,
        read: Callable[[Result], float],
        metric: str,
    ) -> Repeats:
        papers = self._papers if metric == PRINTED else ()
        found = (self.printed(paper, cell, dataset, booster) for paper in papers)
        errors = [value.error for value in found if value is not None and value.error is not None]
        unit = (0, 0)
        return Repeats(dict(zip([unit], errors, strict=False)), Design(frozenset([unit])))
