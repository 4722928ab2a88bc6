"""Options shared by several commands."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.errors import BoostbenchError
from boostbench.inputs import refuses_code

if TYPE_CHECKING:
    from boostbench.api import Experiment


#: Of a parameter with any number of values.
_MANY: dict[str, Any] = {"default_factory": list, "show_default": False}


def option(metavar: str, text: str, *names: str, many: bool = False, **more: Any) -> Any:
    """Return an option with one value or, if ``many``, that may be given any number of times."""
    if many:
        text, more = f"{text}; repeatable.", _MANY
    return typer.Option(*names, metavar=metavar, help=text, **more)


def flag(text: str, *names: str, **more: Any) -> Any:
    """Return an option without a value."""
    return typer.Option(*names, help=text, **more)


def argument(metavar: str, text: str, *, many: bool = False) -> Any:
    """Return an argument with one value or, if ``many``, any number of values."""
    return typer.Argument(metavar=metavar, help=text, **(_MANY if many else {}))


Data = Annotated[
    list[Path],
    option(
        "DIR", "Folder with data files, searched before $BOOSTBENCH_DATA and datasets/", many=True
    ),
]
Results = Annotated[Path, option("DIR", "Folder of run records and reports.")]
Jobs = Annotated[
    int | None,
    option("N", "Number of processes; by default the number of cores.", "--jobs", "-j", min=1),
]
Output = Annotated[
    Path | None, option("FILE", "File to write: .parquet, or CSV.", "--output", "-o")
]
Retry = Annotated[
    list[str],
    option(
        "STATUS",
        "Repeat only runs that are failed, timeout, out-of-memory, killed or stale (several "
        "separated by commas)",
        many=True,
    ),
]
Plugins = Annotated[
    list[Path],
    option("FILE", "Python file that registers boosters or other parts", "--plugin", many=True),
]
_SHARE = "Share of the runs of each booster on each data set to repeat, at least one."
SAMPLE: Any = option("SHARE", _SHARE, min=0.0, max=1.0)
Json = Annotated[bool, flag("Print JSON.", "--json")]
Quiet = Annotated[bool, flag("Print failures only.", "--quiet", "-q")]


@dataclass(frozen=True, kw_only=True)
class Experiments:
    """Options that select experiments, their data and their results."""

    configs: Annotated[
        list[str],
        argument("CONFIG", "Config files, or names shown by `boostbench list configs`.", many=True),
    ]
    data: Data
    results: Results = Path("results")
    overrides: Annotated[
        list[str],
        option(
            "KEY=VALUE",
            "Replace a value of the config, e.g. rounds=100, seeds=2 or limits.time=30m",
            "--set",
            many=True,
        ),
    ]
    size: Annotated[
        str | None, option("SIZE", "Use this variant of the config: quick, standard or full.")
    ] = None
    plugins: Plugins
    no_plugins: Annotated[
        bool, flag("Refuse a config that names Python code to execute.", "--no-plugins")
    ] = False

    def load(self, **more: Any) -> tuple[Experiment, ...]:
        """Load and check the experiments; see `boostbench.api.load_experiments`."""
        from boostbench.api import load_experiments

        if not self.configs:
            raise BoostbenchError("name a config; `boostbench list configs` lists those shipped")
        given = {**vars(self), **more}
        context = copy_context()
        context.run(refuses_code.set, given.pop("no_plugins"))
        return context.run(load_experiments, **given)


@dataclass(frozen=True, kw_only=True)
class SelectedRuns(Experiments):
    """Options that select experiments and runs."""

    only: Annotated[
        list[str],
        option(
            "PATTERN",
            "Only runs whose data set, booster or noise has this name, or whose id matches, "
            "e.g. 'dna/*/clean/*'",
            many=True,
        ),
    ]


def parse_rounds(text: str) -> list[int]:
    """Return the rounds in a list such as ``1,5,10``.

    Raises
    ------
    BoostbenchError
        If ``text`` is not a list of whole numbers from 1.

    Examples
    --------
    >>> parse_rounds("1, 5,10")
    [1, 5, 10]
    """
    if re.fullmatch(r"\s*[1-9][0-9]{0,8}\s*(,\s*[1-9][0-9]{0,8}\s*)*", text) is None:
        what = f"{text[:40]!r} is not a list of rounds; write for example 1,5,10"
        raise BoostbenchError(what, where="--at")
    return [int(number) for number in text.split(",")]


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Options of the columns of a data file."""

    target: Annotated[str, option("COLUMN", "Label column; by default target, else class.")] = ""
    drop: Annotated[list[str], option("COLUMN", "Column of a data file to leave out", many=True)]
    types: Annotated[
        list[str],
        option(
            "COLUMN=TYPE",
            "What a column is: number, category, date, id, or a format such as %d/%m/%Y or 1.234,5",
            "--type",
            many=True,
        ),
    ]

    def given(self) -> dict[str, Any]:
        """Return the options that are given, as arguments of `boostbench.compare`."""
        types = {column: kind for column, _, kind in (each.rpartition("=") for each in self.types)}
        if "" in types:
            raise BoostbenchError("give a column and what it is, e.g. zip=category", where="--type")
        given = {**vars(self), "types": types}
        return {key: value for key, value in given.items() if value not in (None, "", [], {})}


@dataclass(frozen=True, kw_only=True)
class DataOptions(ColumnOptions):
    """Options of a data set and of the boosters trained on it."""

    encode: Annotated[
        str, option("WAY", "Encoding of categories: ordinal (default) or one-hot.")
    ] = ""
    rounds: Annotated[int | None, option("N", "Boosting rounds, by default 100.")] = None
    data: Data
    plugins: Plugins


def next_line(*words: str, **options: Any) -> str:
    """Return a line with the command to run next, with options by their names.

    The program has its path as called if ``PATH`` does not find it.
    """
    called = Path(sys.argv[0])
    is_found = called.name != "boostbench" or shutil.which("boostbench")
    options["types"] = [f"{each}={kind}" for each, kind in options.get("types", {}).items()]
    more = ["boostbench" if is_found else str(called), *words]
    lists = {"overrides": "set", "only": "only", "drop": "drop", "types": "type"}
    for key, flag in (lists | {"data": "data", "plugins": "plugin"}).items():
        more += [word for value in options.get(key, ()) for word in (f"--{flag}", str(value))]
    for key in ("size", "results", "target", "encode", "rounds", "noise", "output"):
        flag = "-o" if key == "output" else f"--{key}"
        is_given = options.get(key) not in (None, "", Path("results"))
        more += [flag, str(options[key])] if is_given else []
    return f"next: {shlex.join(more)}"
