"""Trees whose leaves answer distributions: their errors, and boosting them."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.tree import DecisionTreeClassifier

from boostbench.boosters import make_booster
from boostbench.boosters.deep_leaves import PATHS
from boostbench.boosters.deep_objectives import CompSum, Sum
from boostbench.weak_learners import Tree


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
