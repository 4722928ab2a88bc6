"""Robust-GBDT: derivatives of its loss by finite differences, and XGBoost called by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification

xgboost = pytest.importorskip("xgboost")

from boostbench import make_booster  # noqa: E402
from boostbench.baselines.robust_gbdt import Objective, RobustFocalLoss  # noqa: E402

every_loss = pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 1.0])
every_focus = pytest.mark.parametrize("r", [0.0, 0.5, 1.0, 2.0])


def softmax(F: np.ndarray) -> np.ndarray:
    E = np.exp(F - F.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def problem(K: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    return rng.integers(K, size=60), rng.normal(scale=2.0, size=(60, K))


@every_loss
@every_focus
@pytest.mark.parametrize("K", [2, 4])
def test_gradient_and_hessian_are_finite_differences(r: float, q: float, K: int) -> None:
    loss, (y, F), e = RobustFocalLoss(r, q), problem(K), 1e-4

    def total(F: np.ndarray) -> np.ndarray:
        return loss.value(softmax(F)[np.arange(len(y)), y])

    gradient, hessian = loss.derivatives(y, softmax(F))
    for k in range(K):
        step = np.zeros(K)
        step[k] = e
        up, here, down = total(F + step), total(F), total(F - step)
        assert_allclose(gradient[:, k], (up - down) / (2 * e), atol=1e-6)
        assert_allclose(hessian[:, k], (up - 2 * here + down) / e**2, atol=1e-5)


@every_loss
@every_focus
def test_of_two_classes_there_is_one_score(r: float, q: float) -> None:
    y, F = problem(2)
    one = F[:, 1] - F[:, 0]
    gradient, hessian = Objective(RobustFocalLoss(r, q))(y, one)
    both, e = Objective(RobustFocalLoss(r, q)), 1e-5
    assert_allclose(gradient, both(y, np.column_stack([0 * one, one]))[0][:, 1])
    assert_allclose(hessian, (both(y, one + e)[0] - both(y, one - e)[0]) / (2 * e), atol=1e-6)


def test_known_losses_are_special_cases() -> None:
    p = np.array([0.1, 0.5, 0.9])
    assert_allclose(RobustFocalLoss(0.0, 0.0).value(p), -np.log(p))
    assert_allclose(RobustFocalLoss(2.0, 0.0).value(p), -((1 - p) ** 2) * np.log(p))  # focal
    assert_allclose(RobustFocalLoss(0.0, 0.7).value(p), (1 - p**0.7) / 0.7)  # generalised CE
    assert_allclose(RobustFocalLoss(0.0, 1.0).value(p), 1 - p)  # mean absolute error, halved
    # q -> 0 is continuous
    assert_allclose(RobustFocalLoss(1.0, 1e-9).value(p), RobustFocalLoss(1.0, 0.0).value(p))


@every_focus
def test_nothing_is_lost_at_the_ends(r: float) -> None:
    y, F = np.array([0, 0]), np.array([[400.0, -400.0], [-400.0, 400.0]])
    for q in (0.0, 0.5):
        gradient, hessian = RobustFocalLoss(r, q).derivatives(y, softmax(F))
        assert np.isfinite(gradient).all()
        assert np.isfinite(hessian).all()


def test_without_r_and_q_it_is_xgboost_s_own_loss() -> None:
    X, y = make_classification(200, n_informative=5, random_state=0)
    ours = make_booster("robust-gbdt", n_estimators=5, r=0.0, q=0.0, base_score=0.5).fit(X, y)
    theirs = make_booster("xgboost", n_estimators=5, base_score=0.5).fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("K", [2, 3])
def test_each_round_is_xgboost_with_the_objective_called_by_hand(K: int) -> None:
    X, y = make_classification(240, n_informative=5, n_classes=K, flip_y=0.2, random_state=0)
    booster = make_booster("robust-gbdt", n_estimators=6, r=0.5, q=0.3, random_state=2, max_depth=3)
    staged = [*booster.fit(X, y).staged_predict(X)]
    assert len(staged) == 6
    for t in (1, 3, 6):
        by_hand = xgboost.XGBClassifier(
            objective=Objective(RobustFocalLoss(0.5, 0.3)),
            n_estimators=t,
            random_state=2,
            max_depth=3,
        )
        assert_array_equal(staged[t - 1], by_hand.fit(X, y).predict(X))


def test_it_learns_and_bears_noise() -> None:
    X, y = load_iris(return_X_y=True)
    noisy = y.copy()
    noisy[::5] = (y[::5] + 1) % 3
    booster = make_booster("robust-gbdt", n_estimators=30, q=0.5, max_depth=3)
    assert (booster.fit(X, noisy).predict(X) == y).mean() > 0.85


@pytest.mark.parametrize("wrong", [{"r": -1.0}, {"q": -0.1}])
def test_negative_exponents_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        make_booster("robust-gbdt", **wrong)
