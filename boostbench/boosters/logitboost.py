r"""LogitBoost for two classes: Newton steps on the logistic loss.

Friedman, Hastie & Tibshirani, "Additive logistic regression", 2000, Algorithm 3.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
F               ``F[:, 1] - F[:, 0]``               (n,)
y*              ``state.y``                         (n,), in {0, 1}
p(x)            ``p``                               (n,)
z               ``demand.target``                   (n, 1)
w = p (1 - p)   ``demand.weight``                   (n, 1), sums to 1
f(x)            ``answers(h)``                      (n,)
==============  ==================================  ==============================
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from boostbench.boosters.binary import RegressionBooster, normalised_weights, working_response
from boostbench.boosters.losses import LOGISTIC_2, MarginLoss
from boostbench.boosters.state import BoostState
from boostbench.declared import PositiveOrInfinite
from boostbench.portable import dot, log
from boostbench.registry import boosters
from boostbench.weak_learners import Targets

#: Smallest p (1 - p).
_MIN_WEIGHT = 2.0 * float(np.finfo(np.float64).eps)
_MAX_HALVINGS = 30


@boosters.register("logitboost", printed="LogitBoost", family="robust")
class LogitBoost(RegressionBooster):
    r"""LogitBoost for two classes: stage-wise Newton steps on the logistic loss.

    The loss is :math:`\ln(1 + e^{-2yF})`. With :math:`y^* = (y + 1)/2` and
    :math:`p = 1/(1 + e^{-2F})`, each round fits a regression tree to the working response z by
    weighted least squares:

    .. math::
        w = p (1 - p), \qquad z = \frac{y^* - p}{p (1 - p)}, \qquad
        f = \arg\min_f \sum_i w_i (z_i - f(x_i))^2, \qquad F \leftarrow F + \tfrac12 f .

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the paper's CART, a least-squares tree, limited here to 8 leaves with at least 2
        rows each.
    max_response : float, default=4.0
        Upper bound on ``|z|``, positive, ``inf`` for no bound; the authors recommend 2 to 4. With
        4, the score of a leaf with a class fraction above 0.8 grows without bound.
    halving : bool, default=False
        If True, a Newton step that increases the loss is halved until the loss does not increase,
        at most 30 times.

    References
    ----------
    Friedman, Hastie & Tibshirani 2000, Algorithm 3 and Sec. 5 (limits of z and w).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> LogitBoost(n_estimators=30, weak_learner="stump").fit(X, y).score(X, y) > 0.97
    True
    """

    max_response: PositiveOrInfinite = 4.0
    halving: bool = False

    loss: ClassVar[MarginLoss] = LOGISTIC_2

    def ask(self, state: BoostState) -> Targets:
        """Return the working response z weighted by ``p (1 - p)`` (Algorithm 3, step 2a)."""
        F = state.scores[:, 1] - state.scores[:, 0]
        z, q = working_response(state.y, 2.0 * F, _MIN_WEIGHT, self.max_response)
        w = normalised_weights(self.importance(state), log(q))
        return Targets(z[:, None], w[:, None])

    def size(self, state: BoostState, h: Any) -> float:
        """Return 1/2 (Algorithm 3, step 2c), halved further if `halving` requires it."""
        size = 0.5
        if self.halving:
            before = self._loss_after(state, h, 0.0)
            for _ in range(_MAX_HALVINGS):
                if self._loss_after(state, h, size) <= before:
                    break
                size *= 0.5
        return size

    def _loss_after(self, state: BoostState, h: Any, size: float) -> float:
        moved = replace(state, scores=h.add_to(state.scores.copy(), size))
        return dot(self.importance(state), self.loss.value(moved.margins))
