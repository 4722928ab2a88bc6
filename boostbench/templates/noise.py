"""my-noise: labels move to the next class, a starting point for your own noise model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import noise_models


@noise_models.register("my-noise")
def my_noise(
    y: NDArray[np.int64],
    n_classes: int,
    rng: np.random.Generator,
    X: NDArray[np.float64],
    down: float = 0.0,
) -> NDArray[np.int64]:
    """Propose the next or the previous class; the first class follows the last.

    A noise model proposes a label for every row. The rate and the choice of the rows that receive
    the proposed label are the same for all models.

    Parameters
    ----------
    y : ndarray of int, shape (n,)
        Clean labels 0..K-1.
    n_classes : int
        Number of classes K.
    rng : numpy.random.Generator
        The only source of randomness.
    X : ndarray, shape (n, d)
        Features.
    down : float, default=0.0
        Probability of the previous class.
    """
    step = np.where(rng.random(len(y)) < down, -1, 1)
    return (y + step) % n_classes
