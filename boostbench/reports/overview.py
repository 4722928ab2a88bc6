"""Overview of a results folder: `README.md` and `index.html`, from the summaries of reports."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boostbench.reports.claims.verdicts import STATUSES
from boostbench.reports.claims.view import ClaimView, counts_in_words, counts_of_paper
from boostbench.reports.files import write_file
from boostbench.reports.html import render
from boostbench.reports.summary import Items, ReportSummary, read_summaries
from boostbench.reports.text import markdown, markdown_table
from boostbench.reports.values.agreement import Held, in_words

_HEAD = """\
# Results

<!-- Written by `boostbench reproduce`; edits are lost. -->

Each claim of a paper has two answers: whether it is true in these runs, by means and counts, as its
authors counted, and whether that is beyond chance. It is reproduced if it is true and beyond
chance, and not reproduced if it is false and its contrary is beyond chance. Its link leads to the
evidence and to the words of the paper. A printed number agrees with ours if it lies in the 95 %
prediction interval around it, and the interval is narrow enough to tell. In brackets is the chance
level: the agreement with another column of the same table. Figures, tables and claims of our own
are on the pages of the experiments ([index](index.html)); claims of our own are listed here for
experiments that belong to no paper.

"""
#: Page on the conclusions under each reading, which ``configs/sensitivity.py`` writes.
SENSITIVITY = "sensitivity.md"
_READINGS = f"""\
The papers leave some details open. [A page]({SENSITIVITY}) shows which conclusions hold with each
reading of them.
"""
_OTHERS = "Other experiments"
_PAPER_COLUMNS = ("paper", "experiments", "printed numbers", *STATUSES, "our own claims")


def write_overview(results: Path) -> Path:
    """Write ``README.md`` and ``index.html`` from the summaries in a results folder.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or a file cannot be written.
    """
    papers = by_paper(results)
    is_number = (column != "paper" for column in _PAPER_COLUMNS)
    rows = (_row(paper, items) for paper, items in papers.items())
    sections = (_section(paper, items) for paper, items in papers.items())
    text = markdown_table(_PAPER_COLUMNS, is_number, rows) + "\n\n" + "\n".join(sections)
    if (results / SENSITIVITY).is_file():
        text = f"{_READINGS}\n{text}"
    write_index(results)
    return write_file(results / "README.md", _HEAD + text)


def write_index(results: Path) -> Path:
    """Write ``index.html`` in a results folder, with a link to the page of each report.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    papers = [
        {
            "title": title_of(paper, items)[0],
            "answers": [_agreement(items), _verdicts(items)],
            "items": items,
        }
        for paper, items in by_paper(results).items()
    ]
    sensitivity = SENSITIVITY if (results / SENSITIVITY).is_file() else ""
    page = render("index.html.j2", papers=papers, sensitivity=sensitivity)
    return write_file(results / "index.html", page)


def by_paper(results: Path) -> dict[str, list[tuple[str, ReportSummary]]]:
    """Return folders and summaries by paper; experiments without a paper come last."""
    papers: dict[str, list[tuple[str, ReportSummary]]] = {}
    items = sorted(read_summaries(results), key=lambda item: _order(*item))
    for item in sorted(items, key=lambda item: (not item[1].paper, item[1].paper)):
        papers.setdefault(item[1].paper, []).append(item)
    return papers


def _agreement(items: Items) -> str:
    held = _held(items)
    return f"{in_words(held)}." if held else ""


def _verdicts(items: Items) -> str:
    claims = _claims(items)
    return f"{counts_in_words(claims)}." if claims else ""


def _held(items: Items) -> list[Held]:
    """Return the comparisons with printed numbers, the first one of each number."""
    held: dict[str, Held] = {}
    for _, summary in items:
        held = {**summary.printed, **held}
    return list(held.values())


def _order(folder: str, summary: ReportSummary) -> tuple[Any, ...]:
    """Return the sort key: the part of the paper (9 before 10), the name, the size."""
    sizes = ("quick", "standard", "", "full")
    part = re.sub(r"\d+", lambda digits: digits[0].zfill(4), summary.part.replace("Figs", "Fig"))
    return (not part, part, summary.config, sizes.index(summary.size), folder)


def title_of(paper: str, items: Items) -> tuple[str, str]:
    """Return name and description of a paper; the id and "" if it has no ``about.md``."""
    texts = (summary.about for _, summary in items)
    name, _, text = next((text for text in texts if text), paper or _OTHERS).partition("\n")
    return name, " ".join(text.split())


def _row(paper: str, items: Items) -> list[str]:
    claims = _claims(items)
    own = [claim.here for claim in claims if claim.origin == "ours"]
    name, _ = title_of(paper, items)
    return [
        f"[{markdown(name)}](#{_anchor(name)})",
        str(len(items)),
        _count_agreeing(_held(items)),
        *counts_of_paper(claims),
        f"{own.count(True)} of {len(own)} true" if own else "",
    ]


def _claims(items: Items) -> list[ClaimView]:
    return [claim for _, summary in items for claim in summary.claims]


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub and Sphinx give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _section(paper: str, items: Items) -> str:
    name, text = title_of(paper, items)
    lines = [f"## {markdown(name)}\n"]
    lines += [f"{markdown(text)}\n"] if text else []
    claims = [
        (folder, number, claim)
        for folder, summary in items
        for number, claim in enumerate(summary.claims, start=1)
        if claim.origin == "paper" or not paper
    ]
    for status in STATUSES:
        if entries := [_claim(*item) for item in claims if item[2].verdict == status]:
            lines += [f"**{status.capitalize()}**\n", *entries, ""]
    links = (
        f"[{markdown(summary.part or summary.title)}]({folder}/report.html)"
        for folder, summary in items
    )
    return "\n".join([*lines, "Experiments: " + " · ".join(links), ""])


def _claim(folder: str, number: int, claim: ClaimView) -> str:
    """Return a list entry with the claim, its marks, and a link to its evidence."""
    place = claim.section or "evidence"
    parts = [markdown(claim.says), *map(markdown, claim.marks)]
    return f"- {'; '.join(parts)} ([{markdown(place)}]({folder}/claims.md#claim-{number}))"


def _count_agreeing(held: Sequence[Held]) -> str:
    agree = sum(each.agreement == "agrees" for each in held)
    placebo = sum(each.placebo or 0.0 for each in held)
    return f"{agree} of {len(held)} agree ({placebo:.1f})" if held else ""
