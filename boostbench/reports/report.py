"""`boostbench report`: from a config and its records to the files of a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.errors import BoostbenchError
from boostbench.reports.files import write_file
from boostbench.reports.frame import Planned, Study, collect
from boostbench.reports.page import render_page
from boostbench.reports.parts import Drawing, named_parts
from boostbench.reports.tables import Table
from boostbench.reports.writers import to_csv, to_latex, to_markdown, to_terminal

if TYPE_CHECKING:
    from boostbench.experiments.config import Config

__all__ = ["Report", "write_report"]


@dataclass(frozen=True)
class Report:
    """What was reported.

    Attributes
    ----------
    study : Study
    tables : dict of str to Table
        By name, in the config's order.
    paths : tuple of Path
        The files written, the page last.
    """

    study: Study
    tables: dict[str, Table]
    paths: tuple[Path, ...]

    def main_table(self, *, colour: bool = False) -> str:
        """Return the first table as text for the terminal; empty if there is none."""
        tables = list(self.tables.values())
        return to_terminal(tables[0], colour=colour) if tables else ""


def write_report(config: Config, planned: Iterable[Planned], out_dir: Path | str) -> Report:
    """Write tables, figures and the page of an experiment.

    Parameters
    ----------
    config : Config
    planned : iterable of PlannedRun
        ``Plan.runs``: runs with their states and records.
    out_dir : Path
        Takes ``<name>.md``, ``.tex`` and ``.csv`` of each table, ``<name>.png`` and ``.svg`` of
        each figure, and ``report.html``.

    Returns
    -------
    report : Report

    Raises
    ------
    BoostbenchError
        If no run has a result, a part of the report is wrong, or a file cannot be written.

    Notes
    -----
    The same records give the same bytes.
    """
    out_dir = Path(out_dir)
    parts = named_parts(config)
    study = collect(config, planned)
    if not any(result.ok for result in study.results):
        raise BoostbenchError(_nothing(study), where=config.name)
    tables = {part.name: part.table(study) for part in parts if part.is_table}
    drawings = {part.name: part.figure(study) for part in parts if not part.is_table}
    page = render_page(study, tables, drawings)
    contents = {**_table_files(tables), **_figure_files(drawings), "report.html": page}
    paths = [write_file(out_dir / name, content) for name, content in contents.items()]
    return Report(study, tables, tuple(paths))


def _table_files(tables: dict[str, Table]) -> dict[str, str | bytes]:
    contents: dict[str, str | bytes] = {}
    for name, table in tables.items():
        contents[f"{name}.md"] = to_markdown(table)
        contents[f"{name}.tex"] = to_latex(table, label=f"tab:{name}")
        contents[f"{name}.csv"] = to_csv(table)
    return contents


def _figure_files(drawings: dict[str, Drawing]) -> dict[str, str | bytes]:
    contents: dict[str, str | bytes] = {}
    for name, drawing in drawings.items():
        contents[f"{name}.png"] = drawing.png
        contents[f"{name}.svg"] = drawing.svg
    return contents


def _nothing(study: Study) -> str:
    states = [result.status for result in study.results]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    reasons = dict.fromkeys(result.reason for result in study.results if result.reason)
    because = f" ({next(iter(reasons))})" if reasons else ""
    return f"no run has a result yet: {counts}{because}; `boostbench run` makes them"
