"""Verdicts on claims: reproduced, not reproduced or undecided, and what would decide them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from boostbench.experiments.configs.claims import Claim
from boostbench.reports.claims.evidence import Case, Studies
from boostbench.reports.claims.inference import NEVER
from boostbench.reports.claims.kind import Kind
from boostbench.reports.claims.options import Rule
from boostbench.reports.values.frame import Result, Study

_MOST_GROUPS = 3
Status = Literal["reproduced", "not reproduced", "undecided"]
STATUSES: tuple[Status, ...] = ("reproduced", "not reproduced", "undecided")


@dataclass(frozen=True)
class GroupVerdict:
    """The cases of one group, counted.

    Attributes
    ----------
    group : str
        Empty if there is only one.
    status : {"reproduced", "not reproduced", "undecided"}
    rule : str
        How many cases have to hold.
    holds, fails, open, missing : int
    total : float
        Runs of each kind that would about decide it, if it is undecided for their randomness.
    """

    group: str
    status: Status
    rule: str
    holds: int
    fails: int
    open: int
    missing: int
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
    """A claim and the verdict of the runs on it.

    Attributes
    ----------
    claim : Claim
    status : {"reproduced", "not reproduced", "undecided"}
    groups : tuple of GroupVerdict
    cases : tuple of Case
        The evidence.
    reasons : tuple of str
        For the reader: how many cases hold where, what is missing, on how many runs it rests. The
        first is the summary.
    more_runs : int or None
        About how many more runs (seeds) would decide it; None if it is decided, or no number would
        do.
    """

    claim: Claim
    status: Status
    groups: tuple[GroupVerdict, ...]
    cases: tuple[Case, ...]
    reasons: tuple[str, ...]
    more_runs: int | None = None


def judge(study: Study, studies: Studies | None = None) -> tuple[Verdict, ...]:
    """Judge all claims of a study's config.

    Parameters
    ----------
    study : Study
    studies : callable or None, default=None
        Gives the study of another config, for claims that need one.
    """
    return tuple(judge_claim(claim, study.results, studies) for claim in study.config.claims)


def judge_claim(claim: Claim, results: Sequence[Result], studies: Studies | None = None) -> Verdict:
    """Judge one claim.

    Parameters
    ----------
    claim : Claim
    results : sequence of Result
    studies : callable or None, default=None
    """
    kind = claim.options
    assert isinstance(kind, Kind)
    return verdict_on(claim, kind.cases_of(claim.scope, results, studies), kind.at_least)


def verdict_on(claim: Claim, cases: Sequence[Case], rule: Rule) -> Verdict:
    """Form the verdict on a claim from its cases.

    Parameters
    ----------
    claim : Claim
    cases : sequence of Case
        Each decided from its own runs (`boostbench.reports.claims.inference`).
    rule : Rule
        How many cases of each group have to hold.
    """
    groups = tuple(
        _of_group(name, [case for case in cases if case.group == name], rule)
        for name in dict.fromkeys(case.group for case in cases)
    )
    statuses = [group.status for group in groups]
    status: Status = "reproduced"
    if "not reproduced" in statuses:
        status = "not reproduced"
    elif "undecided" in statuses:
        status = "undecided"
    is_open = status == "undecided"
    more = _more_runs(groups, cases) if is_open else None
    deciding = _deciding(groups, more) if is_open else []
    reasons = (*_counts(groups), *_missing(cases), *deciding, *_basis(cases))
    return Verdict(claim, status, groups, tuple(cases), reasons, more)


def _of_group(name: str, cases: Sequence[Case], rule: Rule) -> GroupVerdict:
    states = [case.outcome.state for case in cases]
    n = len(cases)
    holds, fails = states.count("holds"), states.count("fails")
    needed = rule.needed(n)
    status = _status(holds, fails, n, needed)
    total = _total(cases, holds, fails, needed) if status == "undecided" else NEVER
    return GroupVerdict(
        name,
        status,
        rule.text(n),
        holds,
        fails,
        states.count("open"),
        states.count("missing"),
        total,
    )


def _status(holds: int, fails: int, n: int, needed: int) -> Status:
    if holds >= needed:
        return "reproduced"
    return "not reproduced" if n - fails < needed else "undecided"


def _total(cases: Sequence[Case], holds: int, fails: int, needed: int) -> float:
    """Return the number of runs with which enough cases would be decided as they lean."""
    undecided = [case.outcome for case in cases if case.outcome.state == "open"]
    for outcome in sorted(undecided, key=lambda outcome: outcome.total):
        holds, fails = holds + outcome.leans, fails + (not outcome.leans)
        if _status(holds, fails, len(cases), needed) != "undecided":
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


def _deciding(groups: Sequence[GroupVerdict], more: int | None) -> list[str]:
    """Return what would decide it, in words."""
    waiting = [g for g in groups if g.status == "undecided" and math.isinf(g.total)]
    found = []
    if more is not None:
        found.append(f"about {more} more {'run' if more == 1 else 'runs'} (seeds) would decide it")
    if any(group.missing for group in waiting):
        found.append("missing runs could change the verdict")
    if any(group.open and not group.missing for group in waiting):
        found.append("difference too small to estimate the number of runs needed")
    return found


def _basis(cases: Sequence[Case]) -> list[str]:
    """Return on how many runs it rests, where that matters."""
    known = [case.outcome for case in cases if case.outcome.n]
    if known and all(outcome.planned == 1 for outcome in known):
        return ["judged on point values: one run each, nothing is known of their spread"]
    short = [outcome for outcome in known if outcome.n < outcome.planned]
    if short:
        least = min(short, key=lambda outcome: outcome.n)
        return [f"rests on {least.n} of {least.planned} runs in places"]
    return []
