"""Theory of soft-max boosting that can be computed (Geist 2015, Secs. 3-4)."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

from boostbench.boosters.cost_matrices import label_costs
from boostbench.boosters.sm_boost import Draws, SMBoost, smooth_risk, weigh_pairs
from boostbench.boosters.state import softmax
from boostbench.portable import exp, row_sums
from boostbench.threads import threads
from tests.boosters.games import centred_cost, watch

seeds = st.integers(0, 2**32 - 1)
class_counts = st.integers(2, 5)


def random_state(seed, n_classes, n=6):
    """Return random scores and costs, the costs in [0, 1]."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n_classes)) * 2, rng.random((n, n_classes))


def gradient(psi, cost):
    g = softmax(psi)
    return g * centred_cost(g, cost)


def risk(psi, cost):
    return smooth_risk(softmax(psi), cost, np.full(len(psi), 1 / len(psi)))


@given(seeds, class_counts)
def test_proposition_2_the_gradient_is_the_derivative(seed, n_classes):
    psi, cost = random_state(seed, n_classes)
    V = np.random.default_rng(seed + 1).normal(size=psi.shape)
    eps = 1e-5
    difference = (risk(psi + eps * V, cost) - risk(psi - eps * V, cost)) / (2 * eps)
    assert difference == pytest.approx((gradient(psi, cost) * V).sum() / len(psi), abs=1e-8)


@settings(max_examples=15)
@given(seeds, st.sampled_from(["paper", 1.0]))
def test_theorem_1_the_risk_falls_with_the_exact_gradient(seed, step):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    cost = rng.random((3, 3))
    booster = SMBoost(12, gradient="exact", step=step, cost=cost, weak_learner="stump")
    seen = watch(booster, X, y)
    scale = np.ptp(cost, axis=1).max()
    start = risk(np.zeros((40, 3)), cost[y])
    risks = np.array([start, *seen.losses]) / scale
    s = 1.0 if step == "paper" else 1 / 3
    c_star = 2 / (3 * np.sqrt(3))
    decrease = s * np.square(seen.edges) * (1 - s * c_star / 2)
    assert (np.diff(risks) <= -decrease + 1e-12).all()


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("power", [0, 1, 20], ids=["equal", "unequal", "few"])
def test_numbers_in_any_order_draw_pairs_by_the_cumulative_probability(n_jobs, power):
    rng = np.random.default_rng(power)
    n, K, M = 700, 4, 900
    g, cost = softmax(rng.normal(size=(n, K)) * 5), np.asfortranarray(rng.random((n, K)))
    weight, u = rng.exponential(size=n) ** power, rng.random(M)
    weight /= weight.sum()
    draws = Draws.space(n, K, M)
    with threads(n_jobs):
        demand = weigh_pairs(g, cost, weight, u, draws)
    cumulative = np.cumsum(g * weight[:, None])  # row by row
    drawn = np.searchsorted(cumulative, u * cumulative[-1], side="right")
    count = np.bincount(drawn, minlength=n * K).reshape(n, K)
    assert_array_equal(draws.n_drawn.T, count)
    share = np.cumsum(np.append(0.0, np.full(M, 1 / M)))[count]
    origin = cost - cost[np.arange(n), g.argmax(axis=1)][:, None]
    assert_array_equal(demand, -share * (origin - row_sums(g * origin)[:, None]))


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_soft_max_is_a_quotient_of_portable_functions(order):
    F = np.asarray(np.random.default_rng(0).normal(size=(700, 5)) * 300, order=order)
    terms = exp(F - F.max(axis=1, keepdims=True))
    assert_array_equal(softmax(F), terms / row_sums(terms)[:, None])
    out = np.empty_like(F, order="F")
    assert softmax(F, out) is out
    assert_array_equal(out, softmax(F))


def test_every_sampled_step_is_a_descent_direction_of_its_sample():
    X, y = load_iris(return_X_y=True)
    seen = watch(SMBoost(30, random_state=0), X, y)
    assert min(seen.edges) >= 0


def test_multiplying_the_costs_changes_nothing():
    X, y = load_iris(return_X_y=True)
    cost = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    one = SMBoost(10, cost=cost, random_state=0).fit(X, y)
    other = SMBoost(10, cost=8 * cost, random_state=0).fit(X, y)
    assert_array_equal(one.scores(X), other.scores(X))


def test_the_cost_matrix_of_the_binary_loss_is_the_default():
    X, y = load_iris(return_X_y=True)
    default = SMBoost(10, random_state=0).fit(X, y)
    explicit = SMBoost(10, cost=1 - np.eye(3), random_state=0).fit(X, y)
    assert_array_equal(default.scores(X), explicit.scores(X))


def test_costs_may_be_given_for_each_sample():
    X, y = load_iris(return_X_y=True)
    X = np.vstack([X, X[:20]])  # equal samples with other costs must not be merged
    y = np.concatenate([y, y[:20]])
    matrix = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    by_label = SMBoost(10, cost=matrix, gradient="exact").fit(X, y).scores(X)
    by_sample = SMBoost(10, gradient="exact").fit(X, y, cost=matrix[y]).scores(X)
    by_function = SMBoost(10, gradient="exact", cost=lambda _, labels: matrix[labels])
    np.testing.assert_allclose(by_sample, by_label, atol=1e-12)
    assert_array_equal(by_function.fit(X, y).scores(X), by_sample)
    other = matrix[y].copy()
    other[-20:] = [[0.0, 0.0, 4.0]]
    assert not np.allclose(SMBoost(10, gradient="exact").fit(X, y, cost=other).scores(X), by_label)


def test_saturated_rows_end_the_training():
    booster = SMBoost(1000, learning_rate=1e4, gradient="exact", weak_learner="stump")
    booster.fit([[0.0], [1.0]], [0, 1])
    assert booster.stop_reason_ == "converged"
    assert booster.n_rounds_ < 1000


def test_predict_proba_is_the_stochastic_rule():
    X, y = load_iris(return_X_y=True)
    booster = SMBoost(10, random_state=0).fit(X, y)
    assert_array_equal(booster.predict_proba(X), softmax(booster.scores(X)))


@pytest.mark.parametrize("certain", [0, 1, 2], ids=["right", "wrong", "other"])
def test_centred_costs_lose_no_digits_where_the_rule_is_certain(certain):
    """Against 60 digits; ``c - mean`` itself has none left where the probable label is wrong."""
    rng = np.random.default_rng(certain)
    psi = rng.normal(size=(40, 3)) * 2
    psi[:, certain] += np.linspace(0.0, 60.0, 40)
    cost = np.tile(label_costs("zero-one", 3)[0], (40, 1))  # the label is 0
    g = softmax(psi)
    demand = weigh_pairs(g, cost, np.ones(40), np.empty(0))
    exact = np.empty_like(psi)
    with mpmath.workdps(60):
        for i, row in enumerate(psi):
            p = [mpmath.exp(mpmath.mpf(s)) for s in row]
            p = [each / sum(p) for each in p]
            for y in range(3):
                delta = sum(p[z] * (cost[i, y] - cost[i, z]) for z in range(3))
                exact[i, y] = -p[y] * delta
    np.testing.assert_allclose(demand, exact, rtol=1e-13)
    if certain:
        assert np.abs(-g * centred_cost(g, cost) / exact - 1).max() > 1e-3
