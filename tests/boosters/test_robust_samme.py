"""SAMME with robust losses: what its module derives, and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification

from boostbench.boosters import SAMME, SPLSAMME, SAMMESavage, SPLBoost
from boostbench.boosters.losses import SAVAGE, Latent
from tests.boosters.games import watch

TREE = {"tree": {"max_leaf_nodes": 8}}
LINEAR = {"regulariser": "linear", "age": 3.0}


def noisy_problem(n_classes):
    return make_classification(
        200, n_informative=5, n_classes=n_classes, flip_y=0.25, random_state=1
    )


def margins(psi, y):
    return np.asarray(psi[np.arange(len(y)), y] - psi.mean(axis=1))


@pytest.mark.parametrize(
    ("booster", "loss"),
    [
        (SAMMESavage(12, weak_learner=TREE), SAVAGE),
        (SPLSAMME(12, weak_learner=TREE, warm_start_rounds=1, **LINEAR), None),
    ],
    ids=["savage", "self-paced"],
)
def test_the_weights_are_the_slopes_of_the_mean_loss_of_the_margins(booster, loss):
    X, y = noisy_problem(4)
    seen = watch(booster, X, y)
    loss = loss or Latent(booster.make_regulariser())
    assert_allclose(seen.losses, [loss.value(margins(psi, y)).mean() for psi in seen.scores])
    for psi, weight in zip(seen.scores, seen.demands[1:], strict=False):
        m = margins(psi, y)
        slope = (loss.value(m - 1e-6) - loss.value(m + 1e-6)) / 2e-6
        assert_allclose(weight, slope / slope.sum(), rtol=1e-4, atol=1e-9)


def test_the_step_is_a_local_minimum_of_the_mean_savage_loss():
    X, y = noisy_problem(4)
    seen = watch(SAMMESavage(12, weak_learner=TREE), X, y)
    assert (np.diff(seen.losses) < 0.0).all()
    for t, (psi, size) in enumerate(zip(seen.scores, seen.sizes, strict=True)):
        m, gain = margins(psi, y), (seen.labels[t] == y) - 0.25
        before, at, after = (SAVAGE.value(m + d * gain).mean() for d in (-1e-3, 0.0, 1e-3))
        assert size > 0.0
        assert at <= min(before, after)


@pytest.mark.parametrize("n_classes", [2, 5])
def test_without_a_limit_of_the_loss_it_is_samme(n_classes):
    X, y = noisy_problem(n_classes)
    plain = SAMME(20, weak_learner=TREE).fit(X, y)
    paced = SPLSAMME(20, weak_learner=TREE, age=np.inf).fit(X, y)
    assert_allclose(paced.scores(X), plain.scores(X), rtol=1e-9)


def test_for_two_classes_it_is_splboost():
    X, y = noisy_problem(2)
    two = watch(SPLBoost(25, weak_learner=TREE, **LINEAR), X, y)
    many = watch(SPLSAMME(25, weak_learner=TREE, **LINEAR), X, y)
    assert_allclose(many.demands, two.demands, rtol=1e-9, atol=1e-15)
    assert_allclose(many.losses, two.losses)
    assert_array_equal(many.scores[-1].argmax(1), two.scores[-1].argmax(1))


def test_the_latent_loss_never_rises_with_many_classes():
    X, y = noisy_problem(5)
    for warm in (1, 3):
        booster = SPLSAMME(30, weak_learner=TREE, warm_start_rounds=warm, **LINEAR)
        assert (np.diff(watch(booster, X, y).losses[warm - 1 :]) <= 1e-9).all()


def test_samples_far_on_the_wrong_side_have_no_weight():
    X, y = noisy_problem(5)
    booster = SPLSAMME(30, weak_learner="stump", age=1.5)
    seen = watch(booster, X, y)
    ignored = np.exp(-margins(seen.scores[-2], y)) >= 1.5
    assert 0 < ignored.sum() < len(y)
    assert_array_equal(seen.demands[-1] == 0.0, ignored)
