"""AdaBoost.M1: worked examples, and when it stops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from boostbench.boosters.adaboost_m1 import AdaBoostM1
from tests.boosters.finite import Scripted, noisy_stumps, row_numbers
from tests.boosters.games import watch
from tests.boosters.vectors import TEN_DIGITS, THEORY, TOY_X, TOY_Y


@pytest.mark.parametrize("learner", ["greedy-info", "greedy"])
def test_the_worked_example(learner):
    vector = THEORY["m1"][learner]
    seen = watch(AdaBoostM1(2, weak_learner={learner: {"max_leaf_nodes": 3}}), TOY_X, TOY_Y)
    for t in range(2):
        assert_array_equal(seen.labels[t], vector["hypotheses"][t])
    assert_allclose(seen.edges, 1 - 2 * np.array(vector["error"]), **TEN_DIGITS)
    assert_allclose(seen.sizes, vector["alpha"], **TEN_DIGITS)
    assert_allclose(seen.demands[0], 1 / 9)
    assert_allclose(seen.demands[1], THEORY["m1"]["distribution_in_round_2"], **TEN_DIGITS)


def test_the_loss_is_a_product_that_bounds_the_error():
    X, y = noisy_stumps()
    seen = watch(AdaBoostM1(15, weak_learner={"greedy": {"max_leaf_nodes": 12}}), X, y)
    error = (1 - np.array(seen.edges)) / 2
    assert_allclose(seen.losses, np.cumprod(2 * np.sqrt(error * (1 - error))), rtol=1e-9)
    errors = [(F.argmax(axis=1) != y).mean() for F in seen.scores]
    assert (errors <= np.array(seen.losses)).all()


def test_trees_of_four_leaves_are_too_weak_for_ten_classes():
    """They name four classes at most, so they err on more than half of the samples."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 10
    X = rng.normal(size=(300, 3)) + y[:, None]
    none = AdaBoostM1(5, keep_first=False).fit(X, y)
    assert (none.stop_reason_, none.n_rounds_) == ("no edge", 0)
    assert set(none.predict(X)) == {0}
    one = AdaBoostM1(5).fit(X, y)
    assert (one.stop_reason_, one.n_rounds_) == ("no edge", 1)
    assert one.score(X, y) > 0.2
    assert_array_equal(one.scores(X).sum(axis=1), 1.0)


def test_the_first_c45_tree_of_iris_is_quinlans():
    X, y = load_iris(return_X_y=True)
    seen = watch(AdaBoostM1(10, weak_learner="c45"), X, y)
    forest = seen.hypotheses[0]
    assert forest.feature.tolist() == [3, 3, 2, 3]
    assert_allclose(forest.threshold, [0.6, 1.7, 4.9, 1.5])
    assert seen.edges[0] == pytest.approx(1 - 2 * 3 / 150)  # three errors
    assert seen.sizes[0] == pytest.approx(np.log(147 / 3))
    assert_allclose(seen.edges, 1 - 2 * reweighted_errors(seen, y))
    assert (seen.scores[-1].argmax(axis=1) == y).all()


def reweighted_errors(seen, y):
    """Return each tree's error under the weights of its round, by the update of the paper."""
    D = np.full(len(y), 1 / len(y))
    errors = []
    for t, alpha in enumerate(seen.sizes):
        wrong = seen.labels[t] != y
        errors.append(D[wrong].sum())
        D *= np.where(wrong, 1.0, np.exp(-alpha))
        D /= D.sum()
    return np.array(errors)


def test_a_later_failure_keeps_what_was_learned():
    y = np.array([0, 1, 2, 0])
    table = np.array([[0, 1, 2, 1], [1, 2, 0, 0], [0, 1, 2, 1]]).T
    booster = AdaBoostM1(3, weak_learner=Scripted(table)).fit(row_numbers(4), y)
    assert (booster.stop_reason_, booster.n_rounds_) == ("no edge", 1)


def test_resampled_trees_are_judged_on_all_samples():
    X, y = noisy_stumps()
    booster = AdaBoostM1(
        5, weak_learner={"greedy": {"max_leaf_nodes": 12}}, resample=True, random_state=0
    )
    seen = watch(booster, X, y)
    for t, shares in enumerate(seen.demands):
        assert_allclose(len(y) * shares, np.rint(len(y) * shares), atol=1e-9)
        assert shares.sum() == pytest.approx(1.0)
        if t:
            D = np.exp(-seen.scores[t - 1][np.arange(len(y)), y])
            error = (D * (seen.labels[t] != y)).sum() / D.sum()
            assert seen.edges[t] == pytest.approx(1 - 2 * error)
    assert_array_equal(booster.predict(X), booster.fit(X, y).predict(X))
