"""The Bayes rule of Gaussian classes and its error."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from boostbench.data.catalog import find_entry
from boostbench.theory.gaussians import bayes_error, log_densities


def problem(name):
    params = find_entry(name, ()).params
    return params["means"], params["covariances"]


def test_densities_are_scipys():
    means, covariances = problem("gaussians-mcboost")
    X = np.random.default_rng(0).normal(size=(20, 2)) * 3
    priors = [0.5, 0.3, 0.2]
    parts = zip(means, covariances, priors, strict=True)
    expected = [multivariate_normal(m, S).logpdf(X) + np.log(p) for m, S, p in parts]
    np.testing.assert_allclose(log_densities(X, means, covariances, priors), np.transpose(expected))


@pytest.mark.parametrize(
    ("name", "percent"), [("gaussians-mcboost", 11.445), ("gaussians-spl", 3.281)]
)
def test_the_errors_of_the_papers_problems(name, percent):
    assert 100 * bayes_error(*problem(name)) == pytest.approx(percent, abs=5e-4)


def test_a_line_between_two_equal_gaussians():
    means, spread = [[0, 0], [1, 2]], [[2.0, 0.5], [0.5, 1.0]]
    distance = np.sqrt(np.array(means[1]) @ np.linalg.solve(spread, means[1]))
    error = bayes_error(means, [spread, spread])
    assert error == pytest.approx(norm.cdf(-distance / 2), abs=1e-5)
    p = 0.8  # unequal priors move the line
    log_odds = np.log(p / (1 - p))
    sides = [
        share * norm.cdf(-distance / 2 - sign * log_odds / distance)
        for share, sign in ((p, 1), (1 - p, -1))
    ]
    assert bayes_error(means, [spread, spread], [p, 1 - p]) == pytest.approx(sum(sides), abs=1e-5)
