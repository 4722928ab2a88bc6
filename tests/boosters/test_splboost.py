"""Self-paced boosters: what the paper proves, the limits of lambda, and how they end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification

from boostbench import make_booster
from boostbench.boosters.adaboost import AdaBoost
from boostbench.boosters.splboost import SPLBoost, SPLL2Boost, SPLLogitBoost
from tests.boosters.games import watch

#: Regularisers at the margins the paper uses, and at one scale.
PACES = [
    {"regulariser": "hard", "age": 1.5},
    {"regulariser": "linear", "age": 3.0},
    {"regulariser": "polynomial", "age": 3.0, "power": 1.3},
    {"regulariser": "polynomial", "age": 3.0, "power": 4.0},
    {"regulariser": "mixture", "age": 1.7, "gamma": 1.0},
    {"regulariser": "logarithmic", "age": 3.0, "zeta": 0.1},
]
every_pace = pytest.mark.parametrize("pace", PACES, ids=lambda pace: "-".join(map(str, pace)))
STUMP = "stump"
TREE = {"tree": {"max_depth": 3, "criterion": "entropy", "min_samples_leaf": 2}}


def noisy_problem(n=150, flipped=0.25):
    return make_classification(n, n_informative=4, flip_y=flipped, random_state=0)


def test_a_large_age_is_adaboost_bit_for_bit():
    X, y = noisy_problem()
    plain = AdaBoost(40, weak_learner=TREE).fit(X, y)
    for age in (1e300, np.inf):
        for regulariser in ("hard", "linear", "polynomial"):
            paced = SPLBoost(40, weak_learner=TREE, regulariser=regulariser, age=age).fit(X, y)
            assert_array_equal(paced.scores(X), plain.scores(X))
    warm = SPLBoost(40, weak_learner=TREE, age=1.1, warm_start_rounds=40).fit(X, y)
    assert_array_equal(warm.scores(X), plain.scores(X))


@pytest.mark.parametrize("plain", ["logitboost", "l2boost"])
def test_a_large_age_is_the_plain_regression_booster(plain):
    X, y = noisy_problem()
    expected = make_booster(plain, n_estimators=20).fit(X, y)
    paced = make_booster(f"spl-{plain}", n_estimators=20, age=np.inf).fit(X, y)
    assert_array_equal(paced.scores(X), expected.scores(X))


@every_pace
@pytest.mark.parametrize("weak_learner", [STUMP, TREE], ids=["stump", "tree"])
@pytest.mark.parametrize("max_inner", [1, 10])
def test_the_latent_objective_never_rises(pace, weak_learner, max_inner):
    X, y = noisy_problem()
    for warm in (1, 3):
        booster = SPLBoost(
            25, weak_learner=weak_learner, max_inner=max_inner, warm_start_rounds=warm, **pace
        )
        losses = watch(booster, X, y).losses[warm - 1 :]
        assert (np.diff(losses) <= 1e-9).all()


@every_pace
def test_the_latent_objective_never_rises_under_regression(pace):
    X, y = noisy_problem()
    for booster in (
        SPLLogitBoost(25, halving=True, **pace),
        SPLL2Boost(25, learning_rate=1.0, **pace),
        SPLL2Boost(25, learning_rate=0.3, max_inner=5, **pace),
    ):
        assert (np.diff(watch(booster, X, y).losses[2:]) <= 1e-9).all()


def test_a_perfect_learner_of_what_is_left_ends_the_run():
    X = np.arange(10.0)[:, None]
    y = np.array([0, 0, 0, 1, 0, 1, 1, 0, 1, 1])
    booster = SPLBoost(50, weak_learner=STUMP, age=1.5, warm_start_rounds=1).fit(X, y)
    assert (booster.n_rounds_, booster.stop_reason_) == (3, "perfect weak learner")
    warm = SPLBoost(50, weak_learner=STUMP, age=1.5, warm_start_rounds=5)
    assert warm.fit(X, X[:, 0] > 4).n_rounds_ == 6  # perfect from the first round on


def test_no_sample_left_ends_the_run():
    X, y = np.arange(8.0)[:, None], np.tile([0, 1], 4)
    for booster in (SPLBoost(9, age=0.3), SPLLogitBoost(9, age=0.1), SPLL2Boost(9, age=0.5)):
        booster.set_params(warm_start_rounds=0, weak_learner=STUMP).fit(X, y)
        assert (booster.n_rounds_, booster.stop_reason_) == (1, "no active sample")
        assert np.isfinite(booster.predict_proba(X)).all()


def test_probabilities_follow_the_scores():
    X, y = noisy_problem()
    booster = SPLBoost(10).fit(X, y)
    p = 1 / (1 + np.exp(-2 * booster.decision_function(X)))
    assert_allclose(booster.predict_proba(X)[:, 1], p)
    l2 = SPLL2Boost(10).fit(X, y)
    assert_allclose(
        l2.predict_proba(X)[:, 1], np.clip((1 + l2.decision_function(X)) / 2, 0, 1), atol=1e-12
    )
