"""Errors and sample weights after each round, from training or from staged predictions."""

from __future__ import annotations

import base64
import inspect
import math
import time
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.portable import mean, total

Labels = NDArray[np.int64]
Costs = NDArray[np.float64]
_N_QUANTILES = 101
_HEAVIEST = 0.1  # share of the samples


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


class WeightTally:
    """Statistics of the sample weights after each round, as the next round would use them.

    Parameters
    ----------
    is_noisy : ndarray of bool, shape (n_train,)
        True for training samples whose label was corrupted.
    kept : iterable of int, default=()
        Rounds whose weights are kept for all samples. Unless empty, the last round is added.
    """

    def __init__(self, is_noisy: NDArray[np.bool_], kept: Iterable[int] = ()) -> None:
        self._is_noisy = is_noisy
        self._wanted = frozenset(kept)
        self._last: tuple[int, NDArray[np.float64]] | None = None
        self._curves: dict[str, list[float | None]] = {
            "noisy_weight_share": [],
            "noisy_among_heaviest": [],
            "weightless_share": [],
            "noisy_among_weightless": [],
        }
        self._kept: dict[str, list[float]] = {}

    def add(self, info: Any) -> None:
        """Add the weights after a round (a `RoundInfo`)."""
        w, noisy = weights_of_samples(info), self._is_noisy
        weightless = w == 0.0
        has_weight, n_weightless = not weightless.all(), int(weightless.sum())
        shares = {
            "noisy_weight_share": total(w[noisy]) / total(w) if has_weight else None,
            "noisy_among_heaviest": noisy_among_heaviest(w, noisy) if has_weight else None,
            "weightless_share": n_weightless / len(w),
            "noisy_among_weightless": float(noisy[weightless].mean()) if n_weightless else None,
        }
        for name, share in shares.items():
            self._curves[name].append(share)
        if info.round in self._wanted:
            self._keep(info.round, w)
        self._last = info.round, w

    def as_dict(self) -> dict[str, list[float | None]]:
        """Return the curves by name; undefined entries are None."""
        return self._curves if self._last else {}

    def kept(self) -> dict[str, list[float]]:
        """Return the kept weights by round, in sample order, to six significant digits.

        Unless no rounds were requested, the last round is included.
        """
        if self._wanted and self._last is not None:
            self._keep(*self._last)
        return self._kept

    def _keep(self, round_: int, w: NDArray[np.float64]) -> None:
        self._kept[str(round_)] = [float(f"{weight:.6g}") for weight in w]


class Curves:
    """Training curves of one fit; pass the object to ``fit`` as ``on_round``.

    Parameters
    ----------
    y_seen, y_clean : ndarray of int64, shape (n_train,)
        Training labels after and before corruption.
    cost : ndarray of float64, shape (n_classes, n_classes), or None
        See `Tally`.
    record : sequence of str, default=()
        Optional records of a run; ``bound``, ``weights`` and ``sample_weights`` have an effect.
    checkpoints : sequence of int, default=()
        Rounds whose sample weights are kept.

    Attributes
    ----------
    seen, clean : Tally
        Errors against the corrupted and against the clean labels; the latter without costs.
    loss, edge : list of float or None
        Training objective and edge of each round; None where the booster has none.
    bound : list of float or None
        Bound on the training error from the objective; empty unless requested.
    weights : WeightTally or None
        Statistics of the sample weights; None unless requested.
    seconds : float
        Time spent in this object, to be subtracted from the training time.
    """

    def __init__(
        self,
        y_seen: Labels,
        y_clean: Labels,
        cost: Costs | None = None,
        record: Sequence[str] = (),
        checkpoints: Sequence[int] = (),
    ) -> None:
        self.seen = Tally(y_seen, cost)
        self.clean = Tally(y_clean)
        is_noisy = y_seen != y_clean
        self._is_noisy = bool(is_noisy.any())
        self.loss: list[float | None] = []
        self.edge: list[float | None] = []
        self.bound: list[float | None] = []
        self._record = frozenset(record)
        self.weights: WeightTally | None = None
        if self._record & {"weights", "sample_weights"}:
            kept = checkpoints if "sample_weights" in self._record else ()
            self.weights = WeightTally(is_noisy, kept)
        self.seconds = 0.0

    def __call__(self, info: Any) -> None:
        """Add the state after a round (a `RoundInfo`)."""
        begin = time.perf_counter()
        check_round(info)
        self.add(info.labels)
        self.loss.append(_finite(info.loss))
        self.edge.append(_finite(info.step.edge))
        if "bound" in self._record:
            self.bound.append(_finite(info.bound))
        if self.weights is not None:
            self.weights.add(info)
        self.seconds += time.perf_counter() - begin

    def add(self, predicted: Labels) -> None:
        """Add the predicted training labels of the next round."""
        self.seen.add(predicted)
        if self._is_noisy:
            self.clean.add(predicted)
        else:
            self.clean.errors.append(self.seen.errors[-1])

    def as_dict(self) -> dict[str, list[Any]]:
        """Return the curves by name, without those that the booster does not provide."""
        optional = {"loss": self.loss, "edge": self.edge, "bound": self.bound}
        return {
            **self.seen.as_dict("train"),
            "train_errors_clean": self.clean.errors,
            **{k: v for k, v in optional.items() if any(value is not None for value in v)},
            **(self.weights.as_dict() if self.weights and "weights" in self._record else {}),
        }


def weights_of_samples(info: Any) -> NDArray[np.float64]:
    """Return the weight of each training sample in the round that follows ``info``, a `RoundInfo`.

    Equal samples, which the booster merges into one row, share the weight of the row.
    """
    w = info.booster.weights(info.state)
    per_sample = w / np.bincount(info.row_of, minlength=len(w))
    return np.asarray(per_sample[info.row_of])


def noisy_among_heaviest(w: NDArray[np.float64], is_noisy: NDArray[np.bool_]) -> float:
    """Return the share of corrupted samples among the heaviest tenth.

    Samples tied at the threshold count by the fraction of them that fits into the tenth.

    Examples
    --------
    >>> w = np.array([5.0] + [1.0] * 19)  # two of twenty: the heavy one and any other
    >>> float(noisy_among_heaviest(w, np.arange(20) < 1))
    0.5
    """
    n_heaviest = max(1, round(_HEAVIEST * len(w)))
    edge = np.partition(w, -n_heaviest)[-n_heaviest]
    above, at_edge = w > edge, w == edge
    n_fitting = n_heaviest - int(above.sum())
    return float((total(is_noisy[above]) + n_fitting * mean(is_noisy[at_edge])) / n_heaviest)


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


def smooth_risks(booster: Any, X: NDArray[np.float64], y: Labels) -> list[float | None]:
    """Return, for each round, the expected error of predicting y with probability p(y | x)."""
    rows = np.arange(len(y))
    column = np.searchsorted(booster.classes_, y)
    known = np.isin(y, booster.classes_)
    column[~known] = 0
    return [
        _finite(1.0 - mean(np.where(known, P[rows, column], 0.0)))
        for P in booster.staged_predict_proba(X)
    ]


def margin_quantiles(
    booster: Any, X: NDArray[np.float64], y: Labels, checkpoints: Iterable[int]
) -> dict[str, list[float | None]]:
    """Return 101 quantiles of the training margins at each checkpoint reached.

    The margin of a sample is the score of its label minus the best other score, divided by the
    largest difference of two scores of one sample in that round, so that it lies in [-1, 1].
    """
    wanted = set(checkpoints)
    rows = np.arange(len(y))
    column = np.searchsorted(booster.classes_, y)
    levels = np.linspace(0.0, 1.0, _N_QUANTILES)
    found: dict[str, list[float | None]] = {}
    for t, F in enumerate(booster.staged_scores(X), start=1):
        if t in wanted:
            others = F.copy()
            others[rows, column] = -np.inf
            margin = F[rows, column] - others.max(axis=1)
            spread = float((F.max(axis=1) - F.min(axis=1)).max())
            quantiles = np.quantile(margin / spread if spread > 0 else margin, levels)
            found[str(t)] = [_finite(value) for value in quantiles]
    return found


def edge_bounds(booster: Any, curves: Curves) -> dict[str, list[float | None]]:
    """Return the bound on the training error from the edges; empty if the booster has none."""
    edges = [math.nan if edge is None else edge for edge in curves.edge]
    bound = booster.edge_bound(edges, len(booster.classes_)) if edges else None
    return {} if bound is None else {"edge_bound": [_finite(value) for value in bound]}


def scores_at(
    booster: Any, X: NDArray[np.float64], checkpoints: Iterable[int]
) -> dict[str, list[list[float | None]]]:
    """Return the scores of all classes at each checkpoint reached, to six significant digits."""
    wanted = set(checkpoints)
    return {
        str(t): [[_finite(f"{score:.6g}") for score in row] for row in F.tolist()]
        for t, F in enumerate(booster.staged_scores(X), start=1)
        if t in wanted
    }


def _finite(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None
