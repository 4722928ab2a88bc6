"""The training error is at most the objective over what a wrong answer costs at least."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench import make_booster
from tests.boosters.finite import noisy_stumps
from tests.boosters.games import each_round, watch
from tests.boosters.test_common import BINARY, TABLE

#: Boosters whose objective says nothing of the error, with the parameters that make it so.
SILENT = {
    "samme": {},
    "samme-savage": {},
    "spl-samme": {},
    "sm-boost": {"cost": [[0, 0, 1]] * 3},
    "lpboost": {},
    "rmboost": {},
}


def course(name, n_classes, **params):
    """Return the booster, and errors and bounds round by round, on noisy data."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 9, (150, 3)).astype(np.float64)
    y = np.minimum((X[:, 0] + X[:, 1]) // 4, n_classes - 1).astype(np.int64)
    y = np.where(rng.random(150) < 0.15, rng.integers(0, n_classes, 150), y)

    def told(info):
        wrong = info.scores.argmax(axis=1)[info.row_of] != y
        return wrong.mean(), info.bound

    booster = make_booster(name, n_estimators=10, **params)
    return booster, *np.transpose(each_round(booster, X, y, told))


#: Boosters whose margin, the score of the label less the mean, is an error's only for two classes.
OF_TWO_CLASSES = {"samme", "samme-savage", "spl-samme"}


@pytest.mark.parametrize("name", sorted(set(TABLE) - {"lpboost", "rmboost"}))
def test_the_bound_holds_in_every_round(name):
    for n_classes in (2,) if name in BINARY | OF_TWO_CLASSES else (2, 3, 4):
        _, error, bound = course(name, n_classes, **TABLE[name])
        assert np.isfinite(bound).all()
        assert (error <= bound + 1e-12).all()


def test_a_cost_scales_the_bound_of_the_error():
    cost = [[0, 3, 4], [5, 0, 2], [2, 6, 0]]
    for name in ("cd-mcboost", "gd-mcboost", "sm-boost"):
        _, error, bound = course(name, 3, cost=cost)
        assert (error <= bound + 1e-12).all()


def test_the_sign_rule_needs_twice_the_bound():
    _, _, score = course("adaboost-mh", 3)
    _, _, sign = course("adaboost-mh", 3, rule="sign")
    assert_allclose(sign, 2 * score)


@pytest.mark.parametrize("name", sorted(SILENT))
def test_where_the_objective_says_nothing_there_is_no_bound(name):
    n_classes = 2 if name in BINARY else 3
    assert np.isnan(course(name, n_classes, **SILENT[name])[2]).all()


def test_samme_of_two_classes_is_adaboost_and_has_its_bound():
    weak_learner = {"greedy": {"max_leaf_nodes": 4}}
    bounds = [course(name, 2, weak_learner=weak_learner)[2] for name in ("samme", "adaboost")]
    assert_allclose(*bounds)


@pytest.mark.parametrize(
    ("name", "weak_learner"),
    [
        ("adaboost", "stump"),
        ("adaboost-m1", {"greedy": {"max_leaf_nodes": 12}}),
        ("adaboost-mh", None),
        ("adaboost-mh", "multilabel-stump"),
        ("adaboost-mh", {"multilabel-stump": {"answers": "factored"}}),
        ("adaboost-mh-label", None),
        ("adaboost-mh-real", None),
    ],
)
def test_the_loss_is_the_product_of_what_each_edge_leaves(name, weak_learner):
    booster = make_booster(name, n_estimators=15, weak_learner=weak_learner)
    seen = watch(booster, *noisy_stumps(2 if name in BINARY else 3))
    edges = np.array(seen.edges)
    assert len(edges) == 15
    left = 1 - edges if name == "adaboost-mh-real" else np.sqrt(1 - edges**2)
    assert_allclose(seen.losses, np.cumprod(left), rtol=1e-9)


@pytest.mark.parametrize("name", ["adaboost-mm", "adaboost-cost", "gd-mcboost"])
def test_the_bound_by_the_edges_is_theorem_25(name):
    X, y = noisy_stumps()
    booster = make_booster(name, n_estimators=10)
    rounds = each_round(booster, X, y, lambda info: (info.step.edge, info.bound))
    edges, bounds = np.transpose(rounds)
    K = len(booster.classes_)
    expected = (K - 1) * np.cumprod(np.sqrt(1 - np.square(edges)))
    assert_allclose(booster.edge_bound(edges, K), expected)
    assert (bounds <= expected + 1e-12).all()


def test_the_first_potential_of_a_drifting_game_is_a_bound():
    weak_learner = {"greedy": {"max_leaf_nodes": 12}}
    booster, error, bound = course("drifting-game", 3, weak_learner=weak_learner)
    assert min(booster.slack_) >= 0
    assert_allclose(booster.edge_bound([0.2] * 3, 3), [booster.bound_] * 3)
    assert error[-1] <= bound[-1] <= booster.bound_
    assert booster.edge_bound([0.2, 0.05], 3) is None


def test_other_losses_and_costs_have_no_bound_by_the_edges():
    for params in ({"loss": "logistic"}, {"cost": "ordinal"}):
        booster, _, _ = course("gd-mcboost", 3, **params)
        assert booster.edge_bound([0.5], 3) is None
    assert make_booster("adaboost-mh").edge_bound([0.5], 3) is None
