"""The table of a paper's shape: every number and every mark worked out once, for all writers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from boostbench.errors import BoostbenchError
from boostbench.reports.tables.facts import Fact, FactKey, Standing, gather, rank
from boostbench.reports.text import plain
from boostbench.reports.values.agreement import Held, in_words
from boostbench.reports.values.frame import Study
from boostbench.reports.values.metrics import ACCURACIES, END, METRICS, Metric
from boostbench.reports.values.paper import PaperValue, PaperValues, read_paper_values
from boostbench.reports.values.part_options import PaperFile, check_choice, chosen_rounds

if TYPE_CHECKING:
    import pandas as pd

STOPPED, OFF, BETTER, WORSE, BEYOND = "†", "‡", "§", "¶", "–"
_IN_WORDS = {
    STOPPED: "stopped early",
    OFF: "off the paper's value",
    BETTER: "better than printed",
    WORSE: "worse than printed",
}
# Which axis makes sections, groups of rows, rows within a group, and columns.
_LAYOUTS = {
    "rounds": ("noise", "dataset", "booster", "rounds"),
    "booster": ("noise", "dataset", "rounds", "booster"),
    "noise": ("rounds", "dataset", "booster", "noise"),
}
_TITLES = {"noise": "noise", "dataset": "data set", "booster": "booster", "rounds": "T"}


@dataclass(frozen=True)
class TableCell:
    """One cell, ready to be written."""

    text: str  # our value ("4.05 ± 0.12"), or what stands in its place
    value: str = ""  # the value alone, empty if there is none
    std: str = ""  # the standard deviation alone, in points
    best: bool = False  # no other booster is better here
    marks: str = ""  # some of STOPPED, OFF, BETTER and WORSE
    notes: tuple[int, ...] = ()  # of the table, from 1
    paper: str = ""  # the paper's value as printed, empty if there is none
    paper_notes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Row:
    """A line of cells, one per column."""

    label: str
    cells: tuple[TableCell, ...]


@dataclass(frozen=True)
class Group:
    """The rows of one data set, or a summary over data sets."""

    label: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Section:
    """The groups that share a noise (or a number of rounds); unnamed if it is the only one."""

    label: str
    groups: tuple[Group, ...]
    summaries: tuple[Group, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table as all writers show it."""

    title: str
    corner: tuple[str, str, str]  # names of sections, groups and rows; "" if there are no names
    columns: tuple[str, ...]
    with_paper: tuple[bool, ...]  # whether a column has any value of the paper beside ours
    sections: tuple[Section, ...]
    footers: tuple[str, ...]
    notes: tuple[str, ...]  # numbered from 1 in the cells
    held: Mapping[str, Held] = field(default_factory=dict)  # printed numbers that it stands for

    @property
    def lines(self) -> list[tuple[Section, Group, Row]]:
        """Every row with its group and section, summaries last in each section."""
        return [
            (section, group, row)
            for section in self.sections
            for group in (*section.groups, *section.summaries)
            for row in group.rows
        ]

    @property
    def cells(self) -> list[TableCell]:
        """Every cell."""
        return [cell for _, _, row in self.lines for cell in row.cells]

    @property
    def labels(self) -> list[list[str]]:
        """The labels of every row, as many as the corner has names."""
        rows = [(section.label, group.label, row.label) for section, group, row in self.lines]
        return [
            [text for name, text in zip(self.corner, labels, strict=True) if name]
            for labels in rows
        ]

    def frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame, remarks of a cell in words.

        A column of the table is ``value``, ``std`` and ``paper``, if there are any, and
        ``remarks``. A cell without a value says why in its place.
        """
        import pandas as pd

        has_std = any(cell.std for cell in self.cells)
        columns: dict[tuple[str, str], list[str]] = {}
        for place, column in enumerate(map(plain, self.columns)):
            cells = [row.cells[place] for _, _, row in self.lines]
            columns[column, "value"] = [plain(cell.value or cell.text) for cell in cells]
            if has_std:
                columns[column, "std"] = [cell.std for cell in cells]
            if self.with_paper[place]:
                columns[column, "paper"] = [plain(cell.paper) for cell in cells]
            columns[column, "remarks"] = [plain(self._remarks(cell)) for cell in cells]
        index = pd.MultiIndex.from_tuples(
            [tuple(map(plain, labels)) for labels in self.labels],
            names=[plain(name) for name in self.corner if name],
        )
        return pd.DataFrame(columns, index=index)

    def _remarks(self, cell: TableCell) -> str:
        parts = ["best"] if cell.best else []
        parts += [_IN_WORDS[mark] for mark in cell.marks]
        parts += [self.notes[number - 1] for number in (*cell.notes, *cell.paper_notes)]
        return "; ".join(parts)


@dataclass
class _Notes:
    """Numbers equal texts equally, in the order of first use."""

    texts: list[str] = field(default_factory=list)

    def number(self, texts: Iterable[str]) -> tuple[int, ...]:
        found = []
        for text in texts:
            if text not in self.texts:
                self.texts.append(text)
            found.append(self.texts.index(text) + 1)
        return tuple(sorted(set(found)))


def build_table(
    study: Study,
    *,
    rows: Literal["dataset"] = "dataset",
    columns: Literal["rounds", "booster", "noise"] = "rounds",
    value: str = "test_error",
    at: int | Sequence[int] | Literal["end"] | None = None,
    paper: PaperFile | None = None,
    main: bool = True,
    title: str = "",
) -> Table:
    """Build the table of a study.

    Parameters
    ----------
    study : Study
    rows : {"dataset"}, default="dataset"
        Every data set has a row for each booster, or for each T if the columns are boosters.
    columns : {"rounds", "booster", "noise"}, default="rounds"
    value : str, default="test_error"
        Or ``train_error``, ``train_error_clean``, ``test_cost``, ``train_cost``, ``smooth_risk``,
        ``test_accuracy``, ``train_accuracy``.
    at : int, sequence of int, "end" or None, default=None
        Rounds T to show; ``"end"``: the last of each run; the config's checkpoints by default.
    paper : str or None, default=None
        File with the paper's test errors.
    main : bool, default=True
        Whether this reading of the printed table is the one that the overview counts.
    title : str, default=""
    """
    check_choice("value of a table", value, [*METRICS, *ACCURACIES])
    metric = ACCURACIES.get(value, value)
    if paper and metric != "test_error":
        raise BoostbenchError(f"'paper' holds test errors, but the table shows {value}")
    values = read_paper_values(paper) if paper else PaperValues()
    rounds: Sequence[int] | Literal["end"] = END if at == END else chosen_rounds(study, at)
    facts = gather(study, metric, rounds, values)
    is_accuracy = value in ACCURACIES
    arrangement = _Arrangement(facts, _LAYOUTS[columns], METRICS[metric], is_accuracy=is_accuracy)
    title = title or _title(study, metric)
    remarks = _remarks_on_rounds(study, at)
    table = arrangement.table(title, remarks, asked_for_paper=bool(paper))
    return replace(table, held=_printed(facts, str(paper))) if paper and main else table


def _printed(facts: Mapping[FactKey, Fact], path: str) -> dict[str, Held]:
    """Return the printed numbers that were held against ours, each under one name."""
    file = "/".join(Path(path).parts[-2:])
    found: dict[str, Held] = {}
    for paper, held in ((fact.paper, fact.held) for fact in facts.values()):
        if paper is not None and held is not None:
            place = f"T = {paper.rounds}, noise {paper.noise:g}"
            # Of several variants of a booster the first one counts.
            found.setdefault(f"{file}: {paper.dataset}, {paper.method}, {place}", held)
    return found


class _Arrangement:
    """Puts facts into cells and cells into sections, groups, rows and columns.

    Facts are of errors; accuracies are another way to show them.
    """

    def __init__(
        self,
        facts: dict[FactKey, Fact],
        layout: Sequence[str],
        metric: Metric,
        *,
        is_accuracy: bool,
    ) -> None:
        self.facts = facts
        self.metric = metric
        self.is_accuracy = is_accuracy
        self.layout = layout
        self.ranks = rank(facts)
        self.notes = _Notes()
        self.axes = {
            name: list(dict.fromkeys(getattr(key, name) for key in facts))
            for name in FactKey._fields
        }
        self.axes["rounds"].sort()

    def table(self, title: str, remarks: Sequence[str], *, asked_for_paper: bool) -> Table:
        section_axis, group_axis, row_axis, column_axis = self.layout
        columns = self.axes[column_axis]
        sections = tuple(self._section(value) for value in self.axes[section_axis])
        with_paper = tuple(
            any(fact.paper for key, fact in self.facts.items() if getattr(key, column_axis) == c)
            for c in columns
        )
        several = len(sections) > 1
        return Table(
            title=title,
            corner=(
                _TITLES[section_axis] if several else "",
                _TITLES[group_axis],
                _TITLES[row_axis] if any(row.label for _, _, row in _lines(sections)) else "",
            ),
            columns=tuple(_named(column_axis, column) for column in columns),
            with_paper=with_paper,
            sections=sections,
            footers=(*self._footers(asked_for_paper), *remarks),
            notes=tuple(self.notes.texts),
        )

    def _section(self, value: object) -> Section:
        section_axis, group_axis, _, _ = self.layout
        groups = tuple(
            self._group(str(name), {section_axis: value, group_axis: name}, self._cell)
            for name in self.axes[group_axis]
            if self._has({section_axis: value, group_axis: name})
        )
        label = _named(section_axis, value) if len(self.axes[section_axis]) > 1 else ""
        return Section(label, groups, self._summaries({section_axis: value, group_axis: None}))

    def _summaries(self, place: dict[str, object]) -> tuple[Group, ...]:
        if max((standing.n for standing in self.ranks.values()), default=0) < 2:
            return ()

        def summary(label: str, show: Callable[[Standing], str]) -> Group:
            def cell(key: FactKey) -> TableCell:
                return TableCell(show(self.ranks[key]) if key in self.ranks else BEYOND)

            return self._group(label, place, cell)

        return (
            summary("mean rank", lambda its: f"{its.mean_rank:.2f}"),
            summary("wins/ties/losses", lambda its: f"{its.wins}/{its.ties}/{its.losses}"),
        )

    def _group(
        self, label: str, place: dict[str, object], cell: Callable[[FactKey], TableCell]
    ) -> Group:
        _, _, row_axis, column_axis = self.layout
        rows, columns = self.axes[row_axis], self.axes[column_axis]
        nameless = row_axis == "rounds" and len(rows) == 1

        def row_of(row: object) -> Row:
            keys = [FactKey(**{**place, row_axis: row, column_axis: c}) for c in columns]
            label = "" if nameless else _named(row_axis, row)
            return Row(label, tuple(cell(key) for key in keys))

        return Group(label, tuple(row_of(row) for row in rows))

    def _has(self, place: dict[str, object]) -> bool:
        return any(all(getattr(key, a) == v for a, v in place.items()) for key in self.facts)

    def _cell(self, key: FactKey) -> TableCell:
        fact = self.facts.get(key)
        if fact is None:
            return TableCell(BEYOND)
        paper = fact.paper
        notes = self.notes.number(fact.gaps)
        beside = {
            "paper": self._paper_text(paper) if paper else "",
            "paper_notes": self.notes.number(_doubts(paper)),
        }
        if fact.mean is None:
            return TableCell(fact.state or BEYOND, notes=notes, **beside)  # type: ignore[arg-type]
        std = "" if fact.std is None else self.metric.text(fact.std)
        text = self.metric.text(1 - fact.mean if self.is_accuracy else fact.mean)
        return TableCell(
            text=f"{text} ± {std}" if std else text,
            value=text,
            std=std,
            best=fact.best,
            marks=STOPPED * bool(fact.stopped) + _mark(fact.held),
            notes=notes,
            **beside,  # type: ignore[arg-type]
        )

    def _paper_text(self, paper: PaperValue) -> str:
        return paper.accuracy_text if self.is_accuracy else paper.text

    def _footers(self, asked_for_paper: bool) -> Iterable[str]:
        facts = list(self.facts.values())
        most = max(fact.n_runs for fact in facts)
        spread = f", mean ± standard deviation of {most} runs" if most > 1 else ""
        words, best = self.metric.words.capitalize(), "lowest"
        if self.is_accuracy:
            words, best = words.replace("error", "accuracy"), "highest"
        what = words + (" in percent" if self.metric.unit else "")
        yield f"{what}{spread}. Bold: the {best} of a data set, noise and T."
        compared = [fact.held for fact in facts if fact.held is not None]
        if compared:
            yield from self._agreement(compared)
        elif asked_for_paper:
            yield "No cell has both a value of ours and one of the paper."
        stopped = [text for fact in facts for text in fact.stopped]
        if stopped:
            yield f"{STOPPED} stopped early, holds its last value: {_listed(stopped)}."
        empty = [fact for fact in facts if fact.mean is None]
        if empty:
            states = [fact.state or "beyond the rounds made" for fact in empty]
            counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
            yield f"{len(empty)} of {len(facts)} cells have no value: {counts}."
        yield from self._footer_of_ranks()

    def _agreement(self, held: Sequence[Held]) -> Iterable[str]:
        facts = self.facts.items()
        doubtful = sum(bool(f.held and f.paper and f.paper.doubt) for _, f in facts)
        doubt = f" ({doubtful} of the paper's values are doubtful)" if doubtful else ""
        yield f"{in_words(held)}{doubt}."
        marks = {BETTER: "better", WORSE: "worse"}
        shown = [f"{mark} {word}" for mark, word in marks.items() if mark in map(_mark, held)]
        if shown:
            yield f"{', '.join(shown)} than printed: outside the 95 % prediction interval."
        shares = []
        for booster in self.axes["booster"]:
            its = [
                fact.held.agreement for key, fact in facts if key.booster == booster and fact.held
            ]
            if its:
                shares.append(f"{booster} {its.count('agrees')} of {len(its)}")
        if len(shares) > 1:
            yield f"By booster: {', '.join(shares)}."

    def _footer_of_ranks(self) -> Iterable[str]:
        counts = {standing.n for standing in self.ranks.values()}
        everything = len(self.axes["dataset"])
        if max(counts, default=0) > 1 and counts != {everything}:
            span = f"{min(counts)}" if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
            yield (
                f"Ranks and wins are over the {span} of {everything} data sets where every booster "
                "has a value."
            )


def _mark(held: Held | None) -> str:
    marks = {"better than printed": BETTER, "worse than printed": WORSE}
    return "" if held is None else marks.get(held.agreement, "")


def _lines(sections: Iterable[Section]) -> list[tuple[Section, Group, Row]]:
    return [(s, group, row) for s in sections for group in s.groups for row in group.rows]


def _named(axis: str, value: object) -> str:
    if axis == "rounds":
        return "last round" if value == END else f"T = {value}"
    return str(value)


def _doubts(paper: PaperValue | None) -> list[str]:
    if paper is None or not paper.doubt:
        return []
    what = "paper has no value" if paper.error is None else "paper's value doubtful"
    return [f"{what}: {paper.doubt}"]


def _remarks_on_rounds(study: Study, at: object) -> list[str]:
    """Say which T a reader would not expect."""
    runs = [result.run for result in study.results]
    own = {run.method: run.rounds for run in runs if run.booster.rounds}
    if at != END:
        rounds = {label: f"{T} round" + "s" * (T > 1) for label, T in own.items()}
        return [f"{label} makes {its}; later T show the last." for label, its in rounds.items()]
    by_rounds: dict[int, list[str]] = {}
    for run in runs:
        by_rounds.setdefault(run.rounds, []).append(
            run.method if run.booster.rounds else run.dataset
        )
    if len(by_rounds) == 1:
        return [f"T = {runs[0].rounds}."]
    parts = [f"{T} ({', '.join(dict.fromkeys(its))})" for T, its in by_rounds.items()]
    return [f"T is the last round: {', '.join(parts)}."]


def _listed(texts: Iterable[str], most: int = 8) -> str:
    distinct = list(dict.fromkeys(texts))
    more = f"; and {len(distinct) - most} more" if len(distinct) > most else ""
    return "; ".join(distinct[:most]) + more


def _title(study: Study, metric: str) -> str:
    name = study.config.title or study.config.name
    return name if metric == "test_error" else f"{name}: {METRICS[metric].words}"
