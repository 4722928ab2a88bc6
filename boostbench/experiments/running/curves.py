"""Predictions and scores of a booster after each round, checked."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError

Labels = NDArray[np.int64]


def weights_of_samples(info: Any) -> NDArray[np.float64]:
    """Return the weight of each training sample in the round that follows ``info``, a `RoundInfo`.

    Equal samples, which the booster merges into one row, share the weight of the row.
    """
    w = info.booster.weights(info.state)
    per_sample = w / np.bincount(info.row_of, minlength=len(w))
    return np.asarray(per_sample[info.row_of])


def takes_callback(booster: Any) -> bool:
    """Return whether ``booster.fit`` has the parameter ``on_round``."""
    return "on_round" in inspect.signature(booster.fit).parameters


def check_round(info: Any) -> None:
    """Raise BoostbenchError if a score of ``info``, a `RoundInfo`, is not finite."""
    _check_finite(info.scores, info.round)


def check_staged_scores(booster: Any, X: NDArray[np.float64]) -> None:
    """Raise BoostbenchError if a score of any round is not finite, if there are staged scores."""
    if hasattr(booster, "staged_scores"):
        for t, F in enumerate(booster.staged_scores(X), start=1):
            _check_finite(F, t)


def _check_finite(F: NDArray[np.float64], t: int) -> None:
    # If any score is not finite, neither is the sum, which is quicker to test.
    if not np.isfinite(F.sum()) and not np.isfinite(F).all():
        what = "NaN" if np.isnan(F).any() else "infinite"
        raise BoostbenchError(f"the booster's scores after round {t} are {what}")


def staged_labels(booster: Any, X: NDArray[np.float64], rounds: int) -> Iterator[Labels]:
    """Yield the predicted labels after each round.

    Raises
    ------
    BoostbenchError
        If the booster has no staged predictions or yields more than ``rounds`` of them.
    """
    if not hasattr(booster, "staged_predict"):
        raise BoostbenchError(
            f"booster {type(booster).__name__} has no staged_predict(X), which yields the "
            "predicted labels after each round; an error curve needs it"
        )
    for t, predicted in enumerate(booster.staged_predict(X), start=1):
        if t > rounds:
            raise BoostbenchError(f"the booster predicts for more than the {rounds} rounds asked")
        yield predicted


def is_kept(t: int) -> bool:
    """Return whether t is one of 1, 2, 5, 10, 20, 50, ..."""
    return str(t).rstrip("0") in ("1", "2", "5")
