r"""Robust focal loss, with the gradient and Hessian that gradient-boosting libraries require.

Luo, Quan & Xu, "Robust-GBDT: GBDT with nonconvex loss for tabular classification in the presence
of label noise and class imbalance", 2024 (arXiv:2310.05067). The loss is that of the authors'
code. The authors write out gradient and Hessian case by case; here both follow from the loss.

==========  ==================================  ==============================
symbol      here                                shape
==========  ==================================  ==============================
F           ``F``                               (n, K)
p           ``p``, the probability of label y   (n, 1)
l(p)        ``RobustFocalLoss.value``
p l'(p)     ``slope``                           (n, 1)
p^2 l''(p)  ``curvature``                       (n, 1)
==========  ==================================  ==============================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.state import softmax
from boostbench.portable import expm1, log, power

Floats = NDArray[np.float64]

#: Smallest distance of a probability from 0 and 1.
_CLOSE = 1e-12


@dataclass(frozen=True)
class RobustFocalLoss:
    r"""Robust focal loss of the probability p of the label, with derivatives by the scores.

    .. math::
        \ell(p) = (1 - p)^r \, \frac{1 - p^q}{q}, \qquad
        \frac{\partial \ell}{\partial F_k} = p\,\ell'(p)\, d_k, \qquad
        \frac{\partial^2 \ell}{\partial F_k^2}
        = p^2 \ell''(p)\, d_k^2 + p\,\ell'(p)\, d_k (1 - 2 p_k), \qquad
        d_k = 1[k = y] - p_k

    with p = softmax(F). For q = 0 the fraction is :math:`-\ln p`. Special cases are the cross
    entropy (r = q = 0), the focal loss (q = 0) and the generalised cross entropy (r = 0). For
    q > 0 the loss is at most 1/q, so that a sample that remains misclassified loses its influence.

    Parameters
    ----------
    r, q : float
        Exponents, not negative.

    Examples
    --------
    >>> RobustFocalLoss(r=0.0, q=1.0).value(np.array([0.25])).tolist()
    [0.75]
    """

    r: float
    q: float

    def __post_init__(self) -> None:
        if not (self.r >= 0.0 and self.q >= 0.0):
            raise ValueError(f"r and q must not be negative, found r={self.r!r} and q={self.q!r}")

    def value(self, p: Floats) -> Floats:
        """Return the loss for probabilities p of the label."""
        return np.asarray(_power(1.0 - p, self.r) * self._rest(p))

    def derivatives(self, y: NDArray[np.intp], p: Floats) -> tuple[Floats, Floats]:
        """Return the gradient and the diagonal of the Hessian, for p of shape (n, K)."""
        d = -p
        d[np.arange(len(y)), y] += 1.0
        slope, curvature = self._by_log_p(p[np.arange(len(y)), y][:, None])
        return slope * d, curvature * d**2 + slope * d * (1.0 - 2.0 * p)

    def _rest(self, p: Floats) -> Floats:
        """Return ``(1 - p^q)/q``."""
        return np.asarray(-expm1(self.q * log(p)) / self.q if self.q else -log(p))

    def _by_log_p(self, p: Floats) -> tuple[Floats, Floats]:
        """Return ``p l'(p)`` and ``p^2 l''(p)``."""
        p = np.clip(p, _CLOSE, 1.0 - _CLOSE)
        r, a, b = self.r, 1.0 - p, _power(p, self.q)  # for C = `_rest`: -p C' = b
        C = self._rest(p)  # and p^2 C'' = (1 - q) b
        slope = -r * p * _power(a, r - 1.0) * C - _power(a, r) * b
        curvature = r * (r - 1.0) * p**2 * _power(a, r - 2.0) * C
        curvature += 2.0 * r * p * _power(a, r - 1.0) * b + (1.0 - self.q) * _power(a, r) * b
        return slope, curvature


@dataclass(frozen=True)
class Objective:
    """Loss as a custom objective of the libraries, which use one score for two classes."""

    loss: RobustFocalLoss

    def __call__(self, y: Any, F: Any, sample_weight: Any = None) -> tuple[Floats, Floats]:
        """Return gradient and Hessian, in the shape of F."""
        F = np.asarray(F, dtype=np.float64)
        both = self.loss.derivatives(np.asarray(y).astype(np.intp), probabilities(F))
        if sample_weight is not None:
            both = both[0] * sample_weight[:, None], both[1] * sample_weight[:, None]
        return both if F.ndim == 2 else (both[0][:, 1], both[1][:, 1])


def probabilities(F: Floats) -> Floats:
    """Return class probabilities for scores (n, K), or for F_1 - F_0 of two classes, shape (n,)."""
    return softmax(F if F.ndim == 2 else np.column_stack([np.zeros_like(F), F]))


def _power(x: Floats, exponent: float) -> Floats:
    return np.asarray(power(x, exponent)) if exponent else np.ones_like(x)
