"""Metrics in records: their keys, their curves, and what has none."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score, log_loss

from boostbench.experiments.running.execution import Problem, execute
from boostbench.experiments.running.measuring import Recorder, measure
from boostbench.experiments.runs import CLEAN, BoosterSpec
from boostbench.quantities import QUANTITIES
from tests.experiments.tools import RUN, fitted

#: Names in a config of the metrics that runs record on request.
METRICS = {
    asked: name
    for asked, name in QUANTITIES.asked_by("metrics").items()
    if not QUANTITIES[name].always
}
MEASURED = replace(RUN, metrics=tuple(sorted(METRICS)))


@pytest.mark.parametrize("name", ["samme", "random-forest", "gradient-boosting"])
def test_curves_are_those_of_the_staged_predictions_on_clean_labels(name):
    run = replace(MEASURED, booster=BoosterSpec(name))
    outcome, (problem, booster) = execute(run), fitted(run)
    curves, X, y = outcome["curves"], problem.X_test, problem.y_test
    probabilities = [P.copy() for P in booster.staged_predict_proba(X)]
    expected = {
        "test_log_loss": [log_loss(y, P) for P in probabilities],
        "test_brier": [brier_score_loss(y, P, scale_by_half=True) for P in probabilities],
        "test_f1": [f1_score(y, labels, average="macro") for labels in booster.staged_predict(X)],
    }
    for curve, values in expected.items():
        assert curves[curve] == pytest.approx(values, rel=1e-12), curve
    names = {name for name in METRICS.values() if QUANTITIES[name].kept == "rounds"}
    assert {QUANTITIES[name].curve for name in names} < set(curves)
    for at, matrix in outcome["at_checkpoints"]["confusion"].items():
        wrong = np.sum(matrix) - np.trace(matrix)
        assert wrong == curves["test_errors"][int(at) - 1]
        assert np.sum(matrix, axis=1).tolist() == np.bincount(y).tolist()
    assert outcome["at_checkpoints"]["model_size"] > 100


def test_probabilities_of_a_classifier_without_rounds_are_one_point():
    run = replace(MEASURED, booster=BoosterSpec("sklearn.neighbors:KNeighborsClassifier"))
    curves = execute(run)["curves"]
    assert len(curves["test_log_loss"]) == len(curves["test_f1"]) == 1


def test_what_has_no_probabilities_has_the_metrics_of_labels():
    booster = BoosterSpec("sklearn.linear_model:RidgeClassifier")
    curves = execute(replace(MEASURED, noise=CLEAN, booster=booster))["curves"]
    assert {"test_f1", "test_balanced_accuracy"} < set(curves)
    assert not {"test_log_loss", "test_auc", "test_brier", "test_calibration_error"} & set(curves)


class LastProbabilities:
    """Probabilities after the last round alone."""

    classes_ = np.arange(2)

    def staged_predict(self, X):
        yield from (np.zeros(len(X), np.int64),) * 3

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_probabilities_that_are_not_staged_are_those_of_the_last_round():
    X, y = np.zeros((2, 1)), np.array([0, 1])
    recorder = Recorder(QUANTITIES.recorded(("brier",), ()), ())
    measure(recorder, LastProbabilities(), Problem(X, y, y, X, y, 2, None))
    assert recorder.curves["test_brier"] == [None, None, 0.25]
    assert recorder.at_checkpoints == {"right": {}}
