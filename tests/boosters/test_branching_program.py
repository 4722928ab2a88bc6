"""Walks through a branching program against walks by the leaves that the forest finds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

from boostbench.boosters.branching_program import Program, walk_apart, walk_on
from boostbench.weak_learners import Forest

#: Layer 0: a stump. Layer 1: a single leaf, and a tree of three leaves with the missing left.
PROGRAM = Forest(
    feature=[0, 1, 0],
    threshold=[0.5, 0.25, 0.75],
    missing_left=[False, True, False],
    left=[~0, 1, ~0],
    right=[~1, ~2, ~1],
    node_offset=[0, 1, 1, 3],
    leaf_value=[[0.25], [1.0], [0.5], [0.0], [0.125], [0.75]],
    leaf_column=[-1] * 6,
    leaf_offset=[0, 2, 3, 6],
    n_features=2,
)
N_LAYERS = 2


@pytest.fixture
def X() -> NDArray[np.float64]:
    rng = np.random.default_rng(0)
    X = rng.random((700, 2)).round(2)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X


def everything_at_the_root(n: int) -> NDArray[np.float64]:
    mass = np.zeros((N_LAYERS + 1, n))
    mass[0] = 1.0
    return mass


def rho_of_layer(layer: int, X: NDArray[np.float64]) -> NDArray[np.float64]:
    first = layer * (layer + 1) // 2
    nodes = PROGRAM[first : first + layer + 1]
    rho: NDArray[np.float64] = nodes.leaf_value[nodes.apply(X) + nodes.leaf_offset[:-1], 0]
    return rho


def test_mass_by_hand() -> None:
    X = np.array([[0.5, 0.0], [0.6, 0.25], [np.nan, 0.3], [0.8, np.nan]])
    mass, program = everything_at_the_root(4), Program(PROGRAM, X)
    program.spread(mass, 0)
    assert_array_equal(mass, [[0.75, 0, 0, 0], [0.25, 1, 1, 1], [0, 0, 0, 0]])
    program.spread(mass, 1)
    assert_array_equal(mass, [[0.375, 0, 0, 0], [0.625, 1, 0.25, 0.875], [0, 0, 0.75, 0.125]])


def test_mass_spreads_by_the_leaves_that_the_forest_finds(X: NDArray[np.float64]) -> None:
    mass, program = everything_at_the_root(len(X)), Program(PROGRAM, X)
    expected = np.ones((len(X), 1))
    for layer in range(N_LAYERS):
        program.spread(mass, layer)
        moving = expected * rho_of_layer(layer, X)
        expected = np.pad(expected - moving, ((0, 0), (0, 1)))
        expected[:, 1:] += moving
        assert_allclose(mass[: layer + 2].T, expected, rtol=0, atol=1e-15)
        assert_array_equal(mass[layer + 2 :], 0.0)
    assert_allclose(mass.sum(axis=0), 1.0)


def test_known_and_found_leaves_lead_to_the_very_same_mass(X: NDArray[np.float64]) -> None:
    found, known = everything_at_the_root(len(X)), everything_at_the_root(len(X))
    program = Program(PROGRAM, X)
    for layer in range(N_LAYERS):
        first = layer * (layer + 1) // 2
        nodes = PROGRAM[first : first + layer + 1]
        program.spread(found, layer)
        walk_on(known, np.ascontiguousarray(nodes.apply(X).T), nodes)
        assert_array_equal(found, known)


def test_every_sample_of_a_row_takes_the_path_of_its_own_coins(X: NDArray[np.float64]) -> None:
    rng = np.random.default_rng(1)
    count = rng.integers(1, 4, len(X))
    row = np.repeat(np.arange(len(X)), count)
    mass, position = everything_at_the_root(len(X)), np.zeros(len(row), dtype=np.int64)
    alone = position.copy()
    program = Program(PROGRAM, X[row])
    for layer in range(N_LAYERS):
        coins = rng.random(len(row))
        answer = coins < rho_of_layer(layer, X)[row, position]
        expected = position + answer
        first = layer * (layer + 1) // 2
        nodes = PROGRAM[first : first + layer + 1]
        leaves = np.ascontiguousarray(nodes.apply(X).T)
        walk_apart(mass, leaves, nodes, row, position, coins)
        program.step(alone, layer, coins)
        assert_array_equal(position, expected)
        assert_array_equal(alone, expected)
        for i in range(len(X)):
            share = np.bincount(position[row == i], minlength=N_LAYERS + 1) / count[i]
            assert_allclose(mass[:, i], share, rtol=1e-15)
    assert set(position.tolist()) == {0, 1, 2}
    assert ((mass > 0.0) & (mass < 1.0)).any()


def test_a_layer_alone_leads_where_the_whole_program_does(X: NDArray[np.float64]) -> None:
    rng = np.random.default_rng(2)
    position = np.zeros(len(X), dtype=np.int64)
    by_layer = position.copy()
    for layer, nodes in enumerate((PROGRAM[:1], PROGRAM[1:])):
        coins = rng.random(len(X))
        Program(PROGRAM, X).step(position, layer, coins)
        Program(nodes, X, layer).step(by_layer, layer, coins)
        assert_array_equal(by_layer, position)
