"""Summary of a report, ``summary.json`` in its folder.

The overview uses summaries rather than records, so that folders of several machines can be merged
by copying.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.config import Config
from boostbench.experiments.configs.fields import Text
from boostbench.reports.claims.view import ClaimView
from boostbench.reports.values.agreement import Held
from boostbench.reports.values.frame import Study
from boostbench.source import read_source
from boostbench.validation import Listed, MistakesError, Model, validated

SUMMARY = "summary.json"


class RunCounts(Model):
    """Numbers of finished and planned runs."""

    ok: int
    planned: int


class Paper(Model):
    """Description of a paper, ``about.yml`` in the folder of its configs."""

    name: Text
    place: int = 1000  # among the papers in the overview, from 1
    says: str = ""  # what the paper is about
    found: str = ""  # what came out, in one sentence
    order: Listed[str] = ()  # how its parts, or names of configs, begin, in the order of the paper

    def place_of(self, summary: ReportSummary) -> int:
        """Return the place of an experiment in the order of the paper."""
        names = summary.part, summary.config
        found = (n for n, begin in enumerate(self.order) if any(x.startswith(begin) for x in names))
        return next(found, len(self.order))


class ReportSummary(Model):
    """Content of ``summary.json``."""

    # Summaries of other versions may have other keys.
    model_config = ConfigDict(extra="ignore")

    format: Literal[1] = 1
    config: str
    title: str
    paper: str = Field(description="Folder of the paper's configs; empty if there is none.")
    described: Paper | None = None
    part: str = Field(description="Table, figure or section of the paper.")
    size: str = Field(description="Size of the config that was taken; empty: the config itself.")
    runs: RunCounts
    answers: Listed[str] = Field((), description="Sentences that the page begins with.")
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
            described=_description(config, paper.strip()),
            part=part.strip(),
            size=size,
            runs=RunCounts(ok=sum(r.ok for r in results), planned=len(results)),
            printed=dict(printed),
            **parts,
        )

    @property
    def heading(self) -> str:
        """Part of the paper and title; the part alone if it says more than its place."""
        return self.part if "," in self.part else ": ".join(filter(None, [self.part, self.title]))

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


def _description(config: Config, paper: str) -> Paper | None:
    """Return ``about.yml`` of the paper of a config; None if there is none."""
    beside = config.path.parent
    files = (folder / "about.yml" for folder in (beside / paper, beside))
    file = next(filter(Path.is_file, files), None)
    if file is None:
        return None
    try:
        return validated(Paper, read_source(file)[0].data)
    except MistakesError as error:
        raise BoostbenchError(str(error), where=str(file)) from None
