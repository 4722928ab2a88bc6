r"""The two equations of a RobustBoost round, solved by nested bracketing.

For a given time step the score step is the first zero of the edge; the time step is the one at
which the mean potential is back at its value, after having fallen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

if TYPE_CHECKING:
    from boostbench.boosters.robustboost import Potential

__all__ = ["solve_step"]

#: Largest score step; taken by a classifier so good that it ends the game.
_MAX_SCORE_STEP = 10.0
_EXACT = {"xtol": 1e-14, "rtol": 4.0 * float(np.finfo(np.float64).eps)}


def solve_step(
    potential: Potential,
    m: NDArray[np.float64],
    u: NDArray[np.float64],
    weight: NDArray[np.float64],
    t: float,
) -> tuple[float, float]:
    """Return the steps in score and in time.

    Parameters
    ----------
    potential : Potential
    m : ndarray of float64, shape (n,)
        Margins at time t.
    u : ndarray of float64, shape (n,)
        +1 where the classifier is right, -1 where it is wrong.
    weight : ndarray of float64, shape (n,)
        Sample weights.
    t : float
        Time so far, below 1.

    Returns
    -------
    ds, dt : float
        ``t + dt`` is 1 if the potential does not come back before the end of time; ds is at most
        10.
    """
    before = float(weight @ potential.value(m, t))
    left = 1.0 - t

    def rise(dt: float) -> float:
        ds = _score_step(potential, m * np.exp(-dt), u, weight, t + dt)
        return float(weight @ potential.value(m * np.exp(-dt) + u * ds, t + dt)) - before

    low, high = 0.0, min(0.01, 0.5 * left)
    while high < left and rise(high) < 0.0:
        low, high = high, 1.5 * high
    if high >= left and rise(left) <= 0.0:
        dt = left
    elif rise(low) >= 0.0:
        dt = low
    else:
        dt = brentq(rise, low, min(high, left), **_EXACT)
    return _score_step(potential, m * np.exp(-dt), u, weight, t + dt), dt


def _score_step(
    potential: Potential,
    m: NDArray[np.float64],
    u: NDArray[np.float64],
    weight: NDArray[np.float64],
    t: float,
) -> float:
    """Return the first ds in [0, 10] at which the classifier has no edge any more."""
    wu = weight * u

    def edge(ds: float) -> float:
        log_w = potential.log_weight(m + u * ds, t)
        largest = log_w.max()
        return float(wu @ np.exp(log_w - largest)) if largest > -np.inf else 0.0

    if edge(0.0) <= 0.0:
        return 0.0
    low, stride = 0.0, 0.02 * potential.sigma(t)
    while low < _MAX_SCORE_STEP:
        high = min(low + stride, _MAX_SCORE_STEP)
        if edge(high) <= 0.0:
            return float(brentq(edge, low, high, **_EXACT))
        low, stride = high, 1.1 * stride
    return _MAX_SCORE_STEP  # the edge never vanishes: the further the better
