"""Who is better over several data sets: mean ranks, wins, ties, losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Standing", "standings"]

_DECIMALS = 10  # means of the same counts may differ in the last bits


@dataclass(frozen=True)
class Standing:
    """How one method does against the others.

    Attributes
    ----------
    mean_rank : float
        1 is best; equal errors share the mean of their ranks.
    wins, ties, losses : int
        Data sets where its error is lower than every other, equal to the lowest other, or higher.
    n : int
        Data sets that count: those where every method has a value.
    """

    mean_rank: float
    wins: int
    ties: int
    losses: int
    n: int


def standings(errors: NDArray[np.float64]) -> list[Standing]:
    """Compare methods over data sets.

    Parameters
    ----------
    errors : ndarray of float64, shape (n_datasets, n_methods)
        NaN where there is no value.

    Returns
    -------
    standings : list of Standing
        One per method; empty if no data set has a value of every method, or there are fewer than
        two methods.

    Examples
    --------
    >>> standings(np.array([[0.1, 0.2], [0.3, 0.3]]))[0]
    Standing(mean_rank=1.25, wins=1, ties=1, losses=0, n=2)
    """
    complete = np.round(errors[~np.isnan(errors).any(axis=1)], _DECIMALS)
    n, n_methods = complete.shape
    if n == 0 or n_methods < 2:
        return []
    lower = (complete[:, None, :] < complete[:, :, None]).sum(axis=2)
    equal = (complete[:, None, :] == complete[:, :, None]).sum(axis=2)
    mean_ranks = (lower + (equal + 1) / 2).mean(axis=0)
    found = []
    for method in range(n_methods):
        own = complete[:, method]
        others = np.delete(complete, method, axis=1).min(axis=1)
        wins, ties = int((own < others).sum()), int((own == others).sum())
        found.append(Standing(float(mean_ranks[method]), wins, ties, n - wins - ties, n))
    return found
