"""LPBoost and RMBoost: their programs over all stumps, solved at once, and the duals' bounds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog
from sklearn.tree import DecisionTreeClassifier

from boostbench.boosters.ensemble import Ensemble
from boostbench.boosters.lpboost import LPBoost
from boostbench.boosters.rmboost import RMBoost
from tests.boosters.finite import noisy_problem
from tests.boosters.games import each_round

X, y01 = noisy_problem(90, flip_y=0.2, n_features=6)
y = 2.0 * y01 - 1.0
n = len(y)
#: The stump of the least weighted error, which is the one of the largest edge.
STUMP = {"stump": {"criterion": "error"}}


def all_stumps():
    """Return the answers -1 and +1 of every stump and of both constants, shape (n, n_stumps)."""
    answers = [np.ones(n)]
    for x in X.T:
        cuts = np.sort(x)[:-1] + np.diff(np.sort(x)) / 2
        answers += [np.where(x > cut, 1.0, -1.0) for cut in cuts]
    H = np.array(answers).T
    return np.hstack([H, -H])


H = all_stumps()


def states_of(booster, **fit):
    """Return what the booster had after each round."""

    def told(info):
        own, rows = info.state.own, info.row_of
        F = (info.scores[:, 1] - info.scores[:, 0])[rows]
        return own.a, own.p[rows], own.bound, own.value, own.Z[rows], F

    return each_round(booster, X, y01, told, **fit)


@pytest.mark.parametrize("nu", [0.1, 0.4])
def test_lpboost_ends_at_the_optimum_over_all_stumps(nu):
    booster = LPBoost(500, weak_learner=STUMP, nu=nu)
    _, u, beta, value, _, F = states_of(booster)[-1]
    assert booster.stop_reason_ == "converged"
    # Eq. (6) as it is printed: maximise rho - D sum xi over a, xi and rho
    D, N = 1.0 / (nu * n), H.shape[1]
    whole = linprog(
        c=np.concatenate([np.zeros(N), np.full(n, D), [-1.0]]),
        A_ub=np.column_stack([-y[:, None] * H, -np.eye(n), np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones(N), np.zeros(n + 1)])[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * (N + n) + [(None, None)],
    )
    assert value == pytest.approx(whole.fun, abs=2e-5)
    # the dual is feasible: no stump has an edge above beta
    assert (u @ (y[:, None] * H)).max() <= beta + 1e-6
    assert u.sum() == pytest.approx(1.0)
    assert u.min() >= 0.0
    assert u.max() <= D + 1e-9
    # and the ensemble attains the value
    rho = max(np.sort(y * F), key=lambda r: r - D * np.maximum(r - y * F, 0.0).sum())
    assert rho - D * np.maximum(rho - y * F, 0.0).sum() == pytest.approx(beta, abs=2e-5)


@pytest.mark.parametrize(
    "booster",
    [
        LPBoost(40, nu=0.3),
        RMBoost(40),
        LPBoost(12, weak_learner=DecisionTreeClassifier(max_depth=1)),
        RMBoost(12, weak_learner=DecisionTreeClassifier(max_depth=1)),
    ],
    ids=str,
)
def test_the_objective_never_rises_and_the_ensemble_is_the_master_s(booster):
    rounds = states_of(booster)
    values = [value for _, _, _, value, _, _ in rounds]
    assert (np.diff(values) <= 1e-6).all()
    staged = [F[:, 1] - F[:, 0] for F in map(np.copy, booster.staged_scores(X))]
    for (a, _, _, _, Z, F), predicted in zip(rounds, staged, strict=True):
        assert_allclose(y * F, Z @ a, atol=1e-9)
        assert_allclose(F, predicted, atol=1e-9)
    assert_allclose(booster.decision_function(X), staged[-1], atol=1e-9)


@pytest.mark.parametrize("deviation", [0.05, 0.15])
def test_rmboost_ends_at_the_minimax_risk_over_all_stumps(deviation):
    booster = RMBoost(500, weak_learner=STUMP, deviation=deviation)
    _, p, _, _, _, F = states_of(booster)[-1]
    assert booster.stop_reason_ == "converged"
    # the program of Theorem 1 with mu = up - down
    tau, N = (y[:, None] * H).mean(axis=0), H.shape[1]
    whole = linprog(
        c=np.concatenate([deviation - tau, deviation + tau]),
        A_ub=np.block([[H, -H], [-H, H]]),
        b_ub=np.full(2 * n, 0.5),
        bounds=[(0, None)] * (2 * N),
    )
    assert booster.minimax_risk_ == pytest.approx(0.5 + whole.fun, abs=2e-5)
    # the dual is feasible: what is left is within lambda of no correlation with every stump
    assert np.abs((y * p) @ H).max() <= deviation + 1e-6
    assert np.abs(F).max() <= 0.5 + 1e-4
    probabilities = booster.predict_proba(X)
    assert_allclose(probabilities[:, 1], np.clip(0.5 + F, 0, 1))


def test_lambda_is_one_over_the_root_of_the_number_of_samples():
    twice = np.full(n, 2.0)
    (_, _, bound, *_), *_ = states_of(RMBoost(1), sample_weight=twice)
    assert bound == pytest.approx(1 / np.sqrt(2 * n))


def test_a_tree_that_gets_no_step_has_no_importance():
    trees = LPBoost(4, weak_learner={"tree": {"max_leaf_nodes": 4}}).fit(X, y01).model_._parts[0]
    one, other, last = (trees.take([t]) for t in range(3))
    with_unused, without = Ensemble(2), Ensemble(2)
    with_unused.add(one, 0.5)
    with_unused.grow(other)
    with_unused.move([0], 0.25)
    with_unused.add(last, 0.5)
    without.add(one, 0.75)
    without.add(last, 0.5)
    assert_allclose(with_unused.seal().importances(), without.seal().importances())
