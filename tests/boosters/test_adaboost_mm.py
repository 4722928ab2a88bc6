"""AdaBoost.MM: the specification's examples, the paper's guarantees, and its other descriptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar

from boostbench.boosters.adaboost_m1 import AdaBoostM1
from boostbench.boosters.adaboost_mh import AdaBoostMHLabel
from boostbench.boosters.adaboost_mm import AdaBoostMM
from boostbench.boosters.samme import SAMME
from boostbench.boosters.state import TINY, BoostState
from boostbench.theory.bounds import error_bound
from boostbench.theory.spaces import subsets
from boostbench.weak_learners import Costs, Greedy
from tests.boosters.finite import FiniteSpace, Scripted, noisy_stumps, row_numbers
from tests.boosters.games import labels_of, watch
from tests.boosters.vectors import EIGHT_DIGITS, TEN_DIGITS, THEORY, TOY_X, TOY_Y, TWO_LEAVES
from tests.theory.vectors import LAZY, loss_factor, minimal_edge

STEPS = ("approximate", "exact")

both_steps = pytest.mark.parametrize("step", STEPS)


def masses(C: np.ndarray, y: np.ndarray, h: np.ndarray) -> tuple[float, float, float]:
    """A+, A- and L of a cost matrix."""
    rows, right = np.arange(len(y)), h == y
    return -C[right, y[right]].sum(), C[rows, h][~right].sum(), -C[rows, y].sum()


def loss_of(F: np.ndarray, y: np.ndarray) -> float:
    """The total exponential loss (43)."""
    return float(np.exp(F - F[np.arange(len(y)), y][:, None]).sum() - len(y))


@both_steps
def test_the_worked_example(step: str) -> None:
    vector = THEORY["mm"][step]
    booster = AdaBoostMM(3, weak_learner=TWO_LEAVES, step=step)
    seen = watch(booster, TOY_X, TOY_Y)
    losses_before = [18.0, *vector["loss"][:-1]]
    for t, (trees, tree) in enumerate(zip(seen.hypotheses, THEORY["trees"], strict=True)):
        left, right = trees.leaf_column[[~trees.left[0], ~trees.right[0]]]
        assert [trees.feature[0], trees.threshold[0], left, right] == tree
        assert_array_equal(labels_of(seen, t), THEORY["hypotheses"][t])
        gained, lost, total = masses(seen.demands[t], TOY_Y, labels_of(seen, t))
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
def test_the_loss_shrinks_as_promised_in_every_round(step: str, n_classes: int) -> None:
    X, y = noisy_stumps(n_classes)
    seen = watch(AdaBoostMM(25, weak_learner={"greedy": {"max_leaf_nodes": 3}}, step=step), X, y)
    losses = [n_classes - 1.0, *seen.losses]
    for t, delta in enumerate(seen.edges):
        gained, lost, total = masses(seen.demands[t], y, labels_of(seen, t))
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


def test_the_exact_step_minimises_the_loss_along_the_hypothesis() -> None:
    X, y = noisy_stumps()
    seen = watch(AdaBoostMM(8, weak_learner=TWO_LEAVES, step="exact"), X, y)
    for t in range(1, 8):
        F, h = seen.scores[t - 1], labels_of(seen, t)
        H = np.eye(3)[h]
        found = minimize_scalar(
            lambda alpha, F=F, H=H: loss_of(F + alpha * H, y), bracket=(0.0, 1.0), tol=1e-10
        )
        assert seen.sizes[t] == pytest.approx(found.x, abs=1e-6)
        approximate = F + np.arctanh(seen.edges[t]) * H
        assert loss_of(seen.scores[t], y) <= loss_of(approximate, y) + 1e-12


@both_steps
def test_the_edge_is_that_of_the_minimal_and_of_the_uniform_baseline(step: str) -> None:
    X, y = noisy_stumps()
    seen = watch(AdaBoostMM(6, weak_learner=TWO_LEAVES, step=step), X, y)
    for t, delta in enumerate(seen.edges):
        for edge in (minimal_edge, LAZY.uniform_edge):
            assert edge(seen.demands[t], y, labels_of(seen, t)) == pytest.approx(delta)


def test_it_is_adaboost_m2_round_for_round() -> None:
    """Section 5.2 of the specification: the same D, the votes doubled."""
    vector = THEORY["m2"]
    for X, y, expected in ((TOY_X, TOY_Y, vector), (*noisy_stumps(), None)):
        seen = watch(AdaBoostMM(3 if expected else 10, weak_learner=TWO_LEAVES), X, y)
        rows, wrong = np.arange(len(y)), np.eye(3)[y] == 0
        D = wrong / wrong.sum()
        for t, alpha in enumerate(seen.sizes):
            cost = np.where(wrong, seen.demands[t], 0.0)
            assert_allclose(D, cost / cost.sum(), rtol=1e-9, atol=1e-15)
            h = labels_of(seen, t)
            hit, claimed = np.eye(3)[h][rows, y], np.eye(3)[h]
            error = 0.5 * (D * (1 - hit[:, None] + claimed)).sum()
            beta = error / (1 - error)
            assert np.log(1 / beta) == pytest.approx(2 * alpha)
            if expected is not None:
                assert error == pytest.approx(expected["error"][t], abs=6e-10)
                assert np.log(1 / beta) == pytest.approx(expected["alpha"][t], abs=6e-10)
            D = D * beta ** (0.5 * (1 + hit[:, None] - claimed))
            D /= D.sum()


@both_steps
@pytest.mark.parametrize("seed", range(5))
def test_it_is_binary_adaboost_on_mislabel_triples(step: str, seed: int) -> None:
    """Lemma 34: a sample is K - 1 triples (x, y, l), h abstains where it answers neither."""
    rng = np.random.default_rng(seed)
    n, K = 9, 4
    y = np.arange(n) % K
    table = np.where(rng.random((n, 25)) < 0.4, y[:, None], rng.integers(K, size=(n, 25)))
    space = FiniteSpace(table)
    seen = watch(AdaBoostMM(12, weak_learner=space, step=step), row_numbers(n), y)
    triples = [(i, wrong) for i in range(n) for wrong in range(K) if wrong != y[i]]
    sample, wrong = np.array(triples).T
    rules = (table[sample] == wrong[:, None]) * 1 - (table[sample] == y[sample][:, None]) * 1
    f = np.zeros(len(triples))
    for t, chosen in enumerate(space.chosen):
        weight = np.exp(f)  # label -1: a triple is lost if its score is not negative
        loss, D = weight.sum(), weight / weight.sum()
        correlation = -D @ rules
        assert correlation[chosen] == pytest.approx(correlation.max())
        g = rules[:, chosen]
        W_plus, W_minus = D[g == -1].sum(), D[g == 1].sum()
        r = correlation[chosen]
        alpha = np.arctanh(r) if step == "approximate" else 0.5 * np.log(W_plus / W_minus)
        assert seen.edges[t] == pytest.approx(r)
        assert seen.sizes[t] == pytest.approx(alpha)
        C = seen.demands[t]
        assert_allclose(C[sample, wrong] / C[sample, wrong].sum(), D, rtol=1e-9)
        assert (seen.losses[t - 1] if t else K - 1.0) == pytest.approx(loss / n)
        f = f + alpha * g
        assert_allclose(seen.scores[t][sample, wrong] - seen.scores[t][sample, y[sample]], f)


@both_steps
def test_a_perfect_classifier_ends_the_training_and_decides_alone(step: str) -> None:
    y = np.array([0, 1, 2, 0, 1, 2])
    wrong_one = [0, 1, 2, 0, 1, 0]
    wrong_other = [1, 1, 2, 0, 1, 2]
    table = np.array([wrong_one, wrong_other, wrong_one, y, wrong_one]).T
    space = Scripted(table)
    booster = AdaBoostMM(50, weak_learner=space, step=step)
    seen = watch(booster, row_numbers(6), y)
    assert booster.stop_reason_ == "perfect weak learner"
    assert booster.n_rounds_ == 4
    cap = 0.5 * np.log((2 - TINY) / TINY if step == "approximate" else 1 / TINY)
    assert seen.sizes[-1] == pytest.approx(cap + sum(seen.sizes[:-1]))
    assert_array_equal(booster.predict(row_numbers(6)), y)


def test_huge_scores_give_finite_costs() -> None:
    F = np.array([[1e4, 0.0, -1e4], [0.0, 2e4, 1.0], [5.0, 0.0, 3.0]])
    y = np.array([0, 0, 1], dtype=np.int32)
    state = BoostState(y, np.full(3, 1 / 3), 3, 3, F, np.random.default_rng(0))
    C = AdaBoostMM().ask(state).cost
    assert np.isfinite(C).all()
    assert_allclose(C.sum(axis=1), 0.0)
    assert C.argmax() == 4  # sample 1 taken for class 1


def test_scale_and_row_constants_of_costs_change_nothing_for_the_tree() -> None:
    X, y = noisy_stumps()
    rng = np.random.default_rng(0)
    C = rng.normal(size=(len(y), 3))
    learner = Greedy(max_leaf_nodes=8)
    data = learner.prepare(X)
    plain = learner.fit(data, Costs(C))
    other = learner.fit(data, Costs(7.5 * C + rng.normal(size=(len(y), 1))))
    for name in ("feature", "threshold", "leaf_column"):
        assert_array_equal(getattr(plain.trees, name), getattr(other.trees, name))


@both_steps
@pytest.mark.parametrize(("n", "n_classes", "r"), [(5, 4, 2), (7, 5, 2), (6, 3, 3)])
def test_it_learns_from_classifiers_too_weak_for_its_rivals(
    step: str, n: int, n_classes: int, r: int
) -> None:
    space = subsets(n, n_classes, r)
    X = row_numbers(n)
    mm = AdaBoostMM(60, weak_learner=FiniteSpace(space.predictions), step=step)
    assert mm.fit(X, space.y).score(X, space.y) == 1.0
    m1 = AdaBoostM1(60, weak_learner=FiniteSpace(space.predictions), keep_first=False)
    assert m1.fit(X, space.y).stop_reason_ == "no edge"
    assert m1.n_rounds_ == 0
    mh = AdaBoostMHLabel(60, weak_learner=FiniteSpace(space.predictions))
    mh.fit(X, space.y)
    if 2 * r < n:
        assert mh.stop_reason_ == "no edge"


class Lazy(FiniteSpace):
    """Return the first classifier whose edge on the costs is at least 0.1."""

    def __init__(self, table: np.ndarray, y: np.ndarray) -> None:
        super().__init__(table)
        self.y = y

    def fit(self, data: np.ndarray, demand: Any, rng: Any = None) -> Any:
        if isinstance(demand, Costs):
            C = demand.cost
        else:
            C = demand.weight[:, None] * (np.eye(3)[demand.y] == 0)
        edges = [LAZY.uniform_edge(C, self.y[data], h[data]) for h in self.table.T]
        self.next = next(index for index, edge in enumerate(edges) if edge >= 0.1)
        return super().fit(data, demand, rng)

    def choose(self, paid: np.ndarray) -> int:
        return self.next


def test_a_weak_learner_that_stops_samme_at_one_half_lets_mm_reach_zero() -> None:
    space = LAZY.lazy_space()
    # a third sample of weight 0 makes three classes of two samples
    X, y, weight = row_numbers(3), [0, 1, 2], [1.0, 1.0, 0.0]
    table = np.vstack([space.predictions, np.zeros((1, space.predictions.shape[1]), int)])
    mm = AdaBoostMM(22, weak_learner=Lazy(table, space.y)).fit(X, y, weight)
    errors = [float((h[:2] != space.y).mean()) for h in mm.staged_predict(X)]
    assert errors[-1] == 0.0
    assert min(errors[:-1]) > 0.0
    samme = SAMME(100, weak_learner=Lazy(table, space.y)).fit(X, y, weight)
    assert samme.predict(X[:2]).tolist() in ([0, 0], [1, 1])


def game_at(F: np.ndarray, y: np.ndarray) -> BoostState:
    n, K = F.shape
    return BoostState(y.astype(np.int32), np.full(n, 1 / n), n, K, F, np.random.default_rng(0))


@both_steps
@pytest.mark.parametrize("seed", range(8))
def test_signed_steps_approach_the_infimum_of_the_loss(step: str, seed: int) -> None:
    """Lemma 26: with steps of either sign the gap to the infimum is O(1/T)."""
    rng = np.random.default_rng(seed)
    n, K, N = 8, 3, 4
    rows, y = np.arange(n), np.arange(n) % K
    table = np.where(rng.random((n, N)) < 0.45, y[:, None], rng.integers(K, size=(n, N)))
    columns = np.arange(N)  # every classifier is right somewhere and wrong somewhere
    table[columns, columns] = y[columns]
    table[columns + N, columns] = (y[columns + N] + 1) % K
    F = np.zeros((n, K))
    losses = [K - 1.0]
    for _ in range(2000):
        C = AdaBoostMM().ask(game_at(F, y)).cost
        edges = np.take_along_axis(C, table, axis=1).sum(axis=0) / C[rows, y].sum()
        best = int(np.abs(edges).argmax())
        if abs(edges[best]) <= TINY:
            break
        h = table[:, best]
        gained, lost, _ = masses(C, y, h)
        exact = 0.5 * np.log(gained / lost)
        F[rows, h] += exact if step == "exact" else np.arctanh(edges[best])
        losses.append(loss_of(F, y) / n)
    assert (np.diff(losses) < 1e-12).all()
    gap = np.array(losses) - infimum_of_the_loss(table, y)
    assert (gap > -1e-7).all()
    assert (np.arange(len(gap)) * gap).max() < 10.0
    if len(losses) <= 2000:  # it stopped: at the infimum
        assert gap[-1] < 1e-7


def infimum_of_the_loss(table: np.ndarray, y: np.ndarray) -> float:
    """The infimum over all real combinations of the classifiers, by damped Newton steps."""
    n, N = table.shape
    K = int(table.max()) + 1
    H = np.eye(K)[table]  # n, N, K
    G = np.moveaxis(H - H[np.arange(n), :, y][:, :, None], 1, 2).reshape(-1, N)
    G = G[(np.arange(K)[None] != y[:, None]).ravel()]
    # separable directions make some terms vanish; a tiny ridge keeps Newton's steps finite
    weight, ridge = np.zeros(N), 1e-9
    for _ in range(500):
        terms = np.exp(G @ weight)
        gradient = G.T @ terms + ridge * weight
        hessian = G.T @ (terms[:, None] * G) + ridge * np.eye(N)
        move = -np.linalg.solve(hessian, gradient)
        size, before = 1.0, terms.sum() + 0.5 * ridge * weight @ weight
        while True:
            trial = weight + size * move
            with np.errstate(over="ignore"):
                after = np.exp(G @ trial).sum() + 0.5 * ridge * trial @ trial
            if after <= before or size < 1e-12:
                break
            size *= 0.5
        weight = trial
        if np.abs(size * move).max() < 1e-10:
            break
    return float(np.exp(G @ weight).sum() / n)
