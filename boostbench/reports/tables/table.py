"""A table as all writers show it: labels, cells and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boostbench.reports.text import plain
from boostbench.reports.values.agreement import Held

if TYPE_CHECKING:
    import pandas as pd

STOPPED, OFF, BETTER, WORSE, BEYOND = "†", "‡", "§", "¶", "–"
_IN_WORDS = {
    STOPPED: "stopped early",
    OFF: "off the paper's value",
    BETTER: "better than printed",
    WORSE: "worse than printed",
}


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
    """A line of cells, one per column, and its labels, one per name of the table."""

    labels: tuple[str, ...]
    cells: tuple[TableCell, ...]
    is_summary: bool = False  # of the rows above it


@dataclass(frozen=True)
class Table:
    """A table as all writers show it."""

    title: str
    names: tuple[str, ...]  # of the labels: noise, data set, booster
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    footers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # numbered from 1 in the cells
    held: Mapping[str, Held] = field(default_factory=dict)  # printed numbers that it stands for
    macros: bool = False  # whether its values are LaTeX macros, too

    @property
    def cells(self) -> list[TableCell]:
        """Every cell."""
        return [cell for row in self.rows for cell in row.cells]

    @property
    def with_paper(self) -> tuple[bool, ...]:
        """By column, whether any value of the paper stands beside ours."""
        columns = zip(*(row.cells for row in self.rows), strict=True)
        return tuple(any(cell.paper for cell in cells) for cells in columns)

    def new_labels(self, rows: Iterable[Row] | None = None) -> Iterator[tuple[int, Row]]:
        """Yield rows with the place of the first label that the row above does not have.

        It is the last place if all are the same, and -1 in the first row.
        """
        previous: tuple[str, ...] = ()
        for row in self.rows if rows is None else rows:
            pairs = enumerate(zip(row.labels, previous, strict=False))
            changed = (place for place, (a, b) in pairs if a != b)
            yield (next(changed, len(row.labels) - 1) if previous else -1), row
            previous = row.labels

    def frame(self) -> pd.DataFrame:
        """Return the table as a DataFrame, remarks of a cell in words.

        A column of the table is ``value``, ``std`` and ``paper``, if there are any, and
        ``remarks``. A cell without a value says why in its place.
        """
        import pandas as pd

        has_std = any(cell.std for cell in self.cells)
        columns: dict[tuple[str, str], list[str]] = {}
        for place, (column, with_paper) in enumerate(
            zip(map(plain, self.columns), self.with_paper, strict=True)
        ):
            cells = [row.cells[place] for row in self.rows]
            columns[column, "value"] = [plain(cell.value or cell.text) for cell in cells]
            if has_std:
                columns[column, "std"] = [cell.std for cell in cells]
            if with_paper:
                columns[column, "paper"] = [plain(cell.paper) for cell in cells]
            columns[column, "remarks"] = [plain(self._remarks(cell)) for cell in cells]
        index = pd.MultiIndex.from_tuples(
            [tuple(map(plain, row.labels)) for row in self.rows],
            names=[plain(name) for name in self.names],
        )
        return pd.DataFrame(columns, index=index)

    def _remarks(self, cell: TableCell) -> str:
        parts = ["best"] if cell.best else []
        parts += [_IN_WORDS[mark] for mark in cell.marks]
        parts += [self.notes[number - 1] for number in (*cell.notes, *cell.paper_notes)]
        return "; ".join(parts)


class Notes(list[str]):
    """The notes of a table: equal texts have one number."""

    def number(self, texts: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of texts, new ones in the order of first use."""
        texts = list(texts)
        self += [text for text in dict.fromkeys(texts) if text not in self]
        return tuple(sorted({self.index(text) + 1 for text in texts}))
