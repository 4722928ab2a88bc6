"""Figure kind ``bars``: mean errors by data set."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from boostbench.plugins import (
    GREY,
    QUANTITIES,
    SMALL,
    AtRound,
    MetricName,
    Scale,
    Study,
    add_legend,
    axis_at,
    capital,
    colours_of,
    describe,
    lay_out,
    repeats_in_words,
    round_log_ticks,
    samples_of,
)

_BAR, _GAP = 0.15, 0.2  # inches: width of a bar, space between data sets
_NARROWEST = 5.0  # inches: smallest width of the figure


def bars(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    y_scale: Scale = "linear",
) -> Figure:
    """Means over repeats as bars: a group per data set, a bar per booster, a panel per noise.

    With several repeats, whiskers show one standard deviation.
    """
    (axis, T), colours = axis_at(study, value, at), colours_of(study)
    samples = samples_of(study, value, at)
    group = _BAR * len(study.boosters) + _GAP
    width = max(_NARROWEST - 0.6, group * len(study.datasets))
    titles = [noise * (len(study.noises) > 1) for noise in study.noises]
    figure, panels = lay_out(titles, 1, (width, 2.5), (0.6, 0.6), ("", axis))
    number = ".1f" if QUANTITIES[value].unit else ".3g"
    for axes, noise in zip(panels, study.noises, strict=True):
        axes.set_yscale(y_scale)
        axes.set_xticks(range(len(study.datasets)), study.datasets, rotation=25, ha="right")
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="x", visible=False)
        cells = {
            labels[1:]: QUANTITIES[value].scale * np.array([*sample.values.values()])
            for labels, sample in samples.items()
            if labels[0] == noise and sample.values
        }
        _draw_noise(axes, study, cells, colours, number)
        round_log_ticks(axes)
    words = repeats_in_words(study, band=False)
    several = len({(r.run.seed, r.fold) for r in study.results}) > 1
    note = f"{T}; {words}{'; whiskers: one standard deviation' * several}"
    patches = [Patch(color=colour, label=name) for name, colour in colours.items()]
    add_legend(figure, patches, note=note)
    describe(figure, f"{capital(axis)} by data set at {note}.")
    return figure


def _draw_noise(
    axes: Axes, study: Study, cells: dict[Any, Any], colours: dict[str, str], number: str
) -> None:
    width = _BAR / (_BAR * len(study.boosters) + _GAP)  # relative to the distance of data sets
    for place, dataset in enumerate(study.datasets):
        left = place - 0.5 * width * (len(study.boosters) - 1)
        for order, booster in enumerate(study.boosters):
            if (dataset, booster) not in cells:
                continue
            values = cells[dataset, booster]
            x, mean = left + order * width, float(values.mean())
            axes.bar(x, mean, 0.92 * width, color=colours[booster], linewidth=0)
            spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
            if len(values) > 1:
                axes.errorbar(x, mean, spread, color=GREY, linewidth=0.8, capsize=1.5)
            _write_vertically(axes, x, mean + spread, format(mean, number))
        if not any((dataset, booster) in cells for booster in study.boosters):
            statuses = dict.fromkeys(r.status for r in study.results if r.run.dataset == dataset)
            _write_vertically(axes, place, 0.0, ", ".join(statuses), axes.get_xaxis_transform())
    axes.set_xlim(-0.6, len(study.datasets) - 0.4)
    axes.margins(y=0.16)


def _write_vertically(axes: Axes, x: float, y: float, text: str, transform: Any = "data") -> None:
    place: dict[str, Any] = {"xytext": (0, 2), "textcoords": "offset points", "rotation": 90}
    style: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": SMALL - 1, "color": GREY}
    axes.annotate(text, (x, y), xycoords=transform, **place, **style)
