"""The error of every repeat: the figure kind ``distribution``."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boostbench.reports.figures.repeats import Repeats
from boostbench.reports.figures.style import GREY, INK, SMALL, round_ticks
from boostbench.reports.values.frame import Study
from boostbench.reports.values.options import check_choice, check_flag

__all__ = ["draw_distribution"]

_LEVELS = 45  # points nearer than this share of the axis stand side by side
_WIDEST = 0.84
_LEFT, _BOTTOM, _HEIGHT, _MOST_COLUMNS = 0.4, 0.5, 1.9, 5


def draw_distribution(
    study: Study,
    *,
    value: str = "test_error",
    at: int | None = None,
    x: Literal["noise", "booster"] | None = None,
    perfect: bool = False,
) -> Figure:
    """Every repeat as a point: what a mean and a band cannot show.

    Parameters
    ----------
    study : Study
    value : str, default="test_error"
    at : int or None, default=None
        Round T; by default the last of each booster.
    x : {"noise", "booster"}, default=None
        What stands side by side in a panel; the other one makes panels. By default the noise if
        there are several.
    perfect : bool, default=False
        Whether the share of repeats with the value 0 is written above them.

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value, or no run has a result.
    """
    x = x or ("noise" if len(study.noises) > 1 else "booster")
    check_choice("x of distribution", x, ["noise", "booster"])
    check_flag("perfect", perfect)
    repeats = Repeats(study, value, at)
    strips, others = study.noises, study.boosters
    if x == "booster":
        strips, others = others, strips
    names, x_label = _names(study, repeats, x)
    panels = [(dataset, other) for dataset in study.datasets for other in others]
    n_columns = len(others) if 1 < len(others) <= _MOST_COLUMNS else min(len(panels), _MOST_COLUMNS)
    n_rows = -(-len(panels) // n_columns)
    size = (_LEFT + max(1.7, 0.4 + 0.16 * len(strips)) * n_columns, _BOTTOM + _HEIGHT * n_rows)
    figure = Figure(figsize=size, layout="constrained")
    figure.supxlabel(repeats.rounds, fontsize=SMALL, color=GREY, x=0.99, ha="right")
    top = float(repeats.frame["value"].max()) or 1.0
    for place, (dataset, other) in enumerate(panels):
        axes = figure.add_subplot(n_rows, n_columns, place + 1)
        title = ", ".join([dataset] * (len(study.datasets) > 1) + [other] * (len(others) > 1))
        axes.set_title(title, loc="left", fontweight="bold", pad=11 if perfect else None)
        for position, strip in enumerate(strips):
            booster, noise = (other, strip) if x == "noise" else (strip, other)
            values = repeats.values(dataset=dataset, booster=booster, noise=noise)
            if values.size:
                _draw_strip(axes, values, position, repeats.colours[booster], top, perfect=perfect)
        is_last = place >= len(panels) - n_columns
        _format_axes(axes, names if is_last else [""] * len(names), top, perfect=perfect)
        if place % n_columns == 0:
            axes.set_ylabel(repeats.axis)
        if is_last:
            axes.set_xlabel(x_label)
    return figure


def _draw_strip(
    axes: Axes,
    values: NDArray[np.float64],
    position: int,
    colour: str,
    top: float,
    *,
    perfect: bool,
) -> None:
    """Draw one strip of points, equal ones side by side, and a line at their mean."""
    size = 9 if len(values) <= 30 else 5
    offsets = _side_by_side(values, top / _LEVELS)
    axes.scatter(
        position + offsets, values, s=size, color=colour, alpha=0.7, linewidths=0, zorder=3
    )
    half = 0.34
    axes.hlines(values.mean(), position - half, position + half, color=INK, linewidth=1.0)
    if perfect:
        share = f"{100 * float(np.mean(values == 0)):.0f}"
        axes.text(position, 1.09 * top, share, ha="center", fontsize=6, color=GREY)


def _side_by_side(values: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return how far to the side each point stands, so that near ones do not hide each other."""
    bins = np.floor(values / level).astype(int)
    offsets = np.zeros(len(values))
    crowd = int(np.unique(bins, return_counts=True)[1].max())
    step = min(0.09, _WIDEST / max(1, crowd - 1))
    for each in np.unique(bins):
        members = np.flatnonzero(bins == each)
        order = members[np.argsort(values[members], kind="stable")]
        offsets[order] = step * (np.arange(len(order)) - (len(order) - 1) / 2)
    return offsets


def _names(study: Study, repeats: Repeats, x: str) -> tuple[list[str], str]:
    """Return what is written under the strips and the axis: bare rates if there is one model."""
    if x == "booster":
        return study.boosters, ""
    rates: Any = repeats.frame.groupby("noise", sort=False)[["model", "rate"]].first()
    models = set(rates["model"]) - {"none"}
    if len(models) != 1 or len(set(rates["rate"])) < len(rates):
        return study.noises, ""
    names = [
        f"{100 * rates.loc[noise, 'rate']:.3g}" if noise in rates.index else noise
        for noise in study.noises
    ]
    return names, "noise rate (%)"


def _format_axes(axes: Axes, names: list[str], top: float, *, perfect: bool) -> None:
    axes.set_xlim(-0.6, len(names) - 0.4)
    are_long = max(map(len, names)) > 4
    axes.set_xticks(range(len(names)), names)
    if are_long:
        axes.tick_params(axis="x", rotation=40)
        for text in axes.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    axes.set_ylim(-0.02 * top, (1.2 if perfect else 1.05) * top)
    axes.yaxis.set_major_locator(round_ticks(5))
    axes.grid(visible=False, axis="x")
    if perfect:
        note = "repeats at 0, in percent:"
        axes.text(0, 1.0, note, transform=axes.transAxes, fontsize=6, color=GREY, va="bottom")
