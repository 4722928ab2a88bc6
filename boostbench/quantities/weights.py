"""Weights of the training samples after each round, as the next round uses them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import quantity

Weights = NDArray[np.float64]
Mask = NDArray[np.bool_]
_HEAVIEST = 0.1  # share of the samples
_SHARE: dict[str, Any] = {
    "needs": "weights",
    "asked": ("record", "weights"),
    "unit": "%",
    "axis": "share (%)",
    "greatest": 1.0,
    "higher": None,
}


@quantity(
    "noisy_weight_share",
    words="share of the weight on corrupted samples",
    line="weight on corrupted samples",
    **_SHARE,
)
def noisy_weight_share(w: Weights, is_noisy: Mask) -> float:
    """Return the share of the weight on corrupted samples; NaN without any weight."""
    from boostbench.portable import total

    return total(w[is_noisy]) / total(w) if w.any() else np.nan


@quantity(
    "noisy_among_heaviest",
    words="corrupted among the heaviest tenth of samples",
    line="corrupted among the heaviest tenth",
    stroke=("dashed", 1.0),
    **_SHARE,
)
def noisy_among_heaviest(w: Weights, is_noisy: Mask) -> float:
    """Return the share of corrupted samples among the heaviest tenth; NaN without any weight.

    Samples tied at the threshold count by the fraction of them that fits into the tenth.

    Examples
    --------
    >>> w = np.array([5.0] + [1.0] * 19)  # two of twenty: the heavy one and any other
    >>> float(noisy_among_heaviest(w, np.arange(20) < 1))
    0.5
    """
    from boostbench.portable import mean, total

    if not w.any():
        return np.nan
    n_heaviest = max(1, round(_HEAVIEST * len(w)))
    edge = np.partition(w, -n_heaviest)[-n_heaviest]
    above, at_edge = w > edge, w == edge
    n_fitting = n_heaviest - int(above.sum())
    return float((total(is_noisy[above]) + n_fitting * mean(is_noisy[at_edge])) / n_heaviest)


@quantity("weightless_share", words="samples without weight", stroke=("dotted", 1.0), **_SHARE)
def weightless_share(w: Weights, is_noisy: Mask) -> float:
    """Return the share of the samples without weight."""
    return int((w == 0.0).sum()) / len(w)


@quantity(
    "noisy_among_weightless",
    words="corrupted among samples without weight",
    line="corrupted among them",
    stroke=("dash-dotted", 1.0),
    **_SHARE,
)
def noisy_among_weightless(w: Weights, is_noisy: Mask) -> float:
    """Return the share of corrupted samples among those without weight; NaN if all have weight."""
    weightless = w == 0.0
    return float(is_noisy[weightless].mean()) if weightless.any() else np.nan


@quantity(
    "sample_weights",
    words="weights of the training samples",
    needs="weights",
    kept="last",
    asked=("record", "sample_weights"),
    type=list[float],
)
def sample_weights(w: Weights, is_noisy: Mask) -> list[float]:
    """Return the weights in sample order, to six significant digits."""
    return [float(f"{weight:.6g}") for weight in w]
