"""Evidence of claims: cells of an experiment, the values of boosters in them, and cases."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.kind_options import Scope
from boostbench.quantities import QUANTITIES, Quantity
from boostbench.reports.claims.inference import Outcome
from boostbench.reports.values.designs import Design, Repeats, over_sets, sample_of
from boostbench.reports.values.frame import END, Result, Study
from boostbench.reports.values.paper import PRINTED, PaperValue, PaperValues

if TYPE_CHECKING:
    from boostbench.reports.claims.kind import Kind

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
    options : Kind
        Options of the claim, which select a part of the experiment.
    study : Study or None, default=None
        Without one, every case is missing; the validation of a config relies on this.
    studies : callable or None, default=None
        Function from another config to its study.
    papers : sequence of PaperValues, default=()
        Printed test errors that stand in place of results, one of each booster in a cell; the first
        file with a value counts.
    """

    def __init__(
        self,
        scope: Scope,
        options: Kind,
        study: Study | None = None,
        studies: Studies | None = None,
        papers: Sequence[PaperValues] = (),
    ) -> None:
        self.scope = scope
        self.options: Any = options  # kinds that are not about runs ask for no cells
        self.studies = studies
        #: Labels of data sets and noises, quantity, and rounds; some kinds do not choose them.
        self.datasets: tuple[str, ...] = getattr(options, "datasets", ()) or scope.datasets
        self.noises: tuple[str, ...] = getattr(options, "noise", ())
        self.value: str = getattr(options, "value", PRINTED)
        self._at: tuple[int | str, ...] = getattr(options, "at", (END,))
        self._papers = papers
        self._results = study.cells if study else {}  # by noise, data set and booster

    @property
    def metric(self) -> Quantity:
        """The quantity of the claim."""
        return QUANTITIES[self.value]

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
        options, unit = self.options, getattr(self.options, "unit", "runs")
        noises = self.noises[:1] if along == "noise" else self.noises
        rounds = self._at[:1] if along == "rounds" else self._at
        named = len(boosters) > 1 if named is None else named
        for noise, at in itertools.product(noises, rounds):
            place = [noise] if len(noises) > 1 else []
            place += [f"T = {at}"] if len(rounds) > 1 else []
            group, prefix = ("", place) if options.pooled else (", ".join(place), [])
            included = [d for d in self.datasets if not self._excepts(along, d, noise, at)]
            parts: list[tuple[str, ...]] = [(name,) for name in included]
            if unit == "mean":
                parts = [tuple(included)] if included else []
            for datasets, booster in itertools.product(parts, boosters):
                if booster and self._excepts(along, datasets[0], noise, at, booster):
                    continue
                mean = "mean" if len(datasets) == 1 else f"mean of {len(datasets)}"
                name = datasets[0] if unit != "mean" else mean
                is_apart = unit == "sets" and named and not options.pooled
                words = [name, *prefix, *([booster] if named and not is_apart else [])]
                where = ", ".join([*place, booster]) if is_apart else group
                yield Cell(where, datasets, noise, at, booster, ", ".join(words))

    def sample(
        self,
        cell: Cell,
        booster: str = "",
        *,
        value: str = "",
        read: Callable[[Result], float] | None = None,
    ) -> Repeats:
        """Return a booster's values in a cell, one per seed and fold, as means over its data sets.

        Parameters
        ----------
        cell : Cell
        booster : str, default=""
            Label; by default, the booster of the cell.
        value : str, default=""
            A key of `QUANTITIES`; by default, the metric of the claim.
        read : callable or None, default=None
            Function from an ok `Result` to a computed value, in place of the metric; NaN if there
            is none.
        """
        label, metric = booster or cell.booster, "" if read else value or self.value
        return over_sets([self._of_set(name, cell, label, metric, read) for name in cell.datasets])

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
        options = self.options.model_copy(update={"noise": labels})
        study = self.studies(config) if self.studies and self._results else None
        return Evidence(scope, options, study, self.studies)

    def n_test(self, cell: Cell) -> int:
        """Return the number of test samples of the first data set of a cell; 1 if unknown."""
        results = self._results.get((cell.noise, cell.datasets[0], cell.booster), [])
        records = [result.record for result in results if result.ok and result.record]
        return records[0].n_test if records else 1

    def text(self, sample: Repeats) -> str:
        """Return the mean of a sample as tables show it; a dash if it is empty."""
        return "–" if sample.mean is None else self.metric.text(sample.mean)

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
            for exception in self.options.except_
        )

    def _of_set(
        self,
        dataset: str,
        cell: Cell,
        booster: str,
        metric: str,
        read: Callable[[Result], float] | None,
    ) -> Repeats:
        if self._papers:
            papers = self._papers if metric == PRINTED else ()
            found = (self.printed(paper, cell, dataset, booster) for paper in papers)
            errors = [each.error for each in found if each and each.error is not None]
            values = dict(zip([(0, 0)], errors, strict=False))
            return Repeats(values, Design(frozenset([(0, 0)])))
        results = self._results.get((cell.noise, dataset, booster), [])
        name = "/".join([dataset, booster, *([cell.noise] if cell.noise != "clean" else [])])
        if results:
            return sample_of(results, name, metric=metric, at=cell.at, read=read)
        units = frozenset((seed, 0) for seed in self.scope.seeds)
        return Repeats({}, Design(units), (f"{name}: not among the runs",))
