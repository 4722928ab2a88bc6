"""Verdicts on claims: reproduced, not reproduced or undecided, and what would decide them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
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
    #: Seconds of one core that one more repeat of the runs takes; None if no run has a result.
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
    part = kind.selection(claim.scope)
    its = [r for r in results if r.run.dataset in part.datasets and r.noise in part.noise]
    seconds = _seconds_of_a_repeat(its)
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

    That at least k of n cases hold has the p-value (n - k + 1) times the k-th smallest one
    (Benjamini & Heller 2008): the largest for "all", Holm's first step for "any". Every group must
    meet the rule; that one does not is tested with Holm's correction over the groups.

    Parameters
    ----------
    claim : Claim
    cases : sequence of Case
        Each decided from its own runs (`boostbench.reports.claims.inference`).
    rule : Rule
        Number or share of the cases of each group that have to hold.
    over_sets : bool, default=False
        Test the rule by a bootstrap over data sets, which takes cases as they are.
    seconds : float or None, default=None
        Time of one more repeat.
    """
    names = dict.fromkeys(case.group for case in cases)
    parts = [[case for case in cases if case.group == name] for name in names]
    test = p_over_sets if over_sets else p_at_least
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
    deciding = _deciding(groups, more, seconds, over_sets=over_sets) if is_open else []
    power, repeats = power_of(parts, rule, over_sets=over_sets)
    reasons = (
        *_counts(groups),
        *_placebo(cases),
        *_missing(cases),
        *deciding,
        *_tests(cases, over_sets=over_sets),
        *_power_in_words(claim, cases, power, repeats, seconds),
        *_basis(cases),
    )
    return Verdict(claim, status, groups, tuple(cases), reasons, more, power, repeats, seconds)


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


def _placebo(cases: Sequence[Case]) -> list[str]:
    """Return how many printed numbers a wrong column would meet."""
    known = [case for case in cases if case.outcome.state != "missing"]
    shares = [case.placebo for case in known if case.placebo is not None]
    if not shares:
        return []
    return [f"of {len(shares)} a wrong column of the same table would meet {sum(shares):.1f}"]


def _missing(cases: Sequence[Case]) -> list[str]:
    whys = dict.fromkeys(case.outcome.why for case in cases if case.outcome.state == "missing")
    gaps = list(dict.fromkeys(gap for why in whys for gap in why.split("; ") if gap))
    if not gaps:
        return []
    rest = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
    return [f"without a result: {', '.join(gaps[:3])}{rest}"]


def _seconds_of_a_repeat(results: Sequence[Result]) -> float | None:
    """Return what the finished runs took, for each seed and fold."""
    done = [(result, result.record) for result in results if result.ok]
    repeats = {(result.run.seed, result.fold) for result, _ in done}
    taken = sum(record.total_seconds for _, record in done if record is not None)
    return taken / len(repeats) if repeats else None


def _price(repeats: int, seconds: float | None) -> str:
    return "" if seconds is None else f" ({duration(repeats * seconds)} of one core)"


def _deciding(
    groups: Sequence[GroupVerdict], more: int | None, seconds: float | None, *, over_sets: bool
) -> list[str]:
    """Return in words what would decide the claim, such as further runs."""
    waiting = [g for g in groups if g.status == "undecided" and math.isinf(g.total)]
    found = []
    if more is not None:
        runs = f"about {more} more {'run' if more == 1 else 'runs'} (seeds)"
        found.append(f"{runs} would decide it{_price(more, seconds)}")
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
    claim: Claim,
    cases: Sequence[Case],
    power: float | None,
    repeats: int | None,
    seconds: float | None,
) -> list[str]:
    if power is not None:
        there = max(case.outcome.planned for case in cases)
        absent = any(case.outcome.state == "missing" for case in cases)
        text = f"if the printed values are true, it is reproduced with probability {power:.2f}"
        if power >= WANTED_POWER:
            return [text]
        if absent:
            return [f"{text} without the missing runs"]
        if repeats is None:
            return [f"{text}, and no number of repeats gives {WANTED_POWER}"]
        price = _price(repeats - there, seconds)
        return [f"{text}; {WANTED_POWER} takes {repeats} repeats, not {there}{price}"]
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
    return [f"{text}; {found} {WANTED_POWER}"]


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
