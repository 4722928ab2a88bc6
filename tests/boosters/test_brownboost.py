"""BrownBoost: its two equations, its differential equation, its clock."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.special import erf
from sklearn.datasets import make_classification

from boostbench.boosters.binary import answers
from boostbench.boosters.brownboost import BrownBoost

X, y = make_classification(250, n_informative=4, flip_y=0.2, random_state=0)
every_c = pytest.mark.parametrize("c", [0.5, 1.35, 4.0])


def rounds_of(booster):
    """Return r, u = y h and s before each round, and the alpha and t it took."""
    asked = []
    found = []
    answer, c = booster.answer, booster.c

    def listening_answer(state, demand, h):
        u = state.signed_labels * answers(h)
        asked.append((state.margins, u, c * (1 - state.own.time), demand.weight))
        return answer(state, demand, h)

    def on_round(info):
        assert info.step.decay == 1.0
        *before, w = asked[-1]
        left = c * (1 - info.state.own.time)
        found.append((*before, info.step.size, before[2] - left, w, info))

    booster.answer = listening_answer
    booster.fit(X, y, on_round=on_round)
    return found


@every_c
@pytest.mark.parametrize("weak_learner", ["stump", None], ids=["stump", "c45"])
def test_both_equations_hold_at_every_step(c, weak_learner):
    booster = BrownBoost(60, weak_learner=weak_learner, c=c)
    for r, u, s, alpha, t, w, info in rounds_of(booster):
        W = np.exp(-((r + s) ** 2) / c)
        assert_allclose(w, W / W.sum(), rtol=1e-9)
        z = (r + alpha * u + s - t) / np.sqrt(c)
        assert t > 0
        if info.step.stop != "time is up":
            assert abs(u @ np.exp(-(z**2))) <= 1e-8 * np.exp(-(z**2)).sum()
            assert erf(z).mean() == pytest.approx(erf((r + s) / np.sqrt(c)).mean(), abs=1e-9)
    assert booster.stop_reason_ in ("time is up", "no edge", "")


@every_c
def test_a_step_is_the_end_of_the_differential_equation_of_figure_1(c):
    compared = 0
    for r, u, s, alpha, t, _, info in rounds_of(BrownBoost(12, weak_learner="stump", c=c)):
        if info.step.stop or alpha > 9:
            continue

        def gamma(a, spent, r=r, u=u, s=s):
            w = np.exp(-((r + a * u + s - spent) ** 2) / c)
            return float(w @ u / w.sum())

        def ends(a, spent, gamma=gamma):
            return gamma(a, spent[0]) - 1e-7  # the paper's nu

        ends.terminal = True
        path = solve_ivp(
            lambda a, spent, gamma=gamma: [gamma(a, spent[0])],
            (0.0, 10.0), [0.0], events=ends, rtol=1e-10, atol=1e-12,
        )  # fmt: skip
        assert path.t[-1] == pytest.approx(alpha, rel=1e-4)
        assert path.y[0, -1] == pytest.approx(t, rel=1e-6)
        compared += 1
    assert compared >= 3


def test_the_share_given_up_bounds_the_error_of_a_game_that_ends_in_time():
    booster = BrownBoost(500, weak_learner="stump", c=0.5).fit(X, y)
    assert booster.stop_reason_ == "time is up"
    assert booster.time_ >= 1 - 1e-3
    assert 1 - booster.score(X, y) <= 1 - erf(np.sqrt(0.5)) + 0.01
    p = booster.predict_proba(X)[:, 1]
    assert_allclose(p, (1 + erf(booster.decision_function(X) / np.sqrt(0.5))) / 2, atol=1e-12)
