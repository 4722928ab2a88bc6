r"""LaTeX output of tables at the width of a column, with booktabs.

A table with a column of noises becomes a table for each noise. Columns that do not fit beside each
other follow below, and a long table is continued in another one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from boostbench.reports.tables.table import EVEN, IN_WORDS, Table, TableCell
from boostbench.reports.text import SYMBOLS, in_print, latex

#: Widths in points, of text of 8 points: the column (3.3 in), a letter, the space between columns.
_COLUMN, _LETTER, _SPACE = 238.0, 4.0, 6.0
#: Rows of a table, letters of a name, and of one that stands on a line above its column.
_MOST_ROWS, _LONGEST, _WIDEST = 48, 26, 9
_PARAMETER = re.compile(r"([\w.]+)=(.*)")


def to_latex(table: Table, *, label: str = "", own: Collection[str] = ()) -> str:
    r"""Return a table in LaTeX, after a comment on the package needed.

    Parameters
    ----------
    table : Table
    label : str, default=""
        Label for ``\ref``; further tables have ``-2``, ``-3``, ... appended.
    own : collection of str, default=()
        Labels of boosters to set in italics, as those of the author.
    """
    floats = [each for part in _by_noise(table) for each in _floats(part, own)]
    texts = [r"% needs \usepackage{booktabs}"]
    for number, (caption, blocks) in enumerate(floats, start=1):
        name = label if number == 1 else f"{label}-{number}"
        texts += [
            r"\begin{table}",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{caption}}}" + rf"\label{{{name}}}" * bool(label) + r"\par\smallskip",
            "\\par\\smallskip\n".join(blocks),
            r"\end{table}",
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
            differing = [word for word in words if word not in common]
            is_alone = len(variants) == 1
            text = (label, "") if is_alone else (name, ", ".join(map(_symbol, differing)))
            short[label] = text
    return short


def _symbol(word: str) -> str:
    """Return ``parameter=value`` with a Greek letter for the parameter, if it is named as one."""
    match = _PARAMETER.fullmatch(word)
    if match is None:
        return word
    name = match[1].rpartition("__")[2]
    try:
        name = unicodedata.lookup(f"GREEK SMALL LETTER {name.replace('lambda', 'lamda')}")
    except KeyError:
        name = SYMBOLS.get(name, name)
    return f"{name}={match[2]}"


def _by_noise(table: Table) -> Iterator[Table]:
    """Yield the part of each noise, with the noise in the title."""
    if table.names[0] != "noise" or len(table.names) == 1:
        yield table
        return
    for noise in dict.fromkeys(row.labels[0] for row in table.rows):
        rows = [replace(r, labels=r.labels[1:]) for r in table.rows if r.labels[0] == noise]
        title = f"{table.title} ({noise})"
        yield replace(table, names=table.names[1:], rows=tuple(rows), title=title)


@dataclass(frozen=True)
class _Column:
    """A column of a table; with values of the paper, a pair of columns."""

    name: str
    variant: str
    cells: tuple[tuple[str, ...], ...]  # in LaTeX, one or two for each row
    width: float  # in points


def _floats(table: Table, own: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield caption and blocks of each table that the rows and columns need."""
    caption = _caption(table, own)
    labels, width = _labels(table, own)
    chunks = list(_chunks(_columns(table, own), _COLUMN - width))
    blocks: list[str] = []
    n_rows = 0
    for chunk, start in product(chunks, range(0, len(table.rows), _MOST_ROWS)):
        rows = range(start, min(start + _MOST_ROWS, len(table.rows)))
        if blocks and n_rows + len(rows) > _MOST_ROWS:
            yield caption, blocks
            caption, blocks, n_rows = rf"{latex(table.title)}, continued", [], 0
        blocks.append("\n".join(_block(table, chunk, rows, labels)))
        n_rows += len(rows) + 3
    yield caption, blocks


def _labels(table: Table, own: Collection[str]) -> tuple[list[list[str]], float]:
    """Return the labels of each row in LaTeX, and their width in points."""
    short = short_labels(label for row in table.rows for label in row.labels)
    texts = {label: ", ".join(filter(None, pair)) for label, pair in short.items()}
    written = {label: _name(text, label in own) for label, text in texts.items()}
    widths = [
        max(_width(name), *(_width(texts[row.labels[i]]) for row in table.rows))
        for i, name in enumerate(table.names)
    ]
    return [[written[label] for label in row.labels] for row in table.rows], sum(widths)


def _columns(table: Table, own: Collection[str]) -> Iterator[_Column]:
    short = short_labels(table.columns)
    for place, (label, with_paper) in enumerate(zip(table.columns, table.with_paper, strict=True)):
        cells = [row.cells[place] for row in table.rows]
        name, variant = short[label]
        sides = [[(_text(cell), _ours(cell)) for cell in cells]]
        if with_paper:
            sides.append([(cell.paper, latex(cell.paper)) for cell in cells])
        widths = [max(_width(text) for text, _ in side) for side in sides]
        is_stacked = not variant and len(name) > _WIDEST
        words = (is_stacked and _printed(name).split()) or [_printed(name)]
        written = [_name(word, label in own) for word in words]
        below_each_other = r"\\".join(written)
        heads = [variant] if variant else words
        yield _Column(
            rf"\shortstack{{{below_each_other}}}" if len(words) > 1 else written[0],
            latex(variant),
            tuple(zip(*([text for _, text in side] for side in sides), strict=True)),
            max(sum(widths), *map(_width, heads)),
        )


def _chunks(columns: Iterable[_Column], room: float) -> Iterator[list[_Column]]:
    """Yield the columns that fit beside the labels."""
    chunk: list[_Column] = []
    for column in columns:
        if chunk and sum(each.width for each in chunk) + column.width > room:
            yield chunk
            chunk = []
        chunk.append(column)
    yield chunk


def _block(
    table: Table, columns: Sequence[_Column], rows: range, labels: Sequence[Sequence[str]]
) -> Iterator[str]:
    """Yield the lines of some columns and rows."""
    n_sides = [len(column.cells[0]) for column in columns]
    shape = "l" * (len(table.names) - 1) + "r" * sum(n_sides)
    shape = rf"@{{}}l@{{\extracolsep{{\fill}}}}{shape}@{{}}"
    yield rf"\begin{{tabular*}}{{\columnwidth}}{{{shape}}}"
    yield r"\toprule"
    top, below, sources = [], [], []
    for name, group in groupby(zip(columns, n_sides, strict=True), key=lambda pair: pair[0].name):
        pairs = list(group)
        top.append(_spanning(sum(n for _, n in pairs), name))
        below += [_spanning(n, column.variant) for column, n in pairs]
        sources += [side for _, n in pairs for side in ("ours", "paper")[:n]]
    heads = [top]
    heads += [below] if any(column.variant for column in columns) else []
    heads += [sources] if max(n_sides) > 1 else []
    names = [latex(name) for name in table.names]
    yield from (_line([*[""] * len(names), *head]) for head in heads[:-1])
    yield _line([*names, *heads[-1]])
    yield r"\midrule"
    shown = replace(table, rows=table.rows[rows.start : rows.stop])
    was_summary = True
    for place, (new, row) in zip(rows, shown.new_labels(), strict=True):
        if row.is_summary and not was_summary:
            yield r"\midrule"
        was_summary = row.is_summary
        own = [label if i >= new else "" for i, label in enumerate(labels[place])]
        yield _line([*own, *(side for column in columns for side in column.cells[place])])
    yield r"\bottomrule"
    yield r"\end{tabular*}"


def _ours(cell: TableCell) -> str:
    """Return our value in LaTeX: the best bold, one that is not significantly worse underlined."""
    value, sign, std = cell.text.partition(" ± ")
    text = rf"\textbf{{{latex(value)}}}" if cell.best else latex(value)
    text = rf"\underline{{{text}}}" if EVEN in cell.marks else text
    spread = rf"{{\scriptsize\,$\pm$\,{latex(std)}}}" if sign else ""
    marks = latex(cell.marks.replace(EVEN, ""))
    return text + spread + rf"\textsuperscript{{{marks}}}" * bool(marks)


def _caption(table: Table, own: Collection[str]) -> str:
    marks = dict.fromkeys(mark for cell in table.cells for mark in cell.marks)
    words = [f"{mark} {IN_WORDS[mark]}" for mark in marks if mark != EVEN]
    words += [f"Underlined: {IN_WORDS[EVEN]}"] if EVEN in marks else []
    labels = {*table.columns, *(label for row in table.rows for label in row.labels)}
    words += ["Italic: ours"] if labels & {*own} else []
    return latex(" ".join([f"{table.title}.", *table.footers[:1], *(f"{w}." for w in words)]))


def _name(label: str, is_own: bool) -> str:
    text = latex(_printed(label))
    return rf"\textit{{{text}}}" if is_own else text


def _spanning(n: int, text: str) -> str:
    return rf"\multicolumn{{{n}}}{{c}}{{{text}}}"


def _text(cell: TableCell) -> str:
    """Return the text of a cell, for its width; a spread is set smaller."""
    value, _, std = cell.text.partition(" ± ")
    return value + std + cell.marks.replace(EVEN, "")


def _printed(text: str) -> str:
    text = in_print(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _width(text: str) -> float:
    return _LETTER * len(_printed(text)) + _SPACE


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
