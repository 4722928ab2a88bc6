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
    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="A folder with reports.")],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="A newer folder with reports.")],
    *,
    by: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            min=0.0,
            help="Ignore differences between numbers up to this size, in the table's unit.",
        ),
    ] = 0.0,
    as_json: Json = False,
) -> int:
    """Show the differences between the reports of two results folders.

    Compared are the cells of tables, the verdicts, and the experiments of each folder. The exit
    code is 1 if there is any difference.

    Examples:
      boostbench diff results-before results
      boostbench diff results-a results-b --by 0.5
    """
    from boostbench.reports.changes import changes

    found = [c for c in changes(before, after) if c.difference is None or abs(c.difference) > by]
    rows = [asdict(change) for change in found]
    print_rows(rows, as_json=as_json, nothing="no differences")
    return INCOMPLETE if found else OK
