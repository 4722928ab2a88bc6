r"""Potentials of RobustBoost and BrownBoost, and a solver for the two equations of a round.

Freund, "A more robust boosting algorithm", 2009 (arXiv:0905.2138), and "An adaptive version of the
boost by majority algorithm", 2001.

For a given time step, the score step is the first zero of the edge. The time step is the first
positive one at which the mean potential returns to its initial value. Most steps are short, and
Newton's method finds them in about five passes over the rows; its solution is accepted if the edge
is positive on a grid from 0 to the score step. Otherwise the equations are solved by nested
bracketing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, kernel
from boostbench.portable import erfc, erfc_inverse, exp, expm1
from boostbench.portable.elementary import erfc_, exp_, expm1_

Floats: TypeAlias = NDArray[np.float64]

#: Largest score step, used if the edge has no zero.
_MAX_SCORE_STEP = 10.0
#: First time step of the bracketing, and longest time step accepted from Newton's method.
_SHORT = 0.01
#: First stride of the search for the first zero of the edge, in units of sigma.
_STRIDE = 0.02
#: Newton's method stops after a step below this length, since it converges quadratically.
_LAST_STEP = 1e-9
#: Absolute and relative width of a bracket at which the root search ends.
_ABSOLUTE, _RELATIVE = 1e-14, 4.0 * float(np.finfo(np.float64).eps)

#: Margins, correctness (+1, -1), weights and two work arrays, each of shape (n,).
_Rows: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats]
#: Parameters theta, rho, sigma_final, truncate and pull of a `Potential`.
_Constants: TypeAlias = tuple[float, float, float, bool, float]


@dataclass(frozen=True)
class Potential:
    r"""Probability that a sample with margin m at time t ends below the margin theta.

    .. math::
        \Phi(m, t) = \tfrac12 \mathrm{erfc}\frac{m - \mu(t)}{\sigma(t)}, \qquad 0 \le t \le 1 .

    Parameters
    ----------
    theta, rho, sigma_final : float
        Margin goal, drift, and width at time 1.
    truncate : bool, default=False
        If True, samples with margins below mu(t) have weight 0 and potential 1.
    pull : float, default=1.0
        1 if margins decay by ``exp(-dt)``, 0 if they do not decay.
    """

    theta: float
    rho: float
    sigma_final: float
    truncate: bool = False
    pull: float = 1.0

    def mu(self, t: float) -> float:
        """Return the margin of potential 1/2 (without truncation)."""
        left = 1.0 - t
        way = expm1(left) if self.pull else left
        return float(self.theta * exp(self.pull * left) - 2.0 * self.rho * way)

    def sigma(self, t: float) -> float:
        """Return the width of the potential, which is `sigma_final` at time 1."""
        left = 2.0 * self.pull * (1.0 - t)
        return float(np.sqrt(self.sigma_final * self.sigma_final * exp(left) + expm1(left)))

    def value(self, m: Floats, t: float) -> Floats:
        """Return Phi(m, t)."""
        tail = erfc((m - self.mu(t)) / self.sigma(t))
        return np.asarray(np.minimum(tail, 1.0) if self.truncate else 0.5 * tail)

    def log_weight(self, m: Floats, t: float) -> Floats:
        """Return ``ln w(m, t)``, where w is proportional to the slope of Phi; -inf for w = 0."""
        mu = self.mu(t)
        log_w = -np.square((m - mu) / self.sigma(t))
        return np.where(m > mu, log_w, -np.inf) if self.truncate else log_w

    def decay(self, dt: float) -> float:
        """Return the factor by which margins decay in a time step."""
        return float(exp(-self.pull * dt))


class MovingPotential(Potential):
    r"""Potential of RobustBoost.

    .. math::
        \sigma(t)^2 = (\sigma_f^2 + 1) e^{2(1 - t)} - 1, \qquad
        \mu(t) = (\theta - 2\rho) e^{1 - t} + 2\rho .

    The drift rho is determined by :math:`\Phi(0, 0) = \epsilon`.

    Parameters
    ----------
    epsilon, theta, sigma_final, truncate
        As in `RobustBoost`.

    Examples
    --------
    >>> potential = MovingPotential(0.1, theta=0.0, sigma_final=0.1, truncate=False)
    >>> round(potential.rho, 6), round(float(potential.value(np.zeros(1), 0.0)[0]), 6)
    (0.670366, 0.1)
    """

    def __init__(self, epsilon: float, theta: float, sigma_final: float, truncate: bool) -> None:
        quantile = erfc_inverse(epsilon if truncate else 2.0 * epsilon)
        sigma = Potential(theta, 0.0, sigma_final).sigma(0.0)
        rho = float((theta * np.e + sigma * quantile) / (2.0 * (np.e - 1.0)))
        super().__init__(theta, rho, sigma_final, truncate)


class BrownianPotential(Potential):
    r"""Half the potential of BrownBoost, with the time t as a fraction of c.

    .. math::
        \sigma(t)^2 = c, \qquad \mu(t) = -s, \qquad s = c (1 - t) .

    Parameters
    ----------
    c : float
        As in `BrownBoost`.

    Examples
    --------
    >>> potential = BrownianPotential(c=4.0)
    >>> potential.mu(0.25), potential.sigma(0.25), potential.decay(0.1)
    (-3.0, 2.0, 1.0)
    """

    def __init__(self, c: float) -> None:
        super().__init__(0.0, 0.5 * c, float(np.sqrt(c)), pull=0.0)


def solve_step(
    potential: Potential,
    m: Floats,
    u: Floats,
    weight: Floats,
    t: float,
) -> tuple[float, float]:
    """Return the steps in score and in time.

    Parameters
    ----------
    potential : Potential
        Potential of the booster.
    m, u, weight : ndarray of float64, shape (n,)
        Margins at time t; +1 where the classifier is right and -1 where it is wrong; sample
        weights.
    t : float
        Current time, below 1.

    Returns
    -------
    ds, dt : float
        Score step, at most 10, and time step. ``t + dt`` is 1 if the mean potential does not
        return to its initial value before time 1.
    """
    p = potential
    constants = float(p.theta), p.rho, float(p.sigma_final), bool(p.truncate), float(p.pull)
    # the kernels write the terms of a sum to work arrays first, so that the loops vectorise
    ds, dt = _solve((m, u, weight, np.empty_like(m), np.empty_like(m)), float(t), constants)
    return float(ds), float(dt)


@inner
def _centre_and_spread(t: float, constants: _Constants) -> tuple[float, float]:
    """Return mu(t) and sigma(t); see `Potential`."""
    theta, rho, sigma_final, _, pull = constants
    left = 2.0 * pull * (1.0 - t)
    way = expm1_(1.0 - t) if pull > 0.0 else 1.0 - t
    mu = theta * exp_(pull * (1.0 - t)) - 2.0 * rho * way
    return mu, math.sqrt(sigma_final * sigma_final * exp_(left) + expm1_(left))


@inner
def _mean_potential(rows: _Rows, decay: float, ds: float, t: float, constants: _Constants) -> float:
    m, u, weight, tail, _ = rows
    mu, sigma = _centre_and_spread(t, constants)
    for i in range(m.shape[0]):
        tail[i] = erfc_((m[i] * decay + u[i] * ds - mu) / sigma)
    total = 0.0
    for i in range(m.shape[0]):
        total += weight[i] * (min(tail[i], 1.0) if constants[3] else 0.5 * tail[i])
    return total


@inner
def _edge(state: tuple[_Rows, float, float, float, bool], ds: float) -> float:
    """Return the edge after a score step, relative to the largest weight."""
    rows, decay, mu, sigma, truncate = state
    m, u, weight, _, bell = rows
    nearest = np.inf  # smallest z * z; the logarithm of a weight is -z * z
    for i in range(m.shape[0]):
        z = (m[i] * decay + u[i] * ds - mu) / sigma
        if z > 0.0 or not truncate:
            nearest = min(nearest, z * z)
    edge = 0.0
    if nearest < np.inf:
        for i in range(m.shape[0]):
            z = (m[i] * decay + u[i] * ds - mu) / sigma
            bell[i] = exp_(nearest - z * z) if z > 0.0 or not truncate else 0.0
        for i in range(m.shape[0]):
            edge += weight[i] * u[i] * bell[i]
    return edge


def _root_of(function: Any) -> Any:
    """Return a compiled search for a root x of ``function(state, x)``."""

    @inner
    def root(state: Any, previous: float, x: float, f_previous: float, f: float) -> float:
        """Brent's method as in scipy; x is the best point, ``other`` across the root."""
        other, f_other, before, step = previous, f_previous, 0.0, 0.0
        while True:
            if (f_previous > 0.0) != (f > 0.0):
                other, f_other = previous, f_previous
                before = step = x - previous
            if abs(f_other) < abs(f):
                previous, x, other = x, other, x
                f_previous, f, f_other = f, f_other, f
            least = 0.5 * (_ABSOLUTE + _RELATIVE * abs(x))
            half = 0.5 * (other - x)
            if f == 0.0 or abs(half) < least:
                return x
            attempt = np.inf
            if abs(before) > least and abs(f) < abs(f_previous):
                slope = (f_previous - f) / (previous - x)
                attempt = -f / slope
                if previous != other:
                    far = (f_other - f) / (other - x)
                    attempt = -f * (f_other * far - f_previous * slope)
                    attempt /= far * slope * (f_other - f_previous)
            if 2.0 * abs(attempt) < min(abs(before), 3.0 * abs(half) - least):
                before, step = step, attempt
            else:
                before = step = half
            previous, f_previous = x, f
            x += step if abs(step) > least else math.copysign(least, half)
            f = function(state, x)

    return root


_no_edge: Callable[..., float] = _root_of(_edge)


@inner
def _score_step(rows: _Rows, t: float, dt: float, constants: _Constants) -> float:
    """Return the first ds in [0, 10] at which the edge is 0, or 10 if there is none."""
    mu, sigma = _centre_and_spread(t + dt, constants)
    state = (rows, exp_(-constants[4] * dt), mu, sigma, constants[3])
    low, stride = 0.0, _STRIDE * sigma
    at_low = _edge(state, low)
    if at_low <= 0.0:
        return 0.0
    while low < _MAX_SCORE_STEP:
        high = min(low + stride, _MAX_SCORE_STEP)
        at_high = _edge(state, high)
        if at_high <= 0.0:
            return _no_edge(state, low, high, at_low, at_high)
        low, at_low, stride = high, at_high, 1.1 * stride
    return _MAX_SCORE_STEP  # the edge stays positive


@inner
def _rise(state: tuple[_Rows, float, _Constants, float], dt: float) -> float:
    """Return the increase of the mean potential after a time step and its score step."""
    rows, t, constants, before = state
    ds = _score_step(rows, t, dt, constants)
    after: float = _mean_potential(rows, exp_(-constants[4] * dt), ds, t + dt, constants)
    return after - before


_back_again = _root_of(_rise)


@inner
def _newton_step(
    rows: _Rows, t: float, ds: float, dt: float, before: float, constants: _Constants
) -> tuple[float, float]:
    """Return Newton's update of (ds, dt); not finite if the Jacobian is singular."""
    m, u, weight, tail, bell = rows
    mu, sigma = _centre_and_spread(t + dt, constants)
    pull = constants[4]
    decay = exp_(-pull * dt)
    # derivatives with respect to time
    mu_slope, sigma_slope = 2.0 * constants[1] - pull * mu, -pull * (sigma + 1.0 / sigma)
    for i in range(m.shape[0]):
        z = (m[i] * decay + u[i] * ds - mu) / sigma
        tail[i], bell[i] = erfc_(z), exp_(-z * z)
    potential = edge = edge_by_ds = edge_by_dt = potential_by_dt = 0.0
    for i in range(m.shape[0]):
        z = (m[i] * decay + u[i] * ds - mu) / sigma
        z_by_dt = -(pull * m[i] * decay + mu_slope + z * sigma_slope) / sigma
        potential += weight[i] * tail[i]
        density = weight[i] * bell[i]
        edge += u[i] * density
        edge_by_ds += z * density
        edge_by_dt += u[i] * z * density * z_by_dt
        potential_by_dt += density * z_by_dt
    edge_by_ds *= -2.0 / sigma
    edge_by_dt *= -2.0
    scale = -1.0 / math.sqrt(math.pi)
    rise = 0.5 * potential - before
    rise_by_ds, rise_by_dt = scale * edge / sigma, scale * potential_by_dt
    determinant = rise_by_ds * edge_by_dt - rise_by_dt * edge_by_ds
    to_ds = (edge * rise_by_dt - rise * edge_by_dt) / determinant
    return to_ds, (rise * edge_by_ds - edge * rise_by_ds) / determinant


@inner
def _short_step(rows: _Rows, t: float, before: float, constants: _Constants) -> tuple[float, float]:
    """Return the solution (ds, dt) of Newton's method, or a negative dt if it fails."""
    none = (0.0, -1.0)
    mu, sigma = _centre_and_spread(t, constants)
    state = (rows, 1.0, mu, sigma, constants[3])
    stride = _STRIDE * sigma
    at_zero, at_stride = _edge(state, 0.0), _edge(state, stride)
    if at_zero <= 0.0:
        return none
    ds, dt = stride, 0.0
    if at_stride < 0.5 * at_zero:
        ds *= at_zero / (at_zero - at_stride)
    for _ in range(20):
        to_ds, to_dt = _newton_step(rows, t, ds, dt, before, constants)
        ds, dt = ds + to_ds, dt + to_dt
        if not (0.0 < ds < _MAX_SCORE_STEP and -_SHORT < dt < min(_SHORT, 0.5 * (1.0 - t))):
            return none
        if abs(to_ds) < _LAST_STEP and abs(to_dt) < _LAST_STEP:
            break
    else:
        return none
    return (ds, dt) if dt > 0.0 and _is_first(rows, t, ds, dt, constants) else none


@inner
def _is_first(rows: _Rows, t: float, ds: float, dt: float, constants: _Constants) -> bool:
    """Return True if the search for the first zero of the edge finds no zero before ds."""
    mu, sigma = _centre_and_spread(t + dt, constants)
    state = (rows, exp_(-constants[4] * dt), mu, sigma, constants[3])
    x, stride = 0.0, _STRIDE * sigma
    while x < ds:
        if _edge(state, x) <= 0.0:
            return False
        x, stride = x + stride, 1.1 * stride
    at_end: float = _edge(state, x)
    return at_end <= 0.0


@inner
def _bracketed_step(
    rows: _Rows, t: float, before: float, constants: _Constants
) -> tuple[float, float]:
    """Return the solution (ds, dt) by nested bracketing."""
    left = 1.0 - t
    state = (rows, t, constants, before)
    low, high = 0.0, min(_SHORT, 0.5 * left)
    at_low, at_high = _rise(state, low), _rise(state, high)
    while high < left and at_high < 0.0:
        low, at_low = high, at_high
        high = min(1.5 * high, left)
        at_high = _rise(state, high)
    if at_low >= 0.0:
        dt = low
    elif at_high <= 0.0:
        dt = high
    else:
        dt = _back_again(state, low, high, at_low, at_high)
    return _score_step(rows, t, dt, constants), dt


@kernel
def _solve(rows: _Rows, t: float, constants: _Constants) -> tuple[float, float]:
    before = _mean_potential(rows, 1.0, 0.0, t, constants)
    if not constants[3]:
        ds, dt = _short_step(rows, t, before, constants)
        if dt > 0.0:
            return ds, dt
    found: tuple[float, float] = _bracketed_step(rows, t, before, constants)
    return found
