"""Errors and costs after each round, from training or from staged predictions."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.portable import total

if TYPE_CHECKING:
    from boostbench.experiments.running.measuring import Recorder

Labels = NDArray[np.int64]
Costs = NDArray[np.float64]


class Tally:
    """Number of wrong predictions after each round.

    Parameters
    ----------
    y : ndarray of int64, shape (n,)
        True labels.
    cost : ndarray of float64, shape (n_classes, n_classes), or None
        Cost of each predicted class (column) for each true class (row). None: no costs.

    Attributes
    ----------
    errors : list of int
        Number of errors after each round.
    costs : list of float
        Total cost after each round; empty without a cost matrix.
    """

    def __init__(self, y: Labels, cost: Costs | None = None) -> None:
        self._y = y
        self._cost = cost
        self.errors: list[int] = []
        self.costs: list[float] = []

    @classmethod
    def of(cls, predictions: Iterable[Labels], y: Labels) -> Tally:
        """Return the tally of the predicted labels of each round."""
        tally = cls(y)
        for predicted in predictions:
            tally.add(predicted)
        return tally

    def add(self, predicted: Labels) -> None:
        """Add the predicted labels of the next round."""
        self.errors.append(int(np.count_nonzero(predicted != self._y)))
        if self._cost is not None:
            self.costs.append(total(self._cost[self._y, predicted]))

    def each(self, predictions: Iterable[Labels]) -> Iterator[Labels]:
        """Yield the predicted labels of each round unchanged, and add them."""
        for predicted in predictions:
            self.add(predicted)
            yield predicted

    def as_dict(self, part: str) -> dict[str, list[Any]]:
        """Return the curves by record field name; ``part`` is ``"train"`` or ``"test"``."""
        costs = {} if self._cost is None else {f"{part}_costs": self.costs}
        return {f"{part}_errors": self.errors, **costs}


class Curves:
    """Training curves of one fit; pass the object to ``fit`` as ``on_round``.

    Parameters
    ----------
    y_seen, y_clean : ndarray of int64, shape (n_train,)
        Training labels after and before corruption.
    cost : ndarray of float64, shape (n_classes, n_classes), or None
        See `Tally`.
    recorder : Recorder or None, default=None
        Gets the other quantities of each round.

    Attributes
    ----------
    seen, clean : Tally
        Errors against the corrupted and against the clean labels; the latter without costs.
    """

    def __init__(
        self,
        y_seen: Labels,
        y_clean: Labels,
        cost: Costs | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self.seen = Tally(y_seen, cost)
        self.clean = Tally(y_clean)
        self._is_noisy = y_seen != y_clean
        self._any_noisy = bool(self._is_noisy.any())
        self._recorder = recorder

    def __call__(self, info: Any) -> None:
        """Add the state after a round (a `RoundInfo`)."""
        check_round(info)
        self.add(info.labels)
        if self._recorder is not None:
            self._recorder.add("round", info.round, info)
            if self._recorder.taking("weights"):
                w = weights_of_samples(info)
                self._recorder.add("weights", info.round, w, self._is_noisy)

    def add(self, predicted: Labels) -> None:
        """Add the predicted training labels of the next round."""
        self.seen.add(predicted)
        if self._any_noisy:
            self.clean.add(predicted)
        else:
            self.clean.errors.append(self.seen.errors[-1])

    def as_dict(self) -> dict[str, list[Any]]:
        """Return the curves by name."""
        return {**self.seen.as_dict("train"), "train_errors_clean": self.clean.errors}


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


def packed_right(
    predictions: Iterable[Labels], y: Labels, checkpoints: Iterable[int], first: int
) -> dict[str, str]:
    """Return by round which samples are predicted correctly, as bits in base64.

    The rounds are 1, 2, 5, 10, 20, 50, ..., the checkpoints and the last round. Without any round,
    the only entry is round 0, where the predicted label is ``first``.
    """
    wanted = set(checkpoints)
    found: dict[str, str] = {}
    last = (0, np.full_like(y, first))
    for t, predicted in enumerate(predictions, start=1):
        last = (t, predicted)
        if is_kept(t, wanted):
            found[str(t)] = _bits(predicted == y)
    found[str(last[0])] = _bits(last[1] == y)
    return found


def is_kept(t: int, checkpoints: Container[int]) -> bool:
    """Return whether t is one of 1, 2, 5, 10, 20, 50, ... or a checkpoint."""
    return t in checkpoints or str(t).rstrip("0") in ("1", "2", "5")


def _bits(right: NDArray[np.bool_]) -> str:
    return base64.b64encode(np.packbits(right).tobytes()).decode()
