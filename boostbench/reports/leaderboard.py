"""Leaderboard of an experiment: a page that compares boosters over data sets and noises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.experiments.runs import CLEAN
from boostbench.quantities import QUANTITIES, Quantity
from boostbench.reports.files import asset, render
from boostbench.reports.text import in_print
from boostbench.reports.values.frame import Study, holds

if TYPE_CHECKING:
    from boostbench.reports.overview import ReportSummary

#: Name of the page in the folder of a report.
LEADERBOARD = "leaderboard.html"


def leaderboard_page(study: Study, summary: ReportSummary, evidence: str = "") -> str:
    """Return the leaderboard of a study as a page that needs no other file.

    The page has the means and standard deviations of all cells; a script ranks the boosters on the
    chosen data sets and noises.

    Parameters
    ----------
    study : Study
    summary : ReportSummary
    evidence : str, default=""
        Name of the table of errors on the page of the report.

    Returns
    -------
    page : str
        Empty if there are not two boosters, data sets and noises with results.
    """
    ok = [result for result in study.results if result.ok]
    labels = [(result.run.method, result.run.dataset, result.noise) for result in ok]
    if not labels or any(len({*of}) < 2 for of in zip(*labels, strict=True)):
        return ""
    classes = {r.run.dataset: r.record.n_classes for r in ok if r.record is not None}
    noises = {r.noise: {"model": r.run.noise.model, "rate": r.noise_rate} for r in ok}
    board = {
        "methods": [in_print(label) for label in study.contenders],
        "sets": [{"name": d, "classes": classes[d]} for d in study.datasets if d in classes],
        "noises": [{"name": n, **noises[n]} for n in study.noises if n in noises],
        "clean": CLEAN.full_label,
        "measures": [
            _measure(study, name, quantity)
            for name, quantity in QUANTITIES.items()
            if quantity.on_test and quantity.is_number and any(holds(r, name) for r in ok)
        ],
    }
    # what commands call the config: its name if it is shipped, else its file
    names = {path.resolve(): name for name, path in shipped_configs().items()}
    return render(
        "leaderboard.html.j2",
        summary=summary,
        board=board,
        evidence=evidence,
        leaderboard=asset("leaderboard.js"),
        config=names.get(study.config.path.resolve(), study.config.path.name),
    )


def _measure(study: Study, name: str, quantity: Quantity) -> dict[str, Any]:
    """Return a quantity after the last round: mean and, of several runs, spread of each cell."""
    frame = study.at(name)
    frame["value"] *= quantity.scale
    cells = frame.groupby(["booster", "dataset", "noise"], observed=True)["value"]
    values = {
        labels: [float(f"{mean:.4g}"), *([float(f"{std:.2g}")] if np.isfinite(std) else [])]
        for labels, mean, std in cells.agg(["mean", "std"]).itertuples()
    }
    return {
        "words": quantity.words,
        "unit": quantity.unit,
        "decimals": 1 if quantity.unit else 3,
        "higher": bool(quantity.higher),
        "values": [
            [[values.get((b, d, n)) for n in study.noises] for d in study.datasets]
            for b in study.contenders
        ],
    }
