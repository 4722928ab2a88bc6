r"""SAMME: multiclass AdaBoost with one K-class weak learner per round.

Zhu, Zou, Rosset & Hastie, "Multi-class AdaBoost", 2009; Geist, "Soft-max boosting", Algorithm 4.

=========  ==================================  ==============================
paper      here                                shape
=========  ==================================  ==============================
psi        ``state.scores``                    (n, K)
w          ``demand.weight``                   (n,)
h          ``h.labels``                        (n,)
e          ``error``
alpha      ``step.size``
=========  ==================================  ==============================
"""

from __future__ import annotations

from typing import Any

from boostbench.boosters.loop import Booster
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import dot, exp, log, row_sums, total
from boostbench.registry import boosters
from boostbench.weak_learners import WeightedLabels


@boosters.register("samme", printed="SAMME", family="multiclass-adaboost")
class SAMME(Booster):
    r"""Stagewise additive modelling with a multiclass exponential loss.

    Each round fits a K-class weak learner to weighted samples and takes the step

    .. math::
        e = \sum_i w_i 1[h(x_i) \ne y_i], \qquad
        \alpha = \ln\frac{1-e}{e} + \ln(K-1), \qquad
        \psi(x, h(x)) \leftarrow \psi(x, h(x)) + \alpha .

    Training stops if the weak learner has no weighted error or is no better than chance
    (:math:`e \ge 1 - 1/K`); a first classifier that is no better is kept with the step 1. But for
    this, SAMME equals AdaBoost with two classes.

    ``predict_proba`` returns the soft-max of :math:`\psi`. In the paper's class codes the scores
    are :math:`f = (K-1)\,\psi`, up to a constant per row, and the population minimiser of the loss
    satisfies :math:`p = \mathrm{softmax}(f/(K-1))`. (scikit-learn divides the votes by the sum of
    the steps, which makes the probabilities of all classes nearly equal.) If the trees separate
    the training samples, :math:`\psi` grows without bound and most probabilities approach 0 or 1;
    `sklearn.calibration.CalibratedClassifierCV` with the method "temperature" corrects them.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses the paper's Gini tree of at most ``12 * (n_classes - 1)`` leaves.

    References
    ----------
    Zhu et al. 2009, Algorithm 2; Geist 2015, Algorithm 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SAMME(n_estimators=20, weak_learner="stump").fit(X, y).score(X, y) > 0.9
    True
    """

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return labels weighted by ``w_i`` proportional to ``exp(-psi(x_i, y_i))``.

        Each round adds alpha to one score per row. After normalisation, the weights therefore
        equal the paper's update ``w_i <- w_i exp(alpha 1[h(x_i) != y_i])``.
        """
        psi_y = state.true_scores
        w = state.sample_weight * exp(psi_y.min() - psi_y)
        return WeightedLabels(state.y, w / total(w), state.n_classes)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return ``alpha = ln((1-e)/e) + ln(K-1)`` (Algorithm 4, line 5)."""
        error = total(demand.weight[h.labels != state.y])
        chance = 1.0 - 1.0 / state.n_classes
        edge = 1.0 - error / chance
        if error >= chance - TINY:
            first = not state.scores.any()
            return Step(1.0, edge, stop="no edge", keep=first)
        e = max(error, TINY)
        alpha = log((1.0 - e) / e) + log(state.n_classes - 1.0)
        return Step(float(alpha), edge, stop="perfect weak learner" if error <= TINY else "")

    def objective(self, state: BoostState) -> float:
        """Return the mean of ``exp(-(psi_y - mean_k psi_k))``, minimised along h by alpha."""
        margin = state.true_scores - row_sums(state.scores) / state.n_classes
        return dot(state.sample_weight, exp(-margin))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 1 for two classes, else 0, since psi_y may exceed the mean but not the maximum."""
        return 1.0 if state.n_classes == 2 else 0.0

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the tree of Sec. 5.2, with as many degrees of freedom as K trees of 12 leaves."""
        return "tree", {"max_leaf_nodes": 12 * (n_classes - 1)}
