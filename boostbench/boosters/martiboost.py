r"""MartiBoost: boosting by a layered branching program instead of a weighted vote.

Long & Servedio, "Martingale boosting", COLT 2005; Geist, "Soft-max boosting", Sec. 5.5.1.

===============  ===================================  ==========================
paper            here                                 shape
===============  ===================================  ==========================
L                ``n_estimators``
node (l, j)      tree ``l (l + 1) / 2 + j``           j = 0..l
P(l, .)          ``mass``, columns sum to 1           (l + 1, n)
drawn routes     ``arriving``                         (l + 1, n)
rho              leaf value of the node's tree        probability of answer 1
===============  ===================================  ==========================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils._param_validation import Interval

from boostbench.boosters.binary import TwoClasses
from boostbench.boosters.branching_program import Program, Walks, spread, walk_apart, walk_on
from boostbench.boosters.loop import row_weights
from boostbench.boosters.pairing import paired_learner
from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.state import BoostState, Step
from boostbench.boosters.surface import Training
from boostbench.compiled import kernel
from boostbench.models_only import models_only
from boostbench.portable import dot, mean, row_sums
from boostbench.registry import boosters
from boostbench.weak_learners import TREE_PER_CLASS, BinaryLabels, Forest


@dataclass
class Arrivals:
    """State of `MartiBoost`.

    Attributes
    ----------
    mass : ndarray of float64, shape (l + 2, n)
        Mass of each training row at each node of the next layer.
    walks : ndarray of float64, shape (n_samples, 2), or None
        One-hot answers of the sampled walks.
    """

    mass: NDArray[np.float64]
    walks: NDArray[np.float64] | None


@boosters.register("martiboost", printed="MartiBoost", family="soft-max")
class MartiBoost(TwoClasses):
    r"""Martingale boosting for two classes: weak learners at the nodes of a branching program.

    A sample walks through L layers. At node (l, j), reached after j answers 1, a weak learner
    answers 0 or 1, and the walk continues at (l + 1, j) or (l + 1, j + 1). The prediction is 1 iff
    more than half of the L answers are 1. The weak learner b of a node is trained on the samples
    that reach the node, reweighted to equal mass of both labels. Its more frequent answer is then
    flipped at random, so that both answers are equally frequent on the balanced distribution: if
    :math:`\mu = P(b = 1) > 1/2`, an answer 1 is kept with probability :math:`1/(2\mu)`. The
    randomised answer has the same advantage on both labels.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of layers L, at least 1; layer l has l + 1 nodes.
    weak_learner : str, dict, object or None, default=None
        None uses the paper's Gini stump, trained on the balanced samples of the node.
    route : {"mass", "sampled"}, default="mass"
        Path of the training samples: ``"mass"`` distributes a sample over both children in
        proportion to their probabilities, ``"sampled"`` sends it along one random path.
    balance_output : bool, default=True
        If True, the more frequent answer is flipped at random as described above. If False,
        answers are not randomised, and the advantages on the two labels may differ.
    min_mass : float, default=0.0
        Threshold in [0, 1). A node at which the mass of the rarer label is at most this value is
        not trained and answers the other label.
    rule : {"expected", "sampled"}, default="expected"
        ``"expected"`` predicts the more probable end of the walk, ``"sampled"`` the end of one
        random walk (seeded by `random_state`).
    random_state : int, RandomState or None, default=None
        Seed of sampled routes and sampled predictions.

    Attributes
    ----------
    model_ : Program
        Nodes by layer; leaf values are probabilities of answer 1.
    advantages_ : ndarray of float64, shape (n_nodes,)
        P(answer = y) - 1/2 on the balanced distribution of each trained node; NaN elsewhere.

    References
    ----------
    Long & Servedio 2005, Sec. 3; Geist 2015, Sec. 5.5.1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> MartiBoost(n_estimators=31).fit(X, y).score(X, y) > 0.94
    True
    """

    route: Literal["mass", "sampled"] = "mass"
    balance_output: bool = True
    min_mass: Annotated[float, Interval(Real, 0, 1, closed="left")] = 0.0
    rule: Literal["expected", "sampled"] = "expected"

    paper_learner = "stump", {}  # Sec. 5.5.3
    needs = (TREE_PER_CLASS,)

    def demands(self) -> tuple[type, ...]:
        """Return `BinaryLabels`."""
        return (BinaryLabels,)

    def _rounds(
        self, state: BoostState, X: NDArray[np.float64], rows: CanonicalRows
    ) -> Iterator[Step]:
        learner = paired_learner(self, 2)
        fit = partial(learner.fit, rows.prepare(learner, X), rng=state.learner_rng)
        self.model_, self.stop_reason_, self.advantages_ = Program(), "", np.zeros(0)
        mass = np.ones((1, len(state.y)))
        sampled = self.route == "sampled"
        arriving, row = mass, np.repeat(np.arange(len(state.y)), rows.count if sampled else 0)
        position = np.zeros(len(row), dtype=np.int64)
        # a stream independent of the routes, seeded from a copy of the generator
        self._walk_seed = int(deepcopy(state.rng).integers(2**31))
        walks = Walks(X.shape[0], self._walk_seed) if self.rule == "sampled" else None
        while True:
            nodes, leaves, advantage = self._train_layer(state, arriving, fit)
            mass = walk_on(mass, leaves, nodes)
            arriving = mass
            if sampled:
                arriving = walk_apart(leaves, nodes, row, position, state.rng.random(len(row)))
            state.scores = self._answers(mass)
            state.own = Arrivals(arriving, walks.step(nodes, X) if walks else None)
            self.model_.layers.append(nodes)
            self.advantages_ = np.append(self.advantages_, advantage)
            trained = advantage[~np.isnan(advantage)]
            yield Step(1.0, mean(trained) if trained.size else np.nan)

    def _train_layer(
        self,
        state: BoostState,
        mass: NDArray[np.float64],
        fit: Callable[[BinaryLabels], Any],
    ) -> tuple[Forest, NDArray[Any], NDArray[np.float64]]:
        """Train all nodes of a layer, one per column of a demand.

        Returns
        -------
        nodes : Forest
            Trees whose leaf values are probabilities of answer 1.
        leaves : ndarray of int16 or int32, shape (n_nodes, n)
            Leaf of each row in each node.
        advantages : ndarray of float64, shape (n_nodes,)
            Advantages; NaN at nodes that are not trained.
        """
        v, label_mass, is_trained = self._arriving(state, mass)
        signs = np.where(state.y == 1, 1.0, -1.0)
        h = fit(BinaryLabels((v * signs).T))
        b = (h.trees.leaf_value[:, 0] > 0.0).astype(np.float64)
        _times_b(v, h.leaves, b, h.trees.leaf_offset)
        c, a = _mass_of_labels(state.y, v)  # P(b = 1, y = 0), P(b = 1, y = 1)
        at_0, at_1 = self._balanced_answers(a, c)
        untrained = _untrained_answers(*label_mass)
        at_0, at_1 = (np.where(is_trained, at, untrained) for at in (at_0, at_1))
        advantage = (a - c) * (at_1 - at_0)
        nodes = _with_answers(h.trees, at_0, at_1)
        return nodes, h.leaves, np.where(is_trained, advantage, np.nan)

    def _arriving(
        self, state: BoostState, mass: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return balanced row weights by node, label masses by node, and which nodes to train."""
        v = state.sample_weight * mass
        label_mass = _mass_of_labels(state.y, v)
        is_trained = label_mass.min(axis=0) > self.min_mass
        _balance(v, state.y, np.where(is_trained, 2.0 * label_mass, np.inf))
        return v, label_mass, is_trained

    def weights(self, state: BoostState) -> NDArray[np.float64]:
        """Return the weight of each row in the next layer, summed over its nodes."""
        v, _, _ = self._arriving(state, state.own.mass)
        return row_weights(BinaryLabels(np.ascontiguousarray(v.T)), len(state.y))

    def _balanced_answers(
        self, a: NDArray[np.float64], c: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities of answer 1 given b = 0 and given b = 1."""
        mu = a + c
        is_informed = (a > c) & (mu > 0.0) & (mu < 1.0)
        at_0, at_1 = np.zeros_like(mu), np.ones_like(mu)
        if self.balance_output:
            with np.errstate(divide="ignore"):
                at_1 = np.where(mu > 0.5, 1.0 / (2.0 * mu), at_1)
                at_0 = np.where(mu < 0.5, 1.0 - 1.0 / (2.0 * (1.0 - mu)), at_0)
        return np.where(is_informed, at_0, 0.5), np.where(is_informed, at_1, 0.5)

    @models_only
    def _sum_of_trees(self) -> Any:
        raise AttributeError(
            f"the scores of {type(self).__name__} are the ends of walks, no sum of trees; "
            "shap.Explainer(booster.decision_function, background) explains them"
        )

    # ---- prediction -----------------------------------------------------------------------

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        if self.rule == "sampled":  # equal rows take independent walks
            walks = Walks(X.shape[0], self._walk_seed)
            yield from (walks.step(nodes, X) for nodes in self.model_.layers)
            return
        distinct, row_of = X, np.arange(X.shape[0])
        if not issparse(X):
            distinct, row_of = np.unique(X, axis=0, return_inverse=True)
        mass = np.ones((1, distinct.shape[0]))
        for nodes in self.model_.layers:
            mass = spread(mass, nodes, distinct)
            yield self._answers(mass)[row_of.reshape(-1)]

    def _follow(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        yield from self._staged_scores(X)

    def _cut(self, n_rounds: int) -> None:
        super()._cut(n_rounds)
        self.advantages_ = self.advantages_[: n_rounds * (n_rounds + 1) // 2]

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        for F in self._staged_scores(X):
            last = F
        return last

    def _training_scores(self, training: Training) -> tuple[NDArray[np.float64], Any]:
        walks = training.state.own.walks
        return super()._training_scores(training) if walks is None else (walks, slice(None))

    def _answers(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P(j <= l/2) and P(j > l/2) after l layers, shape (n, 2)."""
        p = row_sums(mass[(len(mass) + 1) // 2 :].T)
        return np.column_stack([1.0 - p, p])

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities of the two final answers, whose difference is given by F."""
        p = np.clip(0.5 * (1.0 + F[:, 1] - F[:, 0]), 0.0, 1.0)
        return np.column_stack([1.0 - p, p])

    def objective(self, state: BoostState) -> float:
        """Return the weighted mean probability of a wrong final answer."""
        return dot(state.sample_weight, 1.0 - state.true_scores)

    def loss_if_wrong(self, state: BoostState) -> float:
        """Return 1/2: a wrong prediction is the more probable end of the walk."""
        return 0.5


def _mass_of_labels(y: NDArray[np.int32], v: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each of the two labels in each node, shape (2, n_nodes).

    The sums are accumulated in a fixed order. The rounding of a matrix product depends on threads
    and processor, and a change in the last bit may decide between nearly tied splits.
    """
    is_1, mass = y.astype(np.float64), np.empty((2, len(v)))
    _add_masses(1.0 - is_1, is_1, v, mass)
    return mass


@kernel
def _add_masses(is_0, is_1, v, mass):  # type: ignore[no-untyped-def]
    for j in range(v.shape[0]):
        m0, m1 = 0.0, 0.0
        for i in range(v.shape[1]):
            m0 += is_0[i] * v[j, i]
            m1 += is_1[i] * v[j, i]
        mass[0, j], mass[1, j] = m0, m1


@kernel
def _balance(v, y, mass):  # type: ignore[no-untyped-def]
    """Divide each weight in place by ``mass`` of its label and node."""
    for j in range(v.shape[0]):
        for i in range(v.shape[1]):
            v[j, i] /= mass[1, j] if y[i] == 1 else mass[0, j]  # P_i / (2 m1) or P_i / (2 m0)


@kernel
def _times_b(v, leaves, b, first):  # type: ignore[no-untyped-def]
    """Multiply each weight in place by the prediction b(x), 0 or 1, at its node."""
    for j in range(v.shape[0]):
        for i in range(v.shape[1]):
            v[j, i] *= b[first[j] + leaves[j, i]]  # v_i b(x_i)


def _untrained_answers(m0: NDArray[np.float64], m1: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rho of untrained nodes, which samples of one label or no samples reach."""
    j, layer = np.arange(len(m0)), len(m0) - 1
    nobody = 0.5 + 0.5 * np.sign(2 * j - layer)
    return np.where(np.maximum(m0, m1) > 0.0, m1 > m0, nobody)


def _with_answers(trees: Forest, at_0: NDArray[np.float64], at_1: NDArray[np.float64]) -> Forest:
    """Return a layer's trees with leaf values -1 and +1 replaced by probabilities of answer 1."""
    node = trees.leaf_column
    answers = np.where(trees.leaf_value[:, 0] > 0.0, at_1[node], at_0[node])
    return trees.with_leaf_values(answers[:, None], np.zeros_like(node))
