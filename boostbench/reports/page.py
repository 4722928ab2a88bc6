"""The report as one HTML file that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from boostbench.errors import BoostbenchError
from boostbench.reports.claims.writing import HOW_TO_READ, evidence_rows, summary_line
from boostbench.reports.figures.charts import with_x_once
from boostbench.reports.html import asset, render
from boostbench.reports.provenance import provenance
from boostbench.reports.text import listed, span
from boostbench.reports.values.agreement import in_words
from boostbench.reports.values.frame import Result, Study, error_at
from boostbench.reports.values.metrics import ERRORS
from boostbench.reports.values.rank_statistics import case_errors

if TYPE_CHECKING:
    from boostbench.reports.claims.history import PastClaim
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.figures.style import Drawing
    from boostbench.reports.tables.table import Table

_MOST_GAPS = 50
_MOST_CELLS = 1000
# With text and tables the page stays below 2 MB.
_FIGURE_BYTES = 1_300_000
_CHART_BYTES = 250_000
#: Characters that cannot stand in the URL of an SVG inside an attribute of HTML.
_IN_URL = str.maketrans({**{c: f"%{ord(c):02X}" for c in "%#&'/"}, '"': "'", "\n": " "})


def render_page(
    study: Study,
    tables: Mapping[str, Table],
    drawings: Mapping[str, Drawing],
    undrawn: Mapping[str, str],
    verdicts: Sequence[Verdict] = (),
    withdrawn: Sequence[PastClaim] = (),
) -> str:
    """Return the page.

    Parameters
    ----------
    study : Study
    tables : mapping of str to Table
    drawings : mapping of str to Drawing
        Figures that would make the page too large are named instead of shown.
    undrawn : mapping of str to str
        Why a part could not be made, by its name.
    verdicts : sequence of Verdict, default=()
        On the claims of the config.
    withdrawn : sequence of PastClaim, default=()
        Claims that were taken out after their results were seen.
    """
    config = study.config
    counts = Counter(result.status for result in study.results)
    cells = _cells(study)
    return render(
        "report.html.j2",
        title=config.title or config.name,
        paper=config.paper,
        description=config.description,
        library=_library() if any(drawing.chart for drawing in drawings.values()) else "",
        counts=sorted(counts.items(), key=lambda item: (item[0] != "ok", item[0])),
        n_runs=len(study.results),
        answers=[*_answers(study, tables, verdicts), *_left_out(study)],
        tables=tables,
        figures=_figures(drawings),
        undrawn=undrawn,
        verdicts=verdicts,
        evidence_rows=evidence_rows,
        withdrawn=withdrawn,
        how_to_read=HOW_TO_READ,
        gaps=_gaps(study),
        cells=[_folded(*cell) for cell in islice(cells.items(), _MOST_CELLS)],
        n_cells=len(cells),
        provenance=provenance(study),
        config_name=config.path.name,
        config_text=_text(study),
    )


def _library() -> Mapping[str, Markup]:
    """Return the scripts that draw charts: uPlot with its licence, and ours."""
    return {
        "licence": asset("uplot/LICENSE"),
        "style": asset("uplot/uPlot.min.css"),
        "script": asset("uplot/uPlot.iife.min.js") + asset("chart.js"),
    }


def _answers(
    study: Study, tables: Mapping[str, Table], verdicts: Sequence[Verdict]
) -> Iterator[str]:
    """Yield the main results as sentences."""
    if verdicts:
        yield f"{summary_line(verdicts)}."
    held = {name: its for table in tables.values() for name, its in table.held.items()}
    if held:
        yield f"{in_words(held.values())}."
    try:
        cases = case_errors(study.results, study.contenders, "test_error")
    except BoostbenchError:
        return
    if len(cases.boosters) > 1:
        lowest = cases.errors == cases.errors.min(axis=1, keepdims=True)
        wins = dict(zip(cases.boosters, lowest.sum(axis=0).tolist(), strict=True))
        ranked = sorted((b for b in wins if wins[b]), key=lambda booster: -wins[booster])
        n = len(cases.keys)
        what = "combinations of data set and noise" if len(study.noises) > 1 else "data sets"
        where = f"on {n} {what}: " if n > 1 else f"on {cases.keys[0][0]}: "
        counts = (f"{b}, {wins[b]} time{'s' * (wins[b] > 1)}" if n > 1 else b for b in ranked)
        ties = ", ties counted for each" if lowest.sum() > n else ""
        yield (f"The lowest mean test error after the last round {where}{'; '.join(counts)}{ties}.")


def _left_out(study: Study) -> Iterator[str]:
    """Yield a sentence on data sets and seeds of the config that the runs do not have."""
    scope = study.config.scope()
    datasets = {result.run.dataset for result in study.results}
    seeds = {result.run.seed for result in study.results}
    absent = [name for name in scope.datasets if name not in datasets]
    parts = [f"without {listed(absent)}"] if absent else []
    if len(seeds) < len(scope.seeds):
        parts.append(f"with {len(seeds)} of {len(scope.seeds)} seeds")
    if study.results and parts:
        yield f"This is a part of what the config describes: {', '.join(parts)}."


def _figures(drawings: Mapping[str, Drawing]) -> list[dict[str, Any]]:
    """Return each figure's name, caption and data: as vectors or pixels, whichever is smaller.

    A figure of lines has their numbers too, as JSON, from which the page draws it anew.
    """
    room = _FIGURE_BYTES
    found: list[dict[str, Any]] = []
    for name, drawing in drawings.items():
        pixels = f"data:image/png;base64,{base64.b64encode(drawing.png).decode()}"
        vectors = "data:image/svg+xml," + drawing.svg.decode().translate(_IN_URL)
        url = min(vectors, pixels, key=len)
        room -= len(url)
        chart = with_x_once(drawing.chart) if drawing.chart and room >= 0 else None
        found.append(
            {
                "name": name,
                "words": name.replace("-", " ").replace("_", " ").capitalize(),
                "caption": drawing.caption,
                "url": Markup(url) if room >= 0 else "",  # holds nothing that HTML would escape
                "chart": chart if len(json.dumps(chart)) <= _CHART_BYTES else None,
            }
        )
    return found


def _gaps(study: Study) -> list[dict[str, Any]]:
    """Return the runs without a result, those of one status and reason together.

    After many reasons, the further runs of a status stand together.
    """
    found: dict[tuple[str, str], list[Result]] = {}
    for result in study.results:
        if not result.ok:
            error = result.record.error if result.record else None
            reason = error.text if error else result.reported_reason
            if (result.status, reason) not in found and len(found) >= _MOST_GAPS:
                reason = "other reasons"
            found.setdefault((result.status, reason), []).append(result)
    return [
        {"status": status, "reason": reason, "runs": its[:_MOST_GAPS], "n": len(its)}
        for (status, reason), its in found.items()
    ]


def _cells(study: Study) -> dict[tuple[str, str, str], list[Result]]:
    """Return the runs that differ by their seed and fold alone, by data set, booster and noise."""
    found: dict[tuple[str, str, str], list[Result]] = {}
    for result in study.results:
        cell = result.run.dataset, result.run.method, result.noise
        found.setdefault(cell, []).append(result)
    return found


def _folded(cell: tuple[str, str, str], results: Sequence[Result]) -> dict[str, str]:
    """Return a row of the page for the runs of a cell: its columns, and means where they differ."""
    ok = [(r, r.record) for r in results if r.ok and r.record is not None]
    row = dict(zip(("data set", "booster", "noise"), cell, strict=True))
    row["stopped"] = ", ".join(sorted({record.stop_reason for _, record in ok} - {""}))
    row["runs"] = f"{len(ok)} of {len(results)}" if len(ok) < len(results) else str(len(ok))
    made = {record.n_rounds for _, record in ok}
    planned = {result.run.rounds for result, _ in ok}
    row["rounds"] = span(made) if made else ""
    row["rounds"] += f" of {max(planned)}" if planned - made else ""
    for name, metric in ERRORS.items():
        errors = [error_at(result, name) for result, _ in ok]
        row[f"{name.replace('_', ' ')} (%)"] = metric.text(float(np.mean(errors))) if ok else ""
    seconds = [record.seconds["fit"] for _, record in ok if "fit" in record.seconds]
    row["fit (s)"] = f"{np.mean(seconds):.2f}" if seconds else ""
    memory = [r.record.peak_memory_mb or 0.0 for r in results if r.record is not None]
    row["memory (MB)"] = f"{max(memory):.0f}" if any(memory) else ""
    return row


def _text(study: Study) -> str:
    try:
        return study.config.path.read_text(encoding="utf-8")
    except OSError:
        return ""
