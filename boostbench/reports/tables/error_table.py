"""Tables of errors, beside the printed values of a paper, and of selected parameters."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Annotated, Any, Literal

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.plans import Selected
from boostbench.quantities import NUMBERS, QUANTITIES, Quantity
from boostbench.registry import tables
from boostbench.reports.tables.facts import LEVEL, Fact, FactKey, contest, gather, mark_even, rank
from boostbench.reports.tables.table import (
    BETTER,
    BEYOND,
    EVEN,
    IN_WORDS,
    STOPPED,
    WORSE,
    Notes,
    Row,
    Table,
    TableCell,
)
from boostbench.reports.text import capital, duration, span
from boostbench.reports.values.frame import END, Study
from boostbench.reports.values.paper import (
    PRINTED,
    Held,
    PaperValue,
    PaperValues,
    in_words,
)
from boostbench.reports.values.part_options import ASKED, PaperFile, Title, chosen_rounds
from boostbench.validation import one_of

# By axis of the columns: axis of the rows within a data set.
_ROWS = {"rounds": "booster", "booster": "rounds"}
_TITLES = {"noise": "noise", "dataset": "data set", "booster": "booster", "rounds": "T"}

#: Accuracies, 100 % minus an error, that only tables may show.
ACCURACIES = {"test_accuracy": "test_error", "train_accuracy": "train_error"}


@tables.register("table")
def build_table(
    study: Study,
    *,
    columns: Literal["rounds", "booster"] = "rounds",
    value: Annotated[str, one_of("metric", lambda: [*NUMBERS, *ACCURACIES]), ASKED] = "test_error",
    at: int | Sequence[int] | Literal["end"] | None = None,
    paper: PaperFile | None = None,
    main: bool = True,
    tested: bool = False,
    title: Title = "",
) -> Table:
    """Build the table of a study.

    Parameters
    ----------
    columns : {"rounds", "booster"}, default="rounds"
        Every data set has a row for each booster, or for each T if the columns are boosters.
    value : str, default="test_error"
        ``test_error``, ``train_error``, ``train_error_clean``, ``test_cost``, ``train_cost``,
        ``test_accuracy``, ``train_accuracy``, or a metric of the config, such as
        ``test_log_loss``.
    at : int, sequence of int, "end" or None, default=None
        Rounds T to show; ``"end"``: the last of each run; None: the checkpoints of the config.
    main : bool, default=True
        Include the comparison with the printed values in the overview.
    tested : bool, default=False
        Mark the boosters that are not significantly worse than the best.
    """
    metric = ACCURACIES.get(value, value)
    if paper and metric != PRINTED:
        raise BoostbenchError(f"'paper' holds test errors, but the table shows {value}")
    rounds: Sequence[int] | Literal["end"] = END if at == END else chosen_rounds(study, at)
    facts = gather(study, metric, rounds, paper or PaperValues())
    if tested:
        mark_even(facts)
    layout = _Layout(facts, QUANTITIES[metric], value in ACCURACIES)
    table_rows, names = layout.rows(columns)
    of = "" if metric == PRINTED else f": {QUANTITIES[metric].words}"
    title = title or f"{study.config.title or study.config.name}{of}"
    return Table(
        title=title,
        names=names,
        columns=tuple(_label(columns, column) for column in layout.axes[columns]),
        rows=tuple(table_rows),
        footers=(*layout.footers(asked_for_paper=bool(paper)), *_remarks_on_rounds(study, at)),
        notes=tuple(layout.notes),
        held=tuple((*column, numbers) for column, numbers in _comparisons(facts, title).items()),
        is_main=main,
        answer=tuple(contest(facts, f"{layout.best} {layout.words}")),
    )


def _comparisons(
    facts: Mapping[FactKey, Fact], title: str
) -> dict[tuple[str, str], dict[str, Held]]:
    """Return the comparisons by number, of each column of the paper and reading.

    A reading is a column of ours: a booster's variant, or a second noise of the same rate.
    """
    found: dict[tuple[str, str], dict[str, Held]] = {}
    for key, fact in facts.items():
        if fact.paper is not None and fact.held is not None:
            T = key.rounds if key.rounds == END else f"T = {fact.paper.rounds}"
            number = f"{fact.paper.dataset}, {T}, noise {fact.paper.noise:g}"
            column, reading = fact.paper.column, f"{title}: {key.booster}"
            if number in found.get((column, reading), {}):
                reading = f"{reading}, {key.noise}"
            found.setdefault((column, reading), {})[number] = fact.held
    return found


class _Layout:
    """Rows and footers of a table of facts.

    Parameters
    ----------
    facts : dict of FactKey to Fact
        Facts about errors.
    metric : Quantity
    is_accuracy : bool
        Show accuracies, which are 1 - error, in place of errors.
    """

    def __init__(self, facts: dict[FactKey, Fact], metric: Quantity, is_accuracy: bool) -> None:
        self.facts, self.metric = facts, metric
        self.is_accuracy = is_accuracy or bool(metric.higher)
        self.summaries, self.counts = rank(facts) if metric.higher is not None else ({}, set())
        self.notes = Notes()
        self.axes = {
            name: list(dict.fromkeys(getattr(key, name) for key in facts))
            for name in FactKey._fields
        }
        self.axes["rounds"].sort()
        self.words = metric.words.replace("error", "accuracy") if self.is_accuracy else metric.words
        self.best = "highest" if self.is_accuracy else "lowest"

    def rows(self, columns: str) -> tuple[list[Row], tuple[str, ...]]:
        """Return the rows and the names of their labels.

        Each noise has the rows of the data sets, then the summary rows.
        """
        row_axis = _ROWS[columns]
        label_axes = ["noise"] * (len(self.axes["noise"]) > 1) + ["dataset"]
        label_axes += [row_axis] * (row_axis == "booster" or len(self.axes["rounds"]) > 1)
        summaries = dict.fromkeys(key.dataset for key in self.summaries)
        rows: list[Row] = []
        for noise in self.axes["noise"]:
            present = {key.dataset for key in self.facts if key.noise == noise}
            names = [(name, False) for name in self.axes["dataset"] if name in present]
            names += [(label, True) for label in summaries if max(self.counts) > 1]
            for (name, is_summary), row in product(names, self.axes[row_axis]):
                place = {"noise": noise, row_axis: row, "dataset": name}
                keys = [FactKey(**{**place, columns: column}) for column in self.axes[columns]]
                labels = tuple(_label(axis, place[axis]) for axis in label_axes)
                rows.append(Row(labels, tuple(map(self._cell, keys)), is_summary))
        return rows, tuple(_TITLES[axis] for axis in label_axes)

    def _cell(self, key: FactKey) -> TableCell:
        fact = self.facts.get(key)
        if fact is None:
            return TableCell(self.summaries.get(key, BEYOND))
        printed = ""
        if fact.paper:
            printed = fact.paper.accuracy_text if self.is_accuracy else fact.paper.text
        cell = TableCell(
            fact.state or BEYOND,
            notes=self.notes.number(fact.gaps),
            paper=printed,
            paper_notes=self.notes.number(_doubts(fact.paper)),
        )
        values = [*fact.sample.values.values()]
        if not values:
            return cell
        std = self.metric.text(statistics.stdev(values)) if len(values) > 1 else ""
        text = self.metric.text(1 - fact.mean if self.is_accuracy else fact.mean)
        return replace(
            cell,
            text=f"{text} ± {std}" if std else text,
            value=text,
            std=std,
            best=fact.best,
            marks=STOPPED * bool(fact.stopped) + _mark(fact.held) + EVEN * fact.even,
        )

    def footers(self, *, asked_for_paper: bool) -> Iterable[str]:
        """Yield footers on the values shown, their agreement with the paper, and gaps."""
        facts = list(self.facts.values())
        n_runs = {len(fact.sample.values) for fact in facts} - {0}
        spread = f", mean ± standard deviation of {span(n_runs)} runs" if n_runs - {1} else ""
        unit = " in percent" if self.metric.unit else ""
        what = f"{capital(self.words)}{unit}{spread}"
        is_ranked = self.metric.higher is not None
        yield f"{what}.{f' Bold: the {self.best} of a data set, noise and T.' * is_ranked}"
        compared = [fact.held for fact in facts if fact.held is not None]
        if compared:
            yield from self._agreement(compared)
        elif asked_for_paper:
            yield "No cell has both a value of ours and one of the paper."
        if any(fact.even for fact in facts):
            yield f"{EVEN} {IN_WORDS[EVEN]} of its data set, noise and T, at {LEVEL:g} (Holm)."
        stopped = [text for fact in facts for text in fact.stopped]
        if stopped:
            yield f"{STOPPED} stopped early, holds its last value: {_listed(stopped)}."
        empty = [fact for fact in facts if not fact.sample.values]
        if empty:
            states = [fact.state or "beyond the rounds made" for fact in empty]
            counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
            yield f"{len(empty)} of {len(facts)} cells have no value: {counts}."
        n_datasets = len(self.axes["dataset"])
        if max(self.counts, default=0) > 1 and self.counts != {n_datasets}:
            yield (
                f"Ranks and wins are over the {span(self.counts)} of {n_datasets} data sets where "
                "every booster has a value."
            )

    def _agreement(self, held: Sequence[Held]) -> Iterable[str]:
        facts = self.facts.items()
        doubtful = sum(bool(f.held and f.paper and f.paper.doubt) for _, f in facts)
        are = "is" if doubtful == 1 else "are"
        doubt = f" ({doubtful} of the paper's values {are} doubtful)" if doubtful else ""
        yield f"{in_words(held)}{doubt}."
        marks = {BETTER: "better", WORSE: "worse"}
        shown = [f"{mark} {word}" for mark, word in marks.items() if mark in map(_mark, held)]
        if shown:
            yield f"{', '.join(shown)} than printed: outside the 95 % prediction interval."
        shares = []
        for booster in self.axes["booster"]:
            own = [fact.held for key, fact in facts if key.booster == booster and fact.held]
            if own:
                agree = sum(each.agreement == "agrees" for each in own)
                placebo = sum(each.placebo or 0.0 for each in own)
                shares.append(f"{booster} {agree} of {len(own)} ({placebo:.1f})")
        if len(shares) > 1:
            yield f"By booster (in brackets the chance level): {', '.join(shares)}."


def _mark(held: Held | None) -> str:
    marks = {"better than printed": BETTER, "worse than printed": WORSE}
    return "" if held is None else marks.get(held.agreement, "")


def _label(axis: str, value: object) -> str:
    if axis == "rounds":
        return "last round" if value == END else f"T = {value}"
    return str(value)


def _doubts(paper: PaperValue | None) -> list[str]:
    if paper is None or not paper.doubt:
        return []
    what = "paper has no value" if paper.error is None else "paper's value doubtful"
    return [f"{what}: {paper.doubt}"]


def _remarks_on_rounds(study: Study, at: object) -> list[str]:
    """Return remarks on boosters and data sets whose number of rounds differs from T."""
    runs = [result.run for result in study.results]
    if at != END:
        own = {run.method: run.rounds for run in runs if run.booster.rounds}
        shown = "for larger T the last round is shown"
        return [f"{label} makes {T} round{'s' * (T > 1)}; {shown}." for label, T in own.items()]
    by_rounds: dict[int, list[str]] = {}
    for run in runs:
        name = run.method if run.booster.rounds else run.dataset
        by_rounds.setdefault(run.rounds, []).append(name)
    if len(by_rounds) == 1:
        return [f"T = {runs[0].rounds}."]
    parts = [f"{T} ({', '.join(dict.fromkeys(names))})" for T, names in by_rounds.items()]
    return [f"T is the last round: {', '.join(parts)}."]


def _listed(texts: Iterable[str], most: int = 8) -> str:
    distinct = list(dict.fromkeys(texts))
    more = f"; and {len(distinct) - most} more" if len(distinct) > most else ""
    return "; ".join(distinct[:most]) + more


#: Meaning of a selection, by `Select.way`.
WAYS = {
    "validation": "The fewest errors on the validation part; the test part is not looked at.",
    "folds": "The fewest errors of a cross-validation inside the training part; what was chosen is "
    "fitted once more to all of it.",
    "test": "The lowest mean TEST error over all seeds and folds, one choice for all of them: "
    "such a value is too low, and the more so the larger the grid.",
}
_COUNTS = ("points", "fits", "time")


@tables.register("selected")
def build_selected_table(study: Study, *, at: int | None = None, title: Title = "") -> Table:
    """Build the table of selected parameters, a row per booster.

    A cell has each selected value, with the number of seeds and folds in which it was selected. The
    last columns are the number of grid points, the number of fits and the time of all fits.

    Parameters
    ----------
    study : Study
        Study of a config with the key ``select``.
    at : int or None, default=None
        Round T of the selection; by default the last one.
    """
    if study.config.select is None:
        raise BoostbenchError("nothing is chosen in this config: it has no key 'select'")
    cells = {
        labels: [result.selected for result in results if result.ok and result.selected is not None]
        for labels, results in study.cells.items()
    }
    selections = list(chain(*cells.values()))
    grids = sorted((selected.grid for selected in selections), key=len)
    columns = list(dict.fromkeys(axis.name for grid in reversed(grids) for axis in grid))
    columns += ["rounds"] if study.config.select.rounds else []
    several = len(study.noises) > 1
    rows = []
    for labels in product(study.noises, study.datasets, study.boosters):
        texts = _texts(cells.get(labels, ()), columns, at)
        row = tuple(TableCell(text, value=text.removesuffix(BEYOND)) for text in texts)
        rows.append(Row(labels[not several :], row))
    n_fits = sum(selected.n_fits for selected in selections)
    seconds = sum(selected.seconds for selected in selections)
    footers = [
        WAYS[study.config.select.way],
        f"{n_fits} fits in {duration(seconds)} of computing; points: of the grid as it grew.",
    ]
    if n_failed := sum(selected.n_failed for selected in selections):
        footers.append(f"{n_failed} fits failed and were no candidates.")
    if n_open := len(study.results) - len(selections):
        footers.append(f"{n_open} of {len(study.results)} choices are not made yet.")
    return Table(
        title=title or "Chosen parameters",
        names=("noise", "data set", "booster")[not several :],
        columns=(*columns, *_COUNTS),
        rows=tuple(rows),
        footers=tuple(footers),
    )


def _texts(selections: Sequence[Selected], columns: Sequence[str], at: int | None) -> list[str]:
    """Return the cells of a row."""
    if not selections:
        return [BEYOND] * (len(columns) + len(_COUNTS))
    values = []
    for selected in selections:
        choices = {choice.at: choice for choice in selected.choices}
        if at is not None and at not in choices:
            what = f"at must be a T for which a choice was made ({', '.join(map(str, choices))})"
            raise BoostbenchError(f"{what}, found {at!r}")
        choice = selected.choices[-1] if at is None else choices[at]
        values.append({**selected.values(choice), "rounds": choice.rounds})
    return [
        *(_count_values([each.get(name) for each in values]) for name in columns),
        span([selected.n_points for selected in selections]),
        str(sum(selected.n_fits for selected in selections)),
        duration(sum(selected.seconds for selected in selections)),
    ]


def _count_values(values: Sequence[Any]) -> str:
    """Return the distinct values with their counts, the most frequent first."""
    counts = Counter(f"{v:g}" if isinstance(v, float) else str(v) for v in values if v is not None)
    if not counts or len(values) == 1:
        return next(iter(counts), BEYOND)
    return ", ".join(f"{value} ({n}x)" for value, n in counts.most_common())
