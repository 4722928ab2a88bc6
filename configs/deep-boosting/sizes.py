"""Table of data sets with their sizes, as counted by the runs, beside those of a paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, ValidationInfo

from boostbench.plugins import (
    BEYOND,
    NO_VALUE,
    OFF,
    BoostbenchError,
    FileBeside,
    OneOrMore,
    Record,
    Result,
    Row,
    Study,
    Table,
    TableCell,
    Title,
    capital,
    listed,
    read_rows,
)


class _Column(NamedTuple):
    title: str
    of: Callable[[Record], float]
    words: str  # for the footer
    digits: int = 0


_COLUMNS = {
    "n_train": _Column("training", lambda record: record.n_train, "training samples"),
    "n_test": _Column("test", lambda record: record.n_test, "test samples"),
    "n_samples": _Column("samples", lambda record: record.n_train + record.n_test, "samples"),
    "n_features": _Column("features", lambda record: record.n_features, "features"),
    "n_classes": _Column("classes", lambda record: record.n_classes, "classes"),
    "majority": _Column(
        "majority (%)",
        lambda record: 100.0 * max(record.n_per_class) / sum(record.n_per_class),
        "the share of the largest class",
        digits=1,
    ),
}
ColumnName = Literal["n_train", "n_test", "n_samples", "n_features", "n_classes", "majority"]
DEFAULT_COLUMNS: tuple[ColumnName, ...] = ("n_train", "n_test", "n_features", "n_classes")


def _paper(value: str, info: ValidationInfo) -> str:
    read_paper_sizes(value, info.data.get("columns", ()))
    return value


_File = Annotated[FileBeside, AfterValidator(_paper)]


def datasets(
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
    rows, words = [], listed([_COLUMNS[column].words for column in columns])
    for dataset in study.datasets:
        results = [result for result in study.results if result.run.dataset == dataset]
        sizes = printed.get(dataset) or printed.get(results[0].run.data.name) or {}
        cells = [_cell(results, column, sizes.get(column, "")) for column in columns]
        if sizes.get("doubt"):  # at the cells that differ from the paper, or at the last one
            doubt = f"{dataset}: {sizes['doubt']}"
            for place in [k for k, cell in enumerate(cells) if cell.marks] or [-1]:
                cells[place] = replace(cells[place], paper_notes=(doubt,))
        rows.append(Row((dataset,), tuple(cells)))
    footers = [f"{capital(words)} as counted in the data."]
    values = [cell for row in rows for cell in row.cells if cell.value]
    compared = [cell for cell in values if cell.paper not in ("", NO_VALUE)]
    if paper and not compared:
        raise BoostbenchError("the file of the paper's sizes has none of the data sets shown")
    equal = sum(not cell.marks for cell in compared)
    answer = [f"{equal} of {len(compared)} numbers are the paper's."] if compared else []
    footers += answer
    footers += [f"{OFF} not the paper's number."] if equal < len(compared) else []
    return Table(
        title=title or study.config.title or study.config.name,
        names=("data set",),
        columns=tuple(_COLUMNS[column].title for column in columns),
        rows=tuple(rows),
        footers=tuple(footers),
        answer=tuple(answer),
    )


def read_paper_sizes(
    path: Path | str, columns: Sequence[str] = DEFAULT_COLUMNS
) -> dict[str, dict[str, str]]:
    """Return a paper's sizes of data sets from a CSV file, which must have the given columns.

    By data set: the printed text of each column, and a remark on doubtful values under "doubt".
    """
    rows = read_rows(path, ("dataset", *columns))
    cells = [{k or "": (v or "").strip() for k, v in row.items()} for _, row in rows]
    return {row["dataset"]: row for row in cells}


def _cell(results: Sequence[Result], column: str, paper: str) -> TableCell:
    count, digits = _COLUMNS[column].of, _COLUMNS[column].digits
    counts = sorted({count(r.record) for r in results if r.ok and r.record is not None})
    if not counts:
        reasons = dict.fromkeys(result.reported_reason for result in results)
        return TableCell(results[0].status, notes=tuple(filter(None, reasons)), paper=paper)
    ends = dict.fromkeys(f"{end:.{digits}f}" for end in (counts[0], counts[-1]))
    text = f" {BEYOND} ".join(ends)
    return TableCell(text, value=text, marks=OFF * (bool(paper) and text != paper), paper=paper)
