"""The report as one HTML file that needs nothing else: no network, no server, no other file."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from boostbench.reports.claims.writing import evidence_rows, summary_line
from boostbench.reports.provenance import provenance
from boostbench.reports.text import visible
from boostbench.reports.values.frame import Result, Study, error_curve
from boostbench.reports.values.metrics import ERRORS

if TYPE_CHECKING:
    from boostbench.reports.claims.verdicts import Verdict
    from boostbench.reports.figures.style import Drawing
    from boostbench.reports.tables.table import Table

_MOST_FAILURES = 200
_MOST_RUNS = 1500
# With text and tables the page stays below 2 MB.
_FIGURE_BYTES = 1_300_000


def render_page(
    study: Study,
    tables: Mapping[str, Table],
    drawings: Mapping[str, Drawing],
    undrawn: Mapping[str, str],
    verdicts: Sequence[Verdict] = (),
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
    """
    environment = Environment(
        loader=PackageLoader("boostbench.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    config = study.config
    wrong = [result for result in study.results if not result.ok]
    counts = Counter(result.status for result in study.results)
    return environment.get_template("report.html.j2").render(
        title=config.title or config.name,
        paper=config.paper,
        description=config.description,
        style=_asset("report.css"),
        script=_asset("report.js"),
        counts=sorted(counts.items(), key=lambda item: (item[0] != "ok", item[0])),
        n_runs=len(study.results),
        tables=tables,
        figures=_figures(drawings),
        undrawn=undrawn,
        verdicts=verdicts,
        evidence_rows=evidence_rows,
        claims_summary=summary_line(verdicts),
        failures=wrong[:_MOST_FAILURES],
        n_failures=len(wrong),
        runs=study.results[:_MOST_RUNS],
        last_errors=_last_errors,
        has_folds=any(result.fold for result in study.results),
        metrics=[name.replace("_", " ") for name in ERRORS],
        provenance=provenance(study),
        config_name=config.path.name,
        config_text=_text(study),
    )


def _asset(name: str) -> Markup:
    text = files("boostbench.reports").joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(text)  # our own file


def _figures(drawings: Mapping[str, Drawing]) -> list[dict[str, str]]:
    """Return each figure's name and data: as vectors if all fit, else as what is smaller."""
    room = _FIGURE_BYTES * 3 // 4  # base64 writes three bytes as four letters
    all_fit = sum(len(drawing.svg) for drawing in drawings.values()) <= room
    found = []
    for name, drawing in drawings.items():
        as_vectors = all_fit or len(drawing.svg) <= len(drawing.png)
        kind, data = ("svg+xml", drawing.svg) if as_vectors else ("png", drawing.png)
        room -= len(data)
        url = f"data:image/{kind};base64,{base64.b64encode(data).decode()}" if room >= 0 else ""
        found.append({"name": name, "url": url})
    return found


def _last_errors(result: Result) -> list[str]:
    """Return the errors of a run after its last round, as tables show them."""
    last = [result.run.rounds]
    return [
        ERRORS[metric].text(float(error_curve(result, metric, last)[0])) if result.ok else ""
        for metric in ERRORS
    ]


def _text(study: Study) -> str:
    try:
        return study.config.path.read_text(encoding="utf-8")
    except OSError:
        return ""
