r"""SAMME with robust losses: SavageBoost and SPLBoost for many classes, without one-vs-all.

SAMME (Zhu, Zou, Rosset & Hastie, "Multi-class AdaBoost", 2009) minimises the mean of
:math:`e^{-m}` for the multiclass margin

.. math::
    m_i = \psi(x_i, y_i) - \tfrac1K \sum_k \psi(x_i, k) ,

which is :math:`y F(x)` for two classes. A step :math:`\alpha` along a classifier h adds
:math:`\alpha\, s_i` to it, :math:`s_i = 1[h(x_i) = y_i] - 1/K`. For any loss :math:`\phi`,

.. math::
    \frac{\partial}{\partial \alpha} \sum_i \phi(m_i + \alpha s_i) \Big|_{\alpha = 0}
    = \sum_i -w_i s_i = \tfrac1K \sum_i w_i - \sum_{h(x_i) = y_i} w_i , \qquad
    w_i = -\phi'(m_i) .

The classifier of the steepest descent therefore has the smallest error under the weights w: SAMME
with other weights. A robust loss gives samples of very negative margin little or no weight.
(Extensions of our own: Masnadi-Shirazi & Vasconcelos 2008 and Wang et al. treat two classes.)

=========  ==================================  ==============================
above      here                                shape
=========  ==================================  ==============================
psi        ``state.scores``                    (n, K)
m          ``margins(state)``                  (n,)
w          ``demand.weight``, sums to 1        (n,)
s          ``gain``                            (n,)
alpha      ``step.size``
=========  ==================================  ==============================
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.binary import MarginBooster
from boostbench.boosters.line_search import falling_step
from boostbench.boosters.losses import EXPONENTIAL, SAVAGE, MarginLoss
from boostbench.boosters.samme import SAMME
from boostbench.boosters.splboost import SelfPacing
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import dot, log, row_sums
from boostbench.registry import boosters
from boostbench.weak_learners import WeightedLabels


class RobustSAMME(MarginBooster, SAMME):
    """SAMME that minimises the mean of a loss of the multiclass margin."""

    def margins(self, state: BoostState) -> NDArray[np.float64]:
        """Return ``psi_y - mean_k psi_k``."""
        return np.asarray(state.true_scores - row_sums(state.scores) / state.n_classes)

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return labels weighted by ``w_i`` proportional to ``-phi'(m_i)``."""
        return WeightedLabels(state.y, self.weights(state), state.n_classes)

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return phi(0) for two classes, else 0, since the margin of an error may be positive."""
        return super().loss_if_wrong(state) if state.n_classes == 2 else 0.0

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return a tree of 4 leaves for each class; larger ones fit wrong labels at once."""
        return "tree", {"max_leaf_nodes": 4 * n_classes}


@boosters.register("samme-savage", printed="SAMME (Savage loss)", family="robust")
class SAMMESavage(RobustSAMME):
    r"""SAMME with the bounded Savage loss of the multiclass margin, for noisy labels.

    The loss is :math:`\phi(m) = (1 + e^{2m})^{-2}`, m as in `boostbench.boosters.robust_samme`.
    Each round fits a K-class weak learner with the weights :math:`-\phi'(m_i)`, which vanish for
    very negative and very positive margins, and takes the step to a local minimum of the mean loss
    along it. For two classes this is SavageBoost with classifiers and a line search in place of
    real-valued trees.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses a Gini tree of at most ``4 * n_classes`` leaves.

    References
    ----------
    Masnadi-Shirazi & Vasconcelos 2008, Sec. 4, for the loss; Zhu et al. 2009 for the margin.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SAMMESavage(n_estimators=20).fit(X, y).score(X, y) > 0.95
    True
    """

    loss: ClassVar[MarginLoss] = SAVAGE

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return the step of a local minimum of ``sum_i phi(m_i + alpha s_i)``."""
        step = super().answer(state, demand, h)
        if not step.keep or step.stop == "no edge":
            return step
        m, gain = self.margins(state), (h.labels == state.y) - 1.0 / state.n_classes
        longest = float(log((1.0 - TINY) / TINY) + log(state.n_classes - 1.0))

        def risk(alpha: float) -> float:
            return dot(state.sample_weight, self.loss.value(m + alpha * gain))

        alpha = falling_step(risk, longest)
        return Step(alpha, step.edge, stop="" if alpha > 0.0 else "converged", keep=alpha > 0.0)


@boosters.register("spl-samme", printed="SPL-SAMME", family="robust", trial={"age": 4.0})
class SPLSAMME(SelfPacing, RobustSAMME):
    r"""SAMME with self-paced learning: SPLBoost for many classes.

    A round is a round of SAMME in which the weight of each row is multiplied by
    :math:`v_i = v^*(\lambda; e^{-m_i})`, m as in `boostbench.boosters.robust_samme`. Samples with
    margins below :math:`-\ln \lambda` have weight 0. The step of SAMME minimises the weighted loss,
    so that the latent loss does not increase, as in SPLBoost. In the limit of infinite lambda this
    is SAMME, but for mixture weighting; with two classes it is SPLBoost.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses a Gini tree of at most ``4 * n_classes`` leaves.

    References
    ----------
    Wang et al., Algorithm 1, for the self-paced weights; Zhu et al. 2009 for the margin.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SPLSAMME(n_estimators=20, age=3.0, regulariser="linear").fit(X, y).score(X, y) > 0.95
    True
    """

    loss: ClassVar[MarginLoss] = EXPONENTIAL

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the latent loss of the margin 0 for two classes, else 0."""
        return super().loss_if_wrong(state) if state.n_classes == 2 else 0.0
