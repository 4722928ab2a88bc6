"""Verdicts on claims: two answers, whether it is true in these runs, and whether beyond chance."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from boostbench.experiments.configs.kind_options import Claim
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.inference import NEVER, Outcome, State, state_of
from boostbench.reports.claims.kind import Case, Evidence, Kind, Studies, UnitOfTest
from boostbench.reports.values.frame import Study
from boostbench.reports.values.rank_statistics import holm
from boostbench.reports.values.samples import LEVEL

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
    beyond: State  # "holds" if the claim is beyond chance, "fails" if its contrary is, else "open"
    states: dict[State, int]  # numbers of cases
    p: tuple[float, float] = (1.0, 1.0)  # for "the rule is met" and "it is not met"
    #: Estimated number of further units that would decide an open group; `NEVER` if none would.
    more: float = NEVER

    @property
    def n(self) -> int:
        """Number of cases."""
        return sum(self.states.values())

    @property
    def status(self) -> Status:
        """Both answers together."""
        return status_of(self.here, self.beyond)


def status_of(here: bool | None, beyond: State) -> Status:
    """Return both answers together: true in these runs, and beyond chance."""
    if here is None:
        return "undecided"
    if here:
        return "reproduced" if beyond == "holds" else "true here, could be chance"
    return "not reproduced" if beyond == "fails" else "false here, could be chance"


@dataclass(frozen=True)
class Verdict:
    """Verdict of the runs on a claim; `boostbench.reports.claims.view` has its words."""

    claim: Claim
    groups: tuple[GroupVerdict, ...]
    cases: tuple[Case, ...]  # the evidence
    unit: UnitOfTest = "runs"
    chance: float = 0.5  # that a data set is a case that holds if boosters are equal

    @property
    def here(self) -> bool | None:
        """True if the claim is true in these runs, by means and counts; None if unknown."""
        return Rule().is_met([group.here for group in self.groups])

    @property
    def beyond(self) -> State:
        """The claim is beyond chance ("holds"), its contrary is ("fails"), or neither ("open")."""
        answers = [group.beyond for group in self.groups]
        return "fails" if "fails" in answers else "open" if "open" in answers else "holds"

    @property
    def more(self) -> int | None:
        """Estimated number of further seeds or data sets that would decide it; None if unknown."""
        known = [g.more for g in self.groups if g.beyond == "open" and math.isfinite(g.more)]
        return math.ceil(max(known)) if self.beyond == "open" and known else None

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
    verdicts = []
    for claim in study.config.claims:
        kind = claim.options
        assert isinstance(kind, Kind)
        cases = [*kind.cases(Evidence(claim.scope, kind, study, studies))]
        unit = getattr(kind, "unit", kind.fixed_unit)
        verdicts.append(verdict_on(claim, cases, kind.at_least, unit=unit, chance=kind.chance))
    return tuple(verdicts)


def verdict_on(
    claim: Claim,
    cases: Sequence[Case],
    rule: Rule,
    *,
    unit: UnitOfTest = "runs",
    chance: float = 0.5,
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
    """
    names = dict.fromkeys(case.group for case in cases)
    parts = [[case for case in cases if case.group == name] for name in names]
    p = [
        p_over_sets(part, rule, chance) if unit == "sets" else p_at_least(part, rule)
        for part in parts
    ]
    p_unmet = holm([unmet for _, unmet in p])
    groups = []
    for name, part, (met, _), unmet in zip(names, parts, p, p_unmet, strict=True):
        n, answers = len(part), [case.outcome.here for case in part]
        n_met, here = answers.count(True), rule.is_met(answers)
        beyond, more = state_of((met, unmet), here), NEVER
        if beyond == "open" and unit == "sets":
            more = _more_sets(n_met / n, n, rule, chance)
        elif beyond == "open":
            more = _more_runs(part, rule.needed(n))
        found = [case.outcome.state for case in part]
        states = {state: found.count(state) for state in get_args(State)}
        groups.append(
            GroupVerdict(name, rule.text(n), n_met, here, beyond, states, (met, unmet), more)
        )
    return Verdict(claim, tuple(groups), tuple(cases), unit, chance)


def _more_runs(cases: Sequence[Case], needed: int) -> float:
    """Return the further runs that would decide a group if open cases stay as they are here."""
    outcomes = sorted((case.outcome for case in cases), key=lambda outcome: outcome.total)
    states = [outcome.state for outcome in outcomes]
    holds, fails = states.count("holds"), states.count("fails")
    for outcome in (outcome for outcome in outcomes if outcome.state == "open"):
        holds, fails = holds + (outcome.here is True), fails + (outcome.here is False)
        if holds >= needed or len(cases) - fails < needed:
            return outcome.total - outcome.n
    return NEVER


def _more_sets(share: float, n: int, rule: Rule, chance: float) -> float:
    """Return the further data sets that would decide a group if the share of cases stays."""
    from scipy.stats import binom

    sizes = np.arange(n + 1, _MOST_SETS)
    met = np.round(share * sizes)
    if share >= rule.share_of(n):
        p = binom.sf(met - 1, sizes, chance)
    else:
        p = binom.cdf(met, sizes, rule.share_of(n))
    return next((float(size - n) for size in sizes[p <= LEVEL]), NEVER)


def p_at_least(cases: Sequence[Case], rule: Rule) -> tuple[float, float]:
    """Return the p-values of "enough cases hold" and of "fewer hold", see `verdict_on`."""
    n, needed = len(cases), rule.needed(len(cases))
    holds, fails = (sorted(case.outcome.p[side] for case in cases) for side in (0, 1))
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
