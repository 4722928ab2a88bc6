r"""Four objectives of multi-class deep boosting and their derivatives along a classifier.

Kuznetsov, Mohri & Syed, "Multi-class deep boosting", 2014, Sec. 3.1-3.2. With scores F and
:math:`V_{iy} = 1 - (F_{iy_i} - F_{iy})` for the wrong labels :math:`y \ne y_i` of row i:

=========  ====  ============================  ==================================
objective  Eq.   loss of row i                 weights W
=========  ====  ============================  ==================================
`Max`      6     ``max_y Phi(V_iy)``           ``Phi'(max_y V_iy)``
`Sum`      7     ``sum_y Phi(V_iy)``           ``Phi'(V_iy)``
`MaxSum`   8     ``Phi(1 - R_i)``              ``Phi'(1 - R_i)``
`CompSum`  9     ``Phi1(sum_y Phi2(V_iy))``    ``Phi1'(sum) Phi2'(V_iy)``
=========  ====  ============================  ==================================

Phi is the exponential or the logistic function, ``Phi1(u) = log2(1 + u)`` and ``Phi2(v) = exp(v)``.
R_i is the sum of the classifiers' weighted margins, which is ``2 F[i, y_i] - sum_y F[i, y]`` for
classifiers that predict one label. (The paper prints a non-increasing Phi1; it must be
non-decreasing.) The paper derives the weights of `Sum`; the weights of the remaining objectives
follow by the chain rule.

With S the sum of W and D = W / S, the derivative along a classifier h is ``-S/m (1 - 2 eps)``:

====================  ===========================================================
paper                 here
====================  ===========================================================
S_t                   ``m * exp(distribution.log_scale)``
D_t(i, y)             ``distribution.wrong[i, y]`` of `Sum` and `CompSum`
eps_t,j (Eq. 12)      ``error_of(labels of h_j, distribution.cost(y))``
====================  ===========================================================
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from boostbench.boosters.state import TINY
from boostbench.compiled import kernel
from boostbench.portable import exp, log, log1pexp, row_sums, total

#: Closed-form step along a classifier of error `TINY`, and the upper limit of line searches.
MAX_STEP = 11.512925464920228  # 1/2 ln((1 - TINY) / TINY)
Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int32]

_LN2, _LOG_LN2 = 0.6931471805599453, -0.36651292058166435
_TIE = 1e-9


class Phi(NamedTuple):
    """Convex loss Phi(v), increasing in v = 1 - margin.

    Attributes
    ----------
    value : callable
        Phi(v).
    log_slope : callable
        ln Phi'(v).
    """

    value: Callable[[Floats], Floats]
    log_slope: Callable[[Floats], Floats]


#: exp(v)
EXPONENTIAL = Phi(exp, lambda v: v)
#: log2(1 + exp(v))
LOGISTIC = Phi(
    lambda v: log1pexp(v) / _LN2,
    lambda v: -log1pexp(-v) - _LOG_LN2,
)


class Distribution(NamedTuple):
    """S_t and D_t of Figure 1, arranged by the contributions of predicted labels to E_D[g].

    Attributes
    ----------
    log_scale : float
        ln(S_t / m).
    right : ndarray of float64, shape (n,)
        Contribution of each row to E_D[g] if classified correctly; sums to 1.
    wrong : ndarray of float64, shape (n, K)
        Amount subtracted from E_D[g] if y is predicted instead; 0 at the true label.
    """

    log_scale: float
    right: Floats
    wrong: Floats

    @property
    def inverse_scale(self) -> float:
        """Ratio m / S_t, capped to stay finite, so that a penalty of 0 remains 0."""
        return float(exp(min(-self.log_scale, 700.0)))

    def downwards(self) -> Distribution:
        """Return the distribution of the left derivative of `Max`, towards smaller coefficients.

        If several labels attain the maximum of a row, lowering one does not lower the maximum.
        """
        is_only = np.count_nonzero(self.wrong, axis=1) == 1
        return self._replace(wrong=self.wrong * is_only[:, None])

    def cost(self, y: Labels) -> Floats:
        """Return the contribution of each label to eps (Eq. 12), shape (n, K)."""
        cost: Floats = 0.5 * (self.right[:, None] + self.wrong)
        cost[np.arange(len(y)), y] = 0.0
        return cost


@kernel
def error_of(labels: Labels, cost: Floats) -> float:  # pragma: no cover
    """Return the summed cost of one label per row; equals eps for `Distribution.cost`."""
    error = 0.0
    for i in range(labels.shape[0]):
        error += cost[i, labels[i]]
    return error


def closed_step(right: float, wrong: float, b: float, alpha: float) -> float:
    """Return the eta >= -alpha that minimises ``right e^-eta + wrong e^eta + b eta``.

    Equal to the printed root, ``ln(-b/(2 wrong) + sqrt((b/(2 wrong))^2 + right/wrong))``, but
    computed without cancellation. The root is below -alpha iff
    ``right e^alpha - wrong e^-alpha < b``.
    """
    if right <= 0.0:
        return -alpha
    root = b + math.sqrt(b * b + 4.0 * right * wrong)
    return max(float(log(2.0 * right / root)), -alpha)


class Objective(ABC):
    """Loss part of an objective, a function of scores, labels and row weights.

    Parameters
    ----------
    phi : Phi
        Loss Phi; `CompSum` fixes Phi and has no such parameter.
    offset : float, default=1.0
        Margin at which the loss is Phi(0); 1 in the paper.
    """

    #: True if the objective is differentiable, so that the bound of Figure 1 holds.
    smooth: ClassVar[bool] = True
    #: True if the exact step has a closed form for the exponential loss.
    closed: ClassVar[bool] = False

    def __init__(self, phi: Phi = EXPONENTIAL, offset: float = 1.0) -> None:
        self.phi = phi
        self.offset = offset

    @abstractmethod
    def losses(self, F: Floats, y: Labels) -> Floats:
        """Return the loss of each row, shape (n,)."""

    @abstractmethod
    def weigh(self, F: Floats, y: Labels, sample_weight: Floats) -> Distribution:
        """Return S and D at scores F (Eq. 11), for positive weights that sum to 1."""

    def exact_step(
        self,
        F: Floats,
        y: Labels,
        sample_weight: Floats,
        D: Distribution,
        labels: Labels,
        b: float,
        alpha: float,
    ) -> float:
        """Return the eta >= -alpha that minimises the objective along a classifier.

        Parameters
        ----------
        F, y, sample_weight
            As in `weigh`.
        D : Distribution
            Distribution at F.
        labels : ndarray of int32, shape (n,)
            Labels predicted by the classifier.
        b : float
            Penalty ``Lambda m / S`` of the classifier.
        alpha : float
            Current coefficient of the classifier.
        """
        if self.closed and self.phi is EXPONENTIAL:
            missed = np.flatnonzero(labels != y)
            right = 1.0 - total(D.right[missed])
            wrong = max(total(D.wrong[missed, labels[missed]]), TINY)
            return closed_step(right, wrong, b, alpha)
        rows = np.arange(len(y))

        def slope(eta: float) -> float:
            moved = F.copy()
            moved[rows, labels] += eta
            there = self.weigh(moved, y, sample_weight)
            edge = 1.0 - 2.0 * error_of(labels, there.cost(y))
            return float(b - exp(there.log_scale - D.log_scale) * edge)

        if slope(0.0) < 0.0:
            low, high = 0.0, 1.0
            while slope(high) < 0.0:
                if high == MAX_STEP:
                    return high
                low, high = high, min(2.0 * high, MAX_STEP)
        elif alpha > 0.0 and slope(-alpha) < 0.0:
            low, high = -alpha, 0.0
        else:
            return -alpha
        return float(brentq(slope, low, high, xtol=1e-13))


class Sum(Objective):
    """Phi summed over the wrong labels (Eq. 7)."""

    closed = True

    def losses(self, F: Floats, y: Labels) -> Floats:
        """Return ``sum_y Phi(V_iy)``."""
        return row_sums(self.phi.value(_shortfalls(F, y, self.offset)))

    def weigh(self, F: Floats, y: Labels, sample_weight: Floats) -> Distribution:
        """Return D proportional to ``Phi'(V_iy)`` (Eq. 11)."""
        log_W = self.phi.log_slope(_shortfalls(F, y, self.offset))
        return _over_pairs(log_W, sample_weight)


class CompSum(Objective):
    """Phi1 of the sum of Phi2 over the wrong labels, the multinomial logistic loss (Eq. 9)."""

    def __init__(self, offset: float = 1.0) -> None:
        super().__init__(LOGISTIC, offset)

    def losses(self, F: Floats, y: Labels) -> Floats:
        """Return ``log2(1 + sum_y exp(V_iy))``."""
        return self.phi.value(_log_sum_exp(_shortfalls(F, y, self.offset)))

    def weigh(self, F: Floats, y: Labels, sample_weight: Floats) -> Distribution:
        """Return D proportional to ``exp(V_iy) / (1 + sum_z exp(V_iz))``."""
        V = _shortfalls(F, y, self.offset)
        log_Z = _log_sum_exp(V)
        return _over_pairs(V + (self.phi.log_slope(log_Z) - log_Z)[:, None], sample_weight)


class MaxSum(Objective):
    """Phi of the classifiers' weighted margins (Eq. 8)."""

    def losses(self, F: Floats, y: Labels) -> Floats:
        """Return ``Phi(1 - R_i)``."""
        return self.phi.value(self._shortfalls(F, y))

    def weigh(self, F: Floats, y: Labels, sample_weight: Floats) -> Distribution:
        """Return D proportional to ``Phi'(1 - R_i)``, equal for all wrong labels of a row."""
        wrong = np.ones(F.shape, dtype=np.bool_)
        wrong[np.arange(len(y)), y] = False
        return _over_rows(self.phi.log_slope(self._shortfalls(F, y)), sample_weight, wrong)

    def _shortfalls(self, F: Floats, y: Labels) -> Floats:
        R: Floats = 2.0 * F[np.arange(len(y)), y] - row_sums(F)
        return self.offset - R


class Max(Objective):
    """Phi of the smallest margin (Eq. 6)."""

    smooth = False

    def losses(self, F: Floats, y: Labels) -> Floats:
        """Return ``max_y Phi(V_iy)``."""
        return self.phi.value(_shortfalls(F, y, self.offset).max(axis=1))

    def weigh(self, F: Floats, y: Labels, sample_weight: Floats) -> Distribution:
        """Return D proportional to ``Phi'(max_y V_iy)``.

        If several V_iy attain the maximum, raising one of them raises the maximum.
        """
        V = _shortfalls(F, y, self.offset)
        v = V.max(axis=1)
        return _over_rows(self.phi.log_slope(v), sample_weight, v[:, None] - V <= _TIE)


def _shortfalls(F: Floats, y: Labels, offset: float) -> Floats:
    """Return V, with -inf at the true labels, so that they have weight 0 in sums and maxima."""
    rows = np.arange(len(y))
    V: Floats = F - (F[rows, y] - offset)[:, None]
    V[rows, y] = -np.inf
    return V


def _log_sum_exp(V: Floats) -> Floats:
    top = V.max(axis=1)
    return np.asarray(top + log(row_sums(exp(V - top[:, None]))))


def _normalised(log_W: Floats) -> tuple[float, Floats]:
    """Return ln(sum W) and W / sum W, without overflow or underflow of the sum."""
    top = float(log_W.max())
    D = exp(log_W - top)
    size = total(D)
    D /= size
    return top + float(log(size)), D


def _over_pairs(log_W: Floats, sample_weight: Floats) -> Distribution:
    log_scale, D = _normalised(log_W + log(sample_weight)[:, None])
    return Distribution(log_scale, row_sums(D), D)


def _over_rows(log_W: Floats, sample_weight: Floats, counts: NDArray[np.bool_]) -> Distribution:
    """Return a distribution with weights W of the rows and the wrong labels marked by counts."""
    log_scale, D = _normalised(log_W + log(sample_weight))
    return Distribution(log_scale, D, D[:, None] * counts)
