"""The four faces of a table: terminal, Markdown, LaTeX and CSV. They decide nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from boostbench.reports.tables.errors import OFF, STOPPED, Cell, Row, Table
from boostbench.reports.text import csv_text, latex, markdown, plain

__all__ = ["to_csv", "to_latex", "to_markdown", "to_terminal"]

_IN_WORDS = {STOPPED: "stopped early", OFF: "off the paper's value"}


def to_terminal(table: Table, *, colour: bool = False) -> str:
    """Return the table for a terminal, as wide as it needs.

    Parameters
    ----------
    table : Table
    colour : bool, default=False
        Whether bold and dim are used (ANSI codes); without, the best values carry a ``*``.

    Returns
    -------
    text : str
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    def ours(cell: Cell) -> Text:
        text = Text(plain(cell.text), style="bold" if cell.best else "")
        text.append("*" if cell.best and not colour else "", style="")
        text.append(cell.marks + _references(cell.notes), style="not bold yellow")
        return text

    grid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    names = _corner(table)
    for name in names:
        grid.add_column(Text(plain(name)), no_wrap=True)
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        grid.add_column(Text(plain(column)), justify="right", no_wrap=True)
        if with_paper:
            grid.add_column("paper", justify="right", no_wrap=True, style="dim")
    previous: Sequence[str] = ()
    for labels, row in _labelled(table):
        if previous and labels[:-1] != previous[:-1]:
            grid.add_section()
        cells = [Text(plain(_once(labels, previous, place))) for place in range(len(labels))]
        for cell, with_paper in zip(row.cells, table.with_paper, strict=True):
            cells.append(ours(cell))
            if with_paper:
                cells.append(Text(plain(cell.paper) + _references(cell.paper_notes)))
        grid.add_row(*cells)
        previous = labels
    target = io.StringIO()
    console = Console(
        file=target,
        width=10_000,
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )
    console.print(Text(plain(table.title), style="bold"))
    console.print(grid)
    lines = [line.rstrip() for line in target.getvalue().splitlines()]
    has_bold = any(cell.best for _, _, row in table.lines for cell in row.cells)
    starred = " Bold is shown as *." if has_bold and not colour else ""
    footers = [table.footers[0] + starred, *table.footers[1:]]
    texts = [plain(text) for text in (*footers, *_numbered(table.notes))]
    return "\n".join([*lines, "", *texts]) + "\n"


def to_markdown(table: Table) -> str:
    """Return the table in GitHub's Markdown."""

    def ours(cell: Cell) -> str:
        text = f"**{markdown(cell.text)}**" if cell.best else markdown(cell.text)
        return text + cell.marks + markdown(_references(cell.notes))

    header = [markdown(name) for name in _corner(table)]
    rule = ["---"] * len(header)
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        header += [markdown(column), *(["paper"] if with_paper else [])]
        rule += ["---:", "---:"] if with_paper else ["---:"]
    lines = [header, rule]
    previous: Sequence[str] = ()
    for labels, row in _labelled(table):
        line = [markdown(_once(labels, previous, place)) for place in range(len(labels))]
        for cell, with_paper in zip(row.cells, table.with_paper, strict=True):
            line.append(ours(cell))
            if with_paper:
                line.append(markdown(cell.paper + _references(cell.paper_notes)))
        lines.append(line)
        previous = labels
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    texts = [*table.footers, *_numbered(table.notes)]
    below = "\n".join(f"- {markdown(text)}" for text in texts)
    return f"**{markdown(table.title)}**\n\n{body}\n\n{below}\n"


def to_latex(table: Table, *, label: str = "") -> str:
    r"""Return the table in LaTeX; it needs the package booktabs.

    Parameters
    ----------
    table : Table
    label : str, default=""
        For ``\ref``.
    """

    def ours(cell: Cell) -> str:
        text = latex(cell.text)
        return (rf"\textbf{{{text}}}" if cell.best else text) + _tex_raised(cell.marks, cell.notes)

    names = _corner(table)
    width = len(names) + sum(1 + with_paper for with_paper in table.with_paper)
    lines: list[str] = []
    previous: Sequence[str] = ()
    for labels, row in _labelled(table):
        if previous and labels[:-1] != previous[:-1]:
            lines.append(r"\midrule" if labels[0] != previous[0] else r"\addlinespace")
        cells = [latex(_once(labels, previous, place)) for place in range(len(labels))]
        for cell, with_paper in zip(row.cells, table.with_paper, strict=True):
            cells.append(ours(cell))
            if with_paper:
                cells.append(latex(cell.paper) + _tex_raised("", cell.paper_notes))
        lines.append(" & ".join(cells) + r" \\")
        previous = labels
    texts = [*table.footers, *_numbered(table.notes)]
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex(table.title)}}}",
            *([rf"\label{{{label}}}"] if label else []),
            r"\small",
            rf"\begin{{tabular}}{{{'l' * len(names)}{'r' * (width - len(names))}}}",
            r"\toprule",
            *_latex_header(table, len(names)),
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
            r"\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize",
            "\n\n".join(latex(text) for text in texts),
            r"\end{minipage}",
            r"\end{table}",
            "",
        ]
    )


def to_csv(table: Table) -> str:
    """Return the table as CSV: value, standard deviation, paper and remarks of every cell.

    A cell without a value says why in the place of the value.
    """
    has_std = any(cell.std for _, _, row in table.lines for cell in row.cells)
    header = [csv_text(name.replace(" ", "_")) for name in _corner(table)]
    for column, with_paper in zip(table.columns, table.with_paper, strict=True):
        name = csv_text(column.replace(" ", ""))
        header += [name, *([f"{name} std"] if has_std else [])]
        header += [*([f"{name} paper"] if with_paper else []), f"{name} remarks"]
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(header)
    for labels, row in _labelled(table):
        line = [csv_text(label) for label in labels]
        for cell, with_paper in zip(row.cells, table.with_paper, strict=True):
            line += [csv_text(cell.value or cell.text), *([cell.std] if has_std else [])]
            line += [
                *([csv_text(cell.paper)] if with_paper else []),
                csv_text(_remarks(cell, table)),
            ]
        writer.writerow(line)
    return target.getvalue()


def _corner(table: Table) -> list[str]:
    return [name for name in table.corner if name]


def _labelled(table: Table) -> Iterable[tuple[list[str], Row]]:
    """Yield each row with the labels that the corner names."""
    for section, group, row in table.lines:
        labels = (section.label, group.label, row.label)
        yield [text for name, text in zip(table.corner, labels, strict=True) if name], row


def _once(labels: Sequence[str], previous: Sequence[str], place: int) -> str:
    """Return a label, or nothing if it and all before it are as in the row above."""
    is_last = place == len(labels) - 1
    same = not is_last and list(labels[: place + 1]) == list(previous[: place + 1])
    return "" if same else labels[place]


def _references(notes: Iterable[int]) -> str:
    return "".join(f" [{number}]" for number in notes)


def _numbered(notes: Iterable[str]) -> list[str]:
    return [f"[{number}] {text}" for number, text in enumerate(notes, start=1)]


def _remarks(cell: Cell, table: Table) -> str:
    parts = ["best"] if cell.best else []
    parts += [_IN_WORDS[mark] for mark in cell.marks]
    parts += [table.notes[number - 1] for number in (*cell.notes, *cell.paper_notes)]
    return "; ".join(parts)


def _tex_raised(marks: str, notes: Iterable[int]) -> str:
    parts = [latex(mark) for mark in marks] + [latex(f"[{number}]") for number in notes]
    return rf"\textsuperscript{{{','.join(parts)}}}" if parts else ""


def _latex_header(table: Table, n_names: int) -> list[str]:
    if not any(table.with_paper):
        return [" & ".join([*map(latex, _corner(table)), *map(latex, table.columns)]) + r" \\"]
    top, bottom, rules, at = [""] * n_names, [latex(n) for n in _corner(table)], [], n_names + 1
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
