"""A forest answers as its trees would, one row and one node at a time."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boostbench.weak_learners.forest import Forest
from boostbench.weak_learners.scoring import Additions

# Values that fall on thresholds, beside them, and nowhere.
VALUES = np.array([-np.inf, -1.5, -0.0, 0.0, 0.5, np.nextafter(0.5, 1), 1.0, 7.0, np.inf, np.nan])


def random_tree(rng, n_leaves):
    """Split random leaves until there are n_leaves; node ids in the order of the splits."""
    tree = {"feature": [], "threshold": [], "missing_left": []}
    children, open_leaves = [], [(-1, 0)]
    for _ in range(n_leaves - 1):
        parent, side = open_leaves.pop(rng.integers(len(open_leaves)))
        node = len(children)
        if parent >= 0:
            children[parent][side] = node
        children.append([0, 0])
        open_leaves += [(node, 0), (node, 1)]
        tree["feature"].append(rng.integers(3))
        tree["threshold"].append(rng.choice(VALUES[:-1]))
        tree["missing_left"].append(rng.random() < 0.5)
    leaf_ids = rng.permutation(n_leaves)
    for leaf, (parent, side) in zip(leaf_ids, open_leaves, strict=True):
        if parent >= 0:
            children[parent][side] = ~leaf
    tree["left"] = [left for left, _ in children]
    tree["right"] = [right for _, right in children]
    return tree


def random_forest(rng, n_trees, *, max_leaves=12, width=1):
    sizes = rng.integers(1, max_leaves + 1, size=n_trees)
    trees = [random_tree(rng, n_leaves) for n_leaves in sizes]
    keys = ("feature", "threshold", "missing_left", "left", "right")
    n_leaves = int(sizes.sum())
    columns = rng.integers(4, size=n_leaves) if width == 1 else np.full(n_leaves, -1)
    return Forest(
        **{key: [value for tree in trees for value in tree[key]] for key in keys},
        node_offset=np.concatenate([[0], np.cumsum(sizes - 1)]),
        leaf_value=rng.normal(size=(n_leaves, width)),
        leaf_column=columns,
        leaf_offset=np.concatenate([[0], np.cumsum(sizes)]),
        n_features=3,
    )


def random_rows(rng, n):
    return rng.choice(VALUES, size=(n, 3))


def leaf_by_hand(forest, tree, x):
    first, end = forest.node_offset[tree : tree + 2]
    node = 0 if end > first else ~0
    while node >= 0:
        at = first + node
        value = x[forest.feature[at]]
        goes_left = forest.missing_left[at] if np.isnan(value) else value <= forest.threshold[at]
        node = forest.left[at] if goes_left else forest.right[at]
    return ~node


def scores_by_hand(forest, X, tree_index, coefficient, F):
    """Follow the training loop: answers as a matrix, F += step * h."""
    F = F.copy()
    for tree, step in zip(tree_index, coefficient, strict=True):
        leaves = [forest.leaf_offset[tree] + leaf_by_hand(forest, tree, x) for x in X]
        h = np.zeros_like(F)
        if forest.width > 1:
            h[:] = forest.leaf_value[leaves]
        else:
            h[np.arange(len(X)), forest.leaf_column[leaves]] = forest.leaf_value[leaves, 0]
        F += step * h
    return F


def additions(rng, forest, m):
    return rng.integers(forest.n_trees, size=m), rng.normal(size=m)


def assert_equal_forests(a, b):
    for name in Forest.__slots__:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("max_leaves", [1, 2, 12, 200], ids="max_leaves={}".format)
@given(seeds, st.sampled_from([0, 1, 4]), st.sampled_from([0, 30]))
@settings(max_examples=25)
def test_rows_reach_the_leaf_the_raw_thresholds_say(max_leaves, seed, n_trees, n):
    rng = np.random.default_rng(seed)
    forest, X = random_forest(rng, n_trees, max_leaves=max_leaves), random_rows(rng, n)
    expected = [[leaf_by_hand(forest, tree, x) for tree in range(n_trees)] for x in X]
    leaves = forest.apply(X)
    assert leaves.dtype == np.int32
    np.testing.assert_array_equal(leaves, np.reshape(expected, (n, n_trees)))


@pytest.mark.parametrize("width", [1, 4])
@given(seeds, st.sampled_from([1, 3, 12, 80]), st.sampled_from([0, 5]), st.sampled_from([0, 20]))
@settings(max_examples=25)
def test_scores_are_those_of_the_training_loop_to_the_last_bit(width, seed, most, n_trees, n):
    rng = np.random.default_rng(seed)
    forest = random_forest(rng, n_trees, max_leaves=most, width=width)
    X, F = random_rows(rng, n), rng.normal(size=(n, 4))
    added = additions(rng, forest, 40) if n_trees else ([], [])
    expected = scores_by_hand(forest, X, *added, F)
    assert forest.add_scores(X, *added, F) is F
    np.testing.assert_array_equal(F, expected)


@pytest.mark.parametrize("width", [1, 4])
@given(seeds)
@settings(max_examples=25)
def test_few_rows_and_rounds_have_the_scores_of_many_rows_to_the_last_bit(width, seed):
    rng = np.random.default_rng(seed)
    forest = random_forest(rng, 150, max_leaves=rng.choice([1, 2, 16, 17, 64, 120]), width=width)
    X, m = random_rows(rng, 600), int(rng.integers(200))
    added = Additions(forest, *additions(rng, forest, m), rng.choice([1.0, 0.5, 0.9], size=m))
    start = rng.normal(size=(600, 4))
    F = added.add_to(start.copy(), X)
    few = [added.add_to(start[i : i + 3].copy(), X[i : i + 3]) for i in range(0, 600, 3)]
    np.testing.assert_array_equal(np.concatenate(few), F)
    for stage in added.stages(last := start.copy(), X, np.arange(1, m + 1)):
        assert stage is last
    np.testing.assert_array_equal(last, F)


def test_a_tree_may_be_deeper_than_a_machine_word_has_bits():
    depth = 200
    nodes = np.arange(depth)
    chain = Forest(
        feature=np.zeros(depth),
        threshold=nodes,
        missing_left=np.zeros(depth),
        left=~nodes,
        right=np.append(nodes[1:], ~depth),
        node_offset=[0, depth],
        leaf_value=np.arange(depth + 1.0)[:, None],
        leaf_column=np.zeros(depth + 1),
        leaf_offset=[0, depth + 1],
        n_features=1,
    )
    X = np.arange(depth + 1.0)[:, None]
    assert chain.add_scores(X, [0], [1.0], np.zeros_like(X)).ravel().tolist() == X.ravel().tolist()
    for x in X[[0, 62, 63, 64, depth]]:
        assert chain.add_scores([x], [0], [1.0], np.zeros((1, 1))) == x


def test_nodes_and_leaves_with_several_parents_are_scored_as_many_rows_are():
    n = 40  # 2**40 paths
    child = np.append(np.arange(1, n), ~0)
    shared = Forest(
        feature=np.zeros(n),
        threshold=np.arange(n),
        missing_left=np.zeros(n),
        left=child,
        right=child,
        node_offset=[0, n],
        leaf_value=[[1.5], [2.5]],
        leaf_column=[0, 0],
        leaf_offset=[0, 2],
        n_features=1,
    )
    added = Additions(shared, [0], [1.0])
    for _ in range(3):
        assert added.add_to(np.zeros((1, 1)), [[7.0]]) == 1.5


def test_threads_may_share_additions_from_the_first_call_on():
    rng = np.random.default_rng(0)
    forest, X = random_forest(rng, 200), random_rows(rng, 600)
    added = additions(rng, forest, 300)
    expected = forest.add_scores(X, *added, np.zeros((600, 4)))
    shared = Additions(forest, *added)
    with ThreadPoolExecutor(4) as pool:
        for F in pool.map(lambda _: shared.add_to(np.zeros((600, 4)), X), range(8)):
            np.testing.assert_array_equal(F, expected)


def test_rows_beyond_one_block_are_answered_too():
    rng = np.random.default_rng(0)
    forest = random_forest(rng, 3)
    X = random_rows(rng, 70_001)
    F = forest.add_scores(X, [0, 1, 2], [1.0, 2.0, -0.5], np.zeros((len(X), 4)))
    some = np.array([0, 511, 512, 65_535, 65_536, 70_000])
    alone = forest.add_scores(X[some], [0, 1, 2], [1.0, 2.0, -0.5], np.zeros((len(some), 4)))
    np.testing.assert_array_equal(F[some], alone)


def test_a_feature_may_have_more_thresholds_than_two_bytes_count():
    n = 70_000
    comb = Forest(
        feature=np.zeros(n, dtype=int),
        threshold=np.arange(n),
        missing_left=np.zeros(n, dtype=bool),
        left=np.full(n, ~0),
        right=np.full(n, ~1),
        node_offset=np.arange(n + 1),
        leaf_value=np.ones((2 * n, 1)),
        leaf_column=np.tile([0, 1], n),
        leaf_offset=2 * np.arange(n + 1),
        n_features=1,
    )
    X = np.array([[-1.0], [0.0], [65_535.0], [65_535.5], [1e9], [np.nan]])
    F = comb.add_scores(X, np.arange(n), np.ones(n), np.zeros((6, 2)))
    np.testing.assert_array_equal(F[:, 1], [0, 0, 65_535, 65_536, n, n])


@pytest.mark.parametrize("seed", range(5))
def test_taking_trees_apart_and_joining_them_gives_the_forest_back(seed):
    forest = random_forest(np.random.default_rng(seed), 7)
    assert_equal_forests(
        Forest.concatenate([forest[:0], forest[:3], forest[3], forest[4:]]), forest
    )
    assert_equal_forests(
        forest.take([6, -1, 0]), Forest.concatenate([forest[6], forest[6], forest[0]])
    )
    X = random_rows(np.random.default_rng(seed), 20)
    np.testing.assert_array_equal(forest.take([5, 2]).apply(X), forest.apply(X)[:, [5, 2]])


def test_a_pickle_is_little_more_than_its_nodes_and_leaves():
    forest = random_forest(np.random.default_rng(0), 1000)
    pickled = pickle.dumps(forest, protocol=5)
    n_nodes = len(forest.feature)
    assert len(pickled) <= 29 * n_nodes + 12 * forest.n_leaves + 16 * forest.n_trees + 2048
    assert len(pickle.dumps(forest[:10], protocol=5)) <= len(pickled) / 50
    assert_equal_forests(pickle.loads(pickled), forest)


def test_leaves_get_other_answers():
    forest = random_forest(np.random.default_rng(0), 2)
    X = np.random.default_rng(1).normal(size=(20, 3))
    vectors = np.random.default_rng(2).normal(size=(forest.n_leaves, 2))
    other = forest.with_leaf_values(vectors)
    leaves = forest.apply(X)
    expected = (vectors[leaves[:, 0]] + vectors[forest.leaf_offset[1] + leaves[:, 1]]).tolist()
    assert other.add_scores(X, [0, 1], [1.0, 1.0], np.zeros((20, 2))).tolist() == expected
