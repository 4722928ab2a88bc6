"""The engine's trees against scikit-learn's CART and against slow trees."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from boostbench.weak_learners import BinaryLabels, Costs, Targets, Tree, WeightedLabels, histograms
from tests.weak_learners import reference

REAL = ["letter", "pendigits", "satimage", "optdigits", "dna"]


def load(name):
    if name == "generated":
        return reference.integer_data(3000, 12, 7, seed=0)
    if name == "small":
        return reference.integer_data(1500, 6, 3, seed=1)
    if name == "missing":
        X, y = reference.integer_data(1000, 6, 3, seed=3)
        X[np.random.default_rng(8).random(X.shape) < np.linspace(0.0, 0.5, 6)] = np.nan
        X[y == 1, 4] = np.nan
        return X, y
    if name == "large":
        X, y = reference.integer_data(6000, 200, 4, seed=1)
        data = Tree().prepare(X)
        assert data.codes.size > histograms._IN_CACHE
        assert data.sparse_bins.size >= 16 * len(y)  # dense and sparse codes are fetched ahead
        return X, y
    return reference.real_data(name)


LIMITS = [{"max_leaf_nodes": 12}, {"max_leaf_nodes": 60}, {"max_depth": 4}]
LEAST = [
    {"min_samples_leaf": 20},
    {"max_leaf_nodes": 15, "min_samples_leaf": 40},
    {"min_weight_fraction_leaf": 0.05},
    {"max_depth": 6, "min_weight_fraction_leaf": 0.02, "min_samples_leaf": 3},
]
CASES = [
    *product(["generated", *REAL], ["gini", "entropy", "signs"], LIMITS),
    *product(
        ["generated", "letter"],
        ["targets"],
        [*LIMITS, {"max_leaf_nodes": 20, "min_samples_leaf": 7}],
    ),
    *product(["small"], ["gini"], LEAST),
    *product(["missing"], ["gini"], LIMITS),
    *product(["large"], ["gini", "signs", "targets"], [{"max_leaf_nodes": 40}]),
]


@pytest.mark.parametrize(("name", "kind", "limits"), CASES, ids=str)
def test_trees_decrease_impurity_as_cart_does(name, kind, limits):
    X, y = load(name)
    rng = np.random.default_rng(3)
    # weights make ties between different splits, which CART breaks at random, unlikely
    weight = rng.random(len(y)) ** 2
    tree, cart = Tree(**limits), DecisionTreeClassifier(random_state=0, **limits)
    if kind == "signs":
        asked = np.where(y[:, None] == [0, 1], 1.0, -1.0)
        demand = BinaryLabels(asked * weight[:, None])
    elif kind == "targets":
        asked = rng.normal(size=(len(y), 2)) + 0.3 * y[:, None] + 100.0
        demand, cart = (
            Targets(asked, weight[:, None]),
            DecisionTreeRegressor(random_state=0, **limits),
        )
    else:
        asked, demand = y[:, None], WeightedLabels(y, weight, y.max() + 1)
        tree.set_params(criterion=kind)
        cart.set_params(criterion=kind)
    data = tree.prepare(X)
    grown = tree.grow(data, demand)
    for t, (first, end) in enumerate(zip(grown.node_offset, grown.node_offset[1:], strict=False)):
        gains = positive(grown.nodes["gain"][first:end] / weight.sum())
        cart.fit(X, asked[:, t], sample_weight=weight)
        np.testing.assert_allclose(
            gains, cart_decreases(cart.tree_, weight.sum()), atol=1e-9, rtol=0
        )
        if kind == "targets":
            answers = tree.fit(data, demand).values(2)[:, t]
            np.testing.assert_allclose(answers, cart.predict(X), rtol=1e-9)


def positive(decreases):
    """Return the positive decreases, largest first.

    Float sums leave CART with nodes that are pure but for rounding; it splits some of them.
    """
    return np.sort(decreases[decreases > 1e-12])[::-1]


def cart_decreases(tree, total):
    mass = tree.impurity * tree.weighted_n_node_samples
    inner = tree.children_left >= 0
    left, right = tree.children_left[inner], tree.children_right[inner]
    return positive((mass[inner] - mass[left] - mass[right]) / total)


@settings(max_examples=60)
@given(
    st.integers(1, 14),
    st.integers(1, 3),
    st.integers(2, 4),
    st.integers(0, 2**32 - 1),
    st.sampled_from([{"max_leaf_nodes": 4}, {"max_depth": 2}]),
    st.booleans(),
)
def test_cost_trees_are_brute_force(n, d, n_classes, seed, limits, zero_gain):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)).astype(float)
    C = rng.integers(0, 4, (n, n_classes)) - 2.0
    matters = (C[:, :1] != C).any(axis=1)
    X, C = X[matters], C[matters]
    if not len(C):
        return
    splits, leaves = reference.grow(X, C, zero_gain=zero_gain, **limits)
    tree = Tree(zero_gain=zero_gain, **limits)
    grown = tree.grow(tree.prepare(X), Costs(C))
    assert grown.nodes["feature"].tolist() == [split.feature for split in splits]
    np.testing.assert_allclose(grown.nodes["threshold"], [split.threshold for split in splits])
    np.testing.assert_allclose(grown.nodes["gain"], [split.gain for split in splits], atol=1e-9)
    ours = [np.flatnonzero(grown.leaves[0] == leaf).tolist() for leaf in range(len(grown.answers))]
    assert sorted(ours) == sorted(rows.tolist() for rows in leaves)
    labels = grown.hypothesis(d).labels
    for rows in leaves:
        assert {*labels[rows]} == {C[rows].sum(axis=0).argmin()}
