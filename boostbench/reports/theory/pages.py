"""A computed figure as files: the drawing, all its values, and a page with what it shows.

`boostbench.reports.theory.contents` says what the figures hold.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from boostbench.reports.figures.style import drawing_style, files_of
from boostbench.reports.files import write_file
from boostbench.reports.overview import SUMMARY

__all__ = [
    "FOLDER",
    "Finding",
    "Grid",
    "Text",
    "TheoryFigure",
    "write_theory_figure",
    "write_theory_summary",
]

#: Folder in the results, and of the paper's values among the configs.
FOLDER = "multiclass-theory"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#])")


@dataclass(frozen=True)
class Text:
    """What a figure is about.

    Attributes
    ----------
    title, caption : str
    settings : sequence of (setting, value, origin)
        The origin says whether the text of the paper states it.
    """

    title: str
    caption: str
    settings: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Grid:
    """Columns and rows, for a page or for a CSV file."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Finding:
    """A claim and what came out.

    Attributes
    ----------
    says : str
    holds : bool
    found : str
    by_paper : bool, default=True
        Whether the paper says it; otherwise it was found, or made sharper, here.
    """

    says: str
    holds: bool
    found: str
    by_paper: bool = True

    @property
    def verdict(self) -> str:
        """A word, for the paper's claims that of claims about trained boosters."""
        if self.by_paper:
            return "reproduced" if self.holds else "not reproduced"
        return "holds" if self.holds else "fails"


@dataclass(frozen=True)
class TheoryFigure:
    """One figure: its numbers, what they say, and how it is drawn.

    Attributes
    ----------
    number : int
    text : Text
    table : Grid
        The main numbers, for people.
    values : Grid
        All numbers that are drawn.
    findings : tuple of Finding
    draw : callable
        Returns the matplotlib figure.
    """

    number: int
    text: Text
    table: Grid
    values: Grid
    findings: tuple[Finding, ...]
    draw: Callable[[], Figure]


def write_theory_figure(figure: TheoryFigure, results: Path) -> list[Path]:
    """Write ``figure<N>.png``, ``.svg``, ``.csv`` and ``.md`` into the paper's folder of results.

    The same program writes the same bytes.

    Parameters
    ----------
    figure : TheoryFigure
    results : Path
        The folder of results.

    Returns
    -------
    paths : list of Path

    Raises
    ------
    BoostbenchError
        If a file cannot be written.
    """
    with drawing_style():
        png, svg = files_of(figure.draw())
    stem = f"figure{figure.number}"
    contents: dict[str, str | bytes] = {
        f"{stem}.png": png,
        f"{stem}.svg": svg,
        f"{stem}.csv": _csv(figure.values),
        f"{stem}.md": _page(figure),
    }
    return [write_file(results / FOLDER / name, content) for name, content in contents.items()]


def write_theory_summary(figures: Sequence[TheoryFigure], results: Path) -> list[Path]:
    """Write the claims of all computed figures on one page, and a summary for the overview.

    Parameters
    ----------
    figures : sequence of TheoryFigure
    results : Path
        The folder of results, where the figures have been written.

    Returns
    -------
    paths : list of Path
    """
    found = [(figure, finding) for figure in figures for finding in figure.findings]
    span = f"Figs. {figures[0].number} to {figures[-1].number}"
    summary = {
        "format": 1,
        "config": FOLDER,
        "title": "Computed, not trained",
        "paper": FOLDER,
        "part": span,
        "size": "",
        "runs": {"ok": 0, "planned": 0},
        "tables": {},
        "figures": [f"figure{figure.number}" for figure in figures],
        "claims": [
            {
                "says": f"Figure {figure.number}: {finding.says}",
                "note": "" if finding.by_paper else "not in the paper; checked here",
                "verdict": "reproduced" if finding.holds else "not reproduced",
                "reasons": [finding.found],
            }
            for figure, finding in found
        ],
    }
    page = [f"# Claims: {span}"]
    for number, (figure, finding) in enumerate(found, start=1):
        where = f"[Figure {figure.number}](figure{figure.number}.md)"
        page.append(f'<a id="claim-{number}"></a>\n\n## {number}. {_md(finding.says)}')
        whose = "" if finding.by_paper else " · not claimed by the paper"
        page.append(f"**{finding.verdict}**{whose} · {where}")
        page.append(_md(finding.found))
    contents = {
        "claims.md": "\n\n".join(page) + "\n",
        SUMMARY: json.dumps(summary, indent=1, ensure_ascii=False) + "\n",
    }
    return [write_file(results / FOLDER / name, text) for name, text in contents.items()]


def _csv(grid: Grid) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(grid.columns)
    writer.writerows([_plain(cell) for cell in row] for row in grid.rows)
    return target.getvalue()


def _plain(cell: Any) -> str:
    return f"{cell:.10g}" if isinstance(cell, float) else str(cell)


def _page(figure: TheoryFigure) -> str:
    text = figure.text
    stem = f"figure{figure.number}"
    parts = [
        f"# Figure {figure.number}: {_md(text.title)}",
        f"![Figure {figure.number}]({stem}.png)",
        f"{_md(text.caption)} All values: [{stem}.csv]({stem}.csv).",
        _table(figure.table.columns, figure.table.rows),
        _table(("setting", "value", "origin"), text.settings),
        "**Claims**",
        "\n".join(_line(finding) for finding in figure.findings),
    ]
    return "\n\n".join(parts) + "\n"


def _line(finding: Finding) -> str:
    ours = "" if finding.by_paper else " (not claimed by the paper)"
    return f"- **{finding.verdict}**{ours}: {_md(finding.says)}. *{_md(finding.found)}*"


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [list(columns), ["---"] * len(columns), *rows]
    lines[2:] = [[_md(_plain(cell)) for cell in row] for row in lines[2:]]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _md(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)
