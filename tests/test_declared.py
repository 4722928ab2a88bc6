"""Parameters are declared in one line each; constructors that are written out work as before."""

from __future__ import annotations

import inspect
from numbers import Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, InvalidParameterError

from boostbench.boosters.samme import SAMME
from boostbench.declared import Count, Declared, Positive


class Capped(SAMME):
    """A booster with parameters of every type."""

    cap: Positive = 1.0
    rule: Literal["one", "two"] = "one"
    sign: Literal[-1, 1] = 1
    twice: bool = False
    limit: Count | None = None
    size: Literal["own"] | Positive = "own"
    table: Annotated[Any, str, "array-like"] = "none"
    anything: Any = None


class Bounded(Capped):
    """A booster with one parameter less and one more."""

    rule: ClassVar = "two"
    floor: Positive = 0.5


class Written(SAMME):
    """A booster whose constructor and constraints are written out."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SAMME._parameter_constraints,
        "cap": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, n_estimators=100, *, weak_learner=None, cap=1.0, random_state=None):
        super().__init__(n_estimators, weak_learner=weak_learner, random_state=random_state)
        self.cap = cap


class Below(Written):
    """It declares nothing and takes the constructor of its base."""


def test_declared_parameters_are_keywords_of_the_constructor():
    assert list(inspect.signature(Capped).parameters)[:3] == [
        "n_estimators",
        "weak_learner",
        "random_state",
    ]
    booster = Capped(7, cap=2.0)
    assert (booster.n_estimators, booster.cap, booster.rule) == (7, 2.0, "one")
    assert clone(booster).get_params() == booster.get_params()
    with pytest.raises(TypeError):
        Capped(7, None)


def test_a_class_attribute_takes_a_parameter_away():
    assert "rule" not in Bounded().get_params()
    assert "rule" not in Bounded._parameter_constraints
    assert Bounded().rule == "two"
    assert {"cap", "floor", "n_estimators"} <= set(Bounded().get_params())


@pytest.mark.parametrize(
    "wrong",
    [
        {"cap": 0.0},
        {"rule": "three"},
        {"sign": 0},
        {"twice": 2},
        {"limit": 0},
        {"size": "other"},
        {"size": -1.0},
        {"table": 3},
        {"n_estimators": 0},
        {"random_state": "x"},
    ],
)
def test_values_outside_the_declared_range_are_refused(wrong):
    with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
        Capped(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "right",
    [{"limit": None}, {"limit": 2}, {"sign": -1}, {"size": 0.5}, {"table": [1]}, {"anything": {}}],
)
def test_values_within_the_declared_range_are_taken(right):
    assert Capped(n_estimators=1, **right).fit([[0.0], [1.0]], [0, 1]).n_rounds_ == 1


@pytest.mark.parametrize("cls", [Written, Below])
def test_a_constructor_that_is_written_out_is_kept(cls):
    booster = cls(3, cap=2.0, weak_learner="stump")
    assert booster.get_params()["cap"] == 2.0
    X = np.arange(6.0)[:, None]
    assert booster.fit(X, [0, 0, 1, 1, 0, 1]).n_rounds_ >= 1
    with pytest.raises(InvalidParameterError, match="cap"):
        cls(cap=-1.0).fit(X, [0, 0, 1, 1, 0, 1])


def test_a_class_without_a_docstring_gets_none():
    class Silent(Declared):
        size: Positive = 1.0

    assert Silent.__doc__ is None
