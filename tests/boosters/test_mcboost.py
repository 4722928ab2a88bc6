"""CD-MCBoost and GD-MCBoost: worked examples, losses, descent, and two classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime, minimize, minimize_scalar

from boostbench.boosters.adaboost import AdaBoost
from boostbench.boosters.adaboost_m1 import AdaBoostM1
from boostbench.boosters.adaboost_mm import AdaBoostCost, AdaBoostMM
from boostbench.boosters.cd_mcboost import CDMCBoost
from boostbench.boosters.gd_mcboost import GDMCBoost
from boostbench.boosters.line_search import exponential_step, falling_step
from boostbench.boosters.mcboost import LOSSES
from boostbench.boosters.pairwise import pair_costs, pair_margins, pair_risk, pair_weights
from boostbench.boosters.samme import SAMME
from boostbench.boosters.state import TINY
from boostbench.theory.codewords import codewords
from tests.boosters.finite import noisy_stumps
from tests.boosters.games import masses, smallest_margins, stump_of, watch
from tests.boosters.vectors import DATA_A, DATA_B, LABELS, MCBOOST, TEN_DIGITS

every_loss = pytest.mark.parametrize("loss", LOSSES)
BY_ERROR = {"stump": {"criterion": "error"}}


def test_cd_the_worked_example():
    expected = MCBOOST["cd"]
    seen = watch(CDMCBoost(6), DATA_A, LABELS)
    Y = codewords(3)
    for t, vector in enumerate(expected):
        y_j = Y[:, vector["component"] - 1]
        trees = seen.hypotheses[t]
        leaf = trees.leaf_offset[0] + ~np.array([trees.left[0], trees.right[0]])
        g = trees.leaf_value[leaf] @ y_j / (y_j @ y_j)
        assert [trees.feature[0], trees.threshold[0], *g] == pytest.approx(vector["stump"])
        w = np.array(vector["w"])
        ours = seen.demands[t][:, 0]
        assert_allclose(ours * np.abs(w).max() / np.abs(ours).max(), w, **TEN_DIGITS)
        below = DATA_A[:, trees.feature[0]] <= trees.threshold[0]
        edge = (np.where(below, g[0], g[1]) * w).sum()
        assert edge == pytest.approx(vector["edge"], abs=6e-9)
        assert seen.sizes[t] == pytest.approx(vector["alpha"], abs=6e-10)
        assert 12 * (1 + seen.losses[t]) == pytest.approx(vector["risk"], abs=6e-9)
        error = (seen.scores[t].argmax(axis=1) != LABELS).mean()
        assert error == pytest.approx(vector["train_error"])
    f = 2 / 3 * seen.scores[-1] @ Y
    assert_allclose(f, MCBOOST["cd_final_f"], **TEN_DIGITS)


def tree_of(trees, node=0):
    """[feature, threshold, left, right] of a tree of labels; equal leaves are one."""
    if node < 0:
        return int(trees.leaf_column[~node])
    left, right = (tree_of(trees, int(child[node])) for child in (trees.left, trees.right))
    if left == right and isinstance(left, int):
        return left
    return [int(trees.feature[node]), round(float(trees.threshold[node]), 9), left, right]


@pytest.mark.parametrize(
    ("name", "booster", "per_step"),
    [
        ("gd", GDMCBoost(3), 4 / 3),
        ("adaboost_cost", AdaBoostCost(3), 1),
        ("samme_depth1_B", SAMME(3, weak_learner=BY_ERROR), 1),
        ("m1_depth1_B", AdaBoostM1(3, weak_learner=BY_ERROR), 1),
    ],
)
def test_boosters_of_labels_are_those_of_the_worked_examples(name, booster, per_step):
    seen = watch(booster, DATA_B if name.endswith("_B") else DATA_A, LABELS)
    losses = [2.0, *seen.losses]
    for t, vector in enumerate(MCBOOST[name]):
        assert tree_of(seen.hypotheses[t]) == vector["tree"]
        labels, demand = seen.labels[t], seen.demands[t]
        found = {"alpha": per_step * seen.sizes[t], "delta": seen.edges[t]}
        if demand.ndim == 1:
            found["error"] = demand[labels != LABELS].sum()
        else:
            gained, lost, total = masses(demand, LABELS, labels)
            scale = 12 * losses[t] / total
            found |= {"A_plus": gained * scale, "A_minus": lost * scale}
            found["edge"] = 3 / 4 * seen.edges[t] * 12 * losses[t]
            found["risk"] = 12 * (1 + losses[t + 1])
            found["train_error"] = (seen.scores[t].argmax(axis=1) != LABELS).mean()
        vector = {key: value for key, value in vector.items() if key != "tree"}
        assert {key: found[key] for key in vector} == pytest.approx(vector, abs=6e-9)
        assert found["alpha"] == pytest.approx(vector["alpha"], abs=6e-10)
    F = seen.scores[-1]
    if name == "gd":
        s = 2 * (F - F.mean(axis=1, keepdims=True))
        assert_allclose(s, MCBOOST["gd_final_scores"], **TEN_DIGITS)
    if name == "adaboost_cost":
        assert_allclose(F, MCBOOST["adaboost_cost_final_F"], **TEN_DIGITS)


def test_two_classes_the_worked_example():
    """CD, GD of depth 1 and AdaBoost all give it."""
    y = (LABELS != 0).astype(int)
    cd = watch(CDMCBoost(4), DATA_A, y)
    gd = watch(GDMCBoost(4, weak_learner="stump"), DATA_A, y)
    ada = watch(AdaBoost(4, weak_learner=BY_ERROR), DATA_A, y)
    for t, vector in enumerate(MCBOOST["binary_A_class0_vs_rest"]):
        assert_allclose(ada.demands[t], vector["D"], **TEN_DIGITS)
        for seen in (cd, gd, ada):
            assert seen.sizes[t] == pytest.approx(vector["alpha"], abs=6e-10)
            assert seen.edges[t] == pytest.approx(1 - 2 * vector["error"], abs=6e-10)
            trees = seen.hypotheses[t]
            assert [trees.feature[0], trees.threshold[0]] == pytest.approx(vector["stump"][:2])
        w = np.abs(cd.demands[t][:, 0])
        assert_allclose(w / w.sum(), vector["D"], **TEN_DIGITS)
        assert stump_of(cd.hypotheses[t], 0)[2:] == vector["stump"][2:]


def test_newton_steps_for_two_classes_are_gentle_adaboost():
    X, y = noisy_stumps(2)
    seen = watch(CDMCBoost(8, step="newton"), X, y)
    z, F = np.where(y == 0, 1.0, -1.0), np.zeros(len(y))
    for t in range(8):
        weight = np.exp(-z * F)
        assert_allclose(seen.demands[t][:, 0], z)  # the working response w / h
        trees = seen.hypotheses[t]
        below = X[:, trees.feature[0]] <= trees.threshold[0]
        for side in (below, ~below):
            F[side] += np.average(z[side], weights=weight[side])
        assert_allclose(seen.scores[t], np.column_stack([F, -F]), atol=1e-9)


@every_loss
def test_gd_is_adaboost_mm_with_the_exact_step(loss):
    """Their costs and line searches are the same up to scale, so one implementation is both.

    Here GD-MCBoost is written with codewords, as the paper has it, and compared with ours, which
    knows none.
    """
    X, y = noisy_stumps(4)
    K, n = 4, len(y)
    Y = codewords(K)
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(K - 1, K - 1)))[0]
    seen = watch(GDMCBoost(8, loss=loss), X, y)
    if loss == "exponential":
        mm = watch(AdaBoostMM(8, weak_learner={"tree": {"max_depth": 2}}, step="exact"), X, y)
        assert_array_equal(mm.scores, seen.scores)
        assert_array_equal(mm.sizes, seen.sizes)
    for words in (Y, Y @ rotation):
        f = np.zeros((n, K - 1))
        for t in range(8):
            s = f @ words.T
            v = pair_margins(0.5 * s, y)
            a = LOSSES[loss].weight(v)
            w = 0.5 * (a.sum(axis=1)[:, None] * words[y] - a @ words)  # (31)
            ours, theirs = seen.demands[t], -w @ words.T
            scale = np.abs(ours).sum() / np.abs(theirs).sum()
            assert_allclose(ours, scale * theirs, atol=1e-9 * np.abs(ours).max())
            h = seen.labels[t]
            alpha = 2 * (K - 1) / K * float(seen.sizes[t])
            risks = [
                pair_risk(pair_margins(0.5 * (f + step * words[h]) @ words.T, y), np.ones((1, 1)),
                          LOSSES[loss])
                for step in (alpha, 0.999 * alpha, 1.001 * alpha)
            ]  # fmt: skip
            assert risks[0] <= min(risks[1:]) + 1e-9
            f += alpha * words[h]
            F = seen.scores[t]
            assert_allclose(f @ words.T, 2 * (F - F.mean(axis=1, keepdims=True)), atol=1e-9)


@every_loss
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("orientation", ["recursive", "helmert"])
def test_cd_the_risk_falls_in_every_round_with_an_edge(loss, n_classes, orientation):
    X, y = noisy_stumps(n_classes)
    booster = CDMCBoost(24, loss=loss, orientation=orientation)
    seen = watch(booster, X, y)
    start = (n_classes - 1) * float(LOSSES[loss].value(0.0))
    falls = -np.diff([start, *seen.losses])
    moved = np.array(seen.sizes) > 0
    assert moved.sum() > 18
    assert (falls[moved] > 0).all()
    assert_allclose(falls[~moved], 0.0, atol=1e-12)
    for F in seen.scores:
        assert_allclose(F.sum(axis=1), 0.0, atol=1e-9)


def noisy_bits():
    """Three binary features and three noisy classes, with counts as weights."""
    rng = np.random.default_rng(3)
    X = np.repeat(np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]), 3, axis=0)
    y = np.tile(np.arange(3), 8)
    return X.astype(float), y, rng.integers(1, 9, size=24).astype(float)


@pytest.mark.parametrize(
    "booster",
    [CDMCBoost(600), CDMCBoost(600, orientation="helmert"), GDMCBoost(900, weak_learner="stump")],
)
def test_the_risk_reaches_the_convex_optimum_over_the_stumps(booster):
    X, y, weight = noisy_bits()
    features = np.column_stack([np.ones(24), X])
    Y = codewords(3)

    def risk(theta):
        v = pair_margins(0.5 * features @ theta.reshape(4, 2) @ Y.T, y)
        return pair_risk(v, (weight / weight.sum())[:, None])

    optimum = minimize(risk, np.zeros(8), tol=1e-12).fun
    losses = watch(booster, X, y, sample_weight=weight).losses
    assert losses[-1] == pytest.approx(optimum, abs=1e-6)


def test_cd_stops_when_no_component_has_an_edge():
    X, y = np.zeros((8, 1)), np.tile([0, 1, 2, 3], 2)
    booster = CDMCBoost(50).fit(X, y)
    assert booster.stop_reason_ == "no edge"
    assert_array_equal(booster.scores(X), 0.0)
    assert booster.n_rounds_ == 2  # the third round without edge is the last, and not kept
    assert_array_equal(GDMCBoost(50).fit(X, y).scores(X), 0.0)


def test_separable_classes():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    cap = 0.5 * np.log(1 / TINY)
    for booster in (CDMCBoost(20), GDMCBoost(20)):
        seen = watch(booster, X, (y == 2).astype(int))
        assert booster.stop_reason_ == "perfect weak learner"
        assert_allclose(seen.sizes, [cap])
    gd = GDMCBoost(20).fit(X, y)
    assert (gd.stop_reason_, gd.n_rounds_, gd.score(X, y)) == ("perfect weak learner", 1, 1.0)
    cd = CDMCBoost(60).fit(X, y)
    assert cd.score(X, y) == 1.0
    assert np.isfinite(cd.scores(X)).all()


# ---- losses: weights, bounds by the margin, and the Bayes rule at their minimum -----------------


def gradient_costs(s, y, loss, cost):
    """Return the costs of scores s, without the common factor of the exponential weights."""
    v = pair_margins(0.5 * s, y)
    a = pair_weights(v, cost, LOSSES[loss])
    return pair_costs(a * np.exp(-v.min()) if loss == "exponential" else a, y)


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
        w = -0.5 * gradient_costs(s, y, loss, np.ones((3, 1))) @ Y
        assert_allclose(w, vector[name], **TEN_DIGITS)


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

    C = gradient_costs(f @ Y.T, y, loss, cost)
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


# ---- step sizes, against a bounded scalar minimiser and closed forms --------------------------


CAP = 0.5 * np.log(1e10)


def test_a_step_is_that_of_the_worked_example():
    c, v = (np.array(MCBOOST["line_search"][name]) for name in ("c", "rate"))
    assert exponential_step(c, v) == pytest.approx(MCBOOST["line_search"]["alpha"], abs=6e-11)


def test_no_step_of_a_bounded_minimiser_is_better():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        c = 10 ** rng.uniform(-16, 0, size=rng.integers(2, 30))
        v = rng.choice([rng.normal(size=len(c)), rng.integers(-2, 3, size=len(c)) * 0.7])
        step = exponential_step(c, v)
        cap = CAP / np.abs(v).max()

        def Z(alpha, c=c, v=v):
            return float(c @ np.exp(alpha * v))

        found = minimize_scalar(Z, bounds=(0.0, cap), method="bounded", options={"xatol": 1e-12})
        assert 0.0 <= step <= cap + 1e-9, seed
        assert Z(step) <= min(found.fun, Z(0.0), Z(cap)) * (1 + 1e-12), seed


@pytest.mark.parametrize("ratio", [1.0001, 3.0, 1e4, 1e9])
def test_two_rates_have_a_closed_form(ratio):
    c, v = np.array([ratio, 1.0, 5.0]), np.array([-0.75, 0.75, 0.0])
    assert exponential_step(c, v) == pytest.approx(np.log(ratio) / 1.5, rel=1e-8)


@pytest.mark.parametrize(
    ("c", "v", "step"),
    [
        ([1.0, 2.0], [-0.5, -2.0], CAP / 2),
        ([1.0, 0.0], [-1.0, 1.0], CAP),
        ([1.0, 1e-30], [-1.0, 1.0], CAP),
        ([1.0, 2.0], [-1.0, 1.0], 0.0),
        ([0.0, 0.0], [-1.0, 1.0], 0.0),
        ([1.0], [0.0], 0.0),
    ],
)
def test_only_decreasing_sums_are_capped(c, v, step):
    assert exponential_step(np.array(c), np.array(v)) == pytest.approx(step, abs=0)


def test_any_risk_is_lowered_or_left():
    assert falling_step(lambda a: (a - 3.0) ** 2, 10.0) == pytest.approx(3.0, abs=1e-6)
    assert falling_step(lambda a: -a, 10.0) == pytest.approx(10.0, abs=1e-6)
    assert falling_step(lambda a: a, 10.0) == 0.0
    assert falling_step(lambda a: np.cos(a), 10.0) == pytest.approx(np.pi, abs=1e-4)
