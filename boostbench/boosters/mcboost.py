r"""Common parts of CD-MCBoost and GD-MCBoost: losses, costs of confusions, probabilities.

Saberian & Vasconcelos, "Multiclass Boosting: Theory and Algorithms", 2011. The boosters are in
`boostbench.boosters.cd_mcboost` and `boostbench.boosters.gd_mcboost`. Both minimise

.. math::
    R(f) = \sum_i \sum_{k \ne y_i} c_{y_i k}\,
    \phi\bigl(\tfrac12 \langle f(x_i), y_{y_i} - y_k\rangle\bigr)

over predictors f with values in :math:`\mathbb R^{K-1}`, where :math:`\phi(v) = e^{-v}` and
:math:`c = 1` unless said otherwise; the paper's risk (13) has n more, a constant.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.costs import label_costs
from boostbench.boosters.losses import EXPONENTIAL, LOGISTIC_2, TANGENT, MarginLoss
from boostbench.boosters.state import BoostState, softmax
from boostbench.portable import arctan

Floats = NDArray[np.float64]

#: phi by name (Sec. 4, end).
LOSSES: dict[str, MarginLoss] = {
    "exponential": EXPONENTIAL,
    "logistic": LOGISTIC_2,
    "tangent": TANGENT,
}

#: Types of the parameters that both boosters have.
PairLoss = Literal["exponential", "logistic", "tangent"]
Confusions = Annotated[Any, str, "array-like"]

#: Largest change of a margin in one round, for losses other than the exponential one.
LONGEST = 10.0


def pair_importance(state: BoostState, cost: Any) -> Floats:
    """Return sample weight times the cost of each confusion, shape (n, K); cached per fit."""
    if "importance" not in state.memo:
        costs = label_costs(cost, state.n_classes)[state.y]
        state.memo["importance"] = state.sample_weight[:, None] * costs
    importance: Floats = state.memo["importance"]
    return importance


def least_pair_loss(state: BoostState, cost: Any, loss: str) -> float:
    """Return the least risk of a wrong answer: phi(0) times the least cost of a confusion."""
    costs = label_costs(cost, state.n_classes)
    return float(LOSSES[loss].value(0.0)) * float(costs[~np.eye(len(costs), dtype=bool)].min())


def pair_probabilities(v: Floats, loss: str) -> Floats:
    """Return the class probabilities at the population minimiser.

    Parameters
    ----------
    v : ndarray of float64, shape (n, K)
        Half of the papers' scores up to a constant per row: the margin of k over l is
        ``v_k - v_l``.
    loss : str
        For the exponential and logistic loss ``v = 1/2 log p + const``. The tangent loss has
        ``p = 1/2 + arctan f`` for two classes, and no known probabilities for more.

    Raises
    ------
    ValueError
        For the tangent loss and more than two classes.
    """
    if loss != "tangent":
        return softmax(2.0 * v)
    if v.shape[1] > 2:
        raise ValueError(
            "the tangent loss has no class probabilities for more than two classes; "
            "use decision_function, or loss='logistic'"
        )
    p = np.clip(0.5 + arctan(v[:, 0] - v[:, 1]), 0.0, 1.0)
    return np.column_stack([p, 1.0 - p])
