"""Outcomes of cases: statements about quantities, decided by tests on the runs.

An outcome has two answers. `Outcome.here` says whether the statement is true of the runs at hand,
by means and counts. `Outcome.state` says what is beyond chance: the statement holds, or fails, if
the one-sided test for it is significant at 2.5 %; otherwise it is open.
`boostbench.reports.values.estimates.estimate` chooses the test from the design of the runs.
Computed values, such as the last round of a run, are compared as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import scipy

from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.values.estimates import LEVEL, ROUNDING, UNSHARED, Estimate, estimate
from boostbench.reports.values.samples import Repeats

State = Literal["holds", "fails", "open", "missing"]
#: Required number of units if no finite number would decide an outcome.
NEVER = math.inf


@dataclass(frozen=True)
class Outcome:
    """Outcome of a statement about two quantities, or about a share of runs."""

    #: ``missing``: too few runs; ``open``: as `state_of` says, by default not decided.
    state: State
    difference: float | None = None  # left minus right quantity, or the share itself
    interval: tuple[float, float] | None = None  # of the difference, 95 %; None if computed
    n: int = 0  # units with a value
    planned: int = 0  # planned units
    #: Estimated number of units that would decide it, if it is open; `NEVER` if none would.
    total: float = NEVER
    #: True or False of the runs at hand; None if unknown. By default as the state says.
    here: bool | None = None
    tied: bool = False  # True if both quantities are equal
    why: str = ""  # reason for missing values, or why no test is possible
    test: str = ""  # name of the test; empty if nothing is left to chance
    #: P-values for "holds" and for "fails"; by default 0 or 1, from the state.
    p: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.state not in get_args(State):
            raise ValueError(f"must be one of {', '.join(get_args(State))}, found {self.state!r}")
        if self.here is None and self.state in ("holds", "fails"):
            object.__setattr__(self, "here", self.state == "holds")
        if not self.p:
            p = float(self.state != "holds"), float(self.state != "fails")
            object.__setattr__(self, "p", p)
        elif self.state == "open":
            object.__setattr__(self, "state", state_of(self.p, self.here))


def lower(left: Repeats, right: Repeats, *, ties: bool = False, slack: float = 0.0) -> Outcome:
    """Decide whether one quantity is lower than another.

    Parameters
    ----------
    left, right : Repeats
    ties : bool, default=False
        Accept equal values. Otherwise, equal values are not lower, but no evidence against it.
    slack : float, default=0.0
        Amount by which the left quantity may be higher.

    Returns
    -------
    outcome : Outcome
        With the difference left minus right.
    """
    pairs = left.minus(right)
    if _is_too_few(pairs):
        return _missing(pairs)
    compared = estimate(left, right).with_margin(slack)
    beyond = compared.difference - slack
    tied = abs(beyond) <= ROUNDING
    p = compared.not_below(slack), compared.not_above(slack)
    if tied and ties and compared.scale == 0.0 and not compared.why:
        p = compared.least, 1.0
    here = ties if tied else beyond < 0
    return replace(outcome_of(pairs, compared, p, here, beyond), tied=tied)


def near(left: Repeats, right: Repeats, tolerance: float) -> Outcome:
    """Decide whether two quantities are equivalent; with a tolerance of 0, equal in every run.

    The outcome holds, or fails, if the probability that the difference lies inside, or outside,
    the region of practical equivalence is at least 97.5 % (Benavoli et al. 2017).
    """
    pairs = left.minus(right)
    if tolerance <= 0:
        return _in_every_run(pairs, abs)
    if _is_too_few(pairs):
        return _missing(pairs)
    return equivalent(pairs, estimate(left, right).with_margin(tolerance), tolerance)


def never_above(left: Repeats, right: Repeats) -> Outcome:
    """Decide whether one quantity exceeds another in no run."""
    pairs = left.minus(right)
    outcome = _in_every_run(pairs, float)
    return outcome if outcome.state == "fails" else replace(outcome, difference=pairs.mean)


def _in_every_run(pairs: Repeats, excess: Callable[[float], float]) -> Outcome:
    """Decide whether the excess of no difference is above 0."""
    n, planned = len(pairs.values), len(pairs.design.units)
    largest = max(pairs.values.values(), key=excess, default=0.0)
    is_broken = excess(largest) > ROUNDING
    if not is_broken and (n < planned or n == 0):
        return replace(_missing(pairs), difference=largest if n else None)
    return Outcome("fails" if is_broken else "holds", largest, None, n, planned)


def equivalent(pairs: Repeats, estimated: Estimate, tolerance: float) -> Outcome:
    """Decide whether the estimated mean of differences is at most a tolerance, see `near`."""
    edge = abs(estimated.difference) - tolerance
    here = edge <= ROUNDING
    above, below = estimated.not_below(tolerance), estimated.not_above(-tolerance)
    if estimated.scale == 0.0 and not estimated.why:
        p = (estimated.least, 1.0) if here else (1.0, estimated.least)
    elif estimated.by_set is not None or estimated.why:  # without a test, all are 1
        beyond = min(estimated.not_above(tolerance), estimated.not_below(-tolerance))
        p = max(above, below), min(1.0, 2 * beyond)
    else:
        outside = min(1.0, above + below)
        p = outside, 1 - outside
    return outcome_of(pairs, estimated, p, here, edge)


def at_least(successes: Repeats, wanted: float) -> Outcome:
    """Decide on a share of all possible runs, by the exact binomial test with Wilson's interval.

    Runs on overlapping splits count as a smaller effective number.

    Parameters
    ----------
    successes : Repeats
        1 for each run in which a statement holds, 0 for the other runs.
    wanted : float
        Smallest share, 0 to 1.

    Returns
    -------
    outcome : Outcome
        With the share itself as the difference.
    """
    n = len(successes.values)
    if n == 0:
        return _missing(successes)
    n_successes = sum(successes.values.values())
    share = n_successes / n
    beyond = share - wanted
    inflation = successes.design.inflation(n)
    k, m = round(n_successes / inflation), max(1, round(n / inflation))
    tests = (scipy.stats.binomtest(k, m, wanted, each) for each in ("greater", "less"))
    p = tuple(float(test.pvalue) for test in tests)
    ends = scipy.stats.binomtest(k, m).proportion_ci(method="wilson")
    interval, here = (float(ends.low), float(ends.high)), beyond >= -ROUNDING
    total = NEVER
    if abs(beyond) > ROUNDING and 0 < wanted < 1 and not successes.design.overlap:
        z = float(scipy.special.ndtri(LEVEL))
        total = max(n + 1.0, wanted * (1 - wanted) * (z / beyond) ** 2)
    planned, test = len(successes.design.units), "exact binomial test of a share"
    return Outcome("open", share, interval, n, planned, total, here, test=test, p=p)


def all_of(outcomes: Iterable[Outcome], size: Callable[[float], float] = float) -> Outcome:
    """Return the outcome of "all of the outcomes hold".

    Its p-values are those of `p_at_least`, and its difference is that of the largest ``size`` among
    the outcomes that decide: of those as true or false here, those of the same state, if any.
    """
    outcomes = list(outcomes)
    if len(outcomes) == 1:
        return outcomes[0]
    p = p_at_least(outcomes, len(outcomes))
    here = Rule().is_met([outcome.here for outcome in outcomes])
    state = state_of(p, here)
    if state != "fails" and any(outcome.state == "missing" for outcome in outcomes):
        state = "missing"
    alike = [each for each in outcomes if state == "missing" or each.here == here] or outcomes
    deciding = [outcome for outcome in alike if outcome.state == state] or alike
    worst = max(deciding, key=lambda o: -math.inf if o.difference is None else size(o.difference))
    tied = any(o.tied for o in outcomes) and all(o.tied or o.here is not False for o in outcomes)
    totals = [outcome.total for outcome in outcomes if outcome.state == "open"] or [NEVER]
    total = max(totals) if here else min(totals)
    return replace(worst, state=state, here=here, tied=tied, total=total, p=p)


def p_at_least(outcomes: Sequence[Outcome], needed: int) -> tuple[float, float]:
    """Return the p-values of "so many of n outcomes hold" and of "fewer hold".

    The first is n - k + 1 times the k-th smallest p-value (Benjamini & Heller 2008): the largest
    for k = n, the first step of Holm's method for k = 1.
    """
    n = len(outcomes)
    holds, fails = (sorted(outcome.p[side] for outcome in outcomes) for side in (0, 1))
    if needed > n:  # of a plugin whose cases follow from its runs
        return 1.0, 0.0
    return min(1.0, (n - needed + 1) * holds[needed - 1]), min(1.0, needed * fails[n - needed])


def any_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome of "an outcome holds": not all of them fail."""
    return _negated(all_of(map(_negated, outcomes)))


def _negated(outcome: Outcome) -> Outcome:
    """Return the outcome of the contrary, with left and right exchanged."""
    state: State = "missing" if outcome.state == "missing" else "open"
    here = None if outcome.here is None else not outcome.here
    return replace(turned(outcome), state=state, here=here, p=outcome.p[::-1])


def turned(outcome: Outcome) -> Outcome:
    """Return an outcome with left and right exchanged in its difference and interval."""
    difference = None if outcome.difference is None else -outcome.difference
    interval = None if outcome.interval is None else (-outcome.interval[1], -outcome.interval[0])
    return replace(outcome, difference=difference, interval=interval)


def state_of(p: Sequence[float], here: bool | None) -> State:
    """Return the state; open if a test contradicts the means, or if these are unknown."""
    if p[0] <= LEVEL and here is True:
        return "holds"
    return "fails" if p[1] <= LEVEL and here is False else "open"


def _is_too_few(pairs: Repeats) -> bool:
    return len(pairs.values) < min(2, max(1, len(pairs.design.units)))


def _missing(sample: Repeats) -> Outcome:
    why = "; ".join(sample.gaps) or UNSHARED
    return Outcome("missing", n=len(sample.values), planned=len(sample.design.units), why=why)


def outcome_of(
    pairs: Repeats, estimated: Estimate, p: tuple[float, ...], here: bool | None, beyond: float
) -> Outcome:
    """Return the outcome of a test; the estimated difference lies ``beyond`` above the bound.

    The number of units that would decide it has the bound at an end of the interval.
    """
    n, planned, total = len(pairs.values), len(pairs.design.units), NEVER
    if abs(beyond) > ROUNDING and estimated.per_unit:
        variance = (beyond / (estimated.reach / estimated.scale)) ** 2 - estimated.fixed
        total = max(n + 1, estimated.per_unit / variance) if variance > 0 else NEVER
    difference, interval = estimated.difference, estimated.interval if estimated.scale else None
    why, test = estimated.why, estimated.test
    return Outcome("open", difference, interval, n, planned, total, here, why=why, test=test, p=p)
