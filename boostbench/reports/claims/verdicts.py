"""Verdicts on claims: reproduced, not reproduced or undecided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from boostbench.experiments.configs.claims import Claim
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.evidence import Case, Studies
from boostbench.reports.claims.inference import NEVER
from boostbench.reports.claims.kind import Kind
from boostbench.reports.values.differences import FEWEST_SETS, LEVEL, resampled_sets
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.rank_statistics import holm

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
    def n(self) -> int:
        """Number of cases."""
        return self.holds + self.fails + self.open + self.missing


@dataclass(frozen=True)
class Verdict:
    """Verdict of the runs on a claim; `boostbench.reports.claims.view` has its words."""

    claim: Claim
    status: Status
    groups: tuple[GroupVerdict, ...]
    cases: tuple[Case, ...]  # the evidence
    #: Estimated number of further runs (seeds) that would decide it; None if it is decided, or if
    #: no number would.
    more_runs: int | None = None
    #: Seconds of one core for one more repeat of the runs; None if no run has a result.
    seconds: float | None = None
    over_sets: bool = False  # True if the verdict comes from a bootstrap over data sets

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
    cases = kind.cases_of(claim.scope, results, studies)
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
    more = _more_runs(groups, cases) if status == "undecided" else None
    return Verdict(claim, status, groups, tuple(cases), more, seconds, over_sets)


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


def p_at_least(cases: Sequence[Case], needed: int) -> tuple[float, float]:
    """Return the p-values of "at least ``needed`` cases hold" and of "fewer hold".

    See `verdict_on`.
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


def _seconds_of_a_repeat(results: Sequence[Result]) -> float | None:
    """Return the total time of the finished runs per seed and fold."""
    done = [(result, result.record) for result in results if result.ok]
    repeats = {(result.run.seed, result.fold) for result, _ in done}
    total = sum(record.total_seconds for _, record in done if record is not None)
    return total / len(repeats) if repeats else None
