"""`boostbench report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Configs, Data, Only, Plugins, Results, Settings, Size
from boostbench.cli.output import is_fancy, warn_of_damage
from boostbench.reports.text import visible

if TYPE_CHECKING:
    from boostbench.reports.experiment_report import Report


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

    Nothing is trained; the main table is printed. Runs without a result, and tables and figures
    that cannot be made, are named in the report, and the exit code is then 1.

    Examples:
      boostbench report noise20
      boostbench report configs/quickstart.yaml --results DIR
    """
    from boostbench.api import load_experiments

    experiments = load_experiments(
        configs,
        results=results,
        data=data,
        overrides=settings,
        size=size,
        only=only,
        plugins=plugin,
        check_parameters=False,
    )
    code = OK
    for experiment in experiments:
        made = experiment.report()
        print_table(made)
        folder = experiment.report_folder
        for path in made.write(folder if output is None else output / folder.name):
            print(path)
        warn_of_damage(experiment.store)
        if not made.is_whole:
            code = INCOMPLETE
    return code


def print_table(report: Report) -> None:
    """Print the main table of a report, and on stderr what it could not make."""
    for reason in report.undrawn.values():
        print(f"boostbench: left out of the report: {visible(reason)}", file=sys.stderr)
    table = report.main_table(colour=is_fancy(sys.stdout))
    if table:
        print(table.rstrip("\n"), end="\n\n")
