"""Conversion of tables of cells to numbers, for all file formats.

The label column is the ``target`` of the catalog entry, else ``target``, else ``class``. A column
``split`` divides training and test rows. The other columns are read by `read_column`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import DatasetEntry
from boostbench.data.cells import Declared
from boostbench.data.columns import (
    Column,
    RowPlace,
    Texts,
    clean,
    how_to_declare,
    read_column,
)
from boostbench.errors import DataError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

_MOST_REFUSED = 20  # columns in a message
#: Maximum size of a table of numbers in bytes.
LARGEST_TABLE = 2**32


@dataclass(frozen=True, eq=False)
class Parsed:
    """Content of a source, before comparison with the catalog."""

    X: NDArray[np.float64]  # shape (n_rows, n_features)
    labels: NDArray[np.str_]
    #: The label column, if it has a name, and all others but split, in their order.
    columns: tuple[Column, ...]
    in_test: NDArray[np.bool_] | None  # division declared by the source

    @property
    def features(self) -> tuple[Column, ...]:
        """Columns of ``X``."""
        return tuple(column for column in self.columns if column.is_feature)

    @property
    def n_train(self) -> int | None:
        """Number of training rows; None if the source declares no division."""
        return None if self.in_test is None else int(np.sum(~self.in_test))


def numbers(names: Sequence[str]) -> tuple[Column, ...]:
    """Return columns of numbers with these names."""
    return tuple(Column(name, "number") for name in names)


def find_name(wanted: str, names: Sequence[str], where: str) -> str:
    """Return the column with a name, or the only one with this name in another case; or "".

    Raises
    ------
    DataError
        If several columns have this name in another case.
    """
    wanted = clean(wanted)
    if wanted in names:
        return wanted
    same = [name for name in names if name.casefold() == wanted.casefold()]
    if len(same) > 1:
        raise DataError(f"{wanted!r} may be any of the columns {', '.join(same)}", where=where)
    return same[0] if same else ""


def find_target(columns: Sequence[str], entry: DatasetEntry, where: str) -> str:
    """Return the name of the label column.

    Raises
    ------
    DataError
        If there is no label column.
    """
    wanted = (entry.target,) if entry.target else ("target", "class")
    for name in wanted:
        if found := find_name(name, columns, where):
            return found
    shown = ", ".join(columns[:8]) + (", ..." if len(columns) > 8 else "")
    hint = "" if entry.target else "; name another one with --target, or 'target' in a description"
    if len(columns) == 1:
        hint = "; are they separated by commas, semicolons, tabs or '|'?"
    raise DataError(
        f"there is no column {wanted[0]!r} for the labels; the columns are: {shown}{hint}",
        where=where,
    )


def declared_types(entry: DatasetEntry, names: Sequence[str], where: str) -> dict[str, Declared]:
    """Return the types that the entry gives to columns, by the names in the file.

    Columns to drop have the type ``dropped``. Of a set with downloads, which have other columns
    than the file, it may be a column that the file lacks.

    Raises
    ------
    UnknownNameError
        If the file has no such column.
    """
    declared: dict[str, Declared] = {}
    for name, kind in (*entry.types.items(), *((name, "dropped") for name in entry.drop)):
        if found := find_name(name, names, where):
            declared[found] = kind
        elif kind != "dropped" or not (entry.packages or entry.openml_id or entry.libsvm):
            raise UnknownNameError("column", name, names, where=entry.where or where)
    return declared


def parse_frame(
    frame: pd.DataFrame,
    entry: DatasetEntry,
    path: str,
    place: RowPlace,
    kinds: Mapping[str, Declared] | None = None,
    *,
    is_plain: bool = True,
) -> Parsed:
    """Convert a data frame to numbers.

    Parameters
    ----------
    frame : DataFrame
        Table with distinct, clean column names.
    entry : DatasetEntry
    path : str
        File, for messages.
    place : callable
        Function that returns ``file:line`` of a row.
    kinds : mapping of str to Declared, default=None
        What the file declares of its columns; the entry precedes it.
    is_plain : bool, default=True
        See `read_column`.

    Raises
    ------
    DataError
        If there is no label column, row or feature column, a label is missing, a ``split`` cell is
        neither ``train`` nor ``test``, a number is infinite, a column cannot be read, or more
        columns hold text than the catalog allows.
    """
    names = list(frame.columns)
    target = find_target(names, entry, path)
    if len(frame) == 0:
        raise DataError("there is a header but no data row", where=path)
    asked = declared_types(entry, names, path)
    declared = {**(kinds or {}), **asked}
    dropped = [name for name, kind in asked.items() if kind == "dropped"]
    if asked.get(target, "category") != "category":
        what = f"column {target!r} holds the labels, so it cannot be dropped; its type is category"
        raise DataError(what, where=entry.where or path)
    split = find_name("split", [name for name in names if name not in (target, *dropped)], path)
    kinds = {n: declared.get(n, "") for n in names if n not in (target, split)}
    if entry.n_categorical == 0:  # numbers that a file declares categories
        kinds = {name: kind if isinstance(kind, str) else "" for name, kind in kinds.items()}
    out = [name for name, kind in kinds.items() if kind in ("dropped", "id")]
    X = np.empty((len(frame), len(kinds) - len(out)))
    labels = parse_labels(frame[target], place, declared.get(target, ""))
    classes = np.unique(labels)
    is_folded = len({label.casefold() for label in classes.tolist()}) < len(classes)
    note = "some labels differ only in case" if is_folded else ""
    columns, refused = [Column(target, "label", note=note)], []
    free = iter(X.T)
    for name, kind in kinds.items():
        if name in out:
            columns.append(Column(name, "dropped" if kind == "dropped" else "id"))
            continue
        strict = entry.n_categorical is None
        try:
            read = read_column(frame[name], place, kind, is_plain=is_plain, strict=strict)
            next(free)[:], column = read
            columns.append(column)
        except DataError as error:
            refused.append(str(error))
    if refused:
        more = len(refused) - _MOST_REFUSED
        refused[_MOST_REFUSED:] = [f"{path}: {more} more columns are refused"] if more > 0 else []
        raise DataError("\n".join(refused))
    features = [column for column in columns if column.is_feature]
    if not features:
        raise DataError(f"there is no feature column besides {target!r}", where=path)
    texts = [column for column in features if column.values is not None]
    allowed = entry.n_categorical
    if allowed is not None and len(texts) > allowed:
        suspect = max(texts, key=lambda column: len(column.values or ()))
        expected = "only numbers" if allowed == 0 else f"text in at most {allowed} columns"
        reason = f"the catalog expects {expected} for {entry.name!r} ({entry.where})"
        refuse_text(frame[suspect.name], place, reason)
    check_numbers(X, [column.name for column in features], place)
    return Parsed(
        X=X,
        labels=labels,
        columns=tuple(columns),
        in_test=_parse_split(frame[split], place) if split else None,
    )


def check_size(n_rows: int, n_columns: int, where: str) -> None:
    """Check the size of a table before its allocation.

    Raises
    ------
    DataError
        If the table needs more than `LARGEST_TABLE` bytes.
    """
    n_bytes = 8 * n_rows * n_columns
    if n_bytes > LARGEST_TABLE:
        raise DataError(
            f"{n_rows} rows of {n_columns} columns need {n_bytes / 2**30:.3g} GiB as a table of "
            f"numbers; at most {LARGEST_TABLE / 2**30:g} GiB are taken",
            where=where,
        )


def check_numbers(X: NDArray[np.float64], names: Sequence[str], place: RowPlace) -> None:
    """Check that no value is infinite.

    Raises
    ------
    DataError
        If a value is infinite; the message holds the row and column of the first one.
    """
    infinite = np.isinf(X)
    if infinite.any():
        row, j = np.argwhere(infinite)[0]
        raise DataError(
            f"column {names[j]!r} holds {X[row, j]:g}; a value must be a finite number "
            "(leave the cell empty if it is missing)",
            where=place(int(row)),
        )


def refuse_text(column: pd.Series, place: RowPlace, reason: str) -> None:
    """Raise DataError at the first cell of a column that is not a number, with the reason."""
    cells = Texts.of(column, place)
    word, where = cells.first(~cells.missing & [not is_number(t) for t in cells.texts.tolist()])
    what = f"column {cells.name!r} holds {word!r}, which is not a number"
    raise DataError(f"{what}; {reason}", where=where)


def is_number(text: str) -> bool:
    """Return whether a cell is a number, including ``inf``, which `check_numbers` reports."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def parse_labels(column: pd.Series, place: RowPlace, declared: Declared = "") -> NDArray[np.str_]:
    """Return the labels of a column as text; raise DataError if one is missing."""
    cells = Texts.of(column, place, declared, alike=True)
    word, where = cells.first(cells.missing)
    if where:
        how = how_to_declare(cells.name, "category")
        hint = f"; if {word!r} is a class, declare the column: {how}" if word else ""
        found = f": it is {word!r}" if word else ""
        raise DataError(
            f"the label (column {cells.name!r}) is missing{found}; every row needs one{hint}",
            where=where,
        )
    cells.check_declared()
    return cells.texts[cells.index]


def _parse_split(column: pd.Series, place: RowPlace) -> NDArray[np.bool_]:
    cells = Texts.of(column, place)
    lower = np.char.lower(cells.texts)
    word, where = cells.first(~np.isin(lower, ("train", "test")))
    if where:
        found = f"holds {word!r}" if word else "is empty"
        what = "it must be 'train' or 'test', or the column needs another name"
        raise DataError(f"column 'split' {found}; {what}", where=where)
    return np.asarray(lower == "test", dtype=bool)[cells.index]


def clean_names(names: Sequence[object], kind: str, where: str) -> list[str]:
    """Return column names in the form that identifies them; an empty one is numbered.

    Raises
    ------
    DataError
        If two columns have the same name.
    """
    cleaned = [clean(name) or f"column {number}" for number, name in enumerate(names, start=1)]
    name, count = Counter(cleaned).most_common(1)[0]
    if count > 1:
        what = f"{kind} {name!r} occurs twice in the header; names must differ"
        raise DataError(what, where=where)
    return cleaned
