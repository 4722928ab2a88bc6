"""Mass and walks in a branching program, by hand and against the shares of single samples."""

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
from boostbench.weak_learners import Forest


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
def X():
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


def test_repeated_samples_draw_their_paths_independently(X):
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
def test_answers_of_dense_samples_are_those_of_their_leaves(X, missing_left):
    program = program_of([missing_left] * 3)
    mass = np.ones((1, len(X)))
    dense, by_leaves = Walks(len(X), seed=2), Walks(len(X), seed=2)
    for nodes in (program[:1], program[1:]):
        assert_array_equal(dense.step(nodes, X), by_leaves.step(nodes, csr_array(X)))
        expected = walk_on(mass, leaves_of(nodes, X), nodes)
        assert_array_equal(spread(mass, nodes, X), expected)
        mass = expected
