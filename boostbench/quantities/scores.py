"""Scores of the test samples, with their labels, and margins of the training samples."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import quantity

_N_QUANTILES = 101


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
    return [[score if math.isfinite(score) else None for score in row] for row in rounded]


@quantity(
    "labels",
    words="labels of the test samples",
    needs="test part",
    kept="once",
    asked=("record", "scores"),
    type=list[int],
)
def labels(y: NDArray[np.int64]) -> list[int]:
    """Return the labels of the test samples."""
    found: list[int] = y.tolist()
    return found


@quantity(
    "margins",
    words="quantiles of the training margins",
    needs="training scores",
    kept="checkpoints",
    asked=("record", "margins"),
    type=list[float | None],
)
def margins(F: NDArray[np.float64], column: NDArray[np.int64]) -> list[float | None]:
    """Return 101 quantiles of the margins of training samples.

    The margin of a sample is the score of its label minus the best other score, divided by the
    largest difference of two scores of one sample in that round, so that it lies in [-1, 1].

    Parameters
    ----------
    F : ndarray of float64, shape (n, K)
        Scores.
    column : ndarray of int64, shape (n,)
        Column of the label of each sample.
    """
    rows = np.arange(len(column))
    others = F.copy()
    others[rows, column] = -np.inf
    margin = F[rows, column] - others.max(axis=1)
    spread = float((F.max(axis=1) - F.min(axis=1)).max())
    levels = np.linspace(0.0, 1.0, _N_QUANTILES)
    quantiles = np.quantile(margin / spread if spread > 0 else margin, levels)
    return [value if math.isfinite(value) else None for value in quantiles.tolist()]
