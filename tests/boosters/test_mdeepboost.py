"""Multi-class deep boosting: worked examples, what the paper proves, special cases, the model."""

import math
import pickle
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from boostbench.boosters import make_booster
from boostbench.boosters.deep_objectives import closed_step
from boostbench.boosters.ensemble import Ensemble, on_grid
from boostbench.boosters.mdeepboost import MDeepBoost, tree_complexity
from boostbench.weak_learners import Forest, Greedy
from tests.boosters.finite import noisy_problem
from tests.boosters.games import watch
from tests.boosters.test_deep_objectives import OBJECTIVES
from tests.boosters.vectors import read

FORMS = [
    {"surrogate": "sum"},
    {"surrogate": "sum", "loss": "logistic"},
    {"surrogate": "comp-sum"},
    {"surrogate": "max-sum"},
    {"surrogate": "max-sum", "loss": "logistic"},
    {"surrogate": "max"},
    {"surrogate": "max", "loss": "logistic"},
]
SHARES = [
    {"leaves": "distribution"},
    {"leaves": "distribution", "loss": "logistic"},
    {"leaves": "distribution", "surrogate": "comp-sum"},
]
every_form = pytest.mark.parametrize("form", FORMS, ids=str)
every_form_and_leaf = pytest.mark.parametrize("form", FORMS + SHARES, ids=str)
FREE = {"complexity_penalty": 0.0, "l1_penalty": 0.0}
X, y = noisy_problem(150, 4, flip_y=0.2, n_features=6)


def descend(name, X, y, depth=2, **parameters):
    """Watch a booster of trees of the given depth."""
    learner = {"tree" if "leaves" in parameters else "greedy": {"max_depth": depth}}
    return watch(make_booster(name, weak_learner=learner, **parameters), X, y)


# ---- the specification's worked examples, to all printed digits ------------------------------

VECTORS = read("deep_boosting")
DATA = np.column_stack([VECTORS["data"]["x1"], VECTORS["data"]["x2"]]).astype(float)
LABELS = np.array(VECTORS["data"]["y"])
EIGHT_DIGITS = {"rtol": 0, "atol": 1e-8}


def test_steps_are_those_of_the_specification():
    for eps, alpha, b, eta in VECTORS["steps"]["rows"]:
        assert closed_step(1 - eps, eps, b, alpha) == pytest.approx(eta, abs=1e-8)


def test_the_complexity_of_trees_is_that_of_the_specification():
    for d, m, n, bound in VECTORS["tree_complexity"]["rows"]:
        assert tree_complexity(n, d, m) == pytest.approx(bound, abs=1e-8)


@pytest.mark.parametrize("kind", ["pairs", "rows"])
def test_distributions_and_losses_are_those_of_the_specification(kind):
    F, y = np.array(VECTORS["weights"]["F"]), np.array(VECTORS["weights"]["y"], dtype=np.int32)
    third = np.full(3, 1 / 3)
    for name, vector in VECTORS["weights"][kind].items():
        part = OBJECTIVES[name]
        D = part.weigh(F, y, third)
        assert 3 * np.exp(D.log_scale) == pytest.approx(vector["S"], abs=1e-8), name
        assert_allclose(D.wrong if kind == "pairs" else D.right, vector["D"], **EIGHT_DIGITS)
        assert third @ part.losses(F, y) == pytest.approx(vector["loss"], abs=1e-8), name
        if "C" in vector:
            C = 2 * D.cost(y) - D.right[:, None]
            assert_allclose(C, vector["C"], **EIGHT_DIGITS)


RUNS = [(name, way) for name, run in VECTORS["runs"].items() for way in run["directions"]]


@pytest.mark.parametrize(("name", "direction"), RUNS)
def test_runs_are_those_of_the_specification(name, direction):
    run = VECTORS["runs"][name]
    scales, sizes, errors, steps, losses, labels, kinds = zip(*run["rounds"], strict=True)
    own = {"n_estimators": len(steps), "direction": direction, **run["parameters"]}
    seen = descend("mdeepboost", DATA, LABELS, run["max_depth"], **own)
    digits = 1e-6 if name in "FG" else 1e-8  # F and G were made with a line search
    assert_allclose((1 - np.array(seen.edges)) / 2, errors, **EIGHT_DIGITS)
    assert_allclose(seen.sizes, steps, rtol=0, atol=digits)
    assert_allclose(seen.losses, losses, **EIGHT_DIGITS)
    assert ["".join(map(str, answers)) for answers in seen.labels] == [*labels]
    new = [size for size, kind in zip(sizes, kinds, strict=True) if kind == "new"]
    assert seen.booster.tree_sizes_.tolist() == new
    part, before = seen.booster._loss_part(), [np.zeros((9, 3)), *seen.scores[:-1]]
    S = [9 * np.exp(part.weigh(F, LABELS, np.full(9, 1 / 9)).log_scale) for F in before]
    assert_allclose(S, scales, rtol=0, atol=digits)


# ---- what the paper proves -----------------------------------------------------------------


@every_form_and_leaf
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
    own = {"complexity_penalty": penalties[0], "l1_penalty": penalties[1], "direction": direction}
    own |= {} if "leaves" in form else {"step": step}
    seen = descend("mdeepboost", X, y, 4, n_estimators=25, **own, **form)
    assert (np.diff(seen.losses) <= 1e-10).all()
    assert (seen.booster.coefficients_ >= 0.0).all()
    assert len(seen.losses) >= 5


@every_form_and_leaf
def test_the_recorded_loss_is_the_objective(form):
    booster = MDeepBoost(15, complexity_penalty=0.01, l1_penalty=0.005, **form)
    losses = watch(booster, X, y).losses
    price = 0.01 * tree_complexity(booster.tree_sizes_, 6, 150) + 0.005
    data_part = booster._loss_part().losses(booster.scores(X), y).mean()
    assert losses[-1] == pytest.approx(data_part + price @ booster.coefficients_, abs=1e-12)


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
    own = {"n_estimators": 600, "complexity_penalty": 0.0, "l1_penalty": 0.02}
    reached = descend("mdeepboost", X, y, 1, **own, **form)
    best = optimum(reached.booster._loss_part(), all_stumps(X, 3), y, 0.02)
    # L-BFGS may stop short of the optimum too, where rounding ends its line search
    assert reached.losses[-1] == pytest.approx(best, abs=2e-5)
    if form == {"surrogate": "sum"}:
        printed = descend("mdeepboost", X, y, 1, direction="figure1", **own)
        assert printed.booster.stop_reason_ == "stationary"
        assert printed.losses[-1] > best + 1e-3


class Recording(Greedy):
    """Greedy trees whose growth paths are kept."""

    paths: ClassVar[list[Any]] = []

    def grow_path(self, *arguments):
        self.paths.append(super().grow_path(*arguments))
        return self.paths[-1]


def test_without_a_penalty_the_largest_tree_is_taken():
    Recording.paths.clear()
    booster = MDeepBoost(20, reuse=False, weak_learner=Recording(max_depth=3), **FREE).fit(X, y)
    assert booster.tree_sizes_.tolist() == [path.max_leaves - 1 for path in Recording.paths]


# ---- the classical algorithms that it contains, against their own formulas -------------------


@pytest.mark.parametrize(
    ("name", "parameters"),
    [  # why one implementation has five names: what the others are in terms of mdeepboost
        ("adaboost-mr", {"direction": "figure1", **FREE}),
        ("adaboost-mr-l1", {"complexity_penalty": 0.0}),
        ("additive-logistic", {"surrogate": "comp-sum", "direction": "figure1", **FREE}),
        ("additive-logistic-l1", {"surrogate": "comp-sum", "complexity_penalty": 0.0}),
    ],
)
def test_each_special_case_is_deep_boosting_with_its_parameters(name, parameters):
    special = make_booster(name, n_estimators=20).fit(X, y)
    general = make_booster("mdeepboost", n_estimators=20, **parameters).fit(X, y)
    assert_array_equal(special.scores(X), general.scores(X))
    assert_allclose(special.predict_proba(X), general.predict_proba(X))


def test_adaboost_mr_is_schapire_and_singers():
    """D over pairs, r and alpha as in their Sec. 8, for h~ = 2 h - 1 with values in [-1, 1]."""
    seen = descend("adaboost-mr", X, y, n_estimators=30, reuse=False)
    n, K = len(y), 4
    wrong = y[:, None] != np.arange(K)
    D = wrong / wrong.sum()
    F = np.zeros((n, K))
    for labels, alpha, scores in zip(seen.labels, seen.sizes, seen.scores, strict=True):
        h = 2.0 * (labels[:, None] == np.arange(K)) - 1.0
        difference = h[np.arange(n), y][:, None] - h
        r = 0.5 * (D * difference).sum()
        assert alpha == pytest.approx(0.5 * np.log((1 + r) / (1 - r)), abs=1e-10)
        D = D * np.exp(-0.5 * alpha * difference)
        D /= D.sum()
        F += alpha * (h + 1) / 2
        assert_allclose(scores, F, atol=1e-9)


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize(
    ("step", "others"), [("bound", ["max-sum"]), ("exact", ["max-sum", "max"])]
)
def test_two_classes_all_objectives_are_one(loss, step, others):
    own = {"n_estimators": 15, "complexity_penalty": 0.005, "l1_penalty": 0.002}
    own |= {"loss": loss, "step": step}
    data = noisy_problem(150, 2, flip_y=0.2, n_features=6)
    expected = descend("mdeepboost", *data, surrogate="sum", **own)
    same = {"max-sum"} | ({"max"} if step == "exact" else set())
    for surrogate in same | ({"comp-sum"} if loss == "logistic" else set()):
        found = descend("mdeepboost", *data, surrogate=surrogate, **own)
        assert_allclose(found.losses, expected.losses, atol=1e-9)
        assert_allclose(found.scores[-1], expected.scores[-1], atol=1e-7)


def test_trees_are_reused_unless_told_not_to():
    for own, n_trees in [({}, range(40)), ({"reuse": False}, [40])]:
        booster = descend("adaboost-mr", X, y, 1, n_estimators=40, **own).booster
        assert len(booster.coefficients_) in n_trees


# ---- limits --------------------------------------------------------------------------------


def test_a_large_penalty_leaves_the_ensemble_empty():
    (edge,) = descend("adaboost-mr", X, y, 1, n_estimators=1).edges
    limit = 3 * math.e * edge  # S_1 / m times the edge
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
    seen = descend("mdeepboost", X, y, n_estimators=300, **FREE, **form)
    assert seen.booster.stop_reason_ == "perfect weak learner"
    assert seen.booster.score(X, y) == 1.0
    assert np.isfinite(seen.losses).all()


# ---- the model -----------------------------------------------------------------------------


def shrinking(n_rounds):
    learner = {"greedy": {"max_depth": 2}}
    booster = MDeepBoost(n_rounds, complexity_penalty=0.05, l1_penalty=0.05, weak_learner=learner)
    return booster.fit(X, y)


def test_trees_that_were_given_up_leave_no_trace_and_stages_equal_a_refit():
    booster = shrinking(300)
    alpha = booster.coefficients_
    assert (alpha == 0.0).any()
    assert (alpha > 0.0).any()
    staged = [F.copy() for F in booster.staged_scores(X)]
    assert len(staged) == booster.n_rounds_ > len(alpha)
    assert_array_equal(staged[-1], booster.scores(X))
    F = np.zeros_like(staged[-1])
    booster.model_.forest.add_scores(X, np.flatnonzero(alpha), alpha[alpha > 0], F)
    assert_array_equal(staged[-1], F)
    for T in (80, 299):
        assert_array_equal(staged[T - 1], shrinking(T).scores(X))


def test_the_order_of_steps_does_not_matter():
    constant = Forest(
        feature=[], threshold=[], missing_left=[], left=[], right=[], node_offset=[0, 0],
        leaf_value=[[1.0]], leaf_column=[0], leaf_offset=[0, 1], n_features=1,
    )  # fmt: skip
    steps = [on_grid(eta) for eta in (0.1, 0.7, 1 / 3)]
    f, X = Ensemble(2), np.zeros((1, 1))
    f.add(constant, steps[0])
    f.add(constant, steps[1])
    f.move([0], steps[2])
    f.move([1], -steps[1])
    f.seal()
    assert (f.n_rounds, f.forest.n_leaves) == (4, 2)
    assert f.scores(X).tolist() == [[steps[0] + steps[2], 0.0]]
    assert [F.copy() for F in f.staged_scores(X)][-1].tolist() == f.scores(X).tolist()
    assert pickle.loads(pickle.dumps(f)).scores(X).tolist() == f.scores(X).tolist()
    f.move([0], steps[1])  # as after a warm start
    assert f.scores(X).tolist() == [[steps[0] + steps[2] + steps[1], 0.0]]
