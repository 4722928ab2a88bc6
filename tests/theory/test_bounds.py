"""Error bounds, and the numbers of the figures."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from boostbench.theory import bounds
from tests.theory.vectors import COMPUTED, VECTORS, kappa


@pytest.mark.parametrize(("name", "condition"), [("fixed", "uniform"), ("minimal", "minimal")])
def test_bounds_are_those_of_the_specification_and_of_figure_5(name, condition):
    bound = partial(bounds.potential_bound, condition=condition)
    for vector in VECTORS["bounds"]:
        found = [bound(vector["n_classes"], vector["gamma"], T) for T in range(11)]
        assert_allclose(found, vector[name], atol=6e-7)
    for vector in VECTORS["figure_5"]:
        over_rounds = [bound(6, vector["gamma"], T) for T in range(21)]
        over_classes = [bound(K, vector["gamma"], 10) for K in range(2, 21)]
        assert_allclose(over_rounds, vector["rounds"][name], atol=6e-11)
        assert_allclose(over_classes, vector["classes"][name], atol=6e-11)


def test_the_table_of_figure_2_is_exact():
    vector = VECTORS["figure_2_table"]
    exact = COMPUTED.exact_bounds()
    assert exact == tuple(Fraction(text) for text in vector["exact"])
    # As printed for 0..9 rounds; the value for 10 rounds is .8849 and .89 is printed.
    printed = [f"{value:.2f}" for value in vector["printed"]]
    assert [f"{float(value):.2f}" for value in exact[:10]] == printed[:10]
    assert (f"{float(exact[10]):.2f}", printed[10]) == ("0.88", "0.89")
    assert [f"{float(text):.2f}" for text in COMPUTED.printed_bounds()] == printed


def test_the_curve_of_figure_2_rises_and_falls():
    curve = COMPUTED.bounds_by_class()
    assert_allclose([*curve.values()], VECTORS["figure_2_curve"]["fixed"], atol=6e-11)
    assert max(curve, key=curve.get) == 19


def test_the_maps_of_figures_3_4_and_6():
    maps = COMPUTED.degree_maps().values()
    assert [len(pixels.coordinate) for pixels in maps] == [21, 101, 101]
    rough, smooth = COMPUTED.surfaces().values()
    assert (rough.value.shape, smooth.value.shape) == ((21, 21), (101, 101))
    for surface in (rough.value, smooth.value):
        assert (np.diff(surface, axis=0) >= -1e-12).all()
        assert 0 < surface.min() < surface.max() == 1.0
    maps = COMPUTED.exponential_maps().values()
    assert [pixels.half_width() for pixels in maps] == [20, 12, 6, 2]


@given(st.integers(2, 30), st.floats(0.0, 0.95))
def test_the_default_weight_shrinks_the_loss_as_promised(K, gamma):
    eta = math.log1p(gamma)
    factor = kappa(K, gamma, eta)
    closed = 1 - gamma**2 / (1 + gamma) * (1 - (1 - gamma) / K)
    assert_allclose(factor, closed, rtol=1e-12)
    assert factor <= 1 - gamma**2 / 2 + 1e-12
    assert (K - 1) * factor**50 <= bounds.edge_bound(K, gamma, 50) * (1 + 1e-9)
