"""The engine's trees against scikit-learn's CART and against slow trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from boostbench.weak_learners import (
    BinaryLabels,
    Costs,
    Targets,
    Tree,
    WeightedLabels,
    histograms,
)
from tests.weak_learners import reference

REAL = ["letter", "pendigits", "satimage", "optdigits", "dna"]


def cart_decreases(model, total):
    """Positive impurity decreases per unit of weight, largest first.

    Float sums leave CART with nodes that are pure but for rounding; it splits some of them.
    """
    tree = model.tree_
    mass = tree.impurity * tree.weighted_n_node_samples
    inner = tree.children_left >= 0
    left, right = tree.children_left[inner], tree.children_right[inner]
    return positive((mass[inner] - mass[left] - mass[right]) / total)


def positive(decreases):
    return np.sort(decreases[decreases > 1e-12])[::-1]


def our_decreases(tree, X, demand, total):
    grown = tree.grow(tree.prepare(X), demand)
    return positive(grown.nodes["gain"] / total)


def load(name):
    if name == "generated":
        return reference.integer_data(3000, 12, 7, seed=0)
    return reference.real_data(name)


LIMITS = [{"max_leaf_nodes": 12}, {"max_leaf_nodes": 60}, {"max_depth": 4}]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", ["generated", *REAL])
def test_label_trees_decrease_impurity_as_cart_does(name, criterion, limits):
    X, y = load(name)
    # weights make ties between different splits, which CART breaks at random, unlikely
    weight = np.random.default_rng(3).random(len(y)) ** 2
    cart = DecisionTreeClassifier(criterion=criterion, random_state=0, **limits)
    cart.fit(X, y, sample_weight=weight)
    ours = our_decreases(
        Tree(criterion, **limits), X, WeightedLabels(y, weight, y.max() + 1), weight.sum()
    )
    np.testing.assert_allclose(ours, cart_decreases(cart, weight.sum()), atol=1e-9, rtol=0)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("name", ["generated", *REAL])
def test_binary_trees_decrease_impurity_as_cart_does(name, limits):
    X, y = load(name)
    weight = np.random.default_rng(4).random(len(y)) ** 3
    for k in range(2):
        sign = np.where(y == k, 1.0, -1.0)
        cart = DecisionTreeClassifier(random_state=0, **limits).fit(X, sign, sample_weight=weight)
        demand = BinaryLabels((sign * weight)[:, None])
        ours = our_decreases(Tree(**limits), X, demand, weight.sum())
        np.testing.assert_allclose(ours, cart_decreases(cart, weight.sum()), atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    "limits", [*LIMITS, {"max_leaf_nodes": 20, "min_samples_leaf": 7}], ids=str
)
@pytest.mark.parametrize("name", ["generated", "letter"])
def test_regression_trees_decrease_squared_error_as_cart_does(name, limits):
    X, y = load(name)
    rng = np.random.default_rng(5)
    weight, target = rng.random(len(y)), rng.normal(size=len(y)) + 0.3 * y + 100.0
    cart = DecisionTreeRegressor(random_state=0, **limits).fit(X, target, sample_weight=weight)
    demand = Targets(target[:, None], weight[:, None])
    ours = our_decreases(Tree(**limits), X, demand, weight.sum())
    np.testing.assert_allclose(ours, cart_decreases(cart, weight.sum()), atol=1e-9, rtol=0)
    tree = Tree(**limits)
    h = tree.fit(tree.prepare(X), demand)
    np.testing.assert_allclose(h.values(1)[:, 0], cart.predict(X), rtol=1e-9)


def test_large_trees_decrease_impurity_as_cart_does():
    X, y = reference.integer_data(6000, 200, 4, seed=1)
    data = Tree().prepare(X)
    assert data.codes.size > histograms._IN_CACHE
    assert data.sparse_bins.size >= 16 * len(y)  # so that dense and sparse codes are fetched ahead
    weight = np.random.default_rng(6).random(len(y)) ** 2
    sign = np.where(y == 1, 1.0, -1.0)
    cart, limits = DecisionTreeClassifier, {"max_leaf_nodes": 40}
    for peer, labels, demand in (
        (cart, y, WeightedLabels(y, weight, 4)),
        (cart, sign, BinaryLabels((sign * weight)[:, None])),
        (DecisionTreeRegressor, sign, Targets(sign[:, None], weight[:, None])),
    ):
        theirs = peer(random_state=0, **limits).fit(X, labels, sample_weight=weight)
        gains = positive(Tree(**limits).grow(data, demand).nodes["gain"] / weight.sum())
        expected = cart_decreases(theirs, weight.sum())
        np.testing.assert_allclose(gains, expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    "limits",
    [
        {"min_samples_leaf": 20},
        {"max_leaf_nodes": 15, "min_samples_leaf": 40},
        {"min_weight_fraction_leaf": 0.05},
        {"max_depth": 6, "min_weight_fraction_leaf": 0.02, "min_samples_leaf": 3},
    ],
    ids=str,
)
def test_leaf_minima_are_carts(limits):
    X, y = reference.integer_data(1500, 6, 3, seed=1)
    weight = np.random.default_rng(5).random(len(y))
    cart = DecisionTreeClassifier(random_state=0, **limits).fit(X, y, sample_weight=weight)
    ours = our_decreases(Tree(**limits), X, WeightedLabels(y, weight, 3), weight.sum())
    np.testing.assert_allclose(ours, cart_decreases(cart, weight.sum()), atol=1e-9, rtol=0)


def test_missing_values_are_split_as_cart_does():
    rng = np.random.default_rng(8)
    X, y = reference.integer_data(1000, 6, 3, seed=3)
    X[rng.random(X.shape) < np.linspace(0.0, 0.5, 6)] = np.nan
    X[y == 1, 4] = np.nan
    weight = rng.random(len(y))
    for limits in LIMITS:
        cart = DecisionTreeClassifier(random_state=0, **limits).fit(X, y, sample_weight=weight)
        ours = our_decreases(Tree(**limits), X, WeightedLabels(y, weight, 3), weight.sum())
        np.testing.assert_allclose(ours, cart_decreases(cart, weight.sum()), atol=1e-9, rtol=0)


small = st.tuples(
    st.integers(1, 14), st.integers(1, 3), st.integers(2, 4), st.integers(0, 2**32 - 1)
)


def check_against_reference(tree, X, demand, impurity, answers, **rules):
    """Compare splits, thresholds, gains and answers with the slow tree's."""
    splits, leaves = reference.grow(X, impurity, **rules)
    data = tree.prepare(X)
    grown = tree.grow(data, demand)
    assert grown.nodes["feature"].tolist() == [split.feature for split in splits]
    np.testing.assert_allclose(grown.nodes["threshold"], [split.threshold for split in splits])
    np.testing.assert_allclose(grown.nodes["gain"], [split.gain for split in splits], atol=1e-9)
    groups = {frozenset(rows.tolist()) for rows in leaves}
    ours = {frozenset(np.flatnonzero(grown.leaves[0] == leaf)) for leaf in set(grown.leaves[0])}
    assert ours == groups
    h = tree.fit(data, demand)
    for rows in leaves:
        assert set(answers(h)[rows]) == {answers(h)[rows[0]]}
    return h, leaves


@settings(max_examples=60)
@given(small, st.sampled_from([{"max_leaf_nodes": 4}, {"max_depth": 2}]), st.booleans())
def test_cost_trees_are_brute_force(shape, limits, zero_gain):
    n, d, K, seed = shape
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)).astype(float)
    C = rng.integers(0, 4, (n, K)) - 2.0
    C = C[(C[:, :1] != C).any(axis=1)]
    X = X[: len(C)]
    if not len(C):
        return
    scale = (C - C.min(axis=1, keepdims=True)).sum()
    h, leaves = check_against_reference(
        Tree(zero_gain=zero_gain, **limits),
        X,
        Costs(C),
        reference.cost(C),
        lambda h: h.labels,
        least_gain=-np.inf if zero_gain else 1e-12 * scale,
        pure=1e-12 * scale,
        tie=1e-9,
        **limits,
    )
    for rows in leaves:
        assert h.labels[rows[0]] == C[rows].sum(axis=0).argmin()
