r"""LPBoost: the soft margin of an ensemble, maximised by a linear program.

Demiriz, Bennett & Shawe-Taylor, "Linear programming boosting via column generation", 2002.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
u               ``own.p``                           (n,), sums to 1
beta            ``own.bound``
a               ``own.a``                           (t,), sums to 1
y_i H_ij        ``Z``                               (g, t)
nu              ``nu``
D = 1/(nu m)    ``w / nu``, of groups of rows       (g,)
==============  ==================================  ==============================
"""

from __future__ import annotations

from numbers import Real
from typing import Annotated

import numpy as np
from sklearn.utils._param_validation import Interval

from boostbench.boosters.column_generation import ColumnGeneration, Floats, Master, solve_evenly
from boostbench.boosters.ensemble import on_grid
from boostbench.boosters.state import BoostState
from boostbench.registry import boosters


@boosters.register("lpboost", printed="LPBoost", family="robust")
class LPBoost(ColumnGeneration):
    r"""Maximisation of the soft margin over convex combinations of weak classifiers.

    With m samples, :math:`D = 1/(\nu m)` and the weak classifiers h_1, h_2, ..., LPBoost solves

    .. math::
        \max_{a, \xi, \rho}\; \rho - D \sum_i \xi_i \quad \text{s.t.}\quad
        y_i \sum_j a_j h_j(x_i) + \xi_i \ge \rho, \quad \sum_j a_j = 1, \quad a, \xi \ge 0

    through the dual program, whose solution u weights the samples for the weak learner:

    .. math::
        \min_{u, \beta}\; \beta \quad \text{s.t.}\quad
        \sum_i u_i y_i h_j(x_i) \le \beta \;\forall j, \quad \sum_i u_i = 1, \quad 0 \le u \le D .

    Each round adds the classifier that maximises :math:`\sum_i u_i y_i h(x_i)`. Training ends if
    this maximum is at most beta, because no further classifier improves the objective.

    Parameters
    ----------
    n_estimators : int, default=100
        Maximum number of rounds T, at least 1.
    weak_learner : str, dict, object or None, default=None
        None uses C4.5, limited here to depth 3; the paper also uses stumps.
    nu : float, default=0.2
        Upper bound on the fraction of samples with margins below rho, in (0, 1]. The dual weight
        of a sample is at most 1/nu times its sample weight. Choose nu above the expected fraction
        of wrong labels.

    Attributes
    ----------
    stop_reason_ : str
        ``"converged"`` if the program over all classifiers is solved.

    Notes
    -----
    The score F = :math:`\sum_j a_j h_j` lies in [-1, 1] and does not estimate a probability.
    `predict_proba` returns the logistic function of 2 F, which is meaningful only as a ranking.

    References
    ----------
    Demiriz, Bennett & Shawe-Taylor 2002, Eqs. (6) and (7), Algorithm 4.1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> LPBoost(n_estimators=30).fit(X, y).score(X, y) > 0.97
    True
    """

    nu: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.2

    def begin(self, state: BoostState) -> Master:
        """Return the sample weights as u and a program without classifiers."""
        n = len(state.y)
        return Master(state.sample_weight, 0.0, 0.0, np.empty(0), np.empty((n, 0)))

    def solve(self, w: Floats, Z: Floats, bound: float) -> tuple[Floats, Floats, float, float]:
        """Solve the dual (7); the multipliers are a, and the objective is minus its value."""
        n, t = Z.shape
        x, a = solve_evenly(
            "LPBoost",
            w,
            c=np.append(np.zeros(n), 1.0),
            A=np.column_stack([Z.T, np.full(t, -1.0)]),
            b=np.zeros(t),
            limits=[*((0.0, d) for d in (w / self.nu).tolist()), (None, None)],
            sums_to_1=True,
        )
        beta = float(on_grid(x[-1]))
        return a, np.maximum(x[:-1], 0.0), beta, -beta
