"""Words of a verdict: the one view that every surface shows.

`ClaimView` is what ``verify``, ``reproduce``, ``claims.md``, the page, the overview, the
documentation and JSON take a verdict from; ``summary.json`` stores it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pydantic import ConfigDict

from boostbench.experiments.configs.claims import Origin
from boostbench.reports.claims.evidence import Case
from boostbench.reports.claims.inference import EQUALITY
from boostbench.reports.claims.verdicts import STATUSES, GroupVerdict, Status
from boostbench.reports.provenance import duration
from boostbench.validation import Listed, Model

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict

_MOST_GROUPS = 3
#: Names of one claim and of several claims of an origin.
_ORIGINS: dict[Origin, tuple[str, str]] = {
    "paper": ("claim of the paper", "claims of the paper"),
    "ours": ("claim of ours", "claims of ours"),
    "identity": ("identity", "identities"),
    "against the paper": ("claim against the paper", "claims against the paper"),
}
HOW_TO_READ = (
    "Errors are in percent, differences in points, intervals at 95 %. A number in a claim of the "
    "paper that its quotation does not have is our reading."
)


class ClaimView(Model):
    """A claim with its verdict in words."""

    # Summaries of later versions may have more keys.
    model_config = ConfigDict(extra="ignore")

    says: str
    note: str = ""
    origin: Origin = "paper"
    section: str = ""
    quote: str = ""
    verdict: Status
    #: Sentences on the counts of cases (first), missing runs, remedies and tests.
    reasons: Listed[str] = ()
    #: Remarks that are never left out, such as a change made after results were seen.
    marks: Listed[str] = ()

    @property
    def tone(self) -> str:
        """Good, bad, or empty if the claim is not decided."""
        return {"reproduced": "good", "not reproduced": "bad"}.get(self.verdict, "")

    @property
    def counts(self) -> str:
        """The counts of cases."""
        return self.reasons[0] if self.reasons else ""

    @property
    def source(self) -> str:
        """Origin and section."""
        return ", ".join(filter(None, [self.origin, self.section]))


def view_of(verdict: Verdict) -> ClaimView:
    """Return a verdict in words."""
    claim = verdict.claim
    return ClaimView(
        says=claim.says,
        note=claim.note,
        origin=claim.origin,
        section=claim.section,
        quote=claim.quote,
        verdict=verdict.status,
        reasons=tuple(_reasons(verdict)),
        marks=(f"after its results were seen: {claim.changed}",) if claim.changed else (),
    )


def counts_in_words(views: Iterable[ClaimView]) -> str:
    """Return the numbers of claims by origin and verdict, in words."""
    judged = [(view.origin, view.verdict) for view in views]
    parts = []
    for origin, (one, several) in _ORIGINS.items():
        statuses = [status for of_claim, status in judged if of_claim == origin]
        counts = [f"{statuses.count(each)} {each}" for each in STATUSES if each in statuses]
        name = one if len(statuses) == 1 else several
        parts += [f"{len(statuses)} {name}: {', '.join(counts)}"] if statuses else []
    return "; ".join(parts) or "no claims"


def counts_of_paper(views: Iterable[ClaimView]) -> list[str]:
    """Return the number of the paper's claims with each status; empty texts if it has none."""
    verdicts = [view.verdict for view in views if view.origin == "paper"]
    return [str(verdicts.count(status)) if verdicts else "" for status in STATUSES]


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
        row["case"] = case.subject
        row |= {column: case.numbers.get(column, "") for column in columns}
        if has_runs:
            is_complete = outcome.n == outcome.planned
            row["runs"] = f"{outcome.n}" if is_complete else f"{outcome.n} of {outcome.planned}"
        row["result"] = outcome.state
        rows.append(row)
    return rows


def _reasons(verdict: Verdict) -> Iterator[str]:
    cases = verdict.cases
    yield _counts(verdict.groups)
    yield from _placebo(cases)
    yield from _missing(cases)
    if verdict.status == "undecided":
        yield from remedies(verdict)
    yield from _tests(verdict)
    yield from _basis(cases)


def _counts(groups: Sequence[GroupVerdict]) -> str:
    """Return the counts of cases by group, or of groups by verdict if there are many."""
    if len(groups) <= _MOST_GROUPS:
        texts = map(_count, groups)
        pairs = zip(groups, texts, strict=True)
        return "; ".join(f"{group.group}: {text}" if group.group else text for group, text in pairs)
    parts = []
    for status in STATUSES:
        names = [group.group for group in groups if group.status == status]
        listing = f" ({', '.join(names)})" if len(names) <= _MOST_GROUPS else ""
        parts += [f"{len(names)} of {len(groups)} {status}{listing}"] if names else []
    return ", ".join(parts)


def _count(group: GroupVerdict) -> str:
    n = group.n
    if n == 1:
        words = ("holds", "fails", "open", "missing")
        counts = (group.holds, group.fails, group.open, group.missing)
        return next(word for word, count in zip(words, counts, strict=True) if count)
    parts = [f"{group.holds} of {n} hold"]
    parts += [f"{group.fails} fail"] if group.fails else []
    parts += [f"{group.open} open"] if group.open else []
    parts += [f"{group.missing} missing"] if group.missing else []
    return f"{', '.join(parts)} ({group.rule} must)"


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


def remedies(verdict: Verdict) -> Iterator[str]:
    """Yield the ways to decide an undecided claim, such as further runs."""
    more, over_sets = verdict.more_runs, verdict.over_sets
    undecided = [group for group in verdict.groups if group.status == "undecided"]
    stuck = [group for group in undecided if math.isinf(group.total)]
    if more is not None:
        runs = f"about {more} more {'run' if more == 1 else 'runs'} (seeds)"
        what = f"{len(undecided) - len(stuck)} of {len(undecided)} groups" if stuck else "it"
        seconds = verdict.seconds
        cost = "" if seconds is None else f" ({duration(more * seconds)} of one core)"
        yield f"{runs} would decide {what}{cost}"
    if any(group.missing for group in stuck):
        yield "missing runs could change the verdict"
    if any(not group.missing and not over_sets for group in stuck):
        what = "the others" if more is not None else "it"
        yield f"no number of further runs is known to decide {what}"
    if any(not group.missing and over_sets for group in stuck):
        yield "another choice of data sets could change the verdict"


def _tests(verdict: Verdict) -> Iterator[str]:
    """Yield the names of the tests."""
    cases = verdict.cases
    names = list(dict.fromkeys(case.outcome.test for case in cases if case.outcome.test))
    several = len(cases) > 1 and names != [EQUALITY]
    if verdict.over_sets:
        yield "bootstrap over data sets; ranks by means"
    elif names:
        yield f"{', '.join(names)}{'; many cases allowed for (Holm)' if several else ''}"


def _basis(cases: Sequence[Case]) -> Iterator[str]:
    """Yield the smallest number of runs behind a case, if some runs are missing."""
    incomplete = [case.outcome for case in cases if 0 < case.outcome.n < case.outcome.planned]
    if incomplete:
        least = min(incomplete, key=lambda outcome: outcome.n)
        yield f"rests on {least.n} of {least.planned} runs in places"
