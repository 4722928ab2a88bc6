"""The page of a report: one HTML file that needs no network, server or other file."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from boostbench.reports.claims.view import HOW_TO_READ, counts_in_words, evidence_rows
from boostbench.reports.figures.charts import thinned
from boostbench.reports.html import asset, render
from boostbench.reports.provenance import provenance
from boostbench.reports.summary import ReportSummary
from boostbench.reports.values.agreement import in_words
from boostbench.reports.values.frame import Result, Study

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.figures.style import Drawing
    from boostbench.reports.tables.table import Table

_MOST_GAPS = 50  # reasons of missing results, and runs listed for each
# Limits of the page, and of its charts alone.
_PAGE_BYTES, _CHART_BYTES = 980_000, 300_000


def render_page(
    summary: ReportSummary,
    study: Study,
    tables: Mapping[str, Table],
    drawings: Mapping[str, Drawing],
    undrawn: Mapping[str, str],
    verdicts: Sequence[Verdict] = (),
) -> str:
    """Return the page of a report as HTML.

    Parameters
    ----------
    summary : ReportSummary
    study : Study
    tables : mapping of str to Table
    drawings : mapping of str to Drawing
        Figures by name. Images that would make the page too large are only named.
    undrawn : mapping of str to str
        Errors of the parts that could not be made, by name.
    verdicts : sequence of Verdict, default=()
        Verdicts on the claims of the config.
    """
    config = study.config
    counts = Counter(result.status for result in study.results)
    facts = [in_words(summary.printed.values())] if summary.printed else []
    facts += [counts_in_words(summary.claims)] if summary.claims else []
    page = partial(
        render,
        "report.html.j2",
        summary=summary,
        n_runs=len(study.results),
        description=config.description,
        library=_library() if any(drawing.chart for drawing in drawings.values()) else "",
        counts=sorted(counts.items(), key=lambda item: (item[0] != "ok", item[0])),
        facts=facts,
        tables=tables,
        undrawn=undrawn,
        claims=[*zip(summary.claims, map(evidence_rows, verdicts), strict=True)],
        how_to_read=HOW_TO_READ,
        gaps=_gaps(study),
        provenance=provenance(study),
        config_name=config.path.name,
        config_text=_config_text(study),
    )
    without_images = page(figures=_figures(drawings, 0)).encode(errors="replace")
    return page(figures=_figures(drawings, _PAGE_BYTES - len(without_images)))


def _library() -> Mapping[str, Markup]:
    """Return the scripts that draw charts: uPlot with its licence, and ``chart.js``."""
    return {
        "licence": asset("uplot/LICENSE"),
        "style": asset("uplot/uPlot.min.css"),
        "script": asset("uplot/uPlot.iife.min.js") + asset("chart.js"),
    }


def _figures(drawings: Mapping[str, Drawing], bytes_left: int) -> list[dict[str, Any]]:
    """Return name, caption and image of each figure; no images beyond the given bytes.

    A figure of lines also has their numbers, from which the page draws an interactive chart. If the
    numbers of all figures are too many, lines have fewer points.
    """
    charts = [drawing.chart for drawing in drawings.values()]
    every = 1 + len(json.dumps(charts)) // _CHART_BYTES
    figures: list[dict[str, Any]] = []
    for name, drawing in drawings.items():
        image = base64.b64encode(drawing.png).decode()
        bytes_left -= len(image)
        figures.append(
            {
                "name": name,
                "words": name.replace("-", " ").replace("_", " ").capitalize(),
                "caption": drawing.caption,
                "image": image if bytes_left >= 0 else "",
                "chart": thinned(drawing.chart, every) if drawing.chart else None,
            }
        )
    return figures


def _gaps(study: Study) -> list[dict[str, Any]]:
    """Return the runs without a result, grouped by status and reason.

    Beyond a maximum number of groups, further runs are grouped by status alone.
    """
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in study.results:
        if not result.ok:
            error = result.record.error if result.record else None
            reason = error.text if error else result.reported_reason
            if (result.status, reason) not in groups and len(groups) >= _MOST_GAPS:
                reason = "other reasons"
            groups.setdefault((result.status, reason), []).append(result)
    return [
        {"status": status, "reason": reason, "runs": results[:_MOST_GAPS], "n": len(results)}
        for (status, reason), results in groups.items()
    ]


def _config_text(study: Study) -> str:
    try:
        return study.config.path.read_text(encoding="utf-8")
    except OSError:
        return ""
