r"""Robust-GBDT: gradient boosting by XGBoost on a bounded loss.

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
from xgboost import XGBClassifier

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

    def value(self, p: Floats) -> Floats:
        """Return the loss of probabilities of the label."""
        return np.asarray((1.0 - p) ** self.r * self._rest(p))

    def derivatives(self, y: NDArray[np.intp], p: Floats) -> tuple[Floats, Floats]:
        """Return gradient and diagonal of the Hessian by the scores, for p of shape (n, K)."""
        d = -p
        d[np.arange(len(y)), y] += 1.0
        slope, curvature = self._by_log_p(p[np.arange(len(y)), y][:, None])
        return slope * d, curvature * d**2 + slope * d * (1.0 - 2.0 * p)

    def _rest(self, p: Floats) -> Floats:
        """Return ``(1 - p^q)/q``."""
        log_p = np.log(p)
        return np.asarray(-np.expm1(self.q * log_p) / self.q if self.q else -log_p)

    def _by_log_p(self, p: Floats) -> tuple[Floats, Floats]:
        """Return ``p l'(p)`` and ``p^2 l''(p)``."""
        p = np.clip(p, _CLOSE, 1.0 - _CLOSE)
        r, a, b = self.r, 1.0 - p, p**self.q  # -p C' = b and p^2 C'' = (1 - q) b for C = `_rest`
        C = self._rest(p)
        slope = -r * p * a ** (r - 1.0) * C - a**r * b
        curvature = r * (r - 1.0) * p**2 * a ** (r - 2.0) * C
        curvature += 2.0 * r * p * a ** (r - 1.0) * b + (1.0 - self.q) * a**r * b
        return slope, curvature


@dataclass(frozen=True)
class Objective:
    """The loss in the form that XGBoost asks for; of two classes it has one score, F_1 - F_0."""

    loss: RobustFocalLoss

    def __call__(self, y: Any, F: Any) -> tuple[Floats, Floats]:
        """Return gradient and Hessian, in the shape of F."""
        y, F = np.asarray(y).astype(np.intp), np.asarray(F, dtype=np.float64)
        scores = F if F.ndim == 2 else np.column_stack([np.zeros_like(F), F])
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        gradient, hessian = self.loss.derivatives(y, p)
        return (gradient, hessian) if F.ndim == 2 else (gradient[:, 1], hessian[:, 1])


class RobustGBDT(XGBClassifier):
    """XGBoost on the robust focal loss, bounded: samples that stay wrong lose their influence.

    Parameters
    ----------
    r, q : float, default=0.0 and 0.5
        Of `RobustFocalLoss`; the authors choose r in {0, 0.5, 1} and q in {0, 0.1, 0.3, 0.5}.
    **kwargs
        Parameters of XGBoost, except for ``objective``.
    """

    def __init__(self, *, r: float = 0.0, q: float = 0.5, **kwargs: Any) -> None:
        self.r, self.q = r, q
        if not (r >= 0.0 and q >= 0.0):
            raise ValueError(f"r and q must not be negative, found r={r!r} and q={q!r}")
        kwargs.pop("objective", None)  # a clone hands it back
        super().__init__(objective=Objective(RobustFocalLoss(float(r), float(q))), **kwargs)

    def get_xgb_params(self) -> dict[str, Any]:
        """Return the parameters of the library alone."""
        params: dict[str, Any] = super().get_xgb_params()
        return {name: value for name, value in params.items() if name not in ("r", "q")}
