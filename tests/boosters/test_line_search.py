"""Step sizes against a bounded scalar minimiser and closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from boostbench.boosters.line_search import exponential_step, falling_step
from tests.boosters.vectors import read

VECTOR = read("mcboost")


def test_the_worked_example():
    c, v = (np.array(VECTOR["line_search"][name]) for name in ("c", "rate"))
    assert exponential_step(c, v) == pytest.approx(VECTOR["line_search"]["alpha"], abs=6e-11)


def test_no_step_of_a_bounded_minimiser_is_better():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        c = 10 ** rng.uniform(-16, 0, size=rng.integers(2, 30))
        v = rng.choice([rng.normal(size=len(c)), rng.integers(-2, 3, size=len(c)) * 0.7])
        step = exponential_step(c, v)
        cap = 0.5 * np.log(1e10) / np.abs(v).max()

        def Z(alpha, c=c, v=v):
            return float(c @ np.exp(alpha * v))

        found = minimize_scalar(Z, bounds=(0.0, cap), method="bounded", options={"xatol": 1e-12})
        assert 0.0 <= step <= cap + 1e-9, seed
        assert Z(step) <= min(found.fun, Z(0.0), Z(cap)) * (1 + 1e-12), seed


@pytest.mark.parametrize("ratio", [1.0001, 3.0, 1e4, 1e9])
def test_two_rates_have_a_closed_form(ratio):
    c, v = np.array([ratio, 1.0, 5.0]), np.array([-0.75, 0.75, 0.0])
    assert exponential_step(c, v) == pytest.approx(np.log(ratio) / 1.5, rel=1e-8)


def test_only_decreasing_sums_are_capped():
    cap = 0.5 * np.log(1e10)
    assert exponential_step(np.array([1.0, 2.0]), np.array([-0.5, -2.0])) == pytest.approx(cap / 2)
    assert exponential_step(np.array([1.0, 0.0]), np.array([-1.0, 1.0])) == pytest.approx(cap)
    assert exponential_step(np.array([1.0, 1e-30]), np.array([-1.0, 1.0])) == pytest.approx(cap)
    assert exponential_step(np.array([1.0, 2.0]), np.array([-1.0, 1.0])) == 0.0
    assert exponential_step(np.zeros(2), np.array([-1.0, 1.0])) == 0.0
    assert exponential_step(np.array([1.0]), np.zeros(1)) == 0.0


def test_any_risk_is_lowered_or_left():
    assert falling_step(lambda a: (a - 3.0) ** 2, 10.0) == pytest.approx(3.0, abs=1e-6)
    assert falling_step(lambda a: -a, 10.0) == pytest.approx(10.0, abs=1e-6)
    assert falling_step(lambda a: a, 10.0) == 0.0
    assert falling_step(lambda a: np.cos(a), 10.0) == pytest.approx(np.pi, abs=1e-4)
