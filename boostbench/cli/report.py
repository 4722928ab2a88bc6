"""`boostbench report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.experiments import Request, load_configs, warn_of_damage
from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.kinds import load_plugins
from boostbench.cli.options import Configs, Data, Only, Plugins, Results, Settings, Size
from boostbench.cli.output import is_fancy

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config
    from boostbench.experiments.store.records import RecordStore
    from boostbench.reports.report import Report

__all__ = ["print_table", "report", "report_on"]


def report(
    configs: Configs,
    *,
    results: Results = Path("results"),
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the reports, one in it for each config; that of --results by default.",
            show_default=False,
        ),
    ] = None,
    data: Data,
    only: Only,
    settings: Settings,
    size: Size = None,
    plugin: Plugins,
) -> int:
    """Write tables, curves, verdicts and an offline page.

    Nothing is trained; the main table is printed. Runs without a result are named in the report,
    and the exit code is then 1.

    Examples:
      boostbench report noise20
      boostbench report configs/quickstart.yaml --results DIR
    """
    from boostbench.experiments.store.records import RecordStore

    load_plugins(plugin)
    loaded = load_configs(configs, settings, size=size, data=data)
    request = Request(loaded, results, tuple(data), tuple(only))
    store = RecordStore(results)
    code = OK
    for config in loaded:
        written = report_on(config, request, store, output or results, size)
        print_table(written)
        for path in written.paths:
            print(path)
        if not all(result.ok for result in written.study.results):
            code = INCOMPLETE
    return code


def report_on(
    config: Config, request: Request, store: RecordStore, output: Path, size: str | None
) -> Report:
    """Write the report of a config into its folder in ``output``."""
    from boostbench.reports.report import write_report

    results = request.plan(config, store).results
    folder = config.name if size is None else f"{config.name}-{size}"
    studies = request.studies(config, store, size)
    written = write_report(config, results, output / folder, studies=studies, size=size or "")
    warn_of_damage(store)
    return written


def print_table(written: Report) -> None:
    """Print the main table of a report."""
    table = written.main_table(colour=is_fancy(sys.stdout))
    if table:
        print(table.rstrip("\n"), end="\n\n")
