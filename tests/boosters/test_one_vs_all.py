"""One-vs-all: K boosters side by side."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from boostbench.boosters.adaboost import AdaBoost
from boostbench.boosters.one_vs_all import OneVsAll
from boostbench.boosters.splboost import SPLBoost
from boostbench.weak_learners.binning import bin_features
from tests.boosters.finite import noisy_problem
from tests.boosters.games import each_round, watch

X, y = load_iris(return_X_y=True)


def test_the_scores_are_those_of_the_boosters():
    X, y = noisy_problem(n_classes=3, flip_y=0.2)
    joined = OneVsAll(8, weak_learner="stump").fit(X, y)
    for k in range(3):
        alone = AdaBoost(8, weak_learner="stump").fit(X, y == k)
        assert_allclose(joined.scores(X)[:, k], alone.decision_function(X), atol=1e-12)
    assert_array_equal(joined.predict(X), joined.scores(X).argmax(axis=1))


@pytest.mark.parametrize(
    "booster", ["splboost", {"splboost": {"age": 3.0}}, {"splboost": None}, SPLBoost(age=3.0)]
)
def test_the_booster_is_a_name_a_mapping_or_an_object(booster):
    joined = OneVsAll(5, booster=booster).fit(X, y)
    assert [type(one) for one in joined.estimators_] == [SPLBoost] * 3
    assert all(one.n_estimators == 5 for one in joined.estimators_)
    assert joined.score(X, y) > 0.9
    if isinstance(booster, SPLBoost):
        assert not hasattr(booster, "classes_")
        assert booster.n_estimators == 100


@pytest.mark.parametrize(
    "booster",
    ["real-adaboost", "gentleboost", "logitboost", "l2boost", "rboost1", "rboost2", "martiboost"],
)
def test_every_kind_of_booster_fits_in(booster):
    joined = OneVsAll(15, booster=booster).fit(X, y)
    assert joined.score(X, y) > 0.9
    p = joined.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    each = np.column_stack([one.predict_proba(X)[:, 1] for one in joined.estimators_])
    total = each.sum(axis=1, keepdims=True)
    expected = np.divide(each, total, out=np.full_like(each, 1 / 3), where=total > 0)
    assert_allclose(p, expected, atol=1e-12)


def test_rounds_are_reported_side_by_side():
    X, y = noisy_problem(n_classes=3, flip_y=0.2)
    joined = OneVsAll(6, weak_learner="stump")
    told = each_round(joined, X, y, lambda info: (info.round, info.loss))
    rounds, losses = zip(*told, strict=True)
    alone = [watch(AdaBoost(6, weak_learner="stump"), X, y == k).losses for k in range(3)]
    assert rounds == (1, 2, 3, 4, 5, 6)
    assert_allclose(losses, np.mean(alone, axis=0))


def test_boosters_of_equal_rows_share_the_bins(monkeypatch):
    made = []

    def counted(*data, **options):
        made.append(bin_features(*data, **options))
        return made[-1]

    monkeypatch.setattr("boostbench.weak_learners.options.bin_features", counted)
    X, y = noisy_problem(n_classes=4, flip_y=0.2)
    OneVsAll(3, weak_learner="stump").fit(X, y)
    assert len(made) == 1
    # a sample with two labels is two rows for the boosters of these classes, and one for others
    OneVsAll(3, weak_learner="stump").fit(np.vstack([X, X[:1]]), np.append(y, (y[0] + 1) % 4))
    assert len(made) == 1 + 3


def test_a_booster_that_stops_keeps_its_scores():
    joined = OneVsAll(40, weak_learner={"tree": {"max_leaf_nodes": 2}}).fit(X, y)
    rounds = [one.n_rounds_ for one in joined.estimators_]
    assert rounds[0] == 1  # setosa is separable
    assert joined.n_rounds_ == max(rounds) == 40
    staged = [F.copy() for F in joined.staged_scores(X)]
    assert_array_equal(staged[0][:, 0], staged[-1][:, 0])
    assert_array_equal(staged[-1], joined.scores(X))
    assert joined.stop_reason_ == ""


def test_all_boosters_stopped_early():
    no_ties = X + np.random.default_rng(0).normal(size=X.shape) * 1e-3
    joined = OneVsAll(9, weak_learner={"tree": {"max_leaf_nodes": None}}).fit(no_ties, y)
    assert (joined.n_rounds_, joined.stop_reason_) == (1, "perfect weak learner")
    none = OneVsAll(9).fit(np.zeros((6, 1)), [0, 1, 2, 0, 1, 2])
    assert none.predict(np.zeros((1, 1))).tolist() == [0]
