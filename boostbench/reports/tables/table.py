"""Format-independent tables: labels, cells and remarks, and their output.

Methods have their printed names, in CSV those of the config. LaTeX tables, with booktabs, have the
width of a column or of the page; rows without room are continued in another table.
"""

from __future__ import annotations

import csv
import io
import itertools
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from boostbench.errors import BoostbenchError
from boostbench.reports.text import SYMBOLS, csv_text, in_print, latex, markdown_table
from boostbench.reports.text import markdown as escaped
from boostbench.reports.text import plain as text_on_a_line
from boostbench.reports.values.paper import Held

STOPPED, OFF, BETTER, WORSE, EVEN, BEYOND = "†", "‡", "§", "¶", "≈", "–"
#: Meanings of marks; two are an `Agreement` with a printed value.
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
    notes: tuple[str, ...] = ()  # remarks, which the table numbers
    paper: str = ""  # the paper's value as printed; empty: no value
    paper_notes: tuple[str, ...] = ()  # remarks on the paper's value

    def __post_init__(self) -> None:
        """Check the texts."""
        for text in (self.text, self.value, self.std, self.paper):
            if not isinstance(text, str):
                raise BoostbenchError(f"a cell must have texts, such as '{text}', found {text!r}")


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    labels: tuple[str, ...]  # one for each of the table's names
    cells: tuple[TableCell, ...]  # one for each column
    is_summary: bool = False  # True if it summarises the rows above it


def text_row(label: str, *texts: str) -> Row:
    """Return a row with one label whose cells are texts."""
    return Row((label,), tuple(TableCell(text, value=text) for text in texts))


@dataclass(frozen=True)
class Table:
    """A table, independent of the output format."""

    title: str
    names: tuple[str, ...]  # of the labels, such as noise, data set, booster
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    footers: tuple[str, ...] = ()
    #: Comparisons with printed numbers, by number, of each column of the paper and reading.
    held: Mapping[tuple[str, str], Mapping[str, Held]] = field(default_factory=dict)
    is_main: bool = True  # its comparisons count in the overview, not only as readings
    answer: tuple[str, ...] = ()  # what the table says, in sentences that a page begins with

    def __post_init__(self) -> None:
        """Check the shape."""
        shape = f"{len(self.names)} labels and {len(self.columns)} cells"
        for row in self.rows:
            if shape != (found := f"{len(row.labels)} labels and {len(row.cells)} cells"):
                raise BoostbenchError(f"a row must have {shape}, as names and columns, not {found}")

    @cached_property
    def cells(self) -> list[TableCell]:
        """All cells, row by row."""
        return [cell for row in self.rows for cell in row.cells]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """The distinct notes of the cells."""
        notes = (text for cell in self.cells for text in (*cell.notes, *cell.paper_notes))
        return tuple(dict.fromkeys(notes))

    def numbers(self, notes: Iterable[str]) -> list[int]:
        """Return the numbers of notes, from 1."""
        return sorted({self.notes.index(text) + 1 for text in notes})

    @cached_property
    def with_paper(self) -> tuple[bool, ...]:
        """For each column, True if any of its cells has a value of the paper."""
        return tuple(any(row.cells[j].paper for row in self.rows) for j in range(len(self.columns)))

    @cached_property
    def is_text(self) -> tuple[bool, ...]:
        """For each column, True if any of its values begins with a letter."""
        places = range(len(self.columns))
        return tuple(any(row.cells[j].value[:1].isalpha() for row in self.rows) for j in places)

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
        return "; ".join([*parts, *cell.notes, *cell.paper_notes])


def to_terminal(table: Table) -> str:
    """Return the table as plain text at its full width; the best values are marked with ``*``."""

    def plain(text: str) -> str:
        return text_on_a_line(in_print(text))

    padded = []
    for place, column in enumerate(zip(*_lines(table, plain, "{}*"), strict=True)):
        side, width = "<" if place < len(table.names) else ">", max(map(len, column))
        padded.append([f"{cell:{side}{width}}" for cell in column])
    header, *rows = ("   ".join(line) for line in zip(*padded, strict=True))
    rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * len(header)
    starred = " Bold is shown as *." if any(cell.best for cell in table.cells) else ""
    first, *others = remarks_of(table) or [""]
    above = [plain(table.title), header.rstrip(), rule]
    below = [plain(text) for text in (first + starred, *others)]
    return "\n".join([*above, *(row.rstrip() for row in rows), "", *below]) + "\n"


def to_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown."""

    def markdown(text: str) -> str:
        return escaped(in_print(text))

    header, *rows = _lines(table, markdown, "**{}**")
    numbers = [place >= len(table.names) for place in range(len(header))]
    body = markdown_table(header, numbers, rows)
    below = "\n".join(f"- {markdown(text)}" for text in remarks_of(table))
    return f"**{markdown(table.title)}**\n\n{body}\n\n{below}\n"


def _lines(table: Table, escape: Callable[[str], str], best: str) -> Iterator[list[str]]:
    """Yield the header and the rows, with a column for the paper's values where there are any.

    Labels that repeat the row above are empty. ``best`` is the format of the best values.
    """

    def references(notes: Iterable[str]) -> str:
        return "".join(f" [{number}]" for number in table.numbers(notes))

    header = [escape(name) for name in table.names]
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        header += [escape(column), "paper"][: 1 + with_paper]
    yield header
    for new, row in table.new_labels():
        line = [escape(label) if i >= new else "" for i, label in enumerate(row.labels)]
        for cell, with_paper in zip(row.cells, table.with_paper, strict=True):
            text = best.format(escape(cell.text)) if cell.best else escape(cell.text)
            line.append(text + escape(cell.marks + references(cell.notes)))
            line += [escape(cell.paper + references(cell.paper_notes))] * with_paper
        yield line


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


def remarks_of(table: Table) -> list[str]:
    """Return the footers and the numbered notes."""
    return [*table.footers, *(f"[{n}] {text}" for n, text in enumerate(table.notes, start=1))]


#: Widths in points, of text of 8 points: a column (3.2 in), a page, a letter, between columns.
_COLUMN, _PAGE, _LETTER, _SPACE = 230.0, 500.0, 4.0, 6.0
_MOST_ROWS = 48  # of a table


def to_latex(table: Table, *, label: str = "") -> str:
    r"""Return a table in LaTeX, after a comment on the package needed.

    Parameters
    ----------
    table : Table
    label : str, default=""
        Label for ``\ref``; further tables have ``-2``, ``-3``, ... appended.
    """
    texts = [r"% needs \usepackage{booktabs,graphicx}"]
    starts = [(p, start) for p in _by_noise(table) for start in range(0, len(p.rows), _MOST_ROWS)]
    for number, (part, start) in enumerate(starts, start=1):
        lines, width = _tabular(part, slice(start, start + _MOST_ROWS))
        caption = rf"{latex(part.title)}, continued" if start else _caption(part)
        name = label if number == 1 else f"{label}-{number}"
        place = "table" if width <= _COLUMN else "table*"
        fit = [r"\resizebox{\textwidth}{!}{%", *lines, "}"] if width > _PAGE else lines
        texts += [
            rf"\begin{{{place}}}",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{caption}}}" + rf"\label{{{name}}}" * bool(label) + r"\par\smallskip",
            *fit,
            rf"\end{{{place}}}",
        ]
    return "\n".join(texts) + "\n"


def short_labels(labels: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return name and variant of each label; the variant has the parameters that differ.

    Examples
    --------
    >>> short_labels(["mine (gamma=0.5, trim=0.1)", "mine (gamma=1, trim=0.1)", "samme"])["samme"]
    ('samme', '')
    >>> short_labels(["mine (gamma=0.5, trim=0.1)", "mine (gamma=1, trim=0.1)"]).values()
    dict_values([('mine', 'γ=0.5'), ('mine', 'γ=1')])
    >>> short_labels(["lpboost", "lpboost (0.4)"]).values()
    dict_values([('lpboost', ''), ('lpboost', '0.4')])
    """
    found: dict[str, dict[str, list[str]]] = {}
    for label in labels:
        name, _, inside = label.removesuffix(")").partition(" (")
        found.setdefault(name, {})[label] = inside.split(", ") if inside else []
    short = {}
    for name, variants in found.items():
        grid = [set(words) for words in variants.values() if words and all("=" in w for w in words)]
        common = set.intersection(*grid) if len(grid) > 1 else set()
        for label, words in variants.items():
            differing = [_symbol(word) for word in words if word not in common]
            short[label] = (label, "") if len(variants) == 1 else (name, ", ".join(differing))
    return short


def _symbol(word: str) -> str:
    """Return ``parameter=value`` with a Greek letter for the parameter, if it is named as one."""
    parameter, is_set, value = word.partition("=")
    name = parameter.rpartition("__")[2]
    symbol = SYMBOLS.get(name, name)
    with suppress(KeyError):
        symbol = unicodedata.lookup(f"GREEK SMALL LETTER {name.replace('lambda', 'lamda')}")
    return f"{symbol}={value}" if is_set else word


def _by_noise(table: Table) -> Iterator[Table]:
    """Yield the part of each noise, with the noise in the title."""
    if table.names[0] != "noise" or len(table.names) == 1:
        yield table
        return
    for noise in dict.fromkeys(row.labels[0] for row in table.rows):
        rows = [replace(r, labels=r.labels[1:]) for r in table.rows if r.labels[0] == noise]
        title = f"{table.title} ({noise})"
        yield replace(table, names=table.names[1:], rows=tuple(rows), title=title)


def _tabular(table: Table, rows: slice) -> tuple[list[str], float]:
    """Return the lines of some rows of a table, and about its width in points."""
    names = short_labels([*table.columns, *(label for row in table.rows for label in row.labels)])
    texts = {label: ", ".join(filter(None, pair)) for label, pair in names.items()}
    width = sum(
        _width([name, *(texts[row.labels[i]] for row in table.rows)])
        for i, name in enumerate(table.names)
    )
    heads: list[tuple[str, ...]] = []
    for place, (label, with_paper) in enumerate(zip(table.columns, table.with_paper, strict=True)):
        name, variant = names[label]
        sides = ("ours", "paper") if with_paper else ("",)
        heads += [(latex(name), latex(variant), side) for side in sides]
        cells = [row.cells[place] for row in table.rows[rows]]
        width += _width([variant or name, *(c.text + c.paper for c in cells)]) + _SPACE * with_paper
    columns = f"@{{}}{'l' * len(table.names)}{'r' * len(heads)}@{{}}"
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *_headings(table.names, heads)]
    was_summary = True
    for new, row in table.new_labels(table.rows[rows]):
        lines += [r"\midrule"] * (new < 0 or row.is_summary > was_summary)
        was_summary = row.is_summary
        line = [latex(texts[x]) if i >= new else "" for i, x in enumerate(row.labels)]
        for cell, with_paper in zip(row.cells, table.with_paper, strict=True):
            line += [_ours(cell), latex(cell.paper)][: 1 + with_paper]
        lines.append(rf"{' & '.join(line)} \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"], width


def _headings(names: Sequence[str], heads: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of the heads; one that several columns share stands once above them."""
    *upper, last = [level for level in range(3) if any(head[level] for head in heads)]
    for level in upper:
        line = [""] * len(names)
        for (*_, text), group in itertools.groupby(head[: level + 1] for head in heads):
            n = len([*group])
            line.append(text if n == 1 else rf"\multicolumn{{{n}}}{{c}}{{{text}}}")
        yield rf"{' & '.join(line)} \\"
    yield rf"{' & '.join([*map(latex, names), *(head[last] for head in heads)])} \\"


def _ours(cell: TableCell) -> str:
    """Return our value in LaTeX: the best bold, one that is not significantly worse underlined."""
    value, sign, std = cell.text.partition(" ± ")
    text = rf"\textbf{{{latex(value)}}}" if cell.best else latex(value)
    text = rf"\underline{{{text}}}" if EVEN in cell.marks else text
    spread = rf"{{\scriptsize\,$\pm$\,{latex(std)}}}" if sign else ""
    marks = latex(cell.marks.replace(EVEN, ""))
    return text + spread + rf"\textsuperscript{{{marks}}}" * bool(marks)


def _caption(table: Table) -> str:
    marks = dict.fromkeys(mark for cell in table.cells for mark in cell.marks)
    words = [f"{mark} {IN_WORDS[mark]}" for mark in marks if mark != EVEN]
    words += [f"Underlined: {IN_WORDS[EVEN]}"] if EVEN in marks else []
    return latex(" ".join([f"{table.title}.", *table.footers[:1], *(f"{w}." for w in words)]))


def _width(texts: Iterable[str]) -> float:
    return _LETTER * max(len(in_print(text)) for text in texts) + _SPACE
