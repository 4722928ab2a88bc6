"""Objectives and leaves of multi-class deep boosting: derivatives, steps, errors."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeClassifier

from boostbench.boosters import make_booster
from boostbench.boosters.deep_leaves import PATHS
from boostbench.boosters.deep_objectives import (
    EXPONENTIAL,
    LOGISTIC,
    MAX_STEP,
    CompSum,
    Max,
    MaxSum,
    Sum,
    error_of,
)
from boostbench.weak_learners import Tree
from tests.boosters.games import smallest_margins

OBJECTIVES = {
    "sum exponential": Sum(EXPONENTIAL),
    "sum logistic": Sum(LOGISTIC),
    "comp-sum logistic": CompSum(),
    "max-sum exponential": MaxSum(EXPONENTIAL),
    "max-sum logistic": MaxSum(LOGISTIC),
    "max exponential": Max(EXPONENTIAL),
    "max logistic": Max(LOGISTIC),
}
every_objective = pytest.mark.parametrize("name", OBJECTIVES)

#: Leave for the rounding of sums of some hundred terms, relative to losses of any size.
_UP = 1 + 1e-12


class Problem:
    """Scores that six random classifiers could have made, and one more classifier."""

    def __init__(self, seed, n_classes=4, n=12):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(n_classes, size=n).astype(np.int32)
        self.weight = rng.dirichlet(np.ones(n))
        self.F = np.zeros((n, n_classes))
        for alpha in rng.random(6):
            self.F[np.arange(n), rng.integers(n_classes, size=n)] += alpha
        self.labels = rng.integers(n_classes, size=n).astype(np.int32)
        right = rng.random(n) < rng.random()
        self.labels[right] = self.y[right]

    def loss(self, objective, eta):
        F = self.F.copy()
        F[np.arange(len(self.y)), self.labels] += eta
        return float(self.weight @ objective.losses(F, self.y))

    def weigh(self, objective, down=False):
        """Return S/m and eps of the classifier."""
        D = objective.weigh(self.F, self.y, self.weight)
        D = D.downwards() if down else D
        return math.exp(D.log_scale), error_of(self.labels, D.cost(self.y))


@every_objective
def test_the_derivative_is_minus_scale_times_edge(name):
    objective = OBJECTIVES[name]
    for seed in range(20):
        problem, tiny = Problem(seed), 1e-5
        scale, eps = problem.weigh(objective)
        slope = (problem.loss(objective, tiny) - problem.loss(objective, -tiny)) / (2 * tiny)
        assert slope == pytest.approx(-scale * (1 - 2 * eps), abs=1e-6)


@pytest.mark.parametrize("name", ["max exponential", "max logistic"])
def test_max_has_two_derivatives_where_labels_tie(name):
    objective = OBJECTIVES[name]
    for seed in range(20):
        problem, tiny = Problem(seed), 1e-7
        problem.F = np.round(problem.F)
        for down in (False, True):
            eta = -tiny if down else tiny
            slope = (problem.loss(objective, eta) - problem.loss(objective, 0.0)) / eta
            scale, eps = problem.weigh(objective, down)
            assert slope == pytest.approx(-scale * (1 - 2 * eps), abs=1e-5)


@every_objective
def test_the_exact_step_minimises_the_objective(name):
    objective = OBJECTIVES[name]
    for seed in range(20):
        problem = Problem(seed)
        alpha, penalty = 0.3, 0.1 * (seed % 3)
        D = objective.weigh(problem.F, problem.y, problem.weight)
        step = objective.exact_step(
            problem.F, problem.y, problem.weight, D, problem.labels,
            penalty * D.inverse_scale, alpha,
        )  # fmt: skip
        etas = np.append(np.linspace(-alpha, 4.0, 200), step)
        values = [problem.loss(objective, eta) + penalty * eta for eta in etas]
        assert -alpha <= step <= MAX_STEP + 1e-9
        assert values[-1] <= min(values) * _UP


@every_objective
def test_the_objectives_bound_the_training_error(name):
    objective = OBJECTIVES[name]
    at_one = math.e if "exponential" in name else math.log2(1 + math.e)
    for seed in range(50):
        problem = Problem(seed)
        wrong = smallest_margins(problem.F, problem.y) <= 0
        assert problem.weight @ wrong <= problem.loss(objective, 0.0) / at_one * _UP


def test_the_offset_is_the_margin_of_phi_at_zero():
    problem = Problem(0)
    textbook = CompSum(offset=0.0).losses(problem.F, problem.y)
    p = np.exp(problem.F) / np.exp(problem.F).sum(axis=1, keepdims=True)
    assert textbook == pytest.approx(-np.log2(p[np.arange(len(p)), problem.y]))
    shifted = Sum(offset=0.0).losses(problem.F, problem.y)
    assert math.e * shifted == pytest.approx(Sum().losses(problem.F, problem.y))


def test_huge_margins_neither_overflow_nor_underflow():
    y = np.array([0, 1], dtype=np.int32)
    F = np.array([[2000.0, 0.0, 0.0], [0.0, 2000.0, 1999.0]])
    for name, objective in OBJECTIVES.items():
        D = objective.weigh(F, y, np.full(2, 0.5))
        assert np.isfinite(D.log_scale), name
        assert D.right.sum() == pytest.approx(1.0), name
        assert np.isfinite(D.inverse_scale), name


# ---- trees whose leaves answer distributions ----------------------------------------------------


def grown(seed, depth, part):
    """Return a problem, the costs at random scores, and the path of trees grown there."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((60, 3)).round(1), rng.integers(4, size=60).astype(np.int32)
    y[X[:, 0] > 0.6] = 1
    F, weight = rng.normal(size=(60, 4)), rng.random(60)
    weight /= weight.sum()
    D = part.weigh(F, y, weight)
    cost = np.asfortranarray(D.cost(y))
    learner = Tree(max_depth=depth)
    path = PATHS["distribution"](learner, learner.prepare(X), y, D, cost, rng)
    return SimpleNamespace(X=X, y=y, F=F, weight=weight, D=D, cost=cost, path=path)


@given(st.integers(0, 200), st.integers(1, 5))
def test_a_paths_errors_are_those_of_its_trees(seed, depth):
    its = grown(seed, depth, Sum())
    for n_leaves, error in enumerate(its.path.errors, 1):
        tree = its.path.take(n_leaves)
        h = tree.trees.add_scores(its.X, [0], [1.0], np.zeros(its.cost.shape))
        assert_allclose(h.sum(axis=1), 1.0)
        assert error == pytest.approx((its.cost * h).sum(), abs=1e-14)
        assert tree.inner(its.cost) == pytest.approx(error, abs=1e-14)


def test_leaves_answer_what_those_of_cart_answer():
    rng = np.random.default_rng(3)
    X, y = rng.random((200, 4)), rng.integers(3, size=200).astype(np.int32)
    y[X[:, 1] > 0.5] = 2
    D = Sum().weigh(rng.normal(size=(200, 3)), y, np.full(200, 1 / 200))
    learner = Tree(max_depth=3)
    path = PATHS["distribution"](learner, learner.prepare(X), y, D, D.cost(y), rng)
    h = np.zeros((200, 3))
    path.take(len(path.errors)).add_to(h, 1.0)
    cart = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y, D.right)
    assert_allclose(h, cart.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("part", [Sum(), CompSum()], ids=["sum", "comp-sum"])
def test_the_error_gives_the_derivative(part):
    its, delta = grown(1, 3, part), 1e-6
    tree = its.path.take(len(its.path.errors))
    up, down = its.F.copy(order="F"), its.F.copy(order="F")
    tree.add_to(up, delta)
    tree.add_to(down, -delta)
    slope = its.weight @ (part.losses(up, its.y) - part.losses(down, its.y)) / (2 * delta)
    edge = 1 - 2 * tree.inner(its.cost)
    assert slope == pytest.approx(-np.exp(its.D.log_scale) * edge, abs=1e-7)


def adaboost_mr_of_stumps(X, y, T):
    """Run AdaBoost.MR (Figure 1 without penalty) on scikit-learn's stumps."""
    rows, K = np.arange(len(y)), y.max() + 1
    F, alphas = np.zeros((len(y), K)), []
    for _ in range(T):
        D = np.exp(F - F[rows, y][:, None])
        D[rows, y] = 0.0
        D /= D.sum()
        h = DecisionTreeClassifier(max_depth=1).fit(X, y, D.sum(axis=1)).predict_proba(X)
        edge = (D * (h[rows, y][:, None] - h)).sum()
        alphas.append(0.5 * np.log((1 + edge) / (1 - edge)))
        F += alphas[-1] * h
    return F, alphas


def test_it_is_adaboost_mr_on_ordinary_stumps():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(120, 3))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=120), [-0.5, 0.5])
    booster = make_booster(
        "adaboost-mr", n_estimators=15, weak_learner={"tree": {"max_depth": 1}}, reuse=False,
        leaves="distribution",
    ).fit(X, y)  # fmt: skip
    F, alphas = adaboost_mr_of_stumps(X, y, 15)
    assert_allclose(booster.coefficients_, alphas, atol=1e-9)
    assert_allclose(booster.decision_function(X), F, atol=1e-8)
