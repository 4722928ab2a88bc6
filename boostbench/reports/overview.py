"""Overview of a results folder, from the summaries of its reports, and the site of its pages.

Reports write summaries (``summary.json``), so that folders of several machines can be merged by
copying.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.fields import Text
from boostbench.reports.claims.verdicts import ClaimView, in_short
from boostbench.reports.tables.table import BEYOND, Row, Table, text_row, to_markdown
from boostbench.reports.text import asset, render, write_files
from boostbench.reports.values.paper import Held
from boostbench.source import read_source
from boostbench.validation import Listed, MistakesError, Model, validated

#: Name of the leaderboard in the folder of a report.
LEADERBOARD = "leaderboard.html"
#: Page on the conclusions under each reading, which ``configs/sensitivity.py`` writes.
SENSITIVITY = "sensitivity.md"
_COLUMNS = ("claims", "true here", "true beyond chance", "false beyond chance", "open",
            "printed numbers that agree", "by chance", "by the best reading",
            "readings")  # fmt: skip
_FOOTERS = (
    "Claims of the paper; without a paper, all. True here: by means or counts of these runs. "
    "Open: neither the claim nor its contrary is beyond chance.",
    "A printed number agrees within the 95 % prediction interval of ours; by chance: with "
    "another column of the table. The best reading was chosen after seeing the print.",
)


def write_overview(results: Path) -> Path:
    """Write what was found, with a link to each report; return the path of ``index.html``.

    ``README.md`` has the same in Markdown, for pages that show the files of a repository.

    Raises
    ------
    BoostbenchError
        If there are no reports, a summary cannot be read, or the file cannot be written.
    """
    found = _found(results)
    page = render("index.html.j2", **found)
    readme = render("README.md.j2", **{**found, "table": to_markdown(found["table"]).rstrip()})
    return write_files(results, {"README.md": readme, "index.html": page})[-1]


def _found(results: Path, sensitivity: str = SENSITIVITY) -> dict[str, Any]:
    """Return what the overview shows, with a link to the page of readings if there is one."""
    if not (papers := by_paper(results).values()):
        what = "no report is here; `boostbench report CONFIG` writes one"
        raise BoostbenchError(what, where=str(results))
    rows = tuple(_row(*each) for each in papers)
    return {
        "papers": papers,
        "table": Table("Claims and printed numbers", ("paper",), _COLUMNS, rows, _FOOTERS),
        "sensitivity": sensitivity if (results / SENSITIVITY).is_file() else "",
        "boards": [path.parent.name for path in results.glob(f"*/{LEADERBOARD}")],
        "leaderboard": LEADERBOARD,
        "in_short": in_short,
    }


def _row(paper: Paper, items: Items) -> Row:
    """Return the counts of a paper's claims and printed numbers, by the largest size of each."""
    # sizes are in ascending order
    largest = {summary.config: summary for _, summary in items}.values()
    claims = [each for s in largest for each in s.claims if each.origin == "paper" or not s.paper]
    printed: dict[str, dict[str, Held]] = {}  # the first comparison with each number
    agreeing: dict[str, list[tuple[str, ...]]] = {}  # numbers by column, of each reading
    for summary in largest:
        for column, numbers in summary.printed.items():
            printed[column] = {**numbers, **printed.get(column, {})}
        for column, readings in summary.readings.items():
            agreeing.setdefault(column, []).extend(readings.values())
    tones = [claim.tone for claim in claims]
    held = [each for numbers in printed.values() for each in numbers.values()]
    n_agree = sum(each.agreement == "agrees" for each in held)
    chance = sum(each.placebo or 0.0 for each in held)
    tried = [[its.keys() & agree for agree in agreeing[column]] for column, its in printed.items()]
    best = sum(max(map(len, readings)) for readings in tried)
    n_true = sum(claim.here is True for claim in claims)
    counts = len(claims), n_true, *map(tones.count, ("good", "bad", ""))
    texts = [*map(str, counts)] if claims else [BEYOND] * len(counts)
    if held:
        n_readings = sum(map(len, tried))
        texts += [f"{n_agree} of {len(held)}", f"{chance:.1f}", str(best), str(n_readings)]
    texts += [BEYOND] * (len(_COLUMNS) - len(texts))
    return text_row(paper.title, *texts)


def by_paper(results: Path) -> dict[str, tuple[Paper, Items]]:
    """Return each paper with its reports in its order, by name, those without a paper last."""
    found: dict[str, list[tuple[str, ReportSummary]]] = {}
    for folder, summary in read_summaries(results):
        name = summary.paper or (summary.described.name if summary.described else "")
        found.setdefault(name, []).append((folder, summary))
    papers = {}
    for name, items in found.items():
        described = (summary.described for _, summary in items)
        paper = next(filter(None, described), Paper(name=name or "Other experiments"))
        items.sort(key=lambda item: paper.order_of(item[1]))
        papers[name] = paper, items
    return dict(sorted(papers.items(), key=lambda its: (not its[0], its[1][0].place, its[0])))


SUMMARY = "summary.json"


class Paper(Model):
    """Description of a paper, ``about.yml`` in the folder of its configs."""

    name: Text
    place: int = 1000  # among the papers in the overview, from 1
    says: str = ""  # what the paper is about
    found: str = ""  # what came out, in one sentence
    order: Listed[str] = ()  # how its parts, or names of configs, begin, in the order of the paper

    @property
    def title(self) -> str:
        """Name without subtitle and source."""
        return re.split(r": | \(", self.name)[0]

    def order_of(self, summary: ReportSummary) -> tuple[Any, ...]:
        """Return the sort key of an experiment: place in the paper, part, name, size."""
        names = summary.part, summary.config
        found = (n for n, begin in enumerate(self.order) if any(x.startswith(begin) for x in names))
        size = ("quick", "standard", "", "full").index(summary.size)
        return next(found, len(self.order)), not summary.part, *names, size


class ReportSummary(Model, extra="ignore"):  # summaries of other versions may have other keys
    """Content of ``summary.json``."""

    format: Literal[1] = 1
    config: str
    title: str
    paper: str  # folder of the paper's configs; empty if there is none
    described: Paper | None = None
    part: str  # table, figure or section of the paper
    size: str  # size of the config that was taken; empty: the config itself
    runs: dict[Literal["ok", "planned"], int]  # numbers of runs
    answers: Listed[str] = ()  # sentences that the page begins with
    #: Agreement of printed numbers with ours, by column of the paper.
    printed: dict[str, dict[str, Held]] = Field({})
    #: Printed numbers that agree, by column of the paper and reading.
    readings: dict[str, dict[str, Listed[str]]] = Field({})
    figures: Listed[str] = ()  # names
    claims: Listed[ClaimView]

    @property
    def heading(self) -> str:
        """Part of the paper and title; the part alone if it says more than its place."""
        return self.part if "," in self.part else ": ".join(filter(None, [self.part, self.title]))


#: Names of folders, with the summaries of their reports.
Items = Sequence[tuple[str, ReportSummary]]


def read_summaries(results: Path) -> list[tuple[str, ReportSummary]]:
    """Return the folder name and summary of each report in a results folder.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read.
    """
    found = []
    for path in sorted(results.glob(f"*/{SUMMARY}")):
        try:
            summary = ReportSummary.model_validate_json(path.read_bytes())
        except (OSError, ValueError) as error:
            what = "is not the summary of a report; `boostbench report` writes it anew"
            raise BoostbenchError(what, where=str(path)) from error
        found.append((path.parent.name, summary))
    return found


def description(config: Config, paper: str) -> Paper | None:
    """Return ``about.yml`` of the paper of a config; None if there is none."""
    beside = config.path.parent
    for file in (beside / paper / "about.yml", beside / "about.yml"):
        if file.is_file():
            try:
                return validated(Paper, read_source(file)[0].data)
            except MistakesError as error:
                raise BoostbenchError(str(error), where=str(file)) from None
    return None


#: Place for the links of a site in the page of a report.
_MARK = "<!-- site -->"
#: Links to images that a page does not hold.
_IMAGE = re.compile(r'(?:href|src)="([^"/]+\.png)"')


def write_site(results: Path, folder: Path, docs: Path | None = None) -> Path:
    """Write the site of a results folder; return the path of its first page.

    ``results/`` in the site gets the overview, and page and leaderboard of each report, with
    links to each other. The site itself gets the built documentation, whose links to results lead
    there.

    Parameters
    ----------
    results : Path
    folder : Path
        Folder of the site. Files of other names are kept.
    docs : Path or None, default=None
        Folder of the built documentation, which may be that of the site.

    Raises
    ------
    BoostbenchError
        If there are no reports.
    OSError
        If a file cannot be read or written.
    """
    # the documentation builds the page of readings
    index = render("index.html.j2", **_found(results, "sensitivity.html" if docs else SENSITIVITY))
    if docs is not None and docs.resolve() != folder.resolve():
        shutil.copytree(docs, folder, ignore=shutil.ignore_patterns(".*"), dirs_exist_ok=True)
    for name, _ in read_summaries(results):
        contents: dict[str, str | bytes] = {}
        for page in (results / name / "report.html", results / name / LEADERBOARD):
            if page.is_file():
                text = page.read_text(encoding="utf-8")
                contents[page.name] = _linked(text, "../", has_docs=bool(docs))
                for image in _IMAGE.findall(text):
                    contents[image] = page.with_name(image).read_bytes()
        write_files(folder / "results" / name, contents)
    contents = {"index.html": _linked(index, "", has_docs=bool(docs))}
    if docs is None and (results / SENSITIVITY).is_file():
        contents[SENSITIVITY] = (results / SENSITIVITY).read_bytes()
    write_files(folder / "results", contents)
    return write_files(folder, {"index.html": asset("site.html"), ".nojekyll": ""})[0]


def _linked(page: str, to_results: str, *, has_docs: bool) -> str:
    """Return a page with links to the overview and to the documentation."""
    links = {f"{to_results}index.html": "All results"} if to_results else {}
    links |= {f"{to_results}../docs/index.html": "Documentation"} if has_docs else {}
    return page.replace(_MARK, "\n".join(f'<a href="{to}">{x}</a>' for to, x in links.items()))
