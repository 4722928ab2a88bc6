"""Fits of models: early stopping, warm starts, callbacks and printed progress.

An observer is called with the `RoundInfo` of each round, as ``on_round`` is, and returns True to
end the fit.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from boostbench.portable import dot, log, total

if TYPE_CHECKING:
    from boostbench.boosters.surface import RoundInfo, Training

Floats = NDArray[np.float64]

#: Smallest probability of a label in the logarithmic loss.
_LEAST = float(np.finfo(np.float64).eps)

#: Number of samples above which ``early_stopping="auto"`` stops early.
_MANY = 10_000


class ModelFit:
    """Fit of a model, which may go on from the fit before.

    Parameters
    ----------
    booster : BoostingClassifier
    X, y, sample_weight, cost
        Arguments of `fit`.
    held_out : tuple
        X_val and y_val, or None.

    Attributes
    ----------
    training : Training
    observers : list of callable
    """

    def __init__(
        self, booster: Any, X: Any, y: Any, sample_weight: Any, cost: Any, held_out: tuple[Any, Any]
    ) -> None:
        given = [part is not None for part in held_out]
        if any(given) and not (all(given) and booster.early_stopping):
            raise ValueError("X_val and y_val are given together, with early_stopping=True")
        self._booster, self._key = booster, ""
        self._callbacks = Callbacks(booster, X, y) if hasattr(booster, "_skl_callbacks") else None
        before = None
        if booster.warm_start:
            self._key = _key_of(booster, X, y, sample_weight, cost, held_out)
            before = _paused(booster, self._key)
        found = before or _started(booster, X, y, sample_weight, cost, held_out)
        self.training, self._validation = found
        printed = self._print if booster.verbose else None
        observers = self._validation, printed, self._callbacks
        self.observers = [observe for observe in observers if observe is not None]

    def _print(self, info: RoundInfo) -> bool:
        """Print a line after rounds 1, 2, ..., 10, 20, ..., or after each."""
        t, n_rounds = info.round, self._booster.n_estimators
        if self._booster.verbose > 1 or t == n_rounds or t % 10 ** (len(str(t)) - 1) == 0:
            score = f", score {self._validation.scores[-1]:.6g}" if self._validation else ""
            line = f"loss {info.loss:.6g}, edge {info.step.edge:.4g}{score}"
            print(f"round {t} of {n_rounds}: {line}")
        return False

    def end(self) -> None:
        """Keep the rounds up to the best one, and what a later fit goes on from."""
        booster, validation = self._booster, self._validation
        if self._key:
            booster._training = self._key, (self.training, validation)
        if validation is not None and booster.n_rounds_:
            booster.validation_score_ = np.array(validation.scores)
            if validation.best < booster.n_rounds_:
                booster._cut(validation.best)
                booster._training = None
        if self._callbacks is not None:
            self._callbacks.end()


def _key_of(booster: Any, *data: Any) -> str:
    """Return a digest of what decides a fit, but for the number of rounds."""
    free = ("n_estimators", "n_jobs", "warm_start", "verbose")
    params = {k: v for k, v in booster.get_params(deep=False).items() if k not in free}
    return hashlib.blake2b(pickle.dumps((data, params))).hexdigest()


def _paused(booster: Any, key: str) -> tuple[Training, Validation | None] | None:
    """Return the fit before, if it can be continued."""
    before, found = getattr(booster, "_training", None) or (None, None)
    if key != before or not booster.nested_rounds:
        return None
    if booster.n_estimators < booster.n_rounds_:
        raise ValueError(
            f"n_estimators={booster.n_estimators} must be at least n_rounds_={booster.n_rounds_} "
            "if warm_start=True"
        )
    return found


def _started(
    booster: Any, X: Any, y: Any, sample_weight: Any, cost: Any, given: tuple[Any, Any]
) -> tuple[Training, Validation | None]:
    """Return a fit before its first round, and the observer of a fit that stops early."""
    stops = False
    held: Any = None  # samples to score, their labels and weights

    def hold(X: Any, y: NDArray[np.int32], weights: Floats, rng: np.random.Generator) -> Floats:
        nonlocal stops, held
        stops = len(y) > _MANY if booster.early_stopping == "auto" else booster.early_stopping
        if stops and given[0] is not None:
            codes = codes_of(given[1], booster.classes_)
            X_val = booster._validate_test_data(given[0])
            check_consistent_length(X_val, codes)
            held = X_val, codes, np.ones(len(codes))
        elif stops and booster.validation_fraction is not None:
            chosen = weights > 0
            chosen[chosen] = hold_out(y[chosen], booster.validation_fraction, rng)
            held = X[chosen], y[chosen], weights[chosen]
            return np.where(chosen, 0.0, weights)
        return weights

    training = booster._start(X, y, sample_weight, cost, hold=hold)
    state = training.state
    if held is not None:
        return training, Validation(booster, booster._follow(held[0]), *held[1:])
    scores = (state.scores for _ in count())
    return training, Validation(booster, scores, state.y, state.sample_weight) if stops else None


def codes_of(y: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the indices of labels in the sorted classes; ValueError for unknown labels."""
    y = column_or_1d(y)
    codes: NDArray[np.intp] = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    if (unknown := y[classes[codes] != y]).size:
        raise ValueError(f"y_val has labels that y has not, such as {unknown.tolist()[0]!r}")
    return codes


def hold_out(
    y: NDArray[np.int32], share: float | int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw a share, or a number, of the samples of each class for validation.

    A class keeps at least one sample for training.
    """
    held: NDArray[np.bool_] = np.zeros(len(y), dtype=np.bool_)
    of_each = share / len(y) if isinstance(share, int | np.integer) else share
    for k in np.unique(y):
        own = rng.permutation(np.flatnonzero(y == k))
        held[own[: min(round(of_each * len(own)), len(own) - 1)]] = True
    if share >= len(y) or not held.any():
        raise ValueError(
            f"validation_fraction={share} holds out all or none of {len(y)} samples; give another "
            "one, or X_val and y_val"
        )
    return held


@dataclass
class Validation:
    """Observer that scores the rounds on held-out samples and ends a fit that has stopped to gain.

    Attributes
    ----------
    booster : BoostingClassifier
    stages : iterator of ndarray of float64, shape (n, K)
        Scores of the held-out samples after each round.
    y : ndarray of int, shape (n,)
        Their labels, 0..K-1.
    weight : ndarray of float64, shape (n,)
        Their weights, not all 0.
    scores : list of float
        Before the first round, then after each; larger is better.
    """

    booster: Any
    stages: Iterator[Floats]
    y: NDArray[Any]
    weight: Floats
    scores: list[float] = field(default_factory=list)

    def __call__(self, info: RoundInfo) -> bool:
        """Score a round, and tell whether the fit is to end."""
        if not self.scores:
            self.scores.append(self._score(np.zeros((len(self.y), len(self.booster.classes_)))))
        self.scores.append(self._score(next(self.stages)))
        last = self.booster.n_iter_no_change + 1
        if len(self.scores) < last or max(self.scores[1 - last :]) > (
            self.scores[-last] + self.booster.tol
        ):
            return False
        self.booster.stop_reason_ = "no improvement"
        return True

    @property
    def best(self) -> int:
        """Round of the largest score, the first one on ties, at least 1."""
        return 1 + int(np.argmax(self.scores[1:]))

    def _score(self, scores: Floats) -> float:
        """Return the accuracy, or minus the logarithmic loss."""
        booster = self.booster
        if booster.scoring == "accuracy":
            each = (booster._labels(scores) == booster.classes_[self.y]) * 1.0
        else:
            p = booster.probabilities(scores)[np.arange(len(scores)), self.y]
            each = log(np.maximum(p, _LEAST))
        return dot(self.weight, each) / total(self.weight)


class Callbacks:
    """Observer that calls the callbacks of scikit-learn (`sklearn.callback`), if any are set."""

    def __init__(self, booster: Any, X: Any, y: Any) -> None:
        self._given = {"estimator": booster, "X": X, "y": y}
        self._fit = booster._init_callback_context(max_subtasks=booster.n_estimators)
        self._fit.call_on_fit_task_begin(**self._given)

    def __call__(self, info: RoundInfo) -> bool:
        """Tell the callbacks of a round, and whether one of them ends the fit."""
        booster = info.booster

        def so_far() -> dict[str, Any]:
            names = [name for name in ("model_", "estimators_") if hasattr(booster, name)]
            return {name: deepcopy(getattr(booster, name)) for name in names}

        task = self._fit.subcontext(task_name="round")
        task.call_on_fit_task_begin(**self._given)
        stops: bool = task.call_on_fit_task_end(**self._given, reconstruction_attributes=so_far)
        return stops

    def end(self) -> None:
        """Tell the callbacks that the last round is done."""
        self._fit.call_on_fit_task_end(**self._given, reconstruction_attributes=dict)
