"""Error against rounds: the figure kind ``curves``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from boostbench.quantities import NUMBERS, QUANTITIES
from boostbench.reports.figures import panels
from boostbench.reports.figures.style import AND
from boostbench.reports.text import capital, listed
from boostbench.reports.values.frame import Result, Study, error_at, error_curve
from boostbench.reports.values.paper import PRINTED, PaperValue, PaperValues, read_paper_values
from boostbench.reports.values.part_options import (
    Band,
    PaperFile,
    Scale,
    check_metrics,
    metric_of,
)
from boostbench.validation import OneOrMore

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Styles of lines by `Quantity.stroke`.
_STROKES: dict[str, Any] = {
    "solid": "-",
    "dashed": (0, (4, 1.6)),
    "dotted": (0, (1, 1.2)),
    "dash-dotted": (0, (3, 1.2, 1, 1.2)),
    "long-dashed": (0, (6, 1.2, 1, 1.2)),
}


Curve = Annotated[
    str, metric_of(lambda: [name for name, each in NUMBERS.items() if each.kept == "rounds"])
]
_CROSS: dict[str, Any] = {
    "marker": "x",
    "markersize": 4.5,
    "markeredgewidth": 1.2,
    "linestyle": "none",
    "clip_on": False,
}
_N_POINTS = 200
_TOP = {"linear": 105.0, "log": 130.0}  # upper end of the y axis by scale, if bounds are drawn
# In inches: size of a panel in a wide and in a narrow figure, margins.
_PANEL, _LARGE_PANEL = (2.0, 1.6), (3.1, 2.2)
_MARGINS = 0.4, 0.3


def draw_curves(
    study: Study,
    *,
    y: OneOrMore[Curve] = ("train_error", "test_error"),
    y_scale: Scale = "linear",
    band: Band = True,
    paper: PaperFile | None = None,
) -> Figure:
    """Error curves, one panel per data set (and noise), mean and band over seeds.

    Parameters
    ----------
    y : str or sequence of str, default=("train_error", "test_error")
        Quantities with values after every round that share an axis, such as the errors, the costs,
        the shares of weights, or a metric of the config (``test_log_loss``).
    paper : str or None, default=None
        File with the paper's test errors, shown as hollow diamonds.
    """
    check_metrics(study, y)
    study, left_out = panels.most_shown(study, y[0], max(1, len(study.noises)))
    rounds = max(2, *(result.run.rounds for result in study.results))
    printed = read_paper_values(paper) if paper and PRINTED in y else PaperValues()
    styles, bounds = panels.styles_of(study), [name for name in y if QUANTITIES[name].is_bound]
    n_columns = panels.columns_of(len(study.datasets))
    size = _LARGE_PANEL if n_columns <= 2 else _PANEL
    label = f"{_axis(y)}{', log scale' * (y_scale == 'log')}"
    places = panels.places_of(study)
    figure, grid = panels.lay_out(places.values(), n_columns, size, _MARGINS, ("round", label))
    for axes, place in zip(grid, places, strict=True):
        axes.set_xscale("log")
        axes.set_yscale(y_scale)
        cells = [study.cells.get((*place, name), []) for name in study.boosters]
        finished = [[result for result in cell if result.ok] for cell in cells]
        drawn: set[PaperValue] = set()
        for order, runs in enumerate(finished):
            for metric in (name for name in y if runs and name not in bounds):
                _draw_line(axes, runs, metric, order, styles, band=band)
            if runs and PRINTED in y:
                style = styles[runs[0].run.method]
                _draw_stops(axes, runs, style["color"])
                _draw_paper_values(axes, runs[0], style["color"], printed, drawn)
        if bounds:  # the lower limit of the y axis stays that of the errors, the upper is 100 %
            bottom = axes.get_ylim()[0] if axes.lines else None
            for order, runs in enumerate(finished):
                for metric in bounds if runs else ():
                    _draw_line(axes, runs, metric, order, styles, band=band)
            axes.set_ylim(bottom, _TOP[y_scale])
        _format_axes(axes, rounds, y)
        if not axes.lines:
            panels.say_no_result(axes, study.only(noises=place[:1], datasets=place[1:]))
    kinds = {QUANTITIES[metric].line: _line_style(metric) for metric in y if len(y) > 1}
    kinds |= {"stopped early": _CROSS, "paper": panels.DIAMOND}
    note = panels.repeats_in_words(study, band=band)
    panels.name_lines(figure, styles, kinds, note)
    words = f" ({listed([QUANTITIES[metric].line for metric in y])})" * (len(y) > 1)
    has_stops = PRINTED in y and any(result.stopped_at for result in study.results)
    panels.describe(
        figure,
        f"{capital(_axis(y).partition(' (%)')[0])}{words} against the round, on a log scale: "
        f"{note}.",
        "Where runs stopped early they keep their last value." * has_stops,
        "Hollow marks are the paper's values." * bool(paper),
        "Bounds above 100 % say nothing and are cut off." * bool(bounds),
        left_out,
    )
    return figure


def _axis(metrics: Sequence[str]) -> str:
    """Return the label of the y axis: the metric if there is only one, else what they share."""
    metric = QUANTITIES[metrics[0]]
    if len(metrics) > 1:
        return metric.axis
    is_error = metric.axis.startswith("error")
    words = metric.words.partition(" (")[0] if is_error else metric.line
    return f"{words} (%)" if metric.unit else words


def _draw_line(
    axes: Axes,
    results: Sequence[Result],
    metric: str,
    order: int,
    styles: Mapping[str, Mapping[str, Any]],
    *,
    band: bool,
) -> None:
    """Draw mean and band. Lines of boosters listed first are on top."""
    quantity = QUANTITIES[metric]
    last = min(result.run.rounds for result in results)
    # at most `_N_POINTS` rounds, evenly spaced on a log scale
    rounds = np.unique(np.geomspace(1, last, _N_POINTS).round().astype(np.int64))
    errors = np.stack([error_curve(result, metric, rounds) for result in results])
    if np.isnan(errors).all():
        return
    errors *= quantity.scale
    mean, ends = errors.mean(axis=0), None
    if band and len(results) > 1:
        std = errors.std(axis=0, ddof=1)
        ends = mean - std, mean + std
    is_main = quantity.on_test and quantity.stroke[0] == "solid"
    panels.draw_line(
        axes,
        rounds,
        mean,
        ends,
        opacity=0.2 if is_main else 0.1,
        least=quantity.shown_range[0],
        label=results[0].run.method + AND + quantity.line,
        zorder=3 + is_main - order / 100,
        markersize=3,
        markevery=(0.04 + 0.03 * (order % 5), 0.2),
        **styles[results[0].run.method],
        **_line_style(metric),
    )


def _line_style(metric: str) -> dict[str, Any]:
    style, width = QUANTITIES[metric].stroke
    return {"linestyle": _STROKES[style], "linewidth": width}


def _draw_stops(axes: Axes, results: Sequence[Result], colour: str) -> None:
    """Mark the rounds at which runs stopped early; equal marks are drawn once."""
    stops = dict.fromkeys(
        (result.stopped_at, 100 * error_at(result, PRINTED, result.stopped_at))
        for result in results
        if result.stopped_at
    )
    if stops:
        label = results[0].run.method + AND + "stopped early"
        axes.plot(*zip(*stops, strict=True), color=colour, label=label, zorder=5, **_CROSS)


def _draw_paper_values(
    axes: Axes, result: Result, colour: str, paper: PaperValues, drawn: set[PaperValue]
) -> None:
    """Draw the paper's values that are not in ``drawn``; variants of a booster share values."""
    run = result.run
    for T in range(1, run.rounds + 1) if len(paper) else ():
        names = (run.method, run.booster.name)
        value = paper.find((run.dataset, run.data.name), names, T, result.noise_rate)
        if value is not None and value.error is not None and value not in drawn:
            drawn.add(value)
            label = run.method + AND + "paper"
            axes.plot(T, 100 * value.error, zorder=6, color=colour, label=label, **panels.DIAMOND)


def _format_axes(axes: Axes, rounds: int, metrics: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator, NullFormatter

    axes.set_xlim(1, rounds * rounds**0.02)
    powers = [10**e for e in range(12) if 10**e <= rounds]
    axes.set_xticks([*powers, rounds] if rounds > 2 * powers[-1] else powers)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    if axes.get_yscale() == "linear":
        axes.set_ylim(bottom=panels.lowest(axes, metrics))
        axes.yaxis.set_major_locator(MaxNLocator(5))
    else:
        panels.round_log_ticks(axes)
