"""Error against the noise rate: the figure kind ``noise``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.repeats import Repeats
from boostbench.reports.figures.style import GREY, SMALL, round_ticks
from boostbench.reports.values.frame import Study
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.options import check_choice, check_flag

__all__ = ["draw_levels", "draw_noise_levels", "level_handles"]

_MARKERS = "osD^vP*XhH"
_DIAGONAL: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": (0, (4, 2))}
_PANEL, _LARGE_PANEL = (2.2, 2.0), (4.6, 2.7)
_LEFT, _BOTTOM, _MOST_COLUMNS = 0.35, 0.6, 4
_NARROWEST = 0.1  # of the mean: how far down a band may reach on a log scale


def draw_noise_levels(
    study: Study,
    *,
    value: str = "test_error",
    at: int | None = None,
    band: bool = True,
    diagonal: bool = False,
    from_zero: bool = True,
    y_scale: Literal["linear", "log"] = "linear",
) -> Figure:
    """Error against the noise rate, mean and band over repeats, one panel per data set.

    Parameters
    ----------
    study : Study
        With one noise model at two rates or more; clean labels are the rate 0.
    value : str, default="test_error"
    at : int or None, default=None
        Round T; by default the last of each booster.
    band : bool, default=True
        Whether one standard deviation over repeats is shaded on both sides of the mean.
    diagonal : bool, default=False
        Whether the line is drawn on which the error is the noise rate.
    from_zero : bool, default=True
        Whether a linear axis begins at 0, or where the errors are.
    y_scale : {"linear", "log"}, default="linear"

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value, or there is only one rate or more than one model.
    """
    check_choice("y_scale of noise", y_scale, ["linear", "log"])
    check_flag("band", band)
    check_flag("diagonal", diagonal)
    check_flag("from_zero", from_zero)
    repeats = Repeats(study, value, at)
    models = sorted(set(repeats.frame["model"]) - {"none"})
    rates = np.unique(repeats.frame["rate"])
    if len(models) != 1 or len(rates) < 2:
        raise BoostbenchError(
            "this figure is for one noise model at several rates, found "
            f"{', '.join(models) or 'no noise'} at {', '.join(f'{rate:g}' for rate in rates)}"
        )
    n_columns = min(len(study.datasets), _MOST_COLUMNS)
    n_rows = -(-len(study.datasets) // n_columns)
    width, height = _LARGE_PANEL if n_columns == 1 else _PANEL
    figure = Figure(
        figsize=(_LEFT + width * n_columns, _BOTTOM + height * n_rows), layout="constrained"
    )
    for place, dataset in enumerate(study.datasets):
        axes = figure.add_subplot(n_rows, n_columns, place + 1, yscale=y_scale)
        axes.set_title(dataset, loc="left", fontweight="bold")
        own = repeats.frame[repeats.frame["dataset"] == dataset]
        own = own.assign(rate=100 * own["rate"])
        draw_levels(axes, own, "rate", "booster", repeats.colours, band=band)
        if diagonal:
            axes.plot(100 * rates, METRICS[repeats.metric].scale * rates, zorder=1, **_DIAGONAL)
        _format_axes(axes, 100 * float(rates[-1]), from_zero=from_zero and y_scale == "linear")
        if not repeats.values(dataset=dataset).size:
            _say_why(axes, study, dataset)
        if place % n_columns == 0:
            axes.set_ylabel(repeats.axis)
        if place >= len(study.datasets) - n_columns:
            axes.set_xlabel(f"noise rate (%), {models[0]}")
    handles = level_handles(repeats.colours)
    if diagonal:
        handles.append(Line2D([], [], label="error = noise rate", **_DIAGONAL))
    figure.supxlabel(repeats.rounds, fontsize=SMALL, color=GREY, x=0.99, ha="right")
    figure.legend(
        handles=handles,
        loc="outside lower center" if n_columns > 1 else "outside right upper",
        ncols=min(4, len(study.boosters) + diagonal) if n_columns > 1 else 1,
    )
    return figure


def draw_levels(
    axes: Axes, frame: pd.DataFrame, x: str, line: str, colours: Mapping[str, str], *, band: bool
) -> None:
    """Draw the mean value against a number, with a band of one standard deviation over repeats.

    Parameters
    ----------
    axes : Axes
    frame : DataFrame
        One row per run: ``value``, the number and what tells the lines apart.
    x, line : str
        Columns of ``frame``.
    colours : mapping of str to str
        Of the lines, in their order; what stands first is seen where lines coincide.
    band : bool
    """
    is_log = axes.get_yscale() == "log"
    for order, (name, colour) in enumerate(colours.items()):
        grouped = frame[frame[line] == name].groupby(x)["value"]
        mean, std = grouped.mean(), grouped.std().fillna(0.0)
        numbers = mean.index.to_numpy(dtype=np.float64)
        shown = np.where((mean > 0) | (not is_log), mean, np.nan)
        axes.plot(numbers, shown, zorder=4 - order / 100, **_line(colour, order))
        if band:
            low = np.maximum(mean - std, _NARROWEST * mean if is_log else 0)
            axes.fill_between(
                numbers, low, mean + std, color=colour, alpha=0.13, linewidth=0, zorder=2
            )


def level_handles(colours: Mapping[str, str]) -> list[Line2D]:
    """Return what a legend shows of the lines of `draw_levels`."""
    return [
        Line2D([], [], label=name, **_line(colour, order))
        for order, (name, colour) in enumerate(colours.items())
    ]


def _line(colour: str, order: int) -> dict[str, Any]:
    marker = _MARKERS[order % len(_MARKERS)]
    return {"color": colour, "marker": marker, "markersize": 3.4, "linewidth": 1.3}


def _format_axes(axes: Axes, last: float, *, from_zero: bool) -> None:
    axes.set_xlim(-0.02 * last, 1.02 * last)
    axes.xaxis.set_major_locator(round_ticks(6))
    if from_zero:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    if axes.get_yscale() == "linear":
        axes.yaxis.set_major_locator(round_ticks(6))


def _say_why(axes: Axes, study: Study, dataset: str) -> None:
    """Write into an empty panel what became of the runs."""
    states = dict.fromkeys(r.status for r in study.results if r.run.dataset == dataset)
    text = f"no result: {', '.join(states)}"
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
    axes.set_yticks([])
