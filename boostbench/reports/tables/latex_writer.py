"""Tables in LaTeX that fit the page: upright, else turned, split, or over several pages.

Widths are estimated for ``article`` at 10 points, whose text is 345 points wide and 550 high.
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
# Points: of a letter at \small, of one that is raised, between two columns.
_LETTER, _MARK, _GAP = 4.5, 3.6, 8.0
_PACKAGES = {
    r"\begin{longtable}": "longtable",
    r"\begin{landscape}": "pdflscape",
}


def to_latex(table: Table, *, label: str = "") -> str:
    r"""Return the table in LaTeX, with a line that names the packages that it needs.

    Parameters
    ----------
    table : Table
        One that is too wide even for a turned page becomes several of fewer columns each, the
        second with ``-2`` behind its label.
    label : str, default=""
        For ``\ref``.
    """
    parts = list(_parts(table))
    texts = []
    for number, part in enumerate(parts, start=1):
        its_label = label if number == 1 or not label else f"{label}-{number}"
        caption = latex(table.title) + (f" ({number} of {len(parts)})" if len(parts) > 1 else "")
        texts.append(_written(part, caption, its_label, is_last=number == len(parts)))
    text = "\n".join(texts)
    needed = ["booktabs", *(name for begin, name in _PACKAGES.items() if begin in text)]
    return f"% needs \\usepackage{{{','.join(needed)}}}\n{text}"


def to_macros(table: Table, name: str) -> str:
    r"""Return LaTeX that defines each value, to be cited in a text as ``\boostbench{name/...}``.

    The key is the name of the table, the labels of the row and the column, with hyphens for what
    is neither letter nor digit.
    """

    def key(parts: Iterable[str]) -> str:
        return "/".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-") for part in parts)

    lines = [
        r"\providecommand{\boostbench}[1]{\ifcsname bb:#1\endcsname\csname bb:#1\endcsname"
        r"\else\textbf{?? #1}\fi}"
    ]
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            its = key([name, *row.labels, column])
            values = [(its, cell.text), *([(f"{its}/paper", cell.paper)] if cell.paper else [])]
            lines += [rf"\expandafter\def\csname bb:{k}\endcsname{{{latex(v)}}}" for k, v in values]
    return "\n".join(lines) + "\n"


def _parts(table: Table) -> Iterator[Table]:
    """Yield the table, or as many columns at a time as a turned page holds."""
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
    """Yield the width of each column, in points, and of the marks that hang beside it."""

    def longest(texts: Iterable[str]) -> int:
        return max(map(len, texts), default=0)

    def measure(letters: int, marks: Iterable[str] = ()) -> tuple[float, float]:
        return _LETTER * letters, _MARK * longest(marks)

    for name, its in zip(
        table.names, zip(*(r.labels for r in table.rows), strict=True), strict=True
    ):
        yield measure(longest([name, *its]))
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
    return sum(width + hung + _GAP for width, hung in _measures(table)) - _GAP


def _shape(table: Table) -> str:
    """Return the columns as ``tabular`` takes them, with room for what hangs beside them."""
    measures = list(_measures(table))
    letters = "l" * len(table.names) + "r" * (len(measures) - len(table.names))
    rooms = [
        rf"@{{\hspace{{{_GAP * (place < len(measures)) + hung:.0f}pt}}}}"
        for place, (_, hung) in enumerate(measures, start=1)
    ]
    return "@{}" + "".join(letter + room for letter, room in zip(letters, rooms, strict=True))


def _written(table: Table, caption: str, label: str, *, is_last: bool) -> str:
    """Return one table with its caption, the remarks below the last one."""
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
    """Yield the rows; marks hang beside the numbers, so that these stay aligned."""

    def raised(marks: str, notes: Iterable[int]) -> str:
        shown = marks + _numbers(notes)
        return rf"\rlap{{\textsuperscript{{{latex(shown)}}}}}" if shown else ""

    def ours(cell: TableCell) -> str:
        text = latex(cell.text)
        return (rf"\textbf{{{text}}}" if cell.best else text) + raised(cell.marks, cell.notes)

    def theirs(cell: TableCell) -> str:
        missing = decimals - _decimals(cell.paper) if _decimals(cell.paper) >= 0 else 0
        point = "." * (missing == decimals)
        space = rf"\phantom{{{point}{'0' * missing}}}" if missing else ""
        return latex(cell.paper) + space + raised("", cell.paper_notes)

    decimals = max((_decimals(cell.paper) for cell in table.cells), default=0)
    for new, labels, cells in written_rows(table, latex, ours, theirs):
        if 0 <= new < len(labels) - 1:
            yield r"\midrule" if new == 0 else r"\addlinespace"
        yield " & ".join([*labels, *cells]) + r" \\"


def _decimals(text: str) -> int:
    """Return how many digits stand behind the point of a number; -1 for other text."""
    found = re.fullmatch(r"-?\d+(?:\.(\d+))?", text)
    return len(found[1] or "") if found else -1


def _header(table: Table) -> list[str]:
    names = [latex(name) for name in table.names]
    if not any(table.with_paper):
        return [" & ".join([*names, *map(latex, table.columns)]) + r" \\"]
    top, bottom, rules, at = [""] * len(names), names, [], len(names) + 1
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        if with_paper:
            top.append(rf"\multicolumn{{2}}{{c}}{{{latex(column)}}}")
            bottom += ["ours", "paper"]
            rules.append(rf"\cmidrule(lr){{{at}-{at + 1}}}")
        else:
            top.append(latex(column))
            bottom.append("ours")
        at += 1 + with_paper
    return [" & ".join(top) + r" \\", "".join(rules), " & ".join(bottom) + r" \\"]
