"""Figures of lines: error against rounds (``curves``), noise rate or a parameter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.fields import is_number
from boostbench.experiments.configs.kind_options import BoosterLabel
from boostbench.experiments.runs import CLEAN, Run
from boostbench.quantities import QUANTITIES, Quantity
from boostbench.registry import figures
from boostbench.reports.figures import panels
from boostbench.reports.figures.panels import Style, Styles
from boostbench.reports.figures.style import AND, GREY, method_styles, round_ticks
from boostbench.reports.text import capital, listed, span
from boostbench.reports.values import part_options
from boostbench.reports.values.estimates import estimate
from boostbench.reports.values.frame import Result, Study, error_at, error_curve
from boostbench.reports.values.paper import PRINTED, PaperValue, PaperValues
from boostbench.reports.values.samples import Repeats, over_sets, samples_of
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


Curve = Annotated[str, part_options.shown(every_round=True)]
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
_CURVES, _LARGE_CURVES = (2.0, 1.6), (3.1, 2.2)
_CURVE_MARGINS = 0.4, 0.3


@figures.register("curves")
def draw_curves(
    study: Study,
    *,
    y: OneOrMore[Curve] = ("train_error", "test_error"),
    y_scale: part_options.Scale = "linear",
    band: part_options.Band = True,
    paper: part_options.PaperFile | None = None,
) -> Figure:
    """Error curves, one panel per data set (and noise), mean and band over seeds.

    Parameters
    ----------
    y : str or sequence of str, default=("train_error", "test_error")
        Quantities with values after every round that share an axis, such as the errors, the costs,
        the shares of weights, or a metric of the config (``test_log_loss``).
    paper : PaperValues or None, default=None
        File with the paper's test errors, shown as hollow diamonds.
    """
    part_options.check_metrics(study, y)
    study, left_out = panels.most_shown(study, y[0], max(1, len(study.noises)))
    rounds = max(2, *(result.run.rounds for result in study.results))
    styles, bounds = panels.styles_of(study), [name for name in y if QUANTITIES[name].is_bound]
    n_columns = panels.columns_of(len(study.datasets))
    size = _LARGE_CURVES if n_columns <= 2 else _CURVES
    labels = "round", f"{_axis(y)}{', log scale' * (y_scale == 'log')}"
    places = panels.places_of(study)
    figure, grid = panels.lay_out(places.values(), n_columns, size, _CURVE_MARGINS, labels)
    for axes, place in zip(grid, places, strict=True):
        axes.set(xscale="log", yscale=y_scale)
        cells = [study.cells.get((*place, name), []) for name in study.boosters]
        runs_of = ([result for result in cell if result.ok] for cell in cells)
        finished = [(n, runs, styles[runs[0].run.method]) for n, runs in enumerate(runs_of) if runs]
        drawn: set[PaperValue] = set()
        for order, runs, style in finished:
            for metric in (name for name in y if name not in bounds):
                _draw_line(axes, runs, metric, order, style, band=band)
            if PRINTED in y:
                _draw_stops(axes, runs, style["color"])
                _draw_paper_values(axes, runs[0], style["color"], paper or PaperValues(), drawn)
        if bounds:  # the lower limit of the y axis stays that of the errors, the upper is 100 %
            bottom = axes.get_ylim()[0] if axes.lines else None
            for order, runs, style in finished:
                for metric in bounds:
                    _draw_line(axes, runs, metric, order, style, band=band)
            axes.set_ylim(bottom, _TOP[y_scale])
        _format_rounds(axes, rounds, y)
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
    axes: Axes, results: Sequence[Result], metric: str, order: int, style: Style, *, band: bool
) -> None:
    """Draw mean and band. Lines of boosters listed first are on top."""
    quantity = QUANTITIES[metric]
    last = min(result.run.rounds for result in results)
    # at most `_N_POINTS` rounds, evenly spaced on a log scale
    rounds = np.unique(np.geomspace(1, last, _N_POINTS).round().astype(np.int64))
    errors = np.stack([error_curve(result, metric, rounds) for result in results])
    errors = errors[~np.isnan(errors).all(axis=1)]  # of the runs that recorded them
    if not len(errors):
        return
    errors *= quantity.scale
    points = [rounds, mean := errors.mean(axis=0)]
    if band and len(errors) > 1:
        std = errors.std(axis=0, ddof=1)
        points += [mean - std, mean + std]
    is_main = quantity.on_test and quantity.stroke[0] == "solid"
    look: dict[str, Any] = {"zorder": 3 + is_main - order / 100, **style, **_line_style(metric)}
    look |= {"markersize": 3, "markevery": (0.04 + 0.03 * (order % 5), 0.2)}
    label = results[0].run.method + AND + quantity.line
    panels.draw_line(axes, points, 0.2 if is_main else 0.1, quantity, label=label, **look)


def _line_style(metric: str) -> Style:
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
        look: dict[str, Any] = {"color": colour, "label": label, "zorder": 5, **_CROSS}
        panels.draw_line(axes, [*np.array([*stops]).T], 0.0, QUANTITIES[PRINTED], **look)


def _draw_paper_values(
    axes: Axes, result: Result, colour: str, paper: PaperValues, drawn: set[PaperValue]
) -> None:
    """Draw the paper's values that are not in ``drawn``; variants of a booster share values."""
    run = result.run
    for T in range(1, run.rounds + 1) if paper else ():
        names = (run.method, run.booster.name)
        value = paper.find((run.dataset, run.data.name), names, T, result.noise_rate)
        if value is not None and value.error is not None and value not in drawn:
            drawn.add(value)
            label = run.method + AND + "paper"
            axes.plot(T, 100 * value.error, zorder=6, color=colour, label=label, **panels.DIAMOND)


def _format_rounds(axes: Axes, rounds: int, metrics: Sequence[str]) -> None:
    from matplotlib.ticker import MaxNLocator, NullFormatter

    axes.set_xlim(1, rounds * rounds**0.02)
    powers = [10**e for e in range(12) if 10**e <= rounds]
    axes.set_xticks([*powers, rounds] if rounds > 2 * powers[-1] else powers)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    panels.round_log_ticks(axes)
    if axes.get_yscale() == "linear":
        axes.set_ylim(bottom=panels.lowest(axes, metrics))
        axes.yaxis.set_major_locator(MaxNLocator(5))


_EQUAL = "error = noise rate"
_DIAGONAL: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": (0, (4, 2)), "zorder": 1}
_PANEL, _LARGE, _MARGINS = (2.2, 2.0), (4.6, 2.7), (0.35, 0.35)
_MOST_COLUMNS, _MOST_TICKS = 3, 5  # of means over data sets, and of a parameter
Point = tuple[float, float, float, float]  # x, value, ends of its band
Lines = Mapping[str, Sequence[Point]]


@figures.register("noise")
def draw_noise(
    study: Study,
    *,
    value: part_options.MetricName = "test_error",
    at: part_options.AtRound = None,
    mean: bool = False,
    against: BoosterLabel | None = None,
    band: part_options.Band = True,
    diagonal: bool = False,
) -> Figure:
    """Error against the noise rate, a panel per noise model and data set.

    Bands are one standard deviation over repeats. Those of a mean over data sets are 95 % intervals
    by a bootstrap over data sets, and those of a difference 95 % intervals of its test, over data
    sets or, for each data set, by the design of its runs.

    Parameters
    ----------
    study : Study
        With noise at two or more rates; clean labels have the rate 0.
    mean : bool, default=False
        Means over the data sets, in place of a panel for each.
    against : str or None, default=None
        Draw differences from this booster, with paired 95 % intervals.
    diagonal : bool, default=False
        Draw the line on which the error equals the noise rate, and start the axis at 0.
    """
    levels, metric, samples = _levels(study), QUANTITIES[value], samples_of(study, value, at)
    mean = mean and len(study.datasets) > 1
    study, left_out = panels.most_shown(study, value, 0 if mean else len(levels))
    (axis, T), styles = panels.axis_at(study, value, at), panels.styles_of(study)
    labels = [label for label in study.contenders if label != against]
    if against and not (labels and against in study.contenders):
        raise BoostbenchError(f"'against' must name one of several boosters, found {against!r}")
    counts = set[int]()

    def points(model: str, names: Sequence[str], label: str) -> Iterable[Point]:
        for rate, noise in levels[model]:
            needed = [*(labels if mean else [label]), *([against] if against else [])]
            if sets := [n for n in names if all(samples[noise, n, each].values for each in needed)]:
                counts.add(len(sets))
                shown = over_sets([samples[noise, name, label] for name in sets])
                if against:
                    shown = shown.minus(over_sets([samples[noise, n, against] for n in sets]))
                yield 100 * rate, *_with_band(shown, tested=mean or bool(against))

    parts = [study.datasets] if mean else [[name] for name in study.datasets]
    cells = [(model, names) for model in levels for names in parts]
    several = len(levels) > 1
    titles = [", ".join([*names] * (not mean) + [model] * several) for model, names in cells]
    n_columns = min(len(levels), _MOST_COLUMNS) if mean else panels.columns_of(len(parts))
    x = "noise rate (%)" + f", {next(iter(levels))}" * (not several)
    size = _PANEL if n_columns > 1 else _LARGE
    y = f"{axis},\nless {against}" if against else axis
    figure, grid = panels.lay_out(titles, n_columns, size, _MARGINS, (x, y))
    metric = replace(metric, least=None if against else metric.least)
    for axes, (model, names) in zip(grid, cells, strict=True):
        lines = {label: [*points(model, names, label)] for label in labels}
        _draw_lines(axes, lines, styles, metric, band=band)
        if against:
            axes.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
        if diagonal:
            rates = np.array([rate for rate, _ in levels[model]])
            axes.plot(100 * rates, metric.scale * rates, label=_EQUAL, **_DIAGONAL)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.xaxis.set_major_locator(round_ticks(6))
        axes.yaxis.set_major_locator(round_ticks(6))
        if not any(lines.values()):
            panels.say_no_result(axes, study.only(datasets=names))
    if mean:
        _cut_bands(grid)
    bands = panels.repeats_in_words(study, band=band)
    if band and (mean or against):
        kind = "of the paired difference" if against else "by a bootstrap over data sets"
        bands = f"bands: 95 % intervals {kind}"
    panels.name_lines(figure, styles, {_EQUAL: _DIAGONAL}, f"{T}; {bands}")
    over = f", mean over {span(counts)} data sets," if mean and counts else ""
    what = f"{capital(axis)}{f' less that of {against}' if against else ''}"
    panels.describe(figure, f"{what} against the noise rate{over} at {T}; {bands}.", left_out)
    return figure


def _levels(study: Study) -> dict[str, list[tuple[float, str]]]:
    """Return rates and labels of the noises of each noise model, beginning with clean labels.

    A model with several parameters is several models, whose names have the parameters.
    """
    found: dict[tuple[str, str], dict[float, str]] = {}
    for noise, rate in dict.fromkeys((r.run.noise, r.noise_rate) for r in study.results):
        if np.isfinite(rate):
            params = noise.full_label.removeprefix(noise.label)
            found.setdefault((noise.model, params), {})[rate] = noise.full_label
    clean = found.pop((CLEAN.model, ""), {})
    if not found or len({*clean, *(rate for of in found.values() for rate in of)}) < 2:
        raise BoostbenchError("a figure against the noise rate needs noise at two rates or more")
    models = [model for model, _ in found]
    return {
        model + params * (models.count(model) > 1): sorted({**clean, **of}.items())
        for (model, params), of in found.items()
    }


def _with_band(own: Repeats, *, tested: bool = False) -> tuple[float, float, float]:
    """Return the mean with the ends of its band: one standard deviation, or those of a test."""
    if tested:
        found = estimate(own, Repeats.constant(0.0, own))
        is_tested = found.test and not found.why
        return found.difference, *(found.interval if is_tested else (np.nan, np.nan))
    values = np.array([*own.values.values()])
    std = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return float(values.mean()), float(values.mean()) - std, float(values.mean()) + std


def _cut_bands(grid: Sequence[Axes]) -> None:
    """Limit the axes, on one scale, to about their lines, which wide bands would hide."""
    for axes in (axes for axes in grid if axes.lines):
        ends = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
        (low, high), room = axes.get_ylim(), 0.75 * float(np.ptp(ends))
        axes.set_ylim(max(low, ends.min() - room), min(high, ends.max() + room))
    limits = np.array([axes.get_ylim() for axes in grid])
    for axes in grid:
        axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


@figures.register("parameter")
def draw_parameter(
    study: Study,
    *,
    x: str,
    value: part_options.MetricName = "test_error",
    at: part_options.AtRound = None,
    label: str = "",
    x_scale: part_options.Scale = "log",
    y_scale: part_options.Scale = "linear",
) -> Figure:
    """Error against a parameter, mean and band over repeats, a panel per noise and data set.

    Boosters that differ only in this parameter share a line.

    Parameters
    ----------
    x : str
        Name of a numeric parameter of the boosters or, at any depth, of their components, such as
        ``max_leaf_nodes``. Boosters without it are left out.
    label : str, default=x
        Label of the x axis.
    """
    (axis, T), metric = panels.axis_at(study, value, at), QUANTITIES[value]
    names = _lines((result.run for result in study.results if result.ok), x)
    styles = method_styles(names.values())
    found: dict[tuple[str, str], dict[str, list[Point]]] = {}  # lines by noise and data set
    for (noise, dataset, booster), own in samples_of(study, value, at).items():
        if booster in names and own.values:
            run = study.cells[noise, dataset, booster][0].run
            number = float(run.booster.parameter(x))
            lines = found.setdefault((noise, dataset), {name: [] for name in styles})
            lines[names[booster]].append((number, *_with_band(own)))
    numbers = sorted({p[0] for of in found.values() for points in of.values() for p in points})
    if len(numbers) < 2:
        values = ", ".join(f"{number:g}" for number in numbers) or "no run"
        what = f"x must name a parameter with several values among the runs, found {x!r}"
        raise BoostbenchError(f"{what}: {values}")
    if x_scale == "log" and numbers[0] <= 0:
        raise BoostbenchError(f"{x} is {numbers[0]:g} in some runs; 'x_scale: linear' shows that")
    places, n_columns = panels.places_of(study), panels.columns_of(len(study.datasets))
    size = _LARGE if n_columns == 1 else _PANEL
    figure, grid = panels.lay_out(places.values(), n_columns, size, _MARGINS, (label or x, axis))
    for axes, place in zip(grid, places, strict=True):
        axes.set(xscale=x_scale, yscale=y_scale)
        lines = found.get(place, {})
        _draw_lines(axes, lines, styles, metric, band=True)
        if axes.lines:
            _format_numbers(axes, sorted({p[0] for of in lines.values() for p in of}), value)
        else:
            panels.say_no_result(axes, study.only(noises=place[:1], datasets=place[1:]))
    note = f"{T}; {panels.repeats_in_words(study, band=True)}"
    panels.name_lines(figure, styles, {}, note)
    panels.describe(figure, f"{capital(axis)} against {label or x} at {note}.")
    return figure


def _draw_lines(axes: Axes, lines: Lines, styles: Styles, metric: Quantity, *, band: bool) -> None:
    """Draw the points of each line with their band. The first lines are on top."""
    for order, (name, points) in enumerate(lines.items()):
        if points:
            x, *shown = np.array(sorted(points)).T
            rows = [x, *(metric.scale * row for row in shown[: 3 if band else 1])]
            look: dict[str, Any] = {"zorder": 4 - order / 100, "label": name, **styles[name]}
            panels.draw_line(axes, rows, 0.13, metric, markersize=3.4, linewidth=1.3, **look)


def _lines(runs: Iterable[Run], x: str) -> dict[str, str]:
    """Return the name of the line of each booster label: the part that labels of a line share."""

    def without(params: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in params.items() if name != x}

    groups: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        if is_number(run.booster.parameter(x)):
            rest = str(json.loads(run.booster.params.text, object_hook=without))
            groups.setdefault((run.booster.name, rest), {})[run.method] = None
    return {label: _shared([*of]) for of in groups.values() for label in of}


def _shared(labels: list[str]) -> str:
    """Return the first label, with only those words in brackets that all labels have.

    Examples
    --------
    >>> _shared(["MM (exact, size=5)", "MM (exact, size=10)"]), _shared(["MM (5)", "MM (10)"])
    ('MM (exact)', 'MM')
    """
    words = [label.removesuffix(")").partition(" (")[2].split(", ") for label in labels]
    shared = [word for word in words[0] if all(word in others for others in words)]
    name = labels[0].partition(" (")[0]
    return f"{name} ({', '.join(shared)})" if any(shared) else name


def _format_numbers(axes: Axes, numbers: list[float], metric: str) -> None:
    if axes.get_xscale() == "log":
        step = -(-len(numbers) // _MOST_TICKS)
        axes.minorticks_off()
        axes.set_xticks(numbers[::-1][::step])
    axes.xaxis.set_major_formatter("{x:g}")
    panels.round_log_ticks(axes)
    if axes.get_yscale() == "linear":
        axes.set_ylim(min(0.0, panels.lowest(axes, [metric])), 1.04 * axes.get_ylim()[1])
        axes.yaxis.set_major_locator(round_ticks(6))
