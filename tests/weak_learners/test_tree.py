from itertools import permutations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from boostbench.threads import threads
from boostbench.weak_learners import BinaryLabels, Costs, Tree, WeightedLabels, make_weak_learner
from boostbench.weak_learners.binning import bin_features
from boostbench.weak_learners.growing import grow_trees
from boostbench.weak_learners.tree import numbers_of
from tests.weak_learners import reference
from tests.weak_learners.reference import demands


def changed(demand, change, names):
    """Return the demand with some of its arrays changed."""
    fields = {name: change(v) if name in names else v for name, v in vars(demand).items()}
    return type(demand)(**fields)


def take(demand, rows):
    """Return the demand about some rows."""
    arrays = {name for name, value in vars(demand).items() if isinstance(value, np.ndarray)}
    return changed(demand, lambda array: array[rows], arrays)


def mixed_data(n, seed=0):
    rng = np.random.default_rng(seed)
    X, _ = reference.integer_data(n, 7, 3, seed)
    X[:, 5] = rng.normal(size=n)  # more than 255 values if n is large
    X[:, 6] = np.where(rng.random(n) < 0.3, np.nan, X[:, 6])
    return X


def fit(tree, X, demand, rows=None):
    return tree.fit(tree.prepare(X, rows), demand, np.random.default_rng(1))


def assert_same_trees(a, b):
    for name in ("feature", "threshold", "missing_left", "left", "right", "leaf_column"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    np.testing.assert_allclose(a.leaf_value, b.leaf_value, rtol=1e-12)


PARAMETERS = [
    {"max_leaf_nodes": 12},
    {"max_depth": 5, "min_samples_leaf": 3},
    {"splitter": "random"},
    {"max_features": 2, "max_leaf_nodes": 12},
    {"max_leaf_nodes": 40, "min_weight_fraction_leaf": 0.01},
]
#: Kinds of demands with the parameters that have an effect on them.
PAIRS = [
    (kind, parameters)
    for kind in demands(1)
    for parameters in PARAMETERS
    if kind != "costs" or "min_weight_fraction_leaf" not in parameters
]
each_pair = pytest.mark.parametrize(("kind", "parameters"), PAIRS, ids=str)


@each_pair
def test_training_leaves_are_those_of_prediction(kind, parameters):
    X, some = mixed_data(700), np.arange(700) % 3 > 0
    h = fit(Tree(**parameters), X, demands(700, weight=some * 1.0)[kind])
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
    F = np.zeros((len(X), 4))
    steps = np.linspace(0.3, 0.7, h.trees.n_trees)
    h.trees.add_scores(X, np.arange(h.trees.n_trees), steps, F)
    np.testing.assert_array_equal(F, h.add_to(np.zeros_like(F), steps))


@pytest.mark.parametrize(("n_leaves", "kind"), [(2**15, np.int16), (2**15 + 1, np.int32)])
def test_the_numbers_of_many_leaves_fit_their_type(n_leaves, kind):
    row, column = np.divmod(np.arange(50_000), 250)
    weight = (np.arange(50_000) % 10 > 0) * 1.0  # the leaves of rows of weight 0 are found apart
    X = np.column_stack([row, column]) * 1.0
    y = ((row + column) % 2).astype(np.int32)
    h = fit(Tree(max_leaf_nodes=n_leaves), X, WeightedLabels(y, weight, 2))
    assert h.leaves.dtype == kind
    assert h.trees.n_leaves == n_leaves
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)


@each_pair
def test_sparse_storage_and_memory_change_no_tree(kind, parameters):
    X, demand, tree, grown = mixed_data(600), demands(600)[kind], Tree(**parameters), []
    for sparse_share in (0.0, 0.6, 2.0):
        data = bin_features(X, sparse_share=sparse_share)
        rules = tree._rules(data, demand, np.random.default_rng(0))
        for histograms in (100, 1):  # a histogram that is not kept is built again
            its_rules = rules._replace(histograms=histograms)
            grown.append(grow_trees(data, its_rules, numbers_of(demand)))
    reference.assert_same_trees(*grown)


@each_pair
def test_threads_change_no_tree(kind, parameters):
    X, demand, tree, grown = mixed_data(500), demands(500)[kind], Tree(**parameters), []
    for n_jobs in (1, 3):
        with threads(n_jobs):
            grown.append(tree.grow(tree.prepare(X), demand, np.random.default_rng(1)))
    reference.assert_same_trees(*grown)


@each_pair
def test_the_order_of_rows_changes_no_tree(kind, parameters):
    X, demand, tree = mixed_data(500), demands(500)[kind], Tree(**parameters)
    order = np.random.default_rng(2).permutation(len(X))
    a, b = fit(tree, X, demand), fit(tree, X, take(demand, order), order)
    assert_same_trees(a.trees, b.trees)
    np.testing.assert_array_equal(a.leaves[:, order], b.leaves)


@each_pair
def test_rows_without_influence_are_as_if_removed(kind, parameters):
    X, rng, tree = mixed_data(400)[:, :5], np.random.default_rng(4), Tree(**parameters)
    weight = rng.random(400) * (rng.random(400) < 0.5)
    demand, rows = demands(400, weight=weight)[kind], np.flatnonzero(weight)
    a, b = fit(tree, X, demand), fit(tree, X, take(demand, rows), rows)
    assert_same_trees(a.trees, b.trees)
    np.testing.assert_array_equal(a.leaves, b.trees.apply(X).T)


@pytest.mark.parametrize("kind", demands(1))
def test_scaling_a_demand_by_a_power_of_two_changes_no_tree(kind):
    X, demand, tree = mixed_data(300), demands(300)[kind], Tree(max_leaf_nodes=20)
    trees = fit(tree, X, demand).trees
    for factor in (2.0**-400, 2.0**300):
        weights = ("weight", "signed_weight", "cost")
        scaled = changed(demand, lambda array, factor=factor: array * factor, weights)
        assert_same_trees(trees, fit(tree, X, scaled).trees)


def test_adding_a_constant_to_a_row_of_costs_changes_nothing():
    X, C = mixed_data(300), np.random.default_rng(6).integers(0, 9, (300, 3)).astype(float)
    tree, constant = Tree(max_leaf_nodes=10), np.arange(300.0)[:, None]
    assert_same_trees(fit(tree, X, Costs(C)).trees, fit(tree, X, Costs(C - constant)).trees)


def test_random_thresholds_are_uniform():
    X = np.array([0.0, 1.0, 2.0, 100.0])[:, None]
    tree = Tree(max_leaf_nodes=2, splitter="random")
    data, rng = tree.prepare(X), np.random.default_rng(7)
    demand = BinaryLabels(np.array([[1.0], [-1.0], [1.0], [-1.0]]))
    thresholds = [tree.fit(data, demand, rng).trees.threshold[0] for _ in range(2000)]
    assert 0.0 <= min(thresholds) < 1.0
    assert 99.0 < max(thresholds) < 100.0
    assert abs(np.mean(thresholds) - 50.0) < 3.0
    assert abs(np.var(thresholds) / (100.0**2 / 12) - 1.0) < 0.1


ANSWERS = [{"multilabel-stump": {"answers": kind}} for kind in ("sign", "real", "factored")]


@pytest.mark.parametrize("bin_range", ["feature", "global"])
@pytest.mark.parametrize("spec", [{"tree": {"max_leaf_nodes": 6}}, *ANSWERS], ids=str)
def test_equal_width_trees_are_trees_on_the_numbers_of_the_bins(spec, bin_range):
    rng = np.random.default_rng(4)
    X = rng.uniform(size=(300, 4)) * [1.0, 4.0, 2.0, 0.1]
    demand = BinaryLabels(rng.normal(size=(300, 3)) + np.where(X[:, 1:2] > 1.9, 1.0, -1.0))
    fine = make_weak_learner(spec)
    coarse = clone(fine).set_params(splitter="equal-width", bin_range=bin_range, max_bins=7)
    h = fit(coarse, X, demand)
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
    ends = X if bin_range == "feature" else X.reshape(-1, 1).repeat(4, axis=1)
    edges = np.linspace(ends.min(axis=0), ends.max(axis=0), 8)[1:-1]
    for feature, threshold in zip(h.trees.feature, h.trees.threshold, strict=True):
        assert np.isclose(edges[:, feature], threshold, rtol=1e-12, atol=0).any()
    expected = fit(fine, (X[:, None, :] > edges).sum(axis=1).astype(float), demand)
    np.testing.assert_array_equal(h.leaves, expected.leaves)
    np.testing.assert_array_equal(h.values(3), expected.values(3))


def law_of_the_first_feature(gain, varies, max_features):
    """The chance that each feature splits a node, over all orders of drawing."""
    chance, d = np.zeros(len(gain)), len(gain)
    for order in permutations(range(d)):
        n = max_features
        while not varies[list(order[:n])].any():
            n += 1
        drawn = [j for j in order[:n] if varies[j]]
        chance[max(drawn, key=lambda j: gain[j])] += 1
    return chance / chance.sum()


@pytest.mark.parametrize("max_features", [1, 2])
def test_features_are_drawn_as_scikit_learn_draws_them(max_features):
    rng = np.random.default_rng(5)
    y = (np.arange(90) % 2).astype(np.int32)
    X = y[:, None] * [0.0, 0.3, 0.0, 0.9, 0.6] + rng.normal(size=(90, 5)) * [0, 1, 0, 1, 1]
    demand, n = WeightedLabels(y, np.ones(90), 2), 3000
    gain = [_gain_of_one_split(X[:, j], y) for j in range(5)]
    expected = law_of_the_first_feature(gain, X.std(axis=0) > 0, max_features)
    tree = Tree(max_features=max_features, max_leaf_nodes=2)
    data = tree.prepare(X)
    ours = [tree.fit(data, demand, rng).trees.feature[0] for _ in range(n)]
    theirs = [
        DecisionTreeClassifier(max_features=max_features, max_depth=1, random_state=seed)
        .fit(X, y)
        .tree_.feature[0]
        for seed in range(n // 3)
    ]
    for drawn in (ours, theirs):
        share = np.bincount(drawn, minlength=5) / len(drawn)
        error = np.sqrt(expected * (1 - expected) / len(drawn))
        np.testing.assert_array_less(np.abs(share - expected), 5 * error + 1e-12)


@pytest.mark.parametrize("share", [0.5, "sqrt"])
def test_a_share_of_the_features_is_a_number_of_them(share):
    X, demand = mixed_data(400)[:, :5], demands(400)["labels"]
    one, other = (fit(Tree(max_features=n, max_depth=4), X, demand).trees for n in (share, 2))
    assert_same_trees(one, other)


def _gain_of_one_split(x, y):
    return DecisionTreeClassifier(max_depth=1).fit(x[:, None], y).score(x[:, None], y)


def test_nodes_and_columns_draw_features_of_their_own():
    trees = fit(Tree(max_features=1, max_depth=4), mixed_data(400), demands(400)["binary"]).trees
    drawn = [tuple(trees[t].feature) for t in range(3)]
    assert len({*drawn}) == 3
    assert all(len({*features}) > 2 for features in drawn)


def test_random_splits_of_one_round_differ_between_classes():
    X = np.random.default_rng(8).integers(0, 200, (100, 1)).astype(float)
    demand = BinaryLabels(np.ones((100, 5)) * np.where(X > 100, 1.0, -1.0))
    h = fit(Tree(max_leaf_nodes=2, splitter="random"), X, demand)
    assert len({*h.trees.threshold}) == 5


@pytest.mark.parametrize("max_leaf_nodes", [2, 12, 256, 257])
@pytest.mark.parametrize("share", [0.3, 0.9999])
def test_rows_without_weight_get_leaves_too(max_leaf_nodes, share):
    X, rng = mixed_data(6000), np.random.default_rng(1)
    weight = rng.normal(size=(len(X), 2)) * (rng.random((len(X), 2)) < share)
    h = fit(Tree(max_leaf_nodes=max_leaf_nodes), X, BinaryLabels(weight))
    assert h.trees.n_leaves == 2 * max_leaf_nodes
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
