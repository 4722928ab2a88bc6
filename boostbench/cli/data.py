"""`boostbench data`: where data sets are, fetching, checking and adding them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from boostbench.cli.guard import BAD_INPUT, INCOMPLETE, OK
from boostbench.cli.options import Data, Json
from boostbench.cli.output import print_rows
from boostbench.errors import DataError, DataUnavailableError

Names = Annotated[
    list[str],
    typer.Argument(metavar="NAME", help="Data sets, as `boostbench data list` shows them."),
]


def list_data(*, data: Data, as_json: Json = False) -> int:
    """List the data sets and where each one was found.

    Examples:
      boostbench data list
      boostbench data list --data DIR --json
    """
    from boostbench.data import catalog

    rows = []
    for name, entry in catalog(data).items():
        found = _found(name, data)
        rows.append(
            {
                "name": name,
                "rows": entry.n_rows,
                "features": entry.n_features,
                "classes": entry.n_classes,
                "available": not isinstance(found, Exception),
                "found": "-" if isinstance(found, Exception) else found,
            }
        )
    print_rows(rows, as_json=as_json, columns=["name", "rows", "features", "classes", "found"])
    return OK


def fetch(names: Names, *, data: Data) -> int:
    """Download data sets that are not on this machine yet.

    Examples:
      boostbench data fetch letter vowel
    """
    from boostbench.data import locate

    code = OK
    for name in names:
        try:
            print(f"{name}: {locate(name, None, data, allow_download=True).describe}")
        except DataUnavailableError as error:
            print(f"boostbench: {error}", file=sys.stderr)
            code = INCOMPLETE
    return code


def verify(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            help="Data sets to read; all that are on this machine by default.",
            default_factory=list,
            show_default=False,
        ),
    ],
    *,
    data: Data,
    as_json: Json = False,
) -> int:
    """Read data sets and compare them with the catalog.

    Examples:
      boostbench data verify
      boostbench data verify dna letter --data DIR
    """
    from boostbench.data import catalog

    chosen = names or [n for n in catalog(data) if not isinstance(_found(n, data), Exception)]
    rows = [_verdict(name, data) for name in chosen]
    print_rows(rows, as_json=as_json)
    verdicts = {row["verdict"] for row in rows}
    if "damaged" in verdicts:
        return BAD_INPUT
    return INCOMPLETE if "absent" in verdicts else OK


def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, ARFF, parquet or libsvm.")],
    *,
    name: Annotated[
        str,
        typer.Option(metavar="NAME", help="Name in configs; the file's name by default."),
    ] = "",
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="Label column; target, else class, by default.")
    ] = "",
    title: Annotated[str, typer.Option(metavar="TEXT", help="The data set in words.")] = "",
    to: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Data folder that gets the copy and its description."),
    ] = Path("datasets"),
) -> int:
    """Copy a file into a data folder and describe it there.

    Examples:
      boostbench data add mushrooms.csv --target edible
      boostbench data add vowel.libsvm --name vowel --to DIR
    """
    from boostbench.data import load
    from boostbench.data.adding import add_file

    name = name or file.name.partition(".")[0]
    dirs = [to] if to.is_dir() else []
    copy, description = add_file(file, name, to, target=target, title=title, data_dirs=dirs)
    read = load(name, None, [to])
    sizes = f"{read.n_rows} samples, {read.n_features} features, {read.n_classes} classes"
    print(f"{name}: {copy}: {sizes}")
    if description is not None:
        print(f"described in {description}; use it in a config as 'datasets: [{name}]'")
    return OK


def _found(name: str, data: list[Path]) -> str | Exception:
    from boostbench.data import locate

    try:
        return locate(name, None, data).describe
    except (DataUnavailableError, DataError) as error:
        return error


def _verdict(name: str, data: list[Path]) -> dict[str, Any]:
    from boostbench.data import load

    row = {"name": name, "verdict": "ok", "rows": None, "features": None, "classes": None}
    try:
        dataset = load(name, None, data)
    except DataUnavailableError as error:
        return {**row, "verdict": "absent", "detail": str(error)}
    except DataError as error:
        return {**row, "verdict": "damaged", "detail": str(error)}
    return {
        **row,
        "rows": dataset.n_rows,
        "features": dataset.n_features,
        "classes": dataset.n_classes,
        "detail": dataset.source,
    }
