r"""Real AdaBoost and SavageBoost: boosting of class-probability trees.

Real AdaBoost: Schapire & Singer 1999; Friedman, Hastie & Tibshirani 2000, Algorithm 2.
SavageBoost, the same algorithm for a bounded loss, with G in place of f: Masnadi-Shirazi &
Vasconcelos, "On the design of loss functions for classification", NIPS 2008; Wang et al.,
"SPLBoost", Sec. II-A.

==============  ==================================  ==============================
paper           here                                shape
==============  ==================================  ==============================
F               ``F[:, 1] - F[:, 0]``               (n,)
w               ``demand.weight``                   (n,), sums to 1
p(x)            ``W[:, 1] / W.sum(axis=1)``         (n_leaves,)
f(x)            ``answers(h)``                      (n,)
==============  ==================================  ==============================
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from boostbench.boosters.binary import CLASSIFIER, BinaryBooster, answers, with_leaf_values
from boostbench.boosters.losses import EXPONENTIAL, SAVAGE, MarginLoss
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.declared import NotNegative, Positive
from boostbench.portable import dot, log
from boostbench.registry import boosters
from boostbench.weak_learners import LEAVES, WeightedLabels


@boosters.register("real-adaboost", printed="Real AdaBoost", family="robust")
class RealAdaBoost(BinaryBooster):
    r"""Minimisation of the exponential loss with trees whose leaves add half the log-odds.

    Each round fits a classification tree to the samples with weights
    :math:`w_i \propto e^{-y_i F(x_i)}`, sums the weights :math:`W_+, W_-` of the two classes in
    every leaf, and adds half the log-odds, smoothed by s:

    .. math::
        f(x) = \tfrac12 \ln\frac{W_+(x) + s}{W_-(x) + s}, \qquad F \leftarrow F + f .

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        A tree, of which only the partition is used; None uses C4.5 of depth 3.
    smoothing : float or None, default=None
        Smoothing s as a fraction of the total weight, not negative; None uses 1/(2 n_samples).
    max_answer : float or None, default=None
        Upper bound on ``|f(x)|``, positive; None for no bound.

    References
    ----------
    Friedman, Hastie & Tibshirani 2000, Algorithm 2; Schapire & Singer 1999, Sec. 4.2 (smoothing).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> RealAdaBoost(n_estimators=30, weak_learner="stump").fit(X, y).score(X, y) > 0.97
    True
    """

    smoothing: NotNegative | None = None
    max_answer: Positive | None = None

    loss: ClassVar[MarginLoss] = EXPONENTIAL
    paper_learner = CLASSIFIER
    needs = (LEAVES,)

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return labels weighted by ``-phi'(m_i)``."""
        return WeightedLabels(state.y, self.weights(state), state.n_classes)

    def refine(self, state: BoostState, demand: WeightedLabels, h: Any) -> Any:
        """Return the tree with half the smoothed log-odds as leaf values."""
        s = 1.0 / (2.0 * state.n_samples) if self.smoothing is None else self.smoothing
        W = h.sums(demand.weight[:, None] * (demand.y[:, None] == [0, 1])) + s  # W_- and W_+
        # without smoothing, a pure leaf has a large finite value and an empty leaf the value 0
        f = 0.5 * np.diff(log(np.maximum(W, np.finfo(np.float64).tiny)), axis=1)[:, 0]
        if self.max_answer is not None:
            f = np.clip(f, -self.max_answer, self.max_answer)
        return with_leaf_values(h, f)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Any) -> Step:
        """Return the step 1; the leaf values are the optimal steps."""
        f = answers(h)
        edge = dot(demand.weight, state.signed_labels * np.sign(f))
        if np.abs(f).max() <= TINY:
            return Step(0.0, edge, stop="converged", keep=False)
        return Step(1.0, edge)


@boosters.register("savageboost", printed="SavageBoost", family="robust")
class SavageBoost(RealAdaBoost):
    r"""Real AdaBoost with the weights of the bounded Savage loss, for noisy labels.

    The loss of the margin :math:`m = y F(x)` is :math:`\phi(m) = (1 + e^{2m})^{-2}`. The weights
    :math:`w_i \propto -\phi'(m_i) \propto e^{2m_i} / (1 + e^{2m_i})^3` vanish for samples with very
    negative margins. With :math:`\eta = P(y = 1 \mid x)`, the minimiser of the conditional risk
    :math:`\eta\,\phi(F + G) + (1 - \eta)\,\phi(-F - G)` over G is

    .. math::
        G(x) = \tfrac12 \ln\frac{P_w(y = 1 \mid x)}{P_w(y = -1 \mid x)}, \qquad F \leftarrow F + G ,

    because the weights of the labels 1 and -1 at x have the ratio :math:`e^{-2F(x)}`.

    Parameters
    ----------
    smoothing : float or None, default=None
        Value added to the weight of each class in a leaf, as a fraction of the total weight, not
        negative; None uses 1/(2 n_samples). The steps of pure leaves are large and the loss is
        flat for large margins, so that a larger value such as 0.05 may perform better.

    References
    ----------
    Masnadi-Shirazi & Vasconcelos 2008, Sec. 4.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> booster = SavageBoost(n_estimators=30, weak_learner="stump", smoothing=0.05)
    >>> booster.fit(X, y).score(X, y) > 0.97
    True
    """

    loss: ClassVar[MarginLoss] = SAVAGE
