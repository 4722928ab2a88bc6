"""The page of a report: one HTML file that needs no network, server or other file."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from boostbench.errors import BoostbenchError
from boostbench.reports.claims.view import HOW_TO_READ, counts_in_words, evidence_rows, view_of
from boostbench.reports.figures.charts import with_x_once
from boostbench.reports.html import asset, render
from boostbench.reports.provenance import provenance
from boostbench.reports.text import listed
from boostbench.reports.values.agreement import in_words
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.rank_statistics import case_errors

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.figures.style import Drawing
    from boostbench.reports.tables.table import Table

_MOST_WINNERS = 6  # boosters that the main results name
_MOST_GAPS = 50  # reasons of missing results, and runs listed for each
# Limits of all figures together and of one chart, which keep the page below 2 MB.
_FIGURE_BYTES = 1_300_000
_CHART_BYTES = 250_000
#: Escapes for an SVG as a data URL in an HTML attribute.
_URL_ESCAPES = str.maketrans({**{c: f"%{ord(c):02X}" for c in "%#&'/"}, '"': "'", "\n": " "})


def render_page(
    study: Study,
    tables: Mapping[str, Table],
    drawings: Mapping[str, Drawing],
    undrawn: Mapping[str, str],
    verdicts: Sequence[Verdict] = (),
) -> str:
    """Return the page of a report as HTML.

    Parameters
    ----------
    study : Study
    tables : mapping of str to Table
    drawings : mapping of str to Drawing
        Figures by name. Figures that would make the page too large are only named.
    undrawn : mapping of str to str
        Errors of the parts that could not be made, by name.
    verdicts : sequence of Verdict, default=()
        Verdicts on the claims of the config.
    """
    config = study.config
    counts = Counter(result.status for result in study.results)
    return render(
        "report.html.j2",
        title=config.title or config.name,
        paper=config.paper,
        description=config.description,
        library=_library() if any(drawing.chart for drawing in drawings.values()) else "",
        counts=sorted(counts.items(), key=lambda item: (item[0] != "ok", item[0])),
        n_runs=len(study.results),
        answers=[*_main_results(study, tables, verdicts), *_missing_parts(study)],
        tables=tables,
        figures=_figures(drawings),
        undrawn=undrawn,
        claims=[(view_of(verdict), evidence_rows(verdict)) for verdict in verdicts],
        how_to_read=HOW_TO_READ,
        gaps=_gaps(study),
        provenance=provenance(study),
        config_name=config.path.name,
        config_text=_config_text(study),
    )


def _library() -> Mapping[str, Markup]:
    """Return the scripts that draw charts: uPlot with its licence, and ``chart.js``."""
    return {
        "licence": asset("uplot/LICENSE"),
        "style": asset("uplot/uPlot.min.css"),
        "script": asset("uplot/uPlot.iife.min.js") + asset("chart.js"),
    }


def _main_results(
    study: Study, tables: Mapping[str, Table], verdicts: Sequence[Verdict]
) -> Iterator[str]:
    """Yield the main results as sentences."""
    if verdicts:
        yield f"{counts_in_words(map(view_of, verdicts))}."
    held = {name: value for table in tables.values() for name, value in table.held.items()}
    if held:
        yield f"{in_words(held.values())}."
    try:
        cases = case_errors(study, study.contenders, "test_error")
    except BoostbenchError:
        return
    if len(cases.boosters) > 1:
        lowest = cases.errors == cases.errors.min(axis=1, keepdims=True)
        wins = dict(zip(cases.boosters, lowest.sum(axis=0).tolist(), strict=True))
        winners = sorted((b for b in wins if wins[b]), key=lambda booster: -wins[booster])
        n = len(cases.keys)
        what = "combinations of data set and noise" if len(study.noises) > 1 else "data sets"
        where = f"on {n} {what}: " if n > 1 else f"on {cases.keys[0][0]}: "
        counts = [f"{b}, {wins[b]} time{'s' * (wins[b] > 1)}" if n > 1 else b for b in winners]
        n_others = len(counts) - _MOST_WINNERS
        if n > 1 and n_others > 1:
            most = counts[_MOST_WINNERS].rpartition(", ")[2]
            counts[_MOST_WINNERS:] = [f"{n_others} others, at most {most} each"]
        ties = ", ties counted for each" if lowest.sum() > n else ""
        yield (f"The lowest mean test error after the last round {where}{'; '.join(counts)}{ties}.")


def _missing_parts(study: Study) -> Iterator[str]:
    """Yield a sentence on data sets and seeds of the config without runs, if there are any."""
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
    """Return name, caption and image of each figure, as SVG or PNG, whichever is smaller.

    A figure of lines also has their numbers, from which the page draws an interactive chart.
    """
    bytes_left = _FIGURE_BYTES
    figures: list[dict[str, Any]] = []
    for name, drawing in drawings.items():
        png = f"data:image/png;base64,{base64.b64encode(drawing.png).decode()}"
        svg = "data:image/svg+xml," + drawing.svg.decode().translate(_URL_ESCAPES)
        url = min(svg, png, key=len)
        bytes_left -= len(url)
        fits = bytes_left >= 0
        chart = with_x_once(drawing.chart) if drawing.chart and fits else None
        figures.append(
            {
                "name": name,
                "words": name.replace("-", " ").replace("_", " ").capitalize(),
                "caption": drawing.caption,
                "url": Markup(url) if fits else "",  # safe: has no character that HTML escapes
                "chart": chart if len(json.dumps(chart)) <= _CHART_BYTES else None,
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
