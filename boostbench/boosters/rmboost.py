r"""RMBoost: minimisation of the worst-case probability of error by a linear program.

Mazuelas & Alvarez, "Robust minimax boosting with performance guarantees", NeurIPS 2025
(arXiv:2510.13445).

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
mu              ``own.a``                           (t,)
tau             ``tau``, mean of y h_j(x)           (t,)
lambda          ``own.bound``
alpha, beta     ``alpha``, ``beta``                 (n,)
R               ``own.value``
==============  ==================================  ==============================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.column_generation import ColumnGeneration, Floats, Master, solve_evenly
from boostbench.boosters.ensemble import on_grid
from boostbench.boosters.state import BoostState
from boostbench.declared import Positive
from boostbench.portable import row_sums, total
from boostbench.registry import boosters


@boosters.register("rmboost", printed="RMBoost", family="robust")
class RMBoost(ColumnGeneration):
    r"""Robust minimax boosting: minimisation of the worst-case probability of error.

    The worst case is taken over the uncertainty set of all distributions with
    :math:`|\mathbb{E}[y h_j(x)] - \tau_j| \le \lambda` for every weak classifier :math:`h_j`,
    where :math:`\tau_j = \frac1n \sum_i y_i h_j(x_i)` is the correlation with the label on the
    training samples. The minimax error R and the minimax rule solve a linear program (Theorem 1):

    .. math::
        R = \min_\mu\; \tfrac12 - \tau^\top \mu + \lambda \|\mu\|_1 \quad \text{s.t.} \quad
        |F(x_i)| \le \tfrac12, \quad F = \sum_j \mu_j h_j, \quad
        P(y \mid x) = \tfrac12 + y F(x) .

    The dual program has variables :math:`\alpha, \beta \ge 0` for the two sides of the constraint
    on F. Each round adds a classifier h fitted to the signs of

    .. math::
        p_i = \tfrac1n y_i - \alpha_i + \beta_i

    with weights :math:`|p_i|`. Training ends when :math:`\sum_i p_i h(x_i) \le \lambda` for all
    classifiers. Samples with :math:`y_i F(x_i) = -\tfrac12` gain weight. Samples with
    :math:`y_i F(x_i) = \tfrac12` lose weight and may be passed to the weak learner with the
    opposite label.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's tree of 10 leaves.
    deviation : float or None, default=None
        Width lambda of the uncertainty set, positive; None uses :math:`1/\sqrt{n}` for n samples.

    Attributes
    ----------
    minimax_risk_ : float
        R after the last round, in [0, 1/2]; an upper bound on the probability of error if the
        uncertainty set contains the true distribution.
    stop_reason_ : str
        ``"converged"`` if the program over all classifiers is solved.

    Notes
    -----
    The constraint on F applies to the training samples, as in the authors' program. The weak
    learner is trained on weighted samples; the authors draw samples with these weights. With more
    than 1000 samples, the authors estimate lambda on held-out samples; here lambda is the same for
    all classifiers.

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
        """Return a program without classifiers, with lambda and weights for the given labels."""
        n = len(state.y)
        bound = self.deviation or float(1.0 / np.sqrt(state.n_samples))
        self.minimax_risk_ = 0.5
        return Master(state.sample_weight, bound, 0.5, np.empty(0), np.empty((n, 0)))

    def solve(self, w: Floats, Z: Floats, bound: float) -> tuple[Floats, Floats, float, float]:
        """Solve the dual: minimise the sum of alpha and beta subject to the lambda constraints."""
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
        """Return ``1/2 + y F(x)`` clipped to [0, 1] (Theorem 1)."""
        p = np.clip(0.5 + F[:, 1] - F[:, 0], 0.0, 1.0)
        return np.column_stack([1.0 - p, p])
