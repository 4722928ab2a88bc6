"""Outcomes of cases: statements about quantities, decided by tests on the runs.

An outcome has two answers. `Outcome.here` says whether the statement is true of the runs at hand,
by means and counts. `Outcome.state` says what is beyond chance: the statement holds, or fails, if
the one-sided test for it is significant at 2.5 %; otherwise it is open.
`boostbench.reports.values.differences.estimate` chooses the test from the design of the runs.
Computed values, such as the last round of a run, are compared as they are.
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
    #: True or False of the runs at hand; None if unknown. By default as the state says.
    here: bool | None = None
    tied: bool = False  # True if both quantities are equal
    why: str = ""  # reason for missing values, or why no test is possible
    test: str = ""  # name of the test; empty for a computed value
    #: P-values for "holds" and for "fails"; by default 0 or 1, from the state.
    p: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.here is None and self.state in ("holds", "fails"):
            object.__setattr__(self, "here", self.state == "holds")

    @property
    def p_values(self) -> tuple[float, float]:
        """P-values for "holds" and for "fails"."""
        return self.p or (float(self.state != "holds"), float(self.state != "fails"))

    @property
    def sign(self) -> int | None:
        """1 if the strict statement is true here, 0 for a tie, -1 if not; None if unknown."""
        if self.here is None:
            return None
        return 0 if self.tied else 1 if self.here else -1

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
        Accept equal values. Otherwise, equal values are not lower, but no evidence against it.
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
    tied = abs(beyond) <= ROUNDING
    p = compared.not_below(slack), compared.not_above(slack)
    if tied and ties and compared.scale == 0.0 and not compared.why:
        p = compared.least, 1.0
    here = ties if tied else beyond < 0
    return _outcome(compared, left, right, p, here, _enough(compared, beyond), tied=tied)


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
    edge = abs(estimated.difference) - tolerance
    here = edge <= ROUNDING
    above, below = estimated.not_below(tolerance), estimated.not_above(-tolerance)
    if estimated.why:
        p = 1.0, 1.0
    elif estimated.scale == 0.0:
        p = (estimated.least, 1.0) if here else (1.0, estimated.least)
    elif estimated.by_set is not None:
        beyond = min(estimated.not_above(tolerance), estimated.not_below(-tolerance))
        p = max(above, below), min(1.0, 2 * beyond)
    else:
        outside = min(1.0, above + below)
        p = outside, 1 - outside
    return _outcome(estimated, left, right, p, here, _enough(estimated, edge))


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
    share = sum(successes.values.values()) / n
    k, m = _effective(successes)
    interval = binomtest(k, m).proportion_ci(method="wilson")
    above, below = (binomtest(k, m, bound, alternative=side).pvalue for side in ("greater", "less"))
    total = NEVER
    if abs(share - bound) > ROUNDING and 0 < bound < 1 and not successes.design.overlap:
        z = _NORMAL.inv_cdf(LEVEL)
        total = max(float(n), bound * (1 - bound) * (z / (share - bound)) ** 2)
    return decided(
        Outcome(
            "open",
            share,
            (float(interval.low), float(interval.high)),
            n,
            planned,
            total,
            here=share >= bound - ROUNDING,
            test=SHARE_TEST,
            p=(float(above), float(below)),
        )
    )


def at_least(successes: Repeats, wanted: float | int) -> Outcome:
    """Decide on a share of all possible runs (a float), or a number of the planned runs (an int).

    The number of planned runs counts as it is. It is beyond chance if more runs succeed than coins
    would, and contradicted if fewer do than the wanted share would let expect.
    """
    from scipy.stats import binomtest

    if isinstance(wanted, float):
        return share_of(successes, wanted)
    n, planned = len(successes.values), len(successes.design.units)
    n_successes = round(sum(successes.values.values()))
    share = n_successes / n if n else None
    is_met, is_lost = n_successes >= wanted, planned >= wanted > n_successes + planned - n
    if not (is_met or is_lost):
        why = "; ".join(successes.gaps) or f"only {planned} runs are planned"
        return Outcome("missing", share, None, n, planned, why=why)
    k, m = _effective(successes)
    above = float(binomtest(k, m, 0.5, alternative="greater").pvalue)
    below = float(binomtest(k, m, wanted / planned, alternative="less").pvalue)
    p = (above, 1.0) if is_met else (1.0, below)
    found = Outcome("open", share, None, n, planned, here=is_met, test="exact sign test", p=p)
    return decided(found)


def _effective(successes: Repeats) -> tuple[int, int]:
    """Return the numbers of successes and of runs, fewer if splits overlap."""
    n = len(successes.values)
    inflation = 1 + n * successes.design.overlap  # of the variance
    return round(sum(successes.values.values()) / inflation), max(1, round(n / inflation))


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
    answers = [outcome.here for outcome in outcomes]
    decisive_here = not wants_all
    here = None if None in answers else not decisive_here
    here = decisive_here if decisive_here in answers else here
    state, decisive = _state(p, here), "fails" if wants_all else "holds"
    if state != decisive and any(outcome.state == "missing" for outcome in outcomes):
        state = "missing"
    pick = max if wants_all else min
    deciding = [outcome for outcome in outcomes if outcome.state == state] or outcomes
    chosen = pick(deciding, key=lambda outcome: outcome.badness)
    signs = [outcome.sign for outcome in outcomes if outcome.sign is not None]
    tied = bool(signs) and (min(signs) if wants_all else max(signs)) == 0
    totals = [outcome.total for outcome in outcomes if outcome.state == "open"] or [NEVER]
    total = max(totals) if wants_all == here else min(totals)
    return replace(chosen, state=state, here=here, tied=tied, total=total, p=p)


def _compared(left: Repeats, right: Repeats, statistic: Statistic) -> Estimate | Outcome:
    """Return the estimated difference, or a missing outcome if there are too few runs."""
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    if n == 0 or (n == 1 and planned > 1):
        return Outcome("missing", n=n, planned=planned, why=_why(pairs, "no runs in common"))
    return estimate(left, right, statistic)


def _outcome(
    estimated: Estimate,
    left: Repeats,
    right: Repeats,
    p: tuple[float, float],
    here: bool,
    total: float,
    *,
    tied: bool = False,
) -> Outcome:
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    return decided(
        Outcome(
            "open",
            estimated.difference,
            estimated.interval if estimated.scale else None,
            n,
            planned,
            max(n + 1, total),
            here,
            tied,
            estimated.why,
            estimated.test,
            p,
        )
    )


def decided(outcome: Outcome) -> Outcome:
    """Return an outcome with the state that its p-values give."""
    return replace(outcome, state=_state(outcome.p_values, outcome.here))


def _equal(left: Repeats, right: Repeats) -> Outcome:
    """Decide whether two quantities are equal in every run."""
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    differing = [value for value in pairs.values.values() if abs(value) > ROUNDING]
    if differing:
        return Outcome("fails", max(differing, key=abs), None, n, planned, test=EQUALITY)
    if n < planned or n == 0:
        return Outcome("missing", 0.0 if n else None, n=n, planned=planned, why=_why(pairs))
    return Outcome("holds", 0.0, None, n, planned, test=EQUALITY)


def _state(p: tuple[float, float], here: bool | None) -> State:
    """Return the state; a test that contradicts the means leaves it open."""
    if p[0] <= LEVEL and here is not False:
        return "holds"
    return "fails" if p[1] <= LEVEL and here is not True else "open"


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
