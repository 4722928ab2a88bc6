"""`boostbench report`: from a config and its records to the files of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.plan import Reported
from boostbench.reports.claims.evidence import Studies
from boostbench.reports.claims.verdicts import Verdict, judge
from boostbench.reports.claims.writing import verdicts_list, verdicts_markdown
from boostbench.reports.files import write_file
from boostbench.reports.overview import SUMMARY, summary_text
from boostbench.reports.page import render_page
from boostbench.reports.parts import Drawing, named_parts
from boostbench.reports.tables.errors import Table
from boostbench.reports.tables.writers import to_csv, to_latex, to_markdown, to_terminal
from boostbench.reports.values.frame import Study, collect

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config

__all__ = ["Report", "write_report"]


@dataclass(frozen=True)
class Report:
    """What was reported.

    Attributes
    ----------
    study : Study
    tables : dict of str to Table
        By name, in the config's order.
    verdicts : tuple of Verdict
        On the claims, in the config's order.
    paths : tuple of Path
        The files written, the page last.
    """

    study: Study
    tables: dict[str, Table]
    verdicts: tuple[Verdict, ...]
    paths: tuple[Path, ...]

    def main_table(self, *, colour: bool = False) -> str:
        """Return the first table as text for the terminal; empty if there is none."""
        tables = list(self.tables.values())
        return to_terminal(tables[0], colour=colour) if tables else ""


def write_report(
    config: Config,
    planned: Iterable[Reported],
    out_dir: Path | str,
    *,
    studies: Studies | None = None,
    size: str = "",
) -> Report:
    """Write tables, figures, verdicts and the page of an experiment.

    Parameters
    ----------
    config : Config
    planned : iterable of PlannedRun
        ``Plan.runs``: runs with their states and records.
    out_dir : Path
        Takes ``<name>.md``, ``.tex`` and ``.csv`` of each table, ``<name>.png`` and ``.svg`` of
        each figure, ``claims.md`` if anything is claimed, ``summary.json`` for the overview of all
        results, and ``report.html``.
    studies : callable or None, default=None
        Gives the study of another config; claims that need one are undecided without.
    size : str, default=""
        The size of the config that was taken, for the overview.

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
    verdicts = judge(study, studies)
    contents = {**_table_files(tables, verdicts), **_figure_files(drawings)}
    if verdicts:
        contents["claims.md"] = verdicts_markdown(config.title or config.name, verdicts)
    contents[SUMMARY] = summary_text(study, tables, drawings, verdicts, size)
    contents["report.html"] = render_page(study, tables, drawings, verdicts)
    paths = [write_file(out_dir / name, content) for name, content in contents.items()]
    return Report(study, tables, verdicts, tuple(paths))


def _table_files(tables: dict[str, Table], verdicts: Sequence[Verdict]) -> dict[str, str | bytes]:
    contents: dict[str, str | bytes] = {}
    for name, table in tables.items():
        is_main = not contents
        below = verdicts_list(verdicts) if is_main else ""
        contents[f"{name}.md"] = to_markdown(table) + below
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
