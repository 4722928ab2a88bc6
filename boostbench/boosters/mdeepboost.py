r"""Multi-class deep boosting: coordinate descent over trees of all sizes, penalised by size.

Kuznetsov, Mohri & Syed, "Multi-class deep boosting", NIPS 2014, Figure 1 and Sec. 3.3.

==================  ==========================================  ===================
paper               here                                        shape
==================  ==========================================  ===================
f                   ``state.scores``                            (n, K)
D_t, S_t            ``D`` (see `deep_objectives`)
h_j(x_i, .)         ``answers`` (see `deep_leaves`)
alpha_{t,j}         ``chosen.alpha[j]``
Lambda_j            ``penalty``                                 (candidates,)
eps_{t,j}           ``eps``                                     (candidates,)
F'(alpha, e_j)      ``2 S/m d``                                 (candidates,)
eta_t               ``eta``
lambda, beta        ``complexity_penalty``, ``l1_penalty``
R_m(T_n), Eq. 13    ``tree_complexity(n, d, m)``
==================  ==========================================  ===================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Real
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from boostbench.boosters.deep_leaves import PATHS, LabelPath
from boostbench.boosters.deep_objectives import (
    EXPONENTIAL,
    LOGISTIC,
    CompSum,
    Distribution,
    Max,
    MaxSum,
    Objective,
    Sum,
    closed_step,
)
from boostbench.boosters.ensemble import Ensemble, on_grid
from boostbench.boosters.loop import row_weights
from boostbench.boosters.pairing import paired_learner
from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.state import TINY, BoostState, Step, softmax
from boostbench.boosters.surface import BoostingClassifier
from boostbench.declared import NotNegative
from boostbench.portable import dot, log, log2
from boostbench.registry import boosters
from boostbench.weak_learners import NESTED_TREES, Costs, Hypothesis

#: Tolerance for ties between derivatives, and for a derivative of 0.
_FLAT = 1e-12


@boosters.register(
    "mdeepboost",
    printed="MDeepBoost",
    family="deep-boosting",
    variants={
        "mdeepboost-comp-sum": ("MDeepBoostCompSum", "surrogate: comp-sum"),
        "mdeepboost-max": ("MDeepBoostMax", "surrogate: max"),
        "mdeepboost-max-sum": ("MDeepBoostMaxSum", "surrogate: max-sum"),
        "mdeepboost-sum": ("MDeepBoostSum", "surrogate: sum"),
    },
)
class MDeepBoost(BoostingClassifier):
    r"""Projected coordinate descent on a convex objective that penalises the size of trees.

    The trees :math:`h_j` predict a label, or a distribution over the classes, in each leaf. With
    the scores :math:`F = \sum_j \alpha_j h_j`, the booster minimises over :math:`\alpha \ge 0`

    .. math::
        \frac1m \sum_i L(F_i, y_i) + \sum_j (\lambda B_{n_j} + \beta)\, \alpha_j, \qquad
        B_n = \sqrt{(4n+2) \log_2(d+2) \ln(m+1) / m},

    where m is the number of samples, d the number of features and :math:`B_n` a bound on the
    Rademacher complexity of the trees with n inner nodes. Each round grows one tree, best first,
    for the current distribution over the samples. The candidate directions are this tree, the
    smaller trees of its growth, and all trees chosen in earlier rounds. The step along the chosen
    direction keeps the coefficient non-negative.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1. A round adds a tree or changes the coefficient of one.
    surrogate : {"sum", "comp-sum", "max-sum", "max"}, default="sum"
        Loss L of a row: Eqs. 7, 9, 8 and 6, respectively.
    loss : {"exponential", "logistic"}, default="exponential"
        Function Phi in the loss; ignored by ``"comp-sum"``, which is always logistic.
    complexity_penalty : float, default=1e-6
        Penalty lambda of the complexity of a tree, not negative.
    l1_penalty : float, default=1e-6
        L1 penalty beta, not negative.
    weak_learner : str, dict, object or None, default=None
        Weak learner that grows nested trees for costs, or for weighted labels if
        ``leaves="distribution"``. None uses ``"greedy"`` or ``"tree"``, respectively, with
        ``max_depth`` 5 (the root is at depth 0).
    leaves : {"label", "distribution"}, default="label"
        Prediction of a leaf. ``"label"``: the label of the smallest cost, in trees grown to
        minimise the costs, which is optimal. ``"distribution"``: the weighted class distribution
        in the leaf, in trees grown on weighted labels like standard decision trees; requires the
        surrogate ``"sum"`` or ``"comp-sum"`` and the step ``"bound"``.
    direction : {"projected", "figure1"}, default="projected"
        ``"projected"`` selects the steepest feasible direction (Sec. 3.3 and Theorem 2), so that
        coefficients may shrink. ``"figure1"`` selects the smallest derivative (line 5 of
        Figure 1), so that coefficients only grow.
    step : {"bound", "exact"}, default="bound"
        ``"bound"`` minimises the upper bound of Figure 1 along the direction, ``"exact"`` the
        objective itself. The surrogate ``"max"`` has no such bound and always uses exact steps.
    reuse : bool, default=True
        If False, trees chosen in earlier rounds are not candidate directions.
    offset : float, default=1.0
        Offset in place of the 1 in :math:`\Phi(1 - \mathrm{margin})`, from 0 to 100.

    Attributes
    ----------
    stop_reason_ : str
        ``"stationary"`` if no direction descends, or ``"perfect weak learner"``.
    model_ : Ensemble
        Trees and steps.
    coefficients_ : ndarray of float64, shape (n_trees,)
        Final alpha of every tree that was chosen in some round; may have shrunk to zero.
    tree_sizes_ : ndarray of int, shape (n_trees,)
        Number n of inner nodes of each tree, at least 1, as used in the penalty.

    References
    ----------
    Kuznetsov, Mohri & Syed 2014, Eqs. 6-9, 11-13, Figure 1; Sec. 3.3 for the direction.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MDeepBoost(n_estimators=20).fit(X, y).score(X, y)
    1.0
    """

    surrogate: Literal["sum", "comp-sum", "max-sum", "max"] = "sum"
    loss: Literal["exponential", "logistic"] = "exponential"
    complexity_penalty: NotNegative = 1e-6
    l1_penalty: NotNegative = 1e-6
    leaves: Literal["label", "distribution"] = "label"
    direction: Literal["projected", "figure1"] = "projected"
    step: Literal["bound", "exact"] = "bound"
    reuse: bool = True
    offset: Annotated[float, Interval(Real, 0, 100, closed="both")] = 1.0

    needs = (NESTED_TREES,)

    # ---- Figure 1 -------------------------------------------------------------------------

    def _rounds(
        self, state: BoostState, X: NDArray[np.float64], rows: CanonicalRows
    ) -> Iterator[Step]:
        learner, trees = paired_learner(self, state.n_classes), PATHS[self.leaves]
        data = rows.prepare(learner, X)
        del X, rows  # frees what the weak learner does not keep
        loss, F, y, w = self._loss_part(), state.scores, state.y, state.sample_weight
        self.model_ = f = Ensemble(state.n_classes)
        state.own = chosen = Chosen()
        self.stop_reason_ = ""
        while not self.stop_reason_:
            D = loss.weigh(F, y, w)  # lines 10-14
            cost = np.asarray(D.cost(y), order=trees.order)  # Eq. 12
            path = trees(learner, data, y, D, cost, state.learner_rng)
            k = self._steepest(path, chosen, cost, D, loss, state)  # line 5
            eta = 0.0 if k is None else float(on_grid(self._step_along(k, D, loss, state)))  # 6-8
            if k is None or eta == 0.0:
                self.stop_reason_ = "stationary"
                break
            if k.tree == len(chosen.answers):  # line 9
                f.grow(k.answers.trees)
            f.move([k.tree], eta)
            chosen.add(k, eta)
            k.answers.add_to(F, eta)
            self.stop_reason_ = "perfect weak learner" if k.is_perfect else ""
            yield Step(eta, 1.0 - 2.0 * k.eps, self.stop_reason_)

    def _steepest(
        self,
        path: LabelPath,
        chosen: Chosen,
        cost: NDArray[np.float64],
        D: Distribution,
        loss: Objective,
        state: BoostState,
    ) -> Direction | None:
        """Return the direction of line 5 among earlier trees and trees of the path, or None.

        The derivative along a tree is ``2 S/m d`` with ``d = eps - 1/2 + Lambda m / (2 S)``. Ties
        prefer earlier trees to new trees, and smaller new trees to larger ones. The result is
        None if no direction descends.
        """
        old = chosen.answers if self.reuse else []
        n_old = len(old)
        leaves = np.arange(min(2, len(path.errors)), len(path.errors) + 1)
        sizes = np.concatenate([chosen.sizes[:n_old], np.maximum(leaves - 1, 1)])
        complexity = tree_complexity(sizes, self.n_features_in_, state.n_samples)
        penalty = self.complexity_penalty * complexity + self.l1_penalty
        eps = np.concatenate([_errors(old, cost), path.errors[leaves - 1]])
        d = eps - 0.5 + 0.5 * penalty * D.inverse_scale
        descent = np.maximum(-d, 0.0)
        if self.direction == "projected" and old:
            d_down = d[:n_old]
            if not loss.smooth:
                d_down = d_down + _errors(old, D.downwards().cost(state.y)) - eps[:n_old]
            can_shrink = np.array(chosen.alpha) > 0.0
            descent[:n_old] = np.maximum(descent[:n_old], np.where(can_shrink, d_down, 0.0))
        if descent.max() <= _FLAT:
            return None
        k = int(np.argmax(descent >= descent.max() - _FLAT))
        if k < n_old:
            return Direction(k, old[k], int(sizes[k]), chosen.alpha[k], eps[k], penalty[k])
        new = path.take(int(leaves[k - n_old]))
        return Direction(len(chosen.answers), new, int(sizes[k]), 0.0, eps[k], penalty[k])

    def _step_along(
        self, k: Direction, D: Distribution, loss: Objective, state: BoostState
    ) -> float:
        """Return eta of lines 6-8, or the exact minimiser along the direction."""
        b = k.penalty * D.inverse_scale
        if self.step == "exact" or not loss.smooth:
            F, y, w = state.scores, state.y, state.sample_weight
            return loss.exact_step(F, y, w, D, k.answers.labels, b, k.alpha)
        eps = TINY if k.is_perfect else k.eps
        return closed_step(1.0 - eps, eps, b, k.alpha)

    # ---- interface ------------------------------------------------------------------------

    @property
    def coefficients_(self) -> NDArray[np.float64]:
        """Final alpha of every tree."""
        coefficients: NDArray[np.float64] = self.model_.coefficients
        return coefficients

    @property
    def tree_sizes_(self) -> NDArray[np.int64]:
        """Number n of inner nodes of every tree, at least 1."""
        n_nodes = np.diff(self.model_.forest.node_offset) if self.n_rounds_ else np.zeros(0)
        sizes: NDArray[np.int64] = np.maximum(n_nodes, 1).astype(np.int64)
        return sizes

    def _validate_params(self) -> None:
        super()._validate_params()
        fits = self.surrogate in ("sum", "comp-sum") and self.step == "bound"
        if self.leaves == "distribution" and not fits:
            raise ValueError(
                "leaves='distribution' goes with surrogate 'sum' or 'comp-sum' and step 'bound', "
                f"not with {self.surrogate!r} and {self.step!r}"
            )

    def demands(self) -> tuple[type, ...]:
        """Return `Costs`, or `WeightedLabels` for ``leaves="distribution"``."""
        return (PATHS[self.leaves].demand,)

    def objective(self, state: BoostState) -> float:
        """Return the loss plus the penalty (Eqs. 6-9)."""
        chosen: Chosen = state.own
        losses = self._loss_part().losses(state.scores, state.y)
        return dot(state.sample_weight, losses) + chosen.penalty

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row in the costs of Eq. 12; see `row_weights`."""
        D = self._loss_part().weigh(state.scores, state.y, state.sample_weight)
        return row_weights(Costs(D.cost(state.y)), len(state.y))

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``softmax(2 F)`` for the exponential loss, ``softmax(F)`` for the logistic loss.

        These are the class probabilities at the population minimiser of ``"sum"``, for the logistic
        loss with offset 0, and of ``"comp-sum"`` with offset 0. Otherwise only the order is
        meaningful.
        """
        exponential = self.loss == "exponential" and self.surrogate != "comp-sum"
        return softmax(2.0 * F if exponential else F)

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return the loss of two labels with equal scores, which a misclassified row reaches."""
        return float(self._loss_part().losses(np.zeros((1, 2)), np.zeros(1, dtype=np.int32))[0])

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the tree of Sec. 4, with the largest of the paper's depths."""
        return "greedy" if self.leaves == "label" else "tree", {"max_depth": 5}

    def _loss_part(self) -> Objective:
        if self.surrogate == "comp-sum":
            return CompSum(self.offset)
        surrogates: dict[str, type[Objective]] = {"sum": Sum, "max-sum": MaxSum, "max": Max}
        phi = EXPONENTIAL if self.loss == "exponential" else LOGISTIC
        return surrogates[self.surrogate](phi, self.offset)


class Direction(NamedTuple):
    """Candidate tree: index, predictions on the training rows, n, alpha, eps and Lambda."""

    tree: int
    answers: Hypothesis
    size: int
    alpha: float
    eps: float
    penalty: float

    @property
    def is_perfect(self) -> bool:
        """True if the optimal step is infinite."""
        return self.eps <= TINY and self.penalty == 0.0


@dataclass
class Chosen:
    """State of `MDeepBoost`: the trees chosen so far.

    Attributes
    ----------
    answers : list of Hypothesis
        Trees with their predictions on the training rows.
    alpha : list of float
        Coefficients.
    sizes : list of int
        Numbers of inner nodes.
    penalty : float
        Sum of ``Lambda_j alpha_j``.
    """

    answers: list[Hypothesis] = field(default_factory=list)
    alpha: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    penalty: float = 0.0

    def add(self, k: Direction, eta: float) -> None:
        """Add a step along a direction."""
        if k.tree == len(self.answers):
            self.answers.append(k.answers)
            self.alpha.append(0.0)
            self.sizes.append(k.size)
        self.alpha[k.tree] += eta
        self.penalty += k.penalty * eta


def _errors(trees: list[Hypothesis], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return eps of each tree (Eq. 12)."""
    return np.array([h.inner(cost) for h in trees])


def tree_complexity(
    n_nodes: NDArray[np.int64] | int, n_features: int, n_samples: int
) -> NDArray[np.float64]:
    """Return the bound on the Rademacher complexity of trees with n inner nodes (Eq. 13).

    Parameters
    ----------
    n_nodes : int or array of int
        Number n of inner nodes, at least 1.
    n_features : int
        Number d of features, after encoding of nominal features.
    n_samples : int
        Number m of samples.

    Returns
    -------
    bound : ndarray of float64
        ``sqrt((4 n + 2) log2(d + 2) ln(m + 1) / m)``.

    Examples
    --------
    >>> tree_complexity(np.array([1, 3]), 16, 10_000).round(4).tolist()
    [0.1518, 0.2319]
    """
    per_node = log2(n_features + 2) * log(n_samples + 1) / n_samples
    bound: NDArray[np.float64] = np.sqrt((4 * np.asarray(n_nodes) + 2) * per_node)
    return bound
