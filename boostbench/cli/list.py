"""`boostbench list`."""

from __future__ import annotations

from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.kinds import KINDS, load_plugins, rows_of
from boostbench.cli.options import Json, Plugins, completing
from boostbench.cli.output import print_rows
from boostbench.errors import UnknownNameError


def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help=f"One of {', '.join(KINDS)}.",
            autocompletion=completing(lambda: KINDS),
        ),
    ],
    *,
    plugins: Plugins,
    as_json: Json = False,
) -> int:
    """List names: boosters, weak learners, data sets, noise models, ...

    Examples:
      boostbench list boosters
      boostbench list datasets --json
    """
    if kind not in KINDS:
        raise UnknownNameError("kind", kind, KINDS, where="list")
    load_plugins(plugins)
    print_rows(rows_of(kind), as_json=as_json)
    return OK
