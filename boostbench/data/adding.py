"""Taking a user's file into a data folder, with the catalog entry that describes it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from boostbench.data.catalog import SUFFIXES, DatasetEntry, catalog
from boostbench.data.dataset import Dataset, encode_labels
from boostbench.data.readers import parse_files
from boostbench.errors import DataError
from boostbench.whole_files import read_file, write_file

#: In fewer rows a column may hold the numbers from 1 by chance.
_FEWEST_NUMBERED = 20


def add_file(
    file: Path,
    name: str,
    folder: Path,
    *,
    target: str = "",
    title: str = "",
    data_dirs: Iterable[str | Path] = (),
) -> tuple[Path, Path | None]:
    """Copy a data file into a data folder as ``name``, and describe it there.

    The file is read first. A name that the catalog knows must be that data set; for any other
    name, ``<name>.yaml`` beside the copy holds what was found, so that a damaged copy is noticed.

    Parameters
    ----------
    file : Path
        CSV, ARFF, parquet or libsvm, known by its suffix.
    name : str
        Letters, digits, ``-``, ``_`` and ``.``.
    folder : Path
        Made if it is not there.
    target : str, default=""
        Label column of a new data set; empty: ``target``, else ``class``.
    title : str, default=""
        Description of the data set.
    data_dirs : iterable of path, default=()
        Folders whose catalogs are known too.

    Returns
    -------
    copy : Path
    description : Path or None
        The catalog file written; None if the catalog knew the name.

    Raises
    ------
    DataError
        If the name or the file cannot be used.
    """
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise DataError(f"{name!r} cannot name a data set; use letters, digits, '-', '_' and '.'")
    suffix = next((s for s in SUFFIXES if file.name.lower().endswith(s)), None)
    if suffix is None:
        raise DataError(f"unknown kind of file; known are {', '.join(SUFFIXES)}", where=str(file))
    known = catalog(data_dirs).get(name)
    content = read_file(file)
    facts = _facts(file, content, known or DatasetEntry(name=name, target=target))
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{name}{suffix}"
    if not (copy.exists() and copy.samefile(file)):
        write_file(copy, content)
    if known is not None:
        return copy, None
    described = {"title": title or name, **facts, **({"target": target} if target else {})}
    description = folder / f"{name}.yaml"
    text = yaml.safe_dump({name: described}, sort_keys=False, allow_unicode=True)
    write_file(description, text.encode("utf-8"))
    return copy, description


def row_numbers(data: Dataset) -> list[str]:
    """Return the features that number the rows, in any order; none of a small data set."""
    return [
        name
        for name, column in zip(data.feature_names, data.X.T, strict=True)
        if data.n_rows >= _FEWEST_NUMBERED
        and np.array_equal(np.sort(column) - np.floor(column.min()), range(data.n_rows))
    ]


def _facts(file: Path, content: bytes, entry: DatasetEntry) -> dict[str, Any]:
    """Parse the file and return its sizes, checked against the entry."""
    parsed = parse_files([(file, content)], entry)
    _, classes = encode_labels(parsed.labels.tolist())
    n_rows, n_train, n_features = len(parsed.labels), parsed.n_train, len(parsed.feature_names)
    entry.check(str(file), n_rows, n_train, classes, n_features)
    rows = {"n_rows": n_rows}
    if n_train is not None:
        rows = {"n_train": n_train, "n_test": n_rows - n_train}
    return {
        **rows,
        "n_features": n_features,
        "n_classes": len(classes),
        "n_categorical": sum(values is not None for values in parsed.categories),
    }
