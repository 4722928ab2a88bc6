"""Verdicts with their evidence as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from boostbench.reports.claims.inference import NEVER, Outcome
from boostbench.reports.claims.verdicts import GroupVerdict, Verdict
from boostbench.reports.claims.view import (
    BEYOND,
    HOW_TO_READ,
    counts_in_words,
    evidence_rows,
    view_of,
)
from boostbench.reports.text import markdown, markdown_table


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
    counts = counts_in_words(map(view_of, verdicts))
    parts = [f"# Claims: {markdown(title)}", f"{counts}. {HOW_TO_READ}"]
    for number, verdict in enumerate(verdicts, start=1):
        view = view_of(verdict)
        parts.append(f'<a id="claim-{number}"></a>\n\n## {number}. {markdown(view.says)}')
        if view.quote:
            parts.append(f"> {markdown(view.quote)}")
        about = [markdown(text) for text in (view.source, view.note) if text]
        parts.append(" · ".join([f"**{view.verdict}**", *about]))
        marks = [f"- **{markdown(mark)}**" for mark in view.marks]
        parts.append("\n".join([*marks, *(f"- {markdown(text)}" for text in view.reasons)]))
        parts.append(_table(evidence_rows(verdict)))
    return "\n\n".join(parts) + "\n"


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
