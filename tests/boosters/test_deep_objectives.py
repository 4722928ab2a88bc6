"""The four objectives of multi-class deep boosting: derivatives, steps, and how they compare."""

import math

import numpy as np
import pytest

from boostbench.boosters.deep_objectives import (
    EXPONENTIAL,
    LOGISTIC,
    MAX_STEP,
    CompSum,
    Max,
    MaxSum,
    Sum,
    error_of,
)

OBJECTIVES = {
    "sum exponential": Sum(EXPONENTIAL),
    "sum logistic": Sum(LOGISTIC),
    "comp-sum": CompSum(),
    "max-sum exponential": MaxSum(EXPONENTIAL),
    "max-sum logistic": MaxSum(LOGISTIC),
    "max exponential": Max(EXPONENTIAL),
    "max logistic": Max(LOGISTIC),
}
every_objective = pytest.mark.parametrize("name", OBJECTIVES)

#: Leave for the rounding of sums of some hundred terms, relative to losses of any size.
_UP = 1 + 1e-12


class Problem:
    """Scores that six random classifiers could have made, and one more classifier."""

    def __init__(self, seed, n_classes=4, n=12):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(n_classes, size=n).astype(np.int32)
        self.weight = rng.dirichlet(np.ones(n))
        self.F = np.zeros((n, n_classes))
        for alpha in rng.random(6):
            self.F[np.arange(n), rng.integers(n_classes, size=n)] += alpha
        self.labels = rng.integers(n_classes, size=n).astype(np.int32)
        right = rng.random(n) < rng.random()
        self.labels[right] = self.y[right]

    def loss(self, objective, eta):
        F = self.F.copy()
        F[np.arange(len(self.y)), self.labels] += eta
        return float(self.weight @ objective.losses(F, self.y))

    def weigh(self, objective, down=False):
        """Return S/m and eps of the classifier."""
        D = objective.weigh(self.F, self.y, self.weight)
        D = D.downwards() if down else D
        return math.exp(D.log_scale), error_of(self.labels, D.cost(self.y))


@every_objective
def test_the_derivative_is_minus_scale_times_edge(name):
    objective = OBJECTIVES[name]
    for seed in range(20):
        problem, tiny = Problem(seed), 1e-5
        scale, eps = problem.weigh(objective)
        slope = (problem.loss(objective, tiny) - problem.loss(objective, -tiny)) / (2 * tiny)
        assert slope == pytest.approx(-scale * (1 - 2 * eps), abs=1e-6)


@pytest.mark.parametrize("name", ["max exponential", "max logistic"])
def test_max_has_two_derivatives_where_labels_tie(name):
    objective = OBJECTIVES[name]
    for seed in range(20):
        problem, tiny = Problem(seed), 1e-7
        problem.F = np.round(problem.F)
        for down in (False, True):
            eta = -tiny if down else tiny
            slope = (problem.loss(objective, eta) - problem.loss(objective, 0.0)) / eta
            scale, eps = problem.weigh(objective, down)
            assert slope == pytest.approx(-scale * (1 - 2 * eps), abs=1e-5)


@every_objective
def test_the_exact_step_minimises_the_objective(name):
    objective = OBJECTIVES[name]
    for seed in range(20):
        problem = Problem(seed)
        alpha, penalty = 0.3, 0.1 * (seed % 3)
        D = objective.weigh(problem.F, problem.y, problem.weight)
        step = objective.exact_step(
            problem.F, problem.y, problem.weight, D, problem.labels,
            penalty * D.inverse_scale, alpha,
        )  # fmt: skip
        etas = np.append(np.linspace(-alpha, 4.0, 200), step)
        values = [problem.loss(objective, eta) + penalty * eta for eta in etas]
        assert -alpha <= step <= MAX_STEP + 1e-9
        assert values[-1] <= min(values) * _UP


@every_objective
def test_the_objectives_bound_the_training_error(name):
    objective = OBJECTIVES[name]
    at_one = math.e if "exponential" in name else math.log2(1 + math.e)
    for seed in range(50):
        problem = Problem(seed)
        others = problem.F.copy()
        others[np.arange(len(others)), problem.y] = -np.inf
        wrong = problem.F[np.arange(len(others)), problem.y] <= others.max(axis=1)
        assert problem.weight @ wrong <= problem.loss(objective, 0.0) / at_one * _UP


def test_the_offset_is_the_margin_of_phi_at_zero():
    problem = Problem(0)
    textbook = CompSum(offset=0.0).losses(problem.F, problem.y)
    p = np.exp(problem.F) / np.exp(problem.F).sum(axis=1, keepdims=True)
    assert textbook == pytest.approx(-np.log2(p[np.arange(len(p)), problem.y]))
    shifted = Sum(offset=0.0).losses(problem.F, problem.y)
    assert math.e * shifted == pytest.approx(Sum().losses(problem.F, problem.y))


def test_huge_margins_neither_overflow_nor_underflow():
    y = np.array([0, 1], dtype=np.int32)
    F = np.array([[2000.0, 0.0, 0.0], [0.0, 2000.0, 1999.0]])
    for name, objective in OBJECTIVES.items():
        D = objective.weigh(F, y, np.full(2, 0.5))
        assert np.isfinite(D.log_scale), name
        assert D.right.sum() == pytest.approx(1.0), name
        assert np.isfinite(D.inverse_scale), name
