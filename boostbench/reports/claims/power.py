"""Tests of how many cases of a claim hold, and their power."""

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
    """Return the p-values that at least so many cases hold, and that fewer do."""
    n = len(cases)
    holds = sorted(case.outcome.p_values[0] for case in cases)
    fails = sorted(case.outcome.p_values[1] for case in cases)
    if needed > n:
        return 1.0, 0.0
    met = (n - needed + 1) * holds[needed - 1]
    return min(1.0, met), min(1.0, needed * fails[n - needed])


def p_over_sets(cases: Sequence[Case], needed: int) -> tuple[float, float]:
    """Return the same from a bootstrap over data sets; missing cases count against both."""
    sets = list(dict.fromkeys(case.dataset for case in cases))
    if len(sets) < FEWEST_SETS:
        return 1.0, 1.0
    counts = np.zeros((3, len(sets)))  # holds, missing, cases
    for case in cases:
        at = sets.index(case.dataset)
        counts[:, at] += (case.outcome.state == "holds", case.outcome.state == "missing", 1)
    holds, missing, n = counts @ resampled_sets(len(sets)).T
    share = needed / len(cases) - 1e-9
    return float((holds < share * n).mean()), float((holds + missing >= share * n).mean())


def power_of(
    groups: Sequence[Sequence[Case]], rule: Rule, *, over_sets: bool = False
) -> tuple[float | None, int | None]:
    """Return the probability of "reproduced" if the printed values are true.

    Cases count as independent. A bootstrap over data sets takes the printed values as they are, so
    that it is 0 or 1, whatever the repeats.

    Returns
    -------
    power : float or None
        None if a case has no printed values, or all are missing.
    repeats : int or None
        Units with which the power is 0.8; None if no number would do.
    """
    cases = [case for group in groups for case in group]
    known = [case for case in cases if case.outcome.state != "missing"]
    if not known or any(case.outcome.power is None for case in known):
        return None, None
    units = max(case.outcome.planned for case in cases)
    if over_sets:
        met = [p_over_sets(_as_printed(group), rule.needed(len(group)))[0] for group in groups]
        return float(max(met) <= LEVEL), units if max(met) <= LEVEL else None

    def power(n: int) -> float:
        return math.prod(_power_of_group(group, rule, n / max(units, 1)) for group in groups)

    return power(units), _fewest(power, max(units, 1))


def _as_printed(cases: Sequence[Case]) -> list[Case]:
    """Return cases that hold where they do by the printed values."""
    found = []
    for case in cases:
        holds = case.outcome.power is not None and case.outcome.power(LEVEL, 1.0) > 0
        state: State = "holds" if holds else "fails"
        found.append(replace(case, outcome=replace(case.outcome, state=state)))
    return found


def _power_of_group(cases: Sequence[Case], rule: Rule, factor: float) -> float:
    n = len(cases)
    needed = rule.needed(n)
    level = LEVEL / (n - needed + 1)
    chances = np.ones(1)  # of 0, 1, 2 ... cases that hold
    for case in cases:
        power = case.outcome.power
        one = 0.0 if power is None else power(level, factor)
        chances = np.convolve(chances, [1 - one, one])
    return float(chances[needed:].sum())


def _fewest(power: Callable[[int], float], units: int) -> int | None:
    """Return the smallest number of units with the wanted power, from 2 to 1000."""
    low, high = (1, units) if power(units) >= WANTED_POWER else (units, _MOST_REPEATS)
    if power(high) < WANTED_POWER:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= WANTED_POWER else (middle, high)
    return high
