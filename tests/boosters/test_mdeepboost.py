"""Multi-class deep boosting: what the paper proves, the limits, and the kept model."""

import math
import pickle
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.optimize import minimize

from boostbench.boosters import make_booster
from boostbench.boosters.ensemble import Ensemble, on_grid
from boostbench.boosters.mdeepboost import MDeepBoost, tree_complexity
from boostbench.weak_learners import Forest, Greedy
from tests.boosters.descents import descend, noisy_problem

FORMS = [
    {"surrogate": "sum"},
    {"surrogate": "sum", "loss": "logistic"},
    {"surrogate": "comp-sum"},
    {"surrogate": "max-sum"},
    {"surrogate": "max-sum", "loss": "logistic"},
    {"surrogate": "max"},
    {"surrogate": "max", "loss": "logistic"},
]
every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(form.values()))


@every_form
@pytest.mark.parametrize(
    ("direction", "penalties", "step"),
    [  # each pair of two values
        ("projected", (0.0, 0.0), "bound"),
        ("projected", (0.01, 0.005), "exact"),
        ("figure1", (0.0, 0.0), "exact"),
        ("figure1", (0.01, 0.005), "bound"),
    ],
)
def test_the_objective_never_rises(form, direction, penalties, step):
    X, y = noisy_problem()
    seen = descend(
        "mdeepboost", X, y, 4, n_estimators=25, direction=direction, step=step,
        complexity_penalty=penalties[0], l1_penalty=penalties[1], **form,
    )  # fmt: skip
    assert (np.diff(seen.losses) <= 1e-10).all()
    assert (seen.booster.coefficients_ >= 0.0).all()
    assert len(seen.losses) >= 5


@every_form
def test_the_recorded_loss_is_the_objective(form):
    X, y = noisy_problem()
    booster = MDeepBoost(15, complexity_penalty=0.01, l1_penalty=0.005, **form)
    losses = []
    booster.fit(X, y, on_round=lambda info: losses.append(info.loss))
    price = 0.01 * tree_complexity(booster.tree_sizes_, 6, 150) + 0.005
    data_part = booster._loss_part().losses(booster.scores(X), y).mean()
    assert losses[-1] == pytest.approx(data_part + price @ booster.coefficients_, abs=1e-12)


# ---- the optimum ---------------------------------------------------------------------------


def all_stumps(X, n_classes):
    """Return the answers of every stump on the rows, shape (n_stumps, n)."""
    left = [X[:, j] <= t for j in range(X.shape[1]) for t in np.unique(X[:, j])[:-1]]
    pairs = list(product(range(n_classes), repeat=2))
    return np.array([np.where(side, a, b) for side in left for a, b in pairs], dtype=np.int32)


def optimum(part, labels, y, penalty):
    """Minimise loss + penalty * sum(alpha) over alpha >= 0 with a quasi-Newton method."""
    n, n_classes = len(y), y.max() + 1
    onehot = (labels[:, :, None] == np.arange(n_classes)).astype(float).reshape(len(labels), -1)
    weight = np.full(n, 1 / n)

    def value_and_gradient(alpha):
        F = (alpha @ onehot).reshape(n, n_classes)
        D = part.weigh(F, y, weight)
        eps = onehot @ D.cost(y).ravel()
        value = weight @ part.losses(F, y) + penalty * alpha.sum()
        return value, penalty - math.exp(D.log_scale) * (1 - 2 * eps)

    found = minimize(
        value_and_gradient,
        np.zeros(len(labels)),
        jac=True,
        bounds=[(0, None)] * len(labels),
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-9},
    )
    return float(found.fun)


@pytest.mark.parametrize("form", [f for f in FORMS if f["surrogate"] != "max"], ids=str)
def test_projected_descent_reaches_the_optimum_over_all_stumps(form):
    rng = np.random.default_rng(0)
    X, y = rng.random((15, 2)), rng.integers(3, size=15).astype(np.int32)
    y[X[:, 0] > 0.6] = 0
    reached = descend(
        "mdeepboost", X, y, 1, n_estimators=600, complexity_penalty=0.0, l1_penalty=0.02, **form
    )
    best = optimum(reached.booster._loss_part(), all_stumps(X, 3), y, 0.02)
    # L-BFGS may stop short of the optimum too, where rounding ends its line search
    assert reached.losses[-1] == pytest.approx(best, abs=2e-5)
    if form == {"surrogate": "sum"}:
        printed = descend(
            "mdeepboost", X, y, 1, n_estimators=600, direction="figure1",
            complexity_penalty=0.0, l1_penalty=0.02,
        )  # fmt: skip
        assert printed.booster.stop_reason_ == "stationary"
        assert printed.losses[-1] > best + 1e-3


# ---- trees of every size -------------------------------------------------------------------


class Recording(Greedy):
    """Greedy trees whose growth paths are kept."""

    paths: ClassVar[list[Any]]

    def grow_path(self, *arguments):
        path = super().grow_path(*arguments)
        self.paths.append((arguments[1], path))
        return path


def test_without_a_penalty_the_largest_tree_is_taken():
    X, y = noisy_problem()
    learner = Recording(max_depth=3)
    learner.paths = []
    booster = MDeepBoost(
        20, complexity_penalty=0.0, l1_penalty=0.0, reuse=False, weak_learner=learner
    ).fit(X, y)
    assert booster.tree_sizes_.tolist() == [path.max_leaves - 1 for _, path in learner.paths]


# ---- limits --------------------------------------------------------------------------------


def test_a_large_penalty_leaves_the_ensemble_empty():
    X, y = noisy_problem()
    first = descend("adaboost-mr", X, y, 1, n_estimators=1)
    scale = 3 * math.e  # S_1 / m
    limit = scale * (1 - 2 * first.errors[0])
    for factor, n_rounds in [(1.001, 0), (0.999, 1)]:
        booster = make_booster(
            "adaboost-mr-l1", n_estimators=1, l1_penalty=factor * limit, weak_learner="stump"
        ).fit(X, y)
        assert booster.n_rounds_ == n_rounds
        assert booster.stop_reason_ == ("" if n_rounds else "stationary")
    empty = make_booster("adaboost-mr-l1", l1_penalty=2 * limit, weak_learner="stump").fit(X, y)
    assert_array_equal(empty.predict(X), np.zeros(len(y)))
    assert list(empty.staged_scores(X)) == []
    assert empty.coefficients_.shape == empty.tree_sizes_.shape == (0,)


@every_form
def test_separable_data_end_with_a_perfect_model(form):
    X, y = np.arange(40.0)[:, None], np.repeat(np.arange(4), 10)
    seen = descend(
        "mdeepboost", X, y, n_estimators=300, complexity_penalty=0.0, l1_penalty=0.0, **form
    )
    assert seen.booster.stop_reason_ == "perfect weak learner"
    assert seen.booster.score(X, y) == 1.0
    assert np.isfinite(seen.losses).all()


# ---- the model -----------------------------------------------------------------------------


def shrinking_run():
    X, y = noisy_problem()
    learner = {"greedy": {"max_depth": 2}}
    booster = MDeepBoost(300, complexity_penalty=0.05, l1_penalty=0.05, weak_learner=learner)
    return booster.fit(X, y), X


def test_trees_that_were_given_up_leave_no_trace():
    booster, X = shrinking_run()
    alpha = booster.coefficients_
    assert (alpha == 0.0).any()
    assert (alpha > 0.0).any()
    staged = [F.copy() for F in booster.staged_scores(X)]
    assert len(staged) == booster.n_rounds_ > len(alpha)
    assert_array_equal(staged[-1], booster.scores(X))
    forest = booster.model_._parts[0]
    F = np.zeros_like(staged[-1])
    forest.add_scores(X, np.flatnonzero(alpha), alpha[alpha > 0], F)
    assert_array_equal(staged[-1], F)


def test_staged_scores_with_shrinking_trees_equal_a_refit():
    booster, X = shrinking_run()
    y = noisy_problem()[1]
    staged = [F.copy() for F in booster.staged_scores(X)]
    for T in (80, 299):
        refit = MDeepBoost(**(booster.get_params() | {"n_estimators": T})).fit(X, y)
        assert_array_equal(staged[T - 1], refit.scores(X))


def test_the_order_of_steps_does_not_matter():
    def constant(column):
        return Forest(
            feature=[], threshold=[], missing_left=[], left=[], right=[], node_offset=[0, 0],
            leaf_value=[[1.0]], leaf_column=[column], leaf_offset=[0, 1], n_features=1,
        )  # fmt: skip

    steps = [on_grid(eta) for eta in (0.1, 0.7, 1 / 3)]
    f, X = Ensemble(2), np.zeros((1, 1))
    f.add(constant(0), steps[0])
    f.add(constant(0), steps[1])
    f.move([0], steps[2])
    f.move([1], -steps[1])
    f.seal()
    assert (f.n_rounds, f.forest.n_leaves) == (4, 2)
    assert f.scores(X).tolist() == [[steps[0] + steps[2], 0.0]]
    assert [F.copy() for F in f.staged_scores(X)][-1].tolist() == f.scores(X).tolist()
    assert pickle.loads(pickle.dumps(f)).scores(X).tolist() == f.scores(X).tolist()
    f.move([0], steps[1])  # as after a warm start
    assert f.scores(X).tolist() == [[steps[0] + steps[2] + steps[1], 0.0]]
