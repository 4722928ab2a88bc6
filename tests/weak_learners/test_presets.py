from typing import Annotated

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import InvalidParameterError

from boostbench.declared import Note
from boostbench.registry import weak_learners
from boostbench.weak_learners import (
    BinaryLabels,
    Costs,
    Greedy,
    RegressionTree,
    Targets,
    Tree,
    WeightedLabels,
    make_weak_learner,
)
from boostbench.weak_learners.base import WeakLearner
from boostbench.weak_learners.drawing import FittedTree
from tests.weak_learners import reference


@pytest.mark.parametrize("name", weak_learners.names())
def test_every_registered_learner_keeps_the_protocol(name):
    learner = make_weak_learner(name)
    assert isinstance(learner, WeakLearner)
    assert clone(learner).get_params() == learner.get_params()
    data = learner.prepare(reference.integer_data(60, 3, 3, seed=6)[0])
    for demand in reference.demands(60, 3).values():
        if isinstance(demand, learner.accepts):
            h = learner.fit(data, demand, np.random.default_rng(0))
            assert h.values(3).shape == (60, 3)
        else:
            with pytest.raises(ValueError, match=f"not {type(demand).__name__}"):
                learner.fit(data, demand, np.random.default_rng(0))


def test_an_option_with_effect_on_the_demand_is_taken():
    learner = RegressionTree(min_weight_fraction_leaf=0.1)
    data = learner.prepare(np.arange(3.0)[:, None])
    assert learner.fit(data, Targets(np.eye(3), np.ones((3, 1)))).trees.n_trees == 3


def test_a_preset_takes_no_option_but_those_of_its_names_and_groups():
    group = Note()

    class WithTwoMore(Tree):
        depth_penalty: float = 0.0
        least: Annotated[bool, group] | None = None

    class Small(WithTwoMore, takes=("criterion", group)):
        max_depth = 2

    assert Small().get_params() == {"criterion": "auto", "least": None}
    assert (Small().depth_penalty, Small().max_depth) == (0.0, 2)
    assert WithTwoMore(depth_penalty=1.0).get_params()["depth_penalty"] == 1.0
    with pytest.raises(InvalidParameterError, match="'least' parameter"):
        Small(least=2).prepare(np.zeros((1, 1)))


@settings(max_examples=40)
@given(st.integers(2, 30), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_errors_of_weighted_labels_are_costs(n, K, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 3)).astype(float)
    y, w = rng.integers(0, K, n).astype(np.int32), rng.integers(1, 4, n).astype(float)
    C = w[:, None] * (np.arange(K) != y[:, None])
    learner = Greedy(max_leaf_nodes=5)
    data = learner.prepare(X)
    a = learner.fit(data, WeightedLabels(y, w, K))
    b = learner.fit(data, Costs(C))
    assert str(FittedTree(a.trees)) == str(FittedTree(b.trees))


def test_a_scikit_learn_classifier_stands_in():
    X, y = reference.integer_data(100, 3, 3, seed=9)
    weight = np.random.default_rng(0).random(100)
    weight[y == 2] = 0.0
    learner = make_weak_learner(DecisionTreeClassifier(max_depth=2))
    rows = np.arange(100)[::-1]
    data = learner.prepare(X, rows)
    h = learner.fit(data, WeightedLabels(y[rows], weight[rows], 3), np.random.default_rng(1))
    assert set(h.labels.tolist()) <= {0, 1}
    F = h.trees.add_scores(X[rows], [0], [0.5], np.zeros((100, 3)))
    np.testing.assert_array_equal(F, h.add_to(np.zeros((100, 3)), 0.5))
    np.testing.assert_array_equal(h.values(3).argmax(axis=1), h.labels)
    with pytest.raises(ValueError, match="not Costs"):
        learner.fit(data, Costs(np.ones((100, 3))), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("drawn", "b"), [(np.array([[3, 1], [2, 0], [1, 1], [1, 0]]), 1 / 9), (None, 1 / 8)]
)
def test_the_smoothing_of_real_answers_counts_the_drawn_samples(drawn, b):
    weight = np.array([[0.4, -0.1], [0.2, 0.0], [-0.1, 0.1], [-0.1, 0.0]])
    plus, minus = np.array([[0.6, 0.0], [0.0, 0.1]]), np.array([[0.0, 0.1], [0.2, 0.0]])
    learner = make_weak_learner({"multilabel-stump": {"answers": "real"}})
    h = learner.fit(learner.prepare(np.arange(4.0)[:, None]), BinaryLabels(weight, drawn))
    expected = 0.5 * np.log((plus + b) / (minus + b))
    np.testing.assert_allclose(h.trees.leaf_value, expected, rtol=1e-12)
