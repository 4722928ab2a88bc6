import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from boostbench.weak_learners import Tree, WeightedLabels
from boostbench.weak_learners.criteria import entropy, impurity, most_gain


@njit
def _impurity(rules, total):
    return impurity(rules, total, 0.0)


@njit
def _entropy(rules, total):
    return entropy(rules, total)


@njit
def _most_gain(rules, total, mass):
    return most_gain(rules, total, mass)


def rules_of(criterion, n_classes):
    tree, y = Tree(criterion), np.arange(n_classes, dtype=np.int32)
    demand = WeightedLabels(y, np.ones(n_classes), n_classes)
    return tree._rules(tree.prepare(np.zeros((n_classes, 1))), demand, None)


halves = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=2, max_size=6)


@given(st.sampled_from(["gini", "entropy", "error"]), halves)
def test_no_split_gains_more_than_the_bound(criterion, halves):
    children = np.array([*halves, (1, 1)]).T.copy()
    rules = rules_of(criterion, children.shape[1])
    mass = _entropy if criterion == "entropy" else _impurity
    whole = children.sum(axis=0)
    node = mass(rules, whole)
    gain = node - mass(rules, children[0]) - mass(rules, children[1])
    assert gain <= _most_gain(rules, whole, node) + 1e-12 * whole.sum()


@pytest.mark.parametrize("criterion", ["gini", "error"])
def test_the_bound_is_the_gain_of_two_pure_children(criterion):
    rules, whole = rules_of(criterion, 3), np.array([3, 0, 5])
    assert _most_gain(rules, whole, _impurity(rules, whole)) == _impurity(rules, whole)
    whole = np.array([3, 2, 5])
    assert _most_gain(rules, whole, _impurity(rules, whole)) == _impurity(rules, whole) - 2
