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
M                 ``subsample * N``, ``len(u)``
n_iz              ``draws.n_drawn.T``              (n, K)
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
from boostbench.boosters.loop import Booster
from boostbench.boosters.state import BoostState, Step, softmax
from boostbench.boosters.surface import OnRound
from boostbench.compiled import inner, kernel
from boostbench.declared import Positive
from boostbench.portable import dot, row_sums
from boostbench.registry import boosters
from boostbench.threads import in_parts
from boostbench.weak_learners import TREE_PER_CLASS, BinaryLabels

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.uint32]

#: Number of rows processed at a time, so that their probabilities and costs stay in the cache.
_BLOCK = 128


class Risk(NamedTuple):
    """State of `SMBoost`.

    Attributes
    ----------
    cost : ndarray of float64, shape (n, K)
        Costs c_i(y), divided by `scale`.
    scale : float
        Largest range of the costs of a row.
    g : ndarray of float64, shape (n, K)
        Work space of the probabilities.
    draws : Draws
        Work space of the drawn pairs.
    """

    cost: Floats
    scale: float
    g: Floats
    draws: Draws


@boosters.register("sm-boost", family="soft-max", trial={"random_state": 0})
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
    Geist 2015, Secs. 2 and 3 (risk 4, gradient Prop. 2, inner product 7, Algorithm 2), Sec. 5.1.

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

    paper_learner = "tree", {"max_leaf_nodes": 12}  # Sec. 5.1
    needs = (TREE_PER_CLASS,)
    class_order_matters = True

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost: ArrayLike | None = None,
        X_val: Any = None,
        y_val: ArrayLike | None = None,
        on_round: OnRound | None = None,
    ) -> SMBoost:
        """Fit the ensemble.

        Parameters
        ----------
        X, y, sample_weight, X_val, y_val, on_round
            As in `BoostingClassifier.fit`.
        cost : array-like of shape (n_samples, n_classes), default=None
            Cost of every class for each sample, used in place of the parameter `cost`. Several
            classes may have cost 0 (multi-label data).

        Returns
        -------
        self : SMBoost
        """
        own_cost = self.cost if cost is None and callable(self.cost) else cost
        self._fit(X, y, sample_weight, on_round, (X_val, y_val), own_cost)
        return self

    def begin(self, state: BoostState) -> Risk:
        """Return the costs c_i(y), scaled to a range of at most 1 in each row, and M."""
        costs = state.cost
        if costs is None:
            costs = label_costs(self.cost, state.n_classes)[state.y]
        cost, scale = normalised(np.asfortranarray(costs))
        n, K = cost.shape
        sampled = self.gradient == "sampled"
        M = max(1, round(self.subsample * state.n_samples)) if sampled else 0
        return Risk(cost, scale, np.empty_like(cost), Draws.space(n, K, M))

    def ask(self, state: BoostState) -> BinaryLabels | None:
        """Return signs and weights of ``-Delta_i(z)`` of the pairs (Algorithm 2, lines 3-5)."""
        own: Risk = state.own
        g, M = softmax(state.scores, own.g), len(own.draws.row)
        u = state.rng.random(M)
        demand = weigh_pairs(g, own.cost, state.sample_weight, u, own.draws, state.work)
        return None if demand is None else BinaryLabels(demand, own.draws.n_drawn.T if M else None)

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
    draws: Draws | None = None,
    demand: Floats | None = None,
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
        Uniform random numbers in [0, 1). Each number draws the first pair, row by row, whose
        cumulative probability exceeds it. If empty, no pairs are drawn.
    draws : Draws, optional
        Work space; the counts n_iz are written to ``draws.n_drawn``.
    demand : ndarray of float64, shape (n, K), optional
        Array in Fortran order that the result is written to.

    Returns
    -------
    demand : ndarray of float64, shape (n, K), or None
        None if all ``P Delta`` are 0.
    """
    n, K = g.shape
    draws = Draws.space(n, K, len(u)) if draws is None else draws
    demand = np.empty_like(g) if demand is None else demand
    if len(u):
        _draw_rows(g.T, sample_weight, u, draws)

    def weigh(blocks: slice) -> bool:
        given = g.T, cost.T, sample_weight, draws, blocks.start, blocks.stop
        return bool(_weigh_pairs(*given, demand.T, np.empty((3, _BLOCK))))

    return demand if any(in_parts(weigh, -(-n // _BLOCK), g.size)) else None


class Draws(NamedTuple):
    """Draws of pairs, in the order of blocks of rows, but in any order within a block.

    Attributes
    ----------
    n_drawn : ndarray of int64, shape (K, n)
        Number n_iz of draws of each pair; without entries if there are no draws.
    row, label : ndarray of uint32, shape (M,)
        The pair of each draw.
    at : ndarray of float64, shape (M,)
        Number that the cumulative probability of the pair exceeds.
    start : ndarray of int64, shape (n_blocks + 2,)
        The draws of block b are ``start[b]:start[b + 1]``.
    up_to : ndarray of float64, shape (n,)
        Cumulative probability of the pairs up to the end of each row; infinite for the last row.
    share : ndarray of float64, shape (M,)
        Share of the draws of a pair that is drawn once, twice, ..., M times.
    near : ndarray of uint32, shape (n + 1,)
        First row whose cumulative probability reaches 0/n, 1/n, ...
    found : ndarray of uint32, shape (M,)
        Row of each draw, in the order of the random numbers.
    """

    n_drawn: Counts
    row: Indices
    label: Indices
    at: Floats
    start: Counts
    up_to: Floats
    share: Floats
    near: Indices
    found: Indices

    @classmethod
    def space(cls, n: int, K: int, M: int) -> Draws:
        """Return work space for M draws from n K pairs."""
        row, label, found = np.empty((3, M), np.uint32)
        return cls(
            n_drawn=np.empty((K, n) if M else (0, 0), np.int64),
            row=row,
            label=label,
            at=np.empty(M),
            start=np.empty(-(-n // _BLOCK) + 2, np.int64),
            up_to=np.empty(n),
            share=np.cumsum(np.full(M, 1.0 / max(M, 1))),
            near=np.empty(n + 1, np.uint32),
            found=found,
        )


@kernel
def _draw_rows(
    g: Floats, sample_weight: Floats, u: Floats, draws: Draws
) -> None:  # pragma: no cover
    """Find the rows of the draws, and sort the draws by the block of the row."""
    K, n = g.shape
    up_to, near, found, start = draws.up_to, draws.near, draws.found, draws.start
    total = 0.0
    for k in range(n + 1):
        near[k] = 0
    for i in range(n):
        for z in range(K):
            total += g[z, i] * sample_weight[i]
        up_to[i] = total
        near[min(np.uint64(total * n) + np.uint64(1), np.uint64(n))] = i + 1
    for k in range(1, n):
        near[k] = max(near[k], near[k - 1])
    up_to[n - 1] = np.inf  # the last row takes what rounding leaves
    for b in range(start.shape[0]):
        start[b] = 0
    for j in range(u.shape[0]):
        at = u[j] * total
        i = near[min(np.uint64(at * n), np.uint64(n - 1))]
        for _ in range(2):  # nearly always enough, and without branches to mispredict
            i += np.uint32(up_to[i] <= at)
        while up_to[i] <= at:
            i += np.uint32(1)
        found[j] = i
        start[i // np.uint32(_BLOCK) + np.uint32(2)] += 1
    for b in range(1, start.shape[0]):
        start[b] += start[b - 1]
    for j in range(u.shape[0]):
        b = found[j] // np.uint32(_BLOCK) + np.uint32(1)
        place = np.uint64(start[b])
        draws.row[place], draws.at[place] = found[j], u[j] * total
        start[b] += 1


@kernel
def _weigh_pairs(
    g: Floats,
    cost: Floats,
    sample_weight: Floats,
    draws: Draws,
    first: int,
    last: int,
    demand: Floats,
    work: Floats,
) -> bool:  # pragma: no cover
    """Write the demand of the blocks first..last-1; return whether any ``P Delta`` is not 0."""
    n, M, something = g.shape[1], draws.row.shape[0], False
    for b in range(first, last):
        rows = slice(_BLOCK * b, min(_BLOCK * b + _BLOCK, n))
        size = rows.stop - rows.start
        mean, origin = work[0, :size], work[1, :size]
        _centre(g, cost, rows, mean, origin, work[2, :size])
        if M == 0 or not something:
            something |= _weigh_all(g, cost, sample_weight, rows, mean, origin, demand)
        if M > 0:
            _find_labels(g, sample_weight, draws, b, rows)
            _weigh_drawn(cost, draws, b, rows, mean, origin, demand)
    return something


@inner
def _centre(g, cost, rows, mean, origin, top):  # type: ignore[no-untyped-def]
    """Write the cost of the most probable label of each row, and the mean cost less this cost."""
    for r in range(top.shape[0]):
        mean[r], origin[r], top[r] = 0.0, 0.0, -1.0
    for z in range(g.shape[0]):
        its_g, its_cost = g[z, rows], cost[z, rows]
        for r in range(top.shape[0]):
            # all numbers are loaded first, or the loop has no vector instructions
            p, c, best, so_far = its_g[r], its_cost[r], top[r], origin[r]
            origin[r] = c if p > best else so_far
            top[r] = p if p > best else best
    for z in range(g.shape[0]):
        its_g, its_cost = g[z, rows], cost[z, rows]
        for r in range(top.shape[0]):
            mean[r] += its_g[r] * (its_cost[r] - origin[r])


@inner
def _weigh_all(  # type: ignore[no-untyped-def]
    g, cost, sample_weight, rows, mean, origin, demand
):
    """Write ``-P Delta`` of all pairs of some rows; return whether any is not 0."""
    something, weight = False, sample_weight[rows]
    for z in range(g.shape[0]):
        its_g, its_cost, out = g[z, rows], cost[z, rows], demand[z, rows]
        for r in range(out.shape[0]):
            P, delta = its_g[r] * weight[r], (its_cost[r] - origin[r]) - mean[r]
            out[r] = -P * delta
        for r in range(out.shape[0]):
            something |= out[r] != 0.0
    return something


@inner
def _find_labels(g, sample_weight, draws, b, rows):  # type: ignore[no-untyped-def]
    """Find the label of each draw in a block of rows, and count the draws of each pair."""
    K, up_to = g.shape[0], draws.up_to
    for z in range(K):
        counts = draws.n_drawn[z, rows]
        for r in range(counts.shape[0]):
            counts[r] = 0
    for j in range(np.uint64(draws.start[b]), np.uint64(draws.start[b + 1])):
        i, label = draws.row[j], np.uint32(0)
        cumulative = up_to[i - np.uint32(1)] if i > 0 else 0.0
        for z in range(K - 1):  # without a branch, which would be mispredicted often
            cumulative += g[z, i] * sample_weight[i]
            label += np.uint32(cumulative <= draws.at[j])
        draws.label[j] = label
        draws.n_drawn[label, i] += 1


@inner
def _weigh_drawn(cost, draws, b, rows, mean, origin, demand):  # type: ignore[no-untyped-def]
    """Write ``-n_iz / M Delta_i(z)`` of the drawn pairs in a block of rows, and 0 elsewhere."""
    for z in range(cost.shape[0]):
        out = demand[z, rows]
        for r in range(out.shape[0]):
            out[r] = 0.0
    for j in range(np.uint64(draws.start[b]), np.uint64(draws.start[b + 1])):
        i, z = draws.row[j], draws.label[j]
        here, times = np.uint64(i - rows.start), np.uint64(draws.n_drawn[z, i])
        share = draws.share[times - np.uint64(1)]
        demand[z, i] = -share * ((cost[z, i] - origin[here]) - mean[here])
