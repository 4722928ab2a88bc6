"""Splits of a data set into training and test rows.

A split is ``"official"`` or a mapping with one of these keys:

- ``official: true``: the division supplied with the data; ``otherwise: {...}`` is the split of data
  sets without one.
- ``holdout: 0.3``: a random share of the rows is the test part; ``stratify: true`` keeps class
  shares.
- ``shuffle: official-sizes``: a random division with the sizes of the official parts.
- ``folds: 4, fold: 0``: k-fold cross-validation; the given fold is the test part and the other
  folds are the training part. With ``validation: true`` the next fold is also left out of training,
  and with ``part: validation`` it replaces the test part.

Optional limits reduce the number of rows but keep class shares: ``max_rows`` applies to the data
set before the division, ``max_train`` and ``max_test`` to its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt, ValidationError, model_validator

from boostbench.data.dataset import Dataset
from boostbench.errors import BoostbenchError, DataError
from boostbench.source import show
from boostbench.validation import Model, first_mistake

Rows = NDArray[np.int64]

_WAYS = ("official", "holdout", "shuffle", "folds")
_DRAWS = 100


class Split(Model):
    """A validated split; see the module docstring for the fields."""

    official: Literal[True] | None = None
    otherwise: Split | None = None
    holdout: Annotated[float, Field(gt=0, lt=1)] | None = None
    shuffle: Literal["official-sizes"] | None = None
    folds: Annotated[int, Field(ge=2)] | None = None
    fold: Annotated[int, Field(ge=0)] = 0
    validation: bool = False
    part: Literal["test", "validation"] = "test"
    stratify: bool = False
    max_rows: PositiveInt | None = None
    max_train: PositiveInt | None = None
    max_test: PositiveInt | None = None

    @classmethod
    def written(cls, value: Any) -> Any:
        """Return the split as a mapping."""
        if value == "official":
            return {"official": True}
        if not isinstance(value, Mapping):
            what = "a split is 'official' or a mapping such as {holdout: 0.3}"
            raise ValueError(f"{what}, found {show(value)}")
        return dict(value)

    @model_validator(mode="after")
    def _one_way(self) -> Split:
        given = [way for way in _WAYS if getattr(self, way) is not None]
        found = f"{', '.join(_WAYS)}; found {' and '.join(given) or 'none'}"
        folds, is_validated = self.folds or 0, self.part == "validation"
        mistakes = {
            f"a split has exactly one of the keys {found}": len(given) != 1,
            f"fold {self.fold} of {folds}: folds are counted from 0": 0 < folds <= self.fold,
            "part: validation needs validation: true": is_validated and not self.validation,
            "validation: true needs folds: 3 or more": self.validation and folds < 3,
            "otherwise belongs to official: true": self.otherwise and not self.official,
            "max_rows does not apply to an official split; use max_train": self.max_rows
            and (self.official or self.shuffle),
        }
        for what in filter(mistakes.get, mistakes):
            raise ValueError(what)
        return self


def needs_official(spec: object) -> bool:
    """Return whether a split uses the official split, and gives no other in its absence."""
    wanted = parse_split(spec)
    return bool(wanted.official or wanted.shuffle) and wanted.otherwise is None


def parse_split(spec: object) -> Split:
    """Validate a split of a config.

    Parameters
    ----------
    spec : str, mapping or Split

    Raises
    ------
    BoostbenchError
        If the split is invalid.

    Examples
    --------
    >>> parse_split({"holdout": 0.3}).holdout
    0.3
    """
    try:
        return Split.model_validate(spec)
    except ValidationError as error:
        at, what = first_mistake(error)
        key = "" if what.startswith(("a ", "unknown ")) else "".join(f"{step} " for step in at)
        raise BoostbenchError(f"{key}{what}", where="split") from None


def split(dataset: Dataset, spec: object, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Divide the rows of a data set.

    A random division is drawn up to 100 times until the training part has two classes and the test
    part is not empty.

    Parameters
    ----------
    dataset : Dataset
    spec : str, mapping or Split
        See `parse_split`.
    rng : numpy Generator
        The state must not depend on ``fold`` or ``part``, so that separate calls for the folds of
        one partition agree.

    Returns
    -------
    train, test : ndarray of int64
        Disjoint row numbers without repetitions.

    Raises
    ------
    DataError
        If the data set lacks an official split or has too few rows or classes for the split.
    """
    wanted = parse_split(spec)
    if wanted.official and dataset.official is None and wanted.otherwise is not None:
        wanted = wanted.otherwise
    for _ in range(_DRAWS):
        train, test = _divide(dataset, wanted, rng)
        if wanted.max_train is not None:
            train = subsample(train, dataset.y, wanted.max_train, rng)
        if wanted.max_test is not None:
            test = subsample(test, dataset.y, wanted.max_test, rng)
        if len(test) and np.unique(dataset.y[train]).size > 1:
            return train, test
        if wanted.official or wanted.folds:
            break
    missing = "no test row" if not len(test) else "a training part of a single class"
    shown = wanted.model_dump(exclude_defaults=True)
    raise DataError(f"the split {shown} leaves {missing}", where=dataset.name)


def _divide(dataset: Dataset, wanted: Split, rng: np.random.Generator) -> tuple[Rows, Rows]:
    if wanted.official or wanted.shuffle:
        if dataset.official is None:
            raise DataError(
                f"{dataset.source or 'the source'} has no official split into training and test "
                "rows; use a split such as {holdout: 0.3}, or {official: true, otherwise: ...}",
                where=dataset.name,
            )
        train, test = dataset.official
        if wanted.official:
            return train.copy(), test.copy()
        pooled = rng.permutation(np.concatenate([train, test]))
        return pooled[: len(train)], pooled[len(train) :]
    rows = np.arange(dataset.n_rows, dtype=np.int64)
    if wanted.max_rows is not None:
        rows = subsample(rows, dataset.y, wanted.max_rows, rng)
    if wanted.folds is not None:
        return _by_folds(dataset, rows, wanted, rng)
    n_test = round(float(wanted.holdout or 0) * len(rows))
    if wanted.stratify:
        test = subsample(rng.permutation(rows), dataset.y, n_test, rng)
    else:
        test = rng.permutation(rows)[:n_test]
    return np.setdiff1d(rows, test), np.sort(test)


def _by_folds(
    dataset: Dataset, rows: Rows, wanted: Split, rng: np.random.Generator
) -> tuple[Rows, Rows]:
    folds = int(wanted.folds or 0)
    if folds > len(rows):
        raise DataError(f"{folds} folds of {len(rows)} rows", where=dataset.name)
    ids = fold_ids(len(rows), folds, rng, y=dataset.y[rows] if wanted.stratify else None)
    next_fold = (wanted.fold + 1) % folds
    left_out = {wanted.fold, next_fold} if wanted.validation else {wanted.fold}
    predicted = next_fold if wanted.part == "validation" else wanted.fold
    return rows[~np.isin(ids, list(left_out))], rows[ids == predicted]


def fold_ids(
    n_rows: int, folds: int, rng: np.random.Generator, y: NDArray[np.int64] | None = None
) -> Rows:
    """Assign each row to a random fold, with fold sizes that differ by at most one.

    Parameters
    ----------
    n_rows, folds : int
    rng : numpy Generator
    y : ndarray of int64, shape (n_rows,), default=None
        Labels. If given, each class is spread over the folds as evenly as possible.

    Returns
    -------
    ids : ndarray of int64, shape (n_rows,)
        Fold of each row, 0..folds-1.

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(fold_ids(10, 3, np.random.default_rng(0))).tolist()
    [4, 3, 3]
    """
    order = rng.permutation(n_rows)
    if y is not None:
        order = order[np.argsort(y[order], kind="stable")]
    ids = np.empty(n_rows, dtype=np.int64)
    ids[order] = np.arange(n_rows) % folds
    return ids


def subsample(rows: Rows, y: NDArray[np.int64], n: int, rng: np.random.Generator) -> Rows:
    """Draw ``n`` rows with unchanged class shares, in ascending order, or return all if fewer.

    Class sizes are rounded by largest remainder, so that they sum to ``n``.
    """
    if n >= len(rows):
        return rows
    labels = y[rows]
    counts = np.bincount(labels)
    shares = counts * (n / len(rows))
    wanted = np.floor(shares).astype(np.int64)
    largest_first = np.argsort(wanted - shares, kind="stable")
    wanted[largest_first[: n - int(wanted.sum())]] += 1
    shuffled = rng.permutation(len(rows))
    drawn = [shuffled[labels[shuffled] == k][:m] for k, m in enumerate(wanted)]
    return np.sort(rows[np.concatenate(drawn)])
