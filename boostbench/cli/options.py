"""Options that several commands share, declared once."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.shipped import shipped_configs

if TYPE_CHECKING:
    from boostbench.api import Experiment


def repeatable(name: str, metavar: str, text: str) -> Any:
    """Return an option that may be given several times, or not at all."""
    return typer.Option(
        name,
        metavar=metavar,
        help=f"{text}; repeatable.",
        default_factory=list,
        show_default=False,
    )


def any_number(metavar: str, text: str) -> Any:
    """Return an argument that takes any number of values, or none."""
    return typer.Argument(metavar=metavar, help=text, default_factory=list, show_default=False)


def completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return the completion of a word to one of some names."""
    return lambda incomplete: [name for name in names() if name.startswith(incomplete)]


Data = Annotated[
    list[Path],
    repeatable(
        "--data", "DIR", "Folder with data files, looked at before $BOOSTBENCH_DATA and datasets/"
    ),
]
Results = Annotated[Path, typer.Option(metavar="DIR", help="Folder of run records and reports.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Runs at once, each on one thread while others wait; by default as many as cores.",
    ),
]
Retry = Annotated[
    list[str],
    repeatable(
        "--retry",
        "STATUS",
        "Do again exactly the runs that are failed, timeout, out-of-memory, killed or stale; "
        "several with commas",
    ),
]
Size = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE", help="quick, standard or full: use the config's variant of that size."
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
    repeatable("--plugin", "FILE", "Python file that registers boosters or other parts"),
]
Shard = Annotated[
    str | None, typer.Option(metavar="I/N", help="Only the I-th of N parts, for batch jobs.")
]
Sample = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="Share of the runs of each booster on each data set to do again; at least one.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print failures only.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print the whole traceback of a failure.")
]


#: Options that are not called like their fields.
_FLAGS = {"overrides": "--set", "plugins": "--plugin"}


def program() -> str:
    """Return the program as it was called, if it is not found by its name alone."""
    called = Path(sys.argv[0])
    if called.name != "boostbench" or shutil.which("boostbench"):
        return "boostbench"
    return str(called)


@dataclass(frozen=True, kw_only=True)
class Experiments:
    """Options that select experiments, their data and their results."""

    configs: Annotated[
        list[str],
        typer.Argument(
            metavar="CONFIG",
            help="Config files, or names that `boostbench list configs` shows.",
            autocompletion=completing(shipped_configs),
        ),
    ]
    data: Data
    results: Results = Path("results")
    overrides: Annotated[
        list[str],
        repeatable(
            "--set",
            "KEY=VALUE",
            "Replace a value of the config, as in rounds=100 or noise.rate=0.1",
        ),
    ]
    seeds: Annotated[
        str | None, typer.Option(metavar="N", help="Number of seeds; short for --set seeds=N.")
    ] = None
    size: Size = None
    plugins: Plugins

    def load(self, **more: Any) -> tuple[Experiment, ...]:
        """Read and check the experiments; see `boostbench.api.load_experiments`."""
        from boostbench.api import load_experiments

        asked = {**vars(self), **more}
        seeds = asked.pop("seeds")
        asked["overrides"] = [*self.overrides, *([f"seeds={seeds}"] if seeds else [])]
        return load_experiments(**asked)

    def command(self, name: str) -> str:
        """Return another command about the same, as it would be typed."""
        words = [program(), name, *self.configs]
        for option in fields(self):
            value = getattr(self, option.name)
            values = value if isinstance(value, list) else [value]
            if option.name != "configs" and value != option.default:
                flag = _FLAGS.get(option.name, f"--{option.name}")
                words += [word for each in values for word in (flag, str(each))]
        return shlex.join(words)


@dataclass(frozen=True, kw_only=True)
class SelectedRuns(Experiments):
    """Options that select experiments, or some of their runs."""

    only: Annotated[
        list[str],
        repeatable(
            "--only",
            "PATTERN",
            "Only runs whose data set, booster or noise has this name, or whose id matches, "
            "as in 'dna/*/clean/*'",
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class AnyRuns(SelectedRuns):
    """Options that select experiments, of which none has to be named."""

    configs: Annotated[
        list[str],
        any_number("CONFIG", "Config files, or names that `boostbench list configs` shows"),
    ]


@dataclass(frozen=True, kw_only=True)
class Limited:
    """Limits of one run, and the runs that are done again."""

    time_limit: Annotated[
        str | None, typer.Option(metavar="TIME", help="Limit of one run, as in 90s, 30m, 1h30m.")
    ] = None
    memory_limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Limit of one run, as in 512M, 4G.")
    ] = None
    retry: Retry

    def parsed(self) -> dict[str, Any]:
        """Return the options as arguments of `boostbench.api.Experiment.run`."""
        from boostbench.experiments.configs.quantities import parse_duration, parse_size

        time, memory = self.time_limit, self.memory_limit
        return {
            "time_limit": time and parse_duration(time, where="--time-limit"),
            "memory_limit": memory and parse_size(memory, where="--memory-limit"),
            "retry": statuses_of(self.retry),
        }


def parse_numbers(text: str, option: str, least: int, most: int) -> list[int]:
    """Return one or several whole numbers: ``10``, ``1,5,10``, ``0..10``.

    Raises
    ------
    BoostbenchError
        If ``text`` is no such list, or a number is out of range.

    Examples
    --------
    >>> parse_numbers("1,5..7", "--rounds", 0, 10)
    [1, 5, 6, 7]
    """
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})\s*(?:\.\.\s*(\d{1,9})\s*)?", part, re.ASCII)
        if ends is None:
            what = f"{text!r} is not a list of whole numbers; write for example 1,5,10 or 0..10"
            raise BoostbenchError(what, where=option)
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if not least <= first <= last <= most:
            what = f"expected numbers from {least} to {most}, rising in a range"
            raise BoostbenchError(f"{what}; found {part.strip()}", where=option)
        found += range(first, last + 1)
    return found


def parse_pair(text: str, option: str) -> tuple[str, str]:
    """Return key and value of ``key=value``.

    Raises
    ------
    BoostbenchError
        If it is none.

    Examples
    --------
    >>> parse_pair("partition=long", "--sbatch")
    ('partition', 'long')
    """
    key, _, value = text.partition("=")
    if not key.strip() or not value:
        raise BoostbenchError(f"{text[:40]!r} is not of the form KEY=VALUE", where=option)
    return key.strip().lstrip("-"), value


def statuses_of(retry: Iterable[str]) -> list[str]:
    """Return the statuses that ``--retry`` names, each time with commas."""
    return [word.strip() for words in retry for word in words.split(",")]


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
