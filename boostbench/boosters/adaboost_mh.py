r"""AdaBoost.MH: boosting the Hamming loss, with an answer for every class each round.

Schapire & Singer, "Improved boosting algorithms using confidence-rated predictions", 1999, and
"BoosTexter", 2000; Geist, "Soft-max boosting", Algorithm 3. A round's answers come from one binary
tree per class, from one stump with an answer for every class, or from a tree that names one class.

=========  ==================================  ======================================
paper      here                                shape
=========  ==================================  ======================================
psi        ``self.sums(game.scores)``          (n, K)
-c = S     ``game.signs``                      (n, K)
S w        ``self.weights(game)``              (n, K)
h          ``self.values(h, K)``               (n, K), in {-1, +1}, or real
gamma      ``gamma``
alpha      ``step.size``
=========  ==================================  ======================================
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from boostbench.boosters.adaboost_mm import votes
from boostbench.boosters.base import Booster
from boostbench.boosters.game import TINY, Game, Step
from boostbench.weak_learners import BinaryLabels, Costs

__all__ = ["AdaBoostMH"]


class AdaBoostMH(Booster):
    r"""AdaBoost on the Hamming loss of K one-against-rest problems.

    With :math:`S_{iy} = +1` at the label of sample i and -1 elsewhere, each round fits binary
    answers :math:`h(x, y)` for all classes to the weights
    :math:`w_{iy} \propto \exp(-S_{iy} \psi_{iy})` and takes one step for all classes:

    .. math::
        \gamma = \sum_{iy} w_{iy} S_{iy} h(x_i, y), \qquad
        \alpha = \tfrac12 \ln\frac{1+\gamma}{1-\gamma}, \qquad
        \psi \leftarrow \psi + \alpha h .

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round has a tree per class, or one for all classes.
    weak_learner : str, dict, object or None, default=None
        None is a Gini tree of at most 12 leaves per class (Geist) for answers ``"sign"``,
        ``{"multilabel-stump": {"answers": "real"}}`` (BoosTexter) for ``"real"``, and a greedy tree
        of 12 leaves (Mukherjee & Schapire) for ``"label"``. ``"multilabel-stump"`` with answers
        ``"sign"`` is BoosTexter's discrete mode.
    answers : {"sign", "real", "label"}, default="sign"
        What a weak hypothesis answers: -1 or +1 for each class; a real number for each class, with
        the step :math:`\alpha = 1` that is optimal for BoosTexter's answers; or the label of one
        class, which counts +1 for that class and -1 for all others.
    rule : {"score", "sign"}, default="score"
        Predict the class of the largest score; ``"sign"`` is the printed rule, the first class
        whose score is positive, and the first class when none is.
    random_state : int, RandomState or None, default=None
        Only a weak learner that draws at random uses it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_rounds_ : int
    stop_reason_ : str
        ``"perfect weak learner"``, ``"no edge"`` or empty.

    References
    ----------
    Schapire & Singer 1999, Sec. 7; Schapire & Singer 2000, Sec. 3 and 4; Geist 2015, Algorithm 3;
    Mukherjee & Schapire 2013, Sec. 9.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> AdaBoostMH(n_estimators=10).fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Booster._parameter_constraints,
        "answers": [StrOptions({"sign", "real", "label"})],
        "rule": [StrOptions({"score", "sign"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        weak_learner: Any = None,
        answers: str = "sign",
        rule: str = "score",
        random_state: Any = None,
    ) -> None:
        super().__init__(n_estimators, weak_learner=weak_learner, random_state=random_state)
        self.answers = answers
        self.rule = rule

    def ask(self, game: Game) -> BinaryLabels | Costs:
        """Return ``S w``, or for answers that are labels what each of them loses, ``-S w``."""
        w = self.weights(game)
        return Costs(-w) if self.answers == "label" else BinaryLabels(w)

    def answer(self, game: Game, demand: BinaryLabels | Costs, h: Any) -> Step:
        """Return ``alpha = 1/2 ln((1+gamma)/(1-gamma))``, or 1 for real answers."""
        w = -demand.cost if isinstance(demand, Costs) else demand.signed_weight
        values = self.values(h, game.n_classes)
        if self.answers == "real":
            Z = float((np.abs(w) * np.exp(-game.signs * values)).sum())
            return Step(1.0, 1.0 - Z, stop="" if Z < 1.0 - TINY else "no edge", keep=Z < 1.0 - TINY)
        gamma = float(np.vdot(w, values))
        if gamma <= TINY:
            return Step(0.0, gamma, stop="no edge", keep=False)
        capped = min(gamma, 1.0 - TINY)
        alpha = float(0.5 * np.log((1.0 + capped) / (1.0 - capped)))
        if gamma <= capped:
            return Step(alpha, gamma)
        if self.answers == "label":  # in the limit the perfect classifier decides alone
            alpha += votes(game)
        return Step(alpha, gamma, stop="perfect weak learner")

    def weights(self, game: Game) -> NDArray[np.float64]:
        """Return ``S w``, ``w_iy`` proportional to ``exp(-S_iy psi_iy)``, summing to 1."""
        w = game.signs * self.sums(game.scores)
        np.subtract(w.min(), w, out=w)
        np.exp(w, out=w)
        w *= game.sample_weight[:, None]
        w *= game.signs / w.sum()
        return w

    def values(self, h: Any, n_classes: int) -> NDArray[np.float64]:
        """Return the answers for all classes, shape (n, K); a label is +1 for it, -1 elsewhere."""
        values: NDArray[np.float64] = h.values(n_classes)
        return 2.0 * values - 1.0 if self.answers == "label" else values

    def sums(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``psi = sum_t alpha_t h_t``.

        Votes for labels are kept as such in F: psi is twice the votes for a class less all votes.
        """
        return 2.0 * F - F.sum(axis=1, keepdims=True) if self.answers == "label" else F

    def objective(self, game: Game) -> float:
        """Return ``1/(N K) sum_iy exp(-S_iy psi_iy)``, which alpha minimises along h."""
        losses = np.exp(-game.signs * self.sums(game.scores))
        return float(game.sample_weight @ losses.mean(axis=1))

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``sigmoid(2 psi)`` normalised over the classes.

        The population minimiser of the loss is ``psi_y = 1/2 ln(p_y / (1 - p_y))``.
        """
        p: NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -2.0 * self.sums(F)))
        p /= p.sum(axis=1, keepdims=True)
        return p

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the paper's learner for the kind of answers."""
        if self.answers == "real":
            return "multilabel-stump", {"answers": "real"}
        return "tree" if self.answers == "sign" else "greedy", {"max_leaf_nodes": 12}

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        return super()._labels(np.sign(self.sums(F)) if self.rule == "sign" else F)
