"""Data of the lines of a figure, from which the page draws an interactive chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from boostbench.reports.text import in_print

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

#: Separator of the parts of a line's label; the chart's legend has a switch for each part.
AND = " · "
Chart = Sequence[Mapping[str, Any]]


def chart_of(figure: Figure) -> Chart | None:
    """Return the panels of a figure of labelled lines as JSON-compatible data.

    None if the figure contains other elements. A shaded band belongs to the line whose label equals
    the ``gid`` of the band.
    """
    panels = []
    for axes in figure.axes:
        lines = [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")]
        others = [collection for collection in axes.collections if not collection.get_gid()]
        if axes.name == "3d" or axes.images or axes.patches or others:
            return None
        if lines:
            panels.append(_panel(axes, lines))
    return panels or None


def thinned(chart: Chart, every: int) -> Chart:
    """Return the chart with one of ``every`` points of each line, and its last; all marks stay."""
    return [
        {**panel, "lines": [_thinned(line, every) for line in panel["lines"]]} for panel in chart
    ]


def _thinned(line: Mapping[str, Any], every: int) -> Mapping[str, Any]:
    if line["marks"]:
        return line
    kept = sorted({*range(0, len(line["x"]), every), len(line["x"]) - 1})
    names = [name for name in ("x", "y", "low", "high") if name in line]
    return {**line, **{name: [line[name][place] for place in kept] for name in names}}


def _panel(axes: Axes, lines: Sequence[Line2D]) -> dict[str, Any]:
    bands = {collection.get_gid(): collection for collection in axes.collections}
    return {
        "title": axes.get_label() or in_print(axes.get_title("left") or axes.get_title()),
        "x": _axis(axes.get_xlabel(), axes.get_xscale(), axes.get_xlim()),
        "y": _axis(axes.get_ylabel(), axes.get_yscale(), axes.get_ylim()),
        "lines": [_line(line, bands.get(str(line.get_label()))) for line in lines],
    }


def _axis(label: str, scale: str, limits: tuple[float, float]) -> dict[str, Any]:
    return {"label": in_print(label), "log": scale == "log", "limits": _numbers(limits)}


def _line(line: Line2D, band: Any) -> dict[str, Any]:
    from matplotlib.colors import to_hex

    x = np.asarray(line.get_xdata(), dtype=np.float64)
    _, dashes = getattr(line, "_unscaled_dash_pattern", (0, None))  # no public name
    drawn: dict[str, Any] = {
        "label": in_print(str(line.get_label())),
        "colour": to_hex(line.get_color()),
        "width": line.get_linewidth(),
        "dashes": [part * line.get_linewidth() for part in dashes or ()],
        "marks": line.get_linestyle() == "None",
        "mark": str(line.get_marker()).replace("None", ""),
        "x": x.tolist(),
        "y": _numbers(line.get_ydata()),
    }
    if band is not None:
        corners = band.get_paths()[0].vertices
        edges = [corners[corners[:, 0] == place, 1] for place in x]
        drawn["low"] = _numbers([y.min() if len(y) else np.nan for y in edges])
        drawn["high"] = _numbers([y.max() if len(y) else np.nan for y in edges])
    return drawn


def _numbers(values: ArrayLike) -> list[float | None]:
    """Return numbers with four significant digits, None for non-finite ones."""
    floats = np.asarray(values, dtype=np.float64).tolist()
    return [float(f"{value:.4g}") if np.isfinite(value) else None for value in floats]
