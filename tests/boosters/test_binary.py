"""Weights and responses of the logistic boosters against exact values, far out on both sides."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench import make_booster
from boostbench.boosters.binary import working_response
from boostbench.boosters.losses import LOGISTIC_2, LOSSES
from boostbench.boosters.splboost import Pace
from boostbench.boosters.state import BoostState

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
    state = BoostState(y, np.full(n, 1 / n), n, 2, scores, np.random.default_rng(0))
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
