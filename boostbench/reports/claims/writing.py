"""Verdicts as text: the evidence as rows, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from boostbench.experiments.configs.claims import Claim, Origin
from boostbench.reports.claims.verdicts import STATUSES, Status, Verdict
from boostbench.reports.text import markdown, markdown_table

if TYPE_CHECKING:
    from boostbench.reports.claims.history import PastClaim

#: One claim, and several, of an origin.
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
    """Return the evidence as rows with equal keys: group, case, numbers and result."""
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
            is_whole = outcome.n == outcome.planned
            row["runs"] = f"{outcome.n}" if is_whole else f"{outcome.n} of {outcome.planned}"
        row["result"] = outcome.state
        rows.append(row)
    return rows


def summary_line(verdicts: Sequence[Verdict]) -> str:
    """Return how many claims there are of each origin and verdict, in words."""
    return counts_in_words([(verdict.claim.origin, verdict.status) for verdict in verdicts])


def counts_in_words(judged: Collection[tuple[Origin, Status]]) -> str:
    """Return how many claims there are of each origin and verdict, in words.

    Examples
    --------
    >>> counts_in_words([("paper", "undecided"), ("ours", "reproduced"), ("ours", "undecided")])
    '1 claim of the paper: 1 undecided; 2 claims of ours: 1 reproduced, 1 undecided'
    """
    parts = []
    for origin, (one, several) in _ORIGINS.items():
        found = [status for its, status in judged if its == origin]
        counts = [f"{found.count(status)} {status}" for status in STATUSES if status in found]
        words = one if len(found) == 1 else several
        parts += [f"{len(found)} {words}: {', '.join(counts)}"] if found else []
    return "; ".join(parts) or "no claims"


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its evidence as JSON-able data; errors and differences as fractions."""
    return {
        **_picked(verdict.claim, ("says", "note", "origin", "section", "quote", "kind")),
        "verdict": verdict.status,
        "reasons": list(verdict.reasons),
        "marks": list(verdict.marks),
        "more_runs": verdict.more_runs,
        "power": verdict.power,
        "repeats_for_power": verdict.repeats,
        "seconds_per_repeat": verdict.seconds,
        "groups": [
            {"where": group.group, "verdict": group.status, **_picked(group, _OF_GROUPS)}
            for group in verdict.groups
        ],
        "cases": [
            {
                "where": case.group,
                "case": case.subject,
                **_picked(case.outcome, _OF_OUTCOMES),
                "runs": case.outcome.n,
                "shown": case.numbers,
            }
            for case in verdict.cases
        ],
    }


def _picked(value: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def verdicts_markdown(
    title: str, verdicts: Sequence[Verdict], withdrawn: Sequence[PastClaim] = ()
) -> str:
    """Return the page of a config's verdicts, each with its evidence, in GitHub's Markdown."""
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
    gone = [
        f"- **withdrawn after its results were seen, {claim.withdrawn}**: {markdown(claim.says)}"
        for claim in withdrawn
    ]
    parts += ["\n".join(gone)] if gone else []
    return "\n\n".join(parts) + "\n"


def verdicts_list(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts without evidence, to stand below a table in Markdown; empty if none."""
    lines = [
        f"- **{verdict.status}** ({verdict.claim.origin}): {markdown(verdict.claim.says)} "
        f"([evidence](claims.md#claim-{number}))"
        for number, verdict in enumerate(verdicts, start=1)
    ]
    return "\n**Claims**\n\n" + "\n".join(lines) + "\n" if lines else ""


def _about(claim: Claim) -> list[str]:
    """Return where a claim is from, and its note."""
    source = f"{claim.origin}, {claim.section}" if claim.section else claim.origin
    return [source, claim.note] if claim.note else [source]


def _table(rows: Sequence[dict[str, str]]) -> str:
    return markdown_table(
        map(markdown, rows[0]),
        (column not in ("where", "case", "result") for column in rows[0]),
        (map(markdown, row.values()) for row in rows),
    )
