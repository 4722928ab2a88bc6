"""The minimal condition: Lemma 18, its recursion and degrees, Lemma 19, and pixels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.inputs import load_plugin
from boostbench.resources import shipped
from boostbench.theory.bounds import make_potential
from boostbench.theory.minimal import MinimalPotential, degree_of, state_count, worst_mean
from boostbench.theory.potentials import exponential_loss, zero_one_loss
from tests.theory.vectors import COMPUTED, VECTORS, kappa


@settings(max_examples=40)
@given(st.integers(2, 6), st.floats(0.0, 0.95), st.integers(0, 10**6))
def test_the_worst_baseline_is_uniform_on_the_worst_labels(n_classes, gamma, seed):
    """Lemma 18, against a linear program over all baselines of edge gamma."""
    row = np.sort(np.random.default_rng(seed).random(n_classes))
    value = gamma * row[0] + (1 - gamma) * worst_mean(row[:1], row[None, 1:])[0]
    drawn = load_plugin(shipped("configs") / "theorems/drawn.py")
    assert_allclose(value, drawn.worst_row(row, gamma), rtol=1e-9)
    degree = int(degree_of(row[:1], row[None, 1:], gamma)[0][0])
    b = np.append(gamma, np.zeros(n_classes - 1))
    b[[0, *range(n_classes - degree + 1, n_classes)]] += (1 - gamma) / degree
    assert_allclose(b @ row, value)


def by_recursion(state, t, gamma):
    """(51) without merging any states."""
    if t == 0:
        return float(zero_one_loss(state))
    after = [
        by_recursion((*state[:label], state[label] + 1, *state[label + 1 :]), t - 1, gamma)
        for label in range(len(state))
    ]
    wrong = sorted(after[1:], reverse=True)
    K = len(state)
    return max(
        ((1 - gamma) / a + gamma) * after[0] + (1 - gamma) / a * sum(wrong[: a - 1])
        for a in range(2, K + 1)
    )


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.5]), st.data())
def test_values_equal_the_recursion(K, t, gamma, data):
    state = tuple(data.draw(st.lists(st.integers(0, 3), min_size=K, max_size=K)))
    value = MinimalPotential(K, gamma).values([state], t)[0]
    assert_allclose(value, by_recursion(state, t, gamma), atol=1e-13)


@pytest.mark.parametrize(
    "vector", VECTORS["minimal_states"]["states"], ids=lambda v: str(v["state"])
)
def test_the_specified_values_and_degrees(vector):
    shared = VECTORS["minimal_states"]
    phi = MinimalPotential(shared["n_classes"], shared["gamma"])
    for t in range(1, 5):
        assert_allclose(phi.values([vector["state"]], t), vector["value"][t - 1], atol=6e-7)
        degree, tied = phi.degrees([vector["state"]], t)
        assert degree == vector["degree"][t - 1]
        assert (tied > 1) == vector["tied"][t - 1]


@settings(max_examples=30)
@given(st.integers(2, 6), st.integers(1, 8), st.floats(0.0, 0.5), st.floats(0.1, 1.0))
def test_small_weights_make_every_degree_the_number_of_classes(K, T, gamma, share):
    """Lemma 19."""
    eta = share * 0.25 * min(1 / (K - 1), 1 / T)  # (53)
    phi = MinimalPotential(K, gamma, eta)
    states = np.random.default_rng(K).multinomial(T - 1, np.full(K, 1 / K), size=8)
    assert (phi.degrees(states, 1)[0] == K).all()
    start = np.zeros((1, K), dtype=int)
    expected = kappa(K, gamma, eta) ** T * exponential_loss(start, eta)
    assert_allclose(phi.values(start, T), expected, rtol=1e-12)


def test_states_of_different_length_are_answered_together():
    phi = MinimalPotential(3, 0.1)
    states = [[1, 0, 0], [2, 1, 0], [1, 0, 0], [0, 2, 1]]
    together = phi.values(states, 3)
    apart = [phi.values([state], 3)[0] for state in states]
    assert_allclose(together, apart, rtol=0)
    assert_allclose(phi.values([[0, 1, 2]], 3), together[3], rtol=0)


@pytest.mark.parametrize(("K", "T", "pairs"), VECTORS["state_counts"])
def test_state_counts(K, T, pairs):
    assert state_count(K, T) == pairs


def test_the_specified_degree_map():
    vector = VECTORS["degree_map"]
    pixels = COMPUTED.pixel_maps.pixel_map(vector["n_rounds"], vector["gamma"])
    shown = np.where(pixels.tied, 0, pixels.degree)
    assert ["".join(map(str, row)) for row in shown] == vector["rows"]


@pytest.mark.parametrize(
    "vector", [*VECTORS["degree_counts"], *VECTORS["exponential_maps"]], ids=str
)
def test_the_specified_counts_of_degrees(vector):
    T = vector["n_rounds"]
    pixels = COMPUTED.pixel_maps.pixel_map(T, vector["gamma"], vector.get("eta"))
    three = ((pixels.degree == 3) & ~pixels.tied).sum()
    assert (three, (pixels.degree == 2).sum()) == (vector["three"], vector["two"])
    if "centre" in vector:
        assert_allclose(pixels.value[T, T], vector["centre"], atol=6e-9)
    else:
        assert pixels.tied.sum() == vector["tied"]


@pytest.mark.parametrize("vector", VECTORS["band_half_widths"], ids=lambda v: f"eta={v['eta']}")
def test_degree_three_is_a_diagonal_band(vector):
    eta = float(vector["eta"])
    for T, width in vector["width"].items():
        pixels = COMPUTED.pixel_maps.pixel_map(int(T), vector["gamma"], eta)
        assert pixels.half_width() == width
        distance = np.abs(np.subtract.outer(pixels.coordinate, pixels.coordinate))
        assert_array_equal(pixels.degree == 3, distance <= width)


@pytest.mark.parametrize("eta", [None, 0.3])
@pytest.mark.parametrize("gamma", [0.0, 0.1])
def test_pixels_lose_nothing_of_the_states(eta, gamma):
    T = 4
    pixels = COMPUTED.pixel_maps.pixel_map(T, gamma, eta)
    x, y = (grid.ravel() for grid in np.meshgrid(*[pixels.coordinate] * 2, indexing="ij"))
    states = np.column_stack([np.full(x.shape, T), x + T, y + T])
    phi = make_potential(3, gamma, condition="minimal", eta=eta)
    assert_allclose(phi.values(states, T), pixels.value.ravel(), rtol=1e-12)
    assert isinstance(phi, MinimalPotential)
    assert_array_equal(phi.degrees(states, T)[0], pixels.degree.ravel())
