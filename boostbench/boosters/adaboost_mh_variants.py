r"""AdaBoost.MH with answers that are real numbers, and with answers that are single labels.

Schapire & Singer, "BoosTexter", Machine Learning 39, 2000, Secs. 3 and 4 (one stump that answers a
real number for every class); Mukherjee & Schapire, "A Theory of Multiclass Boosting", 2013, Secs. 3
and 9 (a tree that names one class). Symbols are those of `boostbench.boosters.adaboost_mh`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.adaboost_mh import AdaBoostMH, hamming_step, hamming_weights
from boostbench.boosters.adaboost_mm import votes
from boostbench.boosters.state import TINY, BoostState, Step
from boostbench.portable import dot, exp, row_sums, total
from boostbench.weak_learners import Costs


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
    rule : {"score", "sign"}, default="score"
        As of `AdaBoostMH`.

    Attributes
    ----------
    stop_reason_ : str
        ``"no edge"`` when no answer lowers the loss, or empty.

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

    def answer(self, state: BoostState, demand: Any, h: Any) -> Step:
        """Return the step 1; the edge is ``1 - Z``."""
        w = np.abs(demand.signed_weight)
        Z = total(w * exp(-state.signs * h.values(state.n_classes)))
        useful = Z < 1.0 - TINY
        return Step(1.0, 1.0 - Z, stop="" if useful else "no edge", keep=useful)

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return BoosTexter's stump."""
        return "multilabel-stump", {"answers": "real"}


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
    rule : {"score", "sign"}, default="score"
        As of `AdaBoostMH`.

    Attributes
    ----------
    stop_reason_ : str
        ``"perfect weak learner"``, ``"no edge"`` or empty.

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

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the greedy tree, of as many leaves as `AdaBoostMH`'s."""
        return "greedy", {"max_leaf_nodes": 12}

    def _labels(self, F: NDArray[np.float64]) -> NDArray[Any]:
        return super()._labels(_sums(F))


def _sums(F: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``psi = sum_t alpha_t h_t`` from the votes: twice a class's votes less all votes."""
    psi: NDArray[np.float64] = 2.0 * F - row_sums(F)[:, None]
    return psi
