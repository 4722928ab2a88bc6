r"""AdaBoost.MH: boosting on the Hamming loss, with three kinds of weak learner.

One binary tree per class: Schapire & Singer, "Improved boosting algorithms using confidence-rated
predictions", 1999; Geist, "Soft-max boosting", Algorithm 3. One stump with a real value for every
class: Schapire & Singer, "BoosTexter", Machine Learning 39, 2000, Secs. 3 and 4. One tree that
predicts a single class: Mukherjee & Schapire, "A Theory of Multiclass Boosting", 2013, Secs. 3
and 10.

=========  ==================================  ==============================
paper      here                                shape
=========  ==================================  ==============================
psi        ``state.scores``                    (n, K)
-c = S     ``state.signs``                     (n, K)
S w        ``demand.signed_weight``            (n, K)
h          ``h``                               (n, K), in {-1, +1}
gamma      ``gamma``
alpha      ``step.size``
=========  ==================================  ==============================
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.adaboost_mm import votes
from boostbench.boosters.loop import Booster
from boostbench.boosters.state import TINY, BoostState, Step, softmax
from boostbench.compiled import kernel
from boostbench.portable import dot, exp, log, logistic, row_sums, total
from boostbench.portable.elementary import exp_
from boostbench.registry import boosters
from boostbench.threads import in_parts
from boostbench.weak_learners import BinaryLabels, Costs


@boosters.register("adaboost-mh", printed="AdaBoost.MH", family="multiclass-adaboost")
class AdaBoostMH(Booster):
    r"""AdaBoost on the Hamming loss of K one-against-rest problems.

    With :math:`S_{iy} = +1` if y is the label of sample i and -1 otherwise, each round fits one
    binary weak learner per class to the labels :math:`S_{iy}` with weights
    :math:`w_{iy} \propto \exp(-S_{iy} \psi_{iy})` and takes the same step for all classes:

    .. math::
        \gamma = \sum_{iy} w_{iy} S_{iy} h(x_i, y), \qquad
        \alpha = \tfrac12 \ln\frac{1+\gamma}{1-\gamma}, \qquad
        \psi \leftarrow \psi + \alpha h .

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round trains ``n_classes`` trees.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's Gini trees of at most 12 leaves. ``"multilabel-stump"`` predicts all
        classes with one stump, as in BoosTexter's discrete mode; its real answers are for
        `AdaBoostMHReal` alone, which is not checked.
    rule : {"score", "sign"}, default="score"
        ``"score"`` predicts the class of the largest score. ``"sign"`` is the rule printed in
        Algorithm 3: the first class with a positive score. If there is none, the first class of
        score 0 is predicted, or the first class of all.

    References
    ----------
    Schapire & Singer 1999, Sec. 7; Geist 2015, Algorithm 3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMH(n_estimators=10).fit(X, y).score(X, y)
    1.0
    """

    rule: Literal["score", "sign"] = "score"

    paper_learner = "tree", {"max_leaf_nodes": 12}  # Sec. 5.2

    def psi(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return psi, given the scores of the model: the scores themselves."""
        return F

    def ask(self, state: BoostState) -> BinaryLabels:
        """Return ``S w`` with ``w_iy`` proportional to ``exp(-S_iy psi_iy)`` (Algorithm 3)."""
        return BinaryLabels(hamming_weights(state, self.psi(state.scores)))

    def answer(self, state: BoostState, demand: BinaryLabels, h: Any) -> Step:
        """Return ``alpha = 1/2 ln((1+gamma)/(1-gamma))``."""
        return hamming_step(h.inner(demand.signed_weight))

    def objective(self, state: BoostState) -> float:
        """Return ``1/(N K) sum_iy exp(-S_iy psi_iy)``, minimised along h by alpha."""
        losses = exp(-state.signs * self.psi(state.scores))
        return dot(state.sample_weight, row_sums(losses)) / state.n_classes

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 2/K for ``rule="score"`` (the sum of two terms of product >= 1), else 1/K."""
        return (2.0 if self.rule == "score" else 1.0) / state.n_classes

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``sigmoid(2 psi)`` normalised over the classes.

        The population minimiser of the loss is ``psi_y = 1/2 ln(p_y / (1 - p_y))``. If all
        sigmoids of a row underflow, their limit ``softmax(2 psi)`` is returned.
        """
        psi = self.psi(F)
        p: NDArray[np.float64] = logistic(2.0 * psi)
        sums = row_sums(p)[:, None]
        if not sums.all():
            return np.where(sums > 0.0, p / np.where(sums > 0.0, sums, 1.0), softmax(2.0 * psi))
        p /= sums
        return p

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        psi = self.psi(F)
        return super()._labels(np.sign(psi) if self._by_sign() else psi)

    def _by_sign(self) -> bool:
        return self.rule == "sign"


@boosters.register("adaboost-mh-real", printed="AdaBoost.MH (real)", family="multiclass-adaboost")
class AdaBoostMHReal(AdaBoostMH):
    r"""AdaBoost.MH with real-valued predictions for every class (BoosTexter's real mode).

    On side q the stump predicts :math:`c_{ql} = \tfrac12 \ln(W_+^{ql} / W_-^{ql})` for class l,
    where :math:`W_+^{ql}` and :math:`W_-^{ql}` are the weights of the samples with and without
    label l. This minimises :math:`Z = \sum_{iy} w_{iy} \exp(-S_{iy} h(x_i, y))`; every step is 1.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round trains one stump.
    weak_learner : str, dict, object or None, default=None
        None uses BoosTexter's stump, ``{"multilabel-stump": {"answers": "real"}}``.

    References
    ----------
    Schapire & Singer 2000, Sec. 4.1 and 4.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMHReal(n_estimators=20).fit(X, y).score(X, y) > 0.95
    True
    """

    paper_learner = "multilabel-stump", {"answers": "real"}

    def answer(self, state: BoostState, demand: Any, h: Any) -> Step:
        """Return the step 1; the edge is ``1 - Z``."""
        w = np.abs(demand.signed_weight)
        Z = total(w * exp(-state.signs * h.values(state.n_classes)))
        useful = Z < 1.0 - TINY
        return Step(1.0, 1.0 - Z, stop="" if useful else "no edge", keep=useful)


@boosters.register(
    "adaboost-mh-label", printed="AdaBoost.MH (one label)", family="multiclass-adaboost"
)
class AdaBoostMHLabel(AdaBoostMH):
    r"""AdaBoost.MH with weak classifiers that predict a single class.

    A prediction counts as +1 for the predicted class and -1 for all other classes. The model
    stores the votes :math:`F(x, l) = \sum_t \alpha_t 1[h_t(x) = l]`, from which
    :math:`\psi(x, l) = 2 F(x, l) - \sum_k F(x, k)`; F and :math:`\psi` predict the same class.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round trains one tree.
    weak_learner : str, dict, object or None, default=None
        None uses a cost-minimising tree of at most 12 leaves.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 10.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMHLabel(n_estimators=10).fit(X, y).score(X, y) > 0.95
    True
    """

    paper_learner = "greedy", {"max_leaf_nodes": 12}  # as many leaves as `AdaBoostMH`

    def psi(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``psi_l = 2 F_l - sum_k F_k``, the sum of ``alpha_t h_t``, from the votes F."""
        return 2.0 * F - row_sums(F)[:, None]

    def ask(self, state: BoostState) -> Costs:  # type: ignore[override]
        """Return the cost ``-S w`` of each label."""
        return Costs(-hamming_weights(state, self.psi(state.scores)))

    def answer(self, state: BoostState, demand: Any, h: Any) -> Step:
        """Return ``alpha = 1/2 ln((1+gamma)/(1-gamma))``.

        A perfect classifier outweighs the sum of all earlier votes.
        """
        gamma = total(demand.cost) - 2.0 * float(h.inner(demand.cost))
        step = hamming_step(gamma)
        if step.stop == "perfect weak learner":
            return replace(step, size=step.size + votes(state))
        return step


def hamming_weights(state: BoostState, psi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``S w``, where ``w_iy`` is proportional to ``exp(-S_iy psi_iy)`` and sums to 1.

    The array is `BoostState.work`.
    """
    w, S, psi = state.work.T, state.signs.T, psi.T

    def least_margin(y: slice) -> float:
        return float(np.multiply(S[y], psi[y], out=w[y]).min())

    least = min(in_parts(least_margin, len(w), w.size))
    in_parts(lambda y: _weigh(least, state.sample_weight, w[y]), len(w), w.size)
    all_weight = total(w)
    in_parts(lambda y: _sign(S[y], all_weight, w[y]), len(w), w.size)
    return state.work


@kernel
def _weigh(least, sample_weight, w):  # type: ignore[no-untyped-def]
    """Turn margins m into ``exp(least - m)``, at most 1, times the sample weights."""
    for y in range(w.shape[0]):
        for i in range(w.shape[1]):
            w[y, i] = exp_(least - w[y, i]) * sample_weight[i]


@kernel
def _sign(S, all_weight, w):  # type: ignore[no-untyped-def]
    """Turn weights into signed weights that sum to 1 in magnitude."""
    for y in range(w.shape[0]):
        for i in range(w.shape[1]):
            w[y, i] = S[y, i] * w[y, i] / all_weight


def hamming_step(gamma: float) -> Step:
    """Return the step that minimises ``sum_iy w_iy exp(-alpha S_iy h_iy)`` for h in {-1, +1}.

    The minimiser is infinite at ``gamma = 1``; the step is then capped and training stops.
    """
    if gamma <= TINY:
        return Step(0.0, gamma, stop="no edge", keep=False)
    capped = min(gamma, 1.0 - TINY)
    alpha = 0.5 * log((1.0 + capped) / (1.0 - capped))
    return Step(float(alpha), gamma, stop="perfect weak learner" if gamma > capped else "")
