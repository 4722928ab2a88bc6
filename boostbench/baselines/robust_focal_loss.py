r"""The robust focal loss: what a library of gradient boosting asks for, and a sample loses by it.

Luo, Quan & Xu, "Robust-GBDT: GBDT with nonconvex loss for tabular classification in the presence
of label noise and class imbalance", 2024 (arXiv:2310.05067). The loss is the one of the authors'
code, whose gradient and Hessian are written out case by case; here they follow from the loss.

=========  ==================================  ==============================
symbol     here                                shape
=========  ==================================  ==============================
F          ``F``                               (n, K)
p          ``p``, the probability of label y   (n, 1)
l(p)       ``RobustFocalLoss.value``
p l'(p)    ``slope``                           (n, 1)
p^2 l''(p) ``curvature``                       (n, 1)
=========  ==================================  ==============================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.state import softmax
from boostbench.portable import expm1, log, power

Floats = NDArray[np.float64]

#: Nearest distance of a probability to 0 and 1.
_CLOSE = 1e-12


@dataclass(frozen=True)
class RobustFocalLoss:
    r"""The robust focal loss of the probability p of the label, and its derivatives by the scores.

    .. math::
        \ell(p) = (1 - p)^r \, \frac{1 - p^q}{q}, \qquad
        \frac{\partial \ell}{\partial F_k} = p\,\ell'(p)\, d_k, \qquad
        \frac{\partial^2 \ell}{\partial F_k^2}
        = p^2 \ell''(p)\, d_k^2 + p\,\ell'(p)\, d_k (1 - 2 p_k), \qquad
        d_k = 1[k = y] - p_k

    with p = softmax(F). For q = 0 the fraction is :math:`-\ln p`: r = q = 0 is the cross entropy,
    q = 0 the focal loss, r = 0 the generalised cross entropy. For q > 0 the loss is at most 1/q,
    so that a sample that stays wrong loses its influence.

    Parameters
    ----------
    r, q : float
        Not negative.

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
        """Return the loss of probabilities of the label."""
        return np.asarray(_power(1.0 - p, self.r) * self._rest(p))

    def derivatives(self, y: NDArray[np.intp], p: Floats) -> tuple[Floats, Floats]:
        """Return gradient and diagonal of the Hessian by the scores, for p of shape (n, K)."""
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
    """The loss in the form that the libraries ask for; of two classes they have one score."""

    loss: RobustFocalLoss

    def __call__(self, y: Any, F: Any, sample_weight: Any = None) -> tuple[Floats, Floats]:
        """Return gradient and Hessian, in the shape of F."""
        F = np.asarray(F, dtype=np.float64)
        both = self.loss.derivatives(np.asarray(y).astype(np.intp), probabilities(F))
        if sample_weight is not None:
            both = both[0] * sample_weight[:, None], both[1] * sample_weight[:, None]
        return both if F.ndim == 2 else (both[0][:, 1], both[1][:, 1])


def probabilities(F: Floats) -> Floats:
    """Return those of scores of shape (n, K), or of two classes those of F_1 - F_0, shape (n,)."""
    return softmax(F if F.ndim == 2 else np.column_stack([np.zeros_like(F), F]))


def _power(x: Floats, exponent: float) -> Floats:
    return np.asarray(power(x, exponent)) if exponent else np.ones_like(x)
