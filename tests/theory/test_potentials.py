"""Potentials of fixed conditions against brute force, and the drifting game they promise to win."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom

from boostbench.theory.bounds import make_potential
from boostbench.theory.layout import uniform_baseline
from boostbench.theory.minimal import MinimalPotential
from boostbench.theory.potentials import (
    ExponentialPotential,
    ZeroOnePotential,
    exponential_loss,
    zero_one_loss,
)
from tests.theory.vectors import COMPUTED, VECTORS, baselines


def states_of(n_classes, seed, n=6, most=4):
    return np.random.default_rng(seed).integers(most, size=(n, n_classes))


def by_recursion(loss, b, state, t):
    """(32), step by step."""
    if t == 0:
        return float(loss(state))
    steps = np.eye(len(b), dtype=int)
    return sum(p * by_recursion(loss, b, state + e, t - 1) for p, e in zip(b, steps, strict=True))


@settings(max_examples=40)
@given(baselines(), st.integers(0, 5), st.integers(0, 10**6), st.floats(0.05, 2.0))
def test_potentials_equal_the_recursion(b, t, seed, eta):
    states = states_of(len(b), seed, n=3)
    for phi, loss in (
        (ZeroOnePotential(b), zero_one_loss),
        (ExponentialPotential(b, eta), lambda s: exponential_loss(s, eta)),
    ):
        expected = [by_recursion(loss, b, s, t) for s in states]
        assert_allclose(phi.values(states, t), expected, rtol=1e-12, atol=1e-13)


def test_the_specified_values():
    vector = VECTORS["fixed"]
    states, t, b = [vector["state"]], vector["n_left"], vector["baseline"]
    assert_allclose(ZeroOnePotential(b).values(states, t), vector["zero_one"], atol=1e-12)
    exponential = ExponentialPotential(b, vector["eta"]).values(states, t)
    assert_allclose(exponential, vector["exponential"], atol=6e-11)


def test_exact_fractions_equal_the_sum_over_all_paths():
    b = [Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)]
    state, t = (1, 0, 2, 0), 5
    lost = Fraction(0)
    for path in product(range(4), repeat=t):
        votes = [s + path.count(label) for label, s in enumerate(state)]
        if votes[0] <= max(votes[1:]):
            lost += np.prod([b[label] for label in path])
    assert COMPUTED.exact_zero_one_potential(b, state, t) == lost == Fraction(65056, 100000)


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(0, 8), st.integers(0, 10**6))
def test_exact_and_floating_point_potentials_agree(n_classes, t, seed):
    weights = np.random.default_rng(seed).integers(1, 9, size=n_classes).tolist()
    b = [Fraction(w, sum(weights)) for w in weights]
    state = states_of(n_classes, seed, n=1)
    exact = COMPUTED.exact_zero_one_potential(b, state[0].tolist(), t)
    floating = ZeroOnePotential([float(p) for p in b]).values(state, t)
    assert_allclose(floating, float(exact), atol=1e-13)


def by_binomial_chain(b, t):
    """The probability of a loss from the start: x_0 is binomial, then each x_l given the rest."""
    success = 0.0
    for j in range(t + 1):
        left = np.zeros(t - j + 1)
        left[-1] = binom.pmf(j, t, b[0])
        for label in range(1, len(b)):
            share = min(b[label] / b[label:].sum(), 1.0)
            after = np.zeros_like(left)
            for m, p in enumerate(left):
                taken = np.arange(min(m, j - 1) + 1)
                after[m - taken] += p * binom.pmf(taken, m, share)
            left = after
        success += left[0]
    return 1.0 - success


def test_long_games_do_not_overflow():
    vector = VECTORS["long_games"]
    phi = ZeroOnePotential(uniform_baseline(vector["n_classes"], vector["gamma"]))
    start = np.zeros((1, vector["n_classes"]), dtype=int)
    for T, expected in vector["value"].items():
        assert_allclose(phi.values(start, int(T)), expected, atol=1e-12)
    b = np.array([0.4, 0.35, 0.25])
    long = ZeroOnePotential(b).values([[0, 0, 0]], 180)[0]
    assert_allclose(long, by_binomial_chain(b, 180), atol=1e-12)
    assert 0 < ZeroOnePotential(b).values([[0, 0, 0]], 600)[0] < long


def test_many_states_are_evaluated_in_parts(monkeypatch):
    b, states = [0.5, 0.2, 0.2, 0.1], states_of(4, 1, n=50)
    whole = ZeroOnePotential(b).values(states, 6)
    monkeypatch.setattr("boostbench.theory.potentials._CELLS", 150)
    assert_allclose(ZeroOnePotential(b).values(states, 6), whole, rtol=1e-12)


def test_the_specified_costs_of_the_first_round():
    vector = VECTORS["first_costs"]
    b = uniform_baseline(vector["n_classes"], vector["gamma"])
    potentials = {
        "exponential": ExponentialPotential(b, np.log(1.2)),
        "zero_one": ZeroOnePotential(b),
        "minimal": MinimalPotential(vector["n_classes"], vector["gamma"]),
    }
    # The first of three rounds: phi_2 after the vote, also at states with a vote already.
    for name, phi in potentials.items():
        assert_allclose(phi.costs(vector["states"], vector["n_rounds"]), vector[name], atol=6e-9)


@pytest.mark.parametrize("condition", ["uniform", "minimal"])
def test_unsigned_counts_are_counts(condition):
    phi = make_potential(3, 0.1, condition=condition)
    states = states_of(3, 4)
    assert_allclose(phi.costs(states.astype(np.uint8), 4), phi.costs(states, 4), rtol=0)
