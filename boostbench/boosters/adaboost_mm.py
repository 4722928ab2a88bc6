r"""AdaBoost.MM: multiclass boosting under the minimal weak-learning condition.

Mukherjee & Schapire, "A Theory of Multiclass Boosting", 2013, Algorithm 1. AdaBoost-Cost is the
same algorithm; GD-MCBoost (`boostbench.boosters.gd_mcboost`) is its variant with the exact step.

===============  ==================================  ==============================
paper            here                                shape
===============  ==================================  ==============================
f_t              ``state.scores``                    (n, K)
C_t              ``demand.cost``                     (n, K), scaled
h_t              ``h.labels``                        (n,)
A+, A-           ``gained``, ``lost``
delta_t          ``delta``
alpha_t          ``step.size``
===============  ==================================  ==============================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.loop import Booster
from boostbench.boosters.pairwise import pair_costs, pair_margins, pair_risk, pair_weights
from boostbench.boosters.state import TINY, BoostState, Step, softmax
from boostbench.portable import log, total
from boostbench.registry import boosters
from boostbench.theory.bounds import error_bound
from boostbench.weak_learners import Costs


@boosters.register("adaboost-mm", printed="AdaBoost.MM", family="multiclass-adaboost")
class AdaBoostMM(Booster):
    r"""Multiclass boosting under the minimal weak-learning condition, with exponential loss.

    Each round passes a cost matrix to a weak learner that predicts one label per sample,

    .. math::
        C_{il} = e^{F_{il} - F_{i y_i}} \; (l \ne y_i), \qquad
        C_{i y_i} = -\sum_{l \ne y_i} C_{il},

    and adds :math:`\alpha` to the score of the predicted label. Let :math:`A_+` be the sum of
    :math:`-C_{i y_i}` over the samples that h classifies correctly, :math:`A_-` the sum of
    :math:`C_{i h(x_i)}` over the misclassified samples, and L the sum of all
    :math:`C_{il}, l \ne y_i`. Then

    .. math::
        \delta = \frac{A_+ - A_-}{L}, \qquad
        \alpha = \tfrac12 \ln\frac{1+\delta}{1-\delta}
        \quad\text{or}\quad
        \alpha = \tfrac12 \ln\frac{A_+}{A_-},

    where the second step minimises the loss along h. The training error after T rounds is at
    most :math:`(K-1) \prod_t \sqrt{1 - \delta_t^2}`.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the paper's greedy tree, with 12 leaves because the paper gives no size.
    step : {"approximate", "exact"}, default="approximate"
        ``"approximate"`` is the first step, equation (70), as in the paper's experiments;
        ``"exact"`` is the second, equation (71).

    References
    ----------
    Mukherjee & Schapire 2013, Algorithm 1, (64)-(72); Theorem 25.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMM(n_estimators=30).fit(X, y).score(X, y)
    1.0
    """

    step: Literal["approximate", "exact"] = "approximate"

    paper_learner = "greedy", {"max_leaf_nodes": 12}  # Sec. 10

    def ask(self, state: BoostState) -> Costs:
        """Return the cost matrix (64), up to a positive factor."""
        v = pair_margins(state.scores, state.y)
        return Costs(pair_costs(pair_weights(v, self.importance(state)), state.y))

    def answer(self, state: BoostState, demand: Costs, h: Any) -> Step:
        """Return alpha by (70) or (71).

        A perfect h outweighs the sum of all earlier votes, the limit of an infinite step.
        """
        paid, right = demand.cost[np.arange(len(state.y)), h.labels], h.labels == state.y
        gained, lost = -total(paid[right]), total(paid[~right])
        most = -total(demand.cost[np.arange(len(state.y)), state.y])
        delta = (gained - lost) / most  # (68)
        if delta <= TINY:
            return Step(0.0, delta, stop="no edge", keep=False)
        if self.step == "exact":
            alpha = 0.5 * log(gained / max(lost, TINY * gained))  # (71)
        else:
            capped = min(delta, 1.0 - TINY)
            alpha = 0.5 * log((1.0 + capped) / (1.0 - capped))  # (70)
        if right.all():
            return Step(float(alpha) + votes(state), delta, stop="perfect weak learner")
        return Step(float(alpha), delta)

    def importance(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each pair in the loss, its sample weight, shape (n, 1)."""
        return state.sample_weight[:, None]

    def objective(self, state: BoostState) -> float:
        """Return the mean of ``sum_{l != y} exp(F_il - F_iy)`` (43)."""
        return pair_risk(pair_margins(state.scores, state.y), self.importance(state))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 1: the score of some wrong label is at least that of the true label."""
        return 1.0

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return ``(K - 1) prod_t sqrt(1 - delta_t^2)`` (Theorem 25)."""
        return error_bound(edges, n_classes)

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the soft-max of 2F; the population minimiser of the loss is 1/2 ln p + const."""
        return softmax(2.0 * F)


@boosters.register("adaboost-cost", printed="AdaBoost-Cost", family="multiclass-adaboost")
class AdaBoostCost(AdaBoostMM):
    """`AdaBoostMM` with the approximate step and trees of depth 2.

    This competitor in the MCBoost paper is the algorithm of Mukherjee & Schapire's conference
    paper, with the step (70) of their journal paper. With the exact step (71) it equals
    `GDMCBoost`. The strategy of constant steps of the conference paper, (42) of the other one, is
    `DriftingGame` with trees of depth 2 and its parameter `eta`, the step.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; the MCBoost paper's Table 2 uses 50.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's cost-minimising tree of depth 2.

    References
    ----------
    Mukherjee & Schapire 2010; Saberian & Vasconcelos 2011, Sec. 5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostCost(n_estimators=20).fit(X, y).score(X, y) > 0.95
    True
    """

    step: ClassVar[Any] = "approximate"  # type: ignore[misc]
    paper_learner = "tree", {"max_depth": 2}  # Saberian & Vasconcelos 2011, Sec. 5.3


def votes(state: BoostState) -> float:
    """Return the sum of the steps so far, which is the sum of the scores of any row."""
    return total(state.scores[0])
