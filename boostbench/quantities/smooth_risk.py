"""Expected error of the randomised rule that predicts a class with its probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import quantity


@quantity(
    "smooth_risk",
    words="expected test error of the randomised rule",
    line="test, randomised rule",
    stroke=("dash-dotted", 1.0),
    needs="probabilities",
    asked=("record", "smooth_risk"),
    requires="a booster with probabilities",
    unit="%",
    axis="error (%)",
    greatest=1.0,
    on_test=True,
)
def smooth_risk(P: NDArray[np.float64], y: NDArray[np.int64]) -> float:
    """Return the expected error of predicting y with probability p(y | x)."""
    from boostbench.portable import mean

    return 1.0 - mean(P[np.arange(len(y)), y])
