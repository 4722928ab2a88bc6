"""From a table of cells to numbers: what every file format has in common.

Rules: the label column is the catalog's ``target``, else ``target``, else ``class``; a column
called ``split`` divides training from test rows; a column with any non-numeric cell is categorical
and gets the codes 0, 1, ... of its values in sorted order; the cells in `MISSING` are missing.
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

#: Beginning of the name of a column of folds; the number of the repetition follows.
FOLD = "fold:"

#: Bytes of the largest table of numbers.
LARGEST_TABLE = 2**32

#: Gives ``file:line`` (or ``file: row n``) of a row, counted from 0.
RowPlace = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Parsed:
    """The content of a source, before it is checked against the catalog."""

    X: NDArray[np.float64]  # a row per sample, a column per feature
    labels: NDArray[np.str_]
    feature_names: tuple[str, ...]
    #: Per feature the sorted values that the codes stand for, or None for a numeric column.
    categories: tuple[tuple[str, ...] | None, ...]
    in_test: NDArray[np.bool_] | None  # the division the source itself declares
    #: The fold of each row that the source declares, one row a repetition.
    folds: NDArray[np.int64] | None = None

    @property
    def n_train(self) -> int | None:
        """Number of training rows, if the source declares a division."""
        return None if self.in_test is None else int(np.sum(~self.in_test))


def is_number(text: str) -> bool:
    """Tell whether a cell reads as a number; ``inf`` does, for its own complaint."""
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
        If there is none.
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
    """Turn a data frame into numbers.

    Parameters
    ----------
    frame : DataFrame
        Distinct, stripped column names.
    entry : DatasetEntry
    path : str
        For messages about the whole file.
    place : callable
        ``file:line`` of a row.
    numeric : sequence of str, default=()
        Columns that the file declares as numbers.

    Raises
    ------
    DataError
        If the label column, a label or all features are missing, a ``split`` cell is neither
        ``train`` nor ``test``, a number is infinite, or more columns hold text than the catalog
        allows.
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
    """Return fold numbers: all of 0, 1, ... up to the largest."""
    ids, _, share = _parse_column(column)
    found = np.unique(ids)
    if share < 1 or len(found) < 2 or not np.array_equal(found, np.arange(len(found))):
        raise DataError(f"column {column.name!r} must hold the folds 0, 1, ...", where=path)
    return ids.astype(np.int64)


def check_size(n_rows: int, n_columns: int, where: str) -> None:
    """Refuse a table that does not fit into `LARGEST_TABLE` bytes.

    Raises
    ------
    DataError
        Before anything is allocated.
    """
    n_bytes = 8 * n_rows * n_columns
    if n_bytes > LARGEST_TABLE:
        raise DataError(
            f"{n_rows} rows of {n_columns} columns need {n_bytes / 2**30:.3g} GiB as a table of "
            f"numbers; at most {LARGEST_TABLE / 2**30:g} GiB are taken",
            where=where,
        )


def check_numbers(X: NDArray[np.float64], names: Sequence[str], place: RowPlace) -> None:
    """Refuse infinite values.

    Raises
    ------
    DataError
        Naming row and column of the first one.
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
    """Return numbers, the categories (None for a numeric column) and the share of numeric cells."""
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
    """Return per row an index into the distinct cells, stripped; a missing cell is ``""``."""
    import pandas as pd

    codes, distinct = pd.factorize(column)
    return codes, np.array([*(str(cell).strip() for cell in distinct), ""], dtype=str)


def _texts(column: pd.Series) -> NDArray[np.str_]:
    codes, texts = _factorize(column)
    return texts[codes]


def _refuse_text(column: pd.Series, place: RowPlace, reason: str) -> None:
    """Name the first cell of a column that is no number."""
    texts = _texts(column)
    row = next(i for i, text in enumerate(texts) if text not in MISSING and not is_number(text))
    what = f"column {column.name!r} holds {str(texts[row])!r}, which is not a number"
    raise DataError(f"{what}; {reason}", where=place(row))


def parse_labels(column: pd.Series, place: RowPlace) -> NDArray[np.str_]:
    """Return the labels of a column as text; DataError if one is missing."""
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
