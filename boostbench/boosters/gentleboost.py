r"""GentleBoost: adaptive Newton steps on the exponential loss.

Friedman, Hastie & Tibshirani, "Additive logistic regression", 2000, Algorithm 4.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
F               ``F[:, 1] - F[:, 0]``               (n,)
w               ``demand.weight``                   (n, 1), sums to 1
y               ``demand.target``                   (n, 1)
f(x)            ``answers(h)``                      (n,), in [-1, 1]
==============  ==================================  ==============================
"""

from __future__ import annotations

from typing import ClassVar

from boostbench.boosters.binary import RegressionBooster
from boostbench.boosters.losses import EXPONENTIAL, MarginLoss
from boostbench.boosters.state import BoostState
from boostbench.registry import boosters
from boostbench.weak_learners import Targets


@boosters.register("gentleboost", printed="GentleBoost", family="robust")
class GentleBoost(RegressionBooster):
    r"""Stage-wise least-squares fits to the labels, weighted by the slope of the exponential loss.

    Each round fits a regression f to the labels y in {-1, +1}:

    .. math::
        w_i \propto e^{-y_i F(x_i)}, \qquad
        f = \arg\min_f \sum_i w_i (y_i - f(x_i))^2, \qquad F \leftarrow F + f .

    The steps :math:`f = P_w(y = 1 \mid x) - P_w(y = -1 \mid x)` lie in [-1, 1], whereas the half
    log-odds of Real AdaBoost are unbounded.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses a least-squares tree of 8 leaves with at least 2 rows each.

    References
    ----------
    Friedman, Hastie & Tibshirani 2000, Algorithm 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> GentleBoost(n_estimators=30, weak_learner="stump").fit(X, y).score(X, y) > 0.97
    True
    """

    loss: ClassVar[MarginLoss] = EXPONENTIAL

    def ask(self, state: BoostState) -> Targets:
        """Return the labels -1 and +1 as targets with the weights ``w_i``."""
        return Targets(state.signed_labels[:, None], self.weights(state)[:, None])
