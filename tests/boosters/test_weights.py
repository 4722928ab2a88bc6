"""Every booster tells what the next round's weights are, without disturbing the fit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench import make_booster
from boostbench.boosters.loop import Booster, row_weights
from boostbench.registry import boosters
from boostbench.weak_learners.demands import BinaryLabels, Targets, WeightedLabels

from .test_common import TABLE, made, problem

every_booster = pytest.mark.parametrize("name", sorted(TABLE))
#: Those whose rounds are one demand each.
ASKING = sorted(name for name in TABLE if issubclass(boosters.get(name), Booster))


def weights_of(booster, X, y):
    """Return the weights of the samples after each round, shape (T, n)."""
    found = []
    booster.fit(X, y, on_round=lambda i: found.append(i.booster.weights(i.state)[i.row_of]))
    return np.array(found)


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
    asked = []
    answer = booster.answer

    def listening(state, demand, h):
        asked.append(row_weights(demand, len(state.y)))
        return answer(state, demand, h)

    booster.answer = listening
    told = []
    booster.fit(X, y, on_round=lambda info: told.append(info.booster.weights(info.state)))
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


def test_the_weight_of_a_row_in_a_demand():
    labels = WeightedLabels(np.array([0, 1]), np.array([1.0, 3.0]), 2)
    assert row_weights(labels, 2).tolist() == [0.25, 0.75]
    signed = BinaryLabels(np.array([[1.0, -1.0, 0.0], [-2.0, 0.0, 4.0]]))
    assert row_weights(signed, 2).tolist() == [0.25, 0.75]
    targets = Targets(np.array([[-2.0], [6.0]]), np.array([[1.0], [1.0]]))
    assert row_weights(targets, 2).tolist() == [0.25, 0.75]
    assert row_weights(None, 2).tolist() == [0.0, 0.0]
    assert row_weights(WeightedLabels(np.array([0, 1]), np.zeros(2), 2), 2).tolist() == [0.0, 0.0]
