"""Run the benchmarks: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

# One thread for every library. The variables are read on import, so they are set first.
for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

if TYPE_CHECKING:
    from benchmarks.settings import Settings
    from benchmarks.table import Row

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the measures, then print the table and write it to files."""
    from rich.console import Console

    from benchmarks.settings import Settings
    from benchmarks.table import show, write

    options = _parse(arguments)
    settings = Settings(options.quick, options.repeats or (3 if options.quick else 7))
    console = Console(width=None if sys.stdout.isatty() else 180)
    rows: list[Row] = []
    for row in _rows(options.measure, options.data_set, options.data, settings):
        print(" | ".join(row.cells()), file=sys.stderr, flush=True)
        rows.append(row)
    show(rows, console)
    if options.out is not None:
        command = shlex.join(["python", "-m", "benchmarks", *(arguments or sys.argv[1:])])
        for path in write(rows, options.out, command):
            console.print(f"wrote {path}")
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    from benchmarks.data import NAMES
    from benchmarks.measures import MEASURES

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = {"nargs": "+", "metavar": "NAME"}
    parser.add_argument(
        "--measure", choices=MEASURES, default=MEASURES, help=", ".join(MEASURES), **names
    )
    parser.add_argument("--data-set", choices=NAMES, default=NAMES, help=", ".join(NAMES), **names)
    folder = os.environ.get("BOOSTBENCH_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(folder) if folder else None,
        help="folder of files NAME.csv.gz; data of the same shape are generated for missing files "
        "(default: $BOOSTBENCH_DATA)",
    )
    parser.add_argument("--quick", action="store_true", help="small data, few rounds and repeats")
    parser.add_argument("--repeats", type=int, help="number of turns of each contestant")
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "results" / "benchmarks",
        help="folder to write to (default: results/benchmarks)",
    )
    parser.add_argument(
        "--no-write", dest="out", action="store_const", const=None, help="only print"
    )
    return parser.parse_args(arguments)


def _rows(
    measures: Sequence[str], names: Sequence[str], folder: Path | None, settings: Settings
) -> Iterator[Row]:
    from benchmarks.data import load
    from benchmarks.measures import ALONE, ON_DATA

    for measure in measures:
        if measure in ALONE:
            yield from _guarded(lambda m=measure: ALONE[m](settings), measure, "")
            continue
        function, suitable = ON_DATA[measure]
        for name in (name for name in suitable if name in names):
            data = load(name, folder).head(settings.max_rows)
            yield from _guarded(lambda f=function, d=data: f(d, settings), measure, name)


def _guarded(measure: Callable[[], Iterator[Row]], name: str, data: str) -> Iterator[Row]:
    """Yield the rows of a measure; one with the error if it fails or the peer is missing."""
    from benchmarks.peers import PeerMissingError
    from benchmarks.table import Row

    try:
        yield from measure()
    except PeerMissingError as error:
        note = f"peer not installed: {error}; pip install '.[baselines]'"
        yield Row(name, data, "-", "-", None, None, note=note)
    except Exception as error:
        note = f"failed: {type(error).__name__}: {error}"
        yield Row(name, data, "-", "-", None, None, note=note)


if __name__ == "__main__":
    sys.exit(main())
