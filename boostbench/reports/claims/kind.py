"""Base classes of the kinds of claims, their evidence, and the kind about runs alone."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from boostbench.errors import BoostbenchError, PluginError
from boostbench.experiments.configs.kind_options import Options, Scope
from boostbench.inputs import error_in_words
from boostbench.quantities import QUANTITIES, Quantity
from boostbench.registry import claims
from boostbench.reports.claims import claim_options as options
from boostbench.reports.claims.inference import Outcome, near
from boostbench.reports.text import span
from boostbench.reports.values.frame import END, Result, Study
from boostbench.reports.values.paper import PRINTED, PaperValue, PaperValues
from boostbench.reports.values.samples import Design, Read, Repeats, over_sets, sample_of
from boostbench.validation import MistakesError

#: Sample of a test: the runs of each data set, data sets, or data sets for the mean over them.
UnitOfTest = Literal["runs", "sets", "mean"]
#: Axis of the cells over which a kind iterates itself.
Along = Literal["", "at", "noise"]


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


@dataclass
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
    papers : sequence of PaperValues, default=()
        Printed test errors that stand in place of results, one of each booster in a cell; the first
        file with a value counts.
    """

    scope: Scope
    options: Any  # kinds that are not about runs ask for no cells
    study: Study | None = None
    papers: Sequence[PaperValues] = ()

    @property
    def metric(self) -> Quantity:
        """The quantity of the claim; the test error for kinds that do not choose one."""
        return QUANTITIES[getattr(self.options, "value", PRINTED)]

    def cells(
        self, boosters: Sequence[str] = ("",), *, along: Along = "", named: bool | None = None
    ) -> Iterator[Cell]:
        """Yield the cells of a claim by noise, T, data set and booster, without its exceptions.

        Parameters
        ----------
        boosters : sequence of str, default=("",)
            Labels of the boosters with separate cases.
        along : {"", "at", "noise"}, default=""
            Field of the cells over which the kind iterates itself. Cells are yielded at its first
            value only, and an exception at any of its values excludes the cell.
        named : bool or None, default=None
            True to name the booster in subjects; by default, only if there are several boosters.
        """
        names = self.options.datasets or self.scope.datasets
        unit, rounds = getattr(self.options, "unit", "runs"), getattr(self.options, "at", (END,))
        noises = self.options.noise[:1] if along == "noise" else self.options.noise
        rounds = rounds[:1] if along == "at" else rounds
        named = len(boosters) > 1 if named is None else named
        for noise, at in itertools.product(noises, rounds):
            place = [noise] if len(noises) > 1 else []
            place += [f"T = {at}"] if len(rounds) > 1 else []
            included = [d for d in names if not self._excepts(along, d, noise, at)]
            parts = [tuple(included)] if unit == "mean" else [(name,) for name in included]
            for datasets, booster in itertools.product(filter(None, parts), boosters):
                if booster and self._excepts(along, datasets[0], noise, at, booster):
                    continue
                mean = "mean" if len(datasets) == 1 else f"mean of {len(datasets)}"
                name, who = datasets[0] if unit != "mean" else mean, [booster] if named else []
                group, words = place, [name, *who]
                if self.options.pooled:
                    group, words = [], [name, *place, *who]
                elif unit == "sets":
                    group, words = [*place, *who], [name]
                yield Cell(", ".join(group), datasets, noise, at, booster, ", ".join(words))

    def sample(
        self, cell: Cell, booster: str = "", *, value: str = "", read: Read | None = None
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
        label, metric = booster or cell.booster, value or getattr(self.options, "value", PRINTED)
        metric = "" if read else metric
        samples = []
        for dataset in cell.datasets:
            results = self.study and self.study.cells.get((cell.noise, dataset, label))
            name = "/".join([dataset, label, *([cell.noise] if cell.noise != "clean" else [])])
            if self.papers:
                place = replace(cell, datasets=(dataset,), booster=label)
                samples.append(self._printed(place, metric))
            elif results:
                samples.append(sample_of(results, name, metric=metric, at=cell.at, read=read))
            else:
                units = frozenset((seed, 0) for seed in self.scope.seeds)
                samples.append(Repeats({}, Design(units), (f"{name}: not among the runs",)))
        return over_sets(samples)

    def printed(self, paper: PaperValues, cell: Cell) -> PaperValue | None:
        """Return the printed value in a cell of one data set; at the end, that of the largest T."""
        labels = cell.datasets[0], cell.booster
        datasets, methods = ((label, self.scope.names.get(label, label)) for label in labels)
        rates = (noise.rate for noise in self.scope.noises if noise.full_label == cell.noise)
        # No table has a rate that is drawn with the problem, or the noise of a wrong config.
        rate = -1.0 if isinstance(rate := next(rates, -1.0), str) else rate
        return paper.find(datasets, methods, None if cell.at == END else int(cell.at), rate)

    def text(self, sample: Repeats) -> str:
        """Return the mean of a sample as tables show it; a dash if it is empty."""
        return "–" if sample.mean is None else self.metric.text(sample.mean)

    def change(self, outcome: Outcome) -> str:
        """Return the difference of an outcome with its interval, as tables show it."""
        if outcome.difference is None:
            return "–"
        ends = " to ".join(map(self._signed, outcome.interval or ()))
        return f"{self._signed(outcome.difference)}{f' ({ends})' if ends else ''}"

    def case(self, cell: Cell, outcome: Outcome, numbers: Mapping[str, str]) -> Case:
        """Return the case of a cell."""
        dataset = cell.datasets[0] if len(cell.datasets) == 1 else ""
        return Case(cell.group, cell.subject, outcome, dict(numbers), dataset)

    def compared(self, cell: Cell, outcome: Outcome, values: Mapping[str, Repeats]) -> Case:
        """Return the case of a cell, shown with some values and their difference."""
        texts = {label: self.text(sample) for label, sample in values.items()}
        return self.case(cell, outcome, {**texts, "difference": self.change(outcome)})

    def _signed(self, value: float) -> str:
        text = self.metric.text(value)
        is_zero = not text.strip("-0.")
        return text.lstrip("-") if is_zero else f"+{text}" if value > 0 else text

    def _excepts(
        self, along: str, dataset: str, noise: str, at: int | str, booster: str = ""
    ) -> bool:
        cell = {"dataset": dataset, "noise": noise, "at": at, "booster": booster}
        cell.pop(along, None)
        return any(
            all(wanted is None or cell.get(key, wanted) == wanted for key, wanted in exception)
            for exception in self.options.except_
        )

    def _printed(self, cell: Cell, metric: str) -> Repeats:
        """Return the printed value that stands in place of results."""
        found = (self.printed(paper, cell) for paper in self.papers if metric == PRINTED)
        errors = [each.error for each in found if each and each.error is not None]
        return Repeats(dict(zip([(0, 0)], errors, strict=False)), Design(frozenset([(0, 0)])))


class Kind(Options):
    """Kind of claim: its options, and the cases computed from the evidence.

    Attributes
    ----------
    at_least : Rule
        Number or share of the cases of each group that must hold.
    of : int or None
        Expected number of cases in each group, checked when the config is read.
    """

    #: Sample of the tests, for kinds without the option ``unit`` (see `AboutMeans`).
    fixed_unit: ClassVar[UnitOfTest] = "runs"

    at_least: options.AtLeast = options.Rule()
    of: options.Whole | None = None

    @property
    def chance(self) -> float:
        """Largest probability that a data set is a case that holds if boosters are equal."""
        return 0.5

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield the cases of the claim.

        Raises
        ------
        BoostbenchError
            If the kind of a plugin does not define this method.
        """
        raise BoostbenchError(f"kind of claim {type(self).__name__} must define cases(evidence)")

    def all_cases(self, evidence: Evidence) -> list[Case]:
        """Return the cases; an exception of a plugin is told with its place."""
        try:
            return [*self.cases(evidence)]
        except Exception as error:
            if isinstance(error, BoostbenchError) or self.__module__.startswith("boostbench."):
                raise
            raise PluginError(f"{type(self).__name__} raised {error_in_words(error)}") from error

    def check(self, scope: Scope) -> None:
        """Check that there are cases, and that ``except``, ``at_least`` and ``of`` fit them.

        Raises
        ------
        MistakesError
        """
        if scope.unknown:
            return

        def cases(*exceptions: Any) -> list[tuple[str, str]]:
            kind = self.model_copy(update={"except_": exceptions})
            return [(case.group, case.subject) for case in kind.all_cases(Evidence(scope, kind))]

        excepted, whole = getattr(self, "except_", ()), cases()
        if idle := [place for place, each in enumerate(excepted) if cases(each) == whole]:
            raise MistakesError((("except", idle[0]), "except: this omits no case"))
        per_group = Counter(group for group, _ in cases(*excepted))
        of_whole = Counter(group for group, _ in whole)
        if not per_group:
            what = "needs at least one case; 'except', 'datasets' or the paper's file leave none"
            raise MistakesError(((), what))
        least = self.at_least.count or 0
        for group, n in per_group.items():
            where = f" at {group}" if group else ""
            if least > n:
                what = f"at_least: {least} is more than the number of cases, {n}{where}"
                raise MistakesError((("at_least",), what))
            if self.of not in (None, n, of_whole[group]):
                what = f"of: {self.of}, but there are {n} cases{where}"
                raise MistakesError((("of",), what))

    def others(self, evidence: Evidence, *mine: str) -> list[str]:
        """Return the boosters of the config except ``mine``, of which there must be some."""
        if others := [label for label in evidence.scope.boosters if label not in mine]:
            return others
        raise BoostbenchError("others: the config has no other booster")


class AboutRuns(Kind):
    """Kind of claim about the runs of the config.

    Attributes
    ----------
    datasets, noise : tuple of str
        All by default.
    except_ : tuple of dict
        Excluded cells.
    pooled : bool
        Count the cases of all noises and T in one group.
    """

    datasets: options.Datasets = ()
    noise: options.Noises = Field((), validate_default=True)
    except_: options.Exceptions = Field((), alias="except")
    pooled: bool = False


@claims.register("stops")
class Stops(AboutRuns):
    """Every run stops before a given round, and before the last round planned.

    Attributes
    ----------
    booster : tuple of str
        Each is a separate case.
    before : int
        Every run makes fewer rounds than this.
    reason : str
        Text that the stop reason contains; by default, any reason.
    """

    booster: options.Labels
    before: options.Whole
    reason: str = ""

    def cases(self, evidence: Evidence) -> Iterable[Case]:
        """Yield an outcome on all runs of each cell."""
        for cell in evidence.cells(self.booster):
            stopped = evidence.sample(cell, read=self._is_stopped)
            made = evidence.sample(cell, read=lambda run: run.record.n_rounds if run.record else 0)
            numbers = {"rounds made": span(made.values.values()) if made.values else "–"}
            yield evidence.case(cell, near(stopped, Repeats.constant(1.0, stopped), 0.0), numbers)

    def _is_stopped(self, result: Result) -> float:
        assert result.record is not None
        is_early = result.record.n_rounds < min(self.before, result.run.rounds)
        return float(is_early and self.reason in result.record.stop_reason)


class AboutValues(AboutRuns):
    """Kind of claim about the values of a quantity.

    Attributes
    ----------
    value : str
        A key of `QUANTITIES`.
    at : tuple of (int or "end")
        Rounds T.
    """

    value: options.MetricName = "test_error"
    at: options.At = (END,)

    @model_validator(mode="after")
    def _amounts_fit(self) -> AboutValues:
        for _, amount in self:
            if isinstance(amount, options.Amount):
                amount.check(self.value)
        return self


class AboutMeans(AboutValues):
    """Kind of claim about the values of each data set, of most of them, or of their mean.

    Attributes
    ----------
    unit : {"runs", "sets", "mean"}
        Sample of the test. ``runs``: each data set is a case, tested by its own runs. ``sets``:
        each data set is a case by its means, and the number of cases is tested over data sets.
        ``mean``: the mean over data sets is the only case, tested over data sets.
    """

    unit: UnitOfTest = "runs"

    def in_print(self, scope: Scope, papers: Iterable[Any]) -> bool | None:
        """Return whether the printed errors satisfy the claim; None if some are not printed."""
        values = tuple(paper for paper in papers if isinstance(paper, PaperValues))
        groups: dict[str, list[bool | None]] = {}
        for case in self.all_cases(Evidence(scope, self, papers=values)):
            groups.setdefault(case.group, []).append(case.outcome.here)
        return options.Rule().is_met([self.at_least.is_met(answers) for answers in groups.values()])

    def check(self, scope: Scope) -> None:
        """Check also that the unit is stated where it matters, and that it can be tested."""
        super().check(scope)
        n = len(self.datasets or scope.datasets)
        is_chosen = self.unit != "runs" or "unit" in self.model_fields_set
        if n > 1 and self.at_least != options.Rule() and not is_chosen:
            what = f"at_least: {self.at_least!r} needs a unit: 'sets' if the data sets are a sample"
            what += ", 'runs' if each is decided by its own runs"
            raise MistakesError((("at_least",), what))
        if self.unit != "runs" and n < 2 and "datasets" not in scope.unknown:
            what = f"unit: {self.unit} needs at least two data sets; there is one"
            raise MistakesError((("unit",), what))
