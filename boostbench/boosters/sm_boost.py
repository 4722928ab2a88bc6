r"""Soft-max boosting: functional gradient descent on the risk of a randomised rule.

Geist, "Soft-max boosting", Machine Learning 100, 2015, Algorithm 2.

================  ===============================  ==============================
paper             here                             shape
================  ===============================  ==============================
psi               ``state.scores``                 (n, K)
g_psi             ``g``                            (n, K)
c_i(y)            ``own.cost``                     (n, K)
Delta_i(y)        ``delta``                        a number
h                 ``-h.values(K)``                 (n, K), in {-1, +1}
M                 ``subsample * N``
R_M(h)            ``r``
================  ===============================  ==============================

In the paper, h(x, y) = +1 *lowers* the score of y. Here, as everywhere in this package, +1 raises
the score: the weak learner is trained to predict the paper's -h, and the steps are added.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.boosters.cost_matrices import label_costs, normalised
from boostbench.boosters.declared import Positive
from boostbench.boosters.loop import Booster
from boostbench.boosters.state import BoostState, Step, softmax
from boostbench.boosters.surface import OnRound
from boostbench.compiled import kernel
from boostbench.portable import dot, row_sums
from boostbench.threads import in_parts
from boostbench.weak_learners import BinaryLabels

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

#: Number of rows processed at a time, small enough for the first-level cache.
_BLOCK = 256


class Risk(NamedTuple):
    """State of `SMBoost`.

    Attributes
    ----------
    cost : ndarray of float64, shape (n, K)
        Costs c_i(y), divided by `scale`.
    scale : float
        Largest range of the costs of a row.
    n_drawn : int
        Number M of drawn pairs.
    """

    cost: Floats
    scale: float
    n_drawn: int


class SMBoost(Booster):
    r"""Soft-max boosting: minimisation of the expected cost of a randomised soft-max rule.

    The rule predicts label y with probability :math:`g_i(y) = \mathrm{softmax}(\psi_i)_y`. The
    risk :math:`R(\psi) = \frac1N \sum_{iy} g_i(y) c_i(y)` is bounded, so that a sample that remains
    misclassified loses its influence. With the centred cost
    :math:`\Delta_i(y) = c_i(y) - \sum_z g_i(z) c_i(z)`, each round

    1. draws M pairs (i, z), with i uniform and z from :math:`g_i`,
    2. fits one binary weak learner per label z to the signs of :math:`\Delta_i(z)`, weighted by
       :math:`|\Delta_i(z)|`,
    3. updates :math:`\psi \leftarrow \psi - R_M(h)\, h` with
       :math:`R_M(h) = \frac1M \sum_j \Delta_{i_j}(z_j) h(x_{i_j}, z_j)`.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds T, at least 1; a round trains ``n_classes`` trees.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's Gini trees of at most 12 leaves.
    gradient : {"sampled", "exact"}, default="sampled"
        ``"sampled"`` trains on M drawn pairs per round, ``"exact"`` on all N K pairs, weighted by
        their probabilities.
    subsample : float, default=1.0
        Number M of drawn pairs as a fraction of N, positive; used by the sampled gradient.
    step : "paper" or float, default="paper"
        ``"paper"`` uses the step size R_M(h), as in the experiments (alpha_t = K R_M(h) /
        <grad, h>). A number alpha gives the step size alpha R_M(h) / K; alpha = 1 is the step of
        Theorem 1.
    learning_rate : float, default=1.0
        Factor of every step, positive.
    cost : str, array-like of shape (n_classes, n_classes) or callable, default="zero-one"
        Cost of predicting a class (column) for a true class (row), in the order of `classes_`:
        ``"zero-one"``, ``"ordinal"`` or a matrix; or a function of X and y that returns the costs
        of every sample, shape (n_samples, n_classes). Only differences within a row matter.
    empty_label : {-1, 0, 1}, default=0
        Prediction h for a label without a drawn pair in a round, with the paper's sign: 0 leaves
        the scores of the label unchanged, +1 lowers and -1 raises them.
    random_state : int, RandomState or None, default=None
        Seed of the drawn pairs.

    References
    ----------
    Geist 2015, Sec. 4 (risk 4, gradient Prop. 2, inner product 7), Sec. 5.1, Algorithm 2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SMBoost(n_estimators=30, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    gradient: Literal["sampled", "exact"] = "sampled"
    subsample: Positive = 1.0
    step: Literal["paper"] | Positive = "paper"
    learning_rate: Positive = 1.0
    cost: Annotated[Any, str, "array-like", callable] = "zero-one"
    empty_label: Literal[-1, 0, 1] = 0

    paper_learner = "tree", {"max_leaf_nodes": 12}  # Sec. 5.2
    needs_tree_per_question = True

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost: ArrayLike | None = None,
        on_round: OnRound | None = None,
    ) -> SMBoost:
        """Fit the ensemble.

        Parameters
        ----------
        X, y, sample_weight, on_round
            As in `BoostingClassifier.fit`.
        cost : array-like of shape (n_samples, n_classes), default=None
            Cost of every class for each sample, used in place of the parameter `cost`. Several
            classes may have cost 0 (multi-label data).

        Returns
        -------
        self : SMBoost
        """
        own_cost = self.cost if cost is None and callable(self.cost) else cost
        self._fit(X, y, sample_weight, on_round, own_cost)
        return self

    def begin(self, state: BoostState) -> Risk:
        """Return the costs c_i(y), scaled to a range of at most 1 in each row, and M."""
        costs = state.cost
        if costs is None:
            costs = label_costs(self.cost, state.n_classes)[state.y]
        cost, scale = normalised(np.asfortranarray(costs))
        return Risk(cost, scale, max(1, round(self.subsample * state.n_samples)))

    def ask(self, state: BoostState) -> BinaryLabels | None:
        """Return signs and weights of ``-Delta_i(z)`` of the pairs (Algorithm 2, lines 3-5)."""
        own: Risk = state.own
        u, drawn = np.empty(0), None
        if self.gradient == "sampled":
            u = np.sort(state.rng.random(own.n_drawn))
            drawn = np.zeros(state.scores.shape, dtype=np.int64, order="F")
        demand = weigh_pairs(softmax(state.scores), own.cost, state.sample_weight, u, drawn)
        return None if demand is None else BinaryLabels(demand, drawn)

    def answer(self, state: BoostState, demand: BinaryLabels, h: Any) -> Step:
        """Return ``R_M(h)``, the inner product of demand and hypothesis (Algorithm 2, line 6)."""
        r = h.inner(demand.signed_weight)
        size = r if self.step == "paper" else float(self.step) * r / state.n_classes
        size *= self.learning_rate
        asked = demand.signed_weight.any(axis=0)
        # a tree without weighted rows predicts -1 everywhere, the paper's h = +1
        return Step(np.where(asked, size, self.empty_label * size), edge=r)

    def objective(self, state: BoostState) -> float:
        """Return the smooth risk R(psi) (4), in the units of `cost`."""
        own: Risk = state.own
        return smooth_risk(softmax(state.scores), own.cost, state.sample_weight) * own.scale

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return half the least cost of a wrong label: the true one has probability <= 1/2."""
        own: Risk = state.own
        wrong = own.cost[np.arange(state.n_classes) != state.y[:, None]]
        return 0.5 * float(own.scale * wrong.min())


def smooth_risk(g: Floats, cost: Floats, sample_weight: Floats) -> float:
    """Return ``R(psi) = sum_i w_i sum_y g_i(y) c_i(y)`` (4) for weights that sum to 1."""
    return dot(sample_weight, row_sums(g * cost))


def weigh_pairs(
    g: Floats,
    cost: Floats,
    sample_weight: Floats,
    u: Floats,
    n_drawn: Counts | None = None,
) -> Floats | None:
    """Return ``-P(i, z) Delta_i(z)``, with n_iz / M in place of P(i, z) if pairs are drawn.

    ``Delta_i(y) = c_i(y) - sum_z g_i(z) c_i(z)`` (Prop. 2); P(i, z) is the weight of sample i times
    g_i(z), and n_iz the number of times that the pair is drawn. Costs are measured relative to the
    cost of the most probable label, to prevent cancellation where g_i is close to 0 or 1.

    Parameters
    ----------
    g, cost : ndarray of float64, shape (n, K)
        Probabilities and costs, preferably in Fortran order.
    sample_weight : ndarray of float64, shape (n,)
        Weights that sum to 1.
    u : ndarray of float64, shape (M,)
        Uniform random numbers in [0, 1), in ascending order. Each number draws the first pair, row
        by row, whose cumulative probability exceeds it. If empty, no pairs are drawn.
    n_drawn : ndarray of int64, shape (n, K), optional
        Zeros in Fortran order; the counts n_iz are added in place.

    Returns
    -------
    demand : ndarray of float64, shape (n, K), or None
        None if all ``P Delta`` are 0.
    """
    demand = np.empty_like(g)
    n_drawn = np.zeros(g.shape if len(u) else (0, 0), np.int64, "F") if n_drawn is None else n_drawn
    up_to = np.empty(len(g))
    _cumulate(g.T, sample_weight, up_to)

    def weigh(rows: slice) -> bool:
        ends = rows.start, rows.stop
        given = g.T, cost.T, sample_weight, up_to, u
        return bool(_weigh_pairs(*given, *ends, demand.T, n_drawn.T, np.empty((3, _BLOCK))))

    return demand if any(in_parts(weigh, len(g))) else None


@kernel
def _cumulate(g: Floats, sample_weight: Floats, up_to: Floats) -> None:  # pragma: no cover
    """Write the cumulative probability of the pairs at the end of each row into ``up_to``."""
    K, n = g.shape
    total = 0.0
    for i in range(n):
        for z in range(K):
            total += g[z, i] * sample_weight[i]
        up_to[i] = total


@kernel
def _weigh_pairs(
    g: Floats,
    cost: Floats,
    sample_weight: Floats,
    up_to: Floats,
    u: Floats,
    first: int,
    last: int,
    demand: Floats,
    n_drawn: Counts,
    work: Floats,
) -> bool:  # pragma: no cover
    """Write the demand of the rows first..last-1; return whether any ``P Delta`` is not 0."""
    K, n = g.shape
    M, total, something = u.shape[0], up_to[n - 1], False
    before, drawn = up_to[first - 1] if first > 0 else 0.0, 0
    while drawn < M and u[drawn] * total < before:
        drawn += 1
    mean, origin, top = work[0], work[1], work[2]
    for start in range(first, last, _BLOCK):
        size = min(_BLOCK, last - start)
        rows = slice(start, start + size)
        weight = sample_weight[rows]
        for r in range(size):
            mean[r], origin[r], top[r] = 0.0, 0.0, -1.0
        for z in range(K):
            its_g, its_cost = g[z, rows], cost[z, rows]
            for r in range(size):
                origin[r] = its_cost[r] if its_g[r] > top[r] else origin[r]
                top[r] = max(top[r], its_g[r])
        for z in range(K):
            its_g, its_cost = g[z, rows], cost[z, rows]
            for r in range(size):
                mean[r] += its_g[r] * (its_cost[r] - origin[r])
        for z in range(K):
            its_g, its_cost, out = g[z, rows], cost[z, rows], demand[z, rows]
            for r in range(size):
                P, delta = its_g[r] * weight[r], (its_cost[r] - origin[r]) - mean[r]
                something |= P * delta != 0.0
                out[r] = 0.0 if M > 0 else -P * delta
        for i in range(start, start + size):
            cumulative, z, r = before, 0, i - start
            before = up_to[i]
            while drawn < M and u[drawn] * total < before:
                cumulative += g[z, i] * sample_weight[i]
                share = 0.0
                while drawn < M and u[drawn] * total < cumulative:
                    share += 1.0 / M
                    drawn += 1
                    n_drawn[z, i] += 1
                if share > 0.0:
                    demand[z, i] = -share * ((cost[z, i] - origin[r]) - mean[r])
                z += 1
    return something
