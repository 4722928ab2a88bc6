r"""Common parts of CD-MCBoost and GD-MCBoost: losses, costs of confusions, probabilities.

Saberian & Vasconcelos, "Multiclass Boosting: Theory and Algorithms", 2011. The boosters are in
`boostbench.boosters.cd_mcboost` and `boostbench.boosters.gd_mcboost`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.cost_matrices import label_costs
from boostbench.boosters.loop import Booster
from boostbench.boosters.losses import EXPONENTIAL, LOGISTIC_2, TANGENT, MarginLoss
from boostbench.boosters.pairwise import pair_margins, pair_risk
from boostbench.boosters.state import BoostState, softmax
from boostbench.portable import arctan

Floats = NDArray[np.float64]

#: Losses phi by name (Sec. 4, end).
LOSSES: dict[str, MarginLoss] = {
    "exponential": EXPONENTIAL,
    "logistic": LOGISTIC_2,
    "tangent": TANGENT,
}

#: Largest change of a margin in one round, for losses other than the exponential loss.
LONGEST = 10.0


@dataclass
class Confusions:
    """State of an MCBoost booster.

    Attributes
    ----------
    importance : ndarray of float64, shape (n, K)
        Sample weight times the cost of predicting each class.
    """

    importance: Floats


class MCBoost(Booster):
    r"""Base class of boosters that minimise the risk

    .. math::
        R(f) = \sum_i \sum_{k \ne y_i} c_{y_i k}\,
        \phi\bigl(\tfrac12 \langle f(x_i), y_{y_i} - y_k\rangle\bigr)

    over predictors f with values in :math:`\mathbb R^{K-1}`. The paper's risk (13) is larger by
    the constant n.

    Parameters
    ----------
    loss : {"exponential", "logistic", "tangent"}, default="exponential"
        Loss :math:`\phi(v)`: :math:`e^{-v}`, :math:`\ln(1 + e^{-2v})` or
        :math:`(2\arctan v - 1)^2`.
    cost : str or array-like of shape (n_classes, n_classes), default="zero-one"
        Cost c of predicting a class (column) for a true class (row): ``"zero-one"``,
        ``"ordinal"`` or a non-negative matrix.
    """

    loss: Literal["exponential", "logistic", "tangent"] = "exponential"
    cost: Annotated[Any, str, "array-like"] = "zero-one"

    #: Ratio of half the paper's scores :math:`\langle f(x), y_k\rangle` to `state.scores`.
    half: ClassVar[float]

    def begin(self, state: BoostState) -> Confusions:
        """Return the costs of the predictions, weighted by the sample weights."""
        costs = label_costs(self.cost, state.n_classes)[state.y]
        return Confusions(state.sample_weight[:, None] * costs)

    def importance(self, state: BoostState) -> Floats:
        """Return the sample weight times the cost of predicting each class, shape (n, K)."""
        own: Confusions = state.own
        return own.importance

    def pair_margins(self, state: BoostState) -> Floats:
        r"""Return :math:`v_{ik} = \tfrac12 (s_{i y_i} - s_{ik})`, shape (n, K)."""
        F = state.scores if self.half == 1.0 else self.half * state.scores
        return pair_margins(F, state.y)

    def objective(self, state: BoostState) -> float:
        """Return the mean of ``sum_{k != y} c_yk phi(v_ik)``."""
        return pair_risk(self.pair_margins(state), self.importance(state), LOSSES[self.loss])

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return phi(0), the least loss of a margin that is not positive, times the least cost."""
        costs = label_costs(self.cost, state.n_classes)
        least = float(costs[~np.eye(len(costs), dtype=bool)].min())
        return float(LOSSES[self.loss].value(0.0)) * least

    def probabilities(self, F: Floats) -> Floats:
        """Return the class probabilities at the population minimiser.

        For the exponential and logistic loss without costs, half the scores are
        ``1/2 log p + const``. For the tangent loss, ``p = 1/2 + arctan f`` with two classes; more
        classes raise ValueError.
        """
        v = self.half * F
        if self.loss != "tangent":
            return softmax(2.0 * v)
        if v.shape[1] > 2:
            raise ValueError(
                "the tangent loss has no class probabilities for more than two classes; "
                "use decision_function, or loss='logistic'"
            )
        p = np.clip(0.5 + arctan(v[:, 0] - v[:, 1]), 0.0, 1.0)
        return np.column_stack([p, 1.0 - p])
