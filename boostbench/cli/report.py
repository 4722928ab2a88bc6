"""`boostbench report`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import AnyRuns
from boostbench.cli.output import complain, is_fancy, warn_of_damage
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.shipped import shipped_configs

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.reports.experiment_report import Report


_Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        help="Folder that gets a folder for each config; that of --results by default.",
    ),
]


def report(
    *,
    asked: AnyRuns,
    every: Annotated[
        bool,
        typer.Option(
            "--all", help="All shipped configs and sizes that have a folder in --results."
        ),
    ] = False,
    pack: Annotated[
        bool,
        typer.Option(
            "--pack", help="Also write records.jsonl.xz, which is read where there are no records."
        ),
    ] = False,
    output: _Output = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Show the page in the web browser.")
    ] = False,
) -> int:
    """Write tables, figures, verdicts and an offline page.

    Nothing is trained; the main table is printed. Where no run of a config has a record, packed
    records in the folder of its report are read in their place. The report names runs without a
    result, and tables and figures that cannot be made; the exit code is then 1. index.html in the
    results folder lists all reports there.

    Examples:
      boostbench report noise20 --open
      boostbench report configs/quickstart.yaml --results DIR
      boostbench report --all --output DIR
    """
    if every == bool(asked.configs):
        raise BoostbenchError("name configs, or give --all", where="report")
    from boostbench.reports.overview import write_index, write_overview

    code = OK
    for experiment in _all(asked) if every else asked.load(check_parameters=False):
        try:
            made = experiment.report()
        except BoostbenchError as error:
            if not every:
                raise
            complain(error)
            code = INCOMPLETE
            continue
        finally:
            warn_of_damage(experiment.store)
        folder = experiment.report_folder
        folder = folder if output is None else output / folder.name
        written = made.write(folder)
        print_table(made)
        print(*written, sep="\n")
        if pack:
            print(experiment.pack(folder))
        if open_page and typer.launch(written[-1].resolve().as_uri()):
            complain(f"there is no browser to show it; open {written[-1].resolve().as_uri()}")
        if not made.is_whole:
            code = INCOMPLETE
    if every:
        print(write_overview(output or asked.results))
        return code
    try:
        write_index(output or asked.results)
    except BoostbenchError as error:
        complain(error)  # of another experiment's summary
    return code


def _all(asked: AnyRuns) -> Iterator[Experiment]:
    """Yield the shipped configs, in each size that has a folder in the results folder."""
    for name in shipped_configs():
        general = replace(asked, configs=[name]).load(check_parameters=False)[0]
        for size in (None, *general.config.sizes):
            sized = replace(general, size=size)
            if sized.report_folder.is_dir():
                yield replace(asked, configs=[name], size=size).load(check_parameters=False)[0]


def print_table(report: Report) -> None:
    """Print the main table of a report; on stderr what could not be made, and remarks."""
    for reason in report.undrawn.values():
        complain(f"left out of the report: {reason}")
    remarks = Counter(result.reason for result in report.study.results if result.ok)
    for remark, n in remarks.items():
        if remark:
            complain(f"{n} of {len(report.study.results)} results: {remark}")
    table = report.main_table(colour=is_fancy(sys.stdout))
    if table:
        print(table.rstrip("\n"), end="\n\n")
