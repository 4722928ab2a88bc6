r"""Brier score, as ``brier_score_loss(scale_by_half=True)`` of scikit-learn.

:math:`\frac1{2n} \sum_{ik} (p_{ik} - 1[y_i = k])^2`, from 0 to 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import metric


@metric("brier", words="test Brier score", needs="probabilities", higher=False)
def brier(P: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return half the mean squared distance between probabilities and one-hot labels."""
    from boostbench.portable import total

    away = P.copy()
    away[np.arange(len(y)), y] -= 1.0
    return total(away * away) / (2.0 * len(y))
