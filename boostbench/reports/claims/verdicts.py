"""Verdicts on claims: reproduced, not reproduced or undecided, with their reasons."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from boostbench.experiments.configs.claims import Claim
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.evidence import Case, Studies
from boostbench.reports.claims.inference import EQUALITY, NEVER, SHARE_TEST
from boostbench.reports.claims.kind import Kind
from boostbench.reports.claims.power import WANTED_POWER, p_at_least, p_over_sets, power_of
from boostbench.reports.provenance import duration
from boostbench.reports.values.differences import LEVEL
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.paper import PaperValues, read_paper_values
from boostbench.reports.values.rank_statistics import holm

_MOST_GROUPS = 3
Status = Literal["reproduced", "not reproduced", "undecided"]
STATUSES: tuple[Status, ...] = ("reproduced", "not reproduced", "undecided")


@dataclass(frozen=True)
class GroupVerdict:
    """Verdict on the cases of one group."""

    group: str  # empty if there is only one group
    status: Status
    rule: str  # required number of cases, in words
    holds: int
    fails: int
    open: int
    missing: int
    p: tuple[float, float] = (1.0, 1.0)  # for "the rule is met" and "it is not met"
    #: Estimated number of units that would decide an undecided group; `NEVER` if none would.
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
    """Verdict of the runs on a claim."""

    claim: Claim
    status: Status
    groups: tuple[GroupVerdict, ...]
    cases: tuple[Case, ...]  # the evidence
    #: Sentences on the counts of cases (first, as the summary), missing runs, tests and power.
    reasons: tuple[str, ...]
    #: Estimated number of further runs (seeds) that would decide it; None if it is decided, or if
    #: no number would.
    more_runs: int | None = None
    #: Probability of "reproduced" if the printed values are true; None if nothing is printed.
    power: float | None = None
    #: Number of units at which the power is 0.8; None if no number suffices.
    repeats: int | None = None
    #: Seconds of one core for one more repeat of the runs; None if no run has a result.
    seconds: float | None = None
    #: Changes made after results were seen, in words.
    marks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Verdict({self.status!r}, {self.claim.says!r})"


def judge(study: Study, studies: Studies | None = None) -> tuple[Verdict, ...]:
    """Judge all claims of a study's config.

    Parameters
    ----------
    study : Study
    studies : callable or None, default=None
        Function from another config to its study, for claims that need one.
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
    selection = kind.selection(claim.scope)
    selected = [
        result
        for result in results
        if result.run.dataset in selection.datasets and result.noise in selection.noise
    ]
    seconds = _seconds_of_a_repeat(selected)
    return verdict_on(claim, cases, kind.at_least, over_sets=kind.over_sets, seconds=seconds)


def verdict_on(
    claim: Claim,
    cases: Sequence[Case],
    rule: Rule,
    *,
    over_sets: bool = False,
    seconds: float | None = None,
) -> Verdict:
    """Form the verdict on a claim from its cases.

    The p-value of "at least k of n cases hold" is n - k + 1 times the k-th smallest p-value of the
    cases (Benjamini & Heller 2008): the largest p-value for k = n, the first step of Holm's method
    for k = 1. A claim is reproduced if every group meets the rule, and not reproduced if a group
    fails it after Holm's correction over the groups.

    Parameters
    ----------
    claim : Claim
    cases : sequence of Case
        Cases with their outcomes (`boostbench.reports.claims.inference`).
    rule : Rule
        Number or share of the cases of each group that must hold.
    over_sets : bool, default=False
        Test the rule by a bootstrap over data sets, without the p-values of the cases.
    seconds : float or None, default=None
        Seconds of one core for one more repeat of the runs.
    """
    names = dict.fromkeys(case.group for case in cases)
    parts = [[case for case in cases if case.group == name] for name in names]
    test = p_over_sets if over_sets else p_at_least
    p = [test(part, rule.needed(len(part))) for part in parts]
    p_unmet = holm([unmet for _, unmet in p])
    groups = tuple(
        _group_verdict(name, part, rule, (met, unmet))
        for name, part, (met, _), unmet in zip(names, parts, p, p_unmet, strict=True)
    )
    statuses = [group.status for group in groups]
    status: Status = "reproduced"
    if "not reproduced" in statuses:
        status = "not reproduced"
    elif "undecided" in statuses:
        status = "undecided"
    is_open = status == "undecided"
    more = _more_runs(groups, cases) if is_open else None
    ways = remedies(groups, more, seconds, over_sets=over_sets) if is_open else []
    power, repeats = power_of(parts, rule, over_sets=over_sets)
    reasons = (
        _counts(groups),
        *_placebo(cases),
        *_missing(cases),
        *ways,
        *_tests(cases, over_sets=over_sets),
        *_power_in_words(claim, cases, power, repeats, seconds),
        *_basis(cases),
    )
    return Verdict(claim, status, groups, tuple(cases), reasons, more, power, repeats, seconds)


def _group_verdict(
    name: str, cases: Sequence[Case], rule: Rule, p: tuple[float, float]
) -> GroupVerdict:
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
    """Return the number of units that would decide a group if open cases go as they lean."""
    open_outcomes = [case.outcome for case in cases if case.outcome.state == "open"]
    for outcome in sorted(open_outcomes, key=lambda outcome: outcome.total):
        holds, fails = holds + outcome.leans, fails + (not outcome.leans)
        if holds >= needed or len(cases) - fails < needed:
            return outcome.total
    return NEVER


def _more_runs(groups: Sequence[GroupVerdict], cases: Sequence[Case]) -> int | None:
    """Return the further runs that would decide the groups that runs can decide; None if none."""
    totals = [g.total for g in groups if g.status == "undecided" and math.isfinite(g.total)]
    if not totals:
        return None
    n = max(case.outcome.n for case in cases if case.outcome.state == "open")
    return max(1, math.ceil(max(totals)) - n)


def _counts(groups: Sequence[GroupVerdict]) -> str:
    """Return the counts of cases by group, or of groups by verdict if there are many."""
    if len(groups) <= _MOST_GROUPS:
        return "; ".join(f"{g.group}: {g.text}" if g.group else g.text for g in groups)
    parts = []
    for status in STATUSES:
        names = [group.group for group in groups if group.status == status]
        listing = f" ({', '.join(names)})" if len(names) <= _MOST_GROUPS else ""
        parts += [f"{len(names)} of {len(groups)} {status}{listing}"] if names else []
    return ", ".join(parts)


def _placebo(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the expected number of printed values that a wrong column would match."""
    known = [case for case in cases if case.outcome.state != "missing"]
    shares = [case.placebo for case in known if case.placebo is not None]
    if shares:
        yield f"of {len(shares)} a wrong column of the same table would meet {sum(shares):.1f}"


def _missing(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the first gaps of the missing cases."""
    reasons = [case.outcome.why for case in cases if case.outcome.state == "missing"]
    gaps = list(dict.fromkeys(gap for why in reasons for gap in why.split("; ") if gap))
    rest = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
    if gaps:
        yield f"without a result: {', '.join(gaps[:3])}{rest}"


def _seconds_of_a_repeat(results: Sequence[Result]) -> float | None:
    """Return the total time of the finished runs per seed and fold."""
    done = [(result, result.record) for result in results if result.ok]
    repeats = {(result.run.seed, result.fold) for result, _ in done}
    total = sum(record.total_seconds for _, record in done if record is not None)
    return total / len(repeats) if repeats else None


def _cost(repeats: int, seconds: float | None) -> str:
    return "" if seconds is None else f" ({duration(repeats * seconds)} of one core)"


def remedies(
    groups: Sequence[GroupVerdict], more: int | None, seconds: float | None, *, over_sets: bool
) -> Iterator[str]:
    """Yield the ways to decide an undecided claim, such as further runs."""
    undecided = [g for g in groups if g.status == "undecided"]
    stuck = [g for g in undecided if math.isinf(g.total)]
    if more is not None:
        runs = f"about {more} more {'run' if more == 1 else 'runs'} (seeds)"
        what = f"{len(undecided) - len(stuck)} of {len(undecided)} groups" if stuck else "it"
        yield f"{runs} would decide {what}{_cost(more, seconds)}"
    if any(group.missing for group in stuck):
        yield "missing runs could change the verdict"
    if any(not group.missing and not over_sets for group in stuck):
        what = "the others" if more is not None else "it"
        yield f"no number of further runs is known to decide {what}"
    if any(not group.missing and over_sets for group in stuck):
        yield "another choice of data sets could change the verdict"


def _tests(cases: Sequence[Case], *, over_sets: bool) -> Iterator[str]:
    """Yield the names of the tests."""
    names = list(dict.fromkeys(case.outcome.test for case in cases if case.outcome.test))
    several = len(cases) > 1 and names != [EQUALITY]
    if over_sets:
        yield "bootstrap over data sets; ranks by means"
    elif names:
        yield f"{', '.join(names)}{'; many cases allowed for (Holm)' if several else ''}"


def _power_in_words(
    claim: Claim,
    cases: Sequence[Case],
    power: float | None,
    repeats: int | None,
    seconds: float | None,
) -> list[str]:
    """Return the power, or the detectable difference if there are no printed values."""
    if power is not None:
        planned = max(case.outcome.planned for case in cases)
        is_incomplete = any(case.outcome.state == "missing" for case in cases)
        text = f"if the printed values are true, it is reproduced with probability {power:.2f}"
        if power >= WANTED_POWER:
            return [text]
        if is_incomplete:
            return [f"{text} without the missing runs"]
        if repeats is None:
            return [f"{text}, and no number of repeats gives {WANTED_POWER}"]
        cost = _cost(repeats - planned, seconds)
        return [f"{text}; {WANTED_POWER} takes {repeats} repeats, not {planned}{cost}"]
    if all(case.outcome.test in ("", EQUALITY) for case in cases):
        return []  # no test involves chance
    halves = [
        (case.outcome.interval[1] - case.outcome.interval[0]) / 2
        for case in cases
        if case.outcome.interval is not None and case.outcome.test != SHARE_TEST
    ]
    text = "no printed values to compute the power from"
    if not halves:
        return [text]
    metric = METRICS[getattr(claim.options, "value", "test_error")]
    # A difference of 1.96 + 0.84 standard errors has power 0.8; half the interval is 1.96 of them.
    detectable = metric.text(2.8 / 1.96 * statistics.median(halves))
    unit = " points" if metric.unit == "%" else ""
    power_text = f"in a case, a difference of {detectable}{unit} is found with probability"
    return [f"{text}; {power_text} {WANTED_POWER}"]


def _basis(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the smallest number of runs behind a case, if some runs are missing."""
    incomplete = [c.outcome for c in cases if 0 < c.outcome.n < c.outcome.planned]
    if incomplete:
        least = min(incomplete, key=lambda outcome: outcome.n)
        yield f"rests on {least.n} of {least.planned} runs in places"


def _printed(study: Study) -> list[PaperValues]:
    """Return the printed test errors shown in the report of a study."""
    parts = (part for part in study.config.report if part.kind in ("table", "curves"))
    paths = dict.fromkeys(getattr(part.options, "paper", None) for part in parts)
    return [read_paper_values(path) for path in paths if path is not None]
