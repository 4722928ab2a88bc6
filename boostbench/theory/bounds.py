"""Bounds on the training error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import exp
from boostbench.theory.layout import check_classes, check_gamma, require, uniform_baseline
from boostbench.theory.minimal import MinimalPotential
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


def make_potential(
    n_classes: int, gamma: float, *, condition: str = "uniform", eta: float | None = None
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
    if condition == "minimal":
        return MinimalPotential(n_classes, gamma, eta)
    what = f"condition must be 'uniform' or 'minimal', found {condition!r}"
    require(condition == "uniform", what)
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
