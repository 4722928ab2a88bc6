r"""Margin losses: what binary boosters minimise, as small objects.

A loss is a function :math:`\phi(m)` of the margin :math:`m = y F(x)`, y in {-1, +1}. The weight it
gives a sample is :math:`-\phi'(m)`; a robust loss gives little weight to very negative margins.

==========================  =========================================  ===========================
name                        :math:`\phi(m)`                            minimised by
==========================  =========================================  ===========================
`EXPONENTIAL`               :math:`e^{-m}`                             AdaBoost, GentleBoost
`LOGISTIC`                  :math:`\ln(1 + e^{-m})`                    the papers' figures
`LOGISTIC_2`                :math:`\ln(1 + e^{-2m})`                   LogitBoost
`SQUARED`                   :math:`(1 - m)^2 = (y - F)^2`              L2Boost
`SAVAGE`                    :math:`(1 + e^{2m})^{-2}`                  SavageBoost
`SAVAGE2`                   :math:`(1 + e^m)^{-2}`                     RBoost
`TANGENT`                   :math:`(2 \arctan m - 1)^2`                TangentBoost
`ZERO_ONE`                  :math:`1[m \le 0]`
`Latent`                    :math:`\tilde F_\lambda(\phi(m))`          self-paced boosters
==========================  =========================================  ===========================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import arctan, exp, log, log1pexp

if TYPE_CHECKING:
    from boostbench.boosters.regularisers import Regulariser

#: Largest exponent: exp(700) is finite, and so is a sum of many of them.
_MAX_EXPONENT = 700.0

Numbers = NDArray[np.float64]


class MarginLoss(ABC):
    """A loss of the margin; all methods take and return arrays of any shape."""

    @abstractmethod
    def value(self, margin: ArrayLike) -> Numbers:
        """Return phi(m)."""

    @abstractmethod
    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return phi'(m)."""

    def weight(self, margin: ArrayLike) -> Numbers:
        """Return ``-phi'(m)``, the weight of a sample of margin m."""
        return -self.derivative(margin)

    def log_weight(self, margin: ArrayLike) -> Numbers:
        """Return ``ln |phi'(m)|``, which neither overflows nor underflows; -inf at weight 0."""
        return np.asarray(log(np.abs(self.derivative(margin))))


@dataclass(frozen=True)
class Exponential(MarginLoss):
    r"""Exponential loss :math:`e^{-m}`.

    Examples
    --------
    >>> EXPONENTIAL.weight([-1.0, 0.0]).round(5).tolist()
    [2.71828, 1.0]
    """

    def value(self, margin: ArrayLike) -> Numbers:
        """Return ``exp(-m)``, with -m at most 700."""
        return np.asarray(exp(np.minimum(-np.asarray(margin, dtype=np.float64), _MAX_EXPONENT)))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return ``-exp(-m)``."""
        return -self.value(margin)

    def log_weight(self, margin: ArrayLike) -> Numbers:
        """Return ``-m``."""
        return -np.asarray(margin, dtype=np.float64)


@dataclass(frozen=True)
class Logistic(MarginLoss):
    r"""Logistic loss :math:`\ln(1 + e^{-sm})`.

    Parameters
    ----------
    scale : float, default=1.0
        s, positive: 1 in the papers' figures, 2 in LogitBoost (Friedman, Hastie & Tibshirani 2000).
    """

    scale: float = 1.0

    def value(self, margin: ArrayLike) -> Numbers:
        """Return ``ln(1 + exp(-s m))``."""
        return np.asarray(log1pexp(-self.scale * np.asarray(margin, dtype=np.float64)))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return ``-s / (1 + exp(s m))``."""
        return np.asarray(-exp(self.log_weight(margin)))

    def log_weight(self, margin: ArrayLike) -> Numbers:
        """Return ``ln s - ln(1 + exp(s m))``."""
        m = self.scale * np.asarray(margin, dtype=np.float64)
        return np.asarray(log(self.scale) - log1pexp(m))


@dataclass(frozen=True)
class Savage(MarginLoss):
    r"""Savage loss :math:`(1 + e^{sm})^{-2}`: bounded, its weight falls again for m < 0.

    Parameters
    ----------
    scale : float, default=2.0
        s, positive: 2 is the Savage loss (Masnadi-Shirazi & Vasconcelos 2009), 1 the Savage2 loss
        (Miao et al. 2016).

    Examples
    --------
    >>> SAVAGE.weight([-3.0, 0.0]).round(5).tolist()
    [0.00984, 0.5]
    """

    scale: float = 2.0

    def value(self, margin: ArrayLike) -> Numbers:
        """Return ``(1 + exp(s m))**-2``."""
        m = self.scale * np.asarray(margin, dtype=np.float64)
        return np.asarray(exp(-2.0 * log1pexp(m)))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return ``-2 s exp(s m) / (1 + exp(s m))**3``."""
        return np.asarray(-exp(self.log_weight(margin)))

    def log_weight(self, margin: ArrayLike) -> Numbers:
        """Return ``ln(2 s) + s m - 3 ln(1 + exp(s m))``."""
        m = self.scale * np.asarray(margin, dtype=np.float64)
        return np.asarray(log(2.0 * self.scale) + m - 3.0 * log1pexp(m))


@dataclass(frozen=True)
class Squared(MarginLoss):
    r"""Squared loss :math:`(1 - m)^2`, which is :math:`(y - F)^2` for y in {-1, +1}."""

    def value(self, margin: ArrayLike) -> Numbers:
        """Return ``(1 - m)**2``."""
        return np.square(1.0 - np.asarray(margin, dtype=np.float64))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return ``-2 (1 - m)``, positive for m > 1."""
        return -2.0 * (1.0 - np.asarray(margin, dtype=np.float64))


@dataclass(frozen=True)
class Tangent(MarginLoss):
    r"""Tangent loss :math:`(2 \arctan m - 1)^2` (Masnadi-Shirazi et al. 2010).

    It penalises very large margins of either sign, bounded by :math:`(\pi + 1)^2`.
    """

    def value(self, margin: ArrayLike) -> Numbers:
        """Return ``(2 arctan(m) - 1)**2``."""
        return np.asarray(np.square(2.0 * arctan(margin) - 1.0))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return ``4 (2 arctan(m) - 1) / (1 + m**2)``."""
        m = np.asarray(margin, dtype=np.float64)
        return np.asarray(4.0 * (2.0 * arctan(m) - 1.0) / (1.0 + np.square(m)))


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """0-1 loss: 1 for a margin that is not positive; no weight anywhere."""

    def value(self, margin: ArrayLike) -> Numbers:
        """Return ``1[m <= 0]``."""
        return (np.asarray(margin) <= 0.0).astype(np.float64)

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return 0, the derivative almost everywhere."""
        return np.zeros_like(np.asarray(margin, dtype=np.float64))


@dataclass(frozen=True)
class Latent(MarginLoss):
    r"""The loss a self-paced booster minimises without ever computing it.

    .. math::
        \tilde F_\lambda(\phi(m)), \qquad
        \tilde F_\lambda(\ell) = \int_0^\ell v^*(\lambda; s)\,ds

    (Wang et al., Sec. III-B). It is the loss of the plain booster for small losses and constant
    beyond the regulariser's threshold.

    Parameters
    ----------
    regulariser : Regulariser
        Gives :math:`v^*` and :math:`\tilde F_\lambda`.
    loss : MarginLoss, default=EXPONENTIAL
        The plain booster's loss phi.

    Examples
    --------
    >>> from boostbench.boosters.regularisers import Linear
    >>> Latent(Linear(3.0)).weight([-2.0, -1.0, 0.0]).round(5).tolist()
    [0.0, 0.25526, 0.66667]
    """

    regulariser: Regulariser
    loss: MarginLoss = Exponential()

    def value(self, margin: ArrayLike) -> Numbers:
        """Return the latent loss of ``phi(m)``."""
        return self.regulariser.latent(self.loss.value(margin))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return ``v*(phi(m)) phi'(m)``."""
        return self.regulariser.weight(self.loss.value(margin)) * self.loss.derivative(margin)


def logistic(z: Numbers) -> Numbers:
    """Return ``1 / (1 + exp(-z))`` without overflow."""
    return np.asarray(exp(-log1pexp(-z)))


EXPONENTIAL = Exponential()
LOGISTIC = Logistic(1.0)
LOGISTIC_2 = Logistic(2.0)
SQUARED = Squared()
SAVAGE = Savage(2.0)
SAVAGE2 = Savage(1.0)
TANGENT = Tangent()
ZERO_ONE = ZeroOne()

#: Losses by name.
LOSSES: dict[str, MarginLoss] = {
    "exponential": EXPONENTIAL,
    "logistic": LOGISTIC,
    "logistic-2": LOGISTIC_2,
    "squared": SQUARED,
    "savage": SAVAGE,
    "savage2": SAVAGE2,
    "tangent": TANGENT,
    "zero-one": ZERO_ONE,
}
