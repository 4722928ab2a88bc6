r"""CD-MCBoost: coordinate descent on the multiclass margin loss.

Saberian & Vasconcelos, "Multiclass Boosting: Theory and Algorithms", 2011, Algorithm 1, left.

==================  =====================================  ==============================
paper               here                                   shape
==================  =====================================  ==============================
y_k                 ``Y[k]``, `codewords`                  (K, K-1)
f_j*                ``component``, j counted from 0
<f(x_i), y_k>       ``state.scores``                       (n, K)
w_i^j               ``demand.signed_weight[:, 0]``         (n,)
g*(x_i)             prediction of the weak learner         (n,), in {-1, +1}
g* e_j              ``h.trees.leaf_value``                 leaf vectors ``g Y[:, j]``
alpha*              ``step.size``
==================  =====================================  ==============================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.line_search import exponential_step, falling_step
from boostbench.boosters.loop import with_leaf_vectors
from boostbench.boosters.mcboost import LONGEST, LOSSES, Confusions, MCBoost
from boostbench.boosters.pairwise import pair_risk, pair_weights
from boostbench.boosters.state import BoostState, Step
from boostbench.portable import row_sums, total
from boostbench.registry import boosters
from boostbench.theory.codewords import codewords
from boostbench.weak_learners import LEAVES, BinaryLabels, Targets

#: An edge below this fraction of the summed weights is treated as 0.
_NO_EDGE = 1e-12


@dataclass
class Components(Confusions):
    """State of `CDMCBoost`.

    Attributes
    ----------
    codewords : ndarray of float64, shape (K, K-1)
        Codewords Y.
    component : int
        Component j of the current round.
    without_edge : int
        Number of consecutive rounds without edge.
    pair_weights : ndarray of float64, shape (n, K), or None
        Pair weights a of the current round.
    """

    codewords: NDArray[np.float64]
    component: int = 0
    without_edge: int = 0
    pair_weights: NDArray[np.float64] | None = None

    @property
    def y_j(self) -> NDArray[np.float64]:
        """Column ``Y[:, j]`` of the codewords."""
        return self.codewords[:, self.component]


@boosters.register("cd-mcboost", printed="CD-MCBoost", family="mcboost")
class CDMCBoost(MCBoost):
    r"""Coordinate descent that updates one component of a vector-valued predictor per round.

    Class k has the codeword :math:`y_k`, a vertex of a regular simplex in K-1 dimensions, and the
    score :math:`s_k = \langle f(x), y_k\rangle`. The rounds cycle through the components j of f.
    With the codewords as rows of Y, a round computes

    .. math::
        a_{ik} = e^{(s_{ik} - s_{i y_i})/2}, \qquad
        w_i = \tfrac12 \sum_{k \ne y_i} (Y_{y_i j} - Y_{kj})\, a_{ik}, \qquad
        g = \arg\max_g \sum_i g(x_i) w_i, \\
        \alpha = \arg\min_\alpha R(f + \alpha g e_j), \qquad
        f_j \leftarrow f_j + \alpha g .

    Codewords are assigned to the classes in sorted order of their labels. The model depends on
    this order and on the orientation of the simplex. A round without edge (``alpha = 0``) counts
    as a round; K-1 consecutive rounds without edge end the training.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T (updates of one component), at least 1; the paper's Table 1 uses 20 K.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's stump of minimal weighted error, or a regression stump for
        ``step="newton"``.
    orientation : {"recursive", "helmert"}, default="recursive"
        Orientation of the simplex, see `codewords`.
    step : {"search", "newton"}, default="search"
        ``"search"`` minimises the risk along g. ``"newton"`` fits a regression to
        :math:`w_i / h_i` with weights
        :math:`h_i = \frac14 \sum_k (Y_{y_i j} - Y_{kj})^2 a_{ik}` and takes the step 1; for two
        classes and the exponential loss this is Gentle AdaBoost.

    References
    ----------
    Saberian & Vasconcelos 2011, Algorithm 1, (22)-(27).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CDMCBoost(n_estimators=60).fit(X, y).score(X, y) > 0.97
    True
    """

    orientation: Literal["recursive", "helmert"] = "recursive"
    step: Literal["search", "newton"] = "search"

    half: ClassVar[float] = 0.5
    needs = (LEAVES,)
    class_order_matters = True

    def begin(self, state: BoostState) -> Components:
        """Return the costs, the codewords and the first component."""
        if self.step == "newton" and self.loss != "exponential":
            raise ValueError(
                f"step='newton' is for the exponential loss; with loss={self.loss!r} "
                "take step='search'"
            )
        importance = super().begin(state).importance
        return Components(importance, codewords(state.n_classes, self.orientation))

    def demands(self) -> tuple[type, ...]:
        """Return `BinaryLabels`, or `Targets` for ``step="newton"``."""
        return (Targets if self.step == "newton" else BinaryLabels,)

    def ask(self, state: BoostState) -> BinaryLabels | Targets:
        """Return ``w_i^j`` (24) for the current component j."""
        own: Components = state.own
        y_j = own.y_j
        a = pair_weights(self.pair_margins(state), own.importance, LOSSES[self.loss])
        own.pair_weights = a
        w = 0.5 * (row_sums(a) * y_j[state.y] - row_sums(a * y_j))
        if self.step == "search":
            return BinaryLabels(w[:, None])
        curvature = 0.25 * row_sums(a * np.square(y_j[state.y][:, None] - y_j))
        target = np.divide(w, curvature, out=np.zeros_like(w), where=curvature > 0.0)
        return Targets(target[:, None], curvature[:, None])

    def refine(self, state: BoostState, demand: BinaryLabels | Targets, h: Any) -> Any:
        """Return ``g e_j`` in terms of the scores: leaf vectors ``g Y[:, j]``."""
        own: Components = state.own
        return with_leaf_vectors(h, h.trees.leaf_value * own.y_j)

    def answer(self, state: BoostState, demand: BinaryLabels | Targets, h: Any) -> Step:
        """Return the step that minimises the risk along ``g e_j`` (26), or 1 for Newton steps."""
        own: Components = state.own
        assert own.pair_weights is not None
        mass, rate = collapse(own.pair_weights, state.y, h.leaves[0], h.trees.leaf_value)
        own.pair_weights = None
        edge = -total(mass * rate)  # sum_i g(x_i) w_i, (23)
        size = total(np.abs(mass * rate))
        edge = edge / size if size > 0.0 else 0.0
        K = state.n_classes
        own.component = (own.component + 1) % (K - 1)
        alpha = self._size(state, h, mass, rate) if edge > _NO_EDGE else 0.0
        if alpha == 0.0:
            own.without_edge += 1
            over = own.without_edge == K - 1
            return Step(0.0, edge, stop="no edge" if over else "", keep=not over)
        own.without_edge = 0
        perfect = K == 2 and not mass[rate > 0.0].any()
        return Step(alpha, edge, stop="perfect weak learner" if perfect else "")

    def _size(
        self, state: BoostState, h: Any, mass: NDArray[np.float64], rate: NDArray[np.float64]
    ) -> float:
        if self.step == "newton":
            return 1.0
        if self.loss == "exponential":
            return exponential_step(mass, rate)
        v = self.pair_margins(state)
        direction = 0.5 * h.trees.leaf_value[h.leaves[0]]
        move = direction[np.arange(len(state.y)), state.y][:, None] - direction
        importance, phi = self.importance(state), LOSSES[self.loss]
        longest = LONGEST / float(np.abs(move).max())
        return falling_step(lambda step: pair_risk(v + step * move, importance, phi), longest)

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the stump of Sec. 5.1, or a regression stump for Newton steps."""
        if self.step == "newton":
            return "regression-tree", {"max_leaf_nodes": 2, "min_samples_leaf": 1}
        return "stump", {"criterion": "error"}


def collapse(
    a: NDArray[np.float64],
    y: NDArray[np.int32],
    leaves: NDArray[Any],
    vectors: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the pair weights over rows of the same leaf and true class.

    The margins of these rows change at the same rate along the hypothesis.

    Parameters
    ----------
    a : ndarray of float64, shape (n, K)
        Pair weights.
    y : ndarray of int32, shape (n,)
        Label of each row.
    leaves : ndarray of int16 or int32, shape (n,)
        Leaf of each row.
    vectors : ndarray of float64, shape (n_leaves, K)
        Vector that each leaf adds to the scores s.

    Returns
    -------
    mass, rate : ndarray of float64, shape (n_leaves, K, K)
        Summed weight and change of ``(s_k - s_y) / 2`` per unit step, by leaf, true class y and
        other class k.
    """
    n_leaves, K = vectors.shape
    group = leaves.astype(np.int64) * K + y
    mass = np.empty((n_leaves * K, K))
    for k in range(K):
        mass[:, k] = np.bincount(group, weights=a[:, k], minlength=n_leaves * K)
    rate = 0.5 * (vectors[:, None, :] - vectors[:, :, None])
    return mass.reshape(n_leaves, K, K), rate
