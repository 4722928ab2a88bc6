"""Trees searched in compact histograms are the trees searched in histograms of all bins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.weak_learners import C45, Tree, WeightedLabels, structures
from boostbench.weak_learners.binning import bin_features
from boostbench.weak_learners.growing import grow_trees
from boostbench.weak_learners.structures import GrownTrees
from boostbench.weak_learners.tree import numbers_of
from tests.weak_learners import reference

NEVER, ALWAYS = np.inf, 0.0


def grow(tree, data, demand, entry_cost, **changed) -> GrownTrees:
    rules = tree._rules(data, demand, None)._replace(entry_cost=entry_cost, **changed)
    return grow_trees(data, rules, numbers_of(demand), tree._pruning_rules())


@pytest.fixture(autouse=True)
def _allow_in_small_trees(monkeypatch):
    monkeypatch.setattr(structures, "_MANY_LEAVES", 0)


LEARNERS = [
    Tree(),
    Tree("entropy", max_leaf_nodes=9),
    Tree("gain-ratio"),
    Tree("error", max_depth=4),
    Tree("entropy", min_weight_fraction_leaf=0.05),
    C45(),
    C45(version="simple"),
]


@settings(max_examples=60)
@given(
    reference.shapes,
    st.sampled_from(LEARNERS),
    st.sampled_from(["labels", "binary"]),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.4]),
    st.sampled_from([0.0, 0.6, 2.0]),
)
def test_the_switch_changes_no_tree(shape, learner, kind, n_classes, left_out, sparse_share):
    (rng, X), n = reference.data_of(shape), shape["n"]
    weight = rng.random(n) * (rng.random(n) >= left_out)
    demand = reference.demands(n, n_classes, 2, weight, shape["seed"])[kind]
    data = bin_features(X, sparse_share=sparse_share)
    whole = grow(learner, data, demand, NEVER)
    others = [grow(learner, data, demand, entry_cost) for entry_cost in (ALWAYS, 0.1, 1.0, 10.0)]
    reference.assert_same_trees(whole, *others)


@pytest.mark.parametrize("histograms", [1, 3, 100])
@pytest.mark.parametrize("entry_cost", [ALWAYS, 0.5, 2.0])
def test_nodes_of_both_kinds_share_the_memory_of_one_tree(entry_cost, histograms):
    X, y = reference.integer_data(1500, 9, 5, seed=0)
    X[:, 4] = np.where(np.random.default_rng(1).random(len(X)) < 0.2, np.nan, X[:, 4])
    demand = WeightedLabels(y, np.random.default_rng(2).random(len(y)), 5)
    tree = Tree(max_leaf_nodes=150)
    data = tree.prepare(X)
    whole = grow(tree, data, demand, NEVER)
    assert len(whole.answers) == 150
    reference.assert_same_trees(grow(tree, data, demand, entry_cost, histograms=histograms), whole)


def test_missing_values_alone_go_left_of_an_empty_bin():
    # the second feature's lowest value is on one side of the first split, its gap on the other
    X = np.array([[0, 0], [0, 0], [0, 0], [1, np.nan], [1, 2], [1, 3], [1, np.nan], [1, 2]])
    y = np.array([0, 0, 0, 1, 2, 2, 1, 2], dtype=np.int32)
    demand = WeightedLabels(y, np.ones(len(y)), 3)
    tree = Tree()
    data = tree.prepare(X)
    compact = grow(tree, data, demand, ALWAYS)
    reference.assert_same_trees(compact, grow(tree, data, demand, NEVER))
    assert compact.nodes["feature"].tolist() == [0, 1]
    assert compact.answers["column"][compact.leaves[0]].tolist() == y.tolist()


def test_a_tree_of_constant_features_is_one_leaf():
    y = np.array([0, 1, 1], dtype=np.int32)
    demand = WeightedLabels(y, np.ones(3), 2)
    tree = Tree()
    for sparse_share in (0.0, 2.0):
        data = bin_features(np.full((3, 2), 7.0), sparse_share=sparse_share)
        grown = grow(tree, data, demand, ALWAYS)
        assert grown.nodes.size == 0
        assert grown.answers["column"].tolist() == [1]
