"""Verdicts and their evidence as rows, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.experiments.configs.claims import Claim, Origin
from boostbench.reports.claims.verdicts import STATUSES, Status, Verdict
from boostbench.reports.text import markdown, markdown_table

if TYPE_CHECKING:
    from boostbench.reports.claims.history import PastClaim

#: Names of one claim and of several claims of an origin.
_ORIGINS: dict[Origin, tuple[str, str]] = {
    "paper": ("claim of the paper", "claims of the paper"),
    "ours": ("claim of ours", "claims of ours"),
    "identity": ("identity", "identities"),
    "against the paper": ("claim against the paper", "claims against the paper"),
}
_OF_GROUPS = ("rule", "holds", "fails", "open", "missing")
_OF_OUTCOMES = ("state", "difference", "interval", "test", "planned", "why")
HOW_TO_READ = (
    "Errors are in percent, differences in points, intervals at 95 %. A number in a claim of the "
    "paper that its quotation does not have is our reading."
)


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


def summary_line(verdicts: Sequence[Verdict]) -> str:
    """Return the numbers of claims by origin and verdict, in words."""
    return counts_in_words([(verdict.claim.origin, verdict.status) for verdict in verdicts])


def counts_in_words(judged: Collection[tuple[Origin, Status]]) -> str:
    """Return the numbers of claims by origin and verdict, in words.

    Examples
    --------
    >>> counts_in_words([("paper", "undecided"), ("ours", "reproduced"), ("ours", "undecided")])
    '1 claim of the paper: 1 undecided; 2 claims of ours: 1 reproduced, 1 undecided'
    """
    parts = []
    for origin, (one, several) in _ORIGINS.items():
        statuses = [status for of_claim, status in judged if of_claim == origin]
        counts = [f"{statuses.count(each)} {each}" for each in STATUSES if each in statuses]
        name = one if len(statuses) == 1 else several
        parts += [f"{len(statuses)} {name}: {', '.join(counts)}"] if statuses else []
    return "; ".join(parts) or "no claims"


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its evidence as JSON data, with errors and differences as fractions."""
    return {
        **_attributes(verdict.claim, ("says", "note", "origin", "section", "quote", "kind")),
        "verdict": verdict.status,
        "reasons": list(verdict.reasons),
        "marks": list(verdict.marks),
        "more_runs": verdict.more_runs,
        "power": verdict.power,
        "repeats_for_power": verdict.repeats,
        "seconds_per_repeat": verdict.seconds,
        "groups": [
            {"where": group.group, "verdict": group.status, **_attributes(group, _OF_GROUPS)}
            for group in verdict.groups
        ],
        "cases": [
            {
                "where": case.group,
                "case": case.subject,
                **_attributes(case.outcome, _OF_OUTCOMES),
                "runs": case.outcome.n,
                "shown": case.numbers,
            }
            for case in verdict.cases
        ],
    }


def _attributes(value: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def verdicts_markdown(
    title: str, verdicts: Sequence[Verdict], withdrawn: Sequence[PastClaim] = ()
) -> str:
    """Return the page of verdicts with their evidence, in GitHub Flavored Markdown."""
    parts = [f"# Claims: {markdown(title)}", f"{summary_line(verdicts)}. {HOW_TO_READ}"]
    for number, verdict in enumerate(verdicts, start=1):
        claim = verdict.claim
        parts.append(f'<a id="claim-{number}"></a>\n\n## {number}. {markdown(claim.says)}')
        if claim.quote:
            parts.append(f"> {markdown(claim.quote)}")
        parts.append(" · ".join([f"**{verdict.status}**", *map(markdown, _about(claim))]))
        marks = [f"- **{markdown(mark)}**" for mark in verdict.marks]
        parts.append("\n".join([*marks, *(f"- {markdown(text)}" for text in verdict.reasons)]))
        parts.append(_table(evidence_rows(verdict)))
    lines = [
        f"- **withdrawn after its results were seen, {claim.withdrawn}**: {markdown(claim.says)}"
        for claim in withdrawn
    ]
    parts += ["\n".join(lines)] if lines else []
    return "\n\n".join(parts) + "\n"


def verdicts_list(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as a Markdown list that links to their evidence; empty without any."""
    lines = [
        f"- **{verdict.status}** ({verdict.claim.origin}): {markdown(verdict.claim.says)} "
        f"([evidence](claims.md#claim-{number}))"
        for number, verdict in enumerate(verdicts, start=1)
    ]
    return "\n**Claims**\n\n" + "\n".join(lines) + "\n" if lines else ""


def _about(claim: Claim) -> list[str]:
    """Return the source of a claim and its note, if any."""
    source = f"{claim.origin}, {claim.section}" if claim.section else claim.origin
    return [source, claim.note] if claim.note else [source]


def _table(rows: Sequence[dict[str, str]]) -> str:
    return markdown_table(
        map(markdown, rows[0]),
        (column not in ("where", "case", "result") for column in rows[0]),
        (map(markdown, row.values()) for row in rows),
    )
