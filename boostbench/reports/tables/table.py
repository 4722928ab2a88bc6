"""Format-independent tables: labels, cells and remarks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from boostbench.reports.values.paper import Held

STOPPED, OFF, BETTER, WORSE, EVEN, BEYOND = "†", "‡", "§", "¶", "≈", "–"
#: Meanings of marks.
IN_WORDS = {
    STOPPED: "stopped early",
    OFF: "off the paper's value",
    BETTER: "better than printed",
    WORSE: "worse than printed",
    EVEN: "not significantly worse than the best",
}


@dataclass(frozen=True)
class TableCell:
    """One cell as text."""

    text: str  # our value with its spread ("4.05 ± 0.12"), or the text shown without a value
    value: str = ""  # the value alone; empty: no value
    std: str = ""  # the standard deviation alone
    best: bool = False  # True if no other booster is better
    marks: str = ""  # any of the keys of IN_WORDS
    notes: tuple[int, ...] = ()  # numbers of the table's notes, from 1
    paper: str = ""  # the paper's value as printed; empty: no value
    paper_notes: tuple[int, ...] = ()  # numbers of the notes on the paper's value


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    labels: tuple[str, ...]  # one for each of the table's names
    cells: tuple[TableCell, ...]  # one for each column
    is_summary: bool = False  # True if it summarises the rows above it


@dataclass(frozen=True)
class Table:
    """A table, independent of the output format."""

    title: str
    names: tuple[str, ...]  # of the labels, such as noise, data set, booster
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    footers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # cells refer to them by number, from 1
    held: Mapping[str, Held] = field(default_factory=dict)  # comparisons with printed numbers
    answer: tuple[str, ...] = ()  # what the table says, in sentences that a page begins with

    @cached_property
    def cells(self) -> list[TableCell]:
        """All cells, row by row."""
        return [cell for row in self.rows for cell in row.cells]

    @cached_property
    def with_paper(self) -> tuple[bool, ...]:
        """For each column, True if any of its cells has a value of the paper."""
        columns = zip(*(row.cells for row in self.rows), strict=True)
        return tuple(any(cell.paper for cell in cells) for cells in columns)

    @cached_property
    def is_text(self) -> tuple[bool, ...]:
        """For each column, True if any of its values begins with a letter."""
        columns = zip(*(row.cells for row in self.rows), strict=True)
        return tuple(any(cell.value[:1].isalpha() for cell in cells) for cells in columns)

    def new_labels(self, rows: Iterable[Row] | None = None) -> Iterator[tuple[int, Row]]:
        """Yield each row after the index of the first label that differs from the row above.

        The index is that of the last label if all labels are equal, and -1 for the first row.
        """
        previous: tuple[str, ...] = ()
        for row in self.rows if rows is None else rows:
            pairs = enumerate(zip(row.labels, previous, strict=False))
            changed = (place for place, (a, b) in pairs if a != b)
            yield (next(changed, len(row.labels) - 1) if previous else -1), row
            previous = row.labels

    def remarks_on(self, cell: TableCell) -> str:
        """Return in words what marks, bold text and notes say about a cell."""
        parts = ["best"] if cell.best else []
        parts += [IN_WORDS[mark] for mark in cell.marks]
        parts += [self.notes[number - 1] for number in (*cell.notes, *cell.paper_notes)]
        return "; ".join(parts)


class Notes(list[str]):
    """Distinct notes of a table, numbered from 1."""

    def number(self, texts: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of texts; new texts are appended."""
        texts = list(texts)
        self += [text for text in dict.fromkeys(texts) if text not in self]
        return tuple(sorted({self.index(text) + 1 for text in texts}))
