"""HTML page of a comparison, with its conclusion, tables, figures and provenance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from boostbench.reports.comparison import Comparison
from boostbench.reports.experiment_report import make_report
from boostbench.reports.figures.style import drawing_style, files_of
from boostbench.reports.files import write_file
from boostbench.reports.page import render_page
from boostbench.reports.tables.table import Row, Table, TableCell
from boostbench.reports.values.frame import Study

_LABELS = ("dataset", "booster", "left", "right")
_TITLES = {"boosters": "Means, the best first", "pairs": "Pairs of boosters"}


def write_page(study: Study, comparison: Comparison, path: Path) -> Path:
    """Write a comparison as one self-contained HTML file; return its path.

    Parameters
    ----------
    study : Study
        The runs, and a config with the figures.
    comparison : Comparison
    path : Path
    """
    texts = {"title": "Comparison of boosters", "description": comparison.sentence}
    study = replace(study, config=study.config.model_copy(update=texts))
    report = make_report(study)
    with drawing_style(mathtext=False):
        drawings = {name: files_of(figure) for name, figure in report.figures.items()}
    tables = {
        name: _table(name, rows, comparison.remarks) for name, rows in comparison.shown().items()
    }
    return write_file(path, render_page(study, tables, drawings, report.undrawn))


def _table(name: str, rows: Sequence[dict[str, str]], footers: tuple[str, ...]) -> Table:
    labels = tuple(key for key in rows[0] if key in _LABELS)
    columns = tuple(key for key in rows[0] if key not in _LABELS)
    return Table(
        title=_TITLES[name],
        names=labels,
        columns=tuple(column.replace("_", " ") for column in columns),
        rows=tuple(
            Row(
                tuple(row[key] for key in labels),
                tuple(TableCell(row[key], value=row[key].partition(" ")[0]) for key in columns),
            )
            for row in rows
        ),
        footers=footers,
    )
