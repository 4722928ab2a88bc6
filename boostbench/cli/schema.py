"""`boostbench schema`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.kinds import load_plugins
from boostbench.cli.options import Plugins


def schema(
    *,
    plugins: Plugins,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write to this file.")] = None,
) -> int:
    """Print the JSON schema of configs, for editors.

    Examples:
      boostbench schema --output boostbench.schema.json
    """
    from boostbench.experiments.configs.config_schema import config_schema

    load_plugins(plugins)
    text = json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")
    return OK
