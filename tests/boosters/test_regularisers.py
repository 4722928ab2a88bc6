"""Self-paced regularisers: closed forms against brute force and numerical integration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

from boostbench.boosters.regularisers import (
    Hard,
    Linear,
    Logarithmic,
    Mixture,
    Polynomial,
)

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
