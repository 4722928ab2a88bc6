"""LaTeX output of tables with booktabs, one table a page, scaled down if it is too wide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from boostbench.reports.tables.table import Table, TableCell
from boostbench.reports.tables.writers import remarks_of, written_rows
from boostbench.reports.text import latex

_NUMBER = re.compile(r"(-?\d+|)((?:\.\d+)?(?: ± .*)?)")
#: Scales its argument down to the width of the text, if it is wider.
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def to_latex(table: Table, *, label: str = "", rows_per_page: int = 40) -> str:
    r"""Return the table in LaTeX, after a comment on the packages needed.

    Parameters
    ----------
    table : Table
    label : str, default=""
        Label for ``\ref``; further pages have ``-2``, ``-3``, ... appended.
    rows_per_page : int, default=40
        A table with more rows is continued on further pages.
    """
    starts = range(0, len(table.rows), rows_per_page) or range(1)
    texts = [r"% needs \usepackage{booktabs,graphicx}"]
    for number, start in enumerate(starts, start=1):
        page = replace(table, rows=table.rows[start : start + rows_per_page])
        caption = latex(table.title) + f" ({number} of {len(starts)})" * (len(starts) > 1)
        name = label if number == 1 else f"{label}-{number}"
        remarks = remarks_of(table) if number == len(starts) else []
        shape = "l" * len(table.names) + "r@{}l" * (len(table.columns) + sum(page.with_paper))
        texts += [
            r"\begin{table}[p]",
            r"\centering\small",
            rf"\caption{{{caption}}}" + rf"\label{{{name}}}" * bool(label),
            _FITTED,
            rf"\begin{{tabular}}{{{shape}}}",
            *[r"\toprule", *_header(page), r"\midrule", *_lines(page), r"\bottomrule"],
            r"\end{tabular}}",
            *(rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {latex(r)}}}" for r in remarks),
            r"\end{table}",
        ]
    return "\n".join(texts) + "\n"


def _lines(table: Table) -> Iterator[str]:
    def ours(cell: TableCell) -> str:
        return _aligned(cell.text, cell.marks, cell.notes, is_bold=cell.best)

    def paper(cell: TableCell) -> str:
        return _aligned(cell.paper, "", cell.paper_notes)

    for new, labels, cells in written_rows(table, latex, ours, paper):
        if 0 <= new < len(labels) - 1:
            yield r"\midrule" if new == 0 else r"\addlinespace"
        yield _line([*labels, *cells])


def _aligned(text: str, marks: str, notes: Iterable[int], *, is_bold: bool = False) -> str:
    """Return a cell as two columns that meet at the decimal point; other text spans both."""
    references = latex(marks + "".join(f"[{number}]" for number in notes))
    superscript = rf"\textsuperscript{{{references}}}" if references else ""
    number = _NUMBER.fullmatch(text)
    parts = [latex(part) for part in (number.groups() if number else (text,))]
    if is_bold:
        parts = [rf"\textbf{{{part}}}" if part else "" for part in parts]
    written = " & ".join(parts) + superscript
    return written if number else rf"\multicolumn{{2}}{{c}}{{{written}}}"


def _header(table: Table) -> list[str]:
    names = [latex(name) for name in table.names]
    columns = list(zip(map(latex, table.columns), table.with_paper, strict=True))
    heads = [rf"\multicolumn{{{2 + 2 * paper}}}{{c}}{{{name}}}" for name, paper in columns]
    if not any(table.with_paper):
        return [_line([*names, *heads])]
    sources = [source for _, paper in columns for source in ("ours", "paper")[: 1 + paper]]
    below = [rf"\multicolumn{{2}}{{c}}{{{source}}}" for source in sources]
    return [_line([""] * len(names) + heads), _line([*names, *below])]


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
