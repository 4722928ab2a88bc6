"""`boostbench report`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import AnyRuns, option
from boostbench.cli.output import print_error
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.shipped import shipped_configs

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.reports.experiment_report import Report


_Output = Annotated[
    Path | None,
    option("DIR", "Folder for the report folders; by default that of --results.", "--output", "-o"),
]


def report(
    *,
    selection: AnyRuns,
    every: Annotated[
        bool, typer.Option("--all", help="All shipped configs with a folder in --results.")
    ] = False,
    pack: Annotated[
        bool, typer.Option("--pack", help="Also pack the records into the report folder.")
    ] = False,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Also write LaTeX tables, figures and the protocol for a paper of yours.",
        ),
    ] = False,
    output: _Output = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in a web browser.")
    ] = False,
) -> int:
    """Write tables, figures, verdicts and an offline page.

    Trains nothing, and prints the main table. If no run has a record, the packed records in the
    report folder are read. The exit code is 1 if runs lack a result or a table or figure could not
    be made. With --all, README.md and index.html list all reports.

    Examples:
      boostbench report noise20 --open
      boostbench report configs/quickstart.yaml --results DIR
      boostbench report my-study.yaml --paper
      boostbench report --all --output DIR
    """
    if every == bool(selection.configs):
        raise BoostbenchError("name configs, or give --all", where="report")
    if every and selection.size:
        raise BoostbenchError("--all includes all sizes; leave --size out", where="report")
    from boostbench.reports.files import write_files
    from boostbench.reports.manuscript import for_paper
    from boostbench.reports.overview import write_overview

    code = OK
    for experiment in _all(selection) if every else selection.load(check_parameters=False):
        try:
            made = experiment.report()
        except BoostbenchError as error:
            if not every:
                raise
            print_error(error)
            code = INCOMPLETE
            continue
        folder = experiment.report_folder
        folder = folder if output is None else output / folder.name
        written = made.write(folder)
        print_table(made)
        print(*written, sep="\n")
        if paper:
            contents, remarks = for_paper(made.study)
            for remark in remarks:
                print_error(f"left out of the paper: {remark}")
            print(*write_files(folder / "paper", contents), sep="\n")
        if pack:
            print(experiment.pack(folder))
        if open_page and typer.launch(written[-1].resolve().as_uri()):
            print_error(f"no web browser found; open {written[-1].resolve().as_uri()}")
        if not made.is_whole:
            code = INCOMPLETE
    if every:
        print(write_overview(output or selection.results))
    return code


def _all(selection: AnyRuns) -> Iterator[Experiment]:
    """Yield the shipped experiments, in each size that has a folder in the results folder."""
    for name in shipped_configs():
        experiment = replace(selection, configs=[name]).load(check_parameters=False)[0]
        for size in (None, *experiment.config.sizes):
            sized = replace(experiment, size=size)
            if sized.report_folder.is_dir():
                yield replace(selection, configs=[name], size=size).load(check_parameters=False)[0]


def print_table(report: Report) -> None:
    """Print the main table of a report; print failed parts and remarks on stderr."""
    for reason in report.undrawn.values():
        print_error(f"left out of the report: {reason}")
    remarks = Counter(result.reason for result in report.study.results if result.ok)
    for remark, n in remarks.items():
        if remark:
            print_error(f"{n} of {len(report.study.results)} results: {remark}")
    table = report.main_table()
    if table:
        print(table.rstrip("\n"), end="\n\n")
