"""Summary of a report, ``summary.json`` in its folder.

The overview uses summaries rather than records, so that folders of several machines can be merged
by copying.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.config import Config
from boostbench.reports.claims.view import ClaimView
from boostbench.reports.values.agreement import Held
from boostbench.reports.values.frame import Study
from boostbench.validation import Listed, Model

SUMMARY = "summary.json"


class RunCounts(Model):
    """Numbers of finished and planned runs."""

    ok: int
    planned: int


class ReportSummary(Model):
    """Content of ``summary.json``."""

    format: Literal[1] = 1
    config: str
    title: str
    paper: str = Field(description="Folder of the paper's configs; empty if there is none.")
    about: str = Field("", description="Name of the paper in the first line, then a description.")
    part: str = Field(description="Table, figure or section of the paper.")
    size: str = Field(description="Size of the config that was taken; empty: the config itself.")
    runs: RunCounts
    answers: Listed[str] = Field((), description="Sentences that the page begins with.")
    tables: Listed[str] = Field(description="Names.")
    printed: dict[str, Held] = Field(
        {}, description="Agreement of printed values with ours, by name."
    )
    figures: Listed[str] = Field((), description="Names.")
    claims: Listed[ClaimView]

    @classmethod
    def of(
        cls, study: Study, size: str, printed: Mapping[str, Held], **parts: Any
    ) -> ReportSummary:
        """Return the summary of a report; ``parts`` are the names and sentences of its parts."""
        config, results = study.config, study.results
        paper, _, part = config.paper.partition(",")
        return cls(
            config=config.name,
            title=config.title or config.name,
            paper=paper.strip(),
            about=_about(config, paper.strip()),
            part=part.strip(),
            size=size,
            runs=RunCounts(ok=sum(r.ok for r in results), planned=len(results)),
            printed=dict(printed),
            **parts,
        )

    def text(self) -> str:
        """Return the content of the file."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


#: Names of folders, with the summaries of their reports.
Items = Sequence[tuple[str, ReportSummary]]


def read_summaries(results: Path) -> list[tuple[str, ReportSummary]]:
    """Return the folder name and summary of each report in a results folder.

    Raises
    ------
    BoostbenchError
        If a summary cannot be read.
    """
    return [(path.parent.name, _read(path)) for path in sorted(results.glob(f"*/{SUMMARY}"))]


def _read(path: Path) -> ReportSummary:
    try:
        return ReportSummary.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        what = "is not the summary of a report; `boostbench report` writes it anew"
        raise BoostbenchError(what, where=str(path)) from error


def _about(config: Config, paper: str) -> str:
    """Return ``about.md`` of the paper of a config; empty if there is none."""
    beside = config.path.parent
    files = (folder / "about.md" for folder in (beside / paper, beside))
    return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
