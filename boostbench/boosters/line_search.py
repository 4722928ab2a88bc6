r"""Line searches for the step size along a weak hypothesis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from boostbench.boosters.state import TINY
from boostbench.portable import dot, exp, log, total

Floats = NDArray[np.float64]


def exponential_step(mass: Floats, rate: Floats) -> float:
    r"""Return the step :math:`\alpha \ge 0` that minimises :math:`\sum_j c_j e^{\alpha v_j}`.

    The step is found by Newton's method on the derivative, safeguarded by bisection, and is at
    most :math:`\ln(10^{10}) / (2 \max_j |v_j|)`, so that no term changes by more than the factor
    :math:`10^{\pm 5}`. The limit is returned if the minimum lies beyond it.

    Parameters
    ----------
    mass : ndarray of float64, any shape
        Coefficients c, not negative.
    rate : ndarray of float64, same shape
        Rates v.

    Returns
    -------
    step : float
        Step size; 0 if the sum does not decrease at step 0.

    References
    ----------
    Saberian & Vasconcelos 2011, (26) and (33).

    Examples
    --------
    >>> round(exponential_step(np.array([4.0, 1.0]), np.array([-1.0, 1.0])), 6)
    0.693147
    """
    matters = (mass > 0.0) & (rate != 0.0)
    c, v = mass[matters], rate[matters]
    if not len(c) or dot(c, v) >= 0.0:
        return 0.0
    c = c / total(c)
    falling, rising = dot(c, np.maximum(-v, 0.0)), dot(c, np.maximum(v, 0.0))
    size, square = np.abs(v), np.square(v)
    fastest = float(size.max())
    low, high = 0.0, 0.5 * float(log(1.0 / TINY)) / fastest
    if rising == 0.0 or dot(c * exp(high * v), v) <= 0.0:
        return high
    alpha = min(0.5 * float(log(falling / rising)) / fastest, high)
    for _ in range(200):
        terms = c * exp(alpha * v)
        slope = dot(terms, v)
        if abs(slope) <= 1e-13 * dot(terms, size) or high - low <= 1e-15 * max(high, 1.0):
            break
        low, high = (alpha, high) if slope < 0.0 else (low, alpha)
        newton = alpha - slope / dot(terms, square)
        alpha = newton if low < newton < high else 0.5 * (low + high)
    return alpha


def falling_step(risk: Callable[[float], float], longest: float) -> float:
    """Return a step in [0, longest] to a local minimum of a risk along a direction.

    The step is doubled until the risk rises; Brent's method then minimises over the bracket. The
    risk need not be convex.

    Parameters
    ----------
    risk : callable
        Risk as a function of the step.
    longest : float
        Largest step, positive.

    Returns
    -------
    step : float
        Step with a risk below that at 0; 0 if none was found.

    Examples
    --------
    >>> round(falling_step(lambda step: (step - 2.0) ** 2, 10.0), 6)
    2.0
    """
    start = before = risk(0.0)
    reach = 1e-4 * longest
    here = risk(reach)
    while here < before and reach < longest:
        reach, before = min(2.0 * reach, longest), here
        here = risk(reach)
    found = minimize_scalar(risk, bounds=(0.0, reach), method="bounded", options={"xatol": 1e-10})
    return float(found.x) if found.fun < start else 0.0
