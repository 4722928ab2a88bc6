"""Data sets in memory: numeric features, labels 0..K-1, and imputation of missing values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.data.columns import Column, clean, fold_booleans, in_order, number_of
from boostbench.data.tables import check_size
from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.registry import boosters


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features and labels of a data set, with their origin.

    Attributes
    ----------
    name : str
        Name in the catalog.
    X : ndarray of float64, shape (n_rows, n_features)
        Unscaled values, NaN if missing. A categorical column holds codes 0, 1, ... of its values
        in sorted order.
    y : ndarray of int64, shape (n_rows,)
        Class indices, 0..K-1.
    classes : tuple of str
        The K labels of the source, in numeric order if all are numbers, else in text order.
    feature_names : tuple of str
    categorical : ndarray of bool, shape (n_features,)
        True for categorical columns.
    official : tuple of two ndarrays of int64, or None
        Rows of the official training and test part, in official order.
    citation : str
    source : str
        Origin of the rows: a file, a package, or a generator with its parameters.
    extras : mapping
        Further numbers drawn by a generator, e.g. ``{"beta": 0.13}`` of ``madelon``.
    checksum : str
        See `boostbench.data.loading.Located`; computed from the bytes that were read.
    columns : tuple of Column
        What each column of a file became, columns that are left out included.
    encode, missing : str or float
        Encoding of categories, and rule for missing values, as given to `load`.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    classes: tuple[str, ...]
    feature_names: tuple[str, ...]
    categorical: NDArray[np.bool_]
    official: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    citation: str = ""
    source: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""
    columns: tuple[Column, ...] = ()
    encode: str = "ordinal"
    missing: str | float = "keep"

    @classmethod
    def from_arrays(
        cls,
        name: str,
        X: NDArray[np.float64],
        labels: Sequence[Any] | NDArray[Any],
        *,
        n_train: int | None = None,
        feature_names: Sequence[str] = (),
        source: str = "",
        extras: Mapping[str, Any] | None = None,
    ) -> Dataset:
        """Return a data set with numeric columns only.

        Parameters
        ----------
        name : str
        X : array of shape (n_rows, n_features)
        labels : array-like of shape (n_rows,)
            Labels of any type, converted to text.
        n_train : int, default=None
            Number of first rows that form the official training part; the other rows form the test
            part. If None or equal to the number of rows, there is no official split.
        feature_names : sequence of str, default=()
            Empty: x1, x2, ...
        source : str, default=""
        extras : mapping, default=None

        Examples
        --------
        >>> import numpy as np
        >>> data = Dataset.from_arrays("toy", np.eye(3), [10, 9, 10], n_train=2)
        >>> data.classes, data.y.tolist(), data.official[1].tolist()
        (('9', '10'), [1, 0, 1], [2])
        """
        y, classes = encode_labels([clean(label) for label in labels])
        if len(y) != len(X):
            raise BoostbenchError(f"{len(X)} rows have {len(y)} labels", where=name)
        rows = np.arange(len(y), dtype=np.int64)
        divided = n_train is not None and n_train < len(y)
        n_features = X.shape[1]
        return cls(
            name=name,
            X=np.ascontiguousarray(X, dtype=np.float64),
            y=y,
            classes=classes,
            feature_names=tuple(feature_names) or tuple(f"x{j + 1}" for j in range(n_features)),
            categorical=np.zeros(n_features, dtype=bool),
            official=(rows[:n_train], rows[n_train:]) if divided else None,
            source=source,
            extras=dict(extras or {}),
        )

    @property
    def n_rows(self) -> int:
        """Number of rows, training and test."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of columns of ``X``."""
        return len(self.feature_names)

    @property
    def n_classes(self) -> int:
        """Number of classes, K."""
        return len(self.classes)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row: text, or numbers if all labels are numbers."""
        names: NDArray[Any] = np.array(self.classes)
        if all(number_of(name) is not None for name in self.classes):
            is_whole = all(name.lstrip("-").isdigit() for name in self.classes)
            names = np.array([int(n) if is_whole else float(n) for n in self.classes])
        return names[self.y]

    def pipeline(self, booster: Any) -> Any:
        """Return a new scikit-learn Pipeline from tables with these columns to labels.

        Its first step turns a table of raw cells into the numbers of `X`, to the bit.

        Parameters
        ----------
        booster : str or estimator
            A registered name such as ``"sm-boost"``, or a classifier.

        Returns
        -------
        pipeline : sklearn.pipeline.Pipeline
            With the steps ``"encoder"`` and ``"booster"``, not fitted.

        Examples
        --------
        >>> from boostbench import load_dataset
        >>> iris = load_dataset("iris")
        >>> model = iris.pipeline("samme").fit(iris.X, iris.labels)
        >>> model.predict(iris.X[:1]).tolist()
        ['setosa']
        """
        from sklearn.pipeline import Pipeline

        from boostbench.data.encoding import TableEncoder

        made = boosters.get(booster)() if isinstance(booster, str) else booster
        encoder = TableEncoder(self.columns or None, encode=self.encode, missing=self.missing)
        return Pipeline([("encoder", encoder), ("booster", made)])


def encode_labels(labels: Sequence[str]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return class indices and class names in sorted order.

    If all labels are numbers, they are compared as numbers, exactly: ``"1"``, ``"+1"`` and
    ``"1.0"`` are one class, named ``"1"``. Otherwise they are compared as text, as are all labels
    if one has a leading zero; ``true`` and ``false`` in several cases are two classes.

    Examples
    --------
    >>> y, classes = encode_labels(["10", "9", "10.0"])
    >>> y.tolist(), classes
    ([1, 0, 1], ('9', '10'))
    """
    texts, index = np.unique(np.asarray(labels, dtype=str), return_inverse=True)
    numbers = [number_of(text) for text in texts.tolist()]
    names: Sequence[str] = texts.tolist()
    if None not in numbers:
        names = [_plain(number) for number in numbers if number is not None]
    names = fold_booleans(names)
    classes = in_order(set(names))
    of_text = np.array([classes.index(name) for name in names], dtype=np.int64)
    return of_text[index], classes


def class_indices(names: Iterable[object], classes: Sequence[str]) -> list[int]:
    """Return the indices of classes named in a config, under ``class_weight``.

    Raises
    ------
    BoostbenchError
        If a name is of no class, or two are of the same class.
    """
    found: list[int] = []
    for name in names:
        _, (label,) = encode_labels([clean(name)])
        if label not in classes:
            raise UnknownNameError("class", str(name), classes, where="class_weight")
        if classes.index(label) in found:
            raise BoostbenchError(f"class {label!r} is named twice", where="class_weight")
        found.append(classes.index(label))
    return found


def _plain(number: Decimal) -> str:
    """Return a number as digits, without a plus sign and zeros at the end."""
    text = f"{abs(number) if number == 0 else number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def encoded(
    X: NDArray[np.float64], columns: Sequence[Column], encode: str
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return codes of categories as they are or as 0/1 columns, and the names of all columns.

    Parameters
    ----------
    X : ndarray of float64, shape (n_rows, n_features)
    columns : sequence of Column, length n_features
    encode : {"ordinal", "one-hot"}
        See `boostbench.data.loading.load`.

    Raises
    ------
    BoostbenchError
        If the encoding is unknown.
    """
    if encode not in ("ordinal", "one-hot"):
        what = f"unknown encoding {encode!r}; choose 'ordinal' or 'one-hot'"
        raise BoostbenchError(what, where="encode")
    if encode == "ordinal" or all(column.values is None for column in columns):
        return X, tuple(column.name for column in columns)
    made: list[NDArray[np.float64]] = []
    names: list[str] = []
    for column, cells in zip(columns, X.T, strict=True):
        if column.values is None:
            made.append(cells)
            names.append(column.name)
            continue
        gap = np.where(np.isnan(cells), np.nan, 0.0)
        n_columns = len(made) + len(column.values)
        check_size(len(X), n_columns, f"one-hot coding of column {column.name!r}")
        made.extend(gap + (cells == code) for code in range(len(column.values)))
        names.extend(f"{column.name}={value}" for value in column.values)
    return np.ascontiguousarray(np.column_stack(made)), tuple(names)


def impute(
    X: NDArray[np.float64],
    rule: str | float,
    *,
    categorical: NDArray[np.bool_] | None = None,
    fit_rows: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Return ``X`` with missing cells filled.

    Parameters
    ----------
    X : ndarray of float64, shape (n_rows, n_features)
        NaN is missing. Returned unchanged, not copied, if nothing is missing or filled.
    rule : {"keep", "median", "most-frequent"} or a number
        ``"keep"``: fill nothing. ``"median"``: the median of the column, or the most frequent code
        of a categorical column. ``"most-frequent"``: the most frequent value, the smallest of
        several. A number: this number. A column without values in the fitting rows is filled
        with 0.
    categorical : ndarray of bool, shape (n_features,), default=None
        None: no column is categorical.
    fit_rows : ndarray of int, default=None
        Rows from which the statistics are computed, normally the training rows. None: all rows.

    Raises
    ------
    BoostbenchError
        If the rule is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> impute(np.array([[1.0], [np.nan], [4.0], [9.0]]), "median").ravel().tolist()
    [1.0, 4.0, 4.0, 9.0]
    """
    known = X if fit_rows is None else X[fit_rows]
    is_missing = np.isnan(X)
    if rule == "keep" or not is_missing.any():
        typical_values(X[:0], rule)  # refuses an unknown rule
        return X
    return np.where(is_missing, typical_values(known, rule, categorical), X)


def typical_values(
    X: NDArray[np.float64], rule: str | float, categorical: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return the value of each column for missing cells, by a rule of `impute`.

    Raises
    ------
    BoostbenchError
        If the rule is unknown.
    """
    if isinstance(rule, (int, float)) and not isinstance(rule, bool):
        return np.full(X.shape[1], float(rule))
    if rule not in ("keep", "median", "most-frequent"):
        raise BoostbenchError(
            f"unknown rule {rule!r}; choose 'keep', 'median', 'most-frequent' or a number",
            where="missing",
        )
    values = np.full(X.shape[1], np.nan)
    for j in range(X.shape[1]) if rule != "keep" else ():
        known = X[~np.isnan(X[:, j]), j]
        if rule == "median" and (categorical is None or not categorical[j]):
            values[j] = np.median(known) if known.size else 0.0
        else:
            distinct, counts = np.unique(known, return_counts=True)
            values[j] = distinct[np.argmax(counts)] if known.size else 0.0
    return values
