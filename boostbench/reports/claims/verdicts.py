"""Verdicts on claims: two answers, whether it is true in these runs, and whether beyond chance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from boostbench.experiments.configs.claims import Claim
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.evidence import Case, Studies, UnitOfTest
from boostbench.reports.claims.inference import NEVER, Outcome, State
from boostbench.reports.claims.kind import Kind
from boostbench.reports.values.differences import LEVEL
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.rank_statistics import holm

#: Answer to whether the claim is beyond chance: "no" if its contrary is.
Beyond = Literal["yes", "no", "open"]
Status = Literal[
    "reproduced",
    "true here, could be chance",
    "false here, could be chance",
    "not reproduced",
    "undecided",
]
STATUSES: tuple[Status, ...] = get_args(Status)
_MOST_SETS = 1000


@dataclass(frozen=True)
class GroupVerdict:
    """Verdict on the cases of one group."""

    group: str  # empty if there is only one group
    rule: str  # required number of cases, in words
    met: int  # cases that are true of the runs at hand
    here: bool | None  # True if the rule is met in these runs; None if unknown
    beyond: Beyond
    holds: int  # cases that hold beyond chance
    fails: int
    open: int
    missing: int
    p: tuple[float, float] = (1.0, 1.0)  # for "the rule is met" and "it is not met"
    #: Estimated number of units that would decide an open group; `NEVER` if none would.
    total: float = NEVER

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.holds + self.fails + self.open + self.missing

    @property
    def status(self) -> Status:
        """Both answers together."""
        return status_of(self.here, self.beyond)


def status_of(here: bool | None, beyond: Beyond) -> Status:
    """Return both answers together: true in these runs, and beyond chance."""
    if here is None:
        return "undecided"
    if here:
        return "reproduced" if beyond == "yes" else "true here, could be chance"
    return "not reproduced" if beyond == "no" else "false here, could be chance"


@dataclass(frozen=True)
class Verdict:
    """Verdict of the runs on a claim; `boostbench.reports.claims.view` has its words."""

    claim: Claim
    groups: tuple[GroupVerdict, ...]
    cases: tuple[Case, ...]  # the evidence
    unit: UnitOfTest = "runs"
    chance: float = 0.5  # that a data set is a case that holds if boosters are equal
    #: Estimated number of further units (seeds or data sets) that would decide it; None if it is
    #: decided, or if no number would.
    more: int | None = None
    #: Seconds of one core for one more repeat of the runs; None if no run has a result.
    seconds: float | None = None

    @property
    def here(self) -> bool | None:
        """True if the claim is true in these runs, by means and counts; None if unknown."""
        answers = [group.here for group in self.groups]
        return False if False in answers else None if None in answers else True

    @property
    def beyond(self) -> Beyond:
        """Answer to whether the claim is beyond chance."""
        answers = [group.beyond for group in self.groups]
        return "no" if "no" in answers else "open" if "open" in answers else "yes"

    @property
    def status(self) -> Status:
        """Both answers together."""
        return status_of(self.here, self.beyond)

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
    return verdict_on(
        claim,
        cases,
        kind.at_least,
        unit=getattr(kind, "unit", kind.fixed_unit),
        chance=kind.chance,
        seconds=_seconds_of_a_repeat(selected),
    )


def verdict_on(
    claim: Claim,
    cases: Sequence[Case],
    rule: Rule,
    *,
    unit: UnitOfTest = "runs",
    chance: float = 0.5,
    seconds: float | None = None,
) -> Verdict:
    """Form the verdict on a claim from its cases.

    In these runs, a claim is true if in every group enough cases are true by their means. It is
    beyond chance if every group meets the rule with a p-value of at most 2.5 %, and its contrary is
    if a group fails it so after Holm's correction over the groups.

    If the runs of each data set are the sample, the p-value of "at least k of n cases hold" is
    n - k + 1 times the k-th smallest p-value of the cases (Benjamini & Heller 2008): the largest
    p-value for k = n, the first step of Holm's method for k = 1. For data sets see `p_over_sets`.

    Parameters
    ----------
    claim : Claim
    cases : sequence of Case
        Cases with their outcomes (`boostbench.reports.claims.inference`).
    rule : Rule
        Number or share of the cases of each group that must hold.
    unit : {"runs", "sets", "mean"}, default="runs"
        Sample of the tests.
    chance : float, default=0.5
        Probability that a data set is a case that holds if boosters are equal.
    seconds : float or None, default=None
        Seconds of one core for one more repeat of the runs.
    """
    names = dict.fromkeys(case.group for case in cases)
    parts = [[case for case in cases if case.group == name] for name in names]
    p = [
        p_over_sets(part, rule, chance) if unit == "sets" else p_at_least(part, rule)
        for part in parts
    ]
    p_unmet = holm([unmet for _, unmet in p])
    groups = tuple(
        _group_verdict(name, part, rule, (met, unmet), unit, chance)
        for name, part, (met, _), unmet in zip(names, parts, p, p_unmet, strict=True)
    )
    verdict = Verdict(claim, groups, tuple(cases), unit, chance, seconds=seconds)
    return replace(verdict, more=_more(verdict)) if verdict.beyond == "open" else verdict


def _group_verdict(
    name: str,
    cases: Sequence[Case],
    rule: Rule,
    p: tuple[float, float],
    unit: UnitOfTest,
    chance: float,
) -> GroupVerdict:
    n = len(cases)
    answers = [case.outcome.here for case in cases]
    met, here = answers.count(True), rule.is_met(answers)
    beyond: Beyond = "open"
    if p[0] <= LEVEL and here is not False:
        beyond = "yes"
    elif p[1] <= LEVEL and here is not True:
        beyond = "no"
    states = [case.outcome.state for case in cases]
    holds, fails, n_open, missing = (states.count(state) for state in get_args(State))
    total = NEVER
    if beyond == "open" and unit == "sets":
        total = _enough_sets(met / n, n, rule, chance)
    elif beyond == "open":
        total = _enough_runs(cases, rule.needed(n))
    return GroupVerdict(
        name, rule.text(n), met, here, beyond, holds, fails, n_open, missing, p, total
    )


def _enough_runs(cases: Sequence[Case], needed: int) -> float:
    """Return the number of units that would decide a group if open cases stay as they are here."""
    states = [case.outcome.state for case in cases]
    holds, fails = states.count("holds"), states.count("fails")
    open_outcomes = [case.outcome for case in cases if case.outcome.state == "open"]
    for outcome in sorted(open_outcomes, key=lambda outcome: outcome.total):
        holds, fails = holds + (outcome.here is True), fails + (outcome.here is False)
        if holds >= needed or len(cases) - fails < needed:
            return outcome.total
    return NEVER


def _enough_sets(share: float, n: int, rule: Rule, chance: float) -> float:
    """Return the number of data sets that would decide a group if the share of cases stays."""
    from scipy.stats import binom

    sizes = np.arange(n + 1, _MOST_SETS)
    met = np.round(share * sizes)
    if share >= rule.share_of(n):
        p = binom.sf(met - 1, sizes, chance)
    else:
        p = binom.cdf(met, sizes, rule.share_of(n))
    return next((float(size) for size in sizes[p <= LEVEL]), NEVER)


def _more(verdict: Verdict) -> int | None:
    """Return the further units that would decide the groups that they can decide."""
    totals = [g.total for g in verdict.groups if g.beyond == "open" and math.isfinite(g.total)]
    if not totals:
        return None
    if verdict.unit == "sets":
        return max(1, math.ceil(max(totals)) - max(group.n for group in verdict.groups))
    n = max(case.outcome.n for case in verdict.cases if case.outcome.state == "open")
    return max(1, math.ceil(max(totals)) - n)


def p_at_least(cases: Sequence[Case], rule: Rule) -> tuple[float, float]:
    """Return the p-values of "enough cases hold" and of "fewer hold", see `verdict_on`."""
    n, needed = len(cases), rule.needed(len(cases))
    holds = sorted(case.outcome.p_values[0] for case in cases)
    fails = sorted(case.outcome.p_values[1] for case in cases)
    if needed > n:
        return 1.0, 0.0
    return min(1.0, (n - needed + 1) * holds[needed - 1]), min(1.0, needed * fails[n - needed])


def p_over_sets(cases: Sequence[Case], rule: Rule, chance: float) -> tuple[float, float]:
    """Return the p-values of a number of cases over data sets, by exact binomial tests.

    The first is that of equal boosters, for which a data set holds by ``chance`` (the sign test if
    it is 1/2); ties are left out, and a missing case does not hold. The second is that of the share
    of the rule, with ties and missing cases on its side. Cases of one data set depend on each other
    and count as one, by their mean.
    """
    from scipy.stats import binom

    by_set: dict[str, list[Outcome]] = {}
    for case in cases:
        by_set.setdefault(case.dataset, []).append(case.outcome)
    strict = [[each.sign for each in outcomes if each.sign != 0] for outcomes in by_set.values()]
    shares = [statistics.fmean(sign == 1 for sign in signs) for signs in strict if signs]
    most = [statistics.fmean(each.here is not False for each in found) for found in by_set.values()]
    holding, possible = math.floor(sum(shares) + 1e-9), math.ceil(sum(most) - 1e-9)
    n = len(by_set)
    met = float(binom.sf(holding - 1, len(shares), chance)) if shares else 1.0
    return met, float(binom.cdf(possible, n, rule.share_of(n)))


def _seconds_of_a_repeat(results: Sequence[Result]) -> float | None:
    """Return the total time of the finished runs per seed and fold."""
    done = [(result, result.record) for result in results if result.ok]
    repeats = {(result.run.seed, result.fold) for result, _ in done}
    total = sum(record.total_seconds for _, record in done if record is not None)
    return total / len(repeats) if repeats else None
