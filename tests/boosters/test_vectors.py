"""The specification's worked examples, to all printed digits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.boosters import sm_boost
from boostbench.boosters.adaboost_mh import AdaBoostMH
from boostbench.boosters.cost_matrices import label_costs
from boostbench.boosters.rows import canonical_rows
from boostbench.boosters.samme import SAMME
from boostbench.boosters.sm_boost import SMBoost, smooth_risk, weigh_pairs
from boostbench.boosters.state import softmax
from tests.boosters.games import centred_cost, stump_of, watch
from tests.boosters.vectors import read

VECTORS = read("softmax_boosting")
X = np.column_stack([VECTORS["D"]["x1"], VECTORS["D"]["x2"]]).astype(float)
Y = np.array(VECTORS["D"]["y"])
EIGHT_DIGITS = {"rtol": 0, "atol": 6e-9}


def check_scores(seen, expected):
    for row, scores in expected.items():
        assert_allclose(seen.scores[-1][int(row)], scores, **EIGHT_DIGITS)


def test_v1_gradient_with_the_binary_loss():
    vector = VECTORS["V1"]
    y = np.array(vector["y"], dtype=np.int32)
    g = softmax(np.array(vector["psi"], dtype=float))
    cost = label_costs("zero-one", 3)[y]
    delta = centred_cost(g, cost)
    assert_allclose(g, vector["g"], atol=6e-7)
    assert_allclose(delta, vector["zero-one"]["delta"], atol=6e-7)
    assert_allclose(g * delta, vector["zero-one"]["gradient"], atol=6e-7)
    demand = weigh_pairs(g, cost, np.ones(2), np.empty(0))
    assert_allclose(demand, -np.array(vector["zero-one"]["gradient"]), atol=6e-7)
    risk = smooth_risk(g, cost, np.full(2, 0.5))
    assert risk == pytest.approx(vector["zero-one"]["risk"], abs=6e-11)
    squared_norm = ((g * delta) ** 2).sum() / 2
    assert squared_norm == pytest.approx(vector["zero-one"]["squared_norm"], abs=6e-11)


def test_v1_gradient_with_a_cost_matrix():
    vector = VECTORS["V1"]["matrix"]
    g = softmax(np.array(VECTORS["V1"]["psi"], dtype=float))
    cost = (np.array(vector["cost"]) / vector["divisor"])[VECTORS["V1"]["y"]]
    delta = centred_cost(g, cost)
    assert_allclose(delta, vector["delta"], atol=6e-7)
    assert_allclose(g * delta, vector["gradient"], atol=6e-7)
    assert smooth_risk(g, cost, np.full(2, 0.5)) == pytest.approx(vector["risk"], abs=6e-11)


def test_v2_exact_gradient_with_the_step_of_the_experiments():
    vector = VECTORS["V2"]
    booster = SMBoost(3, weak_learner="stump", gradient="exact")
    seen = watch(booster, X, Y)
    for trees, stumps in zip(seen.hypotheses, vector["stumps"], strict=True):
        assert [stump_of(trees, k) for k in range(3)] == stumps
    assert_allclose(seen.edges, vector["r"], **EIGHT_DIGITS)
    assert_allclose(seen.losses, vector["risk"], **EIGHT_DIGITS)
    check_scores(seen, vector["scores"])
    assert_array_equal(booster.predict(X), vector["labels"])


def test_v3_exact_gradient_with_the_step_of_theorem_1():
    vector = VECTORS["V3"]
    seen = watch(SMBoost(3, weak_learner="stump", gradient="exact", step=1.0), X, Y)
    assert_allclose(seen.edges, vector["r"], **EIGHT_DIGITS)
    assert_allclose(seen.sizes[-1], vector["r"][-1] / 3, **EIGHT_DIGITS)
    assert_allclose(seen.losses, vector["risk"], **EIGHT_DIGITS)
    check_scores(seen, vector["scores"])


@pytest.mark.parametrize(("empty_label", "scores"), [(0, "scores"), (1, "scores_lowered")])
def test_v4_sampled_gradient_with_given_pairs(monkeypatch, empty_label, scores):
    vector = VECTORS["V4"]
    order = canonical_rows(X, Y.astype(np.int32), np.ones(len(Y))).representative
    counts = [np.array([[int(n) for n in row] for row in rows]) for rows in vector["counts"]]
    shares = iter([count[order] / count.sum() for count in counts])
    monkeypatch.setattr(
        sm_boost, "weigh_pairs", lambda g, cost, *_: -next(shares) * centred_cost(g, cost)
    )
    seen = watch(SMBoost(2, weak_learner="stump", empty_label=empty_label), X, Y)
    for trees, stumps in zip(seen.hypotheses, vector["stumps"], strict=True):
        assert [stump_of(trees, k) for k in range(3)] == stumps
    assert_allclose(seen.edges, vector["r"], **EIGHT_DIGITS)
    check_scores(seen, vector[scores])
    if empty_label == 0:
        assert_allclose(seen.losses, vector["risk"], **EIGHT_DIGITS)


def test_v5_pairs_are_drawn_from_the_flattened_probabilities():
    vector = VECTORS["V5"]
    g, u = np.array(vector["g"]), np.sort(vector["u"])
    cost = np.random.default_rng(0).random(g.shape)
    demand = weigh_pairs(g, cost, np.ones(len(g)), u)
    assert demand is not None
    expected = np.bincount(vector["drawn"], minlength=g.size) / len(u)
    assert_allclose((demand / -centred_cost(g, cost)).ravel(), expected)


def test_v6_adaboost_mh():
    vector = VECTORS["V6"]
    booster = AdaBoostMH(3, weak_learner="stump")
    seen = watch(booster, X, Y)
    for trees, stumps in zip(seen.hypotheses, vector["stumps"], strict=True):
        assert [stump_of(trees, k) for k in range(3)] == stumps
    assert_allclose(seen.edges, vector["gamma"], **EIGHT_DIGITS)
    assert_allclose(seen.sizes, vector["alpha"], **EIGHT_DIGITS)
    weights = [np.abs(demand[0]) for demand in seen.demands]
    assert_allclose(weights, vector["weights_of_row_0"], **EIGHT_DIGITS)
    check_scores(seen, vector["scores"])
    assert_array_equal(booster.predict(X), vector["labels"])


def test_v7_samme():
    vector = VECTORS["V7"]
    booster = SAMME(3, weak_learner="stump")
    seen = watch(booster, X, Y)
    for trees, (feature, threshold, left, right) in zip(
        seen.hypotheses, vector["stumps"], strict=True
    ):
        node = trees.node_offset[0]
        labels = trees.leaf_column[[~trees.left[node], ~trees.right[node]]].tolist()
        assert [trees.feature[node] + 1, trees.threshold[node], *labels] == [
            feature,
            threshold,
            left,
            right,
        ]
    assert_allclose(seen.sizes, vector["alpha"], **EIGHT_DIGITS)
    assert_allclose(seen.edges, 1 - 1.5 * np.array(vector["error"]), atol=2e-8)
    assert_allclose(seen.demands, vector["weights"], **EIGHT_DIGITS)
    check_scores(seen, vector["scores"])
    assert_array_equal(booster.predict(X), vector["labels"])
