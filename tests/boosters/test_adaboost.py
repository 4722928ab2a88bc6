"""AdaBoost.MH and SAMME: what their papers prove, and their agreement for two classes."""

import os

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from boostbench.boosters.adaboost_mh import AdaBoostMH
from boostbench.boosters.samme import SAMME
from tests.boosters.finite import noisy_problem
from tests.boosters.games import watch


def test_samme_the_loss_never_rises():
    X, y = noisy_problem(n_classes=3)
    seen = watch(SAMME(30, weak_learner="stump"), X, y)
    assert (np.diff([1.0, *seen.losses]) <= 1e-12).all()


def test_samme_agrees_with_scikit_learn():
    X, y = load_iris(return_X_y=True)
    ours = SAMME(10, weak_learner="stump").fit(X, y)
    theirs = AdaBoostClassifier(
        DecisionTreeClassifier(max_leaf_nodes=2), n_estimators=10, random_state=0
    ).fit(X, y)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_array_equal(mine, other)
    assert_allclose(watch(SAMME(10, weak_learner="stump"), X, y).sizes, theirs.estimator_weights_)


def test_importances_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    X += np.random.default_rng(0).normal(size=X.shape) * 0.3  # no ties between splits
    ours = SAMME(8, weak_learner={"tree": {"max_leaf_nodes": 4}}).fit(X, y)
    theirs = AdaBoostClassifier(
        DecisionTreeClassifier(max_leaf_nodes=4), n_estimators=8, random_state=0
    ).fit(X, y)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6)


def test_stumps_of_a_round_share_it_by_their_gains():
    X, y = load_iris(return_X_y=True)
    booster = AdaBoostMH(1, weak_learner="stump").fit(X, y)
    (forest,) = booster.model_._parts
    gains = np.bincount(forest.feature, forest.gain, 4)
    assert_allclose(booster.feature_importances_, gains / gains.sum())


def test_the_printed_rule_of_mh_takes_the_first_positive_class():
    X, y = noisy_problem(n_classes=3)
    by_score = AdaBoostMH(3, weak_learner="stump").fit(X, y)
    by_sign = AdaBoostMH(3, weak_learner="stump", rule="sign").fit(X, y)
    F = by_score.scores(X)
    assert_array_equal(by_sign.predict(X), (F > 0).argmax(axis=1))
    assert (by_sign.predict(X) != by_score.predict(X)).any()


@pytest.mark.data
@pytest.mark.parametrize(
    ("booster", "errors"), [(AdaBoostMH, {10: 61, 100: 47}), (SAMME, {10: 73, 100: 55})]
)
def test_dna_has_exactly_the_papers_errors(booster, errors):
    """Geist 2015, Table 2: 5.14 and 3.96 %, 6.15 and 4.64 % of 1186."""
    folder = os.environ.get("BOOSTBENCH_DATA")
    if not folder or not os.path.exists(f"{folder}/dna.csv.gz"):
        pytest.skip("the dna data are not in BOOSTBENCH_DATA")
    frame = pd.read_csv(f"{folder}/dna.csv.gz")
    train, test = frame[frame.split == "train"], frame[frame.split == "test"]
    X, X_test = (part.drop(columns=["split", "target"]).to_numpy(float) for part in (train, test))
    fitted = booster(100).fit(X, train.target)
    counts = [int((labels != test.target).sum()) for labels in fitted.staged_predict(X_test)]
    assert {T: counts[T - 1] for T in errors} == errors
