"""Soft-max boosting: worked examples, theory that can be computed (Geist 2015), costs."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine

from boostbench import make_booster
from boostbench.boosters import SAMME, AdaBoostMH, SMBoost, sm_boost
from boostbench.boosters.cost_matrices import label_costs
from boostbench.boosters.rows import canonical_rows
from boostbench.boosters.sm_boost import Draws, smooth_risk, weigh_pairs
from boostbench.boosters.state import softmax
from boostbench.inputs import load_plugin
from boostbench.portable import exp, row_sums
from boostbench.resources import shipped
from boostbench.threads import threads
from tests.boosters.games import centred_cost, stump_of, watch
from tests.boosters.vectors import read

# ---- the specification's worked examples, to all printed digits -------------------------------

VECTORS = read("softmax_boosting")
ROWS = np.column_stack([VECTORS["D"]["x1"], VECTORS["D"]["x2"]]).astype(float)
LABELS = np.array(VECTORS["D"]["y"])
EIGHT_DIGITS = {"rtol": 0, "atol": 6e-9}


@pytest.mark.parametrize("of", ["zero-one", "matrix"])
def test_v1_gradient_with_the_binary_loss_and_a_cost_matrix(of):
    y, vector = VECTORS["V1"]["y"], VECTORS["V1"][of]
    g = softmax(np.array(VECTORS["V1"]["psi"], dtype=float))
    costs = label_costs("zero-one", 3)
    cost = (np.array(vector["cost"]) / vector["divisor"] if "cost" in vector else costs)[y]
    delta = centred_cost(g, cost)
    assert_allclose(g, VECTORS["V1"]["g"], atol=6e-7)
    assert_allclose(delta, vector["delta"], atol=6e-7)
    assert_allclose(g * delta, vector["gradient"], atol=6e-7)
    demand = weigh_pairs(g, cost, np.ones(2), np.empty(0))
    assert_allclose(demand, -np.array(vector["gradient"]), atol=6e-7)
    risk = smooth_risk(g, cost, np.full(2, 0.5))
    assert risk == pytest.approx(vector["risk"], abs=6e-11)
    squared_norm = ((g * delta) ** 2).sum() / 2
    assert squared_norm == pytest.approx(vector.get("squared_norm", squared_norm), abs=6e-11)


def stumps_of(trees):
    """Return the stump of each class, or the one of labels."""
    if trees.n_trees > 1:
        return [stump_of(trees, k) for k in range(3)]
    labels = trees.leaf_column[[~trees.left[0], ~trees.right[0]]]
    return [*stump_of(trees, 0)[:2], *labels.tolist()]


def assert_all_numbers(seen, vector):
    """Compare a fit with all that the specification says of it."""
    found = {
        "r": seen.edges,
        "gamma": seen.edges,
        "error": (1 - np.array(seen.edges)) / 1.5,
        "alpha": seen.sizes,
        "risk": seen.losses,
        "weights": seen.demands,
        "weights_of_row_0": [np.abs(demand[0]) for demand in seen.demands],
        "labels": seen.booster.predict(ROWS),
    }
    if "stumps" in vector:
        assert [stumps_of(trees) for trees in seen.hypotheses] == vector["stumps"]
    for name in vector.keys() - {"stumps", "scores", "counts", "scores_lowered"}:
        assert_allclose(found[name], vector[name], **EIGHT_DIGITS, err_msg=name)
    for row, scores in vector["scores"].items():
        assert_allclose(seen.scores[-1][int(row)], scores, **EIGHT_DIGITS)


@pytest.mark.parametrize(
    ("vector", "booster"),
    [
        ("V2", SMBoost(3, gradient="exact")),
        ("V3", SMBoost(3, gradient="exact", step=1.0)),
        ("V6", AdaBoostMH(3)),
        ("V7", SAMME(3)),
    ],
)
def test_every_number_of_a_run_is_that_of_the_specification(vector, booster):
    seen = watch(booster.set_params(weak_learner="stump"), ROWS, LABELS)
    assert_all_numbers(seen, VECTORS[vector])
    if vector == "V3":  # the step of Theorem 1
        for size, edge in zip(seen.sizes, seen.edges, strict=True):
            assert_allclose(size, edge / 3)


@pytest.mark.parametrize("empty_label", [0, 1])
def test_v4_sampled_gradient_with_given_pairs(monkeypatch, empty_label):
    vector = VECTORS["V4"]
    order = canonical_rows(ROWS, LABELS.astype(np.int32), np.ones(10)).representative
    counts = [np.array([[int(n) for n in row] for row in rows]) for rows in vector["counts"]]
    shares = iter([count[order] / count.sum() for count in counts])
    monkeypatch.setattr(
        sm_boost, "weigh_pairs", lambda g, cost, *_: -next(shares) * centred_cost(g, cost)
    )
    seen = watch(SMBoost(2, weak_learner="stump", empty_label=empty_label), ROWS, LABELS)
    if empty_label == 1:
        vector = {**vector, "scores": vector["scores_lowered"]}
        vector.pop("risk")
    assert_all_numbers(seen, vector)


def test_v5_pairs_are_drawn_from_the_flattened_probabilities():
    vector = VECTORS["V5"]
    g, u = np.array(vector["g"]), np.sort(vector["u"])
    cost = np.random.default_rng(0).random(g.shape)
    demand = weigh_pairs(g, cost, np.ones(len(g)), u)
    expected = np.bincount(vector["drawn"], minlength=g.size) / len(u)
    assert_allclose((demand / -centred_cost(g, cost)).ravel(), expected)


# ---- theory --------------------------------------------------------------------------------------

UNEQUAL = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
X, y = load_iris(return_X_y=True)


def risk(psi, cost):
    return smooth_risk(softmax(psi), cost, np.full(len(psi), 1 / len(psi)))


@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_proposition_2_the_gradient_is_the_derivative(seed, n_classes):
    rng, eps = np.random.default_rng(seed), 1e-5
    psi, cost = rng.normal(size=(6, n_classes)) * 2, rng.random((6, n_classes))
    g, V = softmax(psi), rng.normal(size=psi.shape)
    difference = (risk(psi + eps * V, cost) - risk(psi - eps * V, cost)) / (2 * eps)
    assert difference == pytest.approx((g * centred_cost(g, cost) * V).sum() / 6, abs=1e-8)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["paper", 1.0]))
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
    seen = watch(SMBoost(30, random_state=0), X, y)
    assert min(seen.edges) >= 0


@pytest.mark.parametrize(
    ("one", "other"),
    [({"cost": UNEQUAL}, {"cost": 8 * UNEQUAL}), ({}, {"cost": 1 - np.eye(3)})],
    ids=["multiplied", "of the binary loss, the default"],
)
def test_costs_are_equal_up_to_a_factor(one, other):
    F = SMBoost(10, random_state=0, **one).fit(X, y).scores(X)
    assert_array_equal(F, SMBoost(10, random_state=0, **other).fit(X, y).scores(X))


def test_costs_may_be_given_for_each_sample():
    again = np.r_[: len(y), :20]  # equal samples with other costs must not be merged
    samples, labels = X[again], y[again]

    def scores(of_labels, **of_samples):
        booster = SMBoost(10, cost=of_labels, gradient="exact")
        return booster.fit(samples, labels, **of_samples).scores(samples)

    by_label, by_sample = scores(UNEQUAL), scores("zero-one", cost=UNEQUAL[labels])
    assert_allclose(by_sample, by_label, atol=1e-12)
    assert_array_equal(scores(lambda _, labels: UNEQUAL[labels]), by_sample)
    other = UNEQUAL[labels].copy()
    other[-20:] = [[0.0, 0.0, 4.0]]
    assert not np.allclose(scores("zero-one", cost=other), by_label)


def test_saturated_rows_end_the_training():
    booster = SMBoost(1000, learning_rate=1e4, gradient="exact", weak_learner="stump")
    booster.fit([[0.0], [1.0]], [0, 1])
    assert booster.stop_reason_ == "converged"
    assert booster.n_rounds_ < 1000


def test_predict_proba_is_the_stochastic_rule():
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
    assert_allclose(demand, exact, rtol=1e-13)
    if certain:
        assert np.abs(-g * centred_cost(g, cost) / exact - 1).max() > 1e-3


# ---- answers of the least expected cost, a plugin beside the configs -----------------------------

LeastExpectedCost = load_plugin(
    shipped("configs") / "softmax-boosting" / "least_cost.py"
).LeastExpectedCost
COST = [[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [4.0, 2.0, 0.0]]


@pytest.mark.parametrize("booster", ["sm-boost", "samme"])
def test_answers_have_the_least_expected_cost_after_every_round(booster):
    X, y = load_wine(return_X_y=True)
    fitted = LeastExpectedCost(4, 1, booster, COST).fit(X[::2], y[::2])
    inner = make_booster(booster, n_estimators=4, random_state=1).fit(X[::2], y[::2])
    stages = list(fitted.staged_predict(X))
    for answers, p in zip(stages, inner.staged_predict_proba(X), strict=True):
        expected = np.einsum("iy,yz->iz", p, COST)
        chosen = np.take_along_axis(expected, answers[:, None], axis=1)[:, 0]
        assert_allclose(chosen, expected.min(axis=1), rtol=1e-12)
    assert_array_equal(stages[-1], fitted.predict(X))


def test_without_unequal_costs_the_answers_are_the_boosters_own():
    X, y = load_wine(return_X_y=True)
    fitted = LeastExpectedCost(3, 0, "sm-boost").fit(X, y)
    expected = make_booster("sm-boost", n_estimators=3, random_state=0).fit(X, y).predict(X)
    assert_array_equal(fitted.predict(X), expected)
