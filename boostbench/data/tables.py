"""Conversion of tables of cells to numbers, for all file formats.

The label column is the ``target`` of the catalog entry, else ``target``, else ``class``. A column
``split`` divides training and test rows. A column with a non-numeric cell is categorical and gets
codes 0, 1, ... of its values in sorted order. The cells in `MISSING` are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from boostbench.data.catalog import DatasetEntry
from boostbench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("", "?", "NA", "NaN", "nan")
"""Cells that are read as missing."""

#: Prefix of the name of a fold column, followed by the number of the repetition.
FOLD = "fold:"

#: Maximum size of a table of numbers in bytes.
LARGEST_TABLE = 2**32

#: Function that returns ``file:line`` (or ``file: row n``) of a row, counted from 0.
RowPlace = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Parsed:
    """Content of a source, before comparison with the catalog."""

    X: NDArray[np.float64]  # shape (n_rows, n_features)
    labels: NDArray[np.str_]
    feature_names: tuple[str, ...]
    #: Sorted values of each categorical feature, indexed by code; None for a numeric feature.
    categories: tuple[tuple[str, ...] | None, ...]
    in_test: NDArray[np.bool_] | None  # division declared by the source
    #: Folds declared by the source, shape (n_repeats, n_rows).
    folds: NDArray[np.int64] | None = None

    @property
    def n_train(self) -> int | None:
        """Number of training rows; None if the source declares no division."""
        return None if self.in_test is None else int(np.sum(~self.in_test))


def is_number(text: str) -> bool:
    """Return whether a cell is a number, including ``inf``, which `check_numbers` reports."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def find_target(columns: Sequence[str], entry: DatasetEntry, where: str) -> str:
    """Return the name of the label column.

    Raises
    ------
    DataError
        If there is no label column.
    """
    folded = {column.casefold(): column for column in reversed(columns)}
    wanted = (entry.target,) if entry.target else ("target", "class")
    for name in wanted:
        if name.casefold() in folded:
            return folded[name.casefold()]
    shown = ", ".join(columns[:8]) + (", ..." if len(columns) > 8 else "")
    hint = "" if entry.target else "; name another one with --target, or 'target' in a description"
    hint = "; is the separator a comma?" if len(columns) == 1 else hint
    raise DataError(
        f"there is no column {wanted[0]!r} for the labels; the columns are: {shown}{hint}",
        where=where,
    )


def parse_frame(
    frame: pd.DataFrame,
    entry: DatasetEntry,
    path: str,
    place: RowPlace,
    numeric: Sequence[str] = (),
) -> Parsed:
    """Convert a data frame to numbers.

    Parameters
    ----------
    frame : DataFrame
        Table with distinct, stripped column names.
    entry : DatasetEntry
    path : str
        File, for messages.
    place : callable
        Function that returns ``file:line`` of a row.
    numeric : sequence of str, default=()
        Columns that the file declares numeric.

    Raises
    ------
    DataError
        If there is no label column, row or feature column, a label is missing, a ``split`` cell is
        neither ``train`` nor ``test``, a number is infinite, or more columns hold text than the
        catalog allows.
    """
    target = find_target(list(frame.columns), entry, path)
    if len(frame) == 0:
        raise DataError("there is a header but no data row", where=path)
    dropped = {column.casefold() for column in entry.drop}
    fold_columns = [name for name in frame.columns if entry.folds and name.startswith(FOLD)]
    dropped |= {column.casefold() for column in fold_columns}
    features = [
        column
        for column in frame.columns
        if column != target and column != "split" and column.casefold() not in dropped
    ]
    if not features:
        raise DataError(f"there is no feature column besides {target!r}", where=path)
    X = np.empty((len(frame), len(features)), dtype=np.float64)
    categories: list[tuple[str, ...] | None] = []
    numeric_share: dict[str, float] = {}
    for j, column in enumerate(features):
        X[:, j], values, share = _parse_column(frame[column])
        categories.append(values)
        if values is not None:
            numeric_share[column] = share
            if column in numeric:
                _refuse_text(frame[column], place, "the file declares it numeric")
    allowed = entry.n_categorical
    if allowed is not None and len(numeric_share) > allowed:
        suspect = max(numeric_share, key=lambda column: numeric_share[column])
        expected = "only numbers" if allowed == 0 else f"text in at most {allowed} columns"
        reason = f"the catalog expects {expected} for {entry.name!r} ({entry.where})"
        _refuse_text(frame[suspect], place, reason)
    check_numbers(X, features, place)
    return Parsed(
        X=X,
        labels=parse_labels(frame[target], place),
        feature_names=tuple(features),
        categories=tuple(categories),
        in_test=_parse_split(frame["split"], place) if "split" in frame.columns else None,
        folds=np.array([_parse_folds(frame[name], path) for name in fold_columns])
        if fold_columns
        else None,
    )


def _parse_folds(column: pd.Series, path: str) -> NDArray[np.int64]:
    """Return fold numbers, which must be 0, 1, ... without gaps."""
    ids, _, share = _parse_column(column)
    found = np.unique(ids)
    if share < 1 or len(found) < 2 or not np.array_equal(found, np.arange(len(found))):
        raise DataError(f"column {column.name!r} must hold the folds 0, 1, ...", where=path)
    return ids.astype(np.int64)


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


def _parse_column(
    column: pd.Series,
) -> tuple[NDArray[np.float64], tuple[str, ...] | None, float]:
    """Return numbers, categories (None if the column is numeric) and share of numeric cells."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column.to_numpy(np.float64, na_value=np.nan), None, 1.0
    codes, texts = _factorize(column)
    missing = np.isin(texts, MISSING)
    numeric = np.array([is_number(text) for text in texts], dtype=bool) & ~missing
    coded = np.full(len(texts), np.nan)
    if bool(np.all(numeric | missing)):
        coded[numeric] = [float(text) for text in texts[numeric]]
        return coded[codes], None, 1.0
    values, coded[~missing] = np.unique(texts[~missing], return_inverse=True)
    return coded[codes], tuple(str(value) for value in values), float(numeric[codes].mean())


def _factorize(column: pd.Series) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    """Return an index for each row, and the distinct stripped cells; ``""`` if missing."""
    import pandas as pd

    codes, distinct = pd.factorize(column)
    return codes, np.array([*(str(cell).strip() for cell in distinct), ""], dtype=str)


def _texts(column: pd.Series) -> NDArray[np.str_]:
    codes, texts = _factorize(column)
    return texts[codes]


def _refuse_text(column: pd.Series, place: RowPlace, reason: str) -> None:
    """Raise DataError at the first cell of a column that is not a number."""
    texts = _texts(column)
    row = next(i for i, text in enumerate(texts) if text not in MISSING and not is_number(text))
    what = f"column {column.name!r} holds {str(texts[row])!r}, which is not a number"
    raise DataError(f"{what}; {reason}", where=place(row))


def parse_labels(column: pd.Series, place: RowPlace) -> NDArray[np.str_]:
    """Return the labels of a column as text; raise DataError if one is missing."""
    texts = _texts(column)
    empty = np.flatnonzero(np.isin(texts, MISSING))
    if empty.size:
        raise DataError(
            f"the label (column {column.name!r}) is missing; every row needs one",
            where=place(int(empty[0])),
        )
    return texts


def _parse_split(column: pd.Series, place: RowPlace) -> NDArray[np.bool_]:
    texts = np.char.lower(_texts(column))
    wrong = np.flatnonzero((texts != "train") & (texts != "test"))
    if wrong.size:
        row = int(wrong[0])
        found = f"holds {str(texts[row])!r}" if texts[row] else "is empty"
        raise DataError(f"column 'split' {found}; it must be 'train' or 'test'", where=place(row))
    return np.asarray(texts == "test", dtype=bool)
