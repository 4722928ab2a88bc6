"""Confident learning against its definition, row by row, and against its authors' package."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier

from boostbench.baselines.filter_and_refit import (
    FilterAndRefit,
    calibrated,
    confident_joint,
    denied,
)

X, y = make_classification(240, n_informative=5, n_classes=3, flip_y=0.2, random_state=0)


def drawn(K, seed, n=300):
    """Return noisy labels and probabilities that know something of the true ones."""
    rng = np.random.default_rng(seed)
    true = rng.integers(K, size=n)
    y = np.where(rng.random(n) < 0.25, rng.integers(K, size=n), true)
    F = rng.normal(size=(n, K)) + 2.0 * np.eye(K)[true]
    P = np.exp(F)
    return y, P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_joint_and_the_pruned_are_those_of_the_definition(K, seed):
    y, P = drawn(K, seed)
    t = [np.mean([p[j] for p, label in zip(P, y, strict=True) if label == j]) for j in range(K)]
    C = np.zeros((K, K), dtype=int)
    for p, label in zip(P, y, strict=True):
        likely = [j for j in range(K) if p[j] >= t[j]]
        if likely:
            C[label, max(likely, key=lambda j: p[j])] += 1
    assert_array_equal(confident_joint(y, P), C)
    Q = C / C.sum(axis=1, keepdims=True) * np.bincount(y)[:, None]
    Q /= Q.sum()  # Eq. (3)
    wrong = calibrated(C, y)
    assert np.abs(wrong - len(y) * Q).max() <= 0.5 + 1e-9
    pruned = set()
    for i in range(K):
        for j in range(K):
            own = [x for x in range(len(y)) if y[x] == i]
            own.sort(key=lambda x: P[x, i] - P[x, j])
            if i != j:
                pruned |= {x for x in own[: wrong[i, j]] if P[x].argmax() != i}
    assert set(np.flatnonzero(denied(y, P, wrong))) == pruned


@pytest.mark.parametrize("K", [2, 3, 5])
def test_the_authors_package_prunes_the_same(K):
    count = pytest.importorskip("cleanlab.count")
    pruning = pytest.importorskip("cleanlab.filter")
    for seed in range(3):
        y, P = drawn(K, 10 + seed)
        C = confident_joint(y, P)
        theirs = count.compute_confident_joint(y, P, calibrate=False)
        # theirs has a tolerance of 1e-6, and of several classes takes the most probable of all
        assert np.abs(C - theirs).sum() <= (1 if K == 2 else 0.02 * len(y))
        wrong = calibrated(C, y)
        issues = pruning.find_label_issues(
            y, P, filter_by="prune_by_noise_rate", confident_joint=wrong, n_jobs=1
        )
        assert_array_equal(denied(y, P, wrong), issues)


def test_every_class_keeps_a_sample():
    y = np.array([0] * 20 + [1])
    P = np.tile([0.9, 0.1], (21, 1))
    P[-1] = [0.95, 0.05]
    mask = denied(y, P, np.array([[20, 0], [1, 0]]))
    assert_array_equal(mask, np.zeros(21, dtype=bool))


@pytest.mark.parametrize(
    "classifier",
    [{"random-forest": {"max_depth": 4}}, {"samme": {"weak_learner": "stump"}}, "adaboost-mh"],
    ids=str,
)
def test_the_curve_is_that_of_the_classifier_on_the_kept_samples(classifier):
    names = np.array(["a", "b", "c"])[y]
    filtered = FilterAndRefit(6, classifier=classifier, random_state=1).fit(X, names)
    assert 0.02 < 1 - filtered.kept_.mean() < 0.5
    staged = [*filtered.staged_predict(X)]
    assert len(staged) == 6
    assert_array_equal(staged[-1], filtered.predict(X))
    assert {*filtered.predict(X)} <= {"a", "b", "c"}
    np.testing.assert_allclose(filtered.predict_proba(X).sum(axis=1), 1.0)
    assert_array_equal([*filtered.staged_predict_proba(X)][-1], filtered.predict_proba(X))


def test_the_last_fit_is_the_classifier_called_by_hand():
    filtered = FilterAndRefit(10, classifier="random-forest", random_state=1).fit(X, y)
    seed, kept = filtered.estimator_.random_state, filtered.kept_
    by_hand = RandomForestClassifier(10, random_state=seed).fit(X[kept], y[kept])
    assert_array_equal(filtered.predict(X), by_hand.predict(X))


def test_wrong_labels_are_found():
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    wrong = rng.permutation(len(y))[:30]
    noisy = y.copy()
    noisy[wrong] = (y[wrong] + rng.integers(1, 3, 30)) % 3
    filtered = FilterAndRefit(50, random_state=0).fit(X, noisy)
    assert filtered.kept_[wrong].mean() < 0.35
    assert np.delete(filtered.kept_, wrong).mean() > 0.85


def test_rare_classes_are_no_hindrance():
    X, y = load_iris(return_X_y=True)
    kept = np.r_[0:50, 50:100, 100:101]  # one sample of the third class: in no training fold once
    filtered = FilterAndRefit(5, random_state=0).fit(X[kept], y[kept])
    assert filtered.predict_proba(X).shape == (150, 3)
