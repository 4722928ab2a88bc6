"""The multiclass AdaBoosts: worked examples, what their papers prove, when they stop."""

import os
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from boostbench.boosters import (
    SAMME,
    AdaBoostM1,
    AdaBoostMH,
    AdaBoostMHLabel,
    AdaBoostMHReal,
    AdaBoostMM,
)
from boostbench.boosters.adaboost_mh import hamming_weights
from boostbench.boosters.state import BoostState
from boostbench.portable import exp, total
from boostbench.threads import threads
from boostbench.weak_learners import BinaryLabels
from boostbench.weak_learners.multilabel import MultiLabelStump
from tests.boosters.finite import Scripted, noisy_problem, noisy_stumps, row_numbers
from tests.boosters.games import masses, watch
from tests.boosters.vectors import (
    DATA_A,
    EIGHT_DIGITS,
    LABELS,
    MCBOOST,
    TEN_DIGITS,
    THEORY,
    TOY_X,
    TOY_Y,
    TWO_LEAVES,
)
from tests.theory.vectors import loss_factor

X, y = load_iris(return_X_y=True)

# ---- SAMME, and AdaBoost.MH with a tree for each class -------------------------------------------


def test_samme_the_loss_never_rises():
    X, y = noisy_problem(n_classes=3)
    seen = watch(SAMME(30, weak_learner="stump"), X, y)
    assert (np.diff([1.0, *seen.losses]) <= 1e-12).all()


def test_samme_agrees_with_scikit_learn():
    ours = SAMME(10, weak_learner="stump").fit(X, y)
    theirs = AdaBoostClassifier(
        DecisionTreeClassifier(max_leaf_nodes=2), n_estimators=10, random_state=0
    ).fit(X, y)
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert_array_equal(mine, other)
    assert_allclose(watch(SAMME(10, weak_learner="stump"), X, y).sizes, theirs.estimator_weights_)


def test_importances_are_those_of_scikit_learn():
    no_ties = X + np.random.default_rng(0).normal(size=X.shape) * 0.3
    ours = SAMME(8, weak_learner={"tree": {"max_leaf_nodes": 4}}).fit(no_ties, y)
    theirs = AdaBoostClassifier(
        DecisionTreeClassifier(max_leaf_nodes=4), n_estimators=8, random_state=0
    ).fit(no_ties, y)
    assert_array_equal(ours.predict(no_ties), theirs.predict(no_ties))
    assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6)


def test_stumps_of_a_round_share_it_by_their_gains():
    booster = AdaBoostMH(1, weak_learner="stump").fit(X, y)
    (forest,) = booster.model_._parts
    gains = np.bincount(forest.feature, forest.gain, 4)
    assert_allclose(booster.feature_importances_, gains / gains.sum())


def test_the_printed_rule_of_mh_takes_the_first_positive_class():
    X, y = noisy_problem(n_classes=3)
    by_score = AdaBoostMH(3, weak_learner="stump").fit(X, y)
    by_sign = AdaBoostMH(3, weak_learner="stump", rule="sign").fit(X, y)
    F = by_score.scores(X)
    assert_array_equal(by_sign.predict(X), (F > 0).argmax(axis=1))
    assert (by_sign.predict(X) != by_score.predict(X)).any()


@pytest.mark.data
@pytest.mark.parametrize(
    ("booster", "errors"), [(AdaBoostMH, {10: 61, 100: 47}), (SAMME, {10: 73, 100: 55})]
)
def test_dna_has_exactly_the_papers_errors(booster, errors):
    """Geist 2015, Table 2: 5.14 and 3.96 %, 6.15 and 4.64 % of 1186."""
    folder = os.environ.get("BOOSTBENCH_DATA")
    if not folder or not os.path.exists(f"{folder}/dna.csv.gz"):
        pytest.skip("the dna data are not in BOOSTBENCH_DATA")
    frame = pd.read_csv(f"{folder}/dna.csv.gz")
    train, test = frame[frame.split == "train"], frame[frame.split == "test"]
    X, X_test = (part.drop(columns=["split", "target"]).to_numpy(float) for part in (train, test))
    fitted = booster(100).fit(X, train.target)
    counts = [int((labels != test.target).sum()) for labels in fitted.staged_predict(X_test)]
    assert {T: counts[T - 1] for T in errors} == errors


# ---- AdaBoost.M1 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["greedy-info", "greedy"])
def test_m1_is_that_of_the_worked_example(learner):
    vector = THEORY["m1"][learner]
    seen = watch(AdaBoostM1(2, weak_learner={learner: {"max_leaf_nodes": 3}}), TOY_X, TOY_Y)
    for t in range(2):
        assert_array_equal(seen.labels[t], vector["hypotheses"][t])
    assert_allclose(seen.edges, 1 - 2 * np.array(vector["error"]), **TEN_DIGITS)
    assert_allclose(seen.sizes, vector["alpha"], **TEN_DIGITS)
    assert_allclose(seen.demands[0], 1 / 9)
    assert_allclose(seen.demands[1], THEORY["m1"]["distribution_in_round_2"], **TEN_DIGITS)


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


# ---- AdaBoost.MM ---------------------------------------------------------------------------------


both_steps = pytest.mark.parametrize("step", ["approximate", "exact"])


@both_steps
def test_mm_is_that_of_the_worked_example(step):
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
def test_the_loss_of_mm_shrinks_as_promised_in_every_round(step, n_classes):
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


def test_huge_scores_give_finite_costs():
    F = np.array([[1e4, 0.0, -1e4], [0.0, 2e4, 1.0], [5.0, 0.0, 3.0]])
    y = np.array([0, 0, 1], dtype=np.int32)
    state = BoostState(y, np.full(3, 1 / 3), 3, 3, F, *map(np.random.default_rng, (0, 1)))
    C = AdaBoostMM().ask(state).cost
    assert np.isfinite(C).all()
    assert_allclose(C.sum(axis=1), 0.0)
    assert C.argmax() == 4  # sample 1 taken for class 1


# ---- AdaBoost.MH: answers that are labels, reals, or signs of a stump ----------------------------


VARIANTS = {
    "trees": (AdaBoostMH, {}),
    "label": (AdaBoostMHLabel, {}),
    "real": (AdaBoostMHReal, {}),
    "discrete": (AdaBoostMH, {"weak_learner": "multilabel-stump"}),
    "factored": (AdaBoostMH, {"weak_learner": {"multilabel-stump": {"answers": "factored"}}}),
}
every_variant = pytest.mark.parametrize("variant", VARIANTS)


def made(variant, rounds):
    booster_class, parameters = VARIANTS[variant]
    return booster_class(rounds, **parameters)


def sums(variant, F):
    """Return psi; a label booster's scores are votes."""
    return 2 * F - F.sum(axis=1, keepdims=True) if variant == "label" else F


def test_mh_of_labels_is_that_of_the_worked_example():
    vector = THEORY["mh_label"]
    seen = watch(AdaBoostMHLabel(3, weak_learner=TWO_LEAVES), TOY_X, TOY_Y)
    for t in range(3):
        assert_array_equal(seen.labels[t], THEORY["hypotheses"][t])
    assert_allclose(seen.edges, 1 - 2 * np.array(vector["error"]), **TEN_DIGITS)
    assert_allclose(seen.sizes, vector["alpha"], **TEN_DIGITS)


@pytest.mark.parametrize(
    ("variant", "X", "y", "vectors"),
    [
        ("real", TOY_X, TOY_Y, THEORY["mh_real"]),
        ("real", DATA_A, LABELS, MCBOOST["mh_real"]),
        ("discrete", DATA_A, LABELS, MCBOOST["mh_discrete"]),
    ],
    ids=["theory, real", "mcboost, real", "mcboost, discrete"],
)
def test_stumps_of_all_classes_are_those_of_the_worked_examples(variant, X, y, vectors):
    seen = watch(made(variant, len(vectors)), X, y)
    for t, expected in enumerate(vectors):
        trees, digits = seen.hypotheses[t], EIGHT_DIGITS if y is TOY_Y else TEN_DIGITS
        assert trees.feature[0] == expected["feature"]
        assert trees.threshold[0] == pytest.approx(expected["threshold"])
        assert_allclose(trees.leaf_value, [expected["left"], expected["right"]], **digits)
        assert seen.sizes[t] == pytest.approx(expected.get("alpha", 1.0), abs=6e-10)
        if "Z" in expected:
            left = X[:, trees.feature[0]] <= trees.threshold[0]
            Z = -score_of("real", seen.demands[t], left)
            assert pytest.approx(expected["Z"], abs=6e-10) == Z


@every_variant
def test_the_loss_falls_in_every_round_and_bounds_the_hamming_error(variant):
    X, y = noisy_stumps()
    seen = watch(made(variant, 12), X, y)
    assert (np.diff([1.0, *seen.losses]) < 0).all()
    S = np.where(y[:, None] == np.arange(3), 1, -1)
    for F, loss in zip(seen.scores, seen.losses, strict=True):
        psi = sums(variant, F)
        assert loss == pytest.approx(np.exp(-S * psi).mean())
        assert (np.sign(psi) != S).mean() <= loss


def masses_of_sides(w, left):
    """Return the positive and the negative weight of each class on both sides, shape (2, K)."""
    both = np.maximum(w, 0), np.maximum(-w, 0)
    return tuple(np.array([part[left].sum(0), part[~left].sum(0)]) for part in both)


def score_of(answers, w, left):
    """Return what the best answers of a stump with these samples on the left are worth."""
    P, M = masses_of_sides(w, left)
    if answers == "sign":
        return np.abs(P - M).sum()
    if answers == "real":
        return -2 * np.sqrt(P * M).sum()
    return np.abs(P[0] - M[0] - P[1] + M[1]).sum()


def best_score(answers, w, X):
    """Return the best score of any threshold, missing values on either side."""
    sides = [np.ones(len(X), dtype=bool)]
    for x in X.T:
        for threshold in np.unique(x[~np.isnan(x)]):
            sides += [x <= threshold, (x <= threshold) | np.isnan(x)]
    return max(score_of(answers, w, left) for left in sides)


@pytest.mark.parametrize("answers", ["sign", "real", "factored"])
@pytest.mark.parametrize("seed", range(12))
def test_the_stump_is_the_best_of_all(answers, seed):
    rng = np.random.default_rng(seed)
    n, K = 25, 3
    X = rng.integers(5, size=(n, 3)).astype(float)
    if seed % 2:
        X[rng.random(X.shape) < 0.2] = np.nan
    w = rng.normal(size=(n, K)) * (rng.random((n, 1)) < 0.8)
    stump = MultiLabelStump(answers)
    h = stump.fit(stump.prepare(X), BinaryLabels(w))
    values = h.values(K)
    assert_array_equal(h.trees.add_scores(X, [0], [1.0], np.zeros((n, K))), values)
    best = best_score(answers, w, X)
    if answers == "real":
        (side,) = h.leaves
        assert score_of("real", w, side == 0) == pytest.approx(best)
        smoothing = np.abs(w).sum() / w.size
        P, M = masses_of_sides(w, side == 0)
        assert_allclose(values, 0.5 * np.log((P + smoothing) / (M + smoothing))[side])
    else:
        assert np.abs(values).max() == 1.0
        assert (w * values).sum() == pytest.approx(best)


def test_the_stump_without_anything_to_split_is_a_constant():
    stump = MultiLabelStump()
    X, w = np.zeros((3, 2)), np.array([[0.5, -0.2], [0.1, -0.1], [-0.2, 0.1]])
    h = stump.fit(stump.prepare(X), BinaryLabels(w))
    assert h.values(2).tolist() == [[1.0, -1.0]] * 3
    assert stump.fit(stump.prepare(X), BinaryLabels(np.zeros((3, 2)))).trees.n_leaves == 1


def test_a_fit_takes_few_bytes_per_row():
    n, d, K = 20_000, 2, 10
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), rng.integers(0, K, n)
    booster = AdaBoostMH(n_estimators=2).fit(X, y)  # compiles
    tracemalloc.start()
    booster.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # codes by column and by row; scores, weights, signs and leaves; labels and weights; the order,
    # labels and statistics of a growing tree; and some space that does not grow with the rows
    assert peak < n * (2 * d + (8 + 8 + 1 + 2) * K + 4 + 8 + 20) + 500_000


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_weights_are_those_of_their_formula(n_jobs):
    n, rng = 1000, np.random.default_rng(0)
    y, psi, importance = rng.integers(0, 5, n), 9.0 * rng.normal(size=(n, 5)), rng.random(n)
    state = BoostState(y, importance, n, 5, np.zeros((n, 5), order="F"), rng, rng)
    signs = np.where(y[:, None] == np.arange(5), 1.0, -1.0)
    margins = np.asfortranarray(signs * psi)
    w = exp(margins.min() - margins) * importance[:, None]
    with threads(n_jobs):
        assert_array_equal(hamming_weights(state, psi), signs * w / total(w))


# ---- probabilities are what the loss implies at its minimum over a population ----------------

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
