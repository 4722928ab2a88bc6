"""Margin losses and self-paced regularisers: values, slopes, integrals, and far out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from boostbench.boosters.losses import EXPONENTIAL, LOGISTIC_2, LOSSES, SAVAGE, Latent
from boostbench.boosters.regularisers import (
    REGULARISERS,
    Hard,
    Linear,
    Logarithmic,
    Mixture,
    Polynomial,
)
from tests.boosters.vectors import read

#: Figs. 1 and 2 of the SPLBoost paper (specification, Secs. 9.1 and 9.2).
FIGURES = read("spl_boosting")["figures"]


def loss_of(name):
    """Return the loss of a name, or the latent loss of a regulariser and its parameters."""
    kind, *parameters = name.split()
    return Latent(REGULARISERS[kind](*map(float, parameters))) if parameters else LOSSES[kind]


SMOOTH = {name: loss_of(name) for name in LOSSES if name != "zero-one"}
SMOOTH |= {name: loss_of(name) for name in ("linear 3", "polynomial 3 4", "logarithmic 3")}
SMOOTH["mixture 1.5 of logistic-2"] = Latent(Mixture(1.5), LOGISTIC_2)
every_smooth_loss = pytest.mark.parametrize("loss", SMOOTH.values(), ids=list(SMOOTH))


def test_weights_and_losses_are_those_of_the_figures():
    for name, expected in FIGURES["weights"].items():
        found = loss_of(name).weight(FIGURES["margins_of_weights"])
        assert_allclose(found, expected, atol=5.1e-6, err_msg=name)
    for name, expected in FIGURES["losses"].items():
        found = loss_of(name).value(FIGURES["margins_of_losses"])
        assert_allclose(found, expected, atol=5.1e-6, err_msg=name)


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
