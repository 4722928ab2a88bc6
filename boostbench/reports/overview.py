"""Overview of a results folder: ``index.html`` and ``README.md``, from the summaries of reports."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.reports.claims.view import counts_in_words
from boostbench.reports.files import write_files
from boostbench.reports.html import render
from boostbench.reports.summary import Items, ReportSummary, read_summaries
from boostbench.reports.text import markdown
from boostbench.reports.values.agreement import Held, in_words

#: Page on the conclusions under each reading, which ``configs/sensitivity.py`` writes.
SENSITIVITY = "sensitivity.md"
_OTHERS = "Other experiments"


def write_overview(results: Path) -> Path:
    """Write what was found, with a link to each report; return the path of ``index.html``.

    ``README.md`` has the same in Markdown, for pages that show the files of a repository.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    papers = []
    for paper, items in by_paper(results).items():
        name, about = title_of(paper, items)
        claims = [claim for _, summary in items for claim in summary.claims]
        printed: dict[str, Held] = {}  # the first comparison with each number
        for _, summary in items:
            printed = {**summary.printed, **printed}
        facts = [in_words(printed.values())] if printed else []
        facts += [counts_in_words(claims)] if claims else []
        papers.append({"name": name, "about": about, "facts": facts, "experiments": items})
    sensitivity = SENSITIVITY if (results / SENSITIVITY).is_file() else ""
    page = render("index.html.j2", papers=papers, sensitivity=sensitivity)
    contents = {"README.md": _markdown(papers, sensitivity), "index.html": page}
    *_, index = write_files(results, contents)
    return index


def _markdown(papers: Sequence[Mapping[str, Any]], sensitivity: str) -> str:
    parts = ["# Results", "<!-- Written by `boostbench report`; edits are lost. -->"]
    parts += (
        [f"[Conclusions under each reading of the papers]({sensitivity})"] if sensitivity else []
    )
    for paper in papers:
        parts += [f"## {markdown(paper['name'])}", markdown(paper["about"])]
        parts += [f"- {markdown(fact)}" for fact in paper["facts"]]
        for folder, its in paper["experiments"]:
            title = ": ".join(filter(None, [its.part, its.title]))
            answer = markdown(" ".join(its.answers[:1]))
            parts.append(f"- [{markdown(title)}]({folder}/report.html) {answer}".rstrip())
    return "\n\n".join(filter(None, parts)) + "\n"


def by_paper(results: Path) -> dict[str, list[tuple[str, ReportSummary]]]:
    """Return folders and summaries by paper.

    The paper with the most claims comes first, experiments without a paper come last.
    """
    papers: dict[str, list[tuple[str, ReportSummary]]] = {}
    for item in sorted(read_summaries(results), key=lambda item: _order(*item)):
        papers.setdefault(item[1].paper, []).append(item)
    n_claims = {paper: sum(len(each.claims) for _, each in papers[paper]) for paper in papers}
    return {p: papers[p] for p in sorted(papers, key=lambda paper: (not paper, -n_claims[paper]))}


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
