"""Columns of frames that are no numbers: categories become ordinal codes.

The convention is that of scikit-learn's histogram gradient boosting: columns of a categorical dtype
of pandas, polars or pyarrow are categories. The codes of a column are 0, 1, ... in the order of an
ordered dtype, and in alphabetical order otherwise. A missing value, and one that the training
samples have not, is missing (NaN).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

#: Beginnings of the names of dtypes of text and of categories.
_WORDS = re.compile(r"cat|enum|dict|obj|str(?!uct)|large_str|utf8", re.IGNORECASE)
_TIMES = re.compile(r"date|time|duration|period", re.IGNORECASE)


def with_words(X: Any) -> Any:
    """Return a frame of pandas if X is a frame with text or categories, else None.

    Raises
    ------
    ValueError
        If a column holds dates, times or durations.
    """
    schema = getattr(X, "schema", None)
    dtypes = [*map(str, getattr(X, "dtypes", getattr(schema, "types", ())))]
    for name, dtype in zip(getattr(X, "column_names", X.columns), dtypes, strict=False):
        if _TIMES.match(dtype):
            raise ValueError(f"column {name!r} holds {dtype} values; make it numbers, such as days")
    if not any(map(_WORDS.match, dtypes)):
        return None
    return X if hasattr(X, "iloc") else X.to_pandas()


def categories_of(frame: Any) -> dict[str, list[Any]]:
    """Return the categories of each categorical column of a frame, in the order of their codes."""
    found = {}
    for name in frame.columns:
        if str(frame[name].dtype) == "category":
            known = frame[name].cat
            values = known.categories.tolist()
            found[name] = values if known.ordered else sorted(values, key=str)
    return found


def coded(frame: Any, categories: dict[str, list[Any]]) -> Any:
    """Return a frame with codes in place of categories.

    Raises
    ------
    ValueError
        If another column holds text.
    """
    result = frame.copy(deep=False)
    for name in frame.columns:
        if name in categories:
            codes = {value: float(code) for code, value in enumerate(categories[name])}
            result[name] = [codes.get(value, np.nan) for value in frame[name].astype(object)]
        elif _WORDS.match(str(frame[name].dtype)):
            raise ValueError(
                f"column {name!r} holds {frame[name].dtype} values; make it a category, as by "
                f"X.astype({{{name!r}: 'category'}}), or numbers"
            )
    return result
