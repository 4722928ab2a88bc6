"""AdaBoost.MM: the specification's examples, the paper's guarantees, and its other descriptions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.boosters.adaboost_mm import AdaBoostMM
from boostbench.boosters.state import BoostState
from boostbench.theory.bounds import error_bound
from tests.boosters.finite import noisy_stumps
from tests.boosters.games import watch
from tests.boosters.vectors import EIGHT_DIGITS, TEN_DIGITS, THEORY, TOY_X, TOY_Y, TWO_LEAVES
from tests.theory.vectors import loss_factor

STEPS = ("approximate", "exact")

both_steps = pytest.mark.parametrize("step", STEPS)


def masses(C, y, h):
    """A+, A- and L of a cost matrix."""
    rows, right = np.arange(len(y)), h == y
    return -C[right, y[right]].sum(), C[rows, h][~right].sum(), -C[rows, y].sum()


@both_steps
def test_the_worked_example(step):
    vector = THEORY["mm"][step]
    booster = AdaBoostMM(3, weak_learner=TWO_LEAVES, step=step)
    seen = watch(booster, TOY_X, TOY_Y)
    losses_before = [18.0, *vector["loss"][:-1]]
    for t, (trees, tree) in enumerate(zip(seen.hypotheses, THEORY["trees"], strict=True)):
        left, right = trees.leaf_column[[~trees.left[0], ~trees.right[0]]]
        assert [trees.feature[0], trees.threshold[0], left, right] == tree
        assert_array_equal(seen.labels[t], THEORY["hypotheses"][t])
        gained, lost, total = masses(seen.demands[t], TOY_Y, seen.labels[t])
        scale = losses_before[t] / total
        assert gained * scale == pytest.approx(vector["gained"][t], abs=6e-10)
        assert lost * scale == pytest.approx(vector["lost"][t], abs=6e-10)
        assert (gained + lost) / total == pytest.approx(vector["mass"][t], abs=6e-10)
    assert_allclose(seen.edges, vector["delta"], **TEN_DIGITS)
    assert_allclose(seen.sizes, vector["alpha"], **TEN_DIGITS)
    assert_allclose(9 * np.array(seen.losses), vector["loss"], **TEN_DIGITS)
    C = seen.demands[1] * vector["cost_in_round_2"]["0"][0] / seen.demands[1][0, 0]
    for row, cost in vector["cost_in_round_2"].items():
        assert_allclose(C[int(row)], cost, **EIGHT_DIGITS)
    for row, scores in vector["scores"].items():
        assert_allclose(seen.scores[-1][int(row)], scores, **EIGHT_DIGITS)
    P = booster.predict_proba(TOY_X[:1])[0]
    assert_allclose(P, vector["probabilities_of_row_0"], **EIGHT_DIGITS)


@both_steps
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_loss_shrinks_as_promised_in_every_round(step, n_classes):
    X, y = noisy_stumps(n_classes)
    seen = watch(AdaBoostMM(25, weak_learner={"greedy": {"max_leaf_nodes": 3}}, step=step), X, y)
    losses = [n_classes - 1.0, *seen.losses]
    for t, delta in enumerate(seen.edges):
        gained, lost, total = masses(seen.demands[t], y, seen.labels[t])
        c = (gained + lost) / total
        ratio = losses[t + 1] / losses[t]
        alpha = None if step == "exact" else float(seen.sizes[t])
        assert ratio == pytest.approx(loss_factor(delta, min(c, 1.0), alpha), rel=1e-9)
        assert ratio <= np.sqrt(1 - delta**2) + 1e-12
        assert ratio < 1.0
        approximate, exact = np.arctanh(delta), 0.5 * np.log(gained / lost)
        assert approximate <= exact + 1e-12
        assert seen.sizes[t] == pytest.approx(exact if step == "exact" else approximate)
        if n_classes == 2:
            assert c == pytest.approx(1.0)
    errors = [(F.argmax(axis=1) != y).mean() for F in seen.scores]
    assert (errors <= np.array(seen.losses)).all()
    assert (seen.losses <= error_bound(seen.edges, n_classes) + 1e-12).all()


def test_huge_scores_give_finite_costs():
    F = np.array([[1e4, 0.0, -1e4], [0.0, 2e4, 1.0], [5.0, 0.0, 3.0]])
    y = np.array([0, 0, 1], dtype=np.int32)
    state = BoostState(y, np.full(3, 1 / 3), 3, 3, F, np.random.default_rng(0))
    C = AdaBoostMM().ask(state).cost
    assert np.isfinite(C).all()
    assert_allclose(C.sum(axis=1), 0.0)
    assert C.argmax() == 4  # sample 1 taken for class 1
