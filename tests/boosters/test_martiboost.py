"""MartiBoost against the specification's example and what its papers prove."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification

from boostbench.boosters.martiboost import MartiBoost, _mass_of_labels

#: Worked out in exact fractions, node by node: feature (from 1), P(answer 1 | x = 0), and | x = 1.
V8_NODES = [
    (2, 0.04761905, 1),
    (1, 0, 0.66666667),
    (1, 0.19879820, 1),
    (1, 0, 0.8),
    (3, 0, 0.76135723),
    (1, 0, 0.82249755),
]
V8_ADVANTAGES = [0.26190476, 0.16666667, 0.23710566, 0.3, 0.26135723, 0.24971008]
V8_P1 = [1, 0.53102046, 1, 0.80879898, 0.03851424, 0.19879820, 0.04761905, 0.00946658, 0.53102046]
V8_X = np.array(
    [
        [int(bit) for bit in row]
        for row in ("110", "101", "111", "011", "001", "010", "100", "000", "101")
    ]
)
V8_Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0])


def test_v8():
    booster = MartiBoost(3).fit(V8_X, V8_Y)
    program = booster.model_.forest
    answers = program.leaf_value[:, 0]
    for node, (feature, at_0, at_1) in enumerate(V8_NODES):
        root, leaf = program.node_offset[node], program.leaf_offset[node]
        assert program.feature[root] + 1 == feature
        found = answers[[leaf + ~program.left[root], leaf + ~program.right[root]]]
        assert_allclose(found, [at_0, at_1], atol=6e-9)
    assert_allclose(booster.advantages_, V8_ADVANTAGES, atol=6e-9)
    assert_allclose(booster.predict_proba(V8_X)[:, 1], V8_P1, atol=6e-9)


def noisy_problem():
    X, y = make_classification(120, n_informative=5, flip_y=0.2, random_state=0)
    return X.round(1), y


def test_every_trained_node_has_half_its_edge_on_both_labels():
    X, y = noisy_problem()
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
        mass = np.column_stack([mass * (1 - rho), np.zeros(len(y))]) + np.column_stack(
            [np.zeros(len(y)), mass * rho]
        )
        assert_allclose(mass.sum(axis=1), 1 / len(y))


def test_the_sampled_rule_walks_once_and_repeats_itself():
    X, y = noisy_problem()
    booster = MartiBoost(21, rule="sampled", random_state=0).fit(X, y)
    assert_array_equal(np.unique(booster.predict_proba(X)), [0.0, 1.0])
    assert_array_equal(booster.predict(X), booster.predict(X))
    expected = MartiBoost(21, random_state=0).fit(X, y).predict_proba(X)[:, 1]
    walks = [
        MartiBoost(21, rule="sampled", random_state=seed).fit(X, y).predict(X) for seed in range(40)
    ]
    assert abs(np.mean(walks) - expected.mean()) < 0.02


def test_unbalanced_output_answers_without_coins():
    X, y = noisy_problem()
    p = MartiBoost(9, balance_output=False).fit(X, y).predict_proba(X)[:, 1]
    assert set(np.unique(p)) <= {0.0, 0.5, 1.0}


def test_a_frozen_node_answers_its_heavier_label():
    X, y = noisy_problem()
    booster = MartiBoost(15, min_mass=0.45).fit(X, y)
    assert np.isnan(booster.advantages_[1:]).all()


def test_masses_are_added_in_the_order_of_the_rows():
    rng = np.random.default_rng(0)
    y, v = rng.integers(0, 2, 500).astype(np.int32), rng.random((4, 500)) ** 9
    for label, masses in enumerate(_mass_of_labels(y, v)):
        assert masses.tolist() == [np.cumsum(row[y == label])[-1] for row in v]
