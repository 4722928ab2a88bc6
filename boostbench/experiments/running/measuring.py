"""Quantities of a fitted booster, collected round by round in the form of a record."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.running.curves import Labels, check_round, is_kept, weights_of_samples
from boostbench.quantities.predictions import confusion_matrix, probabilities_of

if TYPE_CHECKING:
    from boostbench.experiments.running.execution import Problem
    from boostbench.quantities import Quantity


class Recorder:
    """Values of the quantities of a run.

    Parameters
    ----------
    quantities : mapping of str to Quantity
        Those to compute, by name.
    checkpoints : collection of int
        Rounds at which values that are not kept after every round are kept.

    Attributes
    ----------
    curves : dict of str to list
        Values after each round; None where a value is not finite or cannot be computed.
    at_checkpoints : dict
        Other values: by round as text, or one for the whole run.
    """

    def __init__(self, quantities: Mapping[str, Quantity], checkpoints: Collection[int]) -> None:
        self._quantities = quantities.values()
        self._checkpoints = frozenset(checkpoints)
        self._last: dict[str, tuple[int, tuple[Any, ...]]] = {}
        kept = {each.curve: each.kept for each in quantities.values()}
        self.curves: dict[str, list[float | None]] = {
            name: [] for name, when in kept.items() if when == "rounds"
        }
        self.at_checkpoints: dict[str, Any] = {
            name: {} for name, when in kept.items() if when not in ("rounds", "once")
        }

    def taking(self, needs: str) -> list[Quantity]:
        """Return the quantities that are computed from ``needs``."""
        return [each for each in self._quantities if each.needs == needs]

    def add(self, needs: str, t: int, *arguments: Any) -> None:
        """Add round t to the quantities that are computed from ``needs``.

        Parameters
        ----------
        needs : str
        t : int
        *arguments
            Of `Quantity.of`; a first argument None stands for a value that cannot be computed.
        """
        self._last[needs] = t, arguments
        for each in self.taking(needs):
            if each.kept == "rounds":
                value = math.nan if arguments[0] is None else each(*arguments)
                if value is not None:
                    self.curves[each.curve].append(_finite(value))
            elif t in self._checkpoints or (each.kept == "ladder" and is_kept(t)):
                self.at_checkpoints[each.curve][str(t)] = each(*arguments)

    def add_whole(self, needs: str, *arguments: Any) -> None:
        """Add the values of the whole run, or whole curves, that are computed from ``needs``."""
        for each in self.taking(needs):
            value = each(*arguments)
            if value is None:
                continue
            if each.kept == "rounds":
                self.curves[each.curve] = [_finite(number) for number in value]
            else:
                self.at_checkpoints[each.curve] = value

    def finish(self) -> None:
        """Add the last round where it is kept, and leave out what the booster does not have."""
        for needs, (t, arguments) in self._last.items():
            for each in self.taking(needs):
                if each.kept in ("last", "ladder"):
                    self.at_checkpoints[each.curve][str(t)] = each(*arguments)
        for each in self._quantities:
            curve = self.curves.get(each.curve)
            is_unknown = each.needs == "round" and not any(v is not None for v in curve or ())
            if curve is not None and (is_unknown or (not curve and each.type is not int)):
                del self.curves[each.curve]


def record_round(recorder: Recorder, problem: Problem, info: Any) -> None:
    """Add the state of training after a round (a `RoundInfo`)."""
    check_round(info)
    record_training(recorder, problem, info.round, info.labels)
    recorder.add("round", info.round, info)
    if recorder.taking("weights"):
        w = weights_of_samples(info)
        recorder.add("weights", info.round, w, problem.y != problem.y_clean)


def record_training(recorder: Recorder, problem: Problem, t: int, predicted: Labels) -> None:
    """Add the predicted labels of the training samples after round t."""
    recorder.add("labels seen", t, predicted, problem.y, problem.cost)
    recorder.add("clean labels", t, predicted, problem.y_clean, None)


def record_test(recorder: Recorder, problem: Problem, t: int, predicted: Labels) -> None:
    """Add the predicted labels of the test samples after round t."""
    recorder.add("test labels", t, predicted, problem.y_test, problem.cost)
    if recorder.taking("labels"):
        of_classes = confusion_matrix(problem.y_test, predicted, problem.n_classes)
        recorder.add("labels", t, of_classes)


def measure(recorder: Recorder, booster: Any, problem: Problem) -> None:
    """Add what is computed from scores, probabilities and the fitted booster, and finish.

    Parameters
    ----------
    recorder : Recorder
        With the values of the training rounds, and of the predicted labels.
    booster : classifier
        Fitted.
    problem : Problem
    """
    if recorder.taking("probabilities"):
        for t, P in enumerate(_staged_probabilities(booster, problem.X_test), start=1):
            whole = None if P is None else probabilities_of(booster, P, problem.n_classes)
            recorder.add("probabilities", t, whole, problem.y_test)
    if recorder.taking("scores"):
        for t, F in enumerate(booster.staged_scores(problem.X_test), start=1):
            recorder.add("scores", t, F, problem.y_test)
    if recorder.taking("training scores"):
        column = np.searchsorted(booster.classes_, problem.y)
        for t, F in enumerate(booster.staged_scores(problem.X), start=1):
            recorder.add("training scores", t, F, column)
    recorder.add_whole("edges", booster, recorder.curves["edge"])
    recorder.add_whole("booster", booster)
    recorder.add_whole("test part", problem.y_test)
    recorder.finish()


def _staged_probabilities(
    booster: Any, X: NDArray[np.float64]
) -> Iterator[NDArray[np.float64] | None]:
    """Yield the probabilities after each round; None where only the last ones are available."""
    if hasattr(booster, "staged_predict_proba"):
        yield from booster.staged_predict_proba(X)
    elif hasattr(booster, "predict_proba"):
        n_rounds = sum(1 for _ in booster.staged_predict(X))
        yield from [None] * (n_rounds - 1)
        if n_rounds:
            yield booster.predict_proba(X)


def _finite(value: Any) -> int | float | None:
    if isinstance(value, int):
        return value
    number = float(value)
    return number if math.isfinite(number) else None
