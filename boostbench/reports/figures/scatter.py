"""One booster's error against another's: the figure kind ``scatter``."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.reports.figures.pairs import Pairing, pair_up, paired_panels
from boostbench.reports.figures.style import GREY, round_ticks
from boostbench.reports.values.frame import Study
from boostbench.reports.values.metrics import METRICS

__all__ = ["draw_scatter"]

_MARGIN = 1.04


def draw_scatter(
    study: Study,
    *,
    x: str | None = None,
    y: str | None = None,
    value: str | Sequence[str] = ("train_error", "test_error"),
    at: int | Sequence[int] | None = None,
) -> Figure:
    """One booster's error against another's, a point for every problem, data set and seed.

    A row of panels per metric and a column per T. A point has the colour of the booster with the
    lower error; above the panel
    stands how often that is either of them, with a 95 % interval.

    Parameters
    ----------
    study : Study
    x, y : str, default=None
        Boosters by their labels; the first and the last of the config by default.
    value : str or sequence of str, default=("train_error", "test_error")
    at : int, sequence of int or None, default=None
        Rounds T; the config's checkpoints by default.

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value, or no problem was done by both boosters.
    """
    pairing = pair_up(study, x, y, value, at)
    figure, panels = paired_panels(pairing)
    for metric, T, axes in panels:
        _draw_panel(axes, pairing, metric, T)
        if pairing.rounds[0] == T:
            words = METRICS[metric].words.partition(" (")[0]
            axes.set_ylabel(f"{words}\n{pairing.y}{_unit(metric)}")
        if metric == pairing.metrics[-1]:
            axes.set_xlabel(f"{pairing.x}{_unit(metric)}")
    return figure


def _draw_panel(axes: Axes, pairing: Pairing, metric: str, T: int) -> None:
    a, b = pairing.values[metric, T]
    largest = float(max(a.max(), b.max())) * _MARGIN or 1.0
    axes.axline((0, 0), slope=1, color=GREY, linewidth=0.7, zorder=1)
    size = 14 if len(a) <= 100 else 8
    parts = (
        (a == b, GREY),
        (a < b, pairing.colours[pairing.x]),
        (b < a, pairing.colours[pairing.y]),
    )
    for which, colour in parts:
        axes.scatter(
            a[which],
            b[which],
            s=size,
            color=colour,
            alpha=0.55,
            linewidths=0,
            zorder=2,
            clip_on=False,
        )
    pairing.write_shares(axes, metric, T)
    axes.set_xlim(0, largest)
    axes.set_ylim(0, largest)
    axes.set_aspect("equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(round_ticks(4))


def _unit(metric: str) -> str:
    return " (%)" if METRICS[metric].unit else ""
