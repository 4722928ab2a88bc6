"""How much one booster's error exceeds another's: the figure kind ``differences``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from boostbench.errors import BoostbenchError
from boostbench.reports.frame import Study
from boostbench.reports.metrics import METRICS
from boostbench.reports.pairs import Pairing, pair_up, paired_panels
from boostbench.reports.style import GREY

__all__ = ["draw_differences"]


def draw_differences(
    study: Study,
    *,
    x: str | None = None,
    y: str | None = None,
    value: str | Sequence[str] = ("train_error", "test_error"),
    at: int | Sequence[int] | None = None,
    bins: int = 30,
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
    bins : int, default=30
        Bars over the whole width; an even number, at least 2.

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value, or no problem was done by both boosters.
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 2 or bins % 2:
        raise BoostbenchError(f"bins must be an even number of at least 2, found {bins!r}")
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


def _draw_panel(axes: Axes, pairing: Pairing, metric: str, T: int, bins: int) -> None:
    a, b = pairing.values[metric, T]
    difference = a - b
    reach = float(np.abs(difference).max()) or 1.0
    edges = np.linspace(-reach, reach, bins + 1).tolist()
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
    axes.axvline(median, color="#222222", linewidth=0.9, linestyle=(0, (3, 2)), zorder=4)
    top = axes.get_ylim()[1]
    axes.set_ylim(0, 1.42 * top)  # room for the shares
    lines = [(share, pairing.colours[label]) for label, share in pairing.shares(metric, T)]
    sign = "+" if median > 0 else "\N{MINUS SIGN}" if median < 0 else ""
    lines.append((f"median {sign}{abs(median):.3g}", "#222222"))
    for place, (text, colour) in enumerate(lines):
        axes.text(
            0.02,
            0.985 - 0.105 * place,
            text,
            transform=axes.transAxes,
            color=colour,
            fontsize=6.5,
            va="top",
        )
    axes.set_xlim(-reach, reach)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.grid(visible=False, axis="x")
