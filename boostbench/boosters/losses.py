r"""Margin losses of the binary boosters.

A loss is a function :math:`\phi(m)` of the margin :math:`m = y F(x)`, y in {-1, +1}. The weight of
a sample is :math:`-\phi'(m)`; a robust loss gives little weight to very negative margins.

==========================  =========================================  ===========================
name                        :math:`\phi(m)`                            minimised by
==========================  =========================================  ===========================
`EXPONENTIAL`               :math:`e^{-m}`                             AdaBoost, GentleBoost
`LOGISTIC`                  :math:`\ln(1 + e^{-m})`                    used in the papers' figures
`LOGISTIC_2`                :math:`\ln(1 + e^{-2m})`                   LogitBoost
`SQUARED`                   :math:`(1 - m)^2 = (y - F)^2`              L2Boost
`SAVAGE`                    :math:`(1 + e^{2m})^{-2}`                  SavageBoost
`SAVAGE2`                   :math:`(1 + e^m)^{-2}`                     RBoost
`TANGENT`                   :math:`(2 \arctan m - 1)^2`                TangentBoost, MCBoost
`ZERO_ONE`                  :math:`1[m \le 0]`
`Latent`                    :math:`\tilde F_\lambda(\phi(m))`          self-paced boosters
==========================  =========================================  ===========================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import arctan, exp, log, log1pexp

if TYPE_CHECKING:
    from boostbench.boosters.regularisers import Regulariser

#: Largest exponent: exp(700) is finite, and so is the sum of many such terms.
_MAX_EXPONENT = 700.0

Numbers = NDArray[np.float64]
_Function: TypeAlias = Callable[[Numbers], Numbers]


class MarginLoss:
    """Loss of the margin, with methods that accept and return arrays of any shape.

    Parameters
    ----------
    value : callable
        phi(m).
    derivative : callable or None, default=None
        phi'(m); None means ``-exp(log_weight(m))``, for a decreasing loss.
    log_weight : callable or None, default=None
        ``ln |phi'(m)|``; None means the logarithm of ``|derivative(m)|``.

    Examples
    --------
    >>> SAVAGE.weight([-3.0, 0.0]).round(5).tolist()
    [0.00984, 0.5]
    """

    def __init__(
        self,
        value: _Function,
        derivative: _Function | None = None,
        log_weight: _Function | None = None,
    ) -> None:
        self._value = value
        self._derivative = derivative
        self._log_weight = log_weight

    def value(self, margin: ArrayLike) -> Numbers:
        """Return phi(m)."""
        return np.asarray(self._value(np.asarray(margin, dtype=np.float64)))

    def derivative(self, margin: ArrayLike) -> Numbers:
        """Return phi'(m)."""
        m = np.asarray(margin, dtype=np.float64)
        if self._derivative is None:
            return np.asarray(-exp(self.log_weight(m)))
        return np.asarray(self._derivative(m))

    def weight(self, margin: ArrayLike) -> Numbers:
        """Return ``-phi'(m)``, the weight of a sample with margin m."""
        return -self.derivative(margin)

    def log_weight(self, margin: ArrayLike) -> Numbers:
        """Return ``ln |phi'(m)|``, without overflow or underflow; -inf at weight 0."""
        m = np.asarray(margin, dtype=np.float64)
        if self._log_weight is None:
            return np.asarray(log(np.abs(self.derivative(m))))
        return np.asarray(self._log_weight(m))


def _capped_exp(m: Numbers) -> Numbers:
    """Return ``exp(-m)``, with -m at most 700."""
    return np.asarray(exp(np.minimum(-m, _MAX_EXPONENT)))


def _logistic_loss(s: float) -> MarginLoss:
    """Return ``ln(1 + exp(-s m))``."""
    return MarginLoss(
        lambda m: np.asarray(log1pexp(-s * m)), None, lambda m: np.asarray(log(s) - log1pexp(s * m))
    )


def _savage_loss(s: float) -> MarginLoss:
    """Return ``(1 + exp(s m))**-2``, a bounded loss whose weight vanishes as m -> -inf."""
    return MarginLoss(
        lambda m: np.asarray(exp(-2.0 * log1pexp(s * m))),
        None,
        lambda m: np.asarray(log(2.0 * s) + s * m - 3.0 * log1pexp(s * m)),
    )


#: :math:`e^{-m}`
EXPONENTIAL = MarginLoss(_capped_exp, lambda m: -_capped_exp(m), lambda m: -m)
LOGISTIC = _logistic_loss(1.0)
LOGISTIC_2 = _logistic_loss(2.0)
SQUARED = MarginLoss(lambda m: np.square(1.0 - m), lambda m: -2.0 * (1.0 - m))
SAVAGE = _savage_loss(2.0)
SAVAGE2 = _savage_loss(1.0)
#: Penalises very large margins of either sign, bounded by :math:`(\pi + 1)^2`.
TANGENT = MarginLoss(
    lambda m: np.square(2.0 * arctan(m) - 1.0),
    lambda m: 4.0 * (2.0 * arctan(m) - 1.0) / (1.0 + np.square(m)),
)
#: 1 if the margin is at most 0, else 0; its weight is 0 everywhere.
ZERO_ONE = MarginLoss(lambda m: (m <= 0.0).astype(np.float64), np.zeros_like)


class Latent(MarginLoss):
    r"""Latent loss of a self-paced booster, which its alternating updates minimise.

    .. math::
        \tilde F_\lambda(\phi(m)), \qquad
        \tilde F_\lambda(\ell) = \int_0^\ell v^*(\lambda; s)\,ds

    (Wang et al., Sec. III-B). The latent loss is constant where the plain booster's loss
    exceeds the regulariser's threshold.

    Parameters
    ----------
    regulariser : Regulariser
        Defines :math:`v^*` and :math:`\tilde F_\lambda`.
    loss : MarginLoss, default=EXPONENTIAL
        Loss phi of the plain booster.

    Examples
    --------
    >>> from boostbench.boosters.regularisers import Linear
    >>> Latent(Linear(3.0)).weight([-2.0, -1.0, 0.0]).round(5).tolist()
    [0.0, 0.25526, 0.66667]
    """

    def __init__(self, regulariser: Regulariser, loss: MarginLoss = EXPONENTIAL) -> None:
        self.regulariser = regulariser
        super().__init__(
            lambda m: regulariser.latent(loss.value(m)),
            lambda m: regulariser.weight(loss.value(m)) * loss.derivative(m),
        )


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
