r"""MartiBoost: boosting by a layered branching program instead of a weighted vote.

Long & Servedio, "Martingale boosting", COLT 2005; Geist, "Soft-max boosting", Sec. 5.5.1.

===============  ===================================  ==========================
paper            here                                 shape
===============  ===================================  ==========================
L                ``n_estimators``
node (l, j)      tree ``l (l + 1) / 2 + j``           j = 0..l
P(l, .)          ``mass``, a row's sum being 1         (n, l + 1)
rho              leaf value of the node's tree        answer-1 probability
===============  ===================================  ==========================
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from boostbench.boosters.game import Game, RoundInfo, Step
from boostbench.boosters.rows import CanonicalRows
from boostbench.boosters.surface import BoostingClassifier, OnRound
from boostbench.weak_learners import Forest, WeightedLabels, make_weak_learner

__all__ = ["MartiBoost"]


class MartiBoost(BoostingClassifier):
    r"""Boosting of two-sided weak learners along a branching program; two classes only.

    A sample walks through L layers; at node (l, j), reached with j answers "1" so far, a weak
    learner answers 0 or 1, and the walk goes on at (l + 1, j) or (l + 1, j + 1). The final answer
    is 1 iff more than half of the answers were. Each node's weak learner b is trained on the
    samples that reach the node, both labels given equal mass, and its more frequent answer is
    turned at random, so that both answers are equally frequent on that balanced distribution:
    with :math:`\mu = P(b = 1) > 1/2` an answer 1 is kept with probability :math:`1/(2\mu)`.
    The randomised answer then has the same advantage on both labels.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of layers L, at least 1; layer l has l + 1 nodes.
    weak_learner : str, dict, object or None, default=None
        None is the paper's: a Gini stump on the balanced node.
    route : {"mass", "sampled"}, default="mass"
        Whether a training row spreads its mass over both children, or takes one random path.
    balance_output : bool, default=True
        Whether the more frequent answer is randomised; False loses the two-sidedness.
    min_mass : float, default=0.0
        A node whose rarer label has at most this mass answers the other label; in [0, 1).
    rule : {"expected", "sampled"}, default="expected"
        Whether a prediction is the more probable end of the walk, or one walk with random answers
        (seeded by `random_state`).
    random_state : int, RandomState or None, default=None
        Seed of sampled routes and sampled predictions.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    n_rounds_ : int
        Number of layers.
    stop_reason_ : str
        Always empty: all layers are trained.
    model_ : Forest
        The nodes, layer by layer; a leaf's value is the probability of answering 1.
    advantages_ : ndarray of float64, shape (n_nodes,)
        P(answer = y) - 1/2 on the node's balanced distribution, for trained nodes; nan elsewhere.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BoostingClassifier._parameter_constraints,
        "route": [StrOptions({"mass", "sampled"})],
        "balance_output": ["boolean"],
        "min_mass": [Interval(Real, 0, 1, closed="left")],
        "rule": [StrOptions({"expected", "sampled"})],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        weak_learner: Any = None,
        route: str = "mass",
        balance_output: bool = True,
        min_mass: float = 0.0,
        rule: str = "expected",
        random_state: Any = None,
    ) -> None:
        super().__init__(n_estimators, weak_learner=weak_learner, random_state=random_state)
        self.route = route
        self.balance_output = balance_output
        self.min_mass = min_mass
        self.rule = rule

    def _train(
        self,
        game: Game,
        X: NDArray[np.float64],
        rows: CanonicalRows,
        rng: np.random.Generator,
        on_round: OnRound,
    ) -> None:
        learner = make_weak_learner(self.weak_learner, self.default_weak_learner(2))
        data = learner.prepare(X, rows.representative)
        nodes: list[Forest] = []
        advantages: list[float] = []
        mass = np.ones((len(game.y), 1))
        for layer in range(self.n_estimators):
            rho = np.empty_like(mass)
            for j in range(layer + 1):
                node, rho[:, j], advantage = self._train_node(
                    layer, j, game, game.sample_weight * mass[:, j], learner, data, rng
                )
                nodes.append(node)
                advantages.append(advantage)
            mass = _walk_on(mass, self._routes(rho, game.rng))
            game.scores = self._answers(mass)
            trained = [a for a in advantages[-layer - 1 :] if not np.isnan(a)]
            edge = float(np.mean(trained)) if trained else np.nan
            on_round(RoundInfo(layer + 1, rows.row_of, Step(1.0, edge), game, self))
        self.model_ = Forest.concatenate(nodes)
        self.advantages_ = np.array(advantages)
        self.n_rounds_ = self.n_estimators
        self.stop_reason_ = ""
        self._walk_seed = int(game.rng.integers(2**31))

    def _train_node(
        self,
        layer: int,
        j: int,
        game: Game,
        mass: NDArray[np.float64],
        learner: Any,
        data: Any,
        rng: np.random.Generator,
    ) -> tuple[Forest, NDArray[np.float64] | float, float]:
        """Return the node's tree, its answer-1 probability on every row, and its advantage."""
        label_mass = np.bincount(game.y, weights=mass, minlength=2)
        if label_mass.min() <= self.min_mass:
            rho = _untrained_answer(layer, j, label_mass)
            return _constant(rho, self.n_features_in_), rho, np.nan
        v = mass / (2.0 * label_mass[game.y])  # each label has mass 1/2
        b = learner.fit(data, WeightedLabels(game.y, v, 2), rng)
        mu = float(v @ b.labels)
        answer = self._balanced_answers(mu)
        agreement = float(v @ (b.labels == game.y))
        if not 0.0 < mu < 1.0 or agreement <= 0.5:
            return _constant(0.5, self.n_features_in_), 0.5, 0.0
        if not isinstance(b.trees, Forest):
            raise ValueError(
                f"MartiBoost randomises the leaves of trees; weak learner {learner!r} has none"
            )
        rho = answer[b.labels]
        advantage = float(v @ np.where(game.y == 1, rho, 1.0 - rho)) - 0.5
        return _with_answers(b.trees, answer), rho, advantage

    def _balanced_answers(self, mu: float) -> NDArray[np.float64]:
        """Return the probability of answering 1 where b answers 0, and where it answers 1."""
        if not self.balance_output or not 0.0 < mu < 1.0:
            return np.array([0.0, 1.0])
        if mu > 0.5:
            return np.array([0.0, 1.0 / (2.0 * mu)])
        return np.array([1.0 - 1.0 / (2.0 * (1.0 - mu)), 1.0])

    def _routes(self, rho: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        if self.route == "mass":
            return rho
        return (rng.random((rho.shape[0], 1)) < rho).astype(np.float64)

    # ---- prediction -----------------------------------------------------------------------

    def _staged_scores(self, X: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
        coins = np.random.default_rng(self._walk_seed)
        mass = np.ones((X.shape[0], 1))
        for layer in range(self.n_rounds_):
            first = layer * (layer + 1) // 2
            nodes = self.model_[first : first + layer + 1]
            leaves = nodes.apply(X) + nodes.leaf_offset[:-1]
            rho = nodes.leaf_value[leaves, 0]
            if self.rule == "sampled":
                rho = (coins.random((X.shape[0], 1)) < rho).astype(np.float64)
            mass = _walk_on(mass, rho)
            yield self._answers(mass)

    def _scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        for F in self._staged_scores(X):
            last = F
        return last

    def _answers(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P(j <= l/2) and P(j > l/2) of the walk's end, shape (n, 2)."""
        layer = mass.shape[1] - 1
        p = mass[:, layer // 2 + 1 :].sum(axis=1)
        return np.column_stack([1.0 - p, p])

    def probabilities(self, F: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return F, which holds the probabilities of the walk's two answers already."""
        return np.clip(F, 0.0, 1.0)

    def objective(self, game: Game) -> float:
        """Return the weighted probability that a walk ends at the wrong answer."""
        return float(game.sample_weight @ (1.0 - game.true_scores))

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return the stump of Sec. 5.5.2."""
        return "stump", {}

    def _check_classes(self, n_classes: int) -> None:
        if n_classes > 2:
            raise ValueError(
                f"Only binary classification is supported. MartiBoost takes two classes (its "
                f"program counts yes and no answers); found {n_classes} classes"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _walk_on(mass: NDArray[np.float64], rho: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return P(l + 1, .) from P(l, .): answer 1 leads from j to j + 1, answer 0 keeps j."""
    following = np.zeros((mass.shape[0], mass.shape[1] + 1))
    following[:, 1:] = mass * rho
    following[:, :-1] += mass * (1.0 - rho)
    return following


def _untrained_answer(layer: int, j: int, label_mass: NDArray[np.float64]) -> float:
    """Return rho of a node that one label, or nobody, reaches."""
    if label_mass.max() > 0.0:
        return float(label_mass[1] > label_mass[0])
    return 0.5 + 0.5 * float(np.sign(2 * j - layer))


def _constant(rho: float, n_features: int) -> Forest:
    return Forest(
        feature=np.zeros(0, dtype=np.int32),
        threshold=np.zeros(0),
        missing_left=np.zeros(0, dtype=np.bool_),
        left=np.zeros(0, dtype=np.int32),
        right=np.zeros(0, dtype=np.int32),
        node_offset=np.array([0, 0]),
        leaf_value=np.array([[rho]]),
        leaf_column=np.zeros(1, dtype=np.int32),
        leaf_offset=np.array([0, 1]),
        n_features=n_features,
    )


def _with_answers(tree: Forest, answer: NDArray[np.float64]) -> Forest:
    """Return the classifier's tree with answer-1 probabilities in place of its labels."""
    return Forest(
        feature=tree.feature,
        threshold=tree.threshold,
        missing_left=tree.missing_left,
        left=tree.left,
        right=tree.right,
        node_offset=tree.node_offset,
        leaf_value=answer[tree.leaf_column][:, None],
        leaf_column=np.zeros_like(tree.leaf_column),
        leaf_offset=tree.leaf_offset,
        n_features=tree.n_features,
    )
