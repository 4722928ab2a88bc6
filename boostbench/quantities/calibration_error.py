r"""Expected calibration error (Guo et al. 2017).

:math:`\sum_b \frac{n_b}n |\text{right}_b - \text{probability}_b|` over 15 bins of equal width of
the largest probability.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import metric

N_BINS = 15


@metric(
    "calibration_error",
    words="test calibration error",
    needs="probabilities",
    higher=False,
    unit="%",
)
def calibration_error(P: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return the expected calibration error of the largest probability, with 15 equal bins.

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.9, 0.1]])
    >>> round(calibration_error(P, np.array([0, 1])), 12)
    0.4
    """
    from boostbench.portable import total

    right = (P.argmax(axis=1) == y).astype(np.float64)
    top = P.max(axis=1)
    # (0, 1/15], (1/15, 2/15], ..., as in the paper
    place = np.searchsorted(np.linspace(0.0, 1.0, N_BINS + 1)[1:-1], top)
    gaps = np.bincount(place, right, N_BINS) - np.bincount(place, top, N_BINS)
    return total(np.abs(gaps)) / len(y)
