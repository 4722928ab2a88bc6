"""Metrics of a fitted booster on the test samples after each round."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.running.curves import Labels, is_kept, staged_labels
from boostbench.metrics import (
    CONFUSION,
    MEASURES,
    SIZE,
    Floats,
    confusion_matrix,
    curve_of,
    probabilities_of,
)


def measure(
    booster: Any,
    X: NDArray[np.float64],
    y: Labels,
    n_classes: int,
    *,
    metrics: Sequence[str],
    rounds: int,
    checkpoints: Sequence[int],
) -> dict[str, Any]:
    """Compute the metrics of a run.

    Metrics of probabilities are left out if the booster has no ``predict_proba``, and available
    for the last round only if it has no ``staged_predict_proba``.

    Parameters
    ----------
    booster : classifier
        Fitted.
    X : ndarray of float64, shape (n_test, d)
    y : ndarray of int64, shape (n_test,)
    n_classes : int
    metrics : sequence of str
        Keys of `MEASURES`, ``confusion`` or ``model_size``.
    rounds : int
        Maximum number of rounds.
    checkpoints : sequence of int
        Rounds whose confusion matrix is kept, in addition to 1, 2, 5, 10, ... (see `is_kept`).

    Returns
    -------
    found : dict
        ``curves``: by name, one entry per round; ``confusion``: matrices by round; ``model_size``:
        size of the pickled booster in bytes, if it can be pickled.
    """
    by_labels, by_probabilities = (
        [name for name in metrics if name in MEASURES and MEASURES[name].needs == needs]
        for needs in ("labels", "probabilities")
    )
    found: dict[str, Any] = {}
    curves: dict[str, list[float | None]] = {name: [] for name in (*by_labels, *by_probabilities)}
    if by_labels or CONFUSION in metrics:
        matrices = (confusion_matrix(y, p, n_classes) for p in staged_labels(booster, X, rounds))
        kept: dict[str, Any] = {}
        t, matrix = 0, None
        for t, matrix in enumerate(matrices, start=1):
            for name in by_labels:
                curves[name].append(MEASURES[name].of(matrix))
            if is_kept(t, checkpoints):
                kept[str(t)] = matrix.tolist()
        if CONFUSION in metrics:
            found[CONFUSION] = kept if matrix is None else {**kept, str(t): matrix.tolist()}
    if by_probabilities:
        for P in staged_probabilities(booster, X):
            whole = None if P is None else probabilities_of(booster, P, n_classes)
            for name in by_probabilities:
                value = math.nan if whole is None else MEASURES[name].of(whole, y)
                curves[name].append(value if math.isfinite(value) else None)
    if SIZE in metrics:
        with suppress(Exception):  # not every booster can be pickled
            found[SIZE] = len(pickle.dumps(booster, protocol=5))
    found["curves"] = {curve_of(name): curve for name, curve in curves.items() if curve}
    return found


def staged_probabilities(booster: Any, X: NDArray[np.float64]) -> Iterator[Floats | None]:
    """Yield the probabilities after each round; None where only the last ones are available."""
    if hasattr(booster, "staged_predict_proba"):
        yield from booster.staged_predict_proba(X)
    elif hasattr(booster, "predict_proba"):
        n_rounds = _count(booster.staged_predict(X))
        yield from [None] * (n_rounds - 1)
        if n_rounds:
            yield booster.predict_proba(X)


def _count(stages: Iterable[Any]) -> int:
    return sum(1 for _ in stages)
