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
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="A newer one.")],
    *,
    by: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            min=0.0,
            help="Pass over numbers that differ by no more than this, in the table's unit.",
        ),
    ] = 0.0,
    as_json: Json = False,
) -> int:
    """Show what changed between the reports of two results folders.

    Cells of tables, verdicts, and experiments that only one of them has. The exit code is 1 if
    there is any difference.

    Examples:
      boostbench diff results-before results
      boostbench diff results-a results-b --by 0.5
    """
    from boostbench.reports.changes import changes

    found = [c for c in changes(before, after) if c.difference is None or abs(c.difference) > by]
    rows = [asdict(change) for change in found]
    print_rows(rows, as_json=as_json, nothing="no differences")
    return INCOMPLETE if found else OK
