"""The boosters of the SPLBoost paper, and SAMME with robust losses: vectors, theory, limits."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from boostbench import make_booster
from boostbench.boosters import SPLSAMME, SAMMESavage, SPLBoost, SPLL2Boost, SPLLogitBoost
from boostbench.boosters.losses import SAVAGE, Latent
from tests.boosters.finite import noisy_problem
from tests.boosters.games import each_round, watch
from tests.boosters.vectors import read

#: Regularisers at the margins the paper uses, and at one scale.
PACES = [
    {"regulariser": "hard", "age": 1.5},
    {"regulariser": "linear", "age": 3.0},
    {"regulariser": "polynomial", "age": 3.0, "power": 1.3},
    {"regulariser": "polynomial", "age": 3.0, "power": 4.0},
    {"regulariser": "mixture", "age": 1.7, "gamma": 1.0},
    {"regulariser": "logarithmic", "age": 3.0, "zeta": 0.1},
]
STUMP = "stump"
TREE = {"tree": {"max_depth": 3, "criterion": "entropy", "min_samples_leaf": 2}}
LEAVES = {"tree": {"max_leaf_nodes": 8}}


def margins(psi, y):
    return psi[np.arange(len(y)), y] - psi.mean(axis=1)


# ---- the specification's ten rows, to all printed digits --------------------------------------

VECTORS = read("spl_boosting")
ROWS = np.column_stack([VECTORS["x1"], VECTORS["x2"]]).astype(float)
REGRESSIONS = {"gentleboost", "logitboost", "rboost1", "spl-logitboost", "spl-l2boost"}


def answers_of(trees):
    """Return what a stump answers for <= and for >, in the paper's -1, +1 or real numbers."""
    leaves = [~trees.left[0], ~trees.right[0]]
    if trees.width == 2:
        return [float(np.diff(trees.leaf_value[leaf])[0]) for leaf in leaves]
    return [2.0 * trees.leaf_column[leaf] - 1.0 for leaf in leaves]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["booster"])
def test_every_number_of_every_round_is_that_of_the_specification(case):
    # the specification's stump minimises the weighted error
    learner = STUMP if case["booster"] in REGRESSIONS else {"stump": {"criterion": "error"}}
    own = {"n_estimators": len(case["rounds"]), "weak_learner": learner, **case["parameters"]}
    booster = make_booster(case["booster"], **own)

    def asked(state, demand, h):
        paced = hasattr(booster, "latent_weights")
        return demand.weight.ravel(), booster.latent_weights(state) if paced else None, h.trees

    def told(info, noted):
        weights, latent, trees = noted
        F = (info.scores[:, 1] - info.scores[:, 0])[info.row_of]
        return {
            "feature": trees.feature[0] + 1,
            "threshold": trees.threshold[0],
            "answers": answers_of(trees),
            "weights": weights[info.row_of],
            "latent_weights": None if latent is None else latent[info.row_of],
            "F": F,
            "step": info.step.size,
            "latent": 10 * info.loss,
            "time": getattr(info.state.own, "time", None),
            "next_weights": booster.weights(info.state)[info.row_of],
        }

    rounds = each_round(booster, ROWS, np.array(VECTORS["y"]), told, asked)
    for found, expected in zip(rounds, case["rounds"], strict=True):
        for name in expected:
            assert_allclose(found[name], expected[name], rtol=0, atol=6e-7, err_msg=name)
    assert_allclose(rounds[-1]["next_weights"], case["next_weights"], rtol=0, atol=6e-7)


# ---- descent -----------------------------------------------------------------------------------


@pytest.mark.parametrize("pace", PACES, ids=str)
@pytest.mark.parametrize(
    "booster",
    [
        *(
            SPLBoost(25, weak_learner=learner, max_inner=n_inner, warm_start_rounds=n_warm)
            for learner, n_inner, n_warm in product([STUMP, TREE], [1, 10], [1, 3])
        ),
        SPLLogitBoost(25, halving=True),
        SPLL2Boost(25, learning_rate=1.0),
        SPLL2Boost(25, learning_rate=0.3, max_inner=5),
        SPLSAMME(30, weak_learner=LEAVES, warm_start_rounds=1),
        SPLSAMME(30, weak_learner=LEAVES),
    ],
    ids=str,
)
def test_the_latent_objective_never_rises(pace, booster):
    X, y = noisy_problem(n_classes=5 if isinstance(booster, SPLSAMME) else 2)
    paced = clone(booster).set_params(**pace)
    losses = watch(paced, X, y).losses[paced.warm_start_rounds - 1 :]
    assert (np.diff(losses) <= 1e-9).all()


@pytest.mark.parametrize("booster", [SAMMESavage(12), SPLSAMME(12, warm_start_rounds=1)], ids=str)
def test_the_weights_are_the_slopes_of_the_mean_loss_of_the_margins(booster):
    X, y = noisy_problem(n_classes=4)
    booster.set_params(weak_learner=LEAVES)
    loss = SAVAGE
    if isinstance(booster, SPLSAMME):
        loss = Latent(booster.set_params(**PACES[1]).make_regulariser())
    seen = watch(booster, X, y)
    assert_allclose(seen.losses, [loss.value(margins(psi, y)).mean() for psi in seen.scores])
    for psi, weight in zip(seen.scores, seen.demands[1:], strict=False):
        m = margins(psi, y)
        slope = (loss.value(m - 1e-6) - loss.value(m + 1e-6)) / 2e-6
        assert_allclose(weight, slope / slope.sum(), rtol=1e-4, atol=1e-9)


def test_the_step_is_a_local_minimum_of_the_mean_savage_loss():
    X, y = noisy_problem(n_classes=4)
    seen = watch(SAMMESavage(12, weak_learner=LEAVES), X, y)
    assert (np.diff(seen.losses) < 0.0).all()
    for psi, size, labels in zip(seen.scores, seen.sizes, seen.labels, strict=True):
        m, gain = margins(psi, y), (labels == y) - 0.25
        before, at, after = (SAVAGE.value(m + d * gain).mean() for d in (-1e-3, 0.0, 1e-3))
        assert size > 0.0
        assert at <= min(before, after)


# ---- relations -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "plain", "own"),
    [
        ("splboost", "adaboost", {"regulariser": "hard", "age": 1e300}),
        ("splboost", "adaboost", {"regulariser": "linear", "age": np.inf}),
        ("splboost", "adaboost", {"regulariser": "polynomial", "age": 1e300}),
        ("splboost", "adaboost", {"age": 1.1, "warm_start_rounds": 40}),
        ("spl-logitboost", "logitboost", {"age": np.inf}),
        ("spl-l2boost", "l2boost", {"age": np.inf}),
        ("spl-samme", "samme", {"age": np.inf}),
    ],
)
def test_without_a_limit_of_the_loss_it_is_the_plain_booster(name, plain, own):
    for n_classes in (2, 5) if name == "spl-samme" else (2,):
        X, y = noisy_problem(n_classes=n_classes)
        learner = TREE if plain in ("adaboost", "samme") else None
        of_both = {"n_estimators": 40, "weak_learner": learner}
        expected = make_booster(plain, **of_both).fit(X, y).scores(X)
        found = make_booster(name, **of_both, **own).fit(X, y).scores(X)
        # the margins of SAMME are sums of other numbers
        assert_allclose(found, expected, rtol=1e-9 if plain == "samme" else 0)


def test_for_two_classes_spl_samme_is_splboost():
    X, y = noisy_problem(200)
    two = watch(SPLBoost(25, weak_learner=LEAVES, **PACES[1]), X, y)
    many = watch(SPLSAMME(25, weak_learner=LEAVES, **PACES[1]), X, y)
    assert_allclose(many.demands, two.demands, rtol=1e-9, atol=1e-15)
    assert_allclose(many.losses, two.losses)
    assert_array_equal(many.scores[-1].argmax(1), two.scores[-1].argmax(1))


def test_samples_far_on_the_wrong_side_have_no_weight():
    X, y = noisy_problem(n_classes=5)
    seen = watch(SPLSAMME(30, weak_learner=STUMP, age=1.5), X, y)
    ignored = np.exp(-margins(seen.scores[-2], y)) >= 1.5
    assert 0 < ignored.sum() < len(y)
    assert_array_equal(seen.demands[-1] == 0.0, ignored)


# ---- ends ----------------------------------------------------------------------------------------


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
    expected = np.clip((1 + l2.decision_function(X)) / 2, 0, 1)
    assert_allclose(l2.predict_proba(X)[:, 1], expected, atol=1e-12)
