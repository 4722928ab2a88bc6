"""Outcomes of cases: whether something holds, as far as the runs tell.

`boostbench.reports.values.differences.estimate` chooses the test of a difference from the design of
the runs. An outcome holds, or fails, if the test of its side is significant at 2.5 %; what is
computed, such as the last round of a run or a value without test samples, counts as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

from boostbench.reports.values.designs import Repeats, Statistic
from boostbench.reports.values.differences import LEVEL, ROUNDING, Estimate, estimate, quantile

State = Literal["holds", "fails", "open", "missing"]
#: Power: from the level of a test and a multiple of the repeats to the probability that it holds.
Power = Callable[[float, float], float]

#: Number of runs where no number of runs would decide.
NEVER = math.inf
SHARE_TEST = "exact binomial test of a share"
EQUALITY = "equality in every run"
_NORMAL = NormalDist()
UNKNOWN_SAMPLES = "records do not say which test samples were right; run again"


@dataclass(frozen=True)
class Outcome:
    """Answer to a statement, as far as the runs tell."""

    state: State  # ``open``: the runs at hand leave it open; ``missing``: there are too few of them
    difference: float | None = None  # by how much one quantity is above the other
    interval: tuple[float, float] | None = None  # of the difference; None if it is a computed value
    n: int = 0  # units with a value
    planned: int = 0  # units
    #: Units that would about decide it, if it is open; `NEVER` if no number would.
    total: float = NEVER
    leans: bool = False  # True if it holds by the point values
    why: str = ""  # why something is missing
    test: str = ""  # name of the test; empty for a computed value
    #: P-values of the tests that it holds and that it fails; by default those of a computed value.
    p: tuple[float, float] | None = None
    #: Probability that it holds if the printed values are true; None if nothing is printed. What is
    #: missing does not hold.
    power: Power | None = None

    @property
    def p_values(self) -> tuple[float, float]:
        """P-values of the tests that it holds and that it fails."""
        return self.p or (float(self.state != "holds"), float(self.state != "fails"))

    @property
    def badness(self) -> float:
        """Closeness to failing, for comparison within one state."""
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
        Equal values hold.
    slack : float, default=0.0
        The left one may be higher by this much.
    statistic : {"mean", "median"}
        Of the values over runs.

    Returns
    -------
    outcome : Outcome
        Its difference is left minus right.
    """
    found = _compared(left, right, statistic)
    if isinstance(found, Outcome):
        return found
    beyond = found.difference - slack
    leans = _is_lower(beyond, ties)
    printed = left.minus(right).printed
    if printed is not None:
        printed -= slack
    if found.scale == 0.0:
        power = None if printed is None else certain(_is_lower(printed, ties))
        return _outcome(found, left, right, (float(not leans), float(leans)), leans, power)
    p = found.not_below(slack), found.not_above(slack)
    power = None if printed is None else _power_below(found, printed)
    return _outcome(found, left, right, p, leans, power, _enough(found, beyond))


def near(left: Repeats, right: Repeats, tolerance: float) -> Outcome:
    """Decide whether two quantities are equivalent; with a tolerance of 0: equal in every run.

    The difference lies in the region of practical equivalence, or outside, with a probability of
    at least 97.5 % (Benavoli et al. 2017).
    """
    if tolerance <= 0:
        return _equal(left, right)
    found = _compared(left, right, "mean")
    return found if isinstance(found, Outcome) else equivalent(found, left, right, tolerance)


def equivalent(found: Estimate, left: Repeats, right: Repeats, tolerance: float) -> Outcome:
    """Decide whether an estimated difference is at most a tolerance, see `near`."""
    leans = abs(found.difference) <= tolerance + ROUNDING
    printed = left.minus(right).printed
    if found.scale == 0.0:
        power = None if printed is None else certain(abs(printed) <= tolerance + ROUNDING)
        return _outcome(found, left, right, (float(not leans), float(leans)), leans, power)
    outside = min(1.0, found.not_below(tolerance) + found.not_above(-tolerance))
    edge = abs(found.difference) - tolerance
    power = None if printed is None else _power_within(found, printed, tolerance)
    p = outside, 1 - outside
    return _outcome(found, left, right, p, leans, power, _enough(found, edge))


def share_of(held: Repeats, bound: float) -> Outcome:
    """Decide whether a share of all possible runs is at least a bound, by the exact binomial test.

    Its interval is Wilson's. Runs on overlapping splits count as fewer.

    Parameters
    ----------
    held : Repeats
        1 in runs where something holds, 0 in others.
    bound : float
        Share, 0 to 1.

    Returns
    -------
    outcome : Outcome
        Its difference is the share itself.
    """
    from scipy.stats import binomtest

    n, planned = len(held.values), len(held.design.units)
    if n == 0:
        return Outcome("missing", n=0, planned=planned, why=_why(held))
    yes = round(sum(held.values.values()))
    share = yes / n
    overlap = held.design.ratio if held.design.source == "splits" else 0.0
    alike = 1 + n * overlap  # runs that are worth one
    k, m = round(yes / alike), max(1, round(n / alike))
    found = binomtest(k, m).proportion_ci(method="wilson")
    above, below = (binomtest(k, m, bound, alternative=side).pvalue for side in ("greater", "less"))
    p = float(above), float(below)
    leans = share >= bound - ROUNDING
    far = abs(share - bound) > ROUNDING and 0 < bound < 1 and not overlap
    limit = _NORMAL.inv_cdf(LEVEL)
    total = max(float(n), bound * (1 - bound) * (limit / (share - bound)) ** 2) if far else NEVER
    return Outcome(
        _state(p),
        share,
        (float(found.low), float(found.high)),
        n,
        planned,
        total,
        leans,
        test=SHARE_TEST,
        p=p,
    )


def at_least(held: Repeats, wanted: float | int) -> Outcome:
    """Decide about a share of all possible runs, or about a number of the planned ones."""
    if isinstance(wanted, float):
        return share_of(held, wanted)
    n, planned = len(held.values), len(held.design.units)
    yes = round(sum(held.values.values()))
    difference = yes / n if n else None
    if yes >= wanted:
        return Outcome("holds", difference, None, n, planned, leans=True)
    if planned >= wanted > yes + planned - n:
        return Outcome("fails", difference, None, n, planned)
    why = "; ".join(held.gaps) or f"only {planned} runs are planned"
    return Outcome("missing", difference, None, n, planned, why=why)


def all_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome that everything holds.

    It holds if the weakest part does, and fails if a part does at Holm's first, smallest level.
    """
    return _joined(list(outcomes), wants_all=True)


def any_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the outcome that something holds, the other way round than `all_of`."""
    return _joined(list(outcomes), wants_all=False)


def turned(outcome: Outcome) -> Outcome:
    """Return the outcome about right and left as one about left and right."""
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
    powers = [outcome.power for outcome in outcomes if outcome.power is not None]
    power = _joint_power(powers, wants_all) if len(powers) == m else None
    return replace(chosen, state=state, leans=leans, total=total, p=p, power=power)


def _joint_power(powers: Sequence[Power], wants_all: bool) -> Power:
    """Return the power of all, or any, as if the tests were independent."""

    def of_all(level: float, factor: float) -> float:
        return math.prod(power(level, factor) for power in powers)

    def of_any(level: float, factor: float) -> float:
        return 1 - math.prod(1 - power(level / len(powers), factor) for power in powers)

    return of_all if wants_all else of_any


def _compared(left: Repeats, right: Repeats, statistic: Statistic) -> Estimate | Outcome:
    """Return the estimated difference, or the outcome that there are too few runs."""
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    if n == 0 or (n == 1 and planned > 1):
        why = _why(pairs, "no runs in common")
        return Outcome("missing", n=n, planned=planned, why=why, power=certain(False))
    found = estimate(left, right, statistic)
    if found is not None:
        return found
    difference = sum(pairs.values.values()) / n
    return Outcome(
        "missing", difference, n=n, planned=planned, why=UNKNOWN_SAMPLES, power=certain(False)
    )


def _outcome(
    found: Estimate,
    left: Repeats,
    right: Repeats,
    p: tuple[float, float],
    leans: bool,
    power: Power | None,
    total: float = NEVER,
) -> Outcome:
    pairs = left.minus(right)
    interval = found.interval if found.scale else None
    state = _state(p)
    n, planned = len(pairs.values), len(pairs.design.units)
    total = max(n + 1, total)
    return Outcome(
        state, found.difference, interval, n, planned, total, leans, "", found.test, p, power
    )


def _equal(left: Repeats, right: Repeats) -> Outcome:
    pairs = left.minus(right)
    n, planned = len(pairs.values), len(pairs.design.units)
    differing = [value for value in pairs.values.values() if abs(value) > ROUNDING]
    test = EQUALITY
    power = None if pairs.printed is None else certain(abs(pairs.printed) <= ROUNDING)
    if differing:
        return Outcome("fails", max(differing, key=abs), None, n, planned, test=test, power=power)
    if n < planned or n == 0:
        return Outcome("missing", 0.0 if n else None, n=n, planned=planned, why=_why(pairs))
    return Outcome("holds", 0.0, None, n, planned, leans=True, test=test, power=power)


def _state(p: tuple[float, float]) -> State:
    return "holds" if p[0] <= LEVEL else "fails" if p[1] <= LEVEL else "open"


def _is_lower(beyond: float, ties: bool) -> bool:
    return beyond < -ROUNDING or (ties and beyond <= ROUNDING)


def certain(holds: bool) -> Power:
    """Return the power of what needs no test."""
    return lambda level, factor: float(holds)


def _power_below(found: Estimate, printed: float) -> Power:
    return lambda level, factor: found.repeated(factor).chance_below(printed, level)


def _power_within(found: Estimate, printed: float, tolerance: float) -> Power:
    def power(level: float, factor: float) -> float:
        more = found.repeated(factor)
        room = tolerance + quantile(more.df, level) * more.scale
        if room <= 0:
            return 0.0
        low, high = ((end - printed) / more.scale for end in (-room, room))
        return _NORMAL.cdf(high) - _NORMAL.cdf(low)

    return power


def _enough(found: Estimate, beyond: float) -> float:
    """Return about how many units would put the bound at the end of the interval."""
    if abs(beyond) <= ROUNDING or found.per_unit == 0.0:
        return NEVER
    room = (beyond / (found.reach / found.scale)) ** 2 - found.fixed
    return found.per_unit / room if room > 0 else NEVER


def _why(sample: Repeats, otherwise: str = "no runs") -> str:
    return "; ".join(sample.gaps) or otherwise
