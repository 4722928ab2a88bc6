from itertools import permutations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from boostbench.threads import threads
from boostbench.weak_learners import BinaryLabels, Costs, Stump, Targets, Tree, WeightedLabels
from boostbench.weak_learners.binning import bin_features
from boostbench.weak_learners.growing import grow_trees
from boostbench.weak_learners.tree import _without_effect, numbers_of
from tests.weak_learners import reference


def demands(n, seed=0, n_classes=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    weight = rng.random(n)
    return [
        WeightedLabels(y, weight, n_classes),
        BinaryLabels(rng.normal(size=(n, 3))),
        Costs(rng.random((n, n_classes))),
        Targets(rng.normal(size=(n, 2)), weight[:, None]),
        Targets(rng.normal(size=(n, 2)), rng.random((n, 2))),
    ]


def take(demand, rows):
    """The demand about some rows."""
    fields = {
        name: value[rows] if isinstance(value, np.ndarray) else value
        for name, value in vars(demand).items()
    }
    return type(demand)(**fields)


def mixed_data(n, seed=0):
    rng = np.random.default_rng(seed)
    X, _ = reference.integer_data(n, 7, 3, seed)
    X[:, 5] = rng.normal(size=n)  # more than 255 values if n is large
    X[:, 6] = np.where(rng.random(n) < 0.3, np.nan, X[:, 6])
    return X


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
each_demand = pytest.mark.parametrize("which", range(5))
#: Indices of `demands` with the parameters that have an effect on them.
PAIRS = [
    (which, parameters)
    for which, demand in enumerate(demands(1))
    for parameters in PARAMETERS
    if not {name for name, _ in _without_effect(Tree, type(demand))} & parameters.keys()
]
each_pair = pytest.mark.parametrize(("which", "parameters"), PAIRS, ids=str)


@each_pair
def test_training_leaves_are_those_of_prediction(which, parameters):
    X = mixed_data(700)
    tree = Tree(**parameters)
    demand = demands(len(X))[which]
    if isinstance(demand, WeightedLabels):
        demand.weight[::3] = 0.0
    h = tree.fit(tree.prepare(X), demand, np.random.default_rng(0))
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
    F = np.zeros((len(X), 4))
    steps = np.linspace(0.3, 0.7, h.trees.n_trees)
    h.trees.add_scores(X, np.arange(h.trees.n_trees), steps, F)
    np.testing.assert_array_equal(F, h.add_to(np.zeros_like(F), steps))


@pytest.mark.parametrize(("n_leaves", "kind"), [(2**15, np.int16), (2**15 + 1, np.int32)])
def test_the_numbers_of_many_leaves_fit_their_type(n_leaves, kind):
    row, column = np.divmod(np.arange(50_000), 250)
    weight = (np.arange(50_000) % 10 > 0) * 1.0  # the leaves of rows of weight 0 are found apart
    tree = Tree(max_leaf_nodes=n_leaves)
    X = np.column_stack([row, column]) * 1.0
    y = ((row + column) % 2).astype(np.int32)
    h = tree.fit(tree.prepare(X), WeightedLabels(y, weight, 2))
    assert h.leaves.dtype == kind
    assert h.trees.n_leaves == n_leaves
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)


@each_pair
def test_sparse_storage_and_memory_change_no_tree(which, parameters):
    X = mixed_data(600)
    demand = demands(len(X))[which]
    tree = Tree(**parameters)
    results = []
    for sparse_share in (0.0, 0.6, 2.0):
        data = bin_features(X, sparse_share=sparse_share)
        rules = tree._rules(data, demand, np.random.default_rng(0))
        for histograms in (100, 1):  # a histogram that is not kept is built again
            changed = rules._replace(histograms=histograms)
            results.append(grow_trees(data, changed, numbers_of(demand)))
    for other in results[1:]:
        reference.assert_same_trees(other, results[0])


@each_pair
def test_threads_change_no_tree(which, parameters):
    X = mixed_data(500)
    demand = demands(len(X))[which]
    tree = Tree(**parameters)
    data = tree.prepare(X)
    a = tree.fit(data, demand, np.random.default_rng(1))
    with threads(3):
        b = tree.fit(data, demand, np.random.default_rng(1))
    assert_same_trees(a.trees, b.trees)
    np.testing.assert_array_equal(a.leaves, b.leaves)
    np.testing.assert_array_equal(a.trees.leaf_value, b.trees.leaf_value)


@each_pair
def test_the_order_of_rows_changes_no_tree(which, parameters):
    X = mixed_data(500)
    demand = demands(len(X))[which]
    order = np.random.default_rng(2).permutation(len(X))
    tree = Tree(**parameters)
    a = tree.fit(tree.prepare(X), demand, np.random.default_rng(3))
    b = tree.fit(tree.prepare(X, order), take(demand, order), np.random.default_rng(3))
    assert_same_trees(a.trees, b.trees)
    np.testing.assert_array_equal(a.leaves[:, order], b.leaves)


KINDS = {0: "labels", 1: "binary", 2: "costs", 3: "targets"}


@pytest.mark.parametrize(
    ("kind", "parameters"), [(KINDS[which], p) for which, p in PAIRS if which in KINDS], ids=str
)
def test_rows_without_influence_are_as_if_removed(kind, parameters):
    X, rng = mixed_data(400)[:, :5], np.random.default_rng(4)
    kept = rng.random(len(X)) < 0.5
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    weight = rng.random(len(X)) * kept
    demand = {
        "labels": WeightedLabels(y, weight, 3),
        "binary": BinaryLabels((weight * rng.choice([-1, 1], len(X)))[:, None]),
        "costs": Costs(np.where(kept[:, None], rng.random((len(X), 3)), 0.7)),
        "targets": Targets(rng.normal(size=(len(X), 1)), weight[:, None]),
    }[kind]
    tree = Tree(**parameters)
    a = tree.fit(tree.prepare(X), demand, np.random.default_rng(5))
    rows = np.flatnonzero(kept)
    b = tree.fit(tree.prepare(X, rows), take(demand, rows), np.random.default_rng(5))
    assert_same_trees(a.trees, b.trees)
    np.testing.assert_array_equal(a.leaves, b.trees.apply(X).T)


@each_demand
def test_scaling_a_demand_by_a_power_of_two_changes_no_tree(which):
    X = mixed_data(300)
    demand = demands(len(X))[which]
    tree = Tree(max_leaf_nodes=20)
    data = tree.prepare(X)
    a = tree.fit(data, demand)
    for factor in (2.0**-400, 2.0**300):
        scaled = {
            name: value * factor if name in ("weight", "signed_weight", "cost") else value
            for name, value in vars(demand).items()
        }
        assert_same_trees(a.trees, tree.fit(data, type(demand)(**scaled)).trees)


def test_adding_a_constant_to_a_row_of_costs_changes_nothing():
    X, C = mixed_data(300), np.random.default_rng(6).integers(0, 9, (300, 3)).astype(float)
    tree = Tree(max_leaf_nodes=10)
    data = tree.prepare(X)
    a = tree.fit(data, Costs(C))
    b = tree.fit(data, Costs(C - np.arange(300.0)[:, None]))
    assert_same_trees(a.trees, b.trees)


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


@pytest.mark.parametrize("bin_range", ["feature", "global"])
def test_equal_width_trees_are_trees_on_the_numbers_of_the_bins(bin_range):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4)) * [1.0, 2.0, 5.0, 0.1]
    y, weight = (X[:, 1] + X[:, 2] * X[:, 0] > 0).astype(np.int32), rng.random(300)
    demand = WeightedLabels(y, weight, 2)
    tree = Tree(splitter="equal-width", bin_range=bin_range, max_bins=7, max_leaf_nodes=6)
    h = tree.fit(tree.prepare(X), demand)
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
    low, high = X.min(axis=0), X.max(axis=0)
    if bin_range == "global":
        low, high = low.min(), high.max()
    edges = np.linspace(np.broadcast_to(low, 4), np.broadcast_to(high, 4), 8)
    for feature, threshold in zip(h.trees.feature, h.trees.threshold, strict=True):
        assert np.isclose(edges[1:-1, feature], threshold, rtol=1e-12, atol=0).any()
    codes = np.stack([np.searchsorted(edges[1:-1, j], X[:, j]) for j in range(4)], axis=1)
    cart = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
    cart.fit(codes, y, sample_weight=weight)
    leaf = np.unique(cart.apply(codes), return_inverse=True)[1]
    ours = h.leaves[0]
    assert len({*zip(leaf, ours, strict=True)}) == len({*leaf}) == len({*ours})


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
    X, (demand, *_) = mixed_data(60)[:, :5], demands(60)
    drawn = [
        [
            Tree(max_features=n, max_leaf_nodes=2)
            .fit(Tree().prepare(X), demand, np.random.default_rng(seed))
            .trees.feature[0]
            for seed in range(20)
        ]
        for n in (share, 2)
    ]
    assert drawn[0] == drawn[1]


def _gain_of_one_split(x, y):
    return DecisionTreeClassifier(max_depth=1).fit(x[:, None], y).score(x[:, None], y)


def test_nodes_and_columns_draw_features_of_their_own():
    X, demand = mixed_data(400), demands(400)[1]
    h = Tree(max_features=1, max_depth=4).fit(Tree().prepare(X), demand, np.random.default_rng(0))
    drawn = [tuple(h.trees[t].feature) for t in range(3)]
    assert len({*drawn}) == 3
    assert all(len({*features}) > 2 for features in drawn)


def test_random_splits_of_one_round_differ_between_classes():
    X = np.random.default_rng(8).integers(0, 200, (100, 1)).astype(float)
    tree = Tree(max_leaf_nodes=2, splitter="random")
    demand = BinaryLabels(np.ones((100, 5)) * np.where(X > 100, 1.0, -1.0))
    h = tree.fit(tree.prepare(X), demand, np.random.default_rng(9))
    assert len(set(h.trees.threshold.tolist())) == 5


def test_constant_features_one_row_one_class_and_no_row_give_one_leaf():
    one = np.ones((1, 1))
    cases = [
        (np.ones((5, 2)), WeightedLabels(np.array([0, 1, 1, 0, 1], np.int32), np.ones(5), 2), 1),
        (one, WeightedLabels(np.array([2], np.int32), np.ones(1), 3), 2),
        (np.arange(4.0)[:, None], WeightedLabels(np.full(4, 1, np.int32), np.ones(4), 3), 1),
        (np.arange(4.0)[:, None], WeightedLabels(np.full(4, 1, np.int32), np.zeros(4), 3), 0),
        (np.arange(4.0)[:, None], Costs(np.tile([3.0, 1.0, 2.0], (4, 1))), 1),
        (np.arange(4.0)[:, None], Costs(np.ones((4, 3))), 0),
        (np.full((3, 1), np.nan), WeightedLabels(np.array([0, 1, 1], np.int32), np.ones(3), 2), 1),
    ]
    for X, demand, label in cases:
        h = Tree().fit(Tree().prepare(X), demand)
        assert h.trees.n_leaves == 1
        assert set(h.labels.tolist()) == {label}
        assert h.trees.apply(X).tolist() == [[0]] * len(X)


def test_a_class_without_rows_answers_minus_one():
    signed = np.array([[1.0, 0.0, -1.0], [-2.0, 0.0, -1.0]])
    h = Tree().fit(Tree().prepare(np.array([[0.0], [1.0]])), BinaryLabels(signed))
    assert h.values(3).tolist() == [[1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]]


def test_ties_of_leaf_answers_go_to_the_first_label():
    X = np.zeros((2, 1))
    h = Tree().fit(Tree().prepare(X), BinaryLabels(np.array([[0.3], [-0.3]])))
    assert h.values(1).tolist() == [[-1.0], [-1.0]]
    h = Tree().fit(Tree().prepare(X), WeightedLabels(np.array([2, 1], np.int32), np.ones(2), 3))
    assert h.labels.tolist() == [1, 1]


def test_tied_splits_take_the_lowest_feature_and_threshold():
    X = np.array([[0.0, 1.0, 3.0], [1.0, 1.0, 2.0], [2.0, 1.0, 1.0], [3.0, 1.0, 0.0]])
    signed = np.array([[1.0], [-1.0], [-1.0], [1.0]])
    h = Stump().fit(Stump().prepare(X), BinaryLabels(signed))
    assert (h.trees.feature.tolist(), h.trees.threshold.tolist()) == ([0], [0.5])


def test_thresholds_lie_between_values_that_weigh_something():
    X = np.arange(10.0)[:, None]
    signed = np.zeros((10, 1))
    signed[[1, 6]] = [[1.0], [-1.0]]
    h = Stump().fit(Stump().prepare(X), BinaryLabels(signed))
    assert h.trees.threshold.tolist() == [3.5]
    assert h.values(1)[:, 0].tolist() == [1.0] * 4 + [-1.0] * 6


def test_neighbouring_floats_are_separated():
    X = np.array([1.0, np.nextafter(1.0, 2.0)])[:, None]
    h = Stump().fit(Stump().prepare(X), BinaryLabels(np.array([[1.0], [-1.0]])))
    assert h.values(1)[:, 0].tolist() == [1.0, -1.0]
    np.testing.assert_array_equal(h.trees.apply(X)[:, 0], h.leaves[0])


@pytest.mark.parametrize("max_leaf_nodes", [2, 12, 256, 257])
@pytest.mark.parametrize("share", [0.3, 0.9999])
def test_rows_without_weight_get_leaves_too(max_leaf_nodes, share):
    X, rng = mixed_data(6000), np.random.default_rng(1)
    weight = rng.normal(size=(len(X), 2)) * (rng.random((len(X), 2)) < share)
    tree = Tree(max_leaf_nodes=max_leaf_nodes)
    h = tree.fit(tree.prepare(X), BinaryLabels(weight))
    assert h.trees.n_leaves == 2 * max_leaf_nodes
    np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)


def test_tiny_weights_still_count():
    X = np.arange(4.0)[:, None]
    signed = np.array([[1.0], [-1e-6], [1e-15], [-1.0]])
    h = Tree().fit(Tree().prepare(X), BinaryLabels(signed))
    assert h.values(1)[:, 0].tolist() == [1.0, -1.0, 1.0, -1.0]
