"""MCBoost's losses: weights, bounds by the margin, and the Bayes rule at their minimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime, minimize

from boostbench.boosters.cd_mcboost import CDMCBoost
from boostbench.boosters.gd_mcboost import GDMCBoost
from boostbench.boosters.mcboost import LOSSES
from boostbench.boosters.pairwise import pair_costs, pair_margins, pair_risk, pair_weights
from boostbench.theory.codewords import codewords
from tests.boosters.games import smallest_margins
from tests.boosters.vectors import MCBOOST, TEN_DIGITS

every_loss = pytest.mark.parametrize("loss", LOSSES)


def gradient_weights(s, y, loss="exponential"):
    """w (31) of scores s, without the common factor of the exponential weights."""
    v = pair_margins(0.5 * s, y)
    a = pair_weights(v, np.ones((len(y), 1)), LOSSES[loss])
    if loss == "exponential":
        a *= np.exp(-v.min())
    return -0.5 * pair_costs(a, y) @ codewords(s.shape[1])


def test_the_worked_example_of_single_points():
    vector = MCBOOST["pointwise_K3"]
    f, y = np.array(vector["f"]), np.array(vector["y"], dtype=np.int32)
    Y = codewords(3)
    s = f @ Y.T
    v = pair_margins(0.5 * s, y)
    assert_allclose(s, vector["scores"], **TEN_DIGITS)
    assert_allclose(1 + np.exp(-v).sum(axis=1), vector["loss"], **TEN_DIGITS)
    assert_allclose(0.5 * smallest_margins(s, y), vector["margin"], **TEN_DIGITS)
    a = pair_weights(v, np.ones((3, 1)), LOSSES["exponential"]) * np.exp(-v.min())
    assert_allclose(a, vector["a"], **TEN_DIGITS)
    assert_allclose(pair_costs(a, y), vector["cost"], **TEN_DIGITS)
    assert_allclose(GDMCBoost().probabilities(0.5 * s), vector["proba"], **TEN_DIGITS)
    assert_allclose(CDMCBoost().probabilities(s), vector["proba"], **TEN_DIGITS)
    for name, loss in (("w", "exponential"), ("w_logistic", "logistic"), ("w_tangent", "tangent")):
        assert_allclose(gradient_weights(s, y, loss), vector[name], **TEN_DIGITS)


@every_loss
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_weights_are_minus_the_gradient_of_the_risk(loss, n_classes):
    rng = np.random.default_rng(n_classes)
    y = np.arange(4, dtype=np.int32) % n_classes
    cost = rng.random((n_classes, n_classes))[y]
    f, Y = rng.normal(size=(4, n_classes - 1)), codewords(n_classes)

    def risk(f):
        v = pair_margins(0.5 * f.reshape(4, -1) @ Y.T, y)
        return pair_risk(v, cost, LOSSES[loss])

    v = pair_margins(0.5 * f @ Y.T, y)
    a = pair_weights(v, cost, LOSSES[loss])
    a *= np.exp(-v.min()) if loss == "exponential" else 1.0
    C = pair_costs(a, y)
    w = -0.5 * C @ Y
    assert_allclose(w.ravel(), -approx_fprime(f.ravel(), risk, 1e-7), atol=1e-5)
    assert_allclose(w @ Y.T, -n_classes / (2 * (n_classes - 1)) * C, atol=1e-12)
    assert_allclose(C.sum(axis=1), 0.0, atol=1e-12)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 6])
def test_the_population_minimiser_is_the_bayes_rule(loss, n_classes):
    """(17): softmax of the scores are the class probabilities."""
    rng = np.random.default_rng(n_classes)
    p, Y = rng.dirichlet(np.ones(n_classes)), codewords(n_classes)
    y = np.arange(n_classes, dtype=np.int32)

    def risk(f):
        v = pair_margins(0.5 * np.tile(f @ Y.T, (n_classes, 1)), y)
        return pair_risk(v, p[:, None], LOSSES[loss])

    found = minimize(risk, np.zeros(n_classes - 1), tol=1e-12)
    s = found.x @ Y.T
    assert_allclose(s, np.log(p) - np.log(p).mean(), atol=1e-4)
    assert_allclose(CDMCBoost(loss=loss).probabilities(s[None])[0], p, atol=1e-4)
    assert_allclose(GDMCBoost(loss=loss).probabilities(0.5 * s[None])[0], p, atol=1e-4)
    if loss == "exponential":
        assert 1 + found.fun == pytest.approx(np.sqrt(p).sum() ** 2)


def test_class_costs_shift_the_population_minimiser():
    """A cost c_k of every mistake on class k makes it log(c_k p_k)."""
    p, c = np.array([0.5, 0.3, 0.2]), np.array([1.0, 2.0, 4.0])
    X, y = np.zeros((10, 1)), np.repeat([0, 1, 2], [5, 3, 2])
    cost = np.tile(c[:, None], (1, 3))
    for booster in (CDMCBoost(400, cost=cost), GDMCBoost(400, cost=cost)):
        P = booster.fit(X, y).predict_proba(X[:1])[0]
        assert_allclose(P, c * p / (c * p).sum(), atol=1e-6)


def test_the_tangent_loss_has_probabilities_for_two_classes():
    X, y = np.zeros((10, 1)), np.repeat([0, 1], [7, 3])
    for booster in (CDMCBoost(200, loss="tangent"), GDMCBoost(200, loss="tangent")):
        assert_allclose(booster.fit(X, y).predict_proba(X[:1]), [[0.7, 0.3]], atol=1e-4)
