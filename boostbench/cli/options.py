"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boostbench.cli.configs import shipped_configs

__all__ = ["Configs", "Data", "Json", "Plugins", "Quiet", "Results", "Settings", "Size"]


def _config_names(incomplete: str) -> list[str]:
    return [name for name in shipped_configs() if name.startswith(incomplete)]


Configs = Annotated[
    list[str],
    typer.Argument(
        metavar="CONFIG",
        help="Config files, or names that `boostbench list configs` shows.",
        autocompletion=_config_names,
        show_default=False,
    ),
]
Data = Annotated[
    list[Path],
    typer.Option(
        "--data",
        metavar="DIR",
        help="Folder with data files, looked at before $BOOSTBENCH_DATA and datasets/; repeatable.",
        default_factory=list,
        show_default=False,
    ),
]
Results = Annotated[
    Path, typer.Option("--results", metavar="DIR", help="Folder of run records and reports.")
]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Replace a value of the config, as in rounds=100 or noise.rate=0.1; repeatable.",
        default_factory=list,
        show_default=False,
    ),
]
Size = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="quick, standard or full: use the config's variant of that size.",
        show_default=False,
    ),
]
Plugins = Annotated[
    list[Path],
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="Python file that registers boosters or other parts; repeatable.",
        default_factory=list,
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print failures only.")]
