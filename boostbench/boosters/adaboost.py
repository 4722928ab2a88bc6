r"""AdaBoost for two classes (discrete AdaBoost), the booster that SPLBoost extends.

Freund & Schapire 1997; Friedman, Hastie & Tibshirani 2000, Algorithm 1; Wang et al., "SPLBoost",
eqs. 3, 11-14.

=========  ==================================  ==============================
paper      here                                shape
=========  ==================================  ==============================
F          ``F[:, 1] - F[:, 0]``               (n,)
w          ``demand.weight``                   (n,), sums to 1
f          ``h.labels``                        (n,), 0 for -1 and 1 for +1
err        ``error``
alpha      ``step.size``
=========  ==================================  ==============================
"""

from __future__ import annotations

from typing import Any, ClassVar

from boostbench.boosters.binary import CLASSIFIER, BinaryBooster
from boostbench.boosters.losses import EXPONENTIAL, MarginLoss
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import log, total
from boostbench.registry import boosters
from boostbench.weak_learners import WeightedLabels


@boosters.register("adaboost", printed="AdaBoost", family="robust")
class AdaBoost(BinaryBooster):
    r"""AdaBoost for two classes: stage-wise minimisation of the exponential loss.

    With labels y in {-1, +1}, each round fits a weak classifier f to the samples with weights
    :math:`w_i \propto e^{-y_i F(x_i)}` and takes the step that minimises the loss along f:

    .. math::
        \mathrm{err} = \sum_i w_i 1[f(x_i) \ne y_i], \qquad
        \alpha = \tfrac12 \ln\frac{1 - \mathrm{err}}{\mathrm{err}}, \qquad
        F \leftarrow F + \alpha f .

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the paper's C4.5, limited here to depth 3.

    References
    ----------
    Freund & Schapire 1997; Friedman, Hastie & Tibshirani 2000, Algorithm 1 (c = 2 alpha).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(n_estimators=30, weak_learner="stump").fit(X, y).score(X, y) > 0.97
    True
    """

    loss: ClassVar[MarginLoss] = EXPONENTIAL
    paper_learner = CLASSIFIER  # Sec. IV

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return labels weighted by ``w_i`` proportional to ``exp(-y_i F(x_i))``."""
        return WeightedLabels(state.y, self.weights(state), state.n_classes)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return ``alpha = 1/2 ln((1 - err) / err)`` (11)."""
        error = total(demand.weight[h.labels != state.y])
        edge = 1.0 - 2.0 * error
        if edge <= TINY:
            return Step(0.0, edge, stop="no edge", keep=False)
        e = max(error, TINY)
        alpha = 0.5 * log((1.0 - e) / e)
        return Step(float(alpha), edge, stop="perfect weak learner" if error <= TINY else "")
