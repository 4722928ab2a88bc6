"""MartiBoost against its specification and what its papers prove; mass in its programs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from boostbench.boosters.branching_program import (
    Walks,
    leaves_of,
    spread,
    walk_apart,
    walk_on,
)
from boostbench.boosters.martiboost import MartiBoost, _mass_of_labels
from boostbench.weak_learners import Forest
from tests.boosters.finite import noisy_problem
from tests.boosters.vectors import read

X, y = noisy_problem(120, flip_y=0.2)
X = X.round(1)


def test_the_program_is_that_of_the_specification():
    vector = read("martiboost")
    booster = MartiBoost(3).fit(vector["X"], vector["y"])
    program = booster.model_.forest
    answers = program.leaf_value[:, 0]
    for node, (feature, at_0, at_1) in enumerate(vector["nodes"]):
        root, leaf = program.node_offset[node], program.leaf_offset[node]
        assert program.feature[root] + 1 == feature
        found = answers[[leaf + ~program.left[root], leaf + ~program.right[root]]]
        assert_allclose(found, [at_0, at_1], atol=6e-9)
    assert_allclose(booster.advantages_, vector["advantages"], atol=6e-9)
    assert_allclose(booster.predict_proba(vector["X"])[:, 1], vector["p1"], atol=6e-9)


def test_every_trained_node_has_half_its_edge_on_both_labels():
    booster = MartiBoost(7).fit(X, y)
    mass = np.full((len(y), 1), 1 / len(y))
    for layer in range(7):
        first = layer * (layer + 1) // 2
        nodes = booster.model_.layers[layer]
        rho = nodes.leaf_value[nodes.apply(X) + nodes.leaf_offset[:-1], 0]
        for j in range(layer + 1):
            advantage = booster.advantages_[first + j]
            if not np.isnan(advantage):
                positive = np.average(rho[y == 1, j], weights=mass[y == 1, j])
                negative = np.average(1 - rho[y == 0, j], weights=mass[y == 0, j])
                assert positive == pytest.approx(0.5 + advantage, abs=1e-12)
                assert negative == pytest.approx(0.5 + advantage, abs=1e-12)
                error = 1 - 0.5 * (
                    np.average(rho[y == 1, j] > 0.5, weights=mass[y == 1, j])
                    + np.average(rho[y == 0, j] <= 0.5, weights=mass[y == 0, j])
                )
                assert advantage >= (0.5 - error) / 2 - 1e-12
        to_left, to_right = mass * (1 - rho), mass * rho
        mass = np.pad(to_left, [(0, 0), (0, 1)]) + np.pad(to_right, [(0, 0), (1, 0)])
        assert_allclose(mass.sum(axis=1), 1 / len(y))


def test_the_sampled_rule_walks_once_and_repeats_itself():
    booster = MartiBoost(21, rule="sampled", random_state=0).fit(X, y)
    assert_array_equal(np.unique(booster.predict_proba(X)), [0.0, 1.0])
    assert_array_equal(booster.predict(X), booster.predict(X))
    expected = MartiBoost(21, random_state=0).fit(X, y).predict_proba(X)[:, 1]
    walks = [
        MartiBoost(21, rule="sampled", random_state=seed).fit(X, y).predict(X) for seed in range(40)
    ]
    assert abs(np.mean(walks) - expected.mean()) < 0.02


def test_unbalanced_output_answers_without_coins():
    p = MartiBoost(9, balance_output=False).fit(X, y).predict_proba(X)[:, 1]
    assert set(np.unique(p)) <= {0.0, 0.5, 1.0}


def test_a_frozen_node_answers_its_heavier_label():
    booster = MartiBoost(15, min_mass=0.45).fit(X, y)
    assert np.isnan(booster.advantages_[1:]).all()


def test_masses_are_added_in_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    y, v = rng.integers(0, 2, 500).astype(np.int32), rng.random((4, 500)) ** 9
    for label, masses in enumerate(_mass_of_labels(y, v)):
        assert masses.tolist() == [np.cumsum(row[y == label])[-1] for row in v]


# ---- mass and walks in a program, by hand and against the shares of single samples --------------


def program_of(missing_left):
    """Return layer 0, a stump, and layer 1, a single leaf and a tree of three leaves."""
    return Forest(
        feature=[0, 1, 0],
        threshold=[0.5, 0.25, 0.75],
        missing_left=missing_left,
        left=[~0, 1, ~0],
        right=[~1, ~2, ~1],
        node_offset=[0, 1, 1, 3],
        leaf_value=[[0.25], [1.0], [0.5], [0.0], [0.125], [0.75]],
        leaf_column=[-1] * 6,
        leaf_offset=[0, 2, 3, 6],
        n_features=2,
    )


PROGRAM = program_of([False, True, False])
LAYERS = PROGRAM[:1], PROGRAM[1:]


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    X = rng.random((700, 2)).round(2)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def test_mass_by_hand():
    X = np.array([[0.5, 0.0], [0.6, 0.25], [np.nan, 0.3], [0.8, np.nan]])
    mass = np.ones((1, 4))
    expected = (
        [[0.75, 0, 0, 0], [0.25, 1, 1, 1]],
        [[0.375, 0, 0, 0], [0.625, 1, 0.25, 0.875], [0, 0, 0.75, 0.125]],
    )
    for layer, nodes in enumerate(LAYERS):
        without_leaves = [spread(mass, nodes, features) for features in (X, csr_array(X))]
        mass = walk_on(mass, leaves_of(nodes, X), nodes)
        for found in (mass, *without_leaves):
            assert_array_equal(found, expected[layer])


def test_repeated_samples_draw_their_paths_independently(samples):
    X = samples
    rng = np.random.default_rng(1)
    count = rng.integers(1, 4, len(X))
    row = np.repeat(np.arange(len(X)), count)
    position = np.zeros(len(row), dtype=np.int64)
    walks, sparse_walks = Walks(len(row), seed=1), Walks(len(row), seed=1)
    same_coins = np.random.default_rng(1)
    for layer, nodes in enumerate(LAYERS):
        coins = same_coins.random(len(row))
        rho = nodes.leaf_value[nodes.apply(X) + nodes.leaf_offset[:-1], 0]
        expected = position + (coins < rho[row, position])
        mass = walk_apart(leaves_of(nodes, X), nodes, row, position, coins)
        assert_array_equal(position, expected)
        majority = walks.step(nodes, X[row]).argmax(axis=1)
        assert_array_equal(majority, 2 * position > layer + 1)
        assert_array_equal(majority, sparse_walks.step(nodes, csr_array(X[row])).argmax(axis=1))
        for i in range(len(X)):
            share = np.bincount(position[row == i], minlength=layer + 2) / count[i]
            assert_allclose(mass[:, i], share, rtol=1e-15)
    assert set(position.tolist()) == {0, 1, 2}
    assert ((mass > 0.0) & (mass < 1.0)).any()


@pytest.mark.parametrize("missing_left", [True, False])
def test_answers_of_dense_samples_are_those_of_their_leaves(samples, missing_left):
    X = samples
    program = program_of([missing_left] * 3)
    mass = np.ones((1, len(X)))
    dense, by_leaves = Walks(len(X), seed=2), Walks(len(X), seed=2)
    for nodes in (program[:1], program[1:]):
        assert_array_equal(dense.step(nodes, X), by_leaves.step(nodes, csr_array(X)))
        expected = walk_on(mass, leaves_of(nodes, X), nodes)
        assert_array_equal(spread(mass, nodes, X), expected)
        mass = expected
