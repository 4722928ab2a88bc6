"""Error bounds and their parameters, the numbers of the figures, margins."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.errors import BoostbenchError
from boostbench.registry import load_plugin
from boostbench.resources import shipped
from boostbench.theory import bounds
from boostbench.theory.margins import margin_distribution, margins
from tests.theory.vectors import VECTORS

classes = st.integers(2, 30)
edges = st.floats(0.0, 0.95)


COMPUTED = load_plugin(shipped("configs") / "multiclass-theory/computed.py")


def fixed(n_classes: int, gamma: float, n_rounds: int) -> float:
    return bounds.potential_bound(n_classes, gamma, n_rounds).value


def minimal(n_classes: int, gamma: float, n_rounds: int) -> float:
    return bounds.potential_bound(n_classes, gamma, n_rounds, condition="minimal").value


@pytest.mark.parametrize("vector", VECTORS["bounds"], ids=lambda v: f"K={v['n_classes']}")
@pytest.mark.parametrize("bound", [fixed, minimal])
def test_the_specified_bounds(vector: dict[str, Any], bound: Callable[..., float]) -> None:
    found = [bound(vector["n_classes"], vector["gamma"], T) for T in range(11)]
    assert_allclose(found, vector[bound.__name__], atol=6e-7)


def test_the_table_of_figure_2_is_exact() -> None:
    vector = VECTORS["figure_2_table"]
    exact = COMPUTED.exact_bounds()
    assert exact == tuple(Fraction(text) for text in vector["exact"])
    # As printed for 0..9 rounds; the value for 10 rounds is .8849 and .89 is printed.
    printed = [f"{value:.2f}" for value in vector["printed"]]
    assert [f"{float(value):.2f}" for value in exact[:10]] == printed[:10]
    assert (f"{float(exact[10]):.2f}", printed[10]) == ("0.88", "0.89")
    assert [f"{float(text):.2f}" for text in COMPUTED.printed_bounds()] == printed


def test_only_six_classes_without_edge_give_the_printed_table() -> None:
    printed = VECTORS["figure_2_table"]["printed"][:10]
    fits = [
        K
        for K in range(2, 30)
        if np.allclose([fixed(K, 0.0, T) for T in range(10)], printed, atol=0.00501)
    ]
    assert fits == [6]


def test_the_curve_of_figure_2_rises_and_falls() -> None:
    curve = COMPUTED.bounds_by_class()
    assert_allclose([*curve.values()], VECTORS["figure_2_curve"]["fixed"], atol=6e-11)
    assert max(curve, key=curve.get) == 19


@pytest.mark.parametrize("vector", VECTORS["figure_5"], ids=lambda v: f"gamma={v['gamma']}")
@pytest.mark.parametrize("bound", [fixed, minimal])
def test_the_curves_of_figure_5(vector: dict[str, Any], bound: Callable[..., float]) -> None:
    gamma, name = vector["gamma"], bound.__name__
    over_rounds = [bound(6, gamma, T) for T in range(21)]
    over_classes = [bound(K, gamma, 10) for K in range(2, 21)]
    assert_allclose(over_rounds, vector["rounds"][name], atol=6e-11)
    assert_allclose(over_classes, vector["classes"][name], atol=6e-11)


def test_the_maps_of_figures_3_4_and_6() -> None:
    maps = COMPUTED.degree_maps().values()
    assert [len(pixels.coordinate) for pixels in maps] == [21, 101, 101]
    rough, smooth = COMPUTED.surfaces().values()
    assert (rough.value.shape, smooth.value.shape) == ((21, 21), (101, 101))
    for surface in (rough.value, smooth.value):
        assert (np.diff(surface, axis=0) >= -1e-12).all()
        assert 0 < surface.min() < surface.max() == 1.0
    maps = COMPUTED.exponential_maps().values()
    assert [pixels.half_width() for pixels in maps] == [20, 12, 6, 2]


@settings(max_examples=60)
@given(classes, st.floats(0.001, 0.95), st.floats(0.01, 3.0))
def test_kappa_is_least_at_the_best_weight_and_one_at_the_largest(
    K: int, gamma: float, eta: float
) -> None:
    best, largest = bounds.best_eta(K, gamma), bounds.largest_eta(K, gamma)
    least = bounds.smallest_kappa(K, gamma)
    assert_allclose(bounds.kappa(K, gamma, best), least, rtol=1e-12)
    assert least <= bounds.kappa(K, gamma, eta) + 1e-12
    assert_allclose(bounds.kappa(K, gamma, largest), 1.0, atol=1e-9)
    assert (bounds.kappa(K, gamma, eta) < 1) == (eta < largest) or abs(eta - largest) < 1e-6
    assert largest <= K * gamma / (1 - gamma) + 1e-12


@given(classes, edges)
def test_the_default_weight_shrinks_the_loss_as_promised(K: int, gamma: float) -> None:
    eta = bounds.default_eta(gamma)
    factor = bounds.kappa(K, gamma, eta)
    closed = 1 - gamma**2 / (1 + gamma) * (1 - (1 - gamma) / K)
    assert_allclose(factor, closed, rtol=1e-12)
    assert factor <= 1 - gamma**2 / 2 + 1e-12
    assert (K - 1) * factor**50 <= bounds.edge_bound(K, gamma, 50) * (1 + 1e-9)


def test_without_an_edge_the_exponential_bound_is_trivial() -> None:
    for eta in (0.01, 0.1, 1.0):
        bound = bounds.potential_bound(6, 0.0, 10, loss="exponential", eta=eta)
        assert bound.value >= 1
    assert bounds.largest_eta(3, 1.0) == np.inf


@given(classes, st.integers(1, 100))
def test_a_tiny_edge_forces_a_tiny_weight(K: int, T: int) -> None:
    """Theorem 21: (62) and (61) give (53)."""
    gamma = bounds.degenerate_gamma(K, T)
    assert bounds.largest_eta(K, gamma) <= bounds.degenerate_eta(K, T)


def test_more_samples_for_a_smaller_gap_of_the_payoffs() -> None:
    assert bounds.payoff_gap_samples(3, 10, 0.1) == np.ceil(10 * np.exp(0.25) * 2 / 0.1)
    with pytest.raises(BoostbenchError, match="epsilon"):
        bounds.payoff_gap_samples(3, 10, 0.0)


@pytest.mark.parametrize("step", ["approximate", "exact"])
def test_losses_of_the_worked_example_shrink_by_the_factor(step: str) -> None:
    vector = VECTORS["mm_rounds"]
    deltas = [delta for delta, *_ in vector[step]]
    promised = bounds.error_bound(deltas, vector["n_classes"])
    for (delta, c, alpha, before, after), bound in zip(vector[step], promised, strict=True):
        chosen = None if step == "exact" else alpha
        assert_allclose(bounds.loss_factor(delta, c, chosen), after / before, rtol=1e-9)
        assert_allclose(bounds.loss_factor(delta, c, alpha), after / before, rtol=1e-9)
        assert after / vector["n_samples"] <= bound


@given(st.floats(0.01, 1.0), st.floats(-0.99, 0.99), st.floats(-3, 3))
def test_no_step_beats_the_exact_one_and_both_keep_the_bound(
    mass: float, share: float, alpha: float
) -> None:
    delta = mass * share
    exact = bounds.loss_factor(delta, mass)
    approximate = bounds.loss_factor(delta, mass, np.arctanh(delta))
    assert exact <= bounds.loss_factor(delta, mass, alpha) + 1e-12
    assert exact <= approximate + 1e-12 <= np.sqrt(1 - delta**2) + 2e-12
    half = (1 + delta) / 2 * np.exp(-alpha) + (1 - delta) / 2 * np.exp(alpha)
    assert bounds.loss_factor(delta, mass, alpha) <= half + 1e-12


@given(st.lists(st.floats(0.0, 0.99), min_size=1, max_size=40), classes)
def test_the_error_bound_falls_and_is_below_the_exponential_one(
    deltas: list[float], K: int
) -> None:
    bound = bounds.error_bound(deltas, K)
    assert (np.diff(bound) <= 1e-12).all()
    squares = np.cumsum(np.square(deltas))
    assert (bound <= (K - 1) * np.exp(-squares / 2) * (1 + 1e-12)).all()
    assert (bound <= bounds.edge_bound(K, min(deltas), np.arange(1, len(deltas) + 1)) + 1e-9).all()


def test_edges_outside_their_range_are_refused() -> None:
    with pytest.raises(BoostbenchError, match="edges"):
        bounds.error_bound([1.5], 3)
    with pytest.raises(BoostbenchError, match="mass"):
        bounds.loss_factor(0.5, 0.2)


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(0, 10**6), st.floats(0.1, 4.0))
def test_excess_error_is_bounded_by_excess_risk(K: int, seed: int, spread: float) -> None:
    """Lemma 28 on random finite distributions and scores."""
    rng = np.random.default_rng(seed)
    mass, p = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(K), size=6)
    F = rng.normal(scale=spread, size=(6, K)) + rng.choice([0.0, 0.5]) * np.log(p + 1e-9)
    ratio = np.exp(F[:, None, :] - F[:, :, None])
    ratio[:, np.arange(K), np.arange(K)] = 0.0
    risk = mass @ (p * ratio.sum(axis=2)).sum(axis=1)
    root = np.sqrt(p)
    least = mass @ (root.sum(axis=1) ** 2 - p.sum(axis=1))
    excess = mass @ (p.max(axis=1) - p[np.arange(6), F.argmax(axis=1)])
    assert excess <= bounds.excess_error_bound(risk, least) + 1e-12


def test_margins_are_positive_where_the_vote_is_right() -> None:
    rng = np.random.default_rng(1)
    F, y = rng.normal(size=(50, 4)), rng.integers(4, size=50)
    assert_array_equal(margins(F, y) > 0, F.argmax(axis=1) == y)
    assert_array_equal(margins([[1.0, 1.0, 0.0]], [0]), [0.0])


def test_margins_of_normalised_votes_lie_in_minus_one_to_one() -> None:
    rng = np.random.default_rng(2)
    alpha, h = rng.random(30), rng.integers(3, size=(40, 30))
    F = np.stack([(h == label) @ alpha for label in range(3)], axis=1)
    found = margins(F, rng.integers(3, size=40), scale=alpha.sum())
    assert np.abs(found).max() <= 1


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.floats(-4, 4))
def test_the_distribution_counts_the_samples(values: list[int], theta: float) -> None:
    distribution = margin_distribution(values)
    assert_allclose(distribution.at(theta), np.mean(np.array(values) <= theta))
    assert distribution.fraction[-1] == 1.0
    assert_allclose(distribution.quantile([0.0, 1.0]), [min(values), max(values)])
    assert_allclose(distribution.quantile(0.5), np.sort(values)[(len(values) - 1) // 2])


def test_weights_repeat_samples() -> None:
    weighted = margin_distribution([0.1, 0.2, 0.9], [2, 0, 1])
    repeated = margin_distribution([0.1, 0.1, 0.9])
    assert_array_equal(weighted.margin, repeated.margin)
    assert_allclose(weighted.fraction, repeated.fraction)


def test_malformed_margins_are_refused() -> None:
    with pytest.raises(BoostbenchError, match="shape"):
        margins([[1.0, 0.0]], [0, 1])
    with pytest.raises(BoostbenchError, match="scale"):
        margins([[1.0, 0.0]], [0], scale=0.0)
    with pytest.raises(BoostbenchError, match="weight"):
        margin_distribution([0.1], [0.0])
    with pytest.raises(BoostbenchError, match="fraction"):
        margin_distribution([0.1]).quantile(1.5)
