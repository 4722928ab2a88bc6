r"""L2Boost: least-squares boosting of the labels.

Buehlmann & Yu, "Boosting with the L2 loss", JASA 2003.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
F               ``F[:, 1] - F[:, 0]``               (n,)
U = y - F       ``demand.target``                   (n, 1)
f(x)            ``answers(h)``                      (n,)
nu              ``learning_rate``
==============  ==================================  ==============================
"""

from __future__ import annotations

from numbers import Real
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.binary import RegressionBooster, normalised_weights
from boostbench.boosters.losses import SQUARED, MarginLoss
from boostbench.boosters.state import BoostState
from boostbench.registry import boosters
from boostbench.weak_learners import Targets


@boosters.register("l2boost", printed="L2Boost", family="robust", trial={"learning_rate": 0.5})
class L2Boost(RegressionBooster):
    r"""Least-squares boosting of the labels: repeated fits to the residuals, with shrinkage.

    With labels y in {-1, +1}, each round fits a regression f to the residuals :math:`y_i - F(x_i)`:

    .. math::
        f = \arg\min_f \sum_i (y_i - F(x_i) - f(x_i))^2, \qquad F \leftarrow F + \nu f .

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses a least-squares tree of 8 leaves with at least 2 rows each.
    learning_rate : float, default=0.1
        Shrinkage nu, in (0, 1].

    References
    ----------
    Buehlmann & Yu 2003, Sec. 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> L2Boost(n_estimators=30).fit(X, y).score(X, y) > 0.97
    True
    """

    learning_rate: Annotated[float, Interval(Real, 0, 1, closed="right")] = 0.1

    loss: ClassVar[MarginLoss] = SQUARED

    def ask(self, state: BoostState) -> Targets:
        """Return the residuals ``y - F`` as targets, weighted by `importance`."""
        F = state.scores[:, 1] - state.scores[:, 0]
        w = normalised_weights(self.importance(state), np.zeros_like(F))
        return Targets((state.signed_labels - F)[:, None], w[:, None])

    def size(self, state: BoostState, h: Any) -> float:
        """Return the shrinkage nu."""
        return float(self.learning_rate)

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``(1 + F)/2`` clipped to [0, 1]; F estimates the mean of y in {-1, +1}."""
        p = np.clip(0.5 * (1.0 + F[:, 1] - F[:, 0]), 0.0, 1.0)
        return np.column_stack([1.0 - p, p])
