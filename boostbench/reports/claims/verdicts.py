"""Verdicts on claims: whether each is true in these runs, and whether beyond chance.

`ClaimView` is the one view of a verdict: what ``verify``, ``reproduce``, ``claims.md``, the page,
the overview, the documentation and JSON take its words from; ``summary.json`` stores it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy

from boostbench.experiments.configs.kind_options import Claim, ClaimWords, Origin
from boostbench.reports.claims.claim_options import Rule
from boostbench.reports.claims.inference import NEVER, Outcome, State, p_at_least, state_of
from boostbench.reports.claims.kind import Case, Evidence, Kind, UnitOfTest
from boostbench.reports.text import listed, render
from boostbench.reports.values.estimates import LEVEL, holm
from boostbench.reports.values.frame import Study
from boostbench.reports.values.paper import PLACEBO
from boostbench.validation import Listed

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


def status_of(here: bool | None, beyond: State) -> Status:
    """Return both answers together: true in these runs, and beyond chance."""
    if here is None:
        return "undecided"
    if here:
        return "reproduced" if beyond == "holds" else "true here, could be chance"
    return "not reproduced" if beyond == "fails" else "false here, could be chance"


@dataclass(frozen=True)
class Verdict:
    """Verdict of the runs on a claim; `view_of` has its words."""

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


def judge(study: Study) -> tuple[Verdict, ...]:
    """Judge all claims of a study's config."""
    verdicts = []
    for claim in study.config.claims:
        kind = claim.options
        assert isinstance(kind, Kind)
        evidence = Evidence(claim.scope, kind, study)
        verdicts.append(verdict_on(claim, kind.all_cases(evidence), kind))
    return tuple(verdicts)


def verdict_on(claim: Claim, cases: Sequence[Case], kind: Kind) -> Verdict:
    """Form the verdict on a claim from its cases.

    In these runs, a claim is true if in every group enough cases are true by their means. It is
    beyond chance if every group meets the rule with a p-value of at most 2.5 %, and its contrary is
    if a group fails it so after Holm's correction over the groups.

    If the runs of each data set are the sample, p-values are those of `p_at_least`; for data sets
    see `p_over_sets`.

    Parameters
    ----------
    claim : Claim
    cases : sequence of Case
        Cases with their outcomes (`boostbench.reports.claims.inference`).
    kind : Kind
        With the rule, the unit of the test and the chance that a case holds.
    """
    rule, unit, chance = kind.at_least, getattr(kind, "unit", kind.fixed_unit), kind.chance

    def p_of(part: Sequence[Case]) -> tuple[float, float]:
        if unit == "sets":
            return p_over_sets(part, rule, chance)
        return p_at_least([case.outcome for case in part], rule.needed(len(part)))

    names = dict.fromkeys(case.group for case in cases)
    parts = [[case for case in cases if case.group == name] for name in names]
    p = [p_of(part) for part in parts]
    adjusted = zip((met for met, _ in p), holm([unmet for _, unmet in p]), strict=True)
    groups = []
    for name, part, both in zip(names, parts, adjusted, strict=True):
        n, answers = len(part), [case.outcome.here for case in part]
        n_met, here = answers.count(True), rule.is_met(answers)
        beyond, more = state_of(both, here), NEVER
        states = {s: sum(case.outcome.state == s for case in part) for s in get_args(State)}
        if beyond == "open" and unit != "sets":
            more = _more_runs(part, rule)
        elif beyond == "open" and not states["missing"]:
            more = _more_sets(part, n_met / n, rule, chance)
        groups.append(GroupVerdict(name, rule.text(n), n_met, here, beyond, states, both, more))
    return Verdict(claim, tuple(groups), tuple(cases), unit, chance)


def _more_runs(cases: Sequence[Case], rule: Rule) -> float:
    """Return the further runs that would decide a group if open cases stay as they are here."""
    outcomes = sorted((case.outcome for case in cases), key=lambda outcome: outcome.total)
    answers = [{"holds": True, "fails": False}.get(outcome.state) for outcome in outcomes]
    for index, outcome in enumerate(outcomes):
        if outcome.state == "open":
            answers[index] = outcome.here
            if rule.is_met(answers) is not None:
                return outcome.total - outcome.n
    return NEVER


def _more_sets(cases: Sequence[Case], share: float, rule: Rule, chance: float) -> float:
    """Return the further data sets that would decide a group if the share of cases stays."""
    n = len({case.dataset for case in cases})
    sizes, least = np.arange(n + 1, _MOST_SETS), rule.share_of(len(cases), n)
    met = np.round(share * sizes)
    if share >= least:
        p = scipy.stats.binom.sf(met - 1, sizes, chance)
    else:
        p = scipy.stats.binom.cdf(met, sizes, least)
    return next((float(size - n) for size in sizes[p <= LEVEL]), NEVER)


def p_over_sets(cases: Sequence[Case], rule: Rule, chance: float) -> tuple[float, float]:
    """Return the p-values of a number of cases over data sets, by exact binomial tests.

    The first is that of equal boosters, for which a data set holds by ``chance`` (the sign test if
    it is 1/2); ties are left out, and a missing case does not hold. The second is that of the share
    of the rule, with ties and missing cases on its side. Cases of one data set depend on each other
    and count as one, by their mean.
    """
    by_set: dict[str, list[Outcome]] = {}
    for case in cases:
        by_set.setdefault(case.dataset, []).append(case.outcome)
    sets = by_set.values()
    strict = [[each.here is True for each in found if not each.tied] for found in sets]
    shares = [statistics.fmean(held) for held in strict if held]
    most = [statistics.fmean(o.tied or o.here is not False for o in found) for found in sets]
    holding, possible = math.floor(sum(shares) + 1e-9), math.ceil(sum(most) - 1e-9)
    n, least = len(by_set), rule.share_of(len(cases), len(by_set))
    met = float(scipy.stats.binom.sf(holding - 1, len(shares), chance)) if shares else 1.0
    return met, float(scipy.stats.binom.cdf(possible, n, least))


_MOST_GROUPS, _MOST_SAID = 3, 2
_HERE = {True: "true", False: "false", None: "unknown"}
#: Words for whether a case or a claim is beyond chance, by its state.
BEYOND = {"holds": "yes", "fails": "contrary", "open": "open", "missing": "missing"}
#: Names of one claim and of several claims of an origin.
_ORIGINS: dict[Origin, tuple[str, str]] = {
    "paper": ("claim of the paper", "claims of the paper"),
    "ours": ("claim of ours", "claims of ours"),
    "identity": ("identity", "identities"),
    "against the paper": ("claim against the paper", "claims against the paper"),
}


class ClaimView(ClaimWords, extra="ignore"):  # summaries of later versions may have more keys
    """A claim with its verdict in words."""

    verdict: Status
    #: Sentences on the counts of cases (first), missing runs, the test and what would decide it.
    reasons: Listed[str] = ()
    #: P-value of "the claim is true"; 1 if it is false in these runs or unknown.
    p: float = 1.0

    @property
    def marks(self) -> list[str]:
        """Remarks that are never left out, such as a change made after results were seen."""
        changed = f"after its results were seen: {self.changed}" * bool(self.changed)
        misprint = f"the printed values do not satisfy it: {self.misprint}" * bool(self.misprint)
        return [*filter(None, (changed, misprint))]

    @property
    def tone(self) -> str:
        """Good, bad, or empty if the claim is not decided."""
        return {"reproduced": "good", "not reproduced": "bad"}.get(self.verdict, "")

    @property
    def here(self) -> bool | None:
        """True if the claim is true in these runs; None if unknown."""
        return None if self.verdict == "undecided" else self.verdict in STATUSES[:2]

    @property
    def source(self) -> str:
        """Origin and section."""
        return ", ".join(filter(None, [self.origin, self.section]))


def view_of(verdict: Verdict) -> ClaimView:
    """Return a verdict in words."""
    return ClaimView(
        **{name: getattr(verdict.claim, name) for name in ClaimWords.model_fields},
        verdict=verdict.status,
        reasons=tuple(_reasons(verdict)),
        p=max(group.p[0] for group in verdict.groups) if verdict.here else 1.0,
    )


def counts_in_words(views: Iterable[ClaimView]) -> str:
    """Return the numbers of claims by origin and by both answers, in words."""
    views = list(views)
    parts = []
    for origin, names in _ORIGINS.items():
        of_origin = [view for view in views if view.origin == origin]
        counts = []
        for here, words in ((True, "true in these runs"), (False, "false"), (None, "undecided")):
            tones = [view.tone for view in of_origin if view.here is here]
            beyond = f" ({sum(map(bool, tones))} beyond chance)" * (here is not None)
            counts += [f"{len(tones)} {words}{beyond}"] if tones else []
        n = len(of_origin)
        parts += [f"{n} {names[n != 1]}: {', '.join(counts)}"] if n else []
    return "; ".join(parts) or "no claims"


def in_short(views: Sequence[ClaimView]) -> str:
    """Return a sentence on how many claims are true in these runs, and which are not."""
    n, n_true = len(views), sum(view.here is True for view in views)
    every = f"All {n} claims" if n > 1 else "The claim"
    subject = f"{n_true} of {n} claims" if n_true < n else every
    parts = [f"{subject} {'is' if n_true == 1 else 'are'} true in these runs"]
    for here, words in ((False, "not true"), (None, "not decided")):
        says = [f"“{view.says}”" for view in views if view.here is here]
        parts += [f"{words}: {listed(says, _MOST_SAID)}"] if says else []
    return f"{'; '.join(parts)}."


def evidence_rows(verdict: Verdict) -> list[dict[str, str]]:
    """Return the evidence as one row per case; all rows have the same keys."""
    cases = verdict.cases
    columns = list(dict.fromkeys(column for case in cases for column in case.numbers))
    has_groups = any(case.group for case in cases)
    has_runs = any(case.outcome.planned > 1 for case in cases)
    rows = []
    for case in cases:
        outcome = case.outcome
        row = {"where": case.group} if has_groups else {}
        row |= {"case": case.subject, **{name: case.numbers.get(name, "") for name in columns}}
        if has_runs:
            absent = f" of {outcome.planned}" * (outcome.n != outcome.planned)
            row["runs"] = f"{outcome.n}{absent}"
        rows.append({**row, "here": _HERE[outcome.here], "beyond chance": BEYOND[outcome.state]})
    return rows


def _reasons(verdict: Verdict) -> Iterator[str]:
    """Yield the counts, chance level, gaps, test, and what would decide an open claim."""
    cases, groups = verdict.cases, verdict.groups
    yield _counts(verdict)
    missing = [case.outcome.why for case in cases if case.outcome.state == "missing"]
    shares = [c.placebo for c in cases if c.outcome.state != "missing" and c.placebo is not None]
    if shares:
        yield f"{sum(shares):.1f} of {len(shares)} {PLACEBO}"
    if gaps := list(dict.fromkeys(gap for why in missing for gap in why.split("; ") if gap)):
        rest = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
        yield f"without a result: {', '.join(gaps[:3])}{rest}"
    names = list(dict.fromkeys(case.outcome.test for case in cases if case.outcome.test))
    if verdict.unit == "sets":
        names = ["exact binomial test over data sets"]
    if names:
        over = ", over the cases" * (len(cases) > 1 and verdict.unit != "sets")
        p = max(group.p[0] for group in groups)
        if verdict.here is False:
            kind, p = verdict.claim.options, min(group.p[1] for group in groups)
            is_one = isinstance(kind, Kind) and kind.at_least.needed(len(cases)) == 1
            over = ", with Holm" if len(groups) > 1 or (over and not is_one) else over
        text = f"{', '.join(names)}{over}, p = {p:.2g}"
        answer = BEYOND[verdict.beyond].replace("contrary", "the contrary is")
        yield f"beyond chance: {answer} ({text})"
    if verdict.beyond == "open":
        yield from remedies(verdict)


def _counts(verdict: Verdict) -> str:
    """Return the counts of cases by group, or of groups by status if there are many."""
    groups = verdict.groups
    if len(groups) <= _MOST_GROUPS:
        texts = (f"{group.group}: {_count(group, verdict)}" for group in groups)
        return "; ".join(text.removeprefix(": ") for text in texts)
    parts = []
    for status in STATUSES:
        names = [g.group for g in groups if status_of(g.here, g.beyond) == status]
        listing = f" ({', '.join(names)})" if len(names) <= _MOST_GROUPS else ""
        parts += [f"{len(names)} of {len(groups)} {status}{listing}"] if names else []
    return "; ".join(parts)


def _count(group: GroupVerdict, verdict: Verdict) -> str:
    n, of_sets = sum(group.states.values()), verdict.unit == "sets"
    if n == 1:
        return f"{_HERE[group.here]} in these runs"
    equal = f"; by chance at most {verdict.chance * n:.1f}".removesuffix(".0") if of_sets else ""
    words = {"holds": "beyond chance", "fails": "contradicted"}
    parts = [
        f"{group.states[state]} {words.get(state, state)}"
        for state in (("missing",) if of_sets else get_args(State))
        if group.states[state] or state == "holds"
    ]
    text = f"true in {group.met} of {n} cases ({group.rule} must{equal})"
    return ": ".join(filter(None, [text, ", ".join(parts)]))


def remedies(verdict: Verdict) -> Iterator[str]:
    """Yield what would decide whether a claim is beyond chance, such as further runs."""
    more, unit = verdict.more, "data set" if verdict.unit != "runs" else "run"
    undecided = [group for group in verdict.groups if group.beyond == "open"]
    stuck = [group for group in undecided if math.isinf(group.more)]
    if more is not None:
        kind = "" if unit == "data set" else " of further seeds"
        what = f"{len(undecided) - len(stuck)} of {len(undecided)} groups" if stuck else "it"
        yield f"about {more} more {unit}{'s' * (more > 1)}{kind} would decide {what}"
    if any(group.states["missing"] for group in stuck):
        yield "missing runs could change the verdict"
    elif stuck and more is None:
        whys = sorted({c.outcome.why for c in verdict.cases if c.outcome.state == "open"} - {""})
        known = f"no number of further {unit}s is known to decide it"
        yield from whys or [known if verdict.unit != "mean" else "more data sets could decide it"]


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its evidence as JSON data, with errors and differences as fractions."""
    return {
        **view_of(verdict).model_dump(mode="json"),
        "here": verdict.here,
        "beyond_chance": BEYOND[verdict.beyond],
        "kind": verdict.claim.kind,
        "unit": verdict.unit,
        "more_units": verdict.more,
        "groups": [{**_plain(g), "verdict": status_of(g.here, g.beyond)} for g in verdict.groups],
        "cases": [
            {"where": c.group, "case": c.subject, "shown": c.numbers, **_plain(c.outcome)}
            for c in verdict.cases
        ],
    }


def _plain(value: GroupVerdict | Outcome) -> dict[str, Any]:
    return {name: part for name, part in asdict(value).items() if part != NEVER}


def verdicts_markdown(title: str, verdicts: Sequence[Verdict]) -> str:
    """Return the page of verdicts with their evidence, in GitHub Flavored Markdown."""
    views = [view_of(verdict) for verdict in verdicts]
    claims = [*zip(views, map(evidence_rows, verdicts), strict=True)]
    return render("claims.md.j2", title=title, counts=counts_in_words(views), claims=claims)
