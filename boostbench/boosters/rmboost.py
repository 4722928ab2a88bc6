r"""RMBoost: the smallest worst-case error over distributions that agree with the weak classifiers.

Mazuelas & Alvarez, "Robust minimax boosting with performance guarantees", NeurIPS 2025
(arXiv:2510.13445).

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
mu              ``own.a``                           (t,)
tau             ``tau``: mean of y h_j(x)           (t,)
lambda          ``own.bound``
alpha, beta     ``alpha``, ``beta``                 (n,)
R               ``own.value``
==============  ==================================  ==============================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.column_generation import ColumnGeneration, Floats, Master, solve_evenly
from boostbench.boosters.declared import Positive
from boostbench.boosters.ensemble import on_grid
from boostbench.boosters.state import BoostState
from boostbench.portable import row_sums, total


class RMBoost(ColumnGeneration):
    r"""Boosting that minimises the worst-case probability of error, robust to any label noise.

    The distributions considered are those under which every weak classifier agrees with the label
    as often as on the samples, up to lambda:
    :math:`|\mathbb{E}[y h_j(x)] - \tau_j| \le \lambda` with
    :math:`\tau_j = \frac1n \sum_i y_i h_j(x_i)`. The smallest worst-case error, and the rule that
    has it, follow from a linear program (Theorem 1):

    .. math::
        R = \min_\mu\; \tfrac12 - \tau^\top \mu + \lambda \|\mu\|_1 \quad \text{s.t.} \quad
        |F(x_i)| \le \tfrac12, \quad F = \sum_j \mu_j h_j, \quad
        P(y \mid x) = \tfrac12 + y F(x) .

    Its dual has :math:`\alpha, \beta \ge 0` for the two sides of the constraint; each round adds
    the classifier that best fits the signs of

    .. math::
        p_i = \tfrac1n y_i - \alpha_i + \beta_i

    weighted by :math:`|p_i|`, and training is over when :math:`\sum_i p_i h(x_i) \le \lambda` for
    all classifiers: the weights p take back what the votes know already, however wrong a sample's
    label is.

    Parameters
    ----------
    n_estimators : int, default=100
        Largest number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None is the paper's tree of 10 leaves.
    deviation : float or None, default=None
        The paper's lambda, positive; None is :math:`1/\sqrt{n}` for n samples.

    Attributes
    ----------
    minimax_risk_ : float
        R after the last round, a bound on the probability of error where the distribution of the
        samples is one of those considered, in [0, 1/2].
    stop_reason_ : str
        ``"converged"`` if the program over all classifiers is solved.

    Notes
    -----
    The constraint holds for the training samples, as in the authors' program, and the weak learner
    gets the weights, where theirs draws samples by them. They estimate lambda on held-out
    samples where there are more than 1000; here it is the same for all classifiers.

    References
    ----------
    Mazuelas & Alvarez 2025, Theorem 1 and Sec. 5.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> booster = RMBoost(n_estimators=30).fit(X, y)
    >>> booster.score(X, y) > 0.97, 0.0 < booster.minimax_risk_ < 0.2
    (True, True)
    """

    deviation: Positive | None = None

    paper_learner = "tree", {"max_leaf_nodes": 10}

    def begin(self, state: BoostState) -> Master:
        """Set lambda, and ask for the labels as they are."""
        n = len(state.y)
        bound = self.deviation or float(1.0 / np.sqrt(state.n_samples))
        self.minimax_risk_ = 0.5
        return Master(state.sample_weight, bound, 0.5, np.empty(0), np.empty((n, 0)))

    def solve(self, w: Floats, Z: Floats, bound: float) -> tuple[Floats, Floats, float, float]:
        """Solve the dual: the least alpha + beta that bring every classifier within lambda."""
        n, t = Z.shape
        tau = row_sums(Z.T * w)
        x, multipliers = solve_evenly(
            "RMBoost",
            w,
            c=np.full(2 * n, 0.5),
            A=np.block([[-Z.T, Z.T], [Z.T, -Z.T]]),
            b=np.concatenate([bound - tau, bound + tau]),
            limits=[(0.0, None)] * (2 * n),
        )
        alpha, beta = x[:n], x[n:]
        self.minimax_risk_ = float(on_grid(0.5 - 0.5 * total(x)))
        return multipliers[:t] - multipliers[t:], w - alpha + beta, bound, self.minimax_risk_

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``1/2 + y F(x)`` within [0, 1] (Theorem 1)."""
        p = np.clip(0.5 + F[:, 1] - F[:, 0], 0.0, 1.0)
        return np.column_stack([1.0 - p, p])
