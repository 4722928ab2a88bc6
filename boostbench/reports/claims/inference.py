"""Outcomes of cases: statements about quantities, decided by tests on the runs.

`boostbench.reports.values.differences.estimate` chooses the test of a difference from the design of
the runs. An outcome holds, or fails, if the one-sided test for it is significant at 2.5 %. Computed
values, such as the last round of a run or a value without test samples, are compared as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

from boostbench.reports.values.designs import Repeats, Statistic
from boostbench.reports.values.differences import LEVEL, ROUNDING, Estimate, estimate

State = Literal["holds", "fails", "open", "missing"]

#: Required number of units if no finite number would decide an outcome.
NEVER = math.inf
SHARE_TEST = "exact binomial test of a share"
EQUALITY = "equality in every run"
_NORMAL = NormalDist()
UNKNOWN_SAMPLES = "records do not say which test samples were right; run again"


@dataclass(frozen=True)
class Outcome:
    """Outcome of a statement about two quantities, or about a share of runs."""

    state: State  # ``open``: not decided by the runs at hand; ``missing``: too few runs
    difference: float | None = None  # left minus right quantity, or the share itself
    interval: tuple[float, float] | None = None  # of the difference, 95 %; None if computed
    n: int = 0  # units with a value
    planned: int = 0  # planned units
    #: Estimated number of units that would decide it, if it is open; `NEVER` if none would.
    total: float = NEVER
    leans: bool = False  # True if the point estimate holds
    why: str = ""  # reason for missing values
    test: str = ""  # name of the test; empty for a computed value
    #: P-values for "holds" and for "fails"; by default 0 or 1, from the state.
    p: tuple[float, float] | None = None

    @property
    def p_values(self) -> tuple[float, float]:
        """P-values for "holds" and for "fails"."""
        return self.p or (float(self.state != "holds"), float(self.state != "fails"))

    @property
    def badness(self) -> float:
        """Sort key among outcomes of one state: the largest is closest to failing."""
        return -math.inf if self.difference is None else self.difference


def lower(
    left: Repeats,
    right: Repeats,
    *,
    ties: bool = False,
    slack: float = 0.0,
    statistic: Statistic = "mean",
) -> Outcome:
    """Decide whether one quantity is lower than another.

    Parameters
    ----------
    left, right : Repeats
    ties : bool, default=False
        Accept equal values.
    slack : float, default=0.0
        Amount by which the left quantity may be higher.
    statistic : {"mean", "median"}, default="mean"
        Statistic over runs.

    Returns
    -------
    outcome : Outcome
        With the difference left minus right.
    """
    compared = _compared(left, right, statistic)
    if isinstance(compared, Outcome):
        return compared
    beyond = compared.difference - slack
    leans = _is_lower(beyond, ties)
    if compared.scale == 0.0:
        return _outcome(compared, left, right, (float(not leans), float(leans)), leans)
    p = compared.not_below(slack), compared.not_above(slack)
    return _outcome(compared, left, right, p, leans, _enough(compared, beyond))


def near(left: Repeats, right: Repeats, tolerance: float) -> Outcome:
    """Decide whether two quantities are equivalent; with a tolerance of 0, equal in every run.

    The outcome holds, or fails, if the probability that the difference lies inside, or outside,
    the region of practical equivalence is at least 97.5 % (Benavoli et al. 2017).
    """
    if tolerance <= 0:
        return _equal(left, right)
    compared = _compared(left, right, "mean")
    if isinstance(compared, Outcome):
        return compared
    return equivalent(compared, left, right, tolerance)


def equivalent(estimated: Estimate, left: Repeats, right: Repeats, tolerance: float) -> Outcome:
    """Decide whether an estimated difference is at most a tolerance, see `near`."""
    leans = abs(estimated.difference) <= tolerance + ROUNDING
    if estimated.scale == 0.0:
        return _outcome(estimated, left, right, (float(not leans), float(leans)), leans)
    outside = min(1.0, estimated.not_below(tolerance) + estimated.not_above(-tolerance))
    edge = abs(estimated.difference) - tolerance
    p = outside, 1 - outside
    return _outcome(estimated, left, right, p, leans, _enough(estimated, edge))


def share_of(successes: Repeats, bound: float) -> Outcome:
    """Decide whether a share of all possible runs is at least a bound, by the exact binomial test.

    The interval is Wilson's. Runs on overlapping splits count as a smaller effective number.

    Parameters
    ----------
    successes : Repeats
        1 for each run in which a statement holds, 0 for the other runs.
    bound : float
        Share, 0 to 1.

    Returns
    -------
    outcome : Outcome
        With the share itself as the difference.
    """
    from scipy.stats import binomtest

    n, planned = len(successes.values), len(successes.design.units)
    if n == 0:
        return Outcome("missing", n=0, planned=planned, why=_why(successes))
    n_successes = round(sum(successes.values.values()))
    share = n_successes / n
    overlap = successes.design.overlap
    inflation = 1 + n * overlap  # of the variance
    k, m = round(n_successes / inflation), max(1, round(n / inflation))
    interval = binomtest(k, m).proportion_ci(method="wilson")
    above, below = (binomtest(k, m, bound, alternative=side).pvalue for side in ("greater", "less"))
    p = float(above), float(below)
    leans = share >= bound - ROUNDING
    total = NEVER
    if abs(share - bound) > ROUNDING and 0 < bound < 1 and not overlap:
        z = _NORMAL.inv_cdf(LEVEL)
        total = max(float(n), bound * (1 - bound) * (z / (share - bound)) ** 2)
    return Outcome(
        _state(p),
        share,
        (float(interval.low), float(interval.high)),
        n,
        planned,
        total,
        leans,
        test=SHARE_TEST,
        p=p,
    )


def at_least(successes: Repeats, wanted: float | int) -> Outcome:
    """Decide on a share of all possible runs (a float), or a number of the planned runs (an int).

    The parameter ``successes`` is that of `share_of`.
    """
    if isinstance(wanted, float):
        return share_of(successes, wanted)
    n, planned = len(successes.values), len(successes.design.units)
    n_successes = round(sum(successes.values.values()))
    share = n_successes / n if n else None
    if n_successes >= wanted:
        return Outcome("holds", share, None, n, planned, leans=True)
    if planned >= wanted > n_successes + planned - n:
        return Outcome("fails", share, None, n, planned)
    why = "; ".join(successes.gaps) or f"only {planned} runs are planned"
    return Outcome("missing", share, None, n, planned, why=why)


def all_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of "all of the outcomes hold".

    Its p-value for "holds" is the largest of all; that for "fails" is the smallest, times the
    number of outcomes (the first step of Holm's method).
    """
    return _joined(list(outcomes), wants_all=True)


def any_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of "an outcome holds": `all_of` with "holds" and "fails" exchanged."""
    return _joined(list(outcomes), wants_all=False)


def turned(outcome: Outcome) -> Outcome:
    """Return an outcome with left and right exchanged in its difference and interval."""
    difference = None if outcome.difference is None else -outcome.difference
    interval = None if outcome.interval is None else (-outcome.interval[1], -outcome.interval[0])
    return replace(outcome, difference=difference, interval=interval)


def _joined(outcomes: Sequence[Outcome], *, wants_all: bool) -> Outcome:
    if len(outcomes) == 1:
        return outcomes[0]
    m = len(outcomes)
    holds, fails = zip(*(outcome.p_values for outcome in outcomes), strict=True)
    p = (
        (max(holds), min(1.0, m * min(fails)))
        if wants_all
        else (min(1.0, m * min(holds)), max(fails))
    )
    state, decisive = _state(p), "fails" if wants_all else "holds"
    if state != decisive and any(outcome.state == "missing" for outcome in outcomes):
        state = "missing"
    pick = max if wants_all else min
    deciding = [outcome for outcome in outcomes if outcome.state == state] or outcomes
    chosen = pick(deciding, key=lambda outcome: outcome.badness)
    leanings = [outcome.leans for outcome in outcomes]
    leans = all(leanings) if wants_all else any(leanings)
    totals = [outcome.total for outcome in outcomes if outcome.state == "open"] or [NEVER]
    total = max(totals) if wants_all == leans else min(totals)
    return replace(chosen, state=state, leans=leans, total=total, p=p)


def _compared(left: Repeats, right: Repeats, statistic: Statistic) -> Estimate | Outcome:
    """Return the estimated difference, or a missing outcome if there are too few runs."""
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    if n == 0 or (n == 1 and planned > 1):
        why = _why(pairs, "no runs in common")
        return Outcome("missing", n=n, planned=planned, why=why)
    estimated = estimate(left, right, statistic)
    if estimated is not None:
        return estimated
    difference = sum(pairs.values.values()) / n
    return Outcome("missing", difference, n=n, planned=planned, why=UNKNOWN_SAMPLES)


def _outcome(
    estimated: Estimate,
    left: Repeats,
    right: Repeats,
    p: tuple[float, float],
    leans: bool,
    total: float = NEVER,
) -> Outcome:
    pairs = left.minus(right)
    interval = estimated.interval if estimated.scale else None
    state = _state(p)
    n, planned = len(pairs.values), len(pairs.design.units)
    total = max(n + 1, total)
    return Outcome(
        state,
        estimated.difference,
        interval,
        n,
        planned,
        total,
        leans,
        test=estimated.test,
        p=p,
    )


def _equal(left: Repeats, right: Repeats) -> Outcome:
    """Decide whether two quantities are equal in every run."""
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    differing = [value for value in pairs.values.values() if abs(value) > ROUNDING]
    test = EQUALITY
    if differing:
        return Outcome("fails", max(differing, key=abs), None, n, planned, test=test)
    if n < planned or n == 0:
        return Outcome("missing", 0.0 if n else None, n=n, planned=planned, why=_why(pairs))
    return Outcome("holds", 0.0, None, n, planned, leans=True, test=test)


def _state(p: tuple[float, float]) -> State:
    return "holds" if p[0] <= LEVEL else "fails" if p[1] <= LEVEL else "open"


def _is_lower(beyond: float, ties: bool) -> bool:
    return beyond < -ROUNDING or (ties and beyond <= ROUNDING)


def _enough(estimated: Estimate, beyond: float) -> float:
    """Return the approximate number of units with the bound at an end of the interval.

    The estimated difference lies ``beyond`` above the bound.
    """
    if abs(beyond) <= ROUNDING or estimated.per_unit == 0.0:
        return NEVER
    variance = (beyond / (estimated.reach / estimated.scale)) ** 2 - estimated.fixed
    return estimated.per_unit / variance if variance > 0 else NEVER


def _why(sample: Repeats, otherwise: str = "no runs") -> str:
    return "; ".join(sample.gaps) or otherwise
