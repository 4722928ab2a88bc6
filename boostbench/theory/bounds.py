"""Bounds on the training error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import exp, expm1, log1p
from boostbench.theory.layout import check_classes, check_gamma, require, uniform_baseline
from boostbench.theory.minimal import MAX_STATES, MinimalPotential, state_count
from boostbench.theory.potentials import ExponentialPotential, Potential, ZeroOnePotential

Floats = NDArray[np.float64]


def error_bound(edges: ArrayLike, n_classes: int) -> Floats:
    r"""Return AdaBoost.MM's bound on the training error after each round (Theorem 25).

    .. math:: (K-1) \prod_{t} \sqrt{1 - \delta_t^2}

    The bound also holds for the mean exponential loss, and for both step sizes. ``edges`` are the
    delta_t (68), T numbers in [-1, 1]. The bound is a fraction of the training set, trivial if it
    is 1 or more.

    Examples
    --------
    >>> error_bound([0.6, 0.8], 3).round(6).tolist()
    [1.6, 0.96]
    """
    check_classes(n_classes)
    delta = np.asarray(edges, dtype=np.float64)
    require(bool((np.abs(delta) <= 1).all()), "edges must lie in [-1, 1]")
    return (n_classes - 1) * np.cumprod(np.sqrt(1.0 - np.square(delta)), dtype=np.float64)


def edge_bound(n_classes: int, gamma: float, n_rounds: ArrayLike) -> Floats:
    r"""Return :math:`(K-1) e^{-\gamma^2 T/2}`, the error bound after T rounds of edge gamma."""
    check_classes(n_classes)
    check_gamma(gamma)
    rounds = np.asarray(n_rounds, dtype=np.float64)
    result: Floats = (n_classes - 1) * exp(-0.5 * gamma * gamma * rounds)
    return result


def kappa(n_classes: int, gamma: float, eta: float) -> float:
    r"""Return kappa, the factor of the exponential loss per round, uniform baseline (41).

    .. math::
        \kappa = 1 + \frac{1-\gamma}{K}(e^{\eta} + e^{-\eta} - 2) - (1 - e^{-\eta})\gamma

    Then :math:`\phi_t(s) = \kappa^t \phi_0(s)` (40) and the error is at most
    :math:`(K-1)\kappa^T`.
    """
    check_classes(n_classes)
    check_gamma(gamma)
    spread = expm1(eta) + expm1(-eta)
    return float(1.0 + (1.0 - gamma) / n_classes * spread + expm1(-eta) * gamma)


def default_eta(gamma: float) -> float:
    r"""Return :math:`\ln(1+\gamma)`, for which :math:`\kappa \le 1 - \gamma^2/2`."""
    check_gamma(gamma)
    return float(log1p(gamma))


def smallest_kappa(n_classes: int, gamma: float) -> float:
    r"""Return the smallest kappa, :math:`1 - (\sqrt{b_0} - \sqrt{b_1})^2`, uniform baseline b.

    The minimum is attained at :math:`\eta = \frac12\ln(1 + K\gamma/(1-\gamma))`.
    """
    b = uniform_baseline(n_classes, gamma)
    return float(1.0 - np.square(np.sqrt(b[0]) - np.sqrt(b[1])))


def make_potential(
    n_classes: int,
    gamma: float,
    *,
    condition: str = "uniform",
    eta: float | None = None,
) -> Potential:
    """Return the potential of a drifting game.

    Parameters
    ----------
    n_classes : int
        Number K of classes.
    gamma : float
        Edge in [0, 1].
    condition : {"uniform", "minimal"}, default="uniform"
        Edge-over-random condition with the uniform baseline, or minimal condition.
    eta : float or None, default=None
        Coefficient of a vote in the exponential loss; None selects the zero-one loss.
    """
    require(
        condition in ("uniform", "minimal"),
        f"condition must be 'uniform' or 'minimal', found {condition!r}",
    )
    if condition == "minimal":
        return MinimalPotential(n_classes, gamma, eta)
    baseline = uniform_baseline(n_classes, gamma)
    return ZeroOnePotential(baseline) if eta is None else ExponentialPotential(baseline, eta)


def potential_bound(n_classes: int, gamma: float, n_rounds: int, **game: Any) -> float:
    """Return phi_T(0), the loss bound after T rounds of a drifting game (28).

    The keyword arguments are those of `make_potential`.

    Examples
    --------
    >>> round(potential_bound(6, 0.0, 10), 6)
    0.884883
    >>> round(potential_bound(6, 0.0, 10, condition="minimal"), 6)
    0.918557
    """
    potential = make_potential(n_classes, gamma, **game)
    return float(potential.values(np.zeros((1, n_classes), dtype=np.int64), n_rounds)[0])


def compare_bounds(n_classes: int, gamma: float, n_rounds: int) -> dict[str, float | None]:
    """Return the bounds on the training error after T rounds of edge gamma, by name.

    Returns
    -------
    bounds : dict
        ``uniform`` and ``minimal``: phi_T(0) of the zero-one loss under the two conditions, where
        ``minimal`` is None if the game has more than `MAX_STATES` states. ``exponential`` and
        ``best_exponential``: (K - 1) kappa^T with eta = ln(1 + gamma) and with the best eta.
        ``adaboost_mm``: `edge_bound`.
    """
    is_small = state_count(n_classes, n_rounds) <= MAX_STATES
    minimal = {"condition": "minimal"}
    factor = kappa(n_classes, gamma, default_eta(gamma))
    return {
        "uniform": potential_bound(n_classes, gamma, n_rounds),
        "minimal": potential_bound(n_classes, gamma, n_rounds, **minimal) if is_small else None,
        "exponential": (n_classes - 1) * factor**n_rounds,
        "best_exponential": (n_classes - 1) * smallest_kappa(n_classes, gamma) ** n_rounds,
        "adaboost_mm": float(edge_bound(n_classes, gamma, n_rounds)),
    }
