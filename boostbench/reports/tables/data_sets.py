"""Table of data sets with their sizes, as counted by the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.fields import FileBeside
from boostbench.experiments.store.record import Record
from boostbench.reports.tables.table import BEYOND, OFF, Notes, Row, Table, TableCell
from boostbench.reports.text import capital, listed
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.paper import NO_VALUE, read_rows
from boostbench.reports.values.part_options import Title
from boostbench.validation import OneOrMore


@dataclass(frozen=True)
class _Column:
    title: str
    count: Callable[[Record], float]
    words: str  # for the footer
    digits: int = 0


def _majority(record: Record) -> float:
    counts = record.n_per_class
    return 100.0 * max(counts) / sum(counts)


ColumnName = Annotated[
    Literal["n_train", "n_test", "n_samples", "n_features", "n_classes", "majority"],
    Field(description="Column of the table."),
]
_COLUMNS = {
    "n_train": _Column("training", lambda record: record.n_train, "training samples"),
    "n_test": _Column("test", lambda record: record.n_test, "test samples"),
    "n_samples": _Column("samples", lambda record: record.n_train + record.n_test, "samples"),
    "n_features": _Column("features", lambda record: record.n_features, "features"),
    "n_classes": _Column("classes", lambda record: record.n_classes, "classes"),
    "majority": _Column("majority (%)", _majority, "the share of the largest class", digits=1),
}
DEFAULT_COLUMNS: tuple[ColumnName, ...] = ("n_train", "n_test", "n_features", "n_classes")

#: By data set: the printed text of each column, and a remark on doubtful values under "doubt".
PaperSizes = Mapping[str, Mapping[str, str]]


def _paper(value: str, info: ValidationInfo) -> str:
    read_paper_sizes(value, info.data.get("columns", ()))
    return value


_File = Annotated[
    FileBeside,
    AfterValidator(_paper),
    Field(description="File with the sizes printed in a paper."),
]


def build_data_table(
    study: Study,
    *,
    columns: OneOrMore[ColumnName] = DEFAULT_COLUMNS,
    paper: _File | None = None,
    title: Title = "",
) -> Table:
    """Build the table of a study's data sets, one row per data set.

    If the sizes differ between runs, a cell has the smallest and the largest number.

    Parameters
    ----------
    columns : sequence of str, default=("n_train", "n_test", "n_features", "n_classes")
        Any of the default columns, ``n_samples`` and ``majority`` (the share of the largest class
        in percent).
    paper : str or None, default=None
        CSV file with the paper's numbers, with the columns ``dataset``, those of the table, and
        optionally ``doubt``.
    """
    printed = read_paper_sizes(paper, columns) if paper else {}
    notes = Notes()
    rows = []
    for dataset in study.datasets:
        results = [result for result in study.results if result.run.dataset == dataset]
        sizes = printed.get(dataset) or printed.get(results[0].run.data.name) or {}
        cells = tuple(_cell(results, column, sizes.get(column, ""), notes) for column in columns)
        if sizes.get("doubt"):
            cells = _with_note(cells, f"{dataset}: {sizes['doubt']}", notes)
        rows.append(Row((dataset,), cells))
    return Table(
        title=title or study.config.title or study.config.name,
        names=("data set",),
        columns=tuple(_COLUMNS[column].title for column in columns),
        rows=tuple(rows),
        footers=tuple(_footers(rows, columns, asked_for_paper=bool(paper))),
        notes=tuple(notes),
    )


def read_paper_sizes(path: Path | str, columns: Sequence[str] = DEFAULT_COLUMNS) -> PaperSizes:
    """Read a paper's sizes of data sets from a CSV file, which must have the given columns."""
    rows = read_rows(path, ("dataset", *columns))
    cells = [{k or "": (v or "").strip() for k, v in row.items()} for _, row in rows]
    return {row["dataset"]: row for row in cells}


def _cell(results: Sequence[Result], column: str, paper: str, notes: Notes) -> TableCell:
    count, digits = _COLUMNS[column].count, _COLUMNS[column].digits
    counts = sorted({count(r.record) for r in results if r.ok and r.record is not None})
    if not counts:
        reasons = dict.fromkeys(result.reported_reason for result in results)
        return TableCell(results[0].status, notes=notes.number(filter(None, reasons)), paper=paper)
    ends = dict.fromkeys(f"{end:.{digits}f}" for end in (counts[0], counts[-1]))
    text = f" {BEYOND} ".join(ends)
    differs = bool(paper) and text != paper
    return TableCell(text, value=text, marks=OFF * differs, paper=paper)


def _with_note(cells: Sequence[TableCell], text: str, notes: Notes) -> tuple[TableCell, ...]:
    """Add a note to the cells that differ from the paper, or to the last cell if none does."""
    numbers = notes.number([text])
    marked = [cell for cell in cells if cell.marks] or [cells[-1]]
    return tuple(
        replace(cell, paper_notes=numbers) if any(cell is other for other in marked) else cell
        for cell in cells
    )


def _footers(
    rows: Sequence[Row], columns: Sequence[str], *, asked_for_paper: bool
) -> Iterable[str]:
    cells = [cell for row in rows for cell in row.cells]
    words = listed([_COLUMNS[column].words for column in columns])
    yield f"{capital(words)} as counted in the data."
    compared = [cell for cell in cells if cell.value and cell.paper not in ("", NO_VALUE)]
    if compared:
        equal = sum(not cell.marks for cell in compared)
        yield f"{equal} of {len(compared)} numbers are the paper's."
        if equal < len(compared):
            yield f"{OFF} not the paper's number."
    elif asked_for_paper:
        raise BoostbenchError("the file of the paper's sizes has none of the data sets shown")
