"""The classical algorithms that multi-class deep boosting contains, against their own formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.boosters import make_booster
from tests.boosters.descents import descend, noisy_problem

#: Why one implementation has five names: what the others are in terms of mdeepboost.
SPECIAL = {
    "adaboost-mr": {"complexity_penalty": 0.0, "l1_penalty": 0.0, "direction": "figure1"},
    "adaboost-mr-l1": {"complexity_penalty": 0.0},
    "additive-logistic": {
        "surrogate": "comp-sum",
        "complexity_penalty": 0.0,
        "l1_penalty": 0.0,
        "direction": "figure1",
    },
    "additive-logistic-l1": {"surrogate": "comp-sum", "complexity_penalty": 0.0},
}


@pytest.mark.parametrize("name", SPECIAL)
def test_each_special_case_is_deep_boosting_with_its_parameters(name):
    X, y = noisy_problem()
    special = make_booster(name, n_estimators=20).fit(X, y)
    general = make_booster("mdeepboost", n_estimators=20, **SPECIAL[name]).fit(X, y)
    assert_array_equal(special.scores(X), general.scores(X))
    assert_allclose(special.predict_proba(X), general.predict_proba(X))


def test_adaboost_mr_is_schapire_and_singers():
    """D over pairs, r and alpha as in their Sec. 8, for h~ = 2 h - 1 with values in [-1, 1]."""
    X, y = noisy_problem()
    seen = descend("adaboost-mr", X, y, n_estimators=30, reuse=False)
    n, K = len(y), 4
    wrong = y[:, None] != np.arange(K)
    D = wrong / wrong.sum()
    F = np.zeros((n, K))
    for labels, alpha, scores in zip(seen.labels, seen.steps, seen.scores, strict=True):
        h = 2.0 * (labels[:, None] == np.arange(K)) - 1.0
        difference = h[np.arange(n), y][:, None] - h
        r = 0.5 * (D * difference).sum()
        assert alpha == pytest.approx(0.5 * np.log((1 + r) / (1 - r)), abs=1e-10)
        D = D * np.exp(-0.5 * alpha * difference)
        D /= D.sum()
        F += alpha * (h + 1) / 2
        assert_allclose(scores, F, atol=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
def test_two_classes_all_objectives_are_one(loss):
    X, y = noisy_problem(2)
    for step, others in [("bound", ["max-sum"]), ("exact", ["max-sum", "max"])]:
        same = [*others, "comp-sum"] if loss == "logistic" else others
        expected = two_class_run("sum", loss, step, X, y)
        for surrogate in same:
            found = two_class_run(surrogate, loss, step, X, y)
            assert_allclose(found.losses, expected.losses, atol=1e-9)
            assert_allclose(found.scores[-1], expected.scores[-1], atol=1e-7)


def two_class_run(surrogate, loss, step, X, y):
    return descend(
        "mdeepboost", X, y, n_estimators=15, surrogate=surrogate, loss=loss, step=step,
        complexity_penalty=0.005, l1_penalty=0.002,
    )  # fmt: skip


def test_trees_are_reused_unless_told_not_to():
    X, y = noisy_problem()
    reused = descend("adaboost-mr", X, y, 1, n_estimators=40).booster
    classical = descend("adaboost-mr", X, y, 1, n_estimators=40, reuse=False).booster
    assert len(reused.coefficients_) < 40
    assert len(classical.coefficients_) == 40
