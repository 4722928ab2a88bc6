r"""GD-MCBoost: gradient descent on the multiclass margin loss, equivalent to AdaBoost.MM.

Saberian & Vasconcelos, "Multiclass Boosting: Theory and Algorithms", 2011, Algorithm 1, right.

The weak learner predicts a class l with codeword :math:`y_l`, and a step updates
:math:`f \leftarrow f + \alpha_{GD}\, y_l`. The scores :math:`s_k = \langle f, y_k\rangle` change by
:math:`\alpha_{GD}\, (K 1_l - 1)/(K-1)`; up to a constant per sample, only the score of class l
changes. With :math:`F_k` the sum of :math:`\alpha = \frac{K}{2(K-1)} \alpha_{GD}` over the rounds
that predict k,

.. math::
    s = 2 (F - \text{mean}_k F_k), \qquad \tfrac12 (s_k - s_y) = F_k - F_y,

so the weights (31) give AdaBoost.MM's cost matrix, :math:`\langle y_l, w_i\rangle =
-\frac{K}{2(K-1)} C_{il}`, and the line search (33) gives AdaBoost.MM's exact step. The
implementation needs no codewords.

=====================  ==================================  ==============================
paper                  here                                shape
=====================  ==================================  ==============================
``<f(x_i), y_k> / 2``  ``state.scores``, up to a constant  (n, K)
``-<y_l, w_i>``        ``demand.cost``, up to a factor     (n, K)
g*(x_i)                ``h.labels``, the codeword's class  (n,)
alpha*                 ``2 (K - 1) / K * step.size``
=====================  ==================================  ==============================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.adaboost_mm import AdaBoostMM
from boostbench.boosters.line_search import falling_step
from boostbench.boosters.mcboost import LONGEST, LOSSES, MCBoost
from boostbench.boosters.pairwise import pair_costs, pair_risk, pair_weights
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import total
from boostbench.registry import boosters
from boostbench.weak_learners import Costs


@boosters.register("gd-mcboost", printed="GD-MCBoost", family="mcboost")
class GDMCBoost(MCBoost, AdaBoostMM):
    r"""`AdaBoostMM` with the exact step, trees of depth 2, and a choice of losses.

    With scores F (half of the paper's scores, up to a constant) and C, :math:`A_+`, :math:`A_-` as
    in `AdaBoostMM`, each round computes

    .. math::
        h = \arg\min_h \sum_i C_{i h(x_i)}, \qquad
        \alpha = \arg\min_\alpha R(F + \alpha 1_h)
        = \tfrac12 \ln\frac{A_+}{A_-} \text{ for the exponential loss.}

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; the paper's Table 2 uses 50.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's cost-minimising tree of depth 2.

    References
    ----------
    Saberian & Vasconcelos 2011, Algorithm 1, (30)-(33).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> GDMCBoost(n_estimators=30).fit(X, y).score(X, y) > 0.99
    True
    """

    step: ClassVar[Any] = "exact"  # type: ignore[misc]
    half: ClassVar[float] = 1.0
    paper_learner = "tree", {"max_depth": 2}  # Sec. 5.3

    def ask(self, state: BoostState) -> Costs:
        """Return ``-<y_l, w_i>`` (31, 32), up to a positive factor."""
        a = pair_weights(self.pair_margins(state), self.importance(state), LOSSES[self.loss])
        return Costs(pair_costs(a, state.y))

    def answer(self, state: BoostState, demand: Costs, h: Any) -> Step:
        """Return the step that minimises the risk along h (33)."""
        if self.loss == "exponential":
            return super().answer(state, demand, h)
        size = total(np.abs(demand.cost))
        paid = total(demand.cost[np.arange(len(state.y)), h.labels])
        edge = -paid / size if size > 0.0 else 0.0
        alpha = self._search(state, h.labels) if edge > TINY else 0.0
        if alpha == 0.0:
            return Step(0.0, edge, stop="no edge", keep=False)
        perfect = bool((h.labels == state.y).all())
        return Step(alpha, edge, stop="perfect weak learner" if perfect else "")

    def _search(self, state: BoostState, labels: NDArray[np.int32]) -> float:
        """Return the step for a loss without closed form.

        If h predicts the true label, the margins over all labels increase by the step; if it
        predicts l, the margin over l decreases.
        """
        v = self.pair_margins(state)
        answered = labels[:, None] == np.arange(state.n_classes)
        move = np.where((labels == state.y)[:, None], 1.0, np.where(answered, -1.0, 0.0))
        moved = (move != 0.0) & (v < np.inf)
        v, move, importance = v[moved], move[moved], self.importance(state)[moved]
        phi = LOSSES[self.loss]
        return falling_step(lambda step: pair_risk(v + step * move, importance, phi), LONGEST)

    def edge_bound(self, edges: Sequence[float], n_classes: int) -> NDArray[np.float64] | None:
        """Return the bound of `AdaBoostMM` for the exponential loss without costs, else None."""
        is_plain = self.loss == "exponential" and self.cost == "zero-one"
        return super().edge_bound(edges, n_classes) if is_plain else None
