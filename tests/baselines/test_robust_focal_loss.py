"""The robust focal loss: its derivatives by finite differences, and the losses that it contains."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax

from boostbench.baselines.robust_focal_loss import Objective, RobustFocalLoss

every_loss = pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 1.0])
every_focus = pytest.mark.parametrize("r", [0.0, 0.5, 1.0, 2.0])


def problem(K):
    rng = np.random.default_rng(K)
    return rng.integers(K, size=60), rng.normal(scale=2.0, size=(60, K))


@every_loss
@every_focus
@pytest.mark.parametrize("K", [2, 4])
def test_gradient_and_hessian_are_finite_differences(r, q, K):
    loss, (y, F), e = RobustFocalLoss(r, q), problem(K), 1e-4

    def total(F):
        return loss.value(softmax(F, axis=1)[np.arange(len(y)), y])

    gradient, hessian = loss.derivatives(y, softmax(F, axis=1))
    for k in range(K):
        step = np.zeros(K)
        step[k] = e
        up, here, down = total(F + step), total(F), total(F - step)
        assert_allclose(gradient[:, k], (up - down) / (2 * e), atol=1e-6)
        assert_allclose(hessian[:, k], (up - 2 * here + down) / e**2, atol=1e-5)


@every_loss
@every_focus
def test_of_two_classes_there_is_one_score(r, q):
    y, F = problem(2)
    one = F[:, 1] - F[:, 0]
    gradient, hessian = Objective(RobustFocalLoss(r, q))(y, one)
    both, e = Objective(RobustFocalLoss(r, q)), 1e-5
    assert_allclose(gradient, both(y, np.column_stack([0 * one, one]))[0][:, 1])
    assert_allclose(hessian, (both(y, one + e)[0] - both(y, one - e)[0]) / (2 * e), atol=1e-6)


def test_known_losses_are_special_cases():
    p = np.array([0.1, 0.5, 0.9])
    assert_allclose(RobustFocalLoss(0.0, 0.0).value(p), -np.log(p))
    assert_allclose(RobustFocalLoss(2.0, 0.0).value(p), -((1 - p) ** 2) * np.log(p))  # focal
    assert_allclose(RobustFocalLoss(0.0, 0.7).value(p), (1 - p**0.7) / 0.7)  # generalised CE
    assert_allclose(RobustFocalLoss(0.0, 1.0).value(p), 1 - p)  # mean absolute error, halved
    # q -> 0 is continuous
    assert_allclose(RobustFocalLoss(1.0, 1e-9).value(p), RobustFocalLoss(1.0, 0.0).value(p))


@every_focus
def test_nothing_is_lost_at_the_ends(r):
    y, F = np.array([0, 0]), np.array([[400.0, -400.0], [-400.0, 400.0]])
    for q in (0.0, 0.5):
        gradient, hessian = RobustFocalLoss(r, q).derivatives(y, softmax(F, axis=1))
        assert np.isfinite(gradient).all()
        assert np.isfinite(hessian).all()


def test_a_sample_of_weight_2_counts_twice():
    for K in (2, 3):
        y, F = problem(K)
        F = F[:, 0] if K == 2 else F
        objective, weight = Objective(RobustFocalLoss(0.5, 0.3)), np.arange(60) % 3.0
        for weighted, plain in zip(objective(y, F, weight), objective(y, F), strict=True):
            assert_allclose(weighted.T, plain.T * weight)
