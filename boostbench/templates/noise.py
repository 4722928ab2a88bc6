"""my-noise: labels move to the class above, to be changed into a noise model of your own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.registry import noise_models


@noise_models.register("my-noise")
def my_noise(
    y: NDArray[np.int64],
    n_classes: int,
    rng: np.random.Generator,
    X: NDArray[np.float64],
    down: float = 0.0,
) -> NDArray[np.int64]:
    """The class above, or below; the last and the first class are neighbours.

    A model proposes a label for every row. Which rows get theirs, and how many, is the same for
    all models: the rate says it.

    Parameters
    ----------
    y, n_classes, rng, X
        Clean labels 0..K-1, K, a random stream, and the features.
    down : float, default=0.0
        Probability of the class below.
    """
    step = np.where(rng.random(len(y)) < down, -1, 1)
    return (y + step) % n_classes
