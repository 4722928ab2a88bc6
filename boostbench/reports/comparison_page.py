"""HTML page of a comparison, with its conclusion, tables, figures and provenance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from boostbench.reports.comparison import Comparison, noise_in_words
from boostbench.reports.experiment_report import make_report
from boostbench.reports.files import write_file
from boostbench.reports.tables.table import Row, Table, TableCell
from boostbench.reports.text import listed
from boostbench.reports.values.frame import Study

_LABELS = ("dataset", "booster", "left", "right", "class")
_TITLES = {
    "boosters": "Means, the best first",
    "pairs": "Pairs of boosters",
    "classes": "Error of each class, in percent",
}


def write_page(study: Study, comparison: Comparison, path: Path) -> Path:
    """Write a comparison as one self-contained HTML file; return its path.

    Parameters
    ----------
    study : Study
        The runs, and a config with the figures.
    comparison : Comparison
    path : Path
    """
    about = f"Comparison of boosters on {listed(study.datasets)}"
    if noise := noise_in_words(study):
        about += f", {noise}"
    titled = study.config.model_copy(update={"title": about})
    report = make_report(replace(study, config=titled))
    tables = {
        name: _table(_TITLES[name], rows, () if name == "classes" else comparison.remarks)
        for name, rows in comparison.shown().items()
    }
    for dataset, confusions in comparison.confusion.items():
        booster, matrix = next(iter(confusions.items()))
        names = comparison.labels[dataset]
        rows = [
            {"class": name, **{f"as {other}": str(n) for other, n in zip(names, row, strict=True)}}
            for name, row in zip(names, matrix, strict=True)
        ]
        title = f"Confusion of {booster} on {dataset}: test samples by class and predicted class"
        tables[f"confusion-{dataset}"] = _table(title, rows, ())
    answers = tuple(comparison.sentence.replace("; ", ".\n", 1).split("\n"))
    report = replace(report, tables=tables, answers=answers)
    return write_file(path, report.page(report.drawings()))


def _table(title: str, rows: Sequence[dict[str, str]], footers: tuple[str, ...]) -> Table:
    labels = tuple(key for key in rows[0] if key in _LABELS)
    columns = tuple(key for key in rows[0] if key not in _LABELS)
    return Table(
        title=title,
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
