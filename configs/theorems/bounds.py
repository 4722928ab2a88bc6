"""Quantities of every round of a fit: both sides of what the five papers prove about it.

Each inequality "truth <= bound" has two quantities: its name is the truth over the bound, and its
name with ``_broken`` the number of rounds so far in which it was broken. The formulas are written
here once more, from the papers, and use only the scores, the weights and the labels of the fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import quantity

Floats = NDArray[np.float64]
Sides = tuple[Any, Any]

#: Largest excess over a bound, relative to the largest bound of the round, that is rounding.
ROUNDING = 1e-9
#: Names of the inequalities.
NAMES: list[str] = []


def inequality(name: str, booster: str, *, words: str) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that makes a function the two quantities of an inequality.

    Parameters
    ----------
    name : str
        Name of the ratio, in a config under ``record`` too.
    booster : str
        Name of the class of boosters that the inequality is about.
    words : str
        Name in reports.

    Notes
    -----
    The function gets the state after the round and what was seen: ``F``, the scores before the
    round; ``booster``; ``round``; and what it keeps there itself. It returns truth and bound,
    numbers or arrays whose sums are compared for the ratio, or None in a round without the
    inequality.
    """

    def register(sides: Callable[[Any, Any], Sides | None]) -> Callable[[Any, Any], Any]:
        def judged(info: Any) -> SimpleNamespace:
            seen: SimpleNamespace = vars(info.state).setdefault(f"seen {name}", SimpleNamespace())
            if not hasattr(seen, "round"):
                seen.F, seen.round = np.zeros_like(info.scores), 0
                seen.ratio = seen.broken = math.nan
            if seen.round != info.round:
                seen.round, seen.booster, seen.ratio = info.round, info.booster, math.nan
                if booster in (each.__name__ for each in type(info.booster).__mro__):
                    seen.broken = 0.0 if math.isnan(seen.broken) else seen.broken
                    _judge(seen, sides(info.state, seen))
                seen.F = info.scores.copy()
            return seen

        NAMES.append(name)
        shared = {"needs": "round", "asked": ("record", name)}
        quantity(name, words=words, axis="truth / bound", held=False, **shared)(
            lambda info: judged(info).ratio
        )
        quantity(f"{name}_broken", words=f"rounds that break it: {words}", decimals=0, **shared)(
            lambda info: judged(info).broken
        )
        return sides

    return register


def _judge(seen: SimpleNamespace, sides: Sides | None) -> None:
    """Note the ratio of a round, and whether the bound is broken somewhere."""
    if sides is None:
        return
    truth, bound = (np.atleast_1d(np.asarray(side, dtype=np.float64)) for side in sides)
    seen.ratio = float(truth.sum() / bound.sum())
    holds = truth <= bound + ROUNDING * np.abs(bound).max()  # False for NaN, too
    seen.broken += not holds.all()


def _true(F: Floats, y: Any) -> Floats:
    """Return the scores of the true labels, shape (n, 1)."""
    return np.asarray(F[np.arange(len(y)), y][:, None])


def _wrong(F: Floats, y: Any) -> NDArray[np.bool_]:
    """Return a mask of the wrong labels, shape (n, K)."""
    return np.asarray(np.arange(F.shape[1]) != np.asarray(y)[:, None])


def _lead(F: Floats, y: Any) -> Floats:
    """Return the lead of the true label over each wrong one, shape (n, K - 1)."""
    return np.asarray((_true(F, y) - F)[_wrong(F, y)].reshape(len(y), -1))


# ---- Soft-max boosting, Sec. 4 ----------------------------------------------------------------


def softmax(F: Floats) -> Floats:
    """Return exp(F), normalised over each row."""
    g = np.exp(F - F.max(axis=1, keepdims=True))
    return np.asarray(g / g.sum(axis=1, keepdims=True))


def gradient(F: Floats, cost: Floats) -> Floats:
    """Return ``g_i(y) (c_i(y) - sum_z g_i(z) c_i(z))``, shape (n, K) (Proposition 2)."""
    g = softmax(F)
    return np.asarray(g * (cost - (g * cost).sum(axis=1, keepdims=True)))


def norm(a: Floats, w: Floats) -> float:
    """Return ``sqrt(sum_i w_i |a_i|^2)``, for weights that sum to 1."""
    return math.sqrt(w @ np.square(a).sum(axis=1))


def risk(F: Floats, y: Any, w: Floats) -> float:
    """Return the expected error of the randomised rule (4)."""
    return float(w @ (1.0 - _true(softmax(F), y)[:, 0]))


@inequality("smoothness", "SMBoost", words="gradient is 1-Lipschitz (soft-max, Lemma 1)")
def smoothness(state: Any, seen: Any) -> Sides:
    """Return the change of the gradient and the change of the scores in a round."""
    cost = _wrong(seen.F, state.y).astype(np.float64)
    change = gradient(state.scores, cost) - gradient(seen.F, cost)
    return norm(change, state.sample_weight), norm(state.scores - seen.F, state.sample_weight)


def _direction(state: Any, seen: Any) -> tuple[float, float] | None:
    """Return the norm of the gradient and its product with h; None for other steps than alpha = 1.

    h is the sign, -1 or 1, by which the scores of each pair fell.
    """
    if seen.booster.step != 1.0 or seen.booster.gradient != "exact":
        return None
    grad = gradient(seen.F, _wrong(seen.F, state.y).astype(np.float64))
    h = -np.sign(state.scores - seen.F)
    return norm(grad, state.sample_weight), float(state.sample_weight @ (grad * h).sum(axis=1))


@inequality("gradient_rate", "SMBoost", words="smallest gradient (soft-max, Theorem 1)")
def gradient_rate(state: Any, seen: Any) -> Sides | None:
    r"""Return the smallest gradient so far and ``sqrt(2 / T) / gamma``, gamma the smallest edge."""
    found = _direction(state, seen)
    if found is None:
        return None
    size, product = found
    seen.least = min(getattr(seen, "least", math.inf), size)
    edge = product / (size * math.sqrt(state.n_classes))
    seen.gamma = min(getattr(seen, "gamma", 1.0), edge)
    return seen.least, math.sqrt(2.0 / seen.round) / seen.gamma


@inequality("descent", "SMBoost", words="fall of the risk (soft-max, proof of Theorem 1)")
def descent(state: Any, seen: Any) -> Sides | None:
    """Return the risk and the risk before less ``gamma^2 |grad|^2 / 2``."""
    found = _direction(state, seen)
    if found is None:
        return None
    before, w = risk(seen.F, state.y, state.sample_weight), state.sample_weight
    return risk(state.scores, state.y, w), before - found[1] ** 2 / (2.0 * state.n_classes)


@quantity(
    "smallest_gradient",
    words="smallest norm of the gradient so far",
    needs="round",
    asked=("record", "gradient_rate"),
    held=False,
)
def smallest_gradient(info: Any) -> float:
    """Return the smallest norm that `gradient_rate` has seen; NaN for other boosters."""
    return float(getattr(vars(info.state).get("seen gradient_rate"), "least", math.nan))


# ---- Multi-class deep boosting, Sec. 2 and 3 --------------------------------------------------


def deep_losses(F: Floats, y: Any, phi: Callable[[Floats], Floats]) -> dict[str, Floats]:
    """Return the loss of each row in the objectives (6) to (9), the last one always logistic."""
    V = 1.0 - _lead(F, y)
    R = (2.0 * _true(F, y) - F.sum(axis=1, keepdims=True))[:, 0]
    return {
        "max": phi(V.max(axis=1)),
        "comp-sum": logistic(np.logaddexp.reduce(V, axis=1)),
        "sum": phi(V).sum(axis=1),
        "max-sum": phi(1.0 - R),
    }


def logistic(v: Floats) -> Floats:
    """Return ``log2(1 + e^v)``."""
    return np.asarray(np.logaddexp(0.0, v) / math.log(2.0))


@inequality("same_order", "MDeepBoost", words="objectives within a factor (deep, Sec. 3.2)")
def same_order(state: Any, seen: Any) -> Sides:
    """Return max, comp-sum and sum, and comp-sum, sum and (K - 1) max, for the logistic loss."""
    means = {k: state.sample_weight @ v for k, v in _logistic_losses(state).items()}
    of_max, of_comp, of_sum = means["max"], means["comp-sum"], means["sum"]
    bounds = [of_comp, of_sum, (state.n_classes - 1) * of_max, means["max-sum"]]
    return [of_max, of_comp, of_sum, of_max], bounds


def _logistic_losses(state: Any) -> dict[str, Floats]:
    return deep_losses(state.scores, state.y, logistic)


@inequality("coincide", "MDeepBoost", words="objectives coincide for two classes (deep, Sec. 3.2)")
def coincide(state: Any, seen: Any) -> Sides | None:
    """Return the largest and the smallest of the four losses of each row."""
    if state.n_classes > 2:
        return None
    losses = np.array([*_logistic_losses(state).values()])
    return losses.max(axis=0), losses.min(axis=0)


def complexity(n: Any, d: int, m: int) -> Floats:
    """Return ``B_n = sqrt((4n + 2) log2(d + 2) ln(m + 1) / m)`` (13)."""
    return np.sqrt((4.0 * np.asarray(n) + 2.0) * math.log2(d + 2) * math.log(m + 1) / m)


@inequality("objective_falls", "MDeepBoost", words="objective does not rise (deep, Theorem 2)")
def objective_falls(state: Any, seen: Any) -> Sides:
    """Return the objective (6) to (9), with its penalty, after and before the round."""
    booster, own = seen.booster, state.own
    phi = np.exp if booster.loss == "exponential" else logistic
    B = complexity(own.sizes, booster.n_features_in_, state.n_samples)
    price = booster.complexity_penalty * B + booster.l1_penalty
    loss = deep_losses(state.scores, state.y, phi)[booster.surrogate]
    after = float(state.sample_weight @ loss + price @ np.array(own.alpha))
    if seen.round == 1:
        loss = deep_losses(seen.F, state.y, phi)[booster.surrogate]
        seen.before = float(state.sample_weight @ loss)
    before, seen.before = seen.before, after
    return after, before


@quantity(
    "margin_bound",
    words="bound on the test error by margins (deep, Theorem 1)",
    line="bound by margins",
    needs="round",
    asked=("record", "margin_bound"),
    is_bound=True,
    unit="%",
    axis="error (%)",
)
def margin_bound(info: Any) -> float:
    r"""Return the bound of Theorem 1 at the best of 40 rho, with probability 95 %.

    With m samples, c classes, p families, ``A = sum_t alpha_t`` and (13) in place of the
    Rademacher complexity, as in the paper's experiments, it is

    .. math::
        \hat R_{S,\rho}(f) + \frac{8c}{\rho} \sum_t \frac{\alpha_t}{A} B_{n_t}
        + \frac{2}{c\rho} \sqrt{\frac{\log p}{m}}
        + \sqrt{\Bigl\lceil \frac{4}{\rho^2} \log\frac{c^2 \rho^2 m}{4 \log p} \Bigr\rceil
        \frac{\log p}{m} + \frac{\log(2/\delta)}{2m}} .
    """
    state = info.state
    alpha = np.array(getattr(state.own, "alpha", ()))
    if not alpha.sum() > 0.0:
        return math.nan
    m, c = state.n_samples, state.n_classes
    log_p = math.log(2 ** int(_depth(info.booster.weak_learner)) - 1)
    margins = _lead(state.scores, state.y).min(axis=1) / alpha.sum()
    B = complexity(state.own.sizes, info.booster.n_features_in_, m) @ alpha / alpha.sum()

    def at(rho: float) -> float:
        steps = max(0, math.ceil(4.0 / rho**2 * math.log(c**2 * rho**2 * m / (4.0 * log_p))))
        rest = math.sqrt(steps * log_p / m + math.log(2.0 / 0.05) / (2.0 * m))
        share = float(state.sample_weight @ (margins <= rho))
        return share + 8.0 * c / rho * B + 2.0 / (c * rho) * math.sqrt(log_p / m) + rest

    return float(min(map(at, np.geomspace(0.01, 1.0, 40))))


def _depth(weak_learner: Any) -> int:
    """Return the largest depth of trees, by default 5."""
    options = [*weak_learner.values()] if isinstance(weak_learner, dict) else [{}]
    return int((options[0] or {}).get("max_depth", 5))


# ---- A theory of multiclass boosting, Sec. 8 --------------------------------------------------


@inequality("loss_factor", "AdaBoostMM", words="fall of the loss (theory, Lemma 24)")
def loss_factor(state: Any, seen: Any) -> Sides | None:
    """Return the exponential loss and ``sqrt(1 - delta^2)`` times the loss before.

    The costs of right answers are minus those of all wrong ones (64), delta the edge (68).
    """
    rows, w = np.arange(len(state.y)), state.sample_weight
    costs = np.exp(seen.F - _true(seen.F, state.y)) * _wrong(seen.F, state.y)
    before = costs.sum(axis=1)
    costs[rows, state.y] = -before
    answers = (state.scores - seen.F).argmax(axis=1)
    delta = -(w @ costs[rows, answers]) / (w @ before)
    if delta >= 1.0 - 1e-9:  # a perfect classifier: the bound is 0 and the paper's step infinite
        return None
    after = np.exp(-_lead(state.scores, state.y)).sum(axis=1)
    return w @ after, math.sqrt(1.0 - delta**2) * (w @ before)


# ---- SPLBoost, Theorem 1 ----------------------------------------------------------------------


def latent(loss: Floats, kind: str, age: float, power: float) -> tuple[Floats, Floats]:
    """Return the latent weight of a loss and the latent loss, its integral from 0."""
    s = np.minimum(loss / age, 1.0)
    if kind == "hard":
        return (s < 1.0).astype(np.float64), age * s
    t = power if kind == "polynomial" else 2.0
    with np.errstate(divide="ignore"):  # 1 - (1 - s)**(t / (t - 1)) would cancel for small s
        log_rest = np.log1p(-s) / (t - 1.0)
    return np.exp(log_rest), -age * (t - 1.0) / t * np.expm1(t * log_rest)


def _latent_losses(state: Any, seen: Any) -> tuple[Floats, Floats, Floats, Floats] | None:
    """Return latent losses before a round and after it, and ``v l`` before and after, of the rows.

    The latent weights v are those of the losses before the round.
    """
    booster = seen.booster
    if seen.round <= max(booster.warm_start_rounds, 1):
        return None
    old, new = (np.exp(-_lead(F, state.y)[:, 0]) for F in (seen.F, state.scores))
    of = (booster.regulariser, booster.age, booster.power)
    v, before = latent(old, *of)
    w = state.sample_weight
    return w * before, w * latent(new, *of)[1], w * v * old, w * v * new


@inequality("majorised", "SPLBoost", words="latent loss below its majorant (SPLBoost, Theorem 1)")
def majorised(state: Any, seen: Any) -> Sides | None:
    """Return ``F(l) + v l_0`` and ``F(l_0) + v l`` of each row, l_0 the loss before the round.

    The majorant is ``F(l_0) + v (l - l_0)``; differences of tiny losses would cancel.
    """
    found = _latent_losses(state, seen)
    return None if found is None else (found[1] + found[2], found[0] + found[3])


@inequality("latent_falls", "SPLBoost", words="latent loss does not rise (SPLBoost, Theorem 1)")
def latent_falls(state: Any, seen: Any) -> Sides | None:
    """Return the mean latent loss after and before a round."""
    found = _latent_losses(state, seen)
    return None if found is None else (found[1].sum(), found[0].sum())


# ---- Multiclass boosting, Sec. 2 --------------------------------------------------------------


@inequality("loss_of_margin", "MCBoost", words="1 + exp(-margin) below the loss (MCBoost, Eq. 15)")
def loss_of_margin(state: Any, seen: Any) -> Sides:
    """Return ``1 + e^-M`` of the margin M (10) and the loss (15) of each row."""
    v = seen.booster.half * _lead(state.scores, state.y)
    w = state.sample_weight
    return w * (1.0 + np.exp(-v.min(axis=1))), w * (1.0 + np.exp(-v).sum(axis=1))


@inequality("risk_falls", "MCBoost", words="risk does not rise (MCBoost, Eqs. 26 and 33)")
def risk_falls(state: Any, seen: Any) -> Sides:
    """Return the risk (13) after and before a round."""
    half, w = seen.booster.half, state.sample_weight
    risks = [w @ np.exp(-half * _lead(F, state.y)).sum(axis=1) for F in (state.scores, seen.F)]
    return 1.0 + risks[0], 1.0 + risks[1]


@quantity(
    "mean_margin",
    words="mean margin of the training samples",
    needs="round",
    asked=("record", "loss_of_margin"),
    higher=True,
    least=None,
    held=False,
)
def mean_margin(info: Any) -> float:
    """Return the mean of (10) over the training samples; NaN for other boosters."""
    half = getattr(info.booster, "half", math.nan)
    lead = _lead(info.scores, info.state.y).min(axis=1)
    return float(half * (info.state.sample_weight @ lead))
