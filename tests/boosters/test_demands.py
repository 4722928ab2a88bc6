"""What boosters say beforehand that they ask for is what they ask for."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from sklearn.datasets import make_classification

from boostbench.boosters import make_booster
from boostbench.boosters.loop import Booster
from boostbench.weak_learners import Demand, make_weak_learner
from tests.boosters.test_common import BINARY, TABLE


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
    n_classes = 2 if name in BINARY else 3
    X, y = make_classification(60, n_informative=4, n_classes=n_classes, random_state=0)
    parameters = {**TABLE[name], "n_estimators": 3, "weak_learner": None}
    default = make_booster(name, **parameters).default_weak_learner(n_classes)
    listening = Listening(make_weak_learner(None, default))
    booster = make_booster(name, **{**parameters, "weak_learner": listening}).fit(X, y)
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
