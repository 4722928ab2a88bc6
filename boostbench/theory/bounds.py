"""Bounds on the training error, and the parameters for which the theory's results hold.

Where the published constants cannot be checked, the ones here are derived and are sufficient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import exp, expm1, log1p
from boostbench.theory.layout import (
    check_classes,
    check_gamma,
    check_rounds,
    require,
    uniform_baseline,
)
from boostbench.theory.minimal import MAX_STATES, MinimalPotential, check_loss
from boostbench.theory.potentials import ExponentialPotential, Potential, ZeroOnePotential

Floats = NDArray[np.float64]


def error_bound(edges: ArrayLike, n_classes: int) -> Floats:
    r"""Return AdaBoost.MM's bound on the training error after each round (Theorem 25).

    .. math:: (K-1) \prod_{t} \sqrt{1 - \delta_t^2}

    It bounds the mean exponential loss too; with the exact step likewise.

    Parameters
    ----------
    edges : array_like of float, shape (T,)
        The edges delta_t (68) in [-1, 1].
    n_classes : int

    Returns
    -------
    bound : ndarray of float64, shape (T,)
        A fraction of the training set; trivial where it is 1 or more.

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
    r"""Return :math:`(K-1) e^{-\gamma^2 T/2}`, the error bound of T rounds of edge gamma."""
    check_classes(n_classes)
    check_gamma(gamma)
    rounds = np.asarray(n_rounds, dtype=np.float64)
    result: Floats = (n_classes - 1) * exp(-0.5 * gamma * gamma * rounds)
    return result


def loss_factor(delta: float, mass: float, alpha: float | None = None) -> float:
    r"""Return by what AdaBoost.MM's loss is multiplied in a round (Lemma 24, 66).

    .. math::
        \frac{L_{t+1}}{L_t}
        = 1 - c + \frac{c+\delta}{2} e^{-\alpha} + \frac{c-\delta}{2} e^{\alpha},

    and :math:`1 - c + \sqrt{c^2 - \delta^2}` at the exact step.

    Parameters
    ----------
    delta : float
        The edge (A+ - A-) / L.
    mass : float
        c = (A+ + A-) / L, in (0, 1] and at least |delta| (67).
    alpha : float, optional
        The step; by default the exact one.

    Returns
    -------
    factor : float

    Examples
    --------
    >>> round(loss_factor(0.5, 12.5 / 15), 6)
    0.833333
    """
    require(
        abs(delta) <= mass <= 1, f"expected |delta| <= mass <= 1, found delta {delta}, mass {mass}"
    )
    if alpha is None:
        return float(1.0 - mass + np.sqrt(mass * mass - delta * delta))
    return float(1.0 - mass + 0.5 * ((mass + delta) * exp(-alpha) + (mass - delta) * exp(alpha)))


def kappa(n_classes: int, gamma: float, eta: float) -> float:
    r"""Return the factor of the exponential loss per round with the uniform baseline (41).

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


def best_eta(n_classes: int, gamma: float) -> float:
    r"""Return the weight with the smallest kappa, :math:`\frac12\ln(1 + K\gamma/(1-\gamma))`."""
    return 0.5 * largest_eta(n_classes, gamma)


def smallest_kappa(n_classes: int, gamma: float) -> float:
    r"""Return kappa at `best_eta`, :math:`1 - (\sqrt{b_0} - \sqrt{b_1})^2` with b uniform."""
    b = uniform_baseline(n_classes, gamma)
    return float(1.0 - np.square(np.sqrt(b[0]) - np.sqrt(b[1])))


def largest_eta(n_classes: int, gamma: float) -> float:
    r"""Return the weight above which kappa exceeds 1 and the bound is trivial (Theorem 21, 61).

    It is :math:`\ln(1 + K\gamma/(1-\gamma))`; infinite for gamma = 1.
    """
    check_classes(n_classes)
    check_gamma(gamma)
    return float(log1p(n_classes * gamma / (1.0 - gamma))) if gamma < 1 else float("inf")


def degenerate_eta(n_classes: int, n_rounds: int) -> float:
    r"""Return the weight up to which every degree is K (Lemma 19, 53).

    Up to :math:`\frac14\min\{1/(K-1), 1/T\}` the minimal condition and the uniform baseline have
    the same potentials of the exponential loss.
    """
    check_classes(n_classes)
    check_rounds(n_rounds, least=1)
    return 0.25 * min(1.0 / (n_classes - 1), 1.0 / n_rounds)


def degenerate_gamma(n_classes: int, n_rounds: int) -> float:
    r"""Return the edge up to which a non-trivial bound forces `degenerate_eta` (Theorem 21, 62).

    It is :math:`\frac{1}{8K}\min\{1/(K-1), 1/T\}`.
    """
    return degenerate_eta(n_classes, n_rounds) / (2 * n_classes)


def payoff_gap_samples(n_classes: int, n_rounds: int, epsilon: float) -> int:
    r"""Return the samples for which two optimal payoffs differ by at most epsilon (Theorem 20, 58).

    The payoffs are those of the minimal condition and of the uniform baseline, with a weight up to
    `degenerate_eta`; :math:`n \ge T\zeta/\epsilon`, where :math:`\zeta = e^{1/4}(K-1)` bounds the
    spread of the loss.
    """
    check_classes(n_classes)
    check_rounds(n_rounds)
    require(epsilon > 0, f"epsilon must be positive, found {epsilon}")
    return int(np.ceil(n_rounds * exp(0.25) * (n_classes - 1) / epsilon))


def excess_error_bound(risk: float, least_risk: float) -> float:
    r"""Return the bound :math:`\sqrt{2(R - R^*)}` on the error above the Bayes error (Lemma 28).

    Parameters
    ----------
    risk, least_risk : float
        Expected exponential loss :math:`\sum_{l \ne y} e^{F_l - F_y}`, and its infimum.
    """
    return float(np.sqrt(2.0 * max(risk - least_risk, 0.0)))


@dataclass(frozen=True)
class PotentialBound:
    """The error bound of a drifting-game booster, phi_T(0), and how it was computed.

    Attributes
    ----------
    n_classes, n_rounds : int
    gamma : float
    condition : str
    loss : str
    eta : float or None
    value : float
    """

    n_classes: int
    n_rounds: int
    gamma: float
    condition: str
    loss: str
    eta: float | None
    value: float


def make_potential(
    n_classes: int,
    gamma: float,
    *,
    condition: str = "uniform",
    loss: str = "zero-one",
    eta: float | None = None,
    max_states: int = MAX_STATES,
) -> Potential:
    """Return the potential of a drifting game.

    Parameters
    ----------
    n_classes : int
    gamma : float
        Edge in [0, 1].
    condition : {"uniform", "minimal"}, default="uniform"
        The edge-over-random condition with the uniform baseline, or the minimal condition.
    loss : {"zero-one", "exponential"}, default="zero-one"
    eta : float, optional
        Weight of a vote, for the exponential loss.
    max_states : int, default=5_000_000
        Limit of the minimal condition's recursion.

    Returns
    -------
    potential : Potential
    """
    check_loss(loss, eta)
    require(
        condition in ("uniform", "minimal"),
        f"condition must be 'uniform' or 'minimal', found {condition!r}",
    )
    if condition == "minimal":
        return MinimalPotential(n_classes, gamma, loss, eta, max_states)
    baseline = uniform_baseline(n_classes, gamma)
    return ZeroOnePotential(baseline) if eta is None else ExponentialPotential(baseline, eta)


def potential_bound(
    n_classes: int,
    gamma: float,
    n_rounds: int,
    *,
    condition: str = "uniform",
    loss: str = "zero-one",
    eta: float | None = None,
    max_states: int = MAX_STATES,
) -> PotentialBound:
    """Return the loss bound phi_T(0) of T rounds of a drifting-game booster (28).

    Parameters
    ----------
    n_rounds : int
        T.
    n_classes, gamma, condition, loss, eta, max_states
        See `make_potential`.

    Returns
    -------
    bound : PotentialBound

    Examples
    --------
    >>> round(potential_bound(6, 0.0, 10).value, 6)
    0.884883
    >>> round(potential_bound(6, 0.0, 10, condition="minimal").value, 6)
    0.918557
    """
    potential = make_potential(
        n_classes, gamma, condition=condition, loss=loss, eta=eta, max_states=max_states
    )
    value = potential.values(np.zeros((1, n_classes), dtype=np.int64), n_rounds)[0]
    return PotentialBound(n_classes, n_rounds, gamma, condition, loss, eta, float(value))
