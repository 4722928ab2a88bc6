"""The drifting-game booster: its costs, its budget, and the loss it guarantees."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.boosters.drifting_game import DriftingGame
from boostbench.boosters.state import BoostState
from boostbench.theory.layout import true_label_first
from boostbench.theory.potentials import exponential_loss, zero_one_loss
from tests.boosters.finite import FiniteSpace, Scripted, noisy_stumps, row_numbers
from tests.boosters.games import watch
from tests.theory.vectors import VECTORS, subsets

GAMES = [
    {"loss": loss, "condition": condition}
    for loss, condition in product(["exponential", "zero-one"], ["uniform", "minimal"])
]
every_game = pytest.mark.parametrize("game", GAMES, ids=str)


@pytest.mark.parametrize(
    ("name", "game"), [("exponential", GAMES[0]), ("zero_one", GAMES[2]), ("minimal", GAMES[3])]
)
def test_the_specified_costs_of_the_first_round(name, game):
    vector = VECTORS["first_costs"]
    K, T = vector["n_classes"], vector["n_rounds"]
    booster = DriftingGame(T, gamma=vector["gamma"], **game)
    y = np.array([0, 1, 2], dtype=np.int32)
    state = BoostState(y, np.ones(3), 3, K, np.zeros((3, K)), *map(np.random.default_rng, (0, 1)))
    state.own = booster.begin(state)
    demand = booster.ask(state)
    expected = np.tile(vector[name][0], (3, 1))
    assert_allclose(true_label_first(demand.cost, y), expected, atol=6e-9)


@every_game
def test_a_learner_that_meets_the_condition_ends_below_the_bound(game):
    """The subset space meets both conditions with edge (K r / n - 1) / (K - 1) = 1/4."""
    space = subsets(6, 3, 3)
    X, T = row_numbers(6), 25
    booster = DriftingGame(T, weak_learner=FiniteSpace(space.predictions), gamma=0.25, **game)
    seen = watch(booster, X, space.y)
    assert min(booster.slack_) >= -1e-12
    assert min(seen.edges) >= 0.25 - 1e-9
    potentials = np.array([booster.bound_, *seen.losses])
    assert (np.diff(potentials) <= 1e-12).all()
    assert_allclose(-np.diff(potentials), booster.slack_, atol=1e-12)
    states = true_label_first(np.rint(seen.scores[-1]).astype(int), space.y)
    eta = np.log(1.25)
    loss = zero_one_loss(states) if game["loss"] == "zero-one" else exponential_loss(states, eta)
    if booster.n_rounds_ == T:
        assert seen.losses[-1] == pytest.approx(loss.mean())
    else:
        assert booster.stop_reason_ == "converged"
    assert loss.mean() <= booster.bound_ + 1e-12
    assert 1 - booster.score(X, space.y) <= booster.bound_


@every_game
def test_votes_are_counted_one_by_one(game):
    X, y = noisy_stumps()
    booster = DriftingGame(12, **game).fit(X, y)
    F = booster.scores(X)
    assert_array_equal(F, np.rint(F))
    assert_array_equal(F.sum(axis=1), booster.n_rounds_)
    P = booster.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_array_equal(P.argmax(axis=1), F.argmax(axis=1))


def test_a_decided_game_ends():
    X, y = row_numbers(4), np.array([0, 1, 2, 0])
    table = np.tile(y[:, None], (1, 10))
    booster = DriftingGame(10, weak_learner=FiniteSpace(table), loss="zero-one").fit(X, y)
    assert booster.stop_reason_ == "converged"
    assert booster.n_rounds_ == 6  # of ten votes six decide
    assert booster.score(X, y) == 1.0


@pytest.mark.parametrize("on_violation", ["go on", "stop"])
def test_a_missed_condition_is_noted_or_ends_the_game(on_violation):
    X, y = row_numbers(4), np.array([0, 1, 2, 0])
    wrong = (y + 1) % 3
    table = np.array([y, wrong, y]).T
    booster = DriftingGame(3, weak_learner=Scripted(table), on_violation=on_violation)
    seen = watch(booster, X, y)
    if on_violation == "stop":
        assert (booster.n_rounds_, booster.stop_reason_) == (1, "condition missed")
        assert len(booster.slack_) == 1
    else:
        assert np.sign(booster.slack_).tolist() == [1, -1, 1]
        assert (np.array(seen.edges) >= 0.1).tolist() == [True, False, True]


def test_the_exponential_game_is_the_strategy_of_constant_steps():
    """The cost matrix (42) and votes of eta, written from the paper; gamma has no effect."""
    _, y = noisy_stumps(4)
    table = np.random.default_rng(3).integers(4, size=(len(y), 25))
    table = np.where(np.random.default_rng(4).random(table.shape) < 0.3, y[:, None], table)
    eta, T, rows = 0.4, 30, np.arange(len(y))
    votes, chosen = np.zeros((len(y), 4)), []
    for _ in range(T):
        C = np.exp(eta * (votes - votes[rows, y][:, None]))
        C[rows, y] = 0.0
        right = np.expm1(-eta) * C.sum(axis=1)
        C *= np.expm1(eta)
        C[rows, y] = right
        costs = C[rows[:, None], table].sum(axis=0)
        chosen.append(int(costs.argmin()))
        votes[rows, table[:, chosen[-1]]] += 1.0
    for gamma in (0.0, 0.3):
        space = FiniteSpace(table)
        booster = DriftingGame(T, weak_learner=space, eta=eta, gamma=gamma)
        booster.fit(row_numbers(len(y)), y)
        assert space.chosen == chosen
        assert_array_equal(booster.scores(row_numbers(len(y))), votes)
    assert len(set(chosen)) > 5
