"""BrownBoost and RobustBoost: their two equations, clocks and potentials."""

import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import erf
from sklearn.datasets import make_classification

from boostbench.boosters.binary import answers
from boostbench.boosters.brownboost import BrownBoost
from boostbench.boosters.robustboost import RobustBoost
from boostbench.boosters.robustboost_step import MovingPotential
from tests.boosters.finite import noisy_problem
from tests.boosters.games import each_round

X, y = noisy_problem(250, flip_y=0.2)
every_c = pytest.mark.parametrize("c", [0.5, 1.35, 4.0])
both_learners = pytest.mark.parametrize("weak_learner", ["stump", None], ids=["stump", "c45"])


def asked(state, demand, h):
    """Return potential, margins m or r, u = y h, time and weights before a step."""
    u = state.signed_labels * answers(h)
    return state.own.potential, state.margins, u, state.own.time, demand.weight


def rounds_of(booster):
    """Return r, u and s before each round, the alpha and t it took, and the weights."""

    def told(info, before):
        assert info.step.decay == 1.0
        _, r, u, time, w = before
        spent = booster.c * (info.state.own.time - time)
        return r, u, booster.c * (1 - time), info.step.size, spent, w, info

    return each_round(booster, X, y, told, asked)


@every_c
@both_learners
def test_both_equations_of_brownboost_hold_at_every_step(c, weak_learner):
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
def test_a_step_of_brownboost_is_the_end_of_the_differential_equation_of_figure_1(c):
    compared = 0
    for r, u, s, alpha, t, _, info in rounds_of(BrownBoost(12, weak_learner="stump", c=c)):
        if info.step.stop or alpha > 9:
            continue

        def gamma(a, spent, r=r, u=u, s=s):
            w = np.exp(-((r + a * u + s - spent) ** 2) / c)
            return w @ u / w.sum()

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


SETTINGS = [
    {"epsilon": 0.1},
    {"epsilon": 0.02, "theta": 0.5},
    {"epsilon": 0.3, "sigma_final": 0.4},
    {"epsilon": 0.05, "theta": 1.0},
]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)


@every_setting
@both_learners
def test_both_equations_of_robustboost_hold_at_every_step_and_time_rises(setting, weak_learner):
    booster = RobustBoost(80, weak_learner=weak_learner, **setting)
    times, potentials = [0.0], [setting["epsilon"]]

    def told(info, before):
        (_, m, u, _, _), t = before, info.state.own.time
        moved = m * info.step.decay + u * info.step.size
        assert_allclose(info.state.margins, moved, atol=1e-12)
        assert info.step.decay == pytest.approx(np.exp(times[-1] - t))
        w = info.state.sample_weight * np.exp(info.state.own.potential.log_weight(moved, t))
        assert abs((w * u).sum()) <= 1e-9 * w.sum() or info.step.stop == "time is up"
        times.append(t)
        potentials.append(info.loss)

    each_round(booster, X, y, told, asked)
    assert (np.diff(times) > 0).all()
    assert booster.time_ == times[-1]
    finished = booster.stop_reason_ == "time is up"
    kept = potentials[:-1] if finished else potentials
    assert_allclose(kept, setting["epsilon"], atol=1e-9)
    assert potentials[-1] <= setting["epsilon"] + 1e-9


@every_setting
def test_steps_are_those_of_nested_bracketing(setting):
    """The first zero of the edge, and the potential back where it was, by scipy's brentq."""
    booster = RobustBoost(25, **setting)
    compared = []

    def told(info, before):
        potential, m, u, t, _ = before

        def edge(ds, dt):
            log_w = potential.log_weight(m * np.exp(-dt) + u * ds, t + dt)
            return float(np.exp(log_w - log_w.max()) @ u)

        def score_step(dt):
            high = next(x for x in np.arange(0.005, 10, 0.005) if edge(x, dt) <= 0)
            return float(brentq(edge, high - 0.005, high, args=(dt,), xtol=1e-14))

        def rise(dt):
            moved = m * np.exp(-dt) + u * score_step(dt)
            return float((potential.value(moved, t + dt) - potential.value(m, t)).mean())

        if info.step.size < 10.0 and not info.step.stop:
            taken = info.state.own.time - t
            dt = brentq(rise, 0.0, 1.1 * taken, xtol=1e-14)
            assert taken == pytest.approx(dt, rel=1e-6, abs=1e-12)
            assert info.step.size == pytest.approx(score_step(dt), rel=1e-8)
            compared.append(dt)

    each_round(booster, X, y, told, asked)
    assert len(compared) >= 5 or booster.n_rounds_ < 7


def test_an_easy_problem_ends_at_time_1_with_few_small_margins():
    X, y = make_classification(300, class_sep=2.0, flip_y=0.05, random_state=0)
    booster = RobustBoost(500, weak_learner="stump", epsilon=0.1, theta=0.2).fit(X, y)
    assert booster.stop_reason_ == "time is up"
    assert booster.time_ == pytest.approx(1.0, abs=1e-3)
    assert ((2 * y - 1) * booster.decision_function(X) <= 0.2).mean() <= 0.1


def test_numbers_of_the_specification():
    potential = MovingPotential(0.1, 0.0, 0.1, False)
    assert potential.sigma(0.0) == pytest.approx(2.542233, abs=6e-7)
    assert potential.mu(0.0) == pytest.approx(-2.303755, abs=6e-7)
    assert potential.rho == pytest.approx(0.670366, abs=6e-7)
    assert MovingPotential(0.1, 0.0, 0.1, True).rho == pytest.approx(0.860405, abs=6e-7)
    potential, half = MovingPotential(0.2, 0.3, 0.1, False), np.array([0.5])
    assert potential.rho == pytest.approx(0.677540, abs=6e-7)
    assert potential.value(half, 0.5)[0] == pytest.approx(0.171884, abs=6e-7)
    assert np.exp(potential.log_weight(half, 0.5))[0] == pytest.approx(0.638799, abs=6e-7)


def test_the_potential_solves_its_differential_equation():
    potential = MovingPotential(0.1, 0.2, 0.1, False)
    m, t, d = np.linspace(-2, 2, 9), 0.4, 1e-4
    in_time = (potential.value(m, t + d) - potential.value(m, t - d)) / (2 * d)
    in_margin = (potential.value(m + d, t) - potential.value(m - d, t)) / (2 * d)
    curvature = (
        potential.value(m + d, t) - 2 * potential.value(m, t) + potential.value(m - d, t)
    ) / d**2
    assert_allclose(in_time - (m - 2 * potential.rho) * in_margin + curvature / 2, 0, atol=1e-6)
    w = np.exp(potential.log_weight(m, t))
    assert_allclose(in_margin, -w / (potential.sigma(t) * np.sqrt(np.pi)), atol=1e-8)


def test_truncation_gives_up_samples_for_good():
    booster = RobustBoost(60, weak_learner="stump", epsilon=0.3, truncate=True)
    given_up = each_round(booster, X, y, lambda info: (booster.weights(info.state) == 0).sum())
    assert given_up[-1] > 0
    m = (2 * y - 1) * booster.decision_function(X)
    if booster.stop_reason_ == "time is up":
        assert (m <= 0).mean() <= 0.3


def test_a_strong_learner_ends_the_game_in_one_round():
    booster = RobustBoost(50, weak_learner={"tree": {"max_leaf_nodes": None}}).fit(X, y)
    assert (booster.n_rounds_, booster.time_) == (1, 1.0)
    assert booster.stop_reason_ == "time is up"
    assert_array_equal(np.abs(booster.decision_function(X)), 10.0)


@pytest.mark.parametrize("theta", [0.0, 1.0])
def test_a_classifier_better_than_epsilon_ends_the_game_at_once(theta):
    """With theta > 0 the edge never vanishes from some time before 1 on."""
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] > 9) ^ (X[:, 0] == 3)
    booster = RobustBoost(30, weak_learner="stump", epsilon=0.2, theta=theta).fit(X, y)
    assert (booster.n_rounds_, booster.stop_reason_) == (1, "time is up")
    assert booster.score(X, y) == 0.95


@pytest.mark.parametrize("theta", [0.0, 0.3])
def test_nothing_cancels_towards_the_end_of_the_game(theta):
    """Against 50 digits; the printed formulas lose up to three."""
    potential = MovingPotential(0.1, theta, 0.01, False)
    errors = {"sigma": [], "printed sigma": [], "mu": [], "printed mu": []}
    for t in 1.0 - np.geomspace(1e-9, 0.1, 200):
        with mpmath.workdps(50):
            left, rho, sigma_f = 1 - mpmath.mpf(t), mpmath.mpf(potential.rho), mpmath.mpf(0.01)
            sigma = mpmath.sqrt((sigma_f**2 + 1) * mpmath.exp(2 * left) - 1)
            drift, goal = -2 * rho * mpmath.expm1(left), theta * mpmath.exp(left)
            mu, size = goal + drift, goal - drift  # mu itself may be 0
        printed_sigma = np.sqrt((0.01 * 0.01 + 1.0) * np.exp(2.0 * (1.0 - t)) - 1.0)
        printed_mu = (theta - 2.0 * potential.rho) * np.exp(1.0 - t) + 2.0 * potential.rho
        errors["sigma"].append(float(abs(potential.sigma(t) / sigma - 1)))
        errors["printed sigma"].append(float(abs(printed_sigma / sigma - 1)))
        errors["mu"].append(float(abs(potential.mu(t) - mu) / size))
        errors["printed mu"].append(float(abs(printed_mu - mu) / size))
    worst = {name: max(values) for name, values in errors.items()}
    assert max(worst["sigma"], worst["mu"]) <= 1e-15
    assert worst["printed sigma"] >= 100 * worst["sigma"]
    assert theta > 0.0 or worst["printed mu"] >= 100 * worst["mu"]
