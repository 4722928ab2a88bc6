"""Words of a verdict: the one view that every surface shows.

`ClaimView` is what ``verify``, ``reproduce``, ``claims.md``, the page, the overview, the
documentation and JSON take a verdict from; ``summary.json`` stores it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, get_args

from pydantic import ConfigDict

from boostbench.experiments.configs.kind_options import ClaimWords, Origin
from boostbench.reports.claims.inference import EQUALITY, NEVER, Outcome, State
from boostbench.reports.claims.verdicts import STATUSES, GroupVerdict, Status, Verdict
from boostbench.reports.files import render
from boostbench.reports.text import markdown, markdown_table
from boostbench.validation import Listed

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict

_MOST_GROUPS = 3
_HERE = {True: "true", False: "false", None: "unknown"}
#: Words for whether a case or a claim is beyond chance, by its state.
BEYOND: dict[State, str] = {
    "holds": "yes",
    "fails": "contrary",
    "open": "open",
    "missing": "missing",
}
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


class ClaimView(ClaimWords):
    """A claim with its verdict in words."""

    # Summaries of later versions may have more keys.
    model_config = ConfigDict(extra="ignore")

    verdict: Status
    #: Sentences on the counts of cases (first), missing runs, the test and what would decide it.
    reasons: Listed[str] = ()
    #: P-value of "the claim is true"; 1 if it is false in these runs or unknown.
    p: float = 1.0

    @property
    def marks(self) -> list[str]:
        """Remarks that are never left out, such as a change made after results were seen."""
        marks = {
            "after its results were seen": self.changed,
            "the printed values do not satisfy it": self.misprint,
        }
        return [f"{words}: {reason}" for words, reason in marks.items() if reason]

    @property
    def tone(self) -> str:
        """Good, bad, or empty if the claim is not decided."""
        return {"reproduced": "good", "not reproduced": "bad"}.get(self.verdict, "")

    @property
    def here(self) -> bool | None:
        """True if the claim is true in these runs; None if unknown."""
        return None if self.verdict == "undecided" else self.verdict in STATUSES[:2]

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
    for origin, (one, several) in _ORIGINS.items():
        of_origin = [view for view in views if view.origin == origin]
        counts = []
        for here, words in ((True, "true in these runs"), (False, "false")):
            answered = [view for view in of_origin if view.here is here]
            n_beyond = sum(bool(view.tone) for view in answered)
            beyond = f" ({n_beyond} beyond chance)"
            counts += [f"{len(answered)} {words}{beyond}"] if answered else []
        n_undecided = sum(view.here is None for view in of_origin)
        counts += [f"{n_undecided} undecided"] if n_undecided else []
        name = one if len(of_origin) == 1 else several
        parts += [f"{len(of_origin)} {name}: {', '.join(counts)}"] if counts else []
    return "; ".join(parts) or "no claims"


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
        row["here"] = _HERE[outcome.here]
        row["beyond chance"] = BEYOND[outcome.state]
        rows.append(row)
    return rows


def _reasons(verdict: Verdict) -> Iterator[str]:
    """Yield the counts, chance level, gaps, test, and what would decide an open claim."""
    cases, groups = verdict.cases, verdict.groups
    yield _counts(verdict)
    missing = [case.outcome.why for case in cases if case.outcome.state == "missing"]
    shares = [c.placebo for c in cases if c.outcome.state != "missing" and c.placebo is not None]
    if shares:
        yield (
            f"chance level: {sum(shares):.1f} of {len(shares)} "
            "(agreement with another column of the same table)"
        )
    if gaps := list(dict.fromkeys(gap for why in missing for gap in why.split("; ") if gap)):
        rest = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
        yield f"without a result: {', '.join(gaps[:3])}{rest}"
    names = list(dict.fromkeys(case.outcome.test for case in cases if case.outcome.test))
    if verdict.unit == "sets":
        names = ["exact binomial test over data sets"]
    if names and names != [EQUALITY]:  # else nothing is left to chance
        several = len(cases) > 1 and verdict.unit != "sets"
        p = min(g.p[1] for g in groups) if verdict.here is False else max(g.p[0] for g in groups)
        text = f"{', '.join(names)}{', with Holm' if several else ''}, p = {p:.2g}"
        answer = BEYOND[verdict.beyond].replace("contrary", "the contrary is")
        yield f"beyond chance: {answer} ({text})"
    if verdict.beyond == "open":
        yield from remedies(verdict)


def _counts(verdict: Verdict) -> str:
    """Return the counts of cases by group, or of groups by status if there are many."""
    groups = verdict.groups
    if len(groups) <= _MOST_GROUPS:
        texts = [_count(group, verdict) for group in groups]
        pairs = zip(groups, texts, strict=True)
        return "; ".join(f"{group.group}: {text}" if group.group else text for group, text in pairs)
    parts = []
    for status in STATUSES:
        names = [group.group for group in groups if group.status == status]
        listing = f" ({', '.join(names)})" if len(names) <= _MOST_GROUPS else ""
        parts += [f"{len(names)} of {len(groups)} {status}{listing}"] if names else []
    return "; ".join(parts)


def _count(group: GroupVerdict, verdict: Verdict) -> str:
    n, of_sets = group.n, verdict.unit == "sets"
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
        kind = "" if unit == "data set" else " (seeds)"
        what = f"{len(undecided) - len(stuck)} of {len(undecided)} groups" if stuck else "it"
        yield f"about {more} more {unit}{'s' * (more > 1)}{kind} would decide {what}"
    if any(group.states["missing"] for group in stuck):
        yield "missing runs could change the verdict"
    elif stuck and more is None:
        whys = {case.outcome.why for case in verdict.cases if case.outcome.state == "open"} - {""}
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
        "groups": [{**_plain(group), "verdict": group.status} for group in verdict.groups],
        "cases": [
            {
                "where": case.group,
                "case": case.subject,
                "shown": case.numbers,
                **_plain(case.outcome),
            }
            for case in verdict.cases
        ],
    }


def _plain(value: GroupVerdict | Outcome) -> dict[str, Any]:
    return {name: part for name, part in asdict(value).items() if part != NEVER}


def verdicts_markdown(title: str, verdicts: Sequence[Verdict]) -> str:
    """Return the page of verdicts with their evidence, in GitHub Flavored Markdown."""
    views = [view_of(verdict) for verdict in verdicts]
    tables = [_table(evidence_rows(verdict)) for verdict in verdicts]
    return render(
        "claims.md.j2",
        title=title,
        counts=counts_in_words(views),
        how_to_read=HOW_TO_READ,
        claims=[*zip(views, tables, strict=True)],
    )


def verdicts_list(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as a Markdown list that links to their evidence; empty without any."""
    lines = [
        f"- **{view.verdict}** ({view.origin}): {markdown(view.says)} "
        f"([evidence](claims.md#claim-{number}))"
        for number, view in enumerate(map(view_of, verdicts), start=1)
    ]
    return "\n**Claims**\n\n" + "\n".join(lines) + "\n" if lines else ""


def _table(rows: Sequence[dict[str, str]]) -> str:
    return markdown_table(
        map(markdown, rows[0]),
        (column not in ("where", "case", "here", "beyond chance") for column in rows[0]),
        (map(markdown, row.values()) for row in rows),
    )
