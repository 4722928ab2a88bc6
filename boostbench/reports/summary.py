"""Summary of a report, ``summary.json`` in its folder.

The overview and the comparison of results folders are made of summaries alone: they read no
records, and folders of several machines merge by copying.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.claims import Origin
from boostbench.experiments.configs.config import Config
from boostbench.reports.claims.verdicts import Status, Verdict
from boostbench.reports.tables.table import Table
from boostbench.reports.values.agreement import Held
from boostbench.reports.values.frame import Study
from boostbench.validation import Listed, Model

SUMMARY = "summary.json"


class _Tolerant(Model):
    """A mapping that a later version may have written with more keys."""

    model_config = ConfigDict(extra="ignore")


class JudgedClaim(_Tolerant):
    """A claim and its verdict."""

    says: str
    note: str = ""
    origin: Origin = "paper"
    section: str = ""
    verdict: Status
    reasons: Listed[str] = ()
    marks: Listed[str] = ()


class RunCounts(_Tolerant):
    """Number of runs."""

    ok: int
    planned: int


class ReportSummary(_Tolerant):
    """Summary of a report."""

    format: Literal[1] = 1
    config: str
    title: str
    paper: str = Field(description="Folder of the paper's configs; empty if there is none.")
    about: str = Field("", description="Name of the paper in the first line, then a description.")
    part: str = Field(description="Table, figure or section of the paper.")
    size: str = Field(description="Size of the config that was taken; empty: the config itself.")
    runs: RunCounts
    #: Names; a mapping of names in summaries of the first versions.
    tables: Annotated[
        Listed[str], BeforeValidator(lambda its: [*its] if isinstance(its, dict) else its)
    ]
    printed: dict[str, Held] = Field({}, description="Printed numbers held against ours, by name.")
    figures: Listed[str] = Field((), description="Names.")
    claims: Listed[JudgedClaim]

    @classmethod
    def of(
        cls,
        study: Study,
        tables: Mapping[str, Table],
        figures: Iterable[str],
        verdicts: Sequence[Verdict],
        size: str = "",
    ) -> ReportSummary:
        """Return the summary of a report; ``figures`` are names."""
        config = study.config
        paper, _, part = config.paper.partition(",")
        return cls(
            config=config.name,
            title=config.title or config.name,
            paper=paper.strip(),
            about=_about(config, paper.strip()),
            part=part.strip(),
            size=size,
            runs=RunCounts(ok=sum(r.ok for r in study.results), planned=len(study.results)),
            tables=tuple(tables),
            printed={name: its for table in tables.values() for name, its in table.held.items()},
            figures=tuple(figures),
            claims=tuple(
                JudgedClaim(
                    says=verdict.claim.says,
                    note=verdict.claim.note,
                    origin=verdict.claim.origin,
                    section=verdict.claim.section,
                    verdict=verdict.status,
                    reasons=verdict.reasons,
                    marks=verdict.marks,
                )
                for verdict in verdicts
            ),
        )

    def text(self) -> str:
        """Return the file."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


#: Folder and summary of reports.
Items = Sequence[tuple[str, ReportSummary]]


def read_summaries(results: Path) -> list[tuple[str, ReportSummary]]:
    """Return folder and summary of each report in a results folder.

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
    """Return ``about.md`` of a config's paper: its name in the first line, then what it says."""
    beside = config.path.parent
    files = (folder / "about.md" for folder in (beside / paper, beside))
    return next((file.read_text(encoding="utf-8") for file in files if file.is_file()), "")
