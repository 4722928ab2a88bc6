"""Adding a file of the user to a data folder, with a catalog entry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import yaml

from boostbench.data.catalog import SUFFIXES, DatasetEntry, catalog, folded
from boostbench.data.columns import clean
from boostbench.data.dataset import Dataset, encode_labels
from boostbench.data.loading import load
from boostbench.data.readers import parse_files
from boostbench.data.sources import files_in
from boostbench.data.tables import Parsed, find_name
from boostbench.errors import DataError, UnknownNameError
from boostbench.whole_files import read_file, write_files

#: With fewer rows, all cells of a column may differ by chance.
_FEWEST_ROWS = 20


def add_file(
    file: Path,
    name: str,
    folder: Path,
    *,
    target: str = "",
    title: str = "",
    drop: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    replace: bool = False,
    data_dirs: Iterable[str | Path] = (),
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
    target, title, drop, types
        Keys of the entry: label column, description, columns to leave out, and what columns are.
    replace : bool, default=False
        Whether an entry that was written for an earlier file of that name is replaced.
    data_dirs : iterable of path, default=()
        Further folders with catalogs.

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
        raise DataError(
            f"{name!r} is not a valid name for a data set; use letters, digits, '-', '_' and '.'"
        )
    suffix = next((s for s in SUFFIXES if file.name.lower().endswith(s)), None)
    if suffix is None:
        is_sheet = file.suffix.lower() in (".xlsx", ".xls", ".ods")
        hint = "save the sheet as CSV" if is_sheet else f"known are {', '.join(SUFFIXES)}"
        raise DataError(f"unknown file format; {hint}", where=str(file))
    copy, description = folder / f"{name}{suffix}", folder / f"{name}.yaml"
    given = {"target": target, "drop": [*drop], "types": dict(types or {})}
    declared: dict[str, Any] = {key: value for key, value in given.items() if value}
    entry = _known(name, description, catalog(data_dirs), bool(declared), replace=replace)
    if folder.is_dir():
        for other in files_in(folder, entry or DatasetEntry(name=name))[:1]:
            if other != copy and not other.samefile(file):
                what = f"this file of a data set {name!r} is there already; choose another --name"
                raise DataError(what, where=str(other))
    files = {copy: read_file(file)}
    wanted = entry or DatasetEntry.model_validate({"name": name, **declared})
    parsed = parse_files([(file, files[copy])], wanted)
    names = [column.name for column in parsed.columns]
    for unwanted in drop:
        if not find_name(unwanted, names, str(file)):
            raise UnknownNameError("column", unwanted, names, where=str(file))
    if entry is None:
        _, classes = encode_labels(parsed.labels.tolist())
        wanted.check(str(file), len(parsed.labels), parsed.n_train, classes)
        ids = dict.fromkeys(_ids(parsed, wanted.types), "id")
        if ids:
            declared["types"] = {**declared.get("types", {}), **ids}
        facts = {"title": title or name, **_sizes(parsed, len(ids)), **declared}
        text = yaml.safe_dump({name: facts}, sort_keys=False, allow_unicode=True)
        files[description] = text.encode("utf-8")
    with TemporaryDirectory() as trial:  # what cannot be loaded is not written to the folder
        for path, content in files.items():
            (Path(trial) / path.name).write_bytes(content)
        try:
            load(name, None, [trial, *data_dirs])
        except DataError as error:  # about the file of the user, not about its copy
            what = str(error).replace(str(Path(trial) / copy.name), str(file))
            raise DataError(what) from None
    folder.mkdir(parents=True, exist_ok=True)
    write_files({p: content for p, content in files.items() if not _is_same(p, file)})
    return load(name, None, [folder, *data_dirs]), copy, None if entry else description


def _is_same(path: Path, file: Path) -> bool:
    return path.exists() and path.samefile(file)


def _known(
    name: str,
    description: Path,
    entries: Mapping[str, DatasetEntry],
    is_declared: bool,
    *,
    replace: bool,
) -> DatasetEntry | None:
    """Return the entry that a file must agree with; None if its description is to be written.

    Raises
    ------
    DataError
        If the name belongs to another data set, or the description exists already.
    """
    entry = entries.get(name)
    for other in entries.values():
        if folded(name) in map(folded, (other.name, *other.aliases)) and other is not entry:
            raise DataError(
                f"{name!r} is a name of the data set {other.name!r} ({other.where}); choose "
                f"another one with --name, or --name {other.name} if the file holds that set"
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


def _sizes(parsed: Parsed, n_ids: int) -> dict[str, Any]:
    """Return the sizes of a parsed file, as keys of its entry."""
    _, classes = encode_labels(parsed.labels.tolist())
    n_rows, n_train = len(parsed.labels), parsed.n_train
    rows = {"n_rows": n_rows}
    if n_train is not None:
        rows = {"n_train": n_train, "n_test": n_rows - n_train}
    return {
        **rows,
        "n_features": len(parsed.features) - n_ids,
        "n_classes": len(classes),
        "n_categorical": sum(values is not None for values in parsed.categories),
    }


def is_data_file(name: str) -> bool:
    """Return whether a name is the path of a data file rather than the name of a data set."""
    path = Path(name)
    return path.name.lower().endswith(SUFFIXES) or bool(path.suffix and path.is_file())


def load_file(
    path: Path,
    *,
    target: str = "",
    drop: Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    encode: Literal["ordinal", "one-hot"] = "ordinal",
) -> Dataset:
    """Load a data file as `add_file` would, without adding it to a data folder.

    Parameters
    ----------
    path : Path
        CSV, ARFF, parquet or libsvm file.
    target, drop, types
        As for `add_file`.
    encode
        As for `load`.
    """
    name = re.sub(r"[^\w-]+", "-", path.name.partition(".")[0])
    with TemporaryDirectory() as folder:
        add_file(path, f"own-{name}", Path(folder), target=target, drop=drop, types=types)
        dataset = load(f"own-{name}", None, [folder], encode)
    return replace(dataset, name=path.name.partition(".")[0], source=str(path))
