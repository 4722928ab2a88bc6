import numpy as np
import pytest

from boostbench.weak_learners import BinaryLabels, Costs, Greedy, Targets, Tree, WeightedLabels
from boostbench.weak_learners.drawing import FittedTree
from tests.weak_learners import reference


def demands(X, y):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.1, y, 2 * (X[:, 1] > 50) + (X[:, 4] > X[:, 4].mean()))
    y = y.astype(np.int32)
    wrong = np.arange(4) != y[:, None]
    C = rng.random((len(y), 1)) * wrong + 0.1 * rng.random((len(y), 4))
    return [
        (Greedy(max_leaf_nodes=25, max_depth=6), Costs(C)),
        (Tree(max_leaf_nodes=25), WeightedLabels(y, rng.random(len(y)), 4)),
        (Tree(max_leaf_nodes=25), BinaryLabels(C[:, :1] - 0.3)),
        (Tree(max_leaf_nodes=25), Targets(C[:, :1], rng.random((len(y), 1)))),
    ]


@pytest.mark.parametrize("which", range(4))
def test_every_prefix_is_the_tree_grown_to_that_size(which):
    X, y = reference.integer_data(500, 6, 4, seed=5)
    X[::7, 2] = np.nan
    learner, demand = demands(X, y)[which]
    data = learner.prepare(X)
    path = learner.grow_path(data, demand)
    assert path.max_leaves >= 6
    for n_leaves in (1, 2, 3, 5, path.max_leaves - 1, path.max_leaves):
        h = path.take(n_leaves)
        np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
        if n_leaves == 1:
            assert h.trees.n_leaves == 1
            continue
        grown = learner.set_params(max_leaf_nodes=n_leaves).fit(data, demand)
        np.testing.assert_allclose(h.values(4), grown.values(4), rtol=1e-12)
        assert str(FittedTree(h.trees)) == str(FittedTree(grown.trees)) or which == 3


def test_the_cost_of_a_prefix_is_its_answers_cost():
    X, y = reference.integer_data(500, 6, 4, seed=5)
    learner, demand = demands(X, y)[0]
    path = learner.grow_path(learner.prepare(X), demand)
    least = demand.cost.min(axis=1).sum()
    for n_leaves in range(1, path.max_leaves + 1):
        labels = path.take(n_leaves).labels
        cost = demand.cost[np.arange(len(y)), labels].sum()
        assert path.impurity[n_leaves - 1] + least == pytest.approx(cost, rel=1e-12)
    assert (np.diff(path.impurity) < 0).all()
