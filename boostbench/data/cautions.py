"""Remarks on a data set that make errors too low or too uncertain: leaks, copies, rare classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from boostbench.data.dataset import Dataset
from boostbench.errors import BoostbenchError

_SHOWN = 3  # rare classes in the remarks
#: Smallest share of copies of rows that is remarked on.
_MANY_COPIES = 0.01


def leaks_of(dataset: Dataset) -> list[str]:
    """Return the features that alone give the label of all rows, but for classes of few rows.

    In the order of its values, with missing ones last, the rows of each class stand together.
    """
    is_told = np.bincount(dataset.y)[dataset.y] >= 10  # fewer rows may stand together by chance
    classes = pd.DataFrame(dataset.X[is_told]).fillna(np.inf).groupby(dataset.y[is_told])
    low, high = np.sort(classes.min(), axis=0), np.sort(classes.max(), axis=0)
    is_apart = (high[:-1] < low[1:]).all(axis=0)
    return [*np.array(dataset.feature_names)[is_apart]] if len(low) > 1 else []


def cautions(dataset: Dataset, folds: int) -> Iterator[str]:
    """Yield remarks on classes with fewer samples than folds, at most four, and on copies of rows.

    Raises
    ------
    BoostbenchError
        If no two classes have two rows.
    """
    counts = np.bincount(dataset.y, minlength=dataset.n_classes)
    if (counts > 1).sum() < 2:
        raise BoostbenchError("fewer than two labels occur twice; name another column by --target")
    rare = np.flatnonzero(counts < folds).tolist()
    for name, count in ((dataset.classes[k], counts[k]) for k in rare[:_SHOWN]):
        if count == 1:
            yield f"class {name!r} has one row: when it is tested, it has not been learnt"
        else:
            without = f"{folds - count} of {folds} folds test none of it"
            yield f"class {name!r} has {count} rows: {without}; --folds {count} tests it in each"
    if len(rare) > _SHOWN:
        yield f"classes with fewer rows than folds: {len(rare) - _SHOWN} more"
    rows = pd.DataFrame(dataset.X, copy=False).assign(label=dataset.y)
    n = int(pd.util.hash_pandas_object(rows, index=False).duplicated().sum())
    if n >= _MANY_COPIES * dataset.n_rows:
        yield f"{n} of {dataset.n_rows} rows repeat another, label included: errors may be too low"
