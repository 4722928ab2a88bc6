"""Margin losses and self-paced regularisers: values, slopes, integrals, and far out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from boostbench.boosters.losses import (
    EXPONENTIAL,
    LOGISTIC,
    LOGISTIC_2,
    SAVAGE,
    SAVAGE2,
    SQUARED,
    TANGENT,
    ZERO_ONE,
    Latent,
)
from boostbench.boosters.regularisers import Hard, Linear, Logarithmic, Mixture, Polynomial

SMOOTH = {
    "exponential": EXPONENTIAL,
    "logistic": LOGISTIC,
    "logistic-2": LOGISTIC_2,
    "savage": SAVAGE,
    "savage2": SAVAGE2,
    "squared": SQUARED,
    "tangent": TANGENT,
    "latent-linear": Latent(Linear(3.0)),
    "latent-polynomial": Latent(Polynomial(3.0, 4.0)),
    "latent-logarithmic": Latent(Logarithmic(3.0)),
    "latent-mixture-logistic": Latent(Mixture(1.5), LOGISTIC_2),
}
every_smooth_loss = pytest.mark.parametrize("loss", SMOOTH.values(), ids=list(SMOOTH))

#: Fig. 1 of the paper: weights at the margins -3..2 (specification, Sec. 9.1).
WEIGHTS = [
    (EXPONENTIAL, [20.08554, 7.38906, 2.71828, 1, 0.36788, 0.13534]),
    (LOGISTIC, [0.95257, 0.88080, 0.73106, 0.5, 0.26894, 0.11920]),
    (SAVAGE, [0.00984, 0.06938, 0.36991, 0.5, 0.05006, 0.00127]),
    (SAVAGE2, [0.08607, 0.18496, 0.28747, 0.25, 0.10575, 0.02503]),
    (Latent(Linear(2.0)), [0, 0, 0, 0.5, 0.30021, 0.12618]),
    (Latent(Linear(3.0)), [0, 0, 0.25526, 0.66667, 0.32277, 0.12923]),
    (Latent(Linear(6.0)), [0, 0, 1.48677, 0.83333, 0.34532, 0.13228]),
    (Latent(Hard(3.0)), [0, 0, 2.71828, 1, 0.36788, 0.13534]),
    (Latent(Polynomial(3.0, 4.0)), [0, 0, 1.23555, 0.87358, 0.35218, 0.13327]),
    (Latent(Polynomial(3.0, 1.3)), [0, 0, 0.00102, 0.25884, 0.23786, 0.11603]),
]
#: Fig. 2: losses at -1, 0, 1 (Sec. 9.2).
VALUES = [
    (LOGISTIC, [1.31326, 0.69315, 0.31326]),
    (SAVAGE, [0.77580, 0.25, 0.01421]),
    (SAVAGE2, [0.53445, 0.25, 0.07233]),
    (Latent(Linear(3.0)), [1.48677, 0.83333, 0.34532]),
    (Latent(Polynomial(3.0, 4.0)), [2.15396, 0.93963, 0.36014]),
    (Latent(Polynomial(3.0, 1.3)), [0.69228, 0.57284, 0.29957]),
    (ZERO_ONE, [1, 1, 0]),
    (TANGENT, [(np.pi / 2 + 1) ** 2, 1, (np.pi / 2 - 1) ** 2]),
]


@pytest.mark.parametrize(("loss", "expected"), WEIGHTS)
def test_weights_of_figure_1(loss, expected):
    assert_allclose(loss.weight([-3, -2, -1, 0, 1, 2]), expected, atol=5.1e-6)


@pytest.mark.parametrize(("loss", "expected"), VALUES)
def test_losses_of_figure_2(loss, expected):
    assert_allclose(loss.value([-1, 0, 1]), expected, atol=5.1e-6)


@every_smooth_loss
def test_the_derivative_is_the_slope_of_the_value(loss):
    m = np.linspace(-3.03, 3.03, 101)  # no threshold or knee among them
    d = 1e-6
    slope = (loss.value(m + d) - loss.value(m - d)) / (2 * d)
    assert_allclose(loss.derivative(m), slope, rtol=1e-6, atol=1e-8)
    assert_array_equal(loss.weight(m), -loss.derivative(m))
    with np.errstate(divide="ignore"):
        assert_allclose(loss.log_weight(m), np.log(np.abs(loss.derivative(m))), atol=1e-12)


@every_smooth_loss
def test_extreme_margins_give_numbers(loss):
    m = np.array([-1e6, -800.0, -40.0, 40.0, 800.0, 1e6])
    assert np.isfinite(loss.value(m)).all()
    assert np.isfinite(loss.weight(m)).all()
    assert not np.isnan(loss.log_weight(m)).any()


def test_log_weights_reach_where_weights_underflow():
    assert_array_equal(EXPONENTIAL.log_weight([-5000.0, 5000.0]), [5000.0, -5000.0])
    assert_allclose(SAVAGE.log_weight([-5000.0, 5000.0]), [-1e4 + np.log(4), -2e4 + np.log(4)])
    assert_allclose(LOGISTIC_2.log_weight([-5000.0, 5000.0]), np.log(2) - np.array([0.0, 1e4]))


# ---- regularisers: closed forms, brute force, numerical integration -----------------------------


EVERY = [
    Hard(1.5),
    Linear(3.0),
    Polynomial(3.0, 1.3),
    Polynomial(2.0, 4.0),
    Mixture(1.7, 1.0),
    Mixture(2.0, 0.4),
    Logarithmic(3.0, 0.1),
    Logarithmic(0.8, 0.7),
]
#: Penalties of the latent weights v, as printed.
PENALTIES = {
    Hard: lambda r, v: -r.age * v,
    Linear: lambda r, v: r.age * (0.5 * v**2 - v),
    Polynomial: lambda r, v: r.age * (v**r.power / r.power - v),
    Mixture: lambda r, v: r.gamma**2 / (v + r.gamma / r.age),
    Logarithmic: lambda r, v: r.age / (1 - r.zeta) * (r.zeta * v - r.zeta**v / np.log(r.zeta)),
}
every_regulariser = pytest.mark.parametrize("regulariser", EVERY, ids=str)


def losses_of(regulariser):
    return np.linspace(1e-3, 1.3 * regulariser.threshold, 60)


@every_regulariser
def test_the_weight_minimises_the_penalised_loss(regulariser):
    v = np.linspace(0.0, 1.0, 20001)
    penalty = PENALTIES[type(regulariser)](regulariser, v)
    for loss in losses_of(regulariser):
        best = v[(v * loss + penalty).argmin()]
        assert regulariser.weight(loss) == pytest.approx(best, abs=1e-4)


@every_regulariser
def test_the_latent_loss_is_the_integral_of_the_weight(regulariser):
    for loss in losses_of(regulariser):
        knots = [regulariser.threshold, getattr(regulariser, "_knee", 0.0)]
        inside = [knot for knot in knots if 0.0 < knot < loss]
        integral, _ = quad(regulariser.weight, 0.0, loss, points=inside or None, epsabs=1e-12)
        assert regulariser.latent(loss) == pytest.approx(integral, rel=1e-9)


@every_regulariser
def test_the_latent_loss_is_the_minimum_of_the_penalised_loss(regulariser):
    loss, penalty = losses_of(regulariser), PENALTIES[type(regulariser)]
    v = regulariser.weight(loss)
    least = penalty(regulariser, np.linspace(0.0, 1.0, 100001)).min()
    found = v * loss + penalty(regulariser, v) - least
    assert_allclose(found, regulariser.latent(loss), atol=1e-7)


@every_regulariser
def test_extreme_losses(regulariser):
    assert_array_equal(regulariser.weight([0.0, 1e-320]), [1.0, 1.0])
    assert_array_equal(regulariser.weight([1e300, np.inf, regulariser.threshold]), [0.0] * 3)
    assert np.isfinite(regulariser.latent([0.0, 1e300, np.inf])).all()


@pytest.mark.parametrize("age", [1e300, np.inf])
def test_an_endless_age_keeps_every_loss(age):
    loss = np.array([0.0, 1.0, 1e100])
    for regulariser in (Hard(age), Linear(age), Polynomial(age, 1.3), Logarithmic(age)):
        assert_array_equal(regulariser.weight(loss), 1.0)
        assert_allclose(regulariser.latent(loss), loss)
