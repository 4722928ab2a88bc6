"""Error against a parameter of the boosters, such as the size of trees: the kind ``parameter``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.noise_levels import draw_levels, level_handles
from boostbench.reports.figures.repeats import Repeats
from boostbench.reports.figures.style import GREY, SMALL, booster_colours, round_ticks
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.options import check_choice, check_flag

__all__ = ["draw_parameter"]

_PANEL, _LARGE_PANEL = (2.0, 1.7), (4.6, 2.7)
_LEFT, _BOTTOM, _MOST_COLUMNS = 0.35, 0.5, 5
_MOST_TICKS = 5


def draw_parameter(
    study: Study,
    *,
    x: str,
    value: str = "test_error",
    at: int | None = None,
    label: str = "",
    x_scale: Literal["log", "linear"] = "log",
    y_scale: Literal["linear", "log"] = "linear",
    band: bool = True,
) -> Figure:
    """Error against a parameter, mean and band over repeats, one panel per data set (and noise).

    Boosters that differ in nothing else make one line.

    Parameters
    ----------
    study : Study
    x : str
        Name of a numeric parameter of the boosters or, at any depth, of what they are given:
        ``max_leaf_nodes``. Boosters without it are left out.
    value : str, default="test_error"
    at : int or None, default=None
        Round T; by default the last of each booster.
    label : str, default=x
        How the axis is named.
    x_scale : {"log", "linear"}, default="log"
    y_scale : {"linear", "log"}, default="linear"
    band : bool, default=True
        Whether one standard deviation over repeats is shaded on both sides of the mean.

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value, or no two runs differ in the parameter.
    """
    check_choice("x_scale of parameter", x_scale, ["log", "linear"])
    check_choice("y_scale of parameter", y_scale, ["linear", "log"])
    check_flag("band", band)
    repeats = Repeats(study, value, at)
    frame = _with_parameter(repeats.frame, study, x)
    names = dict(zip(frame["line"], frame["name"], strict=True))
    colours = booster_colours(list(names.items()))
    panels = [(noise, dataset) for noise in study.noises for dataset in study.datasets]
    n_columns = min(len(study.datasets), _MOST_COLUMNS)
    n_rows = -(-len(panels) // n_columns)
    width, height = _LARGE_PANEL if n_columns == 1 else _PANEL
    figure = Figure(
        figsize=(_LEFT + width * n_columns, _BOTTOM + height * n_rows), layout="constrained"
    )
    for place, (noise, dataset) in enumerate(panels):
        axes = figure.add_subplot(n_rows, n_columns, place + 1, xscale=x_scale, yscale=y_scale)
        more = f", {noise}" if len(study.noises) > 1 else ""
        axes.set_title(f"{dataset}{more}", loc="left", fontweight="bold")
        own = frame[(frame["dataset"] == dataset) & (frame["noise"] == noise)]
        if own.empty:
            states = (r.status for r in study.results if r.run.dataset == dataset)
            _say_why(axes, states)
        else:
            draw_levels(axes, own, "x", "line", colours, band=band)
            _format_axes(axes, sorted(set(own["x"])))
        if place % n_columns == 0:
            axes.set_ylabel(repeats.axis)
        if place >= len(panels) - n_columns:
            axes.set_xlabel(label or x)
    figure.supxlabel(repeats.rounds, fontsize=SMALL, color=GREY, x=0.99, ha="right")
    figure.legend(handles=level_handles(colours), loc="outside lower center", ncols=len(colours))
    return figure


def _with_parameter(frame: pd.DataFrame, study: Study, x: str) -> pd.DataFrame:
    """Add to one row per run the parameter, the booster's name and the line it belongs to."""
    usable = [result for result in study.results if result.ok]
    lines = _lines(usable, x)
    runs = [usable[place].run for place in frame.index]
    frame = frame.assign(
        x=[run.booster.parameter(x) for run in runs],
        name=[run.booster.name for run in runs],
        line=[lines.get(run.method, "") for run in runs],
    )
    frame = frame[frame["line"] != ""]
    if frame["x"].nunique() < 2:
        found = ", ".join(f"{number:g}" for number in frame["x"].unique()) or "no run"
        raise BoostbenchError(f"x must name a parameter of several values, found {x!r}: {found}")
    return frame.astype({"x": float})


def _lines(results: Iterable[Result], x: str) -> dict[str, str]:
    """Return by the label of a booster the name of its line: what the labels there share."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for result in results:
        booster = result.run.booster
        number = booster.parameter(x)
        if isinstance(number, int | float) and not isinstance(number, bool):
            rest = repr(_without(booster.params, x))
            groups.setdefault((booster.name, rest), {})[result.run.method] = None
    return {label: _shared(list(labels)) for labels in groups.values() for label in labels}


def _without(params: Mapping[str, object], x: str) -> dict[str, object]:
    return {
        name: _without(value, x) if isinstance(value, Mapping) else value
        for name, value in sorted(params.items())
        if name != x
    }


def _shared(labels: list[str]) -> str:
    """Return the first label without the words in brackets that others lack.

    Examples
    --------
    >>> _shared(["MM (exact, size=5)", "MM (exact, size=10)"]), _shared(["MM (5)", "MM (10)"])
    ('MM (exact)', 'MM')
    """
    words = [label.removesuffix(")").partition(" (")[2].split(", ") for label in labels]
    shared = [word for word in words[0] if all(word in others for others in words)]
    name = labels[0].partition(" (")[0]
    return f"{name} ({', '.join(shared)})" if any(shared) else name


def _say_why(axes: Axes, states: Iterable[str]) -> None:
    text = f"no result: {', '.join(dict.fromkeys(states))}"
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.minorticks_off()


def _format_axes(axes: Axes, numbers: list[float]) -> None:
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    if axes.get_xscale() == "log":
        every = -(-len(numbers) // _MOST_TICKS)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(numbers[::-1][::every])
    axes.xaxis.set_major_formatter(plain)
    axes.yaxis.set_major_formatter(plain)
    if axes.get_yscale() == "linear":
        axes.set_ylim(0.0, 1.04 * axes.get_ylim()[1])
        axes.yaxis.set_major_locator(round_ticks(6))
