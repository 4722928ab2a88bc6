r"""Log loss, as ``log_loss`` of scikit-learn.

:math:`-\frac1n \sum_i \ln p_{i y_i}`, with probabilities of at least 2.2e-16.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import metric

#: Lower bound of probabilities, as in scikit-learn; limits the log loss of a sample to 36.04 nats.
LEAST_PROBABILITY = float(np.finfo(np.float64).eps)


@metric("log_loss", words="test log loss", needs="probabilities", higher=False, greatest=None)
def log_loss(P: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return the mean negative log-probability of the label."""
    from boostbench.portable import log, mean

    p = P[np.arange(len(y)), y]
    return -mean(log(np.clip(p, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)))
