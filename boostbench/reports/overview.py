"""Summary of each experiment; `README.md` and `index.html`, which gather the summaries.

Every report leaves a ``summary.json`` in its folder; the overview is made of these alone, so that
it reads no records and folders of several machines merge by copying.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.claims import Origin
from boostbench.experiments.configs.config import Config
from boostbench.reports.claims.verdicts import STATUSES, Verdict
from boostbench.reports.claims.writing import counts_in_words
from boostbench.reports.files import write_file
from boostbench.reports.html import render
from boostbench.reports.tables.table import Table
from boostbench.reports.text import markdown, markdown_table
from boostbench.reports.values.agreement import Held, in_words
from boostbench.reports.values.frame import Study

SUMMARY = "summary.json"
_HEAD = """\
# Results

<!-- Written by `boostbench reproduce`; edits are lost. -->

Each folder holds the tables, figures and claims of one experiment, and `report.html`, which shows
all of them offline. A printed number agrees with ours if it lies in the 95 % prediction interval
around it, and the interval is narrow enough to tell; each is counted once, in one reading of its
table. Behind it stands with how many a wrong column of the same table would agree. Claims of the
papers, each with the words that it rests on, are counted apart from our own, from identities and
from those against a paper.
"""
_OTHERS = "Other experiments"
_OTHER_ORIGINS: dict[Origin, str] = {
    "ours": "Our own claims",
    "identity": "Identities",
    "against the paper": "Against the paper",
}
_COLUMNS = (
    *("experiment", "size", "runs", "printed numbers", *STATUSES),
    *("ours", "identities", "against the paper", "see"),
)


def paper_of(config: Config) -> str:
    """Return the paper that a config belongs to: what its ``paper`` says before a comma."""
    return config.paper.partition(",")[0].strip()


def summary_text(
    study: Study,
    tables: Mapping[str, Table],
    figures: Iterable[str],
    verdicts: Sequence[Verdict],
    size: str = "",
) -> str:
    """Return the summary of an experiment as JSON, for the overview.

    ``figures`` are names, ``size`` is the size of the config that was taken.
    """
    config = study.config
    summary = {
        "format": 1,
        "config": config.name,
        "title": config.title or config.name,
        "paper": paper_of(config),
        "part": config.paper.partition(",")[2].strip(),
        "size": size,
        "runs": {"ok": sum(r.ok for r in study.results), "planned": len(study.results)},
        "tables": list(tables),
        "printed": {
            name: {"agreement": held.agreement, "placebo": held.placebo}
            for table in tables.values()
            for name, held in table.held.items()
        },
        "figures": list(figures),
        "claims": [
            {
                "says": v.claim.says,
                "note": v.claim.note,
                "origin": v.claim.origin,
                "section": v.claim.section,
                "verdict": v.status,
                "reasons": v.reasons,
                "marks": v.marks,
            }
            for v in verdicts
        ],
    }
    return json.dumps(summary, indent=1, ensure_ascii=False) + "\n"


def write_overview(results: Path) -> Path:
    """Write ``README.md`` and ``index.html`` in a results folder from the summaries there.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    parts = [_HEAD]
    for paper, its in _by_paper(results).items():
        parts.append("\n".join(_of_paper(paper, its)))
    write_index(results)
    return write_file(results / "README.md", "\n".join(parts))


def write_index(results: Path) -> Path:
    """Write ``index.html`` in a results folder, with a link to the page of each report there.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    papers = [
        {
            "title": paper or _OTHERS,
            "answers": [_agreement(its), _verdicts(its)],
            "entries": [Entry.of(*item) for item in its],
        }
        for paper, its in _by_paper(results).items()
    ]
    page = render("index.html.j2", papers=papers, columns=_COLUMNS[:-1])
    return write_file(results / "index.html", page)


def _by_paper(results: Path) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return folders and summaries by paper, in the papers' order."""
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    items = sorted(read_summaries(results), key=lambda item: _order(*item))
    for item in sorted(items, key=lambda item: (not item[1]["paper"], item[1]["paper"])):
        found.setdefault(item[1]["paper"], []).append(item)
    return found


def _agreement(items: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    held = _held(summary for _, summary in items)
    return f"{in_words(held)}." if held else ""


def _verdicts(items: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    claims = [claim for _, summary in items for claim in summary["claims"]]
    judged = [(_origin(claim), claim["verdict"]) for claim in claims]
    return f"{counts_in_words(judged)}." if judged else ""


def read_summaries(results: Path) -> list[tuple[str, dict[str, Any]]]:
    """Return folder and summary of each report in a results folder.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read.
    """
    return [(path.parent.name, _read(path)) for path in sorted(results.glob(f"*/{SUMMARY}"))]


def _held(summaries: Iterable[Mapping[str, Any]]) -> list[Held]:
    """Return the printed numbers of several experiments, each once."""
    found: dict[str, Held] = {}
    for summary in summaries:
        for name, held in summary.get("printed", {}).items():
            found.setdefault(name, Held(**held))
    return list(found.values())


def _read(path: Path) -> dict[str, Any]:
    try:
        summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        _ = [summary[key] for key in ("paper", "part", "size", "runs", "tables", "claims")]
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = "is not the summary of a report; `boostbench report` writes it anew"
        raise BoostbenchError(what, where=str(path)) from error
    return summary


def _order(folder: str, summary: dict[str, Any]) -> tuple[Any, ...]:
    """Sort by the paper's numbering (9 before 10), then by name and size."""
    sizes = ("quick", "standard", "", "full")
    part = re.sub(r"\d+", lambda digits: digits[0].zfill(4), summary["part"].replace("Figs", "Fig"))
    return (not part, part, summary["config"], sizes.index(summary["size"]), folder)


def _of_paper(paper: str, items: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    numbers = (1 < place < len(_COLUMNS) - 1 for place in range(len(_COLUMNS)))
    rows = (Entry.of(*item).row() for item in items)
    lines = [f"## {paper or _OTHERS}\n", markdown_table(_COLUMNS, numbers, rows)]
    lines += [f"\n{sentence}" for sentence in (_agreement(items), _verdicts(items)) if sentence]
    claims = [
        (folder, number, claim)
        for folder, summary in items
        for number, claim in enumerate(summary["claims"], start=1)
    ]
    for status in ("not reproduced", "undecided", "reproduced"):
        its = [
            item for item in claims if (_origin(item[2]), item[2]["verdict"]) == ("paper", status)
        ]
        lines += [f"\n**{status.capitalize()}**\n"] if its else []
        lines += [_claim(*item) for item in its]
    for origin in _OTHER_ORIGINS:
        its = [item for item in claims if _origin(item[2]) == origin]
        lines += [f"\n**{_OTHER_ORIGINS[origin]}**\n"] if its else []
        lines += [_claim(*item) for item in its]
    return [*lines, ""]


def _origin(claim: Mapping[str, Any]) -> Origin:
    origin: Origin = claim.get("origin", "paper")
    return origin


def _claim(folder: str, number: int, claim: Mapping[str, Any]) -> str:
    note = f" *{markdown(claim['note'])}*" if claim["note"] else ""
    apart = "" if _origin(claim) == "paper" else f"{claim['verdict']}: "
    said = [claim["section"]] if claim.get("section") else []
    told = [claim["reasons"][0], *claim.get("marks", ())]
    return (
        f"- {apart}{markdown(', '.join([claim['says'], *said]))} "
        f"([{folder}]({folder}/claims.md#claim-{number}): {markdown('; '.join(told))}).{note}"
    )


class Entry(NamedTuple):
    """The line of an experiment: its folder, the cells of all columns but the last, its files."""

    folder: str
    cells: list[str]
    files: list[tuple[str, str]]  # words, name

    @classmethod
    def of(cls, folder: str, summary: Mapping[str, Any]) -> Entry:
        """Read a summary."""
        name = f"{summary['part']}: {summary['title']}" if summary["part"] else summary["title"]
        held = _held([summary])
        agree = sum(each.agreement == "agrees" for each in held)
        placebo = sum(each.placebo or 0.0 for each in held)
        found: dict[str, list[str]] = {"paper": []}
        for claim in summary["claims"]:
            found.setdefault(_origin(claim), []).append(claim["verdict"])
        ok, planned = summary["runs"]["ok"], summary["runs"]["planned"]
        files = [("page", "report.html")]
        files += [("claims", "claims.md")] if summary["claims"] else []
        files += [(name, f"{name}.md") for name in summary["tables"]]
        files += [(name, f"{name}.png") for name in summary["figures"]]
        cells = [
            name,
            summary["size"] or ("as stated" if planned else "computed"),
            str(ok or "") if ok == planned else f"{ok} of {planned}",
            f"{agree} of {len(held)} agree ({placebo:.1f})" if held else "",
            *(str(found["paper"].count(status)) if found["paper"] else "" for status in STATUSES),
            *(
                f"{found[origin].count('reproduced')} of {len(found[origin])} hold"
                if origin in found
                else ""
                for origin in _OTHER_ORIGINS
            ),
        ]
        return cls(folder, cells, files)

    def row(self) -> list[str]:
        """Return the cells in Markdown, links to the files last."""
        links = (f"[{text}]({self.folder}/{file})" for text, file in self.files)
        return [*map(markdown, self.cells), " · ".join(links)]
