"""`boostbench diff`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Json
from boostbench.cli.output import print_rows


def diff(
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="Folder with reports.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="Newer folder with reports.")],
    *,
    by: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            min=0.0,
            help="Ignore differences of numbers up to this size, in the unit of the table.",
        ),
    ] = 0.0,
    as_json: Json = False,
) -> int:
    """Show the differences between the reports of two results folders.

    Compares the experiments of each folder, the cells of their tables, and their verdicts. The exit
    code is 1 if there is any difference.

    Examples:
      boostbench diff results-before results
      boostbench diff results-a results-b --by 0.5
    """
    from boostbench.reports.changes import changes

    rows = [
        asdict(change)
        for change in changes(before, after)
        if change.difference is None or abs(change.difference) > by
    ]
    print_rows(rows, as_json=as_json, nothing="no differences")
    return INCOMPLETE if rows else OK
