"""Verdicts as text: the evidence as rows, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boostbench.experiments.configs.claims import Origin
from boostbench.reports.claims.verdicts import STATUSES, Verdict
from boostbench.reports.text import markdown, markdown_table

#: One claim, and several, of an origin.
_ORIGINS: dict[Origin, tuple[str, str]] = {
    "paper": ("claim", "claims"),
    "ours": ("claim of ours", "claims of ours"),
    "identity": ("identity", "identities"),
    "against the paper": ("claim against the paper", "claims against the paper"),
}
_OF_GROUPS = ("rule", "holds", "fails", "open", "missing")
_OF_OUTCOMES = ("state", "difference", "interval", "test", "planned", "why")
_HEAD = "Errors are in percent, differences in points, intervals at 95 %."


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
    parts = []
    for origin, (one, several) in _ORIGINS.items():
        found = [verdict.status for verdict in verdicts if verdict.claim.origin == origin]
        counts = [f"{found.count(status)} {status}" for status in STATUSES if status in found]
        words = one if len(found) == 1 else several
        parts += [f"{len(found)} {words}: {', '.join(counts)}"] if found else []
    return "; ".join(parts) or "no claims"


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict with its evidence as JSON-able data; errors and differences as fractions."""
    return {
        **_picked(verdict.claim, ("says", "note", "origin", "quote", "kind")),
        "verdict": verdict.status,
        "reasons": list(verdict.reasons),
        "more_runs": verdict.more_runs,
        "power": verdict.power,
        "repeats_for_power": verdict.repeats,
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


def verdicts_markdown(title: str, verdicts: Sequence[Verdict]) -> str:
    """Return the page of a config's verdicts, each with its evidence, in GitHub's Markdown."""
    parts = [f"# Claims: {markdown(title)}", f"{summary_line(verdicts)}. {_HEAD}"]
    for number, verdict in enumerate(verdicts, start=1):
        claim = verdict.claim
        parts.append(f'<a id="claim-{number}"></a>\n\n## {number}. {markdown(claim.says)}')
        if claim.quote:
            parts.append(f"> {markdown(claim.quote)}")
        origin = [] if claim.origin == "paper" else [claim.origin]
        words = [f"**{verdict.status}**", *origin, *([markdown(claim.note)] if claim.note else [])]
        parts.append(" · ".join(words))
        parts.append("\n".join(f"- {markdown(reason)}" for reason in verdict.reasons))
        parts.append(_table(evidence_rows(verdict)))
    return "\n\n".join(parts) + "\n"


def verdicts_list(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts without evidence, to stand below a table in Markdown; empty if none."""
    lines = [
        f"- **{verdict.status}**: {markdown(verdict.claim.says)} "
        f"([evidence](claims.md#claim-{number}))"
        for number, verdict in enumerate(verdicts, start=1)
    ]
    return "\n**Claims**\n\n" + "\n".join(lines) + "\n" if lines else ""


def _table(rows: Sequence[dict[str, str]]) -> str:
    return markdown_table(
        map(markdown, rows[0]),
        (column not in ("where", "case", "result") for column in rows[0]),
        (map(markdown, row.values()) for row in rows),
    )
