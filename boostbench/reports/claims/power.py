"""Tests of the number of cases of a claim that hold, and their power."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.evidence import Case
from boostbench.reports.claims.inference import State
from boostbench.reports.values.differences import FEWEST_SETS, LEVEL, resampled_sets

WANTED_POWER = 0.8
_MOST_REPEATS = 1000


def p_at_least(cases: Sequence[Case], needed: int) -> tuple[float, float]:
    """Return the p-values of "at least ``needed`` cases hold" and of "fewer hold".

    See `boostbench.reports.claims.verdicts.verdict_on`.
    """
    n = len(cases)
    holds = sorted(case.outcome.p_values[0] for case in cases)
    fails = sorted(case.outcome.p_values[1] for case in cases)
    if needed > n:
        return 1.0, 0.0
    return min(1.0, (n - needed + 1) * holds[needed - 1]), min(1.0, needed * fails[n - needed])


def p_over_sets(cases: Sequence[Case], needed: int) -> tuple[float, float]:
    """Return the p-values of `p_at_least` by a bootstrap over data sets.

    A missing case counts against both statements.
    """
    sets = list(dict.fromkeys(case.dataset for case in cases))
    if len(sets) < FEWEST_SETS:
        return 1.0, 1.0
    counts = np.zeros((3, len(sets)))  # holds, missing, cases
    for case in cases:
        state = case.outcome.state
        counts[:, sets.index(case.dataset)] += (state == "holds", state == "missing", 1)
    holds, missing, n = counts @ resampled_sets(len(sets)).T
    share = needed / len(cases) - 1e-9
    return float((holds < share * n).mean()), float((holds + missing >= share * n).mean())


def power_of(
    groups: Sequence[Sequence[Case]], rule: Rule, *, over_sets: bool = False
) -> tuple[float | None, int | None]:
    """Return the probability of "reproduced" if the printed values are true.

    Cases are treated as independent. With a bootstrap over data sets the power is 0 or 1 for any
    number of repeats, because printed values have no spread there.

    Returns
    -------
    power : float or None
        None if a case has no printed values, or if all cases are missing.
    repeats : int or None
        Number of units at which the power is 0.8; None if no number suffices.
    """
    cases = [case for group in groups for case in group]
    known = [case for case in cases if case.outcome.state != "missing"]
    if not known or any(case.outcome.power is None for case in known):
        return None, None
    units = max(case.outcome.planned for case in cases)
    if over_sets:
        p = max(p_over_sets(_as_printed(group), rule.needed(len(group)))[0] for group in groups)
        return float(p <= LEVEL), units if p <= LEVEL else None

    def power(n: int) -> float:
        return math.prod(_power_of_group(group, rule, n / max(units, 1)) for group in groups)

    return power(units), _fewest(power, max(units, 1))


def _as_printed(cases: Sequence[Case]) -> list[Case]:
    """Return the cases with the states that the printed values give them."""
    printed = []
    for case in cases:
        holds = case.outcome.power is not None and case.outcome.power(LEVEL, 1.0) > 0
        state: State = "holds" if holds else "fails"
        printed.append(replace(case, outcome=replace(case.outcome, state=state)))
    return printed


def _power_of_group(cases: Sequence[Case], rule: Rule, factor: float) -> float:
    n = len(cases)
    needed = rule.needed(n)
    level = LEVEL / (n - needed + 1)
    distribution = np.ones(1)  # of the number of cases that hold, from 0
    for case in cases:
        power = case.outcome.power
        p = 0.0 if power is None else power(level, factor)
        distribution = np.convolve(distribution, [1 - p, p])
    return float(distribution[needed:].sum())


def _fewest(power: Callable[[int], float], units: int) -> int | None:
    """Return the smallest number of units, up to 1000, with a power of 0.8; None if none has it."""
    low, high = (1, units) if power(units) >= WANTED_POWER else (units, _MOST_REPEATS)
    if power(high) < WANTED_POWER:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= WANTED_POWER else (middle, high)
    return high
