r"""Self-paced regularisers, which determine the latent weight of a sample from its loss.

Wang et al., "SPLBoost", Sec. II-B; Kumar, Packer & Koller 2010 (hard); Jiang et al. 2014 (linear,
logarithmic); Zhao et al. 2015 (mixture); Li et al. 2016 (polynomial).

==========================  =====================================================================
paper                       here
==========================  =====================================================================
lambda                      ``age``
l                           ``loss``
:math:`\hat f(v; \lambda)`  the penalty
v*(lambda; l)               ``weight(loss)``, the minimiser of v l + penalty over v in [0, 1]
F~_lambda(l)                ``latent(loss)``, the integral of ``weight`` from 0 to l
t, gamma, zeta              ``power``, ``gamma``, ``zeta``
==========================  =====================================================================

Samples with losses of at least lambda have weight 0 (mixture: lambda squared). For the exponential
loss these are the samples with margins of at most -ln(lambda).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import expm1, log, log1p, power

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Regulariser(ABC):
    """Self-paced regulariser, with methods that accept and return arrays of any shape.

    Parameters
    ----------
    age : float
        Age parameter lambda, positive. ``inf`` gives all samples the weight 1, except in
        `Mixture`.
    """

    age: float

    def weight(self, loss: ArrayLike) -> Numbers:
        """Return the latent weight v* in [0, 1] for non-negative losses."""
        loss = np.asarray(loss, dtype=np.float64)
        active = loss < self.threshold
        return np.where(active, self._weight(np.where(active, loss, 0.0)), 0.0)

    def latent(self, loss: ArrayLike) -> Numbers:
        """Return the latent loss, the integral of `weight` from 0 to the loss."""
        return self._latent(np.minimum(np.asarray(loss, dtype=np.float64), self.threshold))

    @property
    def threshold(self) -> float:
        """Smallest loss with latent weight 0."""
        return self.age

    @abstractmethod
    def _weight(self, loss: Numbers) -> Numbers:
        """Return v* for losses below the threshold."""

    @abstractmethod
    def _latent(self, loss: Numbers) -> Numbers:
        """Return the latent loss for losses up to the threshold."""


@dataclass(frozen=True)
class Hard(Regulariser):
    """Hard weighting (2): weight 1 below the threshold, else 0; the penalty is ``-age v``.

    Examples
    --------
    >>> Hard(2.0).weight([0.5, 1.9, 2.0]).tolist()
    [1.0, 1.0, 0.0]
    """

    def _weight(self, loss: Numbers) -> Numbers:
        return np.ones_like(loss)

    def _latent(self, loss: Numbers) -> Numbers:
        return loss


@dataclass(frozen=True)
class Linear(Regulariser):
    """Linear weighting ``1 - loss/age``; the penalty is ``age (v**2/2 - v)``.

    Examples
    --------
    >>> Linear(2.0).weight([0.5, 1.0, 3.0]).tolist()
    [0.75, 0.5, 0.0]
    """

    def _weight(self, loss: Numbers) -> Numbers:
        return 1.0 - loss / self.age

    def _latent(self, loss: Numbers) -> Numbers:
        return loss - loss * (0.5 * loss / self.age)


@dataclass(frozen=True)
class Polynomial(Regulariser):
    """Polynomial weighting ``(1 - loss/age)**(1/(t - 1))``.

    The penalty is ``age (v**t/t - v)``. The weight is convex in the loss for t < 2, linear for
    t = 2, and approaches `Hard` for large t.

    Parameters
    ----------
    age : float
        Age parameter lambda.
    power : float, default=4.0
        Exponent t > 1; 1.3 is the paper's "lowerconvex" and 4 its "upperconvex".

    Examples
    --------
    >>> Polynomial(3.0, 4.0).weight([1.0]).round(5).tolist()
    [0.87358]
    """

    power: float = 4.0

    def _weight(self, loss: Numbers) -> Numbers:
        return np.asarray(power(1.0 - loss / self.age, 1.0 / (self.power - 1.0)))

    def _latent(self, loss: Numbers) -> Numbers:
        if np.isinf(self.age):
            return loss
        t = self.power
        # 1 - (1 - l/age)**e without cancellation for small l/age
        remaining = -expm1(t / (t - 1.0) * log1p(-loss / self.age))
        return np.asarray(self.age * (t - 1.0) / t * remaining)


@dataclass(frozen=True)
class Mixture(Regulariser):
    """Mixture weighting ``min(1, gamma (1/sqrt(loss) - 1/age))``.

    The penalty is ``gamma**2 / (v + gamma/age)``. The weight is 0 for losses of at least age**2.
    Use the square root of the age of another regulariser to obtain the same threshold.

    Parameters
    ----------
    age : float
        Age parameter lambda.
    gamma : float, default=1.0
        Scale of the weight, positive.

    Examples
    --------
    >>> Mixture(2.0).weight([0.25, 1.0, 4.0]).tolist()
    [1.0, 0.5, 0.0]
    """

    gamma: float = 1.0

    @property
    def threshold(self) -> float:
        """Smallest loss with latent weight 0, ``age**2``."""
        return self.age * self.age

    @property
    def _knee(self) -> float:
        """Largest loss with latent weight 1."""
        return float(np.square(1.0 / (1.0 / self.age + 1.0 / self.gamma)))

    def _weight(self, loss: Numbers) -> Numbers:
        beyond = np.maximum(loss, self._knee)
        return np.minimum(1.0, self.gamma * (1.0 / np.sqrt(beyond) - 1.0 / self.age))

    def _latent(self, loss: Numbers) -> Numbers:
        a = self._knee
        beyond = np.maximum(loss, a)
        grown = 2.0 * (np.sqrt(beyond) - np.sqrt(a)) - (beyond - a) / self.age
        return np.asarray(np.minimum(loss, a) + self.gamma * grown)


@dataclass(frozen=True)
class Logarithmic(Regulariser):
    """Logarithmic weighting ``ln(s + zeta)/ln(zeta)`` with ``s = (1 - zeta) loss/age``.

    The penalty is ``age/(1 - zeta) (zeta v - zeta**v / ln(zeta))``. The regulariser of Jiang et al.
    is the special case ``age = 1 - zeta`` and restricts age to values below 1. The rescaled loss s
    permits any age; boosting needs ages above 1, because all exponential losses start at 1.

    Parameters
    ----------
    age : float
        Age parameter lambda.
    zeta : float, default=0.1
        Shape parameter, between 0 and 1.

    Examples
    --------
    >>> Logarithmic(3.0).weight([1.0, 3.0]).round(5).tolist()
    [0.39794, 0.0]
    """

    zeta: float = 0.1

    def _weight(self, loss: Numbers) -> Numbers:
        s = (1.0 - self.zeta) * (loss / self.age)
        return np.asarray(log(s + self.zeta) / log(self.zeta))

    def _latent(self, loss: Numbers) -> Numbers:
        if np.isinf(self.age):
            return loss
        z = self.zeta
        s = (1.0 - z) * (loss / self.age)
        # q(s + z) - q(z), q(u) = u (ln u - 1), without cancellation for small s
        grown = s * (log(z) - 1.0) + (s + z) * log1p(s / z)
        return np.asarray(self.age / (1.0 - z) * grown / log(z))


#: Regularisers by name.
REGULARISERS: dict[str, type[Regulariser]] = {
    "hard": Hard,
    "linear": Linear,
    "polynomial": Polynomial,
    "mixture": Mixture,
    "logarithmic": Logarithmic,
}
