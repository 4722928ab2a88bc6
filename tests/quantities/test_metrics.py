"""Metrics of answers: scikit-learn's are the oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    roc_auc_score,
)
from sklearn.metrics import confusion_matrix as confusion_of_sklearn

from boostbench.quantities import QUANTITIES
from boostbench.quantities.calibration_error import N_BINS, calibration_error
from boostbench.quantities.predictions import confusion_matrix, probabilities_of

#: Sums of at most 60 numbers and logarithms that are right to the last places.
RELATIVE = 1e-12


@st.composite
def answers(draw):
    """Probabilities of n samples, with ties and certainties, and labels of every class."""
    K, n = draw(st.integers(2, 5)), draw(st.integers(10, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    P = rng.dirichlet(np.full(K, draw(st.sampled_from([0.02, 0.5, 5.0]))), size=n)
    if draw(st.booleans()):
        P = np.round(P, 1) + 0.05
    P /= P.sum(axis=1, keepdims=True)
    y = np.concatenate([np.arange(K), rng.integers(K, size=n - K)])
    return P, y, K


@given(answers())
def test_metrics_of_probabilities_are_those_of_scikit_learn(drawn):
    P, y, K = drawn
    scores = P[:, 1] if K == 2 else P
    expected = {
        "log_loss": log_loss(y, P, labels=range(K)),
        "brier": brier_score_loss(y, P, labels=range(K), scale_by_half=True),
        "auc": roc_auc_score(y, scores, multi_class="ovr"),
    }
    for name, value in expected.items():
        # where p is within 1e-16 of 1, ln p itself has no more digits
        assert QUANTITIES[f"test_{name}"](P, y) == pytest.approx(value, rel=RELATIVE, abs=1e-15), (
            name
        )


@given(answers())
def test_the_calibration_error_is_that_of_the_bins_of_scikit_learn(drawn):
    P, y, _ = drawn
    top, right = P.max(axis=1), P.argmax(axis=1) == y
    edges = np.linspace(0, 1, N_BINS + 1)
    counts = np.bincount(np.searchsorted(edges[1:-1], top), minlength=N_BINS)
    share, confidence = calibration_curve(right, top, n_bins=N_BINS)
    expected = counts[counts > 0] @ np.abs(share - confidence) / len(y)
    assert calibration_error(P, y) == pytest.approx(expected, rel=RELATIVE, abs=1e-15)


@given(answers())
def test_metrics_of_labels_are_those_of_scikit_learn(drawn):
    P, y, K = drawn
    predicted = P.argmax(axis=1)
    matrix = confusion_matrix(y, predicted, K)
    np.testing.assert_array_equal(matrix, confusion_of_sklearn(y, predicted, labels=range(K)))
    expected = {
        "balanced_accuracy": balanced_accuracy_score(y, predicted),
        "f1": f1_score(y, predicted, average="macro"),
    }
    for name, value in expected.items():
        assert QUANTITIES[f"test_{name}"](matrix) == pytest.approx(value, rel=RELATIVE), name


def test_classes_without_test_samples_do_not_count():
    P = np.array([[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.2, 0.6, 0.2]])
    y = np.array([0, 1, 1])
    matrix = confusion_matrix(y, P.argmax(axis=1), 3)
    assert QUANTITIES["test_balanced_accuracy"](matrix) == 1.0
    assert QUANTITIES["test_f1"](matrix) == 1.0
    assert QUANTITIES["test_auc"](P, y) == 1.0
    assert np.isnan(QUANTITIES["test_auc"](P[1:], y[1:]))


def test_a_class_absent_from_training_has_probability_0_and_the_largest_log_loss():
    class Booster:
        classes_ = np.array([0, 2])

    P = probabilities_of(Booster, np.array([[0.75, 0.25], [0.5, 0.5]]), 3)
    assert P.tolist() == [[0.75, 0, 0.25], [0.5, 0, 0.5]]
    certain_and_wrong = QUANTITIES["test_log_loss"](P[:1], np.array([1]))
    assert certain_and_wrong == pytest.approx(36.04365338911715, rel=RELATIVE)
