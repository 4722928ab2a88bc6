r"""Drifting-game potentials of a fixed edge-over-random condition.

:math:`\phi_t(s)` is the best guaranteed loss of a sample in state s with t rounds left. The state
counts the votes for each label, the true label first. With the same baseline row b for all samples,
the optimal cost row and the potential are (32, 33)

.. math::
    c_l = \phi_{t-1}(s + e_l), \qquad \phi_t(s) = \langle c, b\rangle .

The potential is the expected loss after a random walk of t steps that takes direction l with
probability b_l (37). `boostbench.theory.minimal` defines the potentials of the minimal condition,
with the same methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.portable import exp, expm1, log, power, row_sums, total
from boostbench.theory.layout import check_classes, check_eta, check_rounds, require

Floats = NDArray[np.float64]

#: Limit on the size of the work arrays of the zero-one potential, to bound memory.
_CELLS = 4_000_000


class Potential(ABC):
    """Base class of potentials of a drifting game with ``n_classes`` labels."""

    n_classes: int

    @abstractmethod
    def values(self, states: ArrayLike, n_left: int) -> Floats:
        """Return the potential of every state, (n, K) -> (n,), with ``n_left`` rounds left."""

    def costs(self, states: ArrayLike, n_left: int) -> Floats:
        """Return the optimal cost rows, (n, K), of the first of ``n_left`` rounds (33, 48).

        The cost of a label is the potential after a vote for that label.
        """
        check_rounds(n_left, least=1)
        states = np.asarray(states)
        successors = states[:, None, :] + np.eye(self.n_classes, dtype=states.dtype)
        values = self.values(successors.reshape(-1, self.n_classes), n_left - 1)
        return values.reshape(-1, self.n_classes)


def zero_one_loss(states: ArrayLike) -> Floats:
    """Return 1 if some wrong label has at least as many votes as the true label, else 0 (19).

    States have shape (..., K), the losses (...).

    Examples
    --------
    >>> zero_one_loss([[0, 0, 0], [1, 0, 0]]).tolist()
    [1.0, 0.0]
    """
    states = np.asarray(states)
    tied_or_behind: NDArray[np.bool_] = states[..., 0] <= states[..., 1:].max(axis=-1)
    return tied_or_behind.astype(np.float64)


def exponential_loss(states: ArrayLike, eta: float) -> Floats:
    r"""Return :math:`\sum_{l>0} e^{\eta (s_l - s_0)}` (38), (..., K) -> (...)."""
    states = np.asarray(states, dtype=np.float64)
    return row_sums(exp(eta * (states[..., 1:] - states[..., :1])))


def final_loss(states: ArrayLike, eta: float | None) -> Floats:
    """Return the exponential loss with coefficient ``eta``, or the zero-one loss for None."""
    return zero_one_loss(states) if eta is None else exponential_loss(states, eta)


class ExponentialPotential(Potential):
    r"""Potentials of the exponential loss for a fixed baseline row, in closed form (Theorem 13).

    .. math::
        \phi_t(s) = \sum_{l>0} a_l^t e^{\eta(s_l - s_0)}, \qquad
        a_l = 1 - (b_0 + b_l) + e^{\eta} b_l + e^{-\eta} b_0 .

    Parameters
    ----------
    baseline : array_like of float, shape (K,)
        Distribution b, true label first.
    eta : float
        Coefficient of a vote, positive.

    Examples
    --------
    >>> phi = ExponentialPotential([0.4, 0.3, 0.2, 0.1], eta=0.3)
    >>> phi.values([[1, 0, 2, 0]], 5).round(6).tolist()
    [2.401842]
    """

    def __init__(self, baseline: ArrayLike, eta: float) -> None:
        self.baseline = _distribution(baseline)
        self.n_classes = len(self.baseline)
        check_eta(eta)
        self.eta = eta
        b_0, b = self.baseline[0], self.baseline[1:]
        self._growth = 1.0 + expm1(eta) * b + expm1(-eta) * b_0

    def values(self, states: ArrayLike, n_left: int) -> Floats:
        """Return the potential of every state, (n, K) -> (n,), with ``n_left`` rounds left."""
        check_rounds(n_left)
        states = np.asarray(states, dtype=np.float64)
        weight = exp(self.eta * (states[..., 1:] - states[..., :1]))
        return row_sums(weight * power(self._growth, n_left))

    def costs(self, states: ArrayLike, n_left: int) -> Floats:
        """Return the optimal cost rows, (n, K), of the first of ``n_left`` rounds (33).

        A vote for a wrong label multiplies the term of this label by exp(eta); a vote for the true
        label divides all terms by exp(eta).
        """
        check_rounds(n_left, least=1)
        states = np.asarray(states, dtype=np.float64)
        terms = exp(self.eta * (states[:, 1:] - states[:, :1])) * power(self._growth, n_left - 1)
        sums = row_sums(terms)[:, None]
        return np.hstack([exp(-self.eta) * sums, sums + expm1(self.eta) * terms])


class ZeroOnePotential(Potential):
    r"""Potentials of the zero-one loss for a fixed baseline row.

    A walk of t steps, x_l of them in direction l, ends with loss 0 iff x_l + s_l < x_0 + s_0 for
    all wrong l. Hence, with :math:`x_0 = j`,

    .. math::
        1 - \phi_t(s) = \sum_{j=0}^{t} \Pr[x_0 = j] \;\Pr[\text{all } x_l < j + s_0 - s_l] .

    The numbers of steps x_l are distributed as independent Poisson variables with means t b_l,
    conditioned on the sum t. For each j, the truncated Poisson distributions of the wrong labels
    are convolved and evaluated at the sum t - j. This avoids the overflow of factorials.

    Parameters
    ----------
    baseline : array_like of float, shape (K,)
        Distribution b, true label first.

    Notes
    -----
    Takes O(t^2) time per distinct state for K = 3, and O(t^3 K) for larger K.

    Examples
    --------
    >>> phi = ZeroOnePotential([0.4, 0.3, 0.2, 0.1])
    >>> phi.values([[1, 0, 2, 0]], 5).round(5).tolist()
    [0.65056]
    """

    def __init__(self, baseline: ArrayLike) -> None:
        self.baseline = _distribution(baseline)
        self.n_classes = len(self.baseline)
        wrong = self.baseline[1:]
        self._exchangeable = bool((wrong == wrong[0]).all())

    def values(self, states: ArrayLike, n_left: int) -> Floats:
        """Return the potential of every state, (n, K) -> (n,), with ``n_left`` rounds left."""
        check_rounds(n_left)
        states = np.asarray(states, dtype=np.int64)
        lead = np.clip(states[:, :1] - states[:, 1:], -n_left, n_left + 1)
        if self._exchangeable:
            lead = np.sort(lead, axis=1)
        lead, where = np.unique(lead, axis=0, return_inverse=True)
        distinct = np.empty(len(lead))
        chunk = max(1, _CELLS // (n_left + 1) ** 2)
        for start in range(0, len(lead), chunk):
            part = slice(start, start + chunk)
            distinct[part] = 1.0 - self._success(lead[part], n_left)
        return np.clip(distinct, 0.0, 1.0)[where.ravel()]

    def _success(self, lead: NDArray[np.intp], t: int) -> Floats:
        """Return the probability that all leads are positive at the end, (S, K-1) -> (S,)."""
        pmf = _poisson(self.baseline * t, t)
        count = np.arange(t + 1)
        # Axes: state, number j of steps to the true label, sum of steps to wrong labels so far.
        allowed = lead[:, :, None, None] + count[:, None] > count
        paths = np.where(allowed[:, 0], pmf[1], 0.0)
        for label in range(1, lead.shape[1] - 1):
            paths = _convolve(paths, np.where(allowed[:, label], pmf[label + 1], 0.0))
        if lead.shape[1] > 1:
            # Only the sum t - j is needed, so the last label requires no full convolution.
            last = np.where(allowed[:, -1], pmf[-1], 0.0)
            rest = np.subtract.outer(t - count, count)
            mirrored = np.where(
                rest >= 0, np.take_along_axis(last, np.maximum(rest, 0)[None], axis=2), 0.0
            )
            wrong = row_sums(paths * mirrored)
        else:
            wrong = paths[:, count, t - count]
        success: Floats = row_sums(wrong * pmf[0]) / _poisson(np.array([float(t)]), t)[0, t]
        return success


def _distribution(baseline: ArrayLike) -> Floats:
    b = np.asarray(baseline, dtype=np.float64)
    require(b.ndim == 1, f"a baseline row must have one axis, found shape {b.shape}")
    check_classes(len(b))
    require(
        bool((b >= 0).all()) and abs(total(b) - 1.0) < 1e-9,
        f"a baseline row must be a distribution, found {b.tolist()}",
    )
    return b


def _poisson(mean: Floats, most: int) -> Floats:
    """Return the Poisson probabilities of 0..most, shape (len(mean), most + 1)."""
    count = np.arange(most + 1)
    log_factorial = np.concatenate([[0.0], np.cumsum(log(np.arange(1, most + 1)))])
    with np.errstate(invalid="ignore"):
        log_power = np.where(count == 0, 0.0, count * log(mean)[:, None])
    pmf: Floats = exp(log_power - mean[:, None] - log_factorial)
    return pmf


def _convolve(left: Floats, right: Floats) -> Floats:
    """Convolve along the last axis, truncated to its length."""
    result = np.zeros_like(left)
    size = left.shape[-1]
    for x in range(size):
        result[..., x:] += right[..., x : x + 1] * left[..., : size - x]
    return result
