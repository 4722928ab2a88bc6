"""Output of tables to the terminal, Markdown and CSV.

Methods have their printed names, and in CSV those of the config.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from boostbench.reports.tables.table import Table, TableCell
from boostbench.reports.text import csv_text, in_print, markdown_table
from boostbench.reports.text import markdown as escaped
from boostbench.reports.text import plain as text_on_a_line

T = TypeVar("T")


def to_terminal(table: Table) -> str:
    """Return the table as plain text at its full width; the best values are marked with ``*``."""

    def plain(text: str) -> str:
        return text_on_a_line(in_print(text))

    def ours(cell: TableCell) -> str:
        return plain(cell.text) + "*" * cell.best + cell.marks + _references(cell.notes)

    def paper(cell: TableCell) -> str:
        return plain(cell.paper) + _references(cell.paper_notes)

    header = list(map(plain, table.names))
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        header += [plain(column), "paper"][: 1 + with_paper]
    rows = list(written_rows(table, plain, ours, paper))
    lines = [header, *([*labels, *cells] for _, labels, cells in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    n_labels = len(table.names)
    texts = [
        "   ".join(
            cell.ljust(width) if place < n_labels else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    body = [
        ("\n" if 0 <= new < n_labels - 1 else "") + text
        for (new, *_), text in zip(rows, texts[1:], strict=True)
    ]
    starred = " Bold is shown as *." if any(cell.best for cell in table.cells) else ""
    first, *others = remarks_of(table)
    below = [plain(text) for text in (first + starred, *others)]
    rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (sum(widths) + 3 * (len(widths) - 1))
    return "\n".join([plain(table.title), texts[0], rule, *body, "", *below]) + "\n"


def to_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown."""

    def markdown(text: str) -> str:
        return escaped(in_print(text))

    def ours(cell: TableCell) -> str:
        text = f"**{markdown(cell.text)}**" if cell.best else markdown(cell.text)
        return text + cell.marks + markdown(_references(cell.notes))

    def paper(cell: TableCell) -> str:
        return markdown(cell.paper + _references(cell.paper_notes))

    header = [markdown(name) for name in table.names]
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        header += [markdown(column), "paper"][: 1 + with_paper]
    numbers = [place >= len(table.names) for place in range(len(header))]
    rows = ([*labels, *cells] for _, labels, cells in written_rows(table, markdown, ours, paper))
    body = markdown_table(header, numbers, rows)
    below = "\n".join(f"- {markdown(text)}" for text in remarks_of(table))
    return f"**{markdown(table.title)}**\n\n{body}\n\n{below}\n"


def to_csv(table: Table) -> str:
    """Return the table as CSV with a single header line.

    Each column of the table becomes its values, their standard deviations and the paper's values,
    if there are any, and remarks. A cell without a value has its text instead.
    """
    has_std = any(cell.std for cell in table.cells)
    header = [name.replace(" ", "_") for name in table.names]
    for name, has_paper in zip(table.columns, table.with_paper, strict=True):
        parts = ["", *[" std"] * has_std, *[" paper"] * has_paper, " remarks"]
        header += [name.replace(" ", "") + part for part in parts]
    rows = [header]
    for row in table.rows:
        fields = list(row.labels)
        for cell, has_paper in zip(row.cells, table.with_paper, strict=True):
            fields += [cell.value or cell.text, *[cell.std] * has_std, *[cell.paper] * has_paper]
            fields.append(table.remarks_on(cell))
        rows.append(fields)
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(map(csv_text, row) for row in rows)
    return file.getvalue()


def written_rows(
    table: Table,
    text: Callable[[str], T],
    ours: Callable[[TableCell], T],
    paper: Callable[[TableCell], T],
) -> Iterator[tuple[int, list[T], list[T]]]:
    """Yield the rows as (index of the first new label, labels, cells of ours and the paper).

    Labels before the first new one repeat the row above and are empty. See `Table.new_labels`.
    """
    with_paper = table.with_paper
    for new, row in table.new_labels():
        cells = []
        for cell, has_paper in zip(row.cells, with_paper, strict=True):
            cells += [ours(cell), *([paper(cell)] if has_paper else [])]
        labels = [label if place >= new else "" for place, label in enumerate(row.labels)]
        yield new, [text(label) for label in labels], cells


def remarks_of(table: Table) -> list[str]:
    """Return the footers and the numbered notes."""
    return [*table.footers, *(f"[{n}] {text}" for n, text in enumerate(table.notes, start=1))]


def _references(notes: Iterable[int]) -> str:
    return "".join(f" [{number}]" for number in notes)
