r"""Self-paced regularisers: how much a sample of a given loss may still say.

Wang et al., "SPLBoost", Sec. II-B; Kumar, Packer & Koller 2010 (hard); Jiang et al. 2014 (linear,
logarithmic); Zhao et al. 2015 (mixture); Li et al. 2016 (polynomial).

==========================  =====================================================================
paper                       here
==========================  =====================================================================
lambda                      ``age``
l                           ``loss``
:math:`\hat f(v; \lambda)`  ``penalty(v)``
v*(lambda; l)               ``weight(loss)``, the minimiser of ``v l + penalty(v)`` over v in [0, 1]
F~_lambda(l)                ``latent(loss)``, the integral of ``weight`` from 0 to l
t, gamma, zeta              ``power``, ``gamma``, ``zeta``
==========================  =====================================================================

For the exponential loss, age means the margin -ln(age): the samples beyond it are left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import exp, expm1, log, log1p, power

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Regulariser(ABC):
    """A self-paced regulariser; all methods take and return arrays of any shape.

    Parameters
    ----------
    age : float
        lambda, positive; ``inf`` keeps all samples (but with mixture weighting).
    """

    age: float

    @abstractmethod
    def penalty(self, v: ArrayLike) -> Numbers:
        """Return the regulariser at latent weights v in [0, 1]."""

    def weight(self, loss: ArrayLike) -> Numbers:
        """Return the latent weight v* in [0, 1] of samples of the given losses (not negative)."""
        loss = np.asarray(loss, dtype=np.float64)
        active = loss < self.threshold
        return np.where(active, self._weight(np.where(active, loss, 0.0)), 0.0)

    def latent(self, loss: ArrayLike) -> Numbers:
        """Return the latent loss, the integral of `weight` from 0 to the loss."""
        return self._latent(np.minimum(np.asarray(loss, dtype=np.float64), self.threshold))

    @property
    def threshold(self) -> float:
        """Loss from which on a sample is left out."""
        return self.age

    @abstractmethod
    def _weight(self, loss: Numbers) -> Numbers:
        """Return v* below the threshold."""

    @abstractmethod
    def _latent(self, loss: Numbers) -> Numbers:
        """Return the latent loss up to the threshold."""


@dataclass(frozen=True)
class Hard(Regulariser):
    """A sample counts fully, or not at all (2).

    Examples
    --------
    >>> Hard(2.0).weight([0.5, 1.9, 2.0]).tolist()
    [1.0, 1.0, 0.0]
    """

    def penalty(self, v: ArrayLike) -> Numbers:
        """Return ``-age v``."""
        return -self.age * np.asarray(v, dtype=np.float64)

    def _weight(self, loss: Numbers) -> Numbers:
        return np.ones_like(loss)

    def _latent(self, loss: Numbers) -> Numbers:
        return loss


@dataclass(frozen=True)
class Linear(Regulariser):
    """A sample counts ``1 - loss/age``.

    Examples
    --------
    >>> Linear(2.0).weight([0.5, 1.0, 3.0]).tolist()
    [0.75, 0.5, 0.0]
    """

    def penalty(self, v: ArrayLike) -> Numbers:
        """Return ``age (v**2/2 - v)``."""
        v = np.asarray(v, dtype=np.float64)
        return np.asarray(self.age * (0.5 * v**2 - v))

    def _weight(self, loss: Numbers) -> Numbers:
        return 1.0 - loss / self.age

    def _latent(self, loss: Numbers) -> Numbers:
        return loss - loss * (0.5 * loss / self.age)


@dataclass(frozen=True)
class Polynomial(Regulariser):
    """A sample counts ``(1 - loss/age)**(1/(t - 1))``: spiky for t < 2, near to `Hard` for large t.

    Parameters
    ----------
    age : float
    power : float, default=4.0
        t > 1; the paper's "lowerconvex" is 1.3, its "upperconvex" 4.

    Examples
    --------
    >>> Polynomial(3.0, 4.0).weight([1.0]).round(5).tolist()
    [0.87358]
    """

    power: float = 4.0

    def penalty(self, v: ArrayLike) -> Numbers:
        """Return ``age (v**t/t - v)``."""
        v = np.asarray(v, dtype=np.float64)
        return np.asarray(self.age * (power(v, self.power) / self.power - v))

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
    """Fully for small losses, then ``gamma (1/sqrt(loss) - 1/age)``.

    Samples are left out from the loss age**2 on; the square root of an age of the other
    regularisers leaves out as many as they do.

    Parameters
    ----------
    age : float
    gamma : float, default=1.0
        Positive.

    Examples
    --------
    >>> Mixture(2.0).weight([0.25, 1.0, 4.0]).tolist()
    [1.0, 0.5, 0.0]
    """

    gamma: float = 1.0

    def penalty(self, v: ArrayLike) -> Numbers:
        """Return ``gamma**2 / (v + gamma/age)``."""
        return self.gamma * self.gamma / (np.asarray(v, dtype=np.float64) + self.gamma / self.age)

    @property
    def threshold(self) -> float:
        """Loss from which on a sample is left out, ``age**2``."""
        return self.age * self.age

    @property
    def _knee(self) -> float:
        """Loss up to which a sample counts fully."""
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
    """A sample counts ``ln(s + zeta)/ln(zeta)`` with ``s = (1 - zeta) loss/age``.

    The regulariser of Jiang et al., whose age is below 1, is this one with ``age = 1 - zeta``; here
    the loss is scaled so that any age is possible, as boosting needs, where all losses start at 1.

    Parameters
    ----------
    age : float
    zeta : float, default=0.1
        Between 0 and 1.

    Examples
    --------
    >>> Logarithmic(3.0).weight([1.0, 3.0]).round(5).tolist()
    [0.39794, 0.0]
    """

    zeta: float = 0.1

    def penalty(self, v: ArrayLike) -> Numbers:
        """Return ``age/(1 - zeta) (zeta v - zeta**v / ln(zeta))``."""
        v = np.asarray(v, dtype=np.float64)
        z = self.zeta
        return np.asarray(self.age / (1.0 - z) * (z * v - exp(v * log(z)) / log(z)))

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
