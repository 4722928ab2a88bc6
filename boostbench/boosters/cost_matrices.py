"""Costs c(x, y, z) of predicting z for a sample x with label y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def label_costs(cost: str | ArrayLike, n_classes: int) -> NDArray[np.float64]:
    """Return the cost matrix, with a row per true class and a column per predicted class.

    ``cost`` is ``"zero-one"``, ``"ordinal"`` (distance of the class indices, divided by K - 1) or
    a matrix with finite, non-negative entries.
    """
    if not isinstance(cost, str):
        return _checked(cost, (n_classes, n_classes), "a row per true class, a column per answer")
    distance = np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes)))
    named = {"zero-one": np.minimum(distance, 1.0), "ordinal": distance / (n_classes - 1.0)}
    if cost not in named:
        known = ", ".join(map(repr, named))
        raise ValueError(f"cost: unknown name {cost!r}; known are {known}, or give a matrix")
    return named[cost]


def sample_costs(
    cost: ArrayLike | Callable[..., ArrayLike],
    X: NDArray[np.float64],
    y: NDArray[Any],
    n_classes: int,
) -> NDArray[np.float64]:
    """Return the cost of every class for each sample, shape (n_samples, n_classes).

    ``cost`` is the array itself, or a function of X and the class labels that returns the array.
    """
    rows = cost(X, y) if callable(cost) else cost
    return _checked(rows, (X.shape[0], n_classes), "a row per sample, a column per answer")


def normalised(costs: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return costs divided by the largest range of a row, and that range, which must not be 0.

    Examples
    --------
    >>> normalised(np.array([[0.0, 4.0], [1.0, 1.0]]))
    (array([[0.  , 1.  ],
           [0.25, 0.25]]), 4.0)
    """
    scale = float((costs.max(axis=1) - costs.min(axis=1)).max())
    if scale == 0.0:
        raise ValueError("cost: all answers cost the same; some entry of a row must differ")
    return costs / scale, scale


def _checked(cost: ArrayLike, shape: tuple[int, int], meaning: str) -> NDArray[np.float64]:
    array = np.asarray(cost, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(
            f"cost: found an array of shape {array.shape}; it must be {shape}: {meaning}"
        )
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError("cost: entries must be finite and not negative")
    return array
