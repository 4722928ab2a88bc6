"""Scores of the test samples at the checkpoints, with their labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import quantity


@quantity(
    "scores",
    words="scores of the test samples",
    needs="scores",
    kept="checkpoints",
    asked=("record", "scores"),
    type=list[list[float | None]],
)
def scores(F: NDArray[np.float64], y: NDArray[np.int64]) -> list[list[float | None]]:
    """Return the scores of all classes, to six significant digits; None for those not finite."""
    rounded = ((float(f"{score:.6g}") for score in row) for row in F.tolist())
    return [[score if np.isfinite(score) else None for score in row] for row in rounded]


@quantity(
    "labels",
    words="labels of the test samples",
    needs="test labels",
    kept="once",
    asked=("record", "scores"),
    type=list[int],
)
def labels(y: NDArray[np.int64]) -> list[int]:
    """Return the labels of the test samples."""
    found: list[int] = y.tolist()
    return found
