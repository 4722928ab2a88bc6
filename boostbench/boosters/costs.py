"""Cost functions c(x, y, z): what answering z costs on a sample of label y."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["cost_rows"]

NAMED_COSTS: dict[str, Callable[[int], NDArray[np.float64]]] = {
    "zero-one": lambda n_classes: 1.0 - np.eye(n_classes),
    "ordinal": lambda n_classes: (
        np.abs(np.subtract.outer(np.arange(n_classes), np.arange(n_classes))) / (n_classes - 1.0)
    ),
}


def cost_rows(
    cost: str | ArrayLike, y: NDArray[np.int32], n_classes: int
) -> tuple[NDArray[np.float64], float]:
    """Return the costs of every row and the range they were divided by.

    Parameters
    ----------
    cost : str or array-like of shape (n_classes, n_classes)
        ``"zero-one"``, ``"ordinal"`` (distance of the class indices), or a matrix with a row per
        true class and a column per answer, not negative.
    y : ndarray of int32, shape (n,)
        Labels 0..n_classes-1.
    n_classes : int

    Returns
    -------
    rows : ndarray of float64, shape (n, n_classes)
        Costs divided by the largest range of a row, so that differences within a row are at most 1.
    scale : float
        That range.

    Raises
    ------
    ValueError
        If the name is unknown, the matrix has another shape, a negative or infinite entry, or all
        answers cost the same.
    """
    matrix = _cost_matrix(cost, n_classes)
    scale = float((matrix.max(axis=1) - matrix.min(axis=1))[np.unique(y)].max())
    if scale == 0.0:
        raise ValueError("cost: all answers cost the same; some entry of a row must differ")
    return (matrix / scale)[y], scale


def _cost_matrix(cost: Any, n_classes: int) -> NDArray[np.float64]:
    if isinstance(cost, str):
        if cost not in NAMED_COSTS:
            known = ", ".join(repr(name) for name in NAMED_COSTS)
            raise ValueError(f"cost: unknown name {cost!r}; known are {known}, or give a matrix")
        return NAMED_COSTS[cost](n_classes)
    matrix = np.asarray(cost, dtype=np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost: found an array of shape {matrix.shape}; the data have {n_classes} classes, "
            f"so it must be ({n_classes}, {n_classes}): rows true class, columns answer"
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ValueError("cost: entries must be finite and not negative")
    return matrix
