"""Encoding of tables as numbers, by a scikit-learn transformer that reads new rows alike."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from boostbench.data.columns import Column, RowPlace, clean, read_alike, read_column
from boostbench.data.dataset import encoded, typical_values
from boostbench.data.tables import check_numbers, clean_names, find_name, numbers
from boostbench.errors import DataError

_SHOWN = 3  # cells or names in a message
#: A table as numbers, shape (n_rows, n_columns), and a line for each category with unseen values.
Numbers = tuple[NDArray[np.float64], tuple[str, ...]]


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer from a table of raw cells to the numbers on which boosters are trained.

    Columns are found by their names, in any order; other columns are ignored. Numbers keep their
    values, dates become days since 1970-01-01, durations seconds, and categories codes 0, 1, ... of
    their values in sorted order, or one 0/1 column per value. A value of a category that the fit
    did not see counts as missing, with a warning.

    Parameters
    ----------
    columns : sequence of Column or None, default=None
        What the columns are, such as `Dataset.columns`. None: the cells decide (see
        ``docs/adding-a-data-set.md``).
    encode : {"ordinal", "one-hot"}, default="ordinal"
    missing : {"keep", "median", "most-frequent"} or float, default="keep"
        Rule for missing values, see `boostbench.data.dataset.impute`; ``"keep"`` leaves NaN.

    Attributes
    ----------
    columns_ : tuple of Column
        The features, as they are read.
    fill_ : ndarray of float64, shape (n_columns,)
        Values for missing cells.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Names of the features, if the fit had names.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"size": ["1,5", "2,0", ""], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.transform(frame[["colour", "size"]]).tolist()
    [[1.5, 1.0], [2.0, 0.0], [nan, 1.0]]
    >>> TableEncoder(encode="one-hot").fit(frame).get_feature_names_out().tolist()
    ['size', 'colour=blue', 'colour=red']
    """

    def __init__(
        self,
        columns: Sequence[Column] | None = None,
        *,
        encode: str = "ordinal",
        missing: str | float = "keep",
    ) -> None:
        self.columns = columns
        self.encode = encode
        self.missing = missing

    def fit(self, X: Any, y: ArrayLike | None = None) -> TableEncoder:
        """Learn the values of categories, and the values for missing cells.

        Parameters
        ----------
        X : DataFrame of pandas, polars or pyarrow, or array-like, shape (n_rows, n_columns)
        y : ignored
        """
        frame = self._frame(X, reset=True)
        features = self.columns or [read_column(frame[name], _row)[1] for name in frame]
        self.columns_ = tuple(column for column in features if column.is_feature)
        if hasattr(self, "feature_names_in_"):
            self.feature_names_in_ = np.array([each.name for each in self.columns_], dtype=object)
            self.n_features_in_ = len(self.columns_)
        matrix, _ = self._read(frame, _row)
        is_category = np.array([column.values is not None for column in self.columns_])
        encoded(matrix[:0], self.columns_, self.encode)  # refuses an unknown encoding
        self.fill_ = typical_values(matrix, self.missing, is_category)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the table as numbers, shape (n_rows, n_columns_out); warn of unseen values.

        Raises
        ------
        DataError
            If columns are missing, or cells are of another type than in the fit.
        """
        matrix, remarks = self.read(X)
        for remark in remarks:
            warnings.warn(remark, stacklevel=2)
        return matrix

    def read(self, X: Any, place: RowPlace | None = None) -> Numbers:
        """Return the table as numbers, and a line for each category with unseen values.

        Parameters
        ----------
        X : as for `transform`
        place : callable or None, default=None
            Function that returns ``file:line`` of a row, for messages.
        """
        check_is_fitted(self)
        matrix, remarks = self._read(self._frame(X), place or _row)
        matrix = np.where(np.isnan(matrix), self.fill_, matrix)
        return encoded(matrix, self.columns_, self.encode)[0], remarks

    def get_feature_names_out(self, input_features: Iterable[str] | None = None) -> NDArray[Any]:
        """Return the names of the columns of the result."""
        check_is_fitted(self)
        names = [column.name for column in self.columns_]
        if input_features is not None:
            names = _check_feature_names_in(self, input_features).tolist()
        columns = [replace(c, name=name) for c, name in zip(self.columns_, names, strict=True)]
        nothing = np.empty((0, len(columns)))
        return np.array(encoded(nothing, columns, self.encode)[1], dtype=object)

    def _frame(self, X: Any, *, reset: bool = False) -> pd.DataFrame:
        """Return a table with clean names of columns; those of an array are the fitted ones."""
        if not isinstance(X, pd.DataFrame) and hasattr(X, "to_pandas"):
            X = X.to_pandas()
        if isinstance(X, pd.DataFrame) and all(isinstance(name, str) for name in X.columns):
            if reset:
                validate_data(self, X, skip_check_array=True)
            if len(X) == 0 or X.shape[1] == 0:
                what = f"Found array with {len(X)} sample(s) and {X.shape[1]} feature(s)"
                raise DataError(f"{what} while a minimum of 1 is required.")
            for name, cells in X.items():
                if cells.dtype == object and cells.map(pd.api.types.is_list_like).any():
                    raise DataError(f"column {name!r} holds lists; a cell must be one value")
            return X.set_axis(clean_names([*X.columns], "column", ""), axis="columns")
        X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        known = self.columns if reset else self.columns_
        default = numbers([f"x{j}" for j in range(X.shape[1])])
        names = [column.name for column in known or default if column.is_feature]
        if len(names) != X.shape[1]:
            raise DataError(f"{X.shape[1]} columns without names found, {len(names)} expected")
        return pd.DataFrame({name: pd.Series(X[:, j]) for j, name in enumerate(names)})

    def _read(self, frame: pd.DataFrame, place: RowPlace) -> Numbers:
        names = [str(name) for name in frame.columns]
        matrix = np.empty((len(frame), len(self.columns_)))
        wrong, unseen = [], []
        for j, column in enumerate(self.columns_):
            name = find_name(column.name, names, "")
            if not name:
                wrong.append(f"column {column.name!r} is missing")
                continue
            cells = frame[name]
            matrix[:, j], odd = read_alike(cells, column)
            rows = np.flatnonzero(odd).tolist()
            if rows:
                words = list(dict.fromkeys(repr(clean(cells.iloc[row])) for row in rows))
                shown = ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")
                what = f"column {column.name!r} holds {shown} ({place(rows[0])}"
                what += f" and {len(rows) - 1} more)" if len(rows) > 1 else ")"
                if column.values is None:
                    form = f" as {column.form}" if column.form not in ("", "1,234.5") else ""
                    unit = f" in {column.unit}" if column.unit else ""
                    wrong.append(f"{what}; it must be a {column.kind}{form}{unit}, as in training")
                else:
                    unseen.append(f"{what}, not a value in training; it counts as missing")
        if wrong:
            raise DataError("\n".join(wrong))
        check_numbers(matrix, [column.name for column in self.columns_], place)
        return matrix, tuple(unseen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = replace(tags.input_tags, allow_nan=True, string=True, categorical=True)
        return tags


def _row(row: int) -> str:
    return f"row {row + 1}"
