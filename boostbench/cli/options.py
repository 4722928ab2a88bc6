"""Options that several commands share, declared once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.shipped import shipped_configs


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
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Runs at once, each on one thread; as many as there are cores by default.",
        show_default=False,
    ),
]
Only = Annotated[
    list[str],
    typer.Option(
        metavar="PATTERN",
        help="Only runs whose data set, booster or noise has this name, or whose id matches, "
        "as in 'dna/*/clean/*'; repeatable.",
        default_factory=list,
        show_default=False,
    ),
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
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Runs done with other versions of numpy, scipy, scikit-learn or numba are stale.",
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
Shard = Annotated[
    str | None,
    typer.Option(
        metavar="I/N", help="Only the I-th of N parts, for batch jobs.", show_default=False
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print failures only.")]


def parse_shard(text: str | None) -> tuple[int, int] | None:
    """Return (i, n) of the i-th of n parts, 1 <= i <= n; None for None.

    Raises
    ------
    BoostbenchError
        If ``text`` is not such a pair.

    Examples
    --------
    >>> parse_shard("2/8")
    (2, 8)
    """
    if text is None:
        return None
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise BoostbenchError(
            f"{text[:40]!r} is not a shard; write i/n with 1 <= i <= n, for example 2/8",
            where="--shard",
        )
    return int(match[1]), int(match[2])
