"""Numbers of drawn problems about theorems that no run of a data set can check, and claims on them.

Every problem is small and drawn from a fixed seed. What the boosters reach is compared with what
scipy finds in another way: a linear program, or a quasi-Newton descent over all weak classifiers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from boostbench.plugins import load_plugin, make_booster, make_potential, uniform_baseline

HERE = Path(__file__).parent
bounds = load_plugin(HERE / "bounds.py")
computed = load_plugin(HERE.parent / "multiclass-theory" / "computed.py")

Floats = NDArray[np.float64]
Numbers = dict[str, float]
_SEEDS = range(100, 110)


# ---- populations: distributions over finitely many x and K labels -----------------------------


class Population(NamedTuple):
    """Points on a line, their probabilities, and those of the labels of each, shape (m, K)."""

    points: Floats
    mass: Floats
    labels: Floats


def population(seed: int, m: int = 8, K: int = 3) -> Population:
    """Draw a population."""
    rng = np.random.default_rng(seed)
    labels = 0.9 * rng.dirichlet([1.0] * K, m) + 0.1 / K  # none impossible, or a score is infinite
    return Population(np.arange(float(m)), rng.dirichlet([2.0] * m), labels)


def trained(p: Population, name: str, n_rounds: int, **parameters: Any) -> list[Floats]:
    """Fit a booster to a population, as weights; return the scores of the points by round."""
    m, K = p.labels.shape
    X, y = np.repeat(p.points, K)[:, None], np.tile(np.arange(K), m)
    weight = (p.mass[:, None] * p.labels).ravel()
    booster = make_booster(name, n_estimators=n_rounds, random_state=0, **parameters)
    booster.fit(X, y, sample_weight=weight)
    return [F.copy() for F in booster.staged_scores(p.points[:, None])]


_FULL = {"greedy": {"max_leaf_nodes": 8}}


def least_risk(p: Population) -> tuple[float, Floats]:
    """Return the least expected cost of a stochastic rule, and the rule, by a linear program."""
    costs = 1.0 - p.labels  # of an answer at a point, the probability that it is wrong
    m, K = costs.shape
    sums = np.kron(np.eye(m), np.ones(K))
    solved = linprog((p.mass[:, None] * costs).ravel(), A_eq=sums, b_eq=np.ones(m))
    return float(solved.fun), np.asarray(solved.x).reshape(m, K)


def vertex_rules() -> Numbers:
    """Return the distance of the best stochastic rule from the best deterministic one."""
    off = {}
    for seed in _SEEDS:
        p = population(seed)
        vertices = np.eye(p.labels.shape[1])[p.labels.argmax(axis=1)]
        off[f"problem {seed}"] = float(np.abs(least_risk(p)[1] - vertices).max())
    return off


def below_least_risk() -> Numbers:
    """Return how far the smooth risk of sm-boost is below the least one, in its lowest round."""
    return {name: -min(excess) for name, excess in _sm_excesses().items()}


def last_sm_excess() -> Numbers:
    """Return the smooth risk of sm-boost less the least one after the last round."""
    return {name: excess[-1] for name, excess in _sm_excesses().items()}


@lru_cache
def _sm_excesses() -> dict[str, list[float]]:
    excesses = {}
    for seed in _SEEDS:
        p = population(seed)
        g = [bounds.softmax(F) for F in trained(p, "sm-boost", 400, gradient="exact")]
        risks = [float(p.mass @ (each * (1.0 - p.labels)).sum(axis=1)) for each in g]
        least = least_risk(p)[0]
        excesses[f"problem {seed}"] = [value - least for value in risks]
    return excesses


def off_probabilities() -> Numbers:
    """Return the largest difference of estimated and true probabilities at the last round."""
    rounds = {"cd-mcboost": (1000, {}), "gd-mcboost": (1000, {"weak_learner": _FULL})}
    off = {}
    for name, (T, parameters) in rounds.items():
        for seed in _SEEDS[:5]:
            p = population(seed)
            half = 1.0 if name == "cd-mcboost" else 2.0  # GD's own scores are half the paper's
            found = bounds.softmax(half * trained(p, name, T, **parameters)[-1])
            off[f"{name}, problem {seed}"] = float(np.abs(found - p.labels).max())
    return off


def off_minimiser() -> Numbers:
    """Return the largest difference of log p less its mean and scipy's minimiser of the risk."""
    off = {}
    for seed in _SEEDS:
        for p in population(seed, 3, 4).labels:

            def loss(s: Floats, p: Floats = p) -> float:
                return float(p @ np.exp((s - s[:, None]) / 2.0).sum(axis=1))

            s = minimize(loss, np.zeros(len(p)), method="BFGS", options={"gtol": 1e-9}).x
            wanted = np.log(p) - np.log(p).mean()
            off[f"problem {seed}"] = float(np.abs(s - s.mean() - wanted).max())
    return off


def over_consistency_bound() -> Numbers:
    """Return the most by which the error of a round exceeds that of Lemma 28.

    The bound is the least error plus ``sqrt(2 (L - L*))``, L the exponential loss of AdaBoost.MM
    and L* the least one, ``(sum_k sqrt(p_k))^2 - 1`` in the mean.
    """
    over = {}
    for seed in _SEEDS:
        p = population(seed)
        error = 1.0 - p.labels
        least = float(p.mass @ (np.sqrt(p.labels).sum(axis=1) ** 2 - 1.0))
        excesses = []
        for F in trained(p, "adaboost-mm", 100, weak_learner={"greedy": {"max_leaf_nodes": 2}}):
            of_label = np.exp(F[:, None, :] - F[:, :, None]).sum(axis=2) - 1.0
            loss = p.mass @ (p.labels * of_label).sum(axis=1)
            chosen = error[np.arange(len(F)), F.argmax(axis=1)]
            bound = math.sqrt(max(0.0, 2.0 * (loss - least)))
            excesses.append(float(p.mass @ (chosen - error.min(axis=1)) - bound))
        over[f"problem {seed}"] = max(excesses)
    return over


# ---- soft-max boosting, Lemma 1 ---------------------------------------------------------------


@lru_cache
def steepest() -> Numbers:
    """Return the largest change of the gradient per change of the scores that a search finds."""
    found = {}
    for K in (2, 3, 5):
        rng = np.random.default_rng(K)

        def slowness(u: Floats, K: int = K) -> float:
            psi, v, cost = u.reshape(3, 1, K)
            cost = 1.0 / (1.0 + np.exp(-cost))  # in [0, 1]
            v = 1e-3 * v / np.linalg.norm(v)
            change = bounds.gradient(psi + v, cost) - bounds.gradient(psi - v, cost)
            return float(-np.linalg.norm(change) / 2e-3)

        starts = rng.normal(0.0, 2.0, (20, 3 * K))
        found[f"K = {K}"] = -min(minimize(slowness, u, method="BFGS").fun for u in starts)
    return found


# ---- spaces of stumps -------------------------------------------------------------------------


class Problem(NamedTuple):
    """Integer features, labels that agree with them in part, and the answers of all stumps."""

    X: Floats
    y: NDArray[np.int64]
    answers: NDArray[np.int64]  # (n, n_stumps)

    @property
    def leads(self) -> Floats:
        """Vote of each stump for the true label less that for each wrong one, (n (K-1), stumps)."""
        K = 3
        votes = np.eye(K)[self.answers]  # (n, stumps, K)
        wrong = np.arange(K) != self.y[:, None]
        true = (self.answers == self.y[:, None]).astype(float)
        by_label = np.moveaxis(votes, 2, 1)[wrong].reshape(len(self.y), K - 1, -1)
        return np.asarray((true[:, None, :] - by_label).reshape(-1, self.answers.shape[1]))


def problem(seed: int, n: int = 90) -> Problem:
    """Draw a problem of three classes that no vote of stumps fits."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    y = np.where(rng.random(n) < 0.3, rng.integers(0, 3, n), X.sum(axis=1) // 3).astype(int) % 3
    columns = [np.full(n, k) for k in range(3)]
    for below in [X[:, j] <= t for j in range(2) for t in range(4)]:
        columns += [np.where(below, a, b) for a in range(3) for b in range(3) if a != b]
    return Problem(X, y, np.stack(columns, axis=1))


def _least(leads: Floats, offset: float, price: float | None) -> float:
    """Return the least mean loss over sums of stumps; with a price, over non-negative ones."""
    n = len(leads) / 2

    def value(a: Floats) -> tuple[float, Floats]:
        e = np.exp(offset - leads @ a) / n
        return float(e.sum() + (price or 0.0) * a.sum()), -(e @ leads) + (price or 0.0)

    limits = None if price is None else [(0.0, None)] * leads.shape[1]
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 30}
    start = np.zeros(leads.shape[1])
    found = minimize(value, start, jac=True, method="L-BFGS-B", bounds=limits, options=options)
    return float(found.fun)


def _losses(name: str, its: Problem, n_rounds: int, **parameters: Any) -> Floats:
    losses: list[float] = []
    booster = make_booster(name, n_estimators=n_rounds, **parameters)
    booster.fit(its.X, its.y, on_round=lambda info: losses.append(info.loss))
    return np.array(losses)


@lru_cache
def mm_gaps() -> dict[str, Floats]:
    """Return the loss of AdaBoost.MM by round, less the infimum over the sums of stumps."""
    learner = {"greedy": {"max_leaf_nodes": 2}}
    return {
        f"problem {seed}": _losses("adaboost-mm", its, 3000, weak_learner=learner)
        - _least(its.leads, 0.0, None)
        for seed, its in _problems().items()
    }


@lru_cache
def deep_gaps() -> dict[str, Floats]:
    """Return the objective of MDeepBoost with stumps by round, less the least one."""
    price = 0.02
    exact = {"surrogate": "sum", "step": "exact", "weak_learner": {"greedy": {"max_depth": 1}}}
    prices = {"complexity_penalty": 0.0, "l1_penalty": price}
    return {
        f"problem {seed}": _losses("mdeepboost", its, 3000, **exact, **prices)
        - _least(its.leads, 1.0, price)
        for seed, its in _problems().items()
    }


def _problems() -> dict[int, Problem]:
    return {seed: problem(seed) for seed in _SEEDS[:3]}


def growth_of_mm() -> Numbers:
    """Return the largest T times gap after T = 1000, over the largest up to there."""
    scaled = {name: np.arange(1, len(gap) + 1) * gap for name, gap in mm_gaps().items()}
    return {name: float(its[1000:].max() / its[:1000].max()) for name, its in scaled.items()}


def below_least_loss() -> Numbers:
    """Return how far the lowest loss is below the least one that scipy finds."""
    gaps = {"AdaBoost.MM": mm_gaps(), "MDeepBoost": deep_gaps()}
    return {f"{k}, {name}": -float(gap.min()) for k, of in gaps.items() for name, gap in of.items()}


def slowing_of_deep() -> Numbers:
    """Return the rounds in which the gap falls from 1e-4 to 1e-5, over those from 1e-3 to 1e-4."""
    slow = {}
    for name, gap in deep_gaps().items():
        a, b, c = (int(np.argmax(gap < level)) for level in (1e-3, 1e-4, 1e-5))
        slow[name] = (c - b) / (b - a) if gap.min() < 1e-5 else math.inf
    return slow


# ---- drifting games with the exponential loss, Lemma 19, Theorems 20 and 21 -------------------

_GAMES = [(K, T, gamma) for K in (2, 3, 4, 6) for T in (1, 4, 10) for gamma in (0.0, 0.1, 0.5)]


def small_eta(K: int, T: int) -> float:
    """Return the bound on eta (53), ``min(1 / (K - 1), 1 / T) / 4``."""
    return 0.25 * min(1.0 / (K - 1), 1.0 / T)


def kappa(K: int, gamma: float, eta: float) -> float:
    """Return the factor of the potential in a round (41)."""
    return (
        1.0
        + (1.0 - gamma) / K * (math.exp(eta) + math.exp(-eta) - 2.0)
        - (1.0 - math.exp(-eta)) * gamma
    )


def worst_row(costs: Floats, gamma: float) -> float:
    """Return the largest ``<b, costs>`` with ``b_0 >= gamma + b_l`` for all l, by a program."""
    K = len(costs)
    lead = np.hstack([-np.ones((K - 1, 1)), np.eye(K - 1)])
    solved = linprog(-costs, lead, [-gamma] * (K - 1), np.ones((1, K)), [1.0])
    return -float(solved.fun)


def _off_uniform(K: int, T: int, gamma: float, eta: float) -> float:
    """Return how much the worst baseline raises a potential ``kappa^t phi_0``, relative to it."""
    rng = np.random.default_rng(K * T)
    most = 0.0
    for t in range(1, T + 1):
        for state in rng.multinomial(T - t, [1.0 / K] * K, 4):
            after = state + np.eye(K)  # a row per vote
            loss = np.exp(eta * (after[:, 1:] - after[:, :1])).sum(axis=1)
            now = kappa(K, gamma, eta) * np.exp(eta * (state[1:] - state[0])).sum()
            most = max(most, float(worst_row(loss, gamma) / now) - 1.0)
    return most


def off_uniform() -> Numbers:
    """Return the relative excess of the minimal potential over the uniform one at (53)."""
    return {
        f"K = {K}, T = {T}, γ = {g:g}": _off_uniform(K, T, g, small_eta(K, T)) for K, T, g in _GAMES
    }


def off_closed_form() -> Numbers:
    """Return the relative difference of `MinimalPotential` and ``kappa^T (K - 1)`` at (53)."""
    off = {}
    for K, T, gamma in _GAMES:
        eta = small_eta(K, T)
        closed = kappa(K, gamma, eta) ** T * (K - 1)
        off[f"K = {K}, T = {T}, γ = {gamma:g}"] = _bound(K, T, gamma, eta) / closed - 1.0
    return off


def _bound(K: int, T: int, gamma: float, eta: float) -> float:
    start = np.zeros((1, K), dtype=np.int64)
    return float(make_potential(K, gamma, condition="minimal", eta=eta).values(start, T)[0])


def spare_eta() -> Numbers:
    """Return the largest of 1, 2, 4, ..., 64 times (53) with which the potentials still agree."""
    spare = {}
    for K, T in ((3, 10), (4, 10), (6, 10)):
        factors = [2**k for k in range(7)]
        agree = [_off_uniform(K, T, 0.1, f * small_eta(K, T)) < 1e-9 for f in factors]
        spare[f"K = {K}, T = {T}"] = float(
            factors[max(agree.index(False) - 1, 0) if False in agree else -1]
        )
    return spare


def payoff(K: int, T: int, gamma: float, eta: float, n: int, condition: str) -> float:
    """Return the mean loss that a weak learner enforces which spends its whole budget.

    Each round it answers at random as the uniform baseline does, and then changes answers, of which
    each costs more or less than one sample's, until the condition is just met.
    """
    game = make_potential(K, gamma, condition=condition, eta=eta)
    state, rng, rows = np.zeros((n, K), dtype=np.int64), np.random.default_rng(n), np.arange(n)
    for left in range(T, 0, -1):
        costs, budget = game.costs(state, left), float(game.values(state, left).sum())
        answers = rng.choice(K, n, p=uniform_baseline(K, gamma))
        for i in rows:
            spent = costs[rows, answers].sum() - budget
            others = costs[i] - costs[i, answers[i]]
            if spent > 0.0:
                answers[i] = 0
            elif spent + others.max() <= 0.0:
                answers[i] = int(others.argmax())
        assert costs[rows, answers].sum() <= budget * (1.0 + 1e-12)
        state[rows, answers] += 1
    return float(np.exp(eta * (state[:, 1:] - state[:, :1])).sum(axis=1).mean())


@lru_cache
def _payoffs() -> dict[str, tuple[float, float, float, float]]:
    """Return both payoffs, the potential at the start, and epsilon of (58), by game."""
    found = {}
    for K, T, gamma in ((3, 5, 0.1), (3, 10, 0.0), (4, 5, 0.1), (4, 8, 0.3)):
        n, eta = 500, small_eta(K, T)
        paid = [payoff(K, T, gamma, eta, n, which) for which in ("minimal", "uniform")]
        start = kappa(K, gamma, eta) ** T * (K - 1)
        found[f"K = {K}, T = {T}, γ = {gamma:g}"] = *paid, start, T * math.exp(0.25) * (K - 1) / n
    return found


def off_payoffs() -> Numbers:
    """Return the difference of the payoffs of both conditions, over epsilon."""
    return {name: abs(a - b) / epsilon for name, (a, b, _, epsilon) in _payoffs().items()}


def short_of_potential() -> Numbers:
    """Return the potential at the start less the payoff, over epsilon."""
    return {
        f"{name}, {which}": (start - paid) / epsilon
        for name, (a, b, start, epsilon) in _payoffs().items()
        for which, paid in (("minimal", a), ("uniform", b))
    }


def largest_eta(K: int, gamma: float) -> float:
    """Return the eta (61) from which on the bound is trivial, ``ln(1 + K gamma / (1 - gamma))``."""
    return math.log1p(K * gamma / (1.0 - gamma))


def bounds_at_large_eta() -> Numbers:
    """Return the bound of the minimal condition at 1, 1.5 and 3 times (61)."""
    return {
        f"K = {K}, T = {T}, γ = {gamma:g}, {times:g}": _bound(
            K, T, gamma, times * largest_eta(K, gamma)
        )
        for K, T, gamma in _GAMES
        if gamma > 0.0
        for times in (1.0, 1.5, 3.0)
    }


def eta_at_small_edge() -> Numbers:
    """Return (61) over (53) at the edge (62), ``min(1 / (K - 1), 1 / T) / (8 K)``."""
    return {
        f"K = {K}, T = {T}": largest_eta(K, small_eta(K, T) / (2.0 * K)) / small_eta(K, T)
        for K in (2, 3, 6, 26)
        for T in (1, 10, 1000)
    }


NUMBERS: dict[str, Callable[[], Numbers]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        vertex_rules,
        below_least_risk,
        last_sm_excess,
        steepest,
        below_least_loss,
        slowing_of_deep,
        growth_of_mm,
        off_uniform,
        off_closed_form,
        spare_eta,
        off_payoffs,
        short_of_potential,
        bounds_at_large_eta,
        eta_at_small_edge,
        over_consistency_bound,
        off_minimiser,
        off_probabilities,
    )
}


class Drawn(computed.Computed):  # type: ignore[misc]
    """Claim on a key of `NUMBERS`; see `Computed`."""

    numbers = NUMBERS
