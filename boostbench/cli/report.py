"""`boostbench report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import SelectedRuns
from boostbench.cli.output import complain, is_fancy, warn_of_damage

if TYPE_CHECKING:
    from boostbench.reports.experiment_report import Report


def report(
    *,
    asked: SelectedRuns,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder that gets a folder for each config; that of --results by default.",
        ),
    ] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Show the page in the web browser.")
    ] = False,
) -> int:
    """Write tables, figures, verdicts and an offline page.

    Nothing is trained; the main table is printed. The report names runs without a result, and
    tables and figures that cannot be made; the exit code is then 1.

    Examples:
      boostbench report noise20 --open
      boostbench report configs/quickstart.yaml --results DIR
    """
    code = OK
    for experiment in asked.load(check_parameters=False):
        made = experiment.report()
        print_table(made)
        folder = experiment.report_folder
        written = made.write(folder if output is None else output / folder.name)
        print(*written, sep="\n")
        if open_page and typer.launch(written[-1].resolve().as_uri()):
            complain(f"there is no browser to show it; open {written[-1].resolve().as_uri()}")
        warn_of_damage(experiment.store)
        if not made.is_whole:
            code = INCOMPLETE
    return code


def print_table(report: Report) -> None:
    """Print the main table of a report, and on stderr the parts that could not be made."""
    for reason in report.undrawn.values():
        complain(f"left out of the report: {reason}")
    table = report.main_table(colour=is_fancy(sys.stdout))
    if table:
        print(table.rstrip("\n"), end="\n\n")
