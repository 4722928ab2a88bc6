"""Temperature scaling: the labels stay, and the temperature is the best one out of fold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification

from boostbench import Experiment
from boostbench.baselines.calibrated import Calibrated
from boostbench.quantities import QUANTITIES

T = 10


def problem(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        n, n_features=6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0
    )


@pytest.mark.parametrize("name", ["samme", "adaboost-mh", "random-forest", "one-vs-all"])
def test_labels_are_the_classifier_s_and_probabilities_sum_to_1(name: str) -> None:
    X, y = problem()
    booster = Calibrated(T, classifier=name, folds=3, random_state=0).fit(X[:200], y[:200])
    inner = booster.estimator_
    assert_array_equal(booster.predict(X), inner.predict(X))
    stages = list(booster.staged_predict_proba(X))
    assert len(stages) == len(list(booster.staged_predict(X)))
    assert_allclose([P.sum(axis=1) for P in stages], 1.0)
    assert_array_equal(stages[-1], booster.predict_proba(X))


@pytest.mark.parametrize("name", ["samme", "adaboost-mh"])
def test_certain_and_wrong_answers_become_less_certain(name: str) -> None:
    X, y = problem(450)
    booster = Calibrated(60, classifier=name, folds=3, random_state=0).fit(X[:300], y[:300])
    held, labels = X[300:], y[300:]
    before, after = booster.estimator_.predict_proba(held), booster.predict_proba(held)
    assert before.max(axis=1).mean() > 0.95
    for metric in ("log_loss", "calibration_error", "brier"):
        measure: Any = QUANTITIES[f"test_{metric}"]
        assert measure(after, labels) < 0.8 * measure(before, labels), metric


def test_temperatures_have_the_least_log_loss_out_of_fold() -> None:
    X, y = problem(150)
    booster = Calibrated(T, folds=3, random_state=0).fit(X, y)
    again = Calibrated(T, folds=3, random_state=0)
    again.classes_ = np.unique(y)
    F, labels = [], []
    for held, one in again._cross_fitted(X, y.astype(np.intp), np.random.default_rng(0)):
        F.append([stage.copy() for stage in one.staged_scores(X[held])])
        labels.append(y[held])
    grid = np.exp(np.linspace(-2.0, 6.0, 400))
    true = np.concatenate(labels)
    for t in (0, T - 1):
        scores = np.concatenate([stages[min(t, len(stages) - 1)] for stages in F])

        def loss(temperature: float, scores: np.ndarray = scores) -> float:
            z = scores / temperature
            z -= z.max(axis=1, keepdims=True)
            return float(np.mean(np.log(np.exp(z).sum(axis=1)) - z[np.arange(len(true)), true]))

        best = min(map(loss, grid))
        assert loss(booster.temperatures_[t]) <= best + 1e-5


def test_fewer_rounds_have_the_same_temperatures() -> None:
    X, y = problem(150)
    whole, part = (Calibrated(t, random_state=0).fit(X, y) for t in (T, 4))
    assert_array_equal(whole.temperatures_[:4], part.temperatures_)


def test_a_class_that_a_fold_does_not_see_has_no_probability_there() -> None:
    X, y = load_iris(return_X_y=True)
    kept = (y < 2) | (np.arange(150) == 149)  # one sample of the third class
    booster = Calibrated(3, folds=2, random_state=0).fit(X[kept], y[kept])
    assert booster.predict_proba(X).shape == (150, 3)
    assert np.isfinite(booster.temperatures_).all()


def test_a_config_names_the_classifier(tmp_path) -> None:
    config = tmp_path / "calibrated.yaml"
    config.write_text(
        "name: calibrated\ndatasets: [iris]\nsplit: {holdout: 0.3}\nrounds: 5\n"
        "metrics: [log_loss]\nboosters:\n"
        "  - calibrated: {classifier: {samme: {weak_learner: stump}}, folds: 3}\n"
    )
    experiment = Experiment.load(config, results=tmp_path / "results")
    assert not experiment.run(executor="inline").failures
    rows = experiment.results()
    assert (rows["metric"] == "test_log_loss").sum() == 5
