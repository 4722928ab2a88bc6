"""Fits that end before their last round, go on later, or are observed."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from boostbench import make_booster
from boostbench.boosters.adaboost_m1 import AdaBoostM1
from boostbench.boosters.adaboost_mh import AdaBoostMHLabel
from boostbench.boosters.adaboost_mm import AdaBoostMM
from boostbench.boosters.state import TINY
from boostbench.boosters.stopping import hold_out

from .finite import Scripted, row_numbers
from .games import each_round, watch

X, y = make_classification(
    500, n_features=8, n_informative=5, n_classes=3, flip_y=0.2, random_state=0
)
TRAIN, HELD = slice(0, 300), slice(300, None)
#: A booster of each kind of model.
NAMES = ["adaboost-mh", "cd-mcboost", "lpboost", "martiboost", "mdeepboost", "one-vs-all", "samme"]


def labels_for(name):
    return (y > 0) * 1 if name in ("lpboost", "martiboost") else y


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scoring", ["accuracy", "loss"])
def test_the_model_is_that_of_the_best_round(name, scoring):
    y = labels_for(name)
    stopping = {"early_stopping": True, "n_iter_no_change": 4, "scoring": scoring}
    booster = make_booster(name, n_estimators=30, **stopping)
    booster.fit(X[TRAIN], y[TRAIN], X_val=X[HELD], y_val=y[HELD])
    scores = booster.validation_score_
    assert booster.n_rounds_ == 1 + scores[1:].argmax()
    if booster.stop_reason_ == "no improvement":
        assert max(scores[-4:]) <= scores[-5] + booster.tol
    P = np.maximum(booster.predict_proba(X[HELD])[np.arange(200), y[HELD]], 2.0**-52)
    best = booster.score(X[HELD], y[HELD]) if scoring == "accuracy" else np.log(P).mean()
    assert scores[1:].max() == pytest.approx(best, abs=1e-12)
    alone = make_booster(name, n_estimators=booster.n_rounds_).fit(X[TRAIN], y[TRAIN])
    assert_array_equal(list(booster.staged_predict(X)), list(alone.staged_predict(X)))
    assert_array_equal(booster.scores(X), alone.scores(X))


def test_held_out_samples_take_no_part_in_the_training():
    booster = make_booster("samme", n_estimators=40, early_stopping=True, random_state=3)
    held = each_round(booster, X, y, lambda info: info.row_of)[0] < 0
    assert held.sum() == pytest.approx(50, abs=1)
    assert (np.bincount(y[held]) >= 15).all()
    alone = make_booster("samme", n_estimators=booster.n_rounds_).fit(X[~held], y[~held])
    assert_array_equal(booster.scores(X), alone.scores(X))
    again = make_booster("samme", n_estimators=40, early_stopping=True, random_state=3).fit(X, y)
    assert_array_equal(again.validation_score_, booster.validation_score_)


def test_samples_without_weight_are_not_held_out():
    X, y = make_classification(random_state=0)
    weights = np.repeat([1.0, 0.0], [60, 40])
    booster = make_booster("samme", n_estimators=5, early_stopping=True, random_state=0)
    kept = clone(booster).fit(X[:60], y[:60]).validation_score_
    assert_array_equal(booster.fit(X, y, weights).validation_score_, kept)


def test_training_samples_are_scored_if_none_are_held_out():
    booster = make_booster("samme", n_estimators=9, early_stopping=True, validation_fraction=None)
    booster.fit(X, y)
    best = booster.n_rounds_
    assert booster.validation_score_[best] == pytest.approx(booster.score(X, y))
    staged = list(booster.staged_score(X, y))
    assert_allclose(booster.validation_score_[1 : best + 1], staged, rtol=1e-12)


def test_a_rare_class_keeps_a_sample_for_training():
    labels = np.array([0] * 50 + [1] * 2 + [2])
    held = hold_out(labels, 0.5, np.random.default_rng(0))
    assert np.bincount(labels[held], minlength=3).tolist() == [25, 1, 0]
    assert hold_out(labels, 10, np.random.default_rng(0)).sum() == 9


@pytest.mark.parametrize("name", [*NAMES, "sm-boost", "drifting-game"])
def test_a_warm_start_gives_the_model_of_one_fit(name):
    y = labels_for(name)
    warm = make_booster(name, n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    trained = each_round(warm.set_params(n_estimators=9), X, y, lambda info: info.round)
    whole = make_booster(name, n_estimators=9, random_state=0).fit(X, y)
    assert_array_equal(warm.scores(X), whole.scores(X))
    assert trained == list(range(5 if warm.nested_rounds else 1, 10))
    assert len(pickle.dumps(warm)) < len(pickle.dumps(whole)) + 100
    if not warm.nested_rounds:
        return
    with pytest.raises(ValueError, match="must be at least n_rounds_=9"):
        warm.set_params(n_estimators=3).fit(X, y)
    warm.set_params(n_estimators=9).fit(X[TRAIN], y[TRAIN])  # other data: from the beginning
    other = make_booster(name, n_estimators=9, random_state=0).fit(X[TRAIN], y[TRAIN])
    assert_array_equal(warm.scores(X), other.scores(X))


@pytest.mark.parametrize("n_first", range(1, 9))
def test_a_warm_start_goes_on_to_watch_the_held_out_samples(n_first):
    options = {"early_stopping": True, "random_state": 0}
    warm = make_booster("sm-boost", n_estimators=n_first, warm_start=True, **options).fit(X, y)
    warm.set_params(n_estimators=9).fit(X, y)
    whole = make_booster("sm-boost", n_estimators=9, **options).fit(X, y)
    assert_array_equal(warm.scores(X), whole.scores(X))


def test_on_round_ends_a_fit_that_stays_usable():
    booster = make_booster("samme", n_estimators=50)
    booster.fit(X, y, on_round=lambda info: info.round == 3)
    assert (booster.n_rounds_, booster.stop_reason_) == (3, "on request")

    def fail(info):
        if info.round == 3:
            raise RuntimeError

    raised = make_booster("samme", n_estimators=50)
    with pytest.raises(RuntimeError):
        raised.fit(X, y, on_round=fail)
    assert_array_equal(raised.scores(X), booster.scores(X))
    assert len(list(raised.staged_predict(X))) == 3


def test_progress_is_printed(capsys):
    make_booster("samme", n_estimators=21, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [*map(str, range(1, 11)), "20", "21"]
    assert all("of 21: loss " in line and ", edge " in line for line in lines)
    make_booster("samme", n_estimators=12, verbose=2, early_stopping=True).fit(X, y)
    assert ", score 0." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["samme", "one-vs-all"])
def test_callbacks_of_scikit_learn_see_every_round(name):
    callback = pytest.importorskip("sklearn.callback")
    monitor = callback.ScoringMonitor(scoring="accuracy")
    booster = make_booster(name, n_estimators=5).set_callbacks(monitor).fit(X, y)
    data = monitor.get_logs().data_as_pandas
    rounds = data[data["task_name"] == "round"]["accuracy"]
    assert rounds.tolist() == list(booster.staged_score(X, y))

    class Third:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context): ...
        def on_fit_task_end(self, estimator, context):
            return bool(context.task_name == "round" and context.task_id == 2)

    assert make_booster(name, n_estimators=5).set_callbacks(Third()).fit(X, y).n_rounds_ == 3


@pytest.mark.parametrize(
    ("booster", "cap"),
    [
        (AdaBoostM1(9), np.log((1 - TINY) / TINY)),
        (AdaBoostMHLabel(9), 0.5 * np.log((2 - TINY) / TINY)),
        (AdaBoostMM(9, step="approximate"), 0.5 * np.log((2 - TINY) / TINY)),
        (AdaBoostMM(9, step="exact"), 0.5 * np.log(1 / TINY)),
    ],
)
def test_a_perfect_classifier_ends_the_training_and_decides_alone(booster, cap):
    y = np.array([0, 1, 2, 0, 1])
    table = np.array([[1, 1, 2, 0, 1], [0, 2, 2, 0, 1], y, [1, 1, 2, 0, 1]]).T
    seen = watch(booster.set_params(weak_learner=Scripted(table)), row_numbers(5), y)
    assert (booster.n_rounds_, booster.stop_reason_) == (3, "perfect weak learner")
    assert seen.sizes[-1] == pytest.approx(cap + sum(seen.sizes[:-1]))
    assert_array_equal(booster.predict(row_numbers(5)), y)


@pytest.mark.filterwarnings("default")
def test_a_booster_that_learns_nothing_warns():
    with pytest.warns(ConvergenceWarning, match=r"could learn nothing \(no edge\): it predicts"):
        make_booster("adaboost-mh").fit(np.zeros((4, 1)), [0, 1, 0, 1])


@pytest.mark.parametrize(
    "learner", [None, "tree", {"tree": {"max_depth": 3}}, DecisionTreeClassifier()], ids=str
)
def test_a_grid_goes_over_parameters_of_the_weak_learner(learner):
    booster = make_booster("samme", n_estimators=3, weak_learner=learner)
    grid = {"weak_learner__max_leaf_nodes": [2, 9]}
    best = GridSearchCV(booster, grid, cv=2).fit(X, y).best_estimator_
    assert "max_leaf_nodes" in str(best.weak_learner)


def test_importances_of_scikit_learn_s_trees_are_weighted_by_their_steps():
    booster = make_booster(
        "samme", n_estimators=4, weak_learner=DecisionTreeClassifier(max_depth=2)
    )
    model = booster.fit(X, y).model_
    each = [part.model.feature_importances_ for part in model._parts]
    expected = np.average(each, axis=0, weights=model.coefficients)
    assert_allclose(booster.feature_importances_, expected, atol=1e-15)
