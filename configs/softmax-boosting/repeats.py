"""Values of all repeats at one T."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.plugins import (
    DIAMOND,
    GREY,
    INK,
    PRINTED,
    QUANTITIES,
    AtRound,
    MetricName,
    PaperFile,
    PaperValues,
    Study,
    axis_at,
    capital,
    colours_of,
    describe,
    lay_out,
    remark,
    round_ticks,
    samples_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEVELS = 45  # bins of the value axis; points in the same bin are drawn side by side
_WIDEST = 0.84  # largest width of a strip of points; strips have the distance 1
_MOST_COLUMNS = 5


def distribution(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    x: Literal["noise", "booster"] | None = None,
    perfect: bool = False,
    paper: PaperFile | None = None,
) -> Figure:
    """Values of all repeats as points, with a line at their mean.

    Parameters
    ----------
    x : {"noise", "booster"}, default=None
        The strips of points in a panel; there is a panel for each value of the other one. By
        default the noise if there are several noises, otherwise the booster.
    perfect : bool, default=False
        Write the share of repeats with the value 0 above each strip.
    paper : PaperValues or None, default=None
        File with the paper's test errors, shown as hollow diamonds.
    """
    (axis, T), colours = axis_at(study, value, at), colours_of(study)
    cells = {
        (dataset, booster, noise): QUANTITIES[value].scale * np.array([*sample.values.values()])
        for (noise, dataset, booster), sample in samples_of(study, value, at).items()
        if sample.values
    }
    printed = _printed(study, value, paper, at)
    x = x or ("noise" if len(study.noises) > 1 else "booster")
    strips, others = study.noises, study.boosters
    if x == "booster":
        strips, others = others, strips
    names, x_label = _strip_names(study, x)
    contents = [(dataset, other) for dataset in study.datasets for other in others]
    n_columns = min(len(contents), _MOST_COLUMNS)
    if 1 < len(others) <= _MOST_COLUMNS:
        n_columns = len(others)
    width = max(1.7, 0.4 + 0.16 * len(strips))
    titles = [
        ", ".join([dataset] * (len(study.datasets) > 1) + [other] * (len(others) > 1))
        for dataset, other in contents
    ]
    labels, pad = (x_label, axis), 11 if perfect else None
    figure, panels = lay_out(titles, n_columns, (width, 1.9), (0.4, 0.5), labels, pad=pad)
    remark(figure, T + "; hollow diamonds: the paper" * bool(printed))
    top = max([0.0, *(float(values.max()) for values in cells.values()), *printed.values()]) or 1.0
    for place, (axes, (dataset, other)) in enumerate(zip(panels, contents, strict=True)):
        for position, strip in enumerate(strips):
            booster, noise = (other, strip) if x == "noise" else (strip, other)
            if (dataset, booster, noise) in cells:
                values = cells[dataset, booster, noise]
                _draw_strip(axes, values, position, colours[booster], top, perfect=perfect)
            if (dataset, booster, noise) in printed:
                axes.plot(position, printed[dataset, booster, noise], zorder=5, **DIAMOND)
        is_last = place >= len(panels) - n_columns
        _format_axes(axes, names if is_last else [""] * len(names), top, perfect=perfect)
    describe(
        figure,
        f"{capital(axis)} of every run at {T}; the line is the mean.",
        "Hollow diamonds are the paper's values." * bool(printed),
    )
    return figure


def _printed(
    study: Study, metric: str, paper: PaperValues | None, at: int | None
) -> dict[tuple[str, str, str], float]:
    """Return the paper's test errors in percent by data set, booster and noise."""
    paper_values = paper if paper and metric == PRINTED else PaperValues()
    errors = {}
    for result in study.results:
        run = result.run
        datasets, boosters = (run.dataset, run.data.name), (run.method, run.booster.name)
        value = paper_values.find(datasets, boosters, at or run.rounds, result.noise_rate)
        if value is not None and value.error is not None:
            errors[run.dataset, run.method, result.noise] = 100 * value.error
    return errors


def _draw_strip(
    axes: Axes,
    values: NDArray[np.float64],
    position: int,
    colour: str,
    top: float,
    *,
    perfect: bool,
) -> None:
    """Draw a strip of points, similar ones side by side, and a line at their mean."""
    size = 9 if len(values) <= 30 else 5
    x = position + _side_by_side(values, top / _LEVELS)
    axes.scatter(x, values, s=size, color=colour, alpha=0.7, linewidths=0, zorder=3)
    axes.hlines(values.mean(), position - 0.34, position + 0.34, color=INK, linewidth=1.0)
    if perfect:
        share = f"{100 * float(np.mean(values == 0)):.0f}"
        axes.text(position, 1.09 * top, share, ha="center", fontsize=6, color=GREY)


def _side_by_side(values: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return horizontal offsets of points, so that points within a ``level`` do not overlap."""
    import pandas as pd

    bins = pd.Series(values).groupby(np.floor(values / level))
    counts = bins.transform("size")
    step = min(0.09, _WIDEST / max(1, int(counts.max()) - 1))
    offsets = step * (bins.rank(method="first") - (counts + 1) / 2)
    return offsets.to_numpy(dtype=np.float64)


def _strip_names(study: Study, x: str) -> tuple[list[str], str]:
    """Return the labels of the strips and of the x axis; noises of one model by their rates."""
    if x == "booster":
        return study.boosters, ""
    finished = [result for result in study.results if result.ok]
    rates = {result.noise: result.noise_rate for result in finished}
    models = {result.run.noise.model for result in finished} - {"none"}
    if len(models) != 1 or len({*rates.values()}) < len(rates):
        return study.noises, "label noise"
    names = [f"{100 * rates[noise]:.3g}" if noise in rates else noise for noise in study.noises]
    return names, "noise rate (%)"


def _format_axes(axes: Axes, names: list[str], top: float, *, perfect: bool) -> None:
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_xticks(range(len(names)), names)
    if max(map(len, names)) > 4:
        axes.tick_params(axis="x", rotation=40)
        for text in axes.get_xticklabels():
            text.set(ha="right", rotation_mode="anchor")
    axes.set_ylim(-0.02 * top, (1.2 if perfect else 1.05) * top)
    axes.yaxis.set_major_locator(round_ticks(5))
    axes.grid(visible=False, axis="x")
    if perfect:
        style: dict[str, Any] = {"fontsize": 6, "color": GREY, "va": "bottom"}
        axes.text(0, 1.0, "repeats at 0, in percent:", transform=axes.transAxes, **style)
