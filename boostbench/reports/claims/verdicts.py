"""Verdicts on claims: reproduced, not reproduced or undecided, and what would decide them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from boostbench.experiments.configs.claims import Claim
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.evidence import Case, Studies
from boostbench.reports.claims.inference import EQUALITY, NEVER, SHARE_TEST, State
from boostbench.reports.claims.kind import Kind
from boostbench.reports.values.differences import FEWEST_SETS, LEVEL, resampled_sets
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.paper import PaperValues, read_paper_values
from boostbench.reports.values.rank_statistics import holm

_MOST_GROUPS = 3
_MOST_REPEATS = 1000
_WANTED_POWER = 0.8
Status = Literal["reproduced", "not reproduced", "undecided"]
STATUSES: tuple[Status, ...] = ("reproduced", "not reproduced", "undecided")


@dataclass(frozen=True)
class GroupVerdict:
    """The cases of one group, counted and tested together."""

    group: str  # empty if there is only one
    status: Status
    rule: str  # how many cases have to hold
    holds: int
    fails: int
    open: int
    missing: int
    p: tuple[float, float] = (1.0, 1.0)  # p-values that the rule is met, and that it is not
    #: Runs of each kind that would about decide it, if it is undecided for their randomness.
    total: float = NEVER

    @property
    def text(self) -> str:
        """The counts in words."""
        n = self.holds + self.fails + self.open + self.missing
        parts = [f"{self.holds} of {n} hold" if n > 1 else "holds" if self.holds else ""]
        parts += [f"{self.fails} fail" if n > 1 else "fails"] if self.fails else []
        parts += [f"{self.open} open" if n > 1 else "open"] if self.open else []
        parts += [f"{self.missing} missing" if n > 1 else "missing"] if self.missing else []
        rule = f" ({self.rule} must)" if n > 1 else ""
        return f"{', '.join(part for part in parts if part)}{rule}"


@dataclass(frozen=True)
class Verdict:
    """A claim and the verdict of the runs on it."""

    claim: Claim
    status: Status
    groups: tuple[GroupVerdict, ...]
    cases: tuple[Case, ...]  # the evidence
    #: For the reader: how many cases hold where, what is missing, which tests were made, with which
    #: power. The first is the summary.
    reasons: tuple[str, ...]
    #: About how many more runs (seeds) would decide it; None if it is decided, or no number would
    #: do.
    more_runs: int | None = None
    #: Probability of "reproduced" if the printed values are true; None if nothing is printed.
    power: float | None = None
    #: Runs of each kind at which the power is 0.8; None if no number would do.
    repeats: int | None = None
    #: What was changed after results were seen, in words.
    marks: tuple[str, ...] = ()


def judge(study: Study, studies: Studies | None = None) -> tuple[Verdict, ...]:
    """Judge all claims of a study's config.

    Parameters
    ----------
    study : Study
    studies : callable or None, default=None
        Gives the study of another config, for claims that need one.
    """
    printed = _printed(study)
    return tuple(
        judge_claim(claim, study.results, studies, printed) for claim in study.config.claims
    )


def judge_claim(
    claim: Claim,
    results: Sequence[Result],
    studies: Studies | None = None,
    printed: Sequence[PaperValues] = (),
) -> Verdict:
    """Judge one claim.

    Parameters
    ----------
    claim : Claim
    results : sequence of Result
    studies : callable or None, default=None
    printed : sequence of PaperValues, default=()
        Printed test errors, for the power.
    """
    kind = claim.options
    assert isinstance(kind, Kind)
    cases = kind.cases_of(claim.scope, results, studies, printed)
    return verdict_on(claim, cases, kind.at_least, over_sets=kind.over_sets)


def verdict_on(
    claim: Claim, cases: Sequence[Case], rule: Rule, *, over_sets: bool = False
) -> Verdict:
    """Form the verdict on a claim from its cases.

    That at least k of n cases hold has the p-value (n - k + 1) times the k-th smallest one
    (Benjamini & Heller 2008): the largest for "all", Holm's first step for "any". Every group must
    meet the rule; that one does not is tested with Holm's correction over the groups.

    Parameters
    ----------
    claim : Claim
    cases : sequence of Case
        Each decided from its own runs (`boostbench.reports.claims.inference`).
    rule : Rule
        How many cases of each group have to hold.
    over_sets : bool, default=False
        Whether the rule is tested by a bootstrap over data sets, which takes cases as they are.
    """
    names = dict.fromkeys(case.group for case in cases)
    parts = [[case for case in cases if case.group == name] for name in names]
    test = _over_sets if over_sets else _of_at_least
    p = [test(part, rule.needed(len(part))) for part in parts]
    unmet = holm([p_unmet for _, p_unmet in p])
    groups = tuple(
        _of_group(name, part, rule, (met, adjusted))
        for name, part, (met, _), adjusted in zip(names, parts, p, unmet, strict=True)
    )
    statuses = [group.status for group in groups]
    status: Status = "reproduced"
    if "not reproduced" in statuses:
        status = "not reproduced"
    elif "undecided" in statuses:
        status = "undecided"
    is_open = status == "undecided"
    more = _more_runs(groups, cases) if is_open else None
    deciding = _deciding(groups, more, over_sets=over_sets) if is_open else []
    power, repeats = power_of(parts, rule, over_sets=over_sets)
    reasons = (
        *_counts(groups),
        *_missing(cases),
        *deciding,
        *_tests(cases, over_sets=over_sets),
        *_power_in_words(claim, cases, power, repeats),
        *_basis(cases),
    )
    return Verdict(claim, status, groups, tuple(cases), reasons, more, power, repeats)


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
        met = [_over_sets(_as_printed(group), rule.needed(len(group)))[0] for group in groups]
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
    low, high = (1, units) if power(units) >= _WANTED_POWER else (units, _MOST_REPEATS)
    if power(high) < _WANTED_POWER:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= _WANTED_POWER else (middle, high)
    return high


def _of_at_least(cases: Sequence[Case], needed: int) -> tuple[float, float]:
    """Return the p-values that at least so many cases hold, and that fewer do."""
    n = len(cases)
    holds = sorted(case.outcome.p_values[0] for case in cases)
    fails = sorted(case.outcome.p_values[1] for case in cases)
    if needed > n:
        return 1.0, 0.0
    met = (n - needed + 1) * holds[needed - 1]
    return min(1.0, met), min(1.0, needed * fails[n - needed])


def _over_sets(cases: Sequence[Case], needed: int) -> tuple[float, float]:
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


def _of_group(name: str, cases: Sequence[Case], rule: Rule, p: tuple[float, float]) -> GroupVerdict:
    states = [case.outcome.state for case in cases]
    n = len(cases)
    holds, fails = states.count("holds"), states.count("fails")
    status: Status = "undecided"
    if min(p) <= LEVEL:
        status = "reproduced" if p[0] <= LEVEL else "not reproduced"
    total = _total(cases, holds, fails, rule.needed(n)) if status == "undecided" else NEVER
    return GroupVerdict(
        name,
        status,
        rule.text(n),
        holds,
        fails,
        states.count("open"),
        states.count("missing"),
        p,
        total,
    )


def _total(cases: Sequence[Case], holds: int, fails: int, needed: int) -> float:
    """Return the number of runs with which enough cases would be decided as they lean."""
    undecided = [case.outcome for case in cases if case.outcome.state == "open"]
    for outcome in sorted(undecided, key=lambda outcome: outcome.total):
        holds, fails = holds + outcome.leans, fails + (not outcome.leans)
        if holds >= needed or len(cases) - fails < needed:
            return outcome.total
    return NEVER


def _more_runs(groups: Sequence[GroupVerdict], cases: Sequence[Case]) -> int | None:
    """Return how many more runs would decide what runs can decide; None if nothing."""
    totals = [g.total for g in groups if g.status == "undecided" and math.isfinite(g.total)]
    if not totals:
        return None
    there = max(case.outcome.n for case in cases if case.outcome.state == "open")
    return max(1, math.ceil(max(totals)) - there)


def _counts(groups: Sequence[GroupVerdict]) -> list[str]:
    if len(groups) <= _MOST_GROUPS:
        return ["; ".join(f"{g.group}: {g.text}" if g.group else g.text for g in groups)]
    parts = []
    for status in STATUSES:
        names = [group.group for group in groups if group.status == status]
        shown = f" ({', '.join(names)})" if len(names) <= _MOST_GROUPS else ""
        parts += [f"{len(names)} of {len(groups)} {status}{shown}"] if names else []
    return [", ".join(parts)]


def _missing(cases: Sequence[Case]) -> list[str]:
    whys = dict.fromkeys(case.outcome.why for case in cases if case.outcome.state == "missing")
    gaps = list(dict.fromkeys(gap for why in whys for gap in why.split("; ") if gap))
    if not gaps:
        return []
    rest = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
    return [f"without a result: {', '.join(gaps[:3])}{rest}"]


def _deciding(groups: Sequence[GroupVerdict], more: int | None, *, over_sets: bool) -> list[str]:
    """Return in words what would decide the claim, such as further runs."""
    waiting = [g for g in groups if g.status == "undecided" and math.isinf(g.total)]
    found = []
    if more is not None:
        found.append(f"about {more} more {'run' if more == 1 else 'runs'} (seeds) would decide it")
    if any(group.missing for group in waiting):
        found.append("missing runs could change the verdict")
    if any(not group.missing and not over_sets for group in waiting):
        found.append("no number of further runs is known to decide it")
    if any(not group.missing and over_sets for group in waiting):
        found.append("another choice of data sets could change the verdict")
    return found


def _tests(cases: Sequence[Case], *, over_sets: bool) -> list[str]:
    """Return the tests that were made."""
    if over_sets:
        return ["bootstrap over data sets; ranks by means"]
    names = list(dict.fromkeys(case.outcome.test for case in cases if case.outcome.test))
    if not names:
        return []
    several = len(cases) > 1 and names != [EQUALITY]
    return [f"{', '.join(names)}{'; many cases allowed for (Holm)' if several else ''}"]


def _power_in_words(
    claim: Claim, cases: Sequence[Case], power: float | None, repeats: int | None
) -> list[str]:
    if power is not None:
        there = max(case.outcome.planned for case in cases)
        absent = any(case.outcome.state == "missing" for case in cases)
        text = f"if the printed values are true, it is reproduced with probability {power:.2f}"
        if power >= _WANTED_POWER:
            return [text]
        if absent:
            return [f"{text} without the missing runs"]
        if repeats is None:
            return [f"{text}, and no number of repeats gives {_WANTED_POWER}"]
        return [f"{text}; {_WANTED_POWER} takes {repeats} repeats, not {there}"]
    if all(case.outcome.test in ("", EQUALITY) for case in cases):
        return []  # nothing is left to chance
    halves = [
        (case.outcome.interval[1] - case.outcome.interval[0]) / 2
        for case in cases
        if case.outcome.interval is not None and case.outcome.test != SHARE_TEST
    ]
    text = "no printed values to compute the power from"
    if not halves:
        return [text]
    metric = METRICS[getattr(claim.options, "value", "test_error")]
    # 1.96 + 0.84 standard errors are found with probability 0.8, and 1.96 are half the interval.
    detectable = metric.text(2.8 / 1.96 * statistics.median(halves))
    unit = " points" if metric.unit == "%" else ""
    found = f"in a case, a difference of {detectable}{unit} is found with probability"
    return [f"{text}; {found} {_WANTED_POWER}"]


def _basis(cases: Sequence[Case]) -> list[str]:
    """Return in words the number of runs behind the verdict, where that matters."""
    known = [case.outcome for case in cases if case.outcome.n]
    short = [outcome for outcome in known if outcome.n < outcome.planned]
    if short:
        least = min(short, key=lambda outcome: outcome.n)
        return [f"rests on {least.n} of {least.planned} runs in places"]
    return []


def _printed(study: Study) -> list[PaperValues]:
    """Return the printed test errors that the report of a study shows."""
    paths: dict[Path, None] = {}
    for part in study.config.report:
        path = getattr(part.options, "paper", None)
        if path is not None and part.kind in ("table", "curves"):
            paths[path] = None
    return [read_paper_values(path) for path in paths]
