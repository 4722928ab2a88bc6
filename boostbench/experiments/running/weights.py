"""Shares of the sample weights on corrupted and on clean samples, round by round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.portable import mean, total

_HEAVIEST = 0.1


class WeightTally:
    """The weights that the next round would use, after each round.

    Parameters
    ----------
    is_noisy : ndarray of bool, shape (n_train,)
        Which training samples have another label than they should.
    kept : iterable of int, default=()
        Rounds after which the weights of all samples are kept; those after the last round are kept
        with them.
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
        """Note the weights after a round (a `RoundInfo`)."""
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
        """Return the curves by name; an entry is None where it has no meaning."""
        return self._curves if self._last else {}

    def kept(self) -> dict[str, list[float]]:
        """Return by round the weights in the order of the samples, to six digits.

        Those after the last round are among them, if any are kept.
        """
        if self._wanted and self._last is not None:
            self._keep(*self._last)
        return self._kept

    def _keep(self, round_: int, w: NDArray[np.float64]) -> None:
        self._kept[str(round_)] = [float(f"{weight:.6g}") for weight in w]


def weights_of_samples(info: Any) -> NDArray[np.float64]:
    """Return the weight of each training sample in the round after this one (a `RoundInfo`).

    Equal samples, which the booster has merged into one row, share its weight.
    """
    w = info.booster.weights(info.state)
    per_sample = w / np.bincount(info.row_of, minlength=len(w))
    return np.asarray(per_sample[info.row_of])


def noisy_among_heaviest(w: NDArray[np.float64], is_noisy: NDArray[np.bool_]) -> float:
    """Return the share of corrupted samples in the heaviest tenth.

    Of equally heavy samples at its edge, the share that fits in counts.

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
