"""The potential of RobustBoost: a step function's smooth forerunner, which moves with time.

Freund, "A more robust boosting algorithm", 2009 (arXiv:0905.2138).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.portable import erfc, erfc_inverse, exp


@dataclass(frozen=True)
class Potential:
    r"""Probability that a sample of margin m at time t ends below the margin theta.

    .. math::
        \sigma(t)^2 = (\sigma_f^2 + 1) e^{2(1 - t)} - 1, \qquad
        \mu(t) = (\theta - 2\rho) e^{1 - t} + 2\rho, \qquad
        \Phi(m, t) = \tfrac12 \mathrm{erfc}\frac{m - \mu(t)}{\sigma(t)} .

    Parameters
    ----------
    epsilon, theta, sigma_final, truncate
        As of `RobustBoost`.

    Examples
    --------
    >>> potential = Potential(epsilon=0.1)
    >>> round(potential.rho, 6), round(float(potential.value(np.zeros(1), 0.0)[0]), 6)
    (0.670366, 0.1)
    """

    epsilon: float = 0.1
    theta: float = 0.0
    sigma_final: float = 0.1
    truncate: bool = False

    @property
    def rho(self) -> float:
        """Return the drift for which ``Phi(0, 0) = epsilon``."""
        quantile = erfc_inverse(self.epsilon if self.truncate else 2.0 * self.epsilon)
        return float((self.theta * np.e + self.sigma(0.0) * quantile) / (2.0 * (np.e - 1.0)))

    def mu(self, t: float) -> float:
        """Return the margin whose chance is even."""
        return float((self.theta - 2.0 * self.rho) * exp(1.0 - t) + 2.0 * self.rho)

    def sigma(self, t: float) -> float:
        """Return the spread, `sigma_final` at time 1."""
        return float(
            np.sqrt((self.sigma_final * self.sigma_final + 1.0) * exp(2.0 * (1.0 - t)) - 1.0)
        )

    def value(self, m: NDArray[np.float64], t: float) -> NDArray[np.float64]:
        """Return Phi(m, t)."""
        tail = erfc((m - self.mu(t)) / self.sigma(t))
        return np.asarray(np.minimum(tail, 1.0) if self.truncate else 0.5 * tail)

    def log_weight(self, m: NDArray[np.float64], t: float) -> NDArray[np.float64]:
        """Return ``ln w(m, t)``, the slope of Phi up to a factor; -inf where it is 0."""
        mu = self.mu(t)
        log_w = -np.square((m - mu) / self.sigma(t))
        return np.where(m > mu, log_w, -np.inf) if self.truncate else log_w
