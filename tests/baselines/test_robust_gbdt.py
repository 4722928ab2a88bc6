"""Robust-GBDT by XGBoost and by LightGBM: each library called by hand, and one beside the other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

from boostbench import make_booster
from boostbench.baselines.robust_focal_loss import Objective, RobustFocalLoss, probabilities

lightgbm = pytest.importorskip("lightgbm", reason="boostbench[baselines]")
xgboost = pytest.importorskip("xgboost", reason="boostbench[baselines]")
each = pytest.mark.parametrize("name", ["robust-gbdt", "robust-lightgbm"])
LIBRARY = {"robust-gbdt": "xgboost", "robust-lightgbm": "lightgbm"}
QUIET = {"verbosity": -1, "reg_lambda": 1.0, "min_child_weight": 1.0}
X, y = load_iris(return_X_y=True)


def by_hand(name, X, y, **params):
    """Return the scores of the library, given the loss as any user gives it."""
    objective = Objective(RobustFocalLoss(0.5, 0.3))
    if name == "robust-gbdt":
        fitted = xgboost.XGBClassifier(objective=objective, **params).fit(X, y)
        return fitted.predict(X, output_margin=True)
    fitted = lightgbm.LGBMClassifier(objective=objective, **QUIET, **params).fit(X, y)
    return fitted.predict(X, raw_score=True)


@each
@pytest.mark.parametrize("K", [2, 3])
def test_each_round_is_the_library_with_the_objective_called_by_hand(name, K):
    X, y = make_classification(240, n_informative=5, n_classes=K, flip_y=0.2, random_state=0)
    params = {"random_state": 2, "max_depth": 3}
    booster = make_booster(name, n_estimators=6, r=0.5, q=0.3, **params).fit(X, y)
    labels, shares = [*booster.staged_predict(X)], [*booster.staged_predict_proba(X)]
    assert len(labels) == len(shares) == 6
    for t in (1, 3, 6):
        scores = by_hand(name, X, y, n_estimators=t, **params)
        assert_allclose(shares[t - 1], probabilities(scores), rtol=1e-4, atol=1e-7)
        assert_array_equal(labels[t - 1], probabilities(scores).argmax(axis=1))
    assert_array_equal(booster.predict(X), labels[-1])


@each
def test_the_focal_loss_with_r_and_q_zero_is_the_library_s_log_loss(name):
    # of more classes the libraries multiply the second derivatives: by 2, and by K / (K - 1)
    X, y = make_classification(200, n_informative=5, random_state=0)
    begins_at_0 = {"base_score": 0.5} if name == "robust-gbdt" else {"boost_from_average": False}
    guards = {} if name == "robust-gbdt" else QUIET
    ours = make_booster(name, n_estimators=5, r=0.0, q=0.0, **begins_at_0).fit(X, y)
    theirs = make_booster(LIBRARY[name], n_estimators=5, **begins_at_0, **guards).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(("r", "q"), [(0.0, 0.5), (0.5, 0.1)])
def test_both_libraries_grow_the_same_stumps(K, r, q):
    """The libraries bin features, and bound leaves and depth, each in its own way; stumps on few
    values have none of these. XGBoost keeps scores and derivatives as 32-bit numbers."""
    rng = np.random.default_rng(K)
    X = rng.integers(6, size=(150, 4)).astype(float)
    y = np.where(rng.random(150) < 0.2, rng.integers(K, size=150), X[:, 0].astype(int) % K)
    same = {"n_estimators": 12, "r": r, "q": q, "max_depth": 1, "learning_rate": 0.3}
    one = make_booster("robust-gbdt", base_score=0.5, **same).fit(X, y)
    other = make_booster(
        "robust-lightgbm", num_leaves=2, min_child_samples=1, min_data_in_bin=1, **same
    ).fit(X, y)
    for left, right in zip(one.staged_predict_proba(X), other.staged_predict_proba(X), strict=True):
        assert_allclose(left, right, rtol=1e-4)


@each
def test_it_learns_and_bears_noise(name):
    noisy = y.copy()
    noisy[::5] = (y[::5] + 1) % 3
    booster = make_booster(name, n_estimators=30, q=0.5, max_depth=3)
    assert (booster.fit(X, noisy).predict(X) == y).mean() > 0.85


@each
def test_a_clone_is_the_same_with_other_exponents_too(name):
    one = make_booster(name, n_estimators=4, r=0.5, q=0.3)._make().fit(X, y)
    assert_array_equal(clone(one).fit(X, y).predict_proba(X), one.predict_proba(X))
    other = make_booster(name, n_estimators=4, r=0.0, q=0.8)._make().fit(X, y)
    changed = clone(one).set_params(r=0.0, q=0.8)
    assert_array_equal(changed.fit(X, y).predict_proba(X), other.predict_proba(X))
