"""Probabilities are what the loss implies at its minimum over a population."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from boostbench.boosters.adaboost_mh import AdaBoostMH
from boostbench.boosters.samme import SAMME

P = np.array([0.5, 0.3, 0.15, 0.05])
K = len(P)


def test_the_link_of_adaboost_mh():
    def loss(psi):
        return float(P @ np.exp(-psi) + (1 - P) @ np.exp(psi))

    psi = minimize(loss, np.zeros(K), tol=1e-12).x
    # the loss is flat at its minimum: scores are known to the root of the rounding error
    assert_allclose(AdaBoostMH().probabilities(psi[None])[0], P, rtol=1e-5)


@pytest.mark.parametrize("codes", ["votes", "sum to zero"])
def test_the_link_of_samme(codes):
    S = np.full((K, K), -1 / (K - 1))
    np.fill_diagonal(S, 1.0)

    def loss(f):
        if codes == "votes":  # as the booster has it
            return float(P @ np.exp(-(f - f.mean())))
        return float(P @ np.exp(-S @ (f - f.mean()) / K))  # Zhu et al., Sec. 2.1

    f = minimize(loss, np.zeros(K), tol=1e-12).x
    psi = f if codes == "votes" else f / (K - 1)
    assert_allclose(SAMME().probabilities(psi[None])[0], P, rtol=1e-5)


def test_scores_that_are_far_below_zero_have_probabilities_too():
    F = np.array([[-500.0, -500.5], [0.0, -500.0], [-1e6, -2e6]])
    P = AdaBoostMH().probabilities(F)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_allclose(P[:, 0], [np.e / (1 + np.e), 1.0, 1.0])
