r"""AdaBoost.M1: the first multiclass AdaBoost, for weak classifiers with errors below 1/2.

Freund & Schapire, "Experiments with a new boosting algorithm", 1996.

=========  ==================================  ==============================
paper      here                                shape
=========  ==================================  ==============================
D_t        ``self.distribution(state)``         (n,)
h_t        ``h.labels``                        (n,)
epsilon    ``error``
1/beta     ``(1 - e) / e``
=========  ==================================  ==============================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.adaboost_mm import votes
from boostbench.boosters.loop import Booster
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import dot, exp, log, total
from boostbench.registry import boosters
from boostbench.weak_learners import WeightedLabels


@boosters.register(
    "adaboost-m1",
    printed="AdaBoost.M1",
    family="multiclass-adaboost",
    trial={"weak_learner": {"greedy": {"max_leaf_nodes": 20}}},
)
class AdaBoostM1(Booster):
    r"""Boosting of K-class weak classifiers with weighted errors below 1/2.

    .. math::
        e = \sum_i D_i 1[h(x_i) \ne y_i], \qquad
        \alpha = \ln\frac{1-e}{e}, \qquad
        F(x, h(x)) \leftarrow F(x, h(x)) + \alpha, \qquad
        D_i \propto e^{-F(x_i, y_i)} .

    Training stops at :math:`e \ge 1/2`, where :math:`\alpha` is not positive. Random guessing
    among K classes has the error :math:`1 - 1/K`, so many classes require a strong weak learner.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None uses a tree of depth 2 that minimises the weighted error (Saberian & Vasconcelos
        2011, Sec. 5.3); Freund & Schapire and Mukherjee & Schapire use C4.5.
    resample : bool, default=False
        If True, the weak learner is trained on n samples drawn from D, otherwise on all samples
        weighted by D.
    keep_first : bool, default=True
        If True, the first weak classifier is kept with step 1 even if its error is 1/2 or more.
        If False, the model then has no rounds and predicts the first class.
    random_state : int, RandomState or None, default=None
        Seed of the drawn samples and of the weak learner.

    References
    ----------
    Freund & Schapire 1996, Fig. 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostM1(n_estimators=20).fit(X, y).score(X, y) > 0.95
    True
    """

    resample: bool = False
    keep_first: bool = True

    paper_learner = "tree", {"criterion": "error", "max_depth": 2}

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return labels weighted by D, or by the relative frequencies of samples drawn from D."""
        D = self.distribution(state)
        if not self.resample:
            return WeightedLabels(state.y, D, state.n_classes)
        drawn = state.rng.multinomial(state.n_samples, D)
        return WeightedLabels(state.y, drawn / state.n_samples, state.n_classes, drawn)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return ``alpha = ln((1-e)/e)``; a perfect h outweighs the sum of all earlier votes."""
        error = total(self.distribution(state)[h.labels != state.y])
        edge = 1.0 - 2.0 * error
        if edge <= 2.0 * TINY:
            return Step(1.0, edge, stop="no edge", keep=self.keep_first and votes(state) == 0.0)
        e = max(error, TINY)
        alpha = float(log((1.0 - e) / e))
        if error <= TINY:
            return Step(alpha + votes(state), edge, stop="perfect weak learner")
        return Step(alpha, edge)

    def distribution(self, state: BoostState) -> NDArray[np.float64]:
        """Return the distribution D, which sums to 1.

        Each round adds alpha to the score of one label per row. After normalisation,
        ``exp(-F_iy)`` therefore equals the paper's update ``D_i <- D_i beta`` for rows that h
        classifies correctly.
        """
        F_y = state.true_scores
        D = state.sample_weight * exp(F_y.min() - F_y)
        return np.asarray(D / total(D))

    def objective(self, state: BoostState) -> float:
        """Return the mean of ``exp(sum_t alpha_t / 2 - F_iy)``, minimised along h by alpha."""
        return dot(state.sample_weight, exp(0.5 * votes(state) - state.true_scores))

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 1: the true label of a misclassified sample has at most half of the votes."""
        return 1.0
