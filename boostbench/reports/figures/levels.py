"""Error against a noise rate or a parameter: the figure kinds ``noise`` and ``parameter``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.kind_options import scope_of
from boostbench.quantities import QUANTITIES
from boostbench.reports.figures.panels import (
    columns_of,
    describe,
    draw_line,
    lay_out,
    lowest,
    most_shown,
    name_lines,
    repeats_in_words,
    round_log_ticks,
    styles_of,
    values_at,
)
from boostbench.reports.figures.style import GREY, method_styles, round_ticks
from boostbench.reports.text import capital
from boostbench.reports.values.frame import Result, Study
from boostbench.reports.values.part_options import AtRound, Band, MetricName, Scale

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_EQUAL = "error = noise rate"
_DIAGONAL: dict[str, Any] = {"linewidth": 0.8, "linestyle": (0, (4, 2))}
_LINE: dict[str, Any] = {"markersize": 3.4, "linewidth": 1.3}
_LARGE_PANEL = (4.6, 2.7)
_MOST_TICKS = 5
Styles = Mapping[str, Mapping[str, Any]]  # colour and mark by label of a line


def _check_rates(models: Sequence[str], rates: Collection[float]) -> None:
    if len(models) != 1 or len(rates) < 2:
        raise BoostbenchError(
            "a figure of noise levels is for one noise model at several rates, found "
            f"{', '.join(models) or 'no noise'} at {', '.join(f'{rate:g}' for rate in rates)}; "
            "choose the noises by 'noises: [...]'"
        )


def _check_noises(diagonal: bool, info: ValidationInfo) -> bool:
    """Refuse several models; with a single rate, only the report lacks the figure."""
    scope, shown = scope_of(info), info.data.get("noises", ())
    noises = [n for n in scope.noises if not shown or n.full_label in shown]
    models = sorted({noise.model for noise in noises} - {"none"})
    rates = {noise.rate for noise in noises if not isinstance(noise.rate, str)}
    if "noise" not in scope.unknown and len(models) > 1:
        _check_rates(models, sorted(rates))
    return diagonal


#: The last option, with which the noises that are shown are checked.
_Diagonal = Annotated[bool, AfterValidator(_check_noises), Field(validate_default=True)]


def draw_noise_levels(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    band: Band = True,
    diagonal: _Diagonal = False,
) -> Figure:
    """Error against the noise rate, mean and band over repeats, one panel per data set.

    Parameters
    ----------
    study : Study
        With one noise model at two or more rates; clean labels have the rate 0.
    diagonal : bool, default=False
        Draw the line on which the error equals the noise rate, and start the axis at 0.
    """
    study, left_out = most_shown(study, value)
    shown, styles = values_at(study, value, at), styles_of(study)
    models = sorted(set(shown.frame["noise_model"]) - {"none"})
    rates = np.unique(shown.frame["noise_rate"])
    _check_rates(models, rates)
    frame = shown.frame.assign(x=100 * shown.frame["noise_rate"], line=shown.frame["booster"])
    n_columns = columns_of(len(study.datasets))
    size, margins = _LARGE_PANEL if n_columns == 1 else (2.2, 2.0), (0.35, 0.4)
    labels = f"noise rate (%), {models[0]}", shown.axis
    figure, panels = lay_out(study, study.noises[-1:], n_columns, size, margins, labels)
    for axes, _, dataset, _ in panels:
        _draw_lines(axes, frame[frame["dataset"] == dataset], styles, value, band=band)
        if diagonal:
            scale = QUANTITIES[value].scale
            axes.plot(100 * rates, scale * rates, color=GREY, label=_EQUAL, zorder=1, **_DIAGONAL)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        last = 100 * float(rates[-1])
        axes.set_xlim(-0.02 * last, 1.02 * last)
        axes.xaxis.set_major_locator(round_ticks(6))
        axes.yaxis.set_major_locator(round_ticks(6))
    note = f"{shown.rounds}; {repeats_in_words(study, band=band)}"
    name_lines(figure, panels, styles, {_EQUAL: _DIAGONAL}, note)
    describe(figure, f"{capital(shown.axis)} against the noise rate at {note}.", left_out)
    return figure


def draw_parameter(
    study: Study,
    *,
    x: str,
    value: MetricName = "test_error",
    at: AtRound = None,
    label: str = "",
    x_scale: Scale = "log",
    y_scale: Scale = "linear",
    band: Band = True,
) -> Figure:
    """Error against a parameter, mean and band over repeats, a panel per data set, rows per noise.

    Boosters that differ only in this parameter share a line.

    Parameters
    ----------
    x : str
        Name of a numeric parameter of the boosters or, at any depth, of their components, such as
        ``max_leaf_nodes``. Boosters without it are left out.
    label : str, default=x
        Label of the x axis.
    """
    shown = values_at(study, value, at)
    frame = _with_parameter(shown.frame, study, x)
    styles = method_styles(frame["line"])
    n_columns = columns_of(len(study.datasets))
    size, margins = _LARGE_PANEL if n_columns == 1 else (2.0, 1.7), (0.35, 0.3)
    labels = label or x, shown.axis
    figure, panels = lay_out(study, study.noises, n_columns, size, margins, labels)
    for axes, noise, dataset, _ in panels:
        axes.set_xscale(x_scale)
        axes.set_yscale(y_scale)
        part = frame[(frame["dataset"] == dataset) & (frame["noise"] == noise)]
        _draw_lines(axes, part, styles, value, band=band)
        if axes.lines:
            _format_axes(axes, sorted(set(part["x"])), value)
    note = f"{shown.rounds}; {repeats_in_words(study, band=band)}"
    name_lines(figure, panels, styles, {}, note)
    describe(figure, f"{capital(shown.axis)} against {label or x} at {note}.")
    return figure


def _draw_lines(axes: Axes, frame: pd.DataFrame, styles: Styles, value: str, *, band: bool) -> None:
    """Draw the mean ``value`` against ``x`` for each ``line``, with one standard deviation.

    The first lines are on top.
    """
    for order, (name, style) in enumerate(styles.items()):
        grouped = frame[frame["line"] == name].groupby("x")["value"]
        mean, std = grouped.mean(), grouped.std().fillna(0.0)
        if mean.empty:
            continue
        draw_line(
            axes,
            mean.index.to_numpy(dtype=np.float64),
            np.asarray(mean, np.float64),
            np.asarray(std, np.float64) if band else None,
            least=QUANTITIES[value].shown_range[0],
            zorder=4 - order / 100,
            label=name,
            **_LINE,
            **style,
        )


def _with_parameter(frame: pd.DataFrame, study: Study, x: str) -> pd.DataFrame:
    """Add columns to a frame of runs: the parameter, and its line.

    Runs of boosters without the parameter are dropped.
    """
    lines = _lines((result for result in study.results if result.ok), x)
    boosters = {(r.run.dataset, r.run.method): r.run.booster for r in study.results}
    own = [boosters[key] for key in zip(frame["dataset"], frame["booster"], strict=True)]
    frame = frame.assign(
        x=[booster.parameter(x) for booster in own],
        line=[lines.get(label, "") for label in frame["booster"]],
    )
    frame = frame[frame["line"] != ""]
    if frame["x"].nunique() < 2:
        values = ", ".join(f"{number:g}" for number in frame["x"].unique()) or "no run"
        raise BoostbenchError(
            f"x must name a parameter with several values among the runs, found {x!r}: {values}"
        )
    return frame.astype({"x": float})


def _lines(results: Iterable[Result], x: str) -> dict[str, str]:
    """Return the name of the line of each booster label: the part that labels of a line share."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for booster, label in ((result.run.booster, result.run.method) for result in results):
        number = booster.parameter(x)
        if isinstance(number, int | float) and not isinstance(number, bool):
            rest = repr(_without(booster.params, x))
            groups.setdefault((booster.name, rest), {})[label] = None
    return {label: _shared(list(labels)) for labels in groups.values() for label in labels}


def _without(params: Mapping[str, object], x: str) -> dict[str, object]:
    return {
        name: _without(value, x) if isinstance(value, Mapping) else value
        for name, value in sorted(params.items())
        if name != x
    }


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


def _format_axes(axes: Axes, numbers: list[float], metric: str) -> None:
    from matplotlib.ticker import NullLocator

    if axes.get_xscale() == "log":
        step = -(-len(numbers) // _MOST_TICKS)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(numbers[::-1][::step])
    axes.xaxis.set_major_formatter("{x:g}")
    round_log_ticks(axes)
    if axes.get_yscale() == "linear":
        axes.set_ylim(min(0.0, lowest(axes, [metric])), 1.04 * axes.get_ylim()[1])
        axes.yaxis.set_major_locator(round_ticks(6))
