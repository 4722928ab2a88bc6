"""LaTeX output of tables: wide tables are rotated or split, long ones span several pages.

Widths are estimated for the class ``article`` at 10 points, with a text area of 345 by 550 points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from boostbench.reports.tables.table import Table, TableCell
from boostbench.reports.tables.writers import remarks_of, written_rows
from boostbench.reports.text import latex

_PORTRAIT, _LANDSCAPE = 350.0, 550.0
_MOST_ROWS = 38
# Widths in points: a letter at \small, a superscript letter, the gap between columns.
_LETTER, _MARK, _GAP = 4.5, 3.6, 8.0
_PACKAGES = {
    r"\begin{longtable}": "longtable",
    r"\begin{landscape}": "pdflscape",
}


def to_latex(table: Table, *, label: str = "") -> str:
    r"""Return the table in LaTeX, after a comment on the packages needed.

    Parameters
    ----------
    table : Table
        A table that is too wide even for a rotated page is split by columns.
    label : str, default=""
        Label for ``\ref``; further parts of a split table have ``-2``, ``-3``, ... appended.
    """
    parts = list(_parts(table))
    texts = []
    for number, part in enumerate(parts, start=1):
        part_label = label if number == 1 or not label else f"{label}-{number}"
        caption = latex(table.title) + (f" ({number} of {len(parts)})" if len(parts) > 1 else "")
        texts.append(_format_part(part, caption, part_label, is_last=number == len(parts)))
    text = "\n".join(texts)
    needed = ["booktabs", *(name for begin, name in _PACKAGES.items() if begin in text)]
    return f"% needs \\usepackage{{{','.join(needed)}}}\n{text}"


def to_macros(table: Table, name: str) -> str:
    r"""Return LaTeX definitions of all values, to be cited as ``\boostbench{name/...}``.

    The key consists of the name of the table, the labels of the row and the column, with hyphens in
    place of special characters.
    """

    def key(parts: Iterable[str]) -> str:
        return "/".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-") for part in parts)

    lines = [
        r"\providecommand{\boostbench}[1]{\ifcsname bb:#1\endcsname\csname bb:#1\endcsname"
        r"\else\textbf{?? #1}\fi}"
    ]
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            base = key([name, *row.labels, column])
            values = [(base, cell.text), *([(f"{base}/paper", cell.paper)] if cell.paper else [])]
            lines += [rf"\expandafter\def\csname bb:{k}\endcsname{{{latex(v)}}}" for k, v in values]
    return "\n".join(lines) + "\n"


def _parts(table: Table) -> Iterator[Table]:
    """Yield the table, or tables of as many columns as fit on a rotated page."""
    start = 0
    while start < len(table.columns):
        end = start + 1
        while end < len(table.columns) and _width(_columns(table, start, end + 1)) <= _LANDSCAPE:
            end += 1
        yield _columns(table, start, end)
        start = end


def _columns(table: Table, start: int, end: int) -> Table:
    rows = tuple(replace(row, cells=row.cells[start:end]) for row in table.rows)
    return replace(table, columns=table.columns[start:end], rows=rows)


def _measures(table: Table) -> Iterator[tuple[float, float]]:
    """Yield the width of each column and of its overhanging marks, in points."""

    def longest(texts: Iterable[str]) -> int:
        return max(map(len, texts), default=0)

    def measure(letters: int, marks: Iterable[str] = ()) -> tuple[float, float]:
        return _LETTER * letters, _MARK * longest(marks)

    label_columns = zip(*(row.labels for row in table.rows), strict=True)
    for name, labels in zip(table.names, label_columns, strict=True):
        yield measure(longest([name, *labels]))
    columns = zip(*(row.cells for row in table.rows), strict=True)
    for name, cells, with_paper in zip(table.columns, columns, table.with_paper, strict=True):
        ours, paper = longest(cell.text for cell in cells), longest(cell.paper for cell in cells)
        paper = max(paper, len("paper")) if with_paper else 0
        yield measure(max(ours, len(name) - paper), (c.marks + _numbers(c.notes) for c in cells))
        if with_paper:
            yield measure(paper, (_numbers(cell.paper_notes) for cell in cells))


def _numbers(notes: Iterable[int]) -> str:
    return "".join(f"[{number}]" for number in notes)


def _width(table: Table) -> float:
    return sum(width + overhang + _GAP for width, overhang in _measures(table)) - _GAP


def _shape(table: Table) -> str:
    """Return the column specification of ``tabular``, with space for overhanging marks."""
    measures = list(_measures(table))
    letters = "l" * len(table.names) + "r" * (len(measures) - len(table.names))
    spaces = [
        rf"@{{\hspace{{{_GAP * (place < len(measures)) + overhang:.0f}pt}}}}"
        for place, (_, overhang) in enumerate(measures, start=1)
    ]
    return "@{}" + "".join(letter + space for letter, space in zip(letters, spaces, strict=True))


def _format_part(table: Table, caption: str, label: str, *, is_last: bool) -> str:
    """Return a table with its caption and, if it is the last part, the remarks."""
    shape, n_columns = _shape(table), len(list(_measures(table)))
    title = rf"\caption{{{caption}}}" + (rf"\label{{{label}}}" if label else "")
    remarks = "\n\n".join(latex(text) for text in remarks_of(table)) if is_last else ""
    head, lines = [*_header(table), r"\midrule"], list(_lines(table))
    width = _width(table)
    if width <= _PORTRAIT and len(lines) <= _MOST_ROWS:
        return "\n".join(
            [
                r"\begin{table}",
                r"\centering",
                title,
                r"\small",
                rf"\begin{{tabular}}{{{shape}}}",
                *[r"\toprule", *head, *lines, r"\bottomrule"],
                r"\end{tabular}",
                *_below(r"\begin{minipage}{\linewidth}\footnotesize", remarks, r"\end{minipage}"),
                r"\end{table}",
                "",
            ]
        )
    group = "landscape" if width > _PORTRAIT else "small"
    continued = rf"\multicolumn{{{n_columns}}}{{@{{}}l}}{{\emph{{continued}}}} \\"
    return "\n".join(
        [
            rf"\begin{{{group}}}",
            *[r"\small"] * (group == "landscape"),
            r"\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{shape}}}",
            title + r" \\",
            *[r"\toprule", *head, r"\endfirsthead"],
            *[continued, r"\toprule", *head, r"\endhead"],
            *[r"\midrule", r"\endfoot", r"\bottomrule", r"\endlastfoot"],
            *lines,
            r"\end{longtable}",
            *_below(r"{\footnotesize\noindent", remarks, r"\par}"),
            rf"\end{{{group}}}",
            "",
        ]
    )


def _below(begin: str, remarks: str, end: str) -> list[str]:
    return ["", r"\smallskip", begin, remarks, end] if remarks else []


def _lines(table: Table) -> Iterator[str]:
    """Yield the rows; marks overhang, so that numbers stay aligned."""

    def superscript(marks: str, notes: Iterable[int]) -> str:
        text = marks + _numbers(notes)
        return rf"\rlap{{\textsuperscript{{{latex(text)}}}}}" if text else ""

    def ours(cell: TableCell) -> str:
        text = latex(cell.text)
        return (rf"\textbf{{{text}}}" if cell.best else text) + superscript(cell.marks, cell.notes)

    def paper(cell: TableCell) -> str:
        missing = decimals - _decimals(cell.paper) if _decimals(cell.paper) >= 0 else 0
        point = "." * (missing == decimals)
        space = rf"\phantom{{{point}{'0' * missing}}}" if missing else ""
        return latex(cell.paper) + space + superscript("", cell.paper_notes)

    decimals = max((_decimals(cell.paper) for cell in table.cells), default=0)
    for new, labels, cells in written_rows(table, latex, ours, paper):
        if 0 <= new < len(labels) - 1:
            yield r"\midrule" if new == 0 else r"\addlinespace"
        yield " & ".join([*labels, *cells]) + r" \\"


def _decimals(text: str) -> int:
    """Return the number of decimals of a number; -1 for other text."""
    match = re.fullmatch(r"-?\d+(?:\.(\d+))?", text)
    return len(match[1] or "") if match else -1


def _header(table: Table) -> list[str]:
    names = [latex(name) for name in table.names]
    if not any(table.with_paper):
        return [" & ".join([*names, *map(latex, table.columns)]) + r" \\"]
    top, bottom, rules, place = [""] * len(names), names, [], len(names) + 1
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        if with_paper:
            top.append(rf"\multicolumn{{2}}{{c}}{{{latex(column)}}}")
            bottom += ["ours", "paper"]
            rules.append(rf"\cmidrule(lr){{{place}-{place + 1}}}")
        else:
            top.append(latex(column))
            bottom.append("ours")
        place += 1 + with_paper
    return [" & ".join(top) + r" \\", "".join(rules), " & ".join(bottom) + r" \\"]
