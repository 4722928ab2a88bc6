"""Summary of each experiment; `README.md` and `index.html`, which gather the summaries.

Every report leaves a ``summary.json`` in its folder; the overview is made of these alone, so that
it reads no records and folders of several machines merge by copying.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.claims import Origin
from boostbench.experiments.configs.config import Config
from boostbench.reports.claims.verdicts import STATUSES, Verdict
from boostbench.reports.claims.writing import counts_in_words
from boostbench.reports.files import write_file
from boostbench.reports.html import render
from boostbench.reports.sensitivity import SENSITIVITY, Items, sensitivity_page
from boostbench.reports.tables.table import Table
from boostbench.reports.text import markdown, markdown_table
from boostbench.reports.values.agreement import Held, in_words
from boostbench.reports.values.frame import Study

SUMMARY = "summary.json"
_HEAD = """\
# Results

<!-- Written by `boostbench reproduce`; edits are lost. -->

Each claim of a paper is held against runs, and is reproduced, not reproduced, or left undecided by
them; the words of the paper that it rests on are a link away. A printed number agrees with ours if
it lies in the 95 % prediction interval around it, and the interval is narrow enough to tell; behind
the count stands with how many a wrong column of the same table would agree. Evidence, figures and
tables are on the pages of the experiments, where claims of our own are found too; all pages:
[index](index.html).

"""
_READINGS = f"""\
What the papers do not say has readings; [which conclusions survive them]({SENSITIVITY}) is a page
of its own.
"""
_OTHERS = "Other experiments"
_OTHER_ORIGINS: dict[Origin, str] = {
    "ours": "ours",
    "identity": "identities",
    "against the paper": "against the paper",
}
_COLUMNS = ("experiment", "size", "runs", "printed numbers", *STATUSES, *_OTHER_ORIGINS.values())
_PAPER_COLUMNS = ("paper", "experiments", "printed numbers", *STATUSES, "our own claims")


def paper_of(config: Config) -> str:
    """Return the paper that a config belongs to: what its ``paper`` says before a comma."""
    return config.paper.partition(",")[0].strip()


def _about(config: Config) -> str:
    """Return ``about.md`` of a config's paper: its name in the first line, then what it says."""
    beside = config.path.parent
    files = (folder / "about.md" for folder in (beside / paper_of(config), beside))
    return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")


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
        "about": _about(config),
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
    """Write ``README.md`` and the pages that it leads to, from the summaries in a results folder.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    papers = _by_paper(results)
    numbers = (place > 0 for place in range(len(_PAPER_COLUMNS)))
    rows = (_row(paper, its) for paper, its in papers.items())
    sections = (_section(paper, its) for paper, its in papers.items())
    text = markdown_table(_PAPER_COLUMNS, numbers, rows) + "\n\n" + "\n".join(sections)
    titles = {paper: _title(paper, its)[0] for paper, its in papers.items()}
    if readings := sensitivity_page(papers, titles):
        write_file(results / SENSITIVITY, readings)
        text = f"{_READINGS}\n{text}"
    write_index(results)
    return write_file(results / "README.md", _HEAD + text)


def write_index(results: Path) -> Path:
    """Write ``index.html`` in a results folder, with a link to the page of each report there.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read, or the file cannot be written.
    """
    papers = [
        {
            "title": _title(paper, its)[0],
            "answers": [_agreement(its), _verdicts(its)],
            "entries": [{"folder": folder, "cells": _cells(summary)} for folder, summary in its],
        }
        for paper, its in _by_paper(results).items()
    ]
    sensitivity = SENSITIVITY if (results / SENSITIVITY).is_file() else ""
    page = render("index.html.j2", papers=papers, columns=_COLUMNS, sensitivity=sensitivity)
    return write_file(results / "index.html", page)


def _by_paper(results: Path) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return folders and summaries by paper, in the papers' order."""
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    items = sorted(read_summaries(results), key=lambda item: _order(*item))
    for item in sorted(items, key=lambda item: (not item[1]["paper"], item[1]["paper"])):
        found.setdefault(item[1]["paper"], []).append(item)
    return found


def _agreement(items: Items) -> str:
    held = _held(summary for _, summary in items)
    return f"{in_words(held)}." if held else ""


def _verdicts(items: Items) -> str:
    judged = [(_origin(claim), claim["verdict"]) for claim in _claims(items)]
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


def _title(paper: str, items: Items) -> tuple[str, str]:
    """Return name and description of a paper; its id and nothing where it has no ``about.md``."""
    texts = (summary.get("about", "") for _, summary in items)
    name, _, text = next((text for text in texts if text), paper or _OTHERS).partition("\n")
    return name, " ".join(text.split())


def _row(paper: str, items: Items) -> list[str]:
    claims = _claims(items)
    name, _ = _title(paper, items)
    return [
        f"[{markdown(name)}](#{_anchor(name)})",
        str(len(items)),
        _agree(_held(summary for _, summary in items)),
        *_statuses(claims),
        _hold(claims, "ours"),
    ]


def _claims(items: Items) -> list[Mapping[str, Any]]:
    return [claim for _, summary in items for claim in summary["claims"]]


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub and Sphinx give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _section(paper: str, items: Items) -> str:
    name, text = _title(paper, items)
    lines = [f"## {markdown(name)}\n"]
    lines += [f"{markdown(text)}\n"] if text else []
    claims = [
        (folder, number, claim)
        for folder, summary in items
        for number, claim in enumerate(summary["claims"], start=1)
        if _origin(claim) == "paper"
    ]
    for status in STATUSES:
        its = [item for item in claims if item[2]["verdict"] == status]
        lines += [f"**{status.capitalize()}**\n"] if its else []
        lines += [*(_claim(*item) for item in its), ""] if its else []
    links = (
        f"[{markdown(summary['part'] or summary['title'])}]({folder}/report.html)"
        for folder, summary in items
    )
    return "\n".join([*lines, "Experiments: " + " · ".join(links), ""])


def _origin(claim: Mapping[str, Any]) -> Origin:
    origin: Origin = claim.get("origin", "paper")
    return origin


def _claim(folder: str, number: int, claim: Mapping[str, Any]) -> str:
    """Return a claim, where it stands and what changed in it; its evidence is a link away."""
    place = claim.get("section") or folder
    told = [markdown(claim["says"]), *map(markdown, claim.get("marks", ()))]
    return f"- {'; '.join(told)} ([{markdown(place)}]({folder}/claims.md#claim-{number}))"


def _agree(held: Sequence[Held]) -> str:
    agree = sum(each.agreement == "agrees" for each in held)
    placebo = sum(each.placebo or 0.0 for each in held)
    return f"{agree} of {len(held)} agree ({placebo:.1f})" if held else ""


def _cells(summary: Mapping[str, Any]) -> list[str]:
    """Return the line of an experiment, a cell for each of the columns."""
    ok, planned = summary["runs"]["ok"], summary["runs"]["planned"]
    return [
        f"{summary['part']}: {summary['title']}" if summary["part"] else summary["title"],
        summary["size"] or ("as stated" if planned else "computed"),
        str(ok or "") if ok == planned else f"{ok} of {planned}",
        _agree(_held([summary])),
        *_statuses(summary["claims"]),
        *(_hold(summary["claims"], origin) for origin in _OTHER_ORIGINS),
    ]


def _statuses(claims: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return how many claims of the paper have each verdict; empty texts if there are none."""
    found = [claim["verdict"] for claim in claims if _origin(claim) == "paper"]
    return [str(found.count(status)) if found else "" for status in STATUSES]


def _hold(claims: Iterable[Mapping[str, Any]], origin: Origin) -> str:
    found = [claim["verdict"] for claim in claims if _origin(claim) == origin]
    return f"{found.count('reproduced')} of {len(found)} hold" if found else ""
