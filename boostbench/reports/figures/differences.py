"""How much one booster's error exceeds another's: the figure kind ``differences``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.pairs import Pairing, pair_up, paired_panels
from boostbench.reports.figures.style import GREY, INK, SMALL, round_ticks
from boostbench.reports.values.frame import Study
from boostbench.reports.values.metrics import METRICS

__all__ = ["draw_differences"]


def draw_differences(
    study: Study,
    *,
    x: str | None = None,
    y: str | None = None,
    value: str | Sequence[str] = ("train_error", "test_error"),
    at: int | Sequence[int] | None = None,
    bins: int | None = None,
) -> Figure:
    """Histograms of x's error minus y's over problems, data sets and seeds.

    A row of panels per metric and a column per T. To the right of 0 y's error is the lower one; a
    bar has the colour of the booster with the lower error, equal errors are a grey stem at 0, and
    the dashed line is the median.

    Parameters
    ----------
    study : Study
    x, y : str, default=None
        Boosters by their labels; the first and the last of the config by default.
    value : str or sequence of str, default=("train_error", "test_error")
    at : int, sequence of int or None, default=None
        Rounds T; the config's checkpoints by default.
    bins : int or None, default=None
        Bars over the whole width, at least 2; 0 lies between two of them. By default twice the
        square root of the number of problems, from 10 to 40.

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value, or no problem was done by both boosters.
    """
    if bins is not None and (isinstance(bins, bool) or not isinstance(bins, int) or bins < 2):
        raise BoostbenchError(f"bins must be a whole number of at least 2, found {bins!r}")
    pairing = pair_up(study, x, y, value, at)
    figure, panels = paired_panels(pairing, height=0.8)
    for metric, T, axes in panels:
        _draw_panel(axes, pairing, metric, T, bins)
        if pairing.rounds[0] == T:
            axes.set_ylabel(f"{METRICS[metric].words.partition(' (')[0]}:\nproblems")
        if metric == pairing.metrics[-1]:
            unit = "\n(points)" if METRICS[metric].unit else ""
            axes.set_xlabel(f"{pairing.x} - {pairing.y}{unit}".replace(" - ", " \N{MINUS SIGN} "))
    return figure


def _draw_panel(axes: Axes, pairing: Pairing, metric: str, T: int, bins: int | None) -> None:
    a, b = pairing.values[metric, T]
    difference = a - b
    low, high = min(0.0, float(difference.min())), max(0.0, float(difference.max()))
    n_bars = bins or min(40, max(10, round(2 * len(difference) ** 0.5)))
    width = (high - low) / n_bars or 1.0
    edges = (width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)).tolist()
    for which, colour in (
        (difference < 0, pairing.colours[pairing.x]),
        (difference > 0, pairing.colours[pairing.y]),
    ):
        axes.hist(difference[which], edges, color=colour, alpha=0.8, zorder=2)
    n_equal = int((difference == 0).sum())
    if n_equal:
        axes.vlines(0, 0, n_equal, color=GREY, linewidth=2.2, zorder=3)
    axes.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    median = float(np.median(difference))
    axes.axvline(median, color=INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=4)
    pairing.write_shares(axes, metric, T)
    sign = "+" if median > 0 else "\N{MINUS SIGN}" if median < 0 else ""
    is_left = median <= (edges[0] + edges[-1]) / 2
    axes.text(
        0.98 if is_left else 0.02,
        0.97,
        f"median {sign}{abs(median):.3g}",
        transform=axes.transAxes,
        color=INK,
        fontsize=SMALL,
        ha="right" if is_left else "left",
        va="top",
    )
    axes.set_xlim(edges[0] - width / 2, edges[-1] + width / 2)
    axes.set_ylim(top=1.12 * axes.get_ylim()[1])  # room for the median's number
    axes.xaxis.set_major_locator(round_ticks(5))
    axes.yaxis.set_major_locator(round_ticks(4, integer=True))
    axes.grid(visible=False, axis="x")
