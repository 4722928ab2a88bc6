"""Boosters ask for what they say that they ask for: kinds and weights."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench import make_booster
from boostbench.boosters.loop import Booster, row_weights
from boostbench.registry import boosters
from boostbench.weak_learners import Demand, make_weak_learner
from boostbench.weak_learners.demands import BinaryLabels, Targets, WeightedLabels

from .games import each_round
from .test_common import TABLE, every_booster, made, problem

#: Those whose rounds are one demand each.
ASKING = sorted(name for name in TABLE if issubclass(boosters.get(name), Booster))


def weights_of(booster, X, y):
    """Return the weights of the samples after each round, shape (T, n)."""
    return np.array(each_round(booster, X, y, lambda i: booster.weights(i.state)[i.row_of]))


@every_booster
def test_weights_are_shares_and_asking_for_them_changes_nothing(name):
    X, y = problem(name)
    asked = made(name)
    w = weights_of(asked, X, y)
    assert w.shape == (15, 200)
    assert w.min() >= 0.0
    assert_allclose(w.sum(axis=1)[:-1], 1.0)  # a drifting game is over after its last round
    assert_array_equal(asked.scores(X), made(name).fit(X, y).scores(X))


@pytest.mark.parametrize("name", ASKING)
def test_weights_are_what_the_next_demand_puts_on_the_rows(name):
    X, y = problem(name)
    own = {"max_response": np.inf} if name.endswith("logitboost") else {}  # weights know no limit
    booster = made(name, **own)

    def told(info, asked):
        return asked, booster.weights(info.state)

    def asked(state, demand, h):
        return row_weights(demand, len(state.y))

    asked, told = zip(*each_round(booster, X, y, told, asked), strict=True)
    assert len(asked) == 15
    for after, then in zip(told, asked[1:], strict=False):
        assert_allclose(after, then, rtol=1e-9, atol=1e-15)


def test_one_vs_all_weighs_a_row_by_the_mean_of_its_boosters():
    X, y = problem("one-vs-all")
    X, y = np.concatenate([X, X[:20]]), np.concatenate([y, (y[:20] + 1) % 4])  # equal rows, too
    joint = weights_of(make_booster("one-vs-all", n_estimators=6), X, y)
    alone = [weights_of(make_booster("adaboost", n_estimators=6), X, y == k) for k in range(4)]
    for t in range(6):
        expected = np.zeros(len(X))
        for k, w in enumerate(alone):
            # samples that are one row for this booster share its weight
            content = np.column_stack([X, y == k])
            _, row, count = np.unique(content, axis=0, return_inverse=True, return_counts=True)
            expected += w[t] / count[row.ravel()]
        assert_allclose(joint[t], expected / 4, rtol=1e-9)


@pytest.mark.parametrize(
    ("demand", "expected"),
    [
        (WeightedLabels(np.array([0, 1]), np.array([1.0, 3.0]), 2), [0.25, 0.75]),
        (BinaryLabels(np.array([[1.0, -1.0, 0.0], [-2.0, 0.0, 4.0]])), [0.25, 0.75]),
        (Targets(np.array([[-2.0], [6.0]]), np.array([[1.0], [1.0]])), [0.25, 0.75]),
        (None, [0.0, 0.0]),
        (WeightedLabels(np.array([0, 1]), np.zeros(2), 2), [0.0, 0.0]),
    ],
)
def test_the_weight_of_a_row_in_a_demand(demand, expected):
    assert row_weights(demand, 2).tolist() == expected


class Listening:
    """A weak learner that notes the kinds of demands."""

    accepts = get_args(Demand)

    def __init__(self, learner):
        self.learner = learner
        self.kinds = set()

    def prepare(self, *training_rows):
        return self.learner.prepare(*training_rows)

    def fit(self, data, demand, rng):
        self.kinds.add(type(demand))
        return self.learner.fit(data, demand, rng)

    def grow_path(self, data, demand, rng):
        self.kinds.add(type(demand))
        return self.learner.grow_path(data, demand, rng)


@pytest.mark.parametrize("name", [name for name in TABLE if name != "one-vs-all"])
def test_a_booster_asks_for_what_it_says(name):
    X, y = problem(name, 60)
    default = made(name).default_weak_learner(y.max() + 1)
    listening = Listening(make_weak_learner(None, default))
    booster = made(name, n_estimators=3, weak_learner=listening).fit(X, y)
    assert listening.kinds
    assert listening.kinds <= set(booster.demands())


class Plain(Booster):
    """A booster of somebody's."""

    def ask(self, state: Any) -> Any:
        raise AssertionError

    answer = objective = default_weak_learner = ask


class Unclear(Plain):
    """Its annotation names what is not there."""

    def ask(self, state: Any) -> Nothing:  # noqa: F821
        raise AssertionError


class Silent(Plain):
    """It is not annotated."""

    def ask(self, state):
        raise AssertionError


@pytest.mark.parametrize("cls", [Unclear, Silent])
def test_a_booster_without_annotations_has_no_known_demands(cls):
    assert cls().demands() == ()
