"""Adding a file of the user to a data folder, with a catalog entry."""

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

#: With fewer rows, a feature may hold the numbers 1, 2, ... by chance.
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
    """Copy a data file into a data folder as data set ``name``.

    If the catalog has an entry of that name, the file must agree with it. Otherwise an entry with
    the sizes of the data set is written to ``<name>.yaml`` beside the copy, so that later damage of
    the copy is detected.

    Parameters
    ----------
    file : Path
        CSV, ARFF, parquet or libsvm file, recognized by its suffix.
    name : str
        Name of letters, digits, ``-``, ``_`` and ``.``.
    folder : Path
        Data folder, created if missing.
    target : str, default=""
        Label column of a new data set. Empty: ``target`` or, without one, ``class``.
    title : str, default=""
        Description of the data set.
    data_dirs : iterable of path, default=()
        Further folders with catalogs.

    Returns
    -------
    copy : Path
    description : Path or None
        Catalog file written; None if the catalog already has an entry.

    Raises
    ------
    DataError
        If the name or the file is invalid.
    """
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise DataError(f"{name!r} cannot name a data set; use letters, digits, '-', '_' and '.'")
    suffix = next((s for s in SUFFIXES if file.name.lower().endswith(s)), None)
    if suffix is None:
        raise DataError(f"unknown file format; known are {', '.join(SUFFIXES)}", where=str(file))
    entry = catalog(data_dirs).get(name)
    content = read_file(file)
    facts = _facts(file, content, entry or DatasetEntry(name=name, target=target))
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{name}{suffix}"
    if not (copy.exists() and copy.samefile(file)):
        write_file(copy, content)
    if entry is not None:
        return copy, None
    facts = {"title": title or name, **facts, **({"target": target} if target else {})}
    description = folder / f"{name}.yaml"
    text = yaml.safe_dump({name: facts}, sort_keys=False, allow_unicode=True)
    write_file(description, text.encode("utf-8"))
    return copy, description


def row_numbers(data: Dataset) -> list[str]:
    """Return the features that hold row numbers, in any order; none if the data set is small."""
    return [
        name
        for name, column in zip(data.feature_names, data.X.T, strict=True)
        if data.n_rows >= _FEWEST_NUMBERED
        and np.array_equal(np.sort(column) - np.floor(column.min()), range(data.n_rows))
    ]


def _facts(file: Path, content: bytes, entry: DatasetEntry) -> dict[str, Any]:
    """Return the sizes of a parsed file, after comparison with the entry."""
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
