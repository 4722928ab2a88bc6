"""`boostbench list`."""

from __future__ import annotations

from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.kinds import KINDS, find_kind, load_plugins, rows_of
from boostbench.cli.options import Json, Plugins
from boostbench.cli.output import print_rows


def _kinds(incomplete: str) -> list[str]:
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="One of boosters, weak-learners, datasets, noise, configs, figures, tables, "
            "claims.",
            autocompletion=_kinds,
        ),
    ],
    *,
    plugin: Plugins,
    as_json: Json = False,
) -> int:
    """List boosters, weak learners, data sets, noise models ...

    Examples:
      boostbench list boosters
      boostbench list datasets --json
    """
    its = find_kind(kind)
    load_plugins(plugin)
    print_rows(rows_of(its), as_json=as_json)
    return OK
