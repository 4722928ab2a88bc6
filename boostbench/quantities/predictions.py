"""Predictions in the form that metrics take: confusion matrices, probabilities of all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def confusion_matrix(y: Labels, predicted: Labels, n_classes: int) -> NDArray[np.int64]:
    """Return the number of samples by class (row) and predicted class (column).

    Raises
    ------
    BoostbenchError
        If a prediction is not a class.

    Examples
    --------
    >>> confusion_matrix(np.array([0, 1, 1]), np.array([0, 0, 1]), 2).tolist()
    [[1, 0], [1, 1]]
    """
    others = predicted[(predicted < 0) | (predicted >= n_classes)]
    if len(others):
        raise BoostbenchError(f"the booster predicts {others[0]}, no class of 0..{n_classes - 1}")
    cells = y * n_classes + predicted
    counts = np.bincount(cells.astype(np.int64), minlength=n_classes**2)
    return np.asarray(counts.reshape(n_classes, n_classes), dtype=np.int64)


def probabilities_of(booster: Any, P: Floats, n_classes: int) -> Floats:
    """Return probabilities of all classes, with 0 for classes absent from the training labels."""
    whole = np.zeros((len(P), n_classes))
    whole[:, booster.classes_] = P
    return whole
