"""Classifiers of other libraries as boosters: the same predictions as by hand, round by round."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier

from boostbench import Experiment, make_booster
from boostbench.boosters.classifiers import as_booster
from boostbench.errors import BoostbenchError

X, y = load_wine(return_X_y=True)
HELD = np.arange(len(y)) % 3 == 0
T = 8


def staged(cls, **params):
    booster = as_booster(cls)(n_estimators=T, random_state=3, **params)
    return [*booster.fit(X[~HELD], y[~HELD]).staged_predict(X[HELD])]


@pytest.mark.parametrize(
    ("cls", "rounds"),
    [
        (RandomForestClassifier, "n_estimators"),
        (ExtraTreesClassifier, "n_estimators"),
        (BaggingClassifier, "n_estimators"),
        (HistGradientBoostingClassifier, "max_iter"),
    ],
)
def test_each_round_is_the_classifier_of_as_many_rounds(cls, rounds):
    found = staged(cls)
    assert len(found) == T
    for t in (1, 2, T):
        by_hand = cls(**{rounds: t, "random_state": 3}).fit(X[~HELD], y[~HELD])
        np.testing.assert_array_equal(found[t - 1], by_hand.predict(X[HELD]))


@pytest.mark.parametrize("cls", [RandomForestClassifier, HistGradientBoostingClassifier])
def test_the_probabilities_of_each_round_are_those_of_as_many_rounds(cls):
    booster = as_booster(cls)(n_estimators=T, random_state=3).fit(X[~HELD], y[~HELD])
    found = list(booster.staged_predict_proba(X[HELD]))
    assert len(found) == T
    rounds = "max_iter" if cls is HistGradientBoostingClassifier else "n_estimators"
    for t in (1, T):
        by_hand = cls(**{rounds: t, "random_state": 3}).fit(X[~HELD], y[~HELD])
        np.testing.assert_allclose(found[t - 1], by_hand.predict_proba(X[HELD]), rtol=1e-12)
    again = pickle.loads(pickle.dumps(booster))
    np.testing.assert_array_equal(again.predict_proba(X[HELD]), booster.predict_proba(X[HELD]))


@pytest.mark.parametrize("name", ["catboost", "lightgbm", "xgboost"])
def test_boosting_libraries_tell_their_first_rounds(name):
    library = pytest.importorskip(name)
    booster = make_booster(name, n_estimators=T, random_state=3)
    found = [*booster.fit(X[~HELD], y[~HELD]).staged_predict(X[HELD])]
    assert len(found) == T
    quiet = {
        "catboost": {"verbose": False, "allow_writing_files": False},
        "lightgbm": {"verbosity": -1},
    }
    cls = {
        "catboost": "CatBoostClassifier",
        "lightgbm": "LGBMClassifier",
        "xgboost": "XGBClassifier",
    }
    # CatBoost's default learning rate depends on the number of rounds
    for t in [T] if name == "catboost" else [1, 3, T]:
        by_hand = getattr(library, cls[name])(n_estimators=t, random_state=3, **quiet.get(name, {}))
        by_hand.fit(X[~HELD], y[~HELD])
        np.testing.assert_array_equal(found[t - 1], np.ravel(by_hand.predict(X[HELD])))


def test_a_classifier_without_rounds_is_one_round():
    booster = as_booster(KNeighborsClassifier)(n_estimators=T, n_neighbors=3)
    (labels,) = booster.fit(X, y).staged_predict(X)
    by_hand = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    np.testing.assert_array_equal(labels, by_hand.predict(X))
    assert booster.stop_reason_ == "a fit without rounds"


@pytest.mark.parametrize("cls", [RandomForestClassifier, HistGradientBoostingClassifier])
def test_labels_may_be_anything(cls):
    names = np.array(["gamma", "alpha", "beta"])[y]
    booster = as_booster(cls)(n_estimators=3, random_state=0).fit(X, names)
    assert booster.classes_.tolist() == ["alpha", "beta", "gamma"]
    for labels in booster.staged_predict(X):
        assert {*labels} <= {*booster.classes_}
    np.testing.assert_array_equal(booster.predict(X), labels)


def test_a_fit_that_stops_by_itself_says_so():
    stopping = {"early_stopping": True, "n_iter_no_change": 1, "tol": 10.0}
    booster = as_booster(HistGradientBoostingClassifier)(
        n_estimators=50, random_state=0, **stopping
    )
    assert len([*booster.fit(X, y).staged_predict(X)]) < 50
    assert booster.stop_reason_ == "stopped by itself"


class Answers:
    """A classifier that answers what its parameter makes of the samples."""

    def __init__(self, answer, n_estimators=10, warm_start=False):
        self.answer, self.n_estimators, self.warm_start = answer, n_estimators, warm_start

    def fit(self, X, y):
        return self

    def predict(self, X):
        return self.answer(len(X))


@pytest.mark.parametrize(
    "answer",
    [
        lambda n: np.zeros(1),
        lambda n: np.zeros((n, 2)),
        lambda n: np.full(n, 3),
        lambda n: np.full(n, -1),
        lambda n: np.full(n, 0.5),
        lambda n: np.full(n, np.nan),
        lambda n: np.full(n, "alpha"),
    ],
)
def test_answers_that_are_no_labels_are_refused(answer):
    booster = as_booster(Answers)(answer=answer).fit(X, y)
    with pytest.raises(BoostbenchError, match="must return a label from 0 to 2 for each of 178"):
        booster.predict(X)
    with pytest.raises(BoostbenchError, match="for each of 178"):
        list(booster.staged_predict(X))


def test_a_warm_start_without_more_estimators_is_one_round():
    booster = as_booster(Answers)(n_estimators=5, answer=lambda n: np.zeros(n, dtype=int))
    assert len([*booster.fit(X, y).staged_predict(X)]) == 1
    assert booster.stop_reason_ == "a fit without rounds"


CONFIG = """
name: others
datasets: [iris]
split: {holdout: 0.4, stratify: true}
rounds: 6
boosters:
"""
GOOD = """
  - random-forest: {max_depth: [1, 3]}
  - sklearn.linear_model:LogisticRegression: {C: 0.5, max_iter: 500}
  - samme: {weak_learner: {"sklearn.tree:DecisionTreeClassifier": {max_depth: 2}}}
"""


def experiment(tmp_path, boosters):
    path = tmp_path / "others.yaml"
    path.write_text(CONFIG + boosters, encoding="utf-8")
    return Experiment.load(path, results=tmp_path / "results")


def test_a_config_names_classifiers_of_packages(tmp_path):
    others = experiment(tmp_path, GOOD)
    others.run(executor="inline")
    results = others.results()
    assert {*results["booster"]} == {
        "random-forest (max_depth=1)",
        "random-forest (max_depth=3)",
        "sklearn.linear_model:LogisticRegression",
        "samme",
    }
    last = results[(results["metric"] == "test_error") & (results["booster"] == "samme")]
    assert last["value"].iloc[-1] < 0.2


def test_an_absent_package_is_a_reason_to_skip(tmp_path):
    plan = experiment(tmp_path, "  - samme\n  - no_such_package:Forest\n").plan()
    (reason,) = plan.skipped()
    assert "needs the package 'no_such_package'" in reason
