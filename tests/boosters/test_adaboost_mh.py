"""AdaBoost.MH with answers that are labels, reals, or signs from one stump for all classes."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from boostbench.boosters.adaboost_mh import (
    AdaBoostMH,
    AdaBoostMHLabel,
    AdaBoostMHReal,
    hamming_weights,
)
from boostbench.boosters.state import BoostState
from boostbench.portable import exp, total
from boostbench.threads import threads
from boostbench.weak_learners import BinaryLabels
from boostbench.weak_learners.multilabel import MultiLabelStump
from tests.boosters.finite import noisy_stumps
from tests.boosters.games import watch
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


def test_the_worked_example_of_labels():
    vector = THEORY["mh_label"]
    seen = watch(AdaBoostMHLabel(3, weak_learner=TWO_LEAVES), TOY_X, TOY_Y)
    for t in range(3):
        assert_array_equal(seen.labels[t], THEORY["hypotheses"][t])
    assert_allclose(seen.edges, 1 - 2 * np.array(vector["error"]), **TEN_DIGITS)
    assert_allclose(seen.sizes, vector["alpha"], **TEN_DIGITS)


def test_the_worked_example_of_real_answers():
    seen = watch(AdaBoostMHReal(2), TOY_X, TOY_Y)
    for t, expected in enumerate(THEORY["mh_real"]):
        trees = seen.hypotheses[t]
        assert trees.feature[0] == expected["feature"]
        assert trees.threshold[0] == expected["threshold"]
        assert_allclose(trees.leaf_value[0], expected["left"], **EIGHT_DIGITS)
        assert_allclose(trees.leaf_value[1], expected["right"], **EIGHT_DIGITS)
        w, above = seen.demands[t], TOY_X[:, expected["feature"]] > expected["threshold"]
        sides = [(np.maximum(w, 0)[s].sum(0), np.maximum(-w, 0)[s].sum(0)) for s in (above, ~above)]
        Z = 2 * sum(np.sqrt(plus * minus).sum() for plus, minus in sides)
        assert pytest.approx(expected["Z"], abs=6e-10) == Z
    assert seen.sizes == [1.0, 1.0]


@pytest.mark.parametrize(("name", "variant"), [("mh_discrete", "discrete"), ("mh_real", "real")])
def test_the_worked_examples_of_mcboosts_specification(name, variant):
    seen = watch(made(variant, 3), DATA_A, LABELS)
    for trees, alpha, expected in zip(seen.hypotheses, seen.sizes, MCBOOST[name], strict=True):
        assert trees.feature[0] == expected["feature"]
        assert trees.threshold[0] == pytest.approx(expected["threshold"])
        assert_allclose(trees.leaf_value, [expected["left"], expected["right"]], **TEN_DIGITS)
        assert alpha == pytest.approx(expected["alpha"], abs=6e-10)


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
    if variant != "real":
        assert_allclose(seen.losses, np.cumprod(np.sqrt(1 - np.square(seen.edges))), rtol=1e-9)
    else:
        assert_allclose(seen.losses, np.cumprod(1 - np.array(seen.edges)), rtol=1e-9)


def brute_force(X, w, answers):
    """The best score of any threshold, missing values on either side."""
    plus, minus = np.maximum(w, 0), np.maximum(-w, 0)

    def score(left):
        P = [plus[left].sum(0), plus[~left].sum(0)]
        M = [minus[left].sum(0), minus[~left].sum(0)]
        if answers == "sign":
            return float(sum(np.abs(p - m).sum() for p, m in zip(P, M, strict=True)))
        if answers == "real":
            return -2 * float(sum(np.sqrt(p * m).sum() for p, m in zip(P, M, strict=True)))
        return float(np.abs(P[0] - M[0] - P[1] + M[1]).sum())

    whole = np.ones(len(X), dtype=bool)
    best = score(whole)
    for x in X.T:
        for threshold in np.unique(x[~np.isnan(x)]):
            best = max(best, score(x <= threshold), score((x <= threshold) | np.isnan(x)))
    return best


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
    best = brute_force(X, w, answers)
    if answers == "real":
        left = h.leaves[0] == 0
        assert brute_force_of_split(w, left) == pytest.approx(best)
        smoothing = np.abs(w).sum() / w.size
        P = np.where(left[:, None], np.maximum(w, 0)[left].sum(0), np.maximum(w, 0)[~left].sum(0))
        M = np.where(left[:, None], np.maximum(-w, 0)[left].sum(0), np.maximum(-w, 0)[~left].sum(0))
        assert_allclose(values, 0.5 * np.log((P + smoothing) / (M + smoothing)))
    else:
        assert np.abs(values).max() == 1.0
        assert (w * values).sum() == pytest.approx(best)


def brute_force_of_split(w, left):
    plus, minus = np.maximum(w, 0), np.maximum(-w, 0)
    return -2 * float(sum(np.sqrt(plus[s].sum(0) * minus[s].sum(0)).sum() for s in (left, ~left)))


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
    state = BoostState(y, importance, n, 5, np.zeros((n, 5), order="F"), rng)
    signs = np.where(y[:, None] == np.arange(5), 1.0, -1.0)
    margins = np.asfortranarray(signs * psi)
    w = exp(margins.min() - margins) * importance[:, None]
    with threads(n_jobs):
        assert_array_equal(hamming_weights(state, psi), signs * w / total(w))
