"""What observes a fit round by round and may end it: held-out samples, callbacks, printed progress.

An observer is called with the `RoundInfo` of each round, as ``on_round`` is, and returns True to
end the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from boostbench.portable import dot, log, total

if TYPE_CHECKING:
    from boostbench.boosters.surface import RoundInfo

F = TypeVar("F", bound=Callable[..., Any])

#: Base and decorator by which a booster takes callbacks; scikit-learn before 1.9 has none.
CallbackSupport: Any = type("CallbackSupport", (), {})
with_callbacks: Callable[[F], F] = lambda method: method  # noqa: E731
with suppress(ImportError):
    from sklearn import callback

    CallbackSupport, with_callbacks = callback.CallbackSupportMixin, callback.with_callbacks

Floats = NDArray[np.float64]

#: Smallest probability of a label in the logarithmic loss.
_LEAST = float(np.finfo(np.float64).eps)


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
    if not held.any():
        raise ValueError(
            f"validation_fraction={share} holds out none of {len(y)} samples; give a larger one, "
            "or X_val and y_val"
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


@dataclass(frozen=True)
class Progress:
    """Observer that prints a line after rounds 1, 2, ..., 10, 20, ..., or after each."""

    verbose: int
    validation: Validation | None

    def __call__(self, info: RoundInfo) -> bool:
        """Print a line after some rounds."""
        t, n_rounds = info.round, info.booster.n_estimators
        if self.verbose > 1 or t == n_rounds or t % 10 ** (len(str(t)) - 1) == 0:
            score = f", score {self.validation.scores[-1]:.6g}" if self.validation else ""
            line = f"loss {info.loss:.6g}, edge {info.step.edge:.4g}{score}"
            print(f"round {t} of {n_rounds}: {line}")
        return False


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
