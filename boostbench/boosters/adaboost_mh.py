r"""AdaBoost.MH: one binary weak learner per class, one common step.

Schapire & Singer, "Improved boosting algorithms using confidence-rated predictions", 1999;
Geist, "Soft-max boosting", Algorithm 3. With one stump that answers a real number for every class:
Schapire & Singer, "BoosTexter", Machine Learning 39, 2000, Secs. 3 and 4. With a tree that names
one class: Mukherjee & Schapire, "A Theory of Multiclass Boosting", 2013, Secs. 3 and 9.

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
from boostbench.portable import dot, exp, log, logistic, row_sums, total
from boostbench.threads import in_parts
from boostbench.weak_learners import BinaryLabels, Costs


class AdaBoostMH(Booster):
    r"""AdaBoost on the Hamming loss of K one-against-rest problems.

    With :math:`S_{iy} = +1` at the label of sample i and -1 elsewhere, each round fits one
    binary weak learner per class to the weights
    :math:`w_{iy} \propto \exp(-S_{iy} \psi_{iy})` and takes one step for all classes:

    .. math::
        \gamma = \sum_{iy} w_{iy} S_{iy} h(x_i, y), \qquad
        \alpha = \tfrac12 \ln\frac{1+\gamma}{1-\gamma}, \qquad
        \psi \leftarrow \psi + \alpha h .

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round has ``n_classes`` trees.
    weak_learner : str, dict, object or None, default=None
        None is the paper's: Gini trees of at most 12 leaves. ``"multilabel-stump"`` answers for all
        classes with one stump, as BoosTexter's discrete mode does.
    rule : {"score", "sign"}, default="score"
        Predict the class of the largest score; ``"sign"`` is the printed rule, the first class
        whose score is positive, and the first class when none is.

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

    def ask(self, state: BoostState) -> BinaryLabels:
        """Return ``S w`` with ``w_iy`` proportional to ``exp(-S_iy psi_iy)`` (Algorithm 3)."""
        return BinaryLabels(hamming_weights(state, state.scores))

    def answer(self, state: BoostState, demand: BinaryLabels, h: Any) -> Step:
        """Return ``alpha = 1/2 ln((1+gamma)/(1-gamma))``."""
        return hamming_step(h.inner(demand.signed_weight))

    def objective(self, state: BoostState) -> float:
        """Return ``1/(N K) sum_iy exp(-S_iy psi_iy)``, which alpha minimises along h."""
        losses = exp(-state.signs * state.scores)
        return dot(state.sample_weight, row_sums(losses)) / state.n_classes

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 2/K: the wrong score is at least the right one; with signs one of them errs."""
        return (2.0 if self.rule == "score" else 1.0) / state.n_classes

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``sigmoid(2 psi)`` normalised over the classes.

        The population minimiser of the loss is ``psi_y = 1/2 ln(p_y / (1 - p_y))``. Where all
        sigmoids vanish, they are in the ratios of ``exp(2 psi)``.
        """
        p: NDArray[np.float64] = logistic(2.0 * F)
        sums = row_sums(p)[:, None]
        if not sums.all():
            return np.where(sums > 0.0, p / np.where(sums > 0.0, sums, 1.0), softmax(2.0 * F))
        p /= sums
        return p

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        return super()._labels(np.sign(F) if self.rule == "sign" else F)


class AdaBoostMHReal(AdaBoostMH):
    r"""AdaBoost.MH with a real answer for every class (BoosTexter's real mode).

    The stump chooses :math:`c_{ql} = \tfrac12 \ln(W_+^{ql} / W_-^{ql})` on its side q, which
    minimises :math:`Z = \sum_{iy} w_{iy} \exp(-S_{iy} h(x_i, y))`, so that every step is 1.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round has one tree.
    weak_learner : str, dict, object or None, default=None
        None is BoosTexter's: ``{"multilabel-stump": {"answers": "real"}}``.

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


class AdaBoostMHLabel(AdaBoostMH):
    r"""AdaBoost.MH with a classifier that names one class.

    Its answer counts +1 for the named class and -1 for all others. The ensemble keeps the votes
    :math:`F(x, l) = \sum_t \alpha_t 1[h_t(x) = l]`; then
    :math:`\psi(x, l) = 2 F(x, l) - \sum_k F(x, k)`, and both name the same class.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round has one tree.
    weak_learner : str, dict, object or None, default=None
        None is a cost-minimising tree of at most 12 leaves.

    References
    ----------
    Mukherjee & Schapire 2013, Sec. 9.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMHLabel(n_estimators=10).fit(X, y).score(X, y) > 0.95
    True
    """

    paper_learner = "greedy", {"max_leaf_nodes": 12}  # as many leaves as `AdaBoostMH`

    def ask(self, state: BoostState) -> Costs:  # type: ignore[override]
        """Return what each label loses, ``-S w``."""
        return Costs(-hamming_weights(state, _sums(state.scores)))

    def answer(self, state: BoostState, demand: Any, h: Any) -> Step:
        """Return ``alpha = 1/2 ln((1+gamma)/(1-gamma))``; a perfect classifier decides alone."""
        gamma = total(demand.cost) - 2.0 * float(h.inner(demand.cost))
        step = hamming_step(gamma)
        if step.stop == "perfect weak learner":
            return replace(step, size=step.size + votes(state))
        return step

    def objective(self, state: BoostState) -> float:
        """Return ``1/(N K) sum_iy exp(-S_iy psi_iy)``, which alpha minimises along h."""
        losses = exp(-state.signs * _sums(state.scores))
        return dot(state.sample_weight, row_sums(losses)) / state.n_classes

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``sigmoid(2 psi)`` normalised over the classes."""
        return super().probabilities(_sums(F))

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        return super()._labels(_sums(F))


def hamming_weights(state: BoostState, psi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``S w``, ``w_iy`` proportional to ``exp(-S_iy psi_iy)``, the w summing to 1."""
    w = state.signs * psi
    least, importance = w.min(), state.sample_weight[:, None]

    def weigh(classes: slice) -> None:
        its_w = w[:, classes]
        np.subtract(least, its_w, out=its_w)
        np.multiply(exp(its_w), importance, out=its_w)

    def sign(classes: slice) -> None:
        w[:, classes] *= state.signs[:, classes]
        w[:, classes] /= all_weight

    in_parts(weigh, state.n_classes)
    all_weight = total(w)
    in_parts(sign, state.n_classes)
    return w


def hamming_step(gamma: float) -> Step:
    """Return the step that minimises ``sum_iy w_iy exp(-alpha S_iy h_iy)`` for answers -1 and +1.

    At ``gamma = 1`` it is infinite: it is cut off there, and training is over.
    """
    if gamma <= TINY:
        return Step(0.0, gamma, stop="no edge", keep=False)
    capped = min(gamma, 1.0 - TINY)
    alpha = 0.5 * log((1.0 + capped) / (1.0 - capped))
    return Step(float(alpha), gamma, stop="perfect weak learner" if gamma > capped else "")


def _sums(F: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``psi = sum_t alpha_t h_t`` from the votes: twice a class's votes less all votes."""
    psi: NDArray[np.float64] = 2.0 * F - row_sums(F)[:, None]
    return psi
