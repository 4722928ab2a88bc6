"""A forest answers as its trees would, one row and one node at a time."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from boostbench.weak_learners.forest import Forest

# Values that fall on thresholds, beside them, and nowhere.
VALUES = np.array([-np.inf, -1.5, -0.0, 0.0, 0.5, np.nextafter(0.5, 1), 1.0, 7.0, np.inf, np.nan])


def random_tree(rng: np.random.Generator, n_leaves: int, n_features: int) -> dict[str, list]:
    """Split random leaves until there are n_leaves; node ids in the order of the splits."""
    tree: dict[str, list] = {"feature": [], "threshold": [], "missing_left": []}
    children: list[list[int]] = []
    open_leaves: list[tuple[int, int]] = [(-1, 0)]
    for _ in range(n_leaves - 1):
        parent, side = open_leaves.pop(rng.integers(len(open_leaves)))
        node = len(children)
        if parent >= 0:
            children[parent][side] = node
        children.append([0, 0])
        open_leaves += [(node, 0), (node, 1)]
        tree["feature"].append(rng.integers(n_features))
        tree["threshold"].append(rng.choice(VALUES[:-1]))
        tree["missing_left"].append(rng.random() < 0.5)
    leaf_ids = rng.permutation(n_leaves)
    for leaf, (parent, side) in zip(leaf_ids, open_leaves, strict=True):
        if parent >= 0:
            children[parent][side] = ~leaf
    tree["left"] = [left for left, _ in children]
    tree["right"] = [right for _, right in children]
    return tree


def random_forest(
    rng: np.random.Generator,
    n_trees: int,
    *,
    max_leaves: int = 12,
    n_features: int = 3,
    n_classes: int = 4,
    width: int = 1,
) -> Forest:
    sizes = rng.integers(1, max_leaves + 1, size=n_trees)
    trees = [random_tree(rng, n_leaves, n_features) for n_leaves in sizes]
    keys = ("feature", "threshold", "missing_left", "left", "right")
    n_leaves = int(sizes.sum())
    columns = rng.integers(n_classes, size=n_leaves) if width == 1 else np.full(n_leaves, -1)
    return Forest(
        **{key: [value for tree in trees for value in tree[key]] for key in keys},
        node_offset=np.concatenate([[0], np.cumsum(sizes - 1)]),
        leaf_value=rng.normal(size=(n_leaves, width)),
        leaf_column=columns,
        leaf_offset=np.concatenate([[0], np.cumsum(sizes)]),
        n_features=n_features,
    )


def random_rows(rng: np.random.Generator, n: int, n_features: int = 3) -> NDArray[np.float64]:
    return rng.choice(VALUES, size=(n, n_features))


def leaf_by_hand(forest: Forest, tree: int, x: NDArray[np.float64]) -> int:
    first, end = forest.node_offset[tree : tree + 2]
    node = 0 if end > first else ~0
    while node >= 0:
        at = first + node
        value = x[forest.feature[at]]
        goes_left = forest.missing_left[at] if np.isnan(value) else value <= forest.threshold[at]
        node = forest.left[at] if goes_left else forest.right[at]
    return ~node


def scores_by_hand(
    forest: Forest,
    X: NDArray[np.float64],
    tree_index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    F: NDArray[np.float64],
) -> NDArray[np.float64]:
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


def additions(
    rng: np.random.Generator, forest: Forest, m: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return rng.integers(forest.n_trees, size=m), rng.normal(size=m)


def assert_equal_forests(a: Forest, b: Forest) -> None:
    for name in Forest.__slots__:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


@pytest.mark.parametrize("max_leaves", [1, 2, 12, 200], ids="max_leaves={}".format)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_rows_reach_the_leaf_the_raw_thresholds_say(max_leaves: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    forest = random_forest(rng, 4, max_leaves=max_leaves)
    X = random_rows(rng, 30)
    expected = [[leaf_by_hand(forest, tree, x) for tree in range(forest.n_trees)] for x in X]
    leaves = forest.apply(X)
    assert leaves.dtype == np.int32
    np.testing.assert_array_equal(leaves, expected)


@pytest.mark.parametrize("width", [1, 4])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_scores_are_those_of_the_training_loop_to_the_last_bit(width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    forest = random_forest(rng, 5, max_leaves=rng.choice([3, 12, 80]), width=width)
    X = random_rows(rng, 20)
    tree_index, coefficient = additions(rng, forest, 40)
    F = rng.normal(size=(20, 4))
    expected = scores_by_hand(forest, X, tree_index, coefficient, F)
    assert forest.add_scores(X, tree_index, coefficient, F) is F
    np.testing.assert_array_equal(F, expected)
