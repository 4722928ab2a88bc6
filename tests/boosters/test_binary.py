"""Boosters for two classes: fixed points, bounds, relations to each other and to libraries."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.tree import DecisionTreeRegressor

from boostbench import make_booster
from boostbench.boosters.binary import BinaryBooster, working_response
from boostbench.boosters.gentleboost import GentleBoost
from boostbench.boosters.l2boost import L2Boost
from boostbench.boosters.logitboost import LogitBoost
from boostbench.boosters.losses import LOGISTIC_2, LOSSES
from boostbench.boosters.rboost import RBoost1
from boostbench.boosters.real_adaboost import RealAdaBoost, SavageBoost
from boostbench.boosters.splboost import Pace
from boostbench.boosters.state import BoostState
from boostbench.registry import boosters
from tests.boosters.finite import noisy_problem, noisy_stumps
from tests.boosters.games import each_round, watch
from tests.boosters.test_common import BINARY

BOOSTERS = [name for name in sorted(BINARY) if issubclass(boosters.get(name), BinaryBooster)]
every_binary_booster = pytest.mark.parametrize("name", BOOSTERS)


LOG_ODDS = np.log([3 / 7, 8 / 2])


# ---- what they converge to ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("booster", "limit"),
    [
        (RealAdaBoost(1, smoothing=0.0), LOG_ODDS / 2),
        (RealAdaBoost(5, smoothing=0.0), LOG_ODDS / 2),
        (SavageBoost(1, smoothing=0.0), LOG_ODDS / 2),
        (SavageBoost(5, smoothing=0.0), LOG_ODDS / 2),
        (LogitBoost(60, max_response=np.inf), LOG_ODDS / 2),
        (RBoost1(400, step="gentle", max_response=np.inf), LOG_ODDS),
        (RBoost1(400, step="fisher", max_response=np.inf), LOG_ODDS),
        (GentleBoost(100), LOG_ODDS / 2),
        (L2Boost(300), [2 * 0.3 - 1, 2 * 0.8 - 1]),
    ],
    ids=str,
)
def test_scores_converge_to(booster, limit):
    """Of x in {0, 1} with 3/10 and 8/10 positives; the other column is idle."""
    x = np.repeat([[0.0, 0.0], [1.0, 0.0]], 10, axis=0)
    y = np.concatenate([np.arange(10) < 3, np.arange(10) < 8]).astype(int)
    booster.set_params(weak_learner="stump").fit(x, y)
    assert_allclose(booster.decision_function(x[[0, -1]]), limit, atol=1e-6)


# ---- what their theory says --------------------------------------------------------------------


def test_halving_keeps_the_logistic_loss_from_rising():
    X, y = make_classification(60, n_informative=4, flip_y=0.0, class_sep=3.0, random_state=0)
    seen = watch(LogitBoost(60, halving=True, max_response=np.inf), X, y)
    assert (np.diff([np.log(2), *seen.losses]) <= 1e-12).all()


def test_smoothing_and_limit_bound_the_answers():
    X, y = noisy_problem()
    for booster, bound in [
        (RealAdaBoost(20, max_answer=0.4), 0.4),
        (SavageBoost(20, smoothing=0.05), 0.5 * np.log(1.05 / 0.05)),
    ]:
        for trees in watch(booster, X, y).hypotheses:
            assert np.abs(np.diff(trees.leaf_value, axis=1)).max() <= bound + 1e-12


def test_unsmoothed_pure_leaves_stay_finite():
    X, y = load_breast_cancer(return_X_y=True)
    booster = RealAdaBoost(30, smoothing=0.0).fit(X, y)
    assert np.isfinite(booster.scores(X)).all()


# ---- relations ---------------------------------------------------------------------------------


def test_l2boost_fits_residuals_as_scikit_learn_trees_do():
    X, y = noisy_problem()
    X = X.round(1)
    F = np.zeros(len(y))
    for _ in range(10):
        tree = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0)
        F += 0.1 * tree.fit(X, 2 * y - 1 - F).predict(X)
    ours = L2Boost(10, weak_learner={"tree": {"max_leaf_nodes": 6}}).fit(X, y)
    assert_allclose(ours.decision_function(X), F, atol=1e-9)


BY_ERROR = {"tree": {"criterion": "error", "max_depth": 2}}
BY_COST = {"tree": {"max_depth": 2}}
#: Name, parameters, weak learner, and what its scores' difference is in AdaBoost's.
SAME = [
    ("adaboost-m1", {}, BY_ERROR, 2.0),
    ("adaboost-mh", {}, BY_ERROR, 2.0),
    ("adaboost-mm", {}, BY_COST, 1.0),
    ("adaboost-mm", {"step": "exact"}, BY_COST, 1.0),
    ("adaboost-mr", {"reuse": False}, {"greedy": {"max_depth": 2}}, 1.0),
    ("cd-mcboost", {}, BY_ERROR, 2.0),
    ("gd-mcboost", {}, BY_COST, 1.0),
    ("one-vs-all", {"booster": "adaboost"}, BY_ERROR, 1.0),
    ("samme", {}, BY_ERROR, 2.0),
]


@pytest.mark.parametrize(("name", "parameters", "learner", "factor"), SAME)
def test_for_two_classes_it_is_adaboost_round_for_round(name, parameters, learner, factor):
    for X, y in (noisy_stumps(2), load_breast_cancer(return_X_y=True)):
        X = X.round(1)
        boosters = [
            make_booster("adaboost", n_estimators=20, weak_learner=BY_ERROR),
            make_booster(name, n_estimators=20, weak_learner=learner, **parameters),
        ]
        stages = [booster.fit(X, y).staged_decision_function(X) for booster in boosters]
        ours, other = ([F.copy() for F in each] for each in stages)
        assert len(ours) == 20
        assert_allclose(other, factor * np.array(ours), rtol=1e-6, atol=1e-8)


# ---- limits ------------------------------------------------------------------------------------


@every_binary_booster
def test_extreme_margins_give_finite_demands(name):
    X, y = noisy_problem()
    booster = make_booster(name, n_estimators=3, weak_learner="stump")
    state = each_round(booster, X, y, lambda info: info.state)[-1]
    for scale in (40.0, 800.0, 1e5):
        F = scale * np.linspace(-1.0, 1.0, len(state.y))
        state.scores = np.column_stack([-F / 2, F / 2])
        w = booster.weights(state)
        assert np.isfinite(w).all()
        assert w.sum() == pytest.approx(1.0) or not w.any()
        demand = booster.ask(state) if w.any() else None
        assert demand is None or np.isfinite(demand.weight).all()
        assert np.isfinite(booster.objective(state))
        p = booster.probabilities(state.scores)
        assert_allclose(p.sum(axis=1), 1.0)
        assert ((p >= 0) & (p <= 1)).all()


@every_binary_booster
def test_the_decision_is_the_difference_of_the_scores(name):
    X, y = noisy_problem()
    booster = make_booster(name, n_estimators=6, weak_learner="stump").fit(X, y)
    F = booster.scores(X)
    assert_array_equal(booster.decision_function(X), F[:, 1] - F[:, 0])
    assert_array_equal(booster.predict(X), booster.decision_function(X) > 0)


# ---- exact values, far out on both sides -------------------------------------------------------

FAR_OUT = np.array([0.0, 1e-9, 0.3, 1.0, 5.0, 9.0, 17.0, 30.0, 36.0, 37.0, 200.0, 300.0])
BOTH_SIDES = np.concatenate([-FAR_OUT[:0:-1], FAR_OUT])
#: An exponent of 300 has an error of half a unit in its last place, 3e-14.
RTOL = 1e-12


def exact_p(log_odds):
    with localcontext() as context:
        context.prec = 170  # 1 + exp(-300) has 130 digits before it differs from 1
        return 1 / (1 + (-Decimal(log_odds)).exp())


@pytest.mark.parametrize("label", [0, 1])
def test_working_responses_are_exact_in_both_tails(label):
    z, q = working_response(np.full(len(BOTH_SIDES), label), BOTH_SIDES, 0.0, np.inf)
    with localcontext() as context:
        context.prec = 170
        p = [exact_p(s) for s in BOTH_SIDES]
        assert_allclose(q, [float(x * (1 - x)) for x in p], rtol=RTOL)
        assert_allclose(z, [float((label - x) / (x * (1 - x))) for x in p], rtol=RTOL)
    assert_array_equal(q, q[::-1])


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("logitboost", {"max_response": np.inf}),
        ("spl-logitboost", {"max_response": np.inf, "age": 60.0, "warm_start_rounds": 0}),
        ("rboost1", {"step": "fisher", "max_response": np.inf}),
    ],
)
def test_weights_lose_no_digits_where_samples_are_certain(name, own):
    odds = np.linspace(-24.0, 24.0, 25)  # above the smallest weights there are
    F = odds if name == "rboost1" else 0.5 * odds
    n = 2 * len(odds)
    y = np.repeat([0, 1], len(odds)).astype(np.int32)
    scores = np.tile(np.column_stack([-0.5 * F, 0.5 * F]), (2, 1))
    state = BoostState(y, np.full(n, 1 / n), n, 2, scores, *map(np.random.default_rng, (0, 1)))
    booster = make_booster(name, **own)
    state.own = booster.begin(state)
    if isinstance(state.own, Pace):
        state.own.rounds = 1  # past the round in which all samples count fully
    with localcontext() as context:
        context.prec = 50
        power = 2 if name == "rboost1" else 1
        exact = [(exact_p(s) * (1 - exact_p(s))) ** power for s in odds] * 2
        weight = np.array([float(w / sum(exact)) for w in exact])
    assert_allclose(booster.ask(state).weight[:, 0], weight, rtol=RTOL)


@pytest.mark.parametrize("name", ["exponential", "logistic", "logistic-2", "savage", "savage2"])
def test_losses_are_exact_in_both_tails(name):
    loss = LOSSES[name]
    scale = 2.0 if name in ("logistic-2", "savage") else 1.0
    margins = BOTH_SIDES / (2.0 * scale)
    with localcontext() as context:
        context.prec = 170
        e = [(Decimal(scale) * Decimal(m)).exp() for m in margins]
        if name == "exponential":
            value = slope = [1 / x for x in e]
        elif name.startswith("logistic"):
            value = [(1 + 1 / x).ln() for x in e]
            slope = [Decimal(scale) / (1 + x) for x in e]
        else:
            value = [(1 + x) ** -2 for x in e]
            slope = [2 * Decimal(scale) * x * (1 + x) ** -3 for x in e]
    assert_allclose(loss.value(margins), [float(x) for x in value], rtol=RTOL)
    assert_allclose(loss.weight(margins), [float(x) for x in slope], rtol=RTOL)


def test_logitboost_weighs_by_the_curvature_of_its_loss():
    m = BOTH_SIDES[np.abs(BOTH_SIDES) < 40.0]
    _, q = working_response(np.ones(len(m)), 2.0 * m, 0.0, np.inf)
    assert_allclose(q, 0.25 * LOGISTIC_2.weight(m) * LOGISTIC_2.weight(-m), rtol=RTOL)
