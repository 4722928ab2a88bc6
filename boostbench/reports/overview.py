"""Overview of a results folder: ``index.html`` and ``README.md``, from the summaries of reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boostbench.reports.files import write_files
from boostbench.reports.html import render
from boostbench.reports.leaderboard import LEADERBOARD
from boostbench.reports.summary import Items, Paper, ReportSummary, read_summaries
from boostbench.reports.tables.table import BEYOND, Row, Table, TableCell
from boostbench.reports.tables.writers import to_markdown
from boostbench.reports.text import markdown
from boostbench.reports.values.agreement import Held

#: Page on the conclusions under each reading, which ``configs/sensitivity.py`` writes.
SENSITIVITY = "sensitivity.md"
_OTHERS = "Other experiments"
_COLUMNS = ("claims", "true here", "true beyond chance", "false beyond chance", "open",
            "printed numbers that agree", "by chance")  # fmt: skip
_FOOTERS = (
    "Claims of the paper; without a paper, all. True here: by the means or counts of these "
    "runs. Open: neither the claim nor its contrary is beyond chance.",
    "A printed number agrees if it lies in the 95 % prediction interval of ours; by chance: the "
    "expected agreement with another column of the same table.",
)


@dataclass(frozen=True)
class PaperResults:
    """A paper with the folders and summaries of its reports, in its order."""

    paper: Paper
    items: Items

    @property
    def title(self) -> str:
        """Name of the paper without subtitle and source."""
        return re.split(r": | \(", self.paper.name)[0]


def write_overview(results: Path) -> Path:
    """Write what was found, with a link to each report; return the path of ``index.html``.

    ``README.md`` has the same in Markdown, for pages that show the files of a repository.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    found = _found(results)
    readme = "\n\n".join(_readme(**found)) + "\n"
    *_, index = write_files(results, {"README.md": readme, "index.html": overview_page(results)})
    return index


def overview_page(results: Path) -> str:
    """Return the overview of a results folder as HTML.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read.
    """
    boards = [path.parent.name for path in results.glob(f"*/{LEADERBOARD}")]
    return render("index.html.j2", **_found(results), boards=boards, leaderboard=LEADERBOARD)


def _found(results: Path) -> dict[str, Any]:
    papers = [*by_paper(results).values()]
    rows = tuple(map(_row, papers))
    table = Table("Claims and printed numbers", ("paper",), _COLUMNS, rows, _FOOTERS)
    sensitivity = SENSITIVITY if (results / SENSITIVITY).is_file() else ""
    return {"papers": papers, "table": table, "sensitivity": sensitivity}


def _row(of: PaperResults) -> Row:
    """Return the counts of a paper's claims and printed numbers."""
    claims = [
        claim
        for _, summary in of.items
        for claim in summary.claims
        if claim.origin == "paper" or not summary.paper
    ]
    printed: dict[str, Held] = {}  # the first comparison with each number
    for _, summary in of.items:
        printed = {**summary.printed, **printed}
    tones = [claim.tone for claim in claims]
    agree = sum(held.agreement == "agrees" for held in printed.values())
    chance = sum(held.placebo or 0.0 for held in printed.values())
    counts = [
        len(claims),
        sum(claim.here is True for claim in claims),
        *map(tones.count, ("good", "bad", "")),
    ]
    texts = [*map(str, counts)] if claims else [BEYOND] * len(counts)
    texts += [f"{agree} of {len(printed)}", f"{chance:.1f}"] if printed else [BEYOND, BEYOND]
    return Row((of.title,), tuple(TableCell(text, value=text) for text in texts))


def _readme(papers: list[PaperResults], table: Table, sensitivity: str) -> Iterator[str]:
    yield "# Results"
    yield "<!-- Written by `boostbench report`; edits are lost. -->"
    found = [
        f"- **{markdown(of.title)}**: {markdown(of.paper.found)}" for of in papers if of.paper.found
    ]
    if found:
        yield "\n".join(found)
    yield to_markdown(table).rstrip()
    if sensitivity:
        yield f"[Conclusions under each reading of the papers]({sensitivity})"
    for of in papers:
        yield f"## {markdown(of.paper.name)}"
        if of.paper.says:
            yield markdown(of.paper.says)
        yield "\n".join(
            f"- [{markdown(summary.heading)}]({folder}/report.html)" for folder, summary in of.items
        )


def by_paper(results: Path) -> dict[str, PaperResults]:
    """Return the reports of a results folder by paper, experiments without a paper last."""
    found: dict[str, list[tuple[str, ReportSummary]]] = {}
    for folder, summary in read_summaries(results):
        name = summary.paper or (summary.described.name if summary.described else "")
        found.setdefault(name, []).append((folder, summary))
    papers = {}
    for name, items in found.items():
        described = (summary.described for _, summary in items)
        paper = next(filter(None, described), Paper(name=name or _OTHERS))
        items.sort(key=lambda item: (paper.place_of(item[1]), *_order(item[1])))
        papers[name] = PaperResults(paper, items)
    order = sorted(papers, key=lambda name: (not name, papers[name].paper.place, name))
    return {name: papers[name] for name in order}


def _order(summary: ReportSummary) -> tuple[bool, str, str, int]:
    """Return the sort key: the part of the paper, the name, the size."""
    sizes = ("quick", "standard", "", "full")
    return (not summary.part, summary.part, summary.config, sizes.index(summary.size))
