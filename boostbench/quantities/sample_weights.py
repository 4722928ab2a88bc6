"""Weight of every training sample at the checkpoints and the last round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import quantity


@quantity(
    "sample_weights",
    words="weights of the training samples",
    needs="weights",
    kept="last",
    asked=("record", "sample_weights"),
    type=list[float],
)
def sample_weights(w: NDArray[np.float64], is_noisy: NDArray[np.bool_]) -> list[float]:
    """Return the weights in sample order, to six significant digits."""
    return [float(f"{weight:.6g}") for weight in w]
