"""my-data: two rings of points, a starting point for your own generator."""

from __future__ import annotations

import numpy as np

from boostbench.plugins import Dataset, generators


@generators.register("my-data")
def my_data(
    rng: np.random.Generator, *, n_train: int = 200, n_test: int = 400, spread: float = 0.3
) -> Dataset:
    """Return points around two circles, drawn anew for every seed of a config.

    Parameters
    ----------
    rng : numpy.random.Generator
        The only source of randomness.
    n_train, n_test : int, default=200 and 400
        Number of samples in the official training and test part.
    spread : float, default=0.3
        Standard deviation of the radius.
    """
    y = rng.integers(2, size=n_train + n_test)
    angle = 2 * np.pi * rng.random(len(y))
    radius = 1.0 + y + spread * rng.standard_normal(len(y))
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return Dataset.from_arrays("my-data", X, y, n_train=n_train)
