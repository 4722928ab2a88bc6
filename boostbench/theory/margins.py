"""Margins of multiclass scores and how they are distributed over the samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.theory.layout import require

Floats = NDArray[np.float64]


def margins(scores: ArrayLike, y: ArrayLike, scale: float = 1.0) -> Floats:
    """Return the true label's score minus the largest other score of every sample.

    Parameters
    ----------
    scores : array_like of float, shape (n, K)
        F; for weighted votes ``F[i, l]`` is the sum of the weights alpha_t with h_t(x_i) = l.
    y : array_like of int, shape (n,)
    scale : float, default=1.0
        Positive; the sum of the absolute weights brings the margins of votes to [-1, 1].

    Returns
    -------
    margins : ndarray of float64, shape (n,)
        Positive where the sample is classified correctly; 0 at a tie with another label.

    Examples
    --------
    >>> margins([[3.0, 1.0, 0.0], [3.0, 1.0, 0.0]], [0, 1], scale=4.0).tolist()
    [0.5, -0.5]
    """
    F = np.asarray(scores, dtype=np.float64)
    y = np.asarray(y)
    require(scale > 0, f"scale must be positive, found {scale}")
    require(
        F.ndim == 2 and F.shape[1] >= 2 and y.shape == F.shape[:1],
        f"scores must have shape (n, K) with K >= 2 and y (n,), found {F.shape} and {y.shape}",
    )
    rows = np.arange(len(y))
    true = F[rows, y]
    others = F.copy()
    others[rows, y] = -np.inf
    result: Floats = (true - others.max(axis=1)) / scale
    return result


@dataclass(frozen=True)
class MarginDistribution:
    """The cumulative distribution of margins, a step function.

    Attributes
    ----------
    margin : ndarray of float64, shape (m,)
        The distinct margins, increasing.
    fraction : ndarray of float64, shape (m,)
        Weight of the samples with at most that margin; the last is 1.
    """

    margin: Floats
    fraction: Floats

    def at(self, theta: ArrayLike) -> Floats:
        """Return the weight of the samples whose margin is at most ``theta``.

        At 0 this is the training error if a tie counts as an error.
        """
        steps = np.concatenate([[0.0], self.fraction])
        result: Floats = steps[np.searchsorted(self.margin, theta, side="right")]
        return result

    def quantile(self, fraction: ArrayLike) -> Floats:
        """Return the smallest margin that at least this weight of the samples does not exceed."""
        wanted = np.asarray(fraction, dtype=np.float64)
        require(bool(((wanted >= 0) & (wanted <= 1)).all()), "a fraction must lie in [0, 1]")
        where = np.searchsorted(self.fraction, wanted - 1e-12, side="left")
        result: Floats = self.margin[np.minimum(where, len(self.margin) - 1)]
        return result


def margin_distribution(
    margins: ArrayLike, sample_weight: ArrayLike | None = None
) -> MarginDistribution:
    """Return the cumulative distribution of margins.

    Parameters
    ----------
    margins : array_like of float, shape (n,)
        At least one.
    sample_weight : array_like of float, shape (n,), optional
        Not negative, not all 0; samples of weight 0 are left out.

    Returns
    -------
    distribution : MarginDistribution

    Examples
    --------
    >>> margin_distribution([0.5, -0.5, 0.5, 1.0]).fraction.tolist()
    [0.25, 0.75, 1.0]
    """
    values = np.asarray(margins, dtype=np.float64)
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, float)
    require(
        weight.shape == values.shape and bool((weight >= 0).all()) and bool(weight.any()),
        "margins need one weight each, not negative and not all 0",
    )
    kept = weight > 0
    distinct, where = np.unique(values[kept], return_inverse=True)
    cumulative = np.cumsum(np.bincount(where, weights=weight[kept]))
    return MarginDistribution(distinct, cumulative / cumulative[-1])
