"""Answers of the least expected cost, a plugin beside the configs of "Soft-max boosting"."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from boostbench import make_booster
from boostbench.inputs import load_plugin
from boostbench.resources import shipped

LeastExpectedCost = load_plugin(
    shipped("configs") / "softmax-boosting" / "least_cost.py"
).LeastExpectedCost
COST = [[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [4.0, 2.0, 0.0]]


@pytest.mark.parametrize("booster", ["sm-boost", "samme"])
def test_answers_have_the_least_expected_cost_after_every_round(booster):
    X, y = load_wine(return_X_y=True)
    fitted = LeastExpectedCost(4, 1, booster, COST).fit(X[::2], y[::2])
    inner = make_booster(booster, n_estimators=4, random_state=1).fit(X[::2], y[::2])
    stages = list(fitted.staged_predict(X))
    for answers, p in zip(stages, inner.staged_predict_proba(X), strict=True):
        expected = np.einsum("iy,yz->iz", p, COST)
        chosen = np.take_along_axis(expected, answers[:, None], axis=1)[:, 0]
        np.testing.assert_allclose(chosen, expected.min(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(stages[-1], fitted.predict(X))


def test_without_unequal_costs_the_answers_are_the_boosters_own():
    X, y = load_wine(return_X_y=True)
    fitted = LeastExpectedCost(3, 0, "sm-boost").fit(X, y)
    expected = make_booster("sm-boost", n_estimators=3, random_state=0).fit(X, y).predict(X)
    np.testing.assert_array_equal(fitted.predict(X), expected)
