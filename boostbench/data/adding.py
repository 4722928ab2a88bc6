"""Adding a file of the user to a data folder, with a catalog entry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml

from boostbench.data.catalog import SUFFIXES, DatasetEntry, catalog_index, entry_of, folded
from boostbench.data.columns import clean
from boostbench.data.dataset import Dataset, encode_labels
from boostbench.data.loading import files_in, load, load_located, located_files
from boostbench.data.readers import parse_files
from boostbench.data.tables import Parsed
from boostbench.errors import DataError
from boostbench.source import read_value
from boostbench.whole_files import read_file, write_files

#: With fewer rows, all cells of a column may differ by chance.
_FEWEST_ROWS = 20


def add_file(
    file: Path, name: str, folder: Path, *, replace: bool = False, **declared: Any
) -> tuple[Dataset, Path, Path | None]:
    """Copy a data file into a data folder as data set ``name``.

    If the catalog has an entry of that name, the file must agree with it. Otherwise an entry with
    the sizes of the data set is written to ``<name>.yaml`` beside the copy, so that later damage of
    the copy is detected. Columns that identify the rows (numbers of rows, or a text that is
    different in every row) are declared ids there, and are no features. After an error the folder
    is as it was.

    Parameters
    ----------
    file : Path
        CSV, ARFF, parquet or libsvm file, recognized by its suffix.
    name : str
        Name of letters, digits, ``-``, ``_`` and ``.``; no other name of another data set.
    folder : Path
        Data folder, created if missing.
    replace : bool, default=False
        Whether an entry that was written for an earlier file of that name is replaced.
    **declared
        Options ``target``, ``drop`` and ``types`` of `boostbench.compare`.

    Returns
    -------
    dataset : Dataset
        The data set as it is loaded.
    copy : Path
    description : Path or None
        Catalog file written; None if the catalog already has an entry.

    Raises
    ------
    DataError
        If the name or the file is invalid.
    """
    name = clean(name)
    if not re.fullmatch(r"\w[\w.-]*", name):
        what = "is not a valid name for a data set; --name takes letters, digits, '-', '_' and '.'"
        raise DataError(f"{name!r} {what}")
    copy, description = folder / f"{name}{_suffix_of(file)}", folder / f"{name}.yaml"
    named = catalog_index([folder] if folder.is_dir() else []).get(folded(name))
    known = _known(named, name, description, any(declared.values()), replace)
    for other in files_in(folder, known or DatasetEntry(name=name))[:1]:
        if (other != copy or not (known or replace)) and not other.samefile(file):
            what = f"this file of a data set {name!r} is there already; choose another --name"
            raise DataError(what, where=str(other))
    entry, files = known or _described(file, name, title=name, **declared), {}
    if known is None:
        facts = entry.model_dump(mode="json", exclude={"name", "where"}, exclude_defaults=True)
        text = yaml.safe_dump({name: facts}, sort_keys=False, allow_unicode=True)
        read_value(text, "title, drop or types")  # refuses what no description can hold
        files[description] = text.encode("utf-8")
    load_located(located_files(entry, entry, (file,)))  # what cannot be loaded is not written
    if not (copy.exists() and copy.samefile(file)):
        files[copy] = read_file(file)
    write_files(files)
    return load(name, None, [folder]), copy, None if known else description


def _suffix_of(file: Path) -> str:
    suffix = next((s for s in SUFFIXES if file.name.lower().endswith(s)), None)
    if suffix is None:
        is_sheet = file.suffix.lower() in (".xlsx", ".xls", ".ods")
        hint = "save the sheet as CSV" if is_sheet else f"known are {', '.join(SUFFIXES)}"
        raise DataError(f"unknown file format; {hint}", where=str(file))
    return suffix


def _known(
    entry: DatasetEntry | None, name: str, description: Path, is_declared: bool, replace: bool
) -> DatasetEntry | None:
    """Return the entry that a file must agree with; None if its description is to be written.

    ``entry`` is that of the name in the catalog.

    Raises
    ------
    DataError
        If the name belongs to another data set, or the description exists already.
    """
    if entry and entry.name != name:
        raise DataError(
            f"{name!r} is a name of the data set {entry.name!r} ({entry.where}); choose "
            f"another one with --name, or --name {entry.name} if the file holds that set"
        )
    of_user = entry is None or Path(entry.where.rpartition(":")[0]).name == description.name
    if of_user and replace:
        return None
    if is_declared if entry else description.exists():
        remedy = "--replace describes it anew" if of_user else "choose another --name"
        where = entry.where if entry else str(description)
        raise DataError(f"data set {name!r} is described already; {remedy}", where=where)
    return entry


def _ids(parsed: Parsed, declared: Mapping[str, str]) -> list[str]:
    """Return the features that identify rows; none if there are no others.

    In a small data set, this is only said of a column that pandas or R wrote as an index.
    """
    n = len(parsed.labels)
    declared_names = {clean(name).casefold() for name in declared}
    ids = []
    for column, values in zip(parsed.features, parsed.X.T, strict=True):
        is_index = column.name in ("column 1", "Unnamed: 0")
        is_asked = column.kind in ("number", "category") and (is_index or n >= _FEWEST_ROWS)
        differ = np.array_equal(np.sort(values) - np.floor(values.min()), range(n))
        if is_asked and differ and column.name.casefold() not in declared_names:
            ids.append(column.name)
    return ids if len(ids) < len(parsed.features) else []


def _described(file: Path, name: str, **declared: Any) -> DatasetEntry:
    """Return the entry of a file, with its sizes and the columns that identify its rows."""
    _suffix_of(file)
    declared = {key: value for key, value in declared.items() if value}
    entry = entry_of(name, declared, str(file))
    parsed = parse_files([(file, read_file(file))], entry)
    n_rows, n_train = len(parsed.labels), parsed.n_train
    _, classes = encode_labels(parsed.labels.tolist())
    entry.check(str(file), n_rows, n_train, classes)
    ids = dict.fromkeys(_ids(parsed, entry.types), "id")
    parts = {"n_train": n_train, "n_test": n_rows - n_train} if n_train is not None else {}
    features = [column for column in parsed.features if column.name not in ids]
    sizes = {
        "n_rows": n_rows,
        **parts,
        "n_features": len(features),
        "n_classes": len(classes),
        "n_categorical": sum(column.values is not None for column in features),
    }
    return entry_of(name, {**declared, **sizes, "types": {**entry.types, **ids}}, str(file))


def is_data_file(name: str) -> bool:
    """Return whether a name is the path of a data file rather than the name of a data set."""
    path = Path(name)
    return path.name.lower().endswith(SUFFIXES) or bool(path.suffix and path.is_file())


def load_file(
    path: Path, *, encode: Literal["ordinal", "one-hot"] = "ordinal", **declared: Any
) -> Dataset:
    """Load a data file as `add_file` would, without adding it to a data folder.

    Parameters
    ----------
    path : Path
        CSV, ARFF, parquet or libsvm file.
    encode
        As for `load`.
    **declared
        As for `add_file`.
    """
    entry = _described(path, path.name.partition(".")[0], **declared)
    return load_located(located_files(entry, entry, (path,)), encode)
