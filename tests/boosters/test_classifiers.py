"""Classifiers of other libraries as boosters: the same predictions as by hand, round by round."""

import pickle
import sys
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import check_estimator

from boostbench import Experiment, make_booster
from boostbench.boosters.classifiers import as_booster
from boostbench.errors import BoostbenchError
from boostbench.registry import boosters

X, y = load_wine(return_X_y=True)
HELD = np.arange(len(y)) % 3 == 0
T = 8
#: Name in a config: class, its number of rounds, and what keeps it quiet and on one thread.
CLASSES = {
    "random-forest": ("sklearn.ensemble:RandomForestClassifier", "n_estimators", {}),
    "extra-trees": ("sklearn.ensemble:ExtraTreesClassifier", "n_estimators", {}),
    "sklearn.ensemble:BaggingClassifier": (
        "sklearn.ensemble:BaggingClassifier",
        "n_estimators",
        {},
    ),
    "hist-gradient-boosting": ("sklearn.ensemble:HistGradientBoostingClassifier", "max_iter", {}),
    "lightgbm": ("lightgbm:LGBMClassifier", "n_estimators", {"verbosity": -1, "n_jobs": 1}),
    "xgboost": ("xgboost:XGBClassifier", "n_estimators", {"n_jobs": 1}),
    "catboost": (
        "catboost:CatBoostClassifier",
        "iterations",
        {"verbose": False, "allow_writing_files": False, "thread_count": 1},
    ),
}


def by_hand(name, n_rounds, random_state):
    """Return the classifier as its library has it, or skip the test."""
    place, rounds, quiet = CLASSES[name]
    module, _, attribute = place.partition(":")
    classifier = getattr(pytest.importorskip(module), attribute)
    return classifier(**{rounds: n_rounds, "random_state": random_state}, **quiet)


@pytest.mark.parametrize("name", CLASSES)
def test_each_round_is_the_classifier_of_as_many_rounds(name):
    by_hand(name, T, 3)
    booster = make_booster(name, n_estimators=T, random_state=3).fit(X[~HELD], y[~HELD])
    labels, shares = [*booster.staged_predict(X[HELD])], [*booster.staged_predict_proba(X[HELD])]
    assert len(labels) == len(shares) == T
    # CatBoost's default learning rate depends on the number of rounds
    for t in [T] if name == "catboost" else [1, 2, T]:
        classifier = by_hand(name, t, 3).fit(X[~HELD], y[~HELD])
        assert_array_equal(labels[t - 1], np.ravel(classifier.predict(X[HELD])))
        rtol = 1e-5 if name == "xgboost" else 1e-12  # XGBoost adds 32-bit numbers
        assert_allclose(shares[t - 1], classifier.predict_proba(X[HELD]), rtol=rtol)
    again = pickle.loads(pickle.dumps(booster))
    assert_array_equal(again.predict_proba(X[HELD]), booster.predict_proba(X[HELD]))


def test_a_classifier_without_rounds_is_one_round():
    booster = as_booster(KNeighborsClassifier)(n_estimators=T, n_neighbors=3)
    expected = KNeighborsClassifier(n_neighbors=3).fit(X, y).predict(X)
    warm_start_alone = as_booster(Answers)(n_estimators=5, answer=lambda n: np.zeros(n, dtype=int))
    for each, answers in [(booster, expected), (warm_start_alone, np.zeros(len(y)))]:
        (labels,) = each.fit(X, y).staged_predict(X)
        assert_array_equal(labels, answers)
        assert each.stop_reason_ == "a fit without rounds"


#: Checks that a library fails by design, with the reason.
WEIGHTS = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
TYPES = ["check_dtype_object", "check_estimator_sparse_array", "check_estimator_sparse_matrix"]
BY_DESIGN = {
    "catboost": dict.fromkeys([*WEIGHTS, *TYPES], "draws samples; has fewer types of columns"),
    "random-forest": dict.fromkeys(WEIGHTS, "draws samples, whatever their weights"),
}
INSTALLED = [name for name in ("catboost", "lightgbm", "xgboost") if find_spec(name)]
OTHERS = [
    *(make_booster(name, n_estimators=2) for name in ("random-forest", *INSTALLED)),
    make_booster("hist-gradient-boosting", n_estimators=2),
    make_booster("sklearn.linear_model:LogisticRegression", max_iter=1000),
    make_booster("filter-and-refit", n_estimators=2, folds=2),
]


@pytest.mark.parametrize("estimator", OTHERS, ids=str)
def test_scikit_learn_checks(estimator):
    by_design = next((BY_DESIGN[name] for name in BY_DESIGN if name in repr(estimator)), {})
    check_estimator(estimator, on_skip=None, expected_failed_checks=by_design)


@pytest.mark.parametrize("estimator", OTHERS, ids=str)
def test_a_repr_can_be_evaluated(estimator):
    namespace = {"make_booster": make_booster}
    if not repr(estimator).startswith("make_booster"):
        exec(f"from boostbench.boosters import {type(estimator).__name__}", namespace)
    again = eval(repr(estimator), namespace)
    assert again.get_params() == estimator.get_params()
    assert type(again) is type(estimator)


def test_an_absent_package_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "catboost", None)
    with pytest.raises(ModuleNotFoundError, match="pip install catboost"):
        make_booster("catboost")
    with pytest.raises(ImportError, match="cannot import name 'Nothing'"):
        from boostbench.boosters import Nothing  # noqa: F401


@pytest.mark.parametrize("name", ["random-forest", "filter-and-refit"])
def test_columns_in_another_order_are_refused(name):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    booster = make_booster(name, n_estimators=3).fit(frame, y)
    assert booster.feature_names_in_.tolist() == list(frame)
    with pytest.raises(ValueError, match="should match those that were passed during fit"):
        booster.predict(frame[frame.columns[::-1]])


class Answers:
    """A classifier that answers what its parameter makes of the samples."""

    def __init__(self, answer=None, n_estimators=10, warm_start=False):
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


def experiment(tmp_path, *names, **keys):
    """Return the experiment of some boosters."""
    plain = {"name": "others", "datasets": ["iris"], "rounds": 6, "boosters": [*names]}
    config = {**plain, "split": {"holdout": 0.4, "stratify": True}, **keys}
    return Experiment.load(config, results=tmp_path / "results")


def test_a_config_names_classifiers_of_packages(tmp_path):
    learner = {"sklearn.tree:DecisionTreeClassifier": {"max_depth": 2}}
    others = experiment(
        tmp_path,
        {"random-forest": {"max_depth": [1, 3]}},
        {"sklearn.linear_model:LogisticRegression": {"C": 0.5, "max_iter": 500}},
        {"samme": {"weak_learner": learner}},
        {"filter-and-refit": {"classifier": {"samme": {"weak_learner": "stump"}}}},
    )
    others.run(executor="inline")
    results = others.results()
    errors = results[results["metric"] == "test_error"].groupby("booster")["value"].last()
    assert {*errors.index} == {
        "random-forest (max_depth=1)",
        "random-forest (max_depth=3)",
        "sklearn.linear_model:LogisticRegression",
        "samme",
        "filter-and-refit",
    }
    assert errors["samme"] < 0.2
    assert errors["filter-and-refit"] < 0.5


def test_an_inner_parameter_of_another_library_is_its_own(tmp_path):
    pytest.importorskip("xgboost")
    assert experiment(tmp_path, {"xgboost": {"booster": "gbtree"}}).plan() is not None


@pytest.mark.parametrize(
    ("booster", "name", "package"),
    [
        ("no_such_package:Forest", "no_such_package:Forest", "no_such_package"),
        ({"filter-and-refit": {"classifier": {"xgboost": {"max_depth": 2}}}}, "xgboost", "xgboost"),
    ],
    ids=str,
)
def test_an_absent_package_is_a_reason_to_skip(booster, name, package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    (reason,) = experiment(tmp_path, "samme", booster).plan().skipped()
    assert f"booster {name!r} needs the package {package!r}" in reason


STOPPING = {
    "hist-gradient-boosting": {"early_stopping": True, "n_iter_no_change": 3},
    "lightgbm": {"early_stopping_round": 3},
    "xgboost": {"early_stopping_rounds": 3},
    "catboost": {"early_stopping_rounds": 3},
}


@pytest.mark.parametrize("name", STOPPING)
def test_a_classifier_stops_by_the_samples_that_are_given(name):
    pytest.importorskip(boosters.module(name).partition(".")[0], reason="boostbench[baselines]")
    y = np.array(["red", "rose", "white"])[load_wine().target]
    booster = make_booster(name, n_estimators=300, **STOPPING[name])
    booster.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    assert len([*booster.staged_predict(X)]) < 300
    assert booster.stop_reason_ == "stopped by itself"
    assert booster.score(X[1::2], y[1::2]) > 0.9
    with pytest.raises(ValueError, match="y_val has labels that y has not, such as 'green'"):
        booster.fit(X, y, X_val=X[:1], y_val=["green"])
    for wrong in (booster, make_booster("random-forest")):
        with pytest.raises(ValueError, match="X_val and y_val are given together, to a classifier"):
            wrong.fit(X, y, X_val=X, y_val=None if wrong is booster else y)


@pytest.mark.parametrize("name", ["robust-lightgbm", "catboost"])
def test_a_library_that_refuses_the_data_says_so_in_one_line(name):
    pytest.importorskip("lightgbm" if "light" in name else name, reason="boostbench[baselines]")
    with pytest.raises(ValueError, match=r"4 samples; a split needs|features are .* constant"):
        make_booster(name).fit(np.ones((4, 2)), [0, 1, 0, 1])
