"""Helpers for figures with panels: grid, titles, legend, lines with bands, caption."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities import QUANTITIES, Quantity
from boostbench.reports.figures.style import AND, GREY, SMALL, method_styles
from boostbench.reports.text import in_print, listed, shortened, span
from boostbench.reports.values.frame import END, Study, tidy
from boostbench.reports.values.part_options import by_rounds, chosen_round

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Arguments of `Axes.plot`.
Style = Mapping[str, Any]
#: Arguments by name of a booster or of a kind of lines.
Styles = Mapping[str, Style]
#: Arrays of x and y, and of the lower and upper ends of a band if there is one.
Rows = Sequence[NDArray[Any]]
#: Style of a printed value of the paper.
DIAMOND: Style = {
    "marker": "D",
    "markersize": 4,
    "markerfacecolor": "white",
    "markeredgewidth": 1.0,
    "linestyle": "none",
}
_LEGEND_LINE = 0.2  # height of a legend line, in inches
_NOTE_WIDTH = 24  # letters per line of a note beside the panels
_MOST_LINES, _MOST_PANELS = 12, 24  # of a figure
#: Ticks of a log axis (multiples of powers of 10) if the ratio of its limits is below a number.
_LOG_STEPS = ((4, (1, 1.5, 2, 3, 4, 5, 6, 8)), (12, (1, 2, 3, 5)), (40, (1, 2, 5)))


def most_shown(study: Study, metric: str, per_set: int = 1) -> tuple[Study, str]:
    """Return the part of a study that a figure can show, and a sentence on what is left out.

    These are the boosters with the best mean over all last rounds, and the first data sets, each
    with ``per_set`` panels; 0: all data sets share their panels.
    """
    most_sets = max(1, _MOST_PANELS // per_set) if per_set else None
    boosters, datasets = study.boosters, study.datasets[:most_sets]
    left_out = []
    if len(boosters) > _MOST_LINES:
        last = tidy(study.results, END, [metric]).groupby("booster", observed=True)["value"]
        best = QUANTITIES[metric].shortfall(last.mean()).nsmallest(_MOST_LINES)
        boosters = [name for name in boosters if name in best]
        left_out.append(f"the {len(boosters)} best of {len(study.boosters)} boosters")
    if len(datasets) < len(study.datasets):
        left_out.append(f"the first {len(datasets)} of {len(study.datasets)} data sets")
    if not left_out:
        return study, ""
    words = f"Shown are {listed(left_out)}; the options boosters and datasets select others."
    return study.only(boosters, datasets), words


def columns_of(n_datasets: int) -> int:
    """Return the number of panels per row: at most five, with rows of about equal length."""
    at_most_four = math.ceil(n_datasets / math.ceil(n_datasets / 4))
    return min(at_most_four, 5, key=lambda columns: -n_datasets % columns)


def places_of(study: Study) -> dict[tuple[str, str], str]:
    """Return the title of the panel of each noise and data set, row by row for each noise."""
    several = len(study.noises) > 1
    pairs = itertools.product(study.noises, study.datasets)
    return {(noise, name): f"{name}, {noise}" if several else name for noise, name in pairs}


def lay_out(
    titles: Collection[str],
    n_columns: int,
    size: tuple[float, float],
    margins: tuple[float, float],
    labels: tuple[str, str] = ("", ""),
    *,
    pad: float | None = None,
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels row by row.

    Parameters
    ----------
    titles : sequence of str
        Of the panels.
    n_columns : int
    size, margins : tuple of float
        Of a panel, and of the figure at the left and below, in inches.
    labels : tuple of str, default=("", "")
        Of the x and y axes, written only in the last row and first column.
    pad : float or None, default=None
        Distance of the titles from the panels, in points.
    """
    from matplotlib.figure import Figure

    n_rows = -(-len(titles) // n_columns)
    height = margins[1] + size[1] * n_rows
    figure = Figure(figsize=(margins[0] + size[0] * n_columns, height), layout="constrained")
    for place, title in enumerate(titles):
        axes = figure.add_subplot(n_rows, n_columns, place + 1)
        axes.set_title(title, loc="left", fontweight="bold", pad=pad)
        axes.set_xlabel(labels[0] * (place >= len(titles) - n_columns))
        axes.set_ylabel(labels[1] * (place % n_columns == 0))
    return figure, figure.axes


def name_lines(figure: Figure, styles: Styles, others: Styles, note: str) -> None:
    """Name the lines of a figure in a legend.

    Parameters
    ----------
    figure : Figure
        Each line is labelled with the name of its booster, of its kind, or both joined by `AND`.
    styles, others : Styles
        Of boosters, and of kinds of lines.
    note : str
        Title of the legend.
    """
    from matplotlib.lines import Line2D

    labels = [str(line.get_label()).split(AND) for axes in figure.axes for line in axes.get_lines()]
    drawn = {part for parts in labels for part in parts}
    handles = [
        Line2D([], [], **{**look, "label": name, **of[name]})
        for look, of in (({"markersize": 3.4}, styles), ({"color": GREY}, others))
        for name in of
        if name in drawn
    ]
    grid = figure.axes[0].get_gridspec()
    add_legend(figure, handles, note=note, beside=grid is not None and grid.ncols == 1)


def remark(figure: Figure, text: str) -> None:
    """Write a remark at the bottom right of a figure."""
    figure.supxlabel(text, fontsize=SMALL, color=GREY, x=0.99, ha="right")


def describe(figure: Figure, *sentences: str) -> None:
    """Set the caption of a figure; empty sentences are left out.

    The caption is shown on pages. Its default is the first line of the docstring of the kind.
    """
    figure.set_label(" ".join(sentence for sentence in sentences if sentence))


def repeats_in_words(study: Study, *, band: bool) -> str:
    """Return a phrase on the number of runs behind each mean, and on the bands."""
    counts = [n for cell in study.cells.values() if (n := sum(result.ok for result in cell))]
    if max(counts, default=0) < 2:
        return "single runs"
    means = f"means of {span(counts)} runs"
    return f"{means}, bands: one standard deviation on both sides" if band else means


def add_legend(
    figure: Figure, handles: Sequence[Artist], *, note: str = "", beside: bool = False, **style: Any
) -> None:
    """Add a legend below or beside the panels, and enlarge the figure to make room for it.

    ``note`` is the legend's title or, without handles, a remark.
    """
    if not handles:
        remark(figure, note)
        return
    longest = max(len(shortened(in_print(str(handle.get_label())))) for handle in handles)
    width, height = figure.get_size_inches()
    column = 0.54 + 0.062 * longest  # inches
    n_columns = 1 if beside else min(len(handles), max(1, int((width + 0.18) / column)))
    title = textwrap.fill(note, _NOTE_WIDTH if beside else int(15 * width))
    n_lines = -(-len(handles) // n_columns) + (title.count("\n") + 1) * bool(note)
    if beside:
        figure.set_size_inches(width + column, max(height, _LEGEND_LINE * (n_lines + 1)))
    else:
        figure.set_figheight(height + _LEGEND_LINE * n_lines)
    legend = figure.legend(
        handles=handles,
        loc="outside right upper" if beside else "outside lower center",
        ncols=n_columns,
        title=title or None,
        title_fontproperties={"size": SMALL},
        columnspacing=1.6,
        handlelength=2.4,
        **style,
    )
    legend.get_title().set_color(GREY)


def draw_line(axes: Axes, points: Rows, opacity: float, metric: Quantity, **style: Any) -> None:
    """Draw a labelled line through the rows x and y, and a band if there are rows of its ends.

    The band does not go below the least value that the metric may have.
    On a log scale, values of 0 are left out, and a band ends at a tenth of the value.
    """
    x, y, *ends = points
    is_log = axes.get_yscale() == "log"
    shown = np.where((y > 0) | (not is_log), y, np.nan)
    if np.isfinite(shown).sum() < 2:
        style |= {"markevery": None}  # matplotlib spaces marks along two points or more
    axes.plot(x, shown, **style)
    if ends:
        low = np.maximum(ends[0], 0.1 * y if is_log else metric.shown_range[0])
        look: dict[str, Any] = {"alpha": opacity, "linewidth": 0, "gid": style["label"]}
        axes.fill_between(x, low, ends[1], color=style["color"], zorder=2, **look)


def lowest(axes: Axes, metrics: Iterable[str]) -> float:
    """Return the lower end of a linear axis: not below values that the metrics may have.

    Those without a least value may be below 0 only if one drawn is.
    """
    least = min(QUANTITIES[metric].shown_range[0] for metric in metrics)
    if least == -np.inf and axes.dataLim.y0 >= 0:
        least = 0.0
    return max(least, float(axes.get_ylim()[0]))


def round_log_ticks(axes: Axes) -> None:
    """Set round ticks on a log y axis, more than one even if the axis is short."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if axes.get_yscale() != "log":
        return
    low, high = axes.get_ylim()
    steps = [multiples for ratio, multiples in _LOG_STEPS if high < ratio * low]
    axes.yaxis.set_major_locator(LogLocator(subs=steps[0] if steps else (1,)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def say_no_result(axes: Axes, study: Study) -> None:
    """Write the statuses of the runs of an empty panel into it."""
    statuses = dict.fromkeys(result.status for result in study.results if not result.ok)
    text = f"no result: {', '.join(statuses)}" if statuses else "no value"
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
    axes.set(xticks=[], yticks=[])
    axes.minorticks_off()


def axis_at(study: Study, value: str, at: int | None) -> tuple[str, str]:
    """Return the label of the axis of a metric, and the round T at which it is shown, in words.

    T is by default the last round of each run: "T = 1000", or "T = 1000; 300 for martiboost".
    """
    T, metric, runs = chosen_round(study, at), QUANTITIES[value], [r.run for r in study.results]
    last = T or max(run.rounds for run in runs)
    shorter = by_rounds(run for run in runs if run.booster.rounds or T is None)
    exceptions = [f"{n} for {', '.join(names)}" for n, names in shorter.items() if n < last]
    axis = f"{metric.words} (%)" if metric.unit else metric.words
    return axis, "; ".join([f"T = {last}", *exceptions])


def styles_of(study: Study) -> dict[str, dict[str, Any]]:
    """Return the colour and the mark of each booster of a study, by label; see `method_styles`."""
    styles = method_styles(study.config.scope().boosters)
    return {label: styles[label] for label in study.boosters}


def colours_of(study: Study) -> dict[str, str]:
    """Return the colour of each booster of a study, by label."""
    return {label: style["color"] for label, style in styles_of(study).items()}
