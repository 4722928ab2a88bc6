"""A bar for every data set and booster: the figure kind ``bars``."""

from __future__ import annotations

from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from boostbench.reports.figures.repeats import Repeats
from boostbench.reports.figures.style import GREY, SMALL
from boostbench.reports.values.frame import Study
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.options import check_choice, check_flag

__all__ = ["draw_bars"]

_LEFT, _HEIGHT, _BOTTOM = 0.6, 2.5, 0.6
_BAR, _GAP = 0.15, 0.2  # inches: width of a bar, space between data sets
_NARROWEST = 5.0


def draw_bars(
    study: Study,
    *,
    value: str = "test_error",
    at: int | None = None,
    y_scale: Literal["linear", "log"] = "linear",
    numbers: bool = True,
) -> Figure:
    """A group of bars per data set, one for each booster: means over repeats; a row per noise.

    Parameters
    ----------
    study : Study
    value : str, default="test_error"
    at : int or None, default=None
        Round T; by default the last of each booster.
    y_scale : {"linear", "log"}, default="linear"
    numbers : bool, default=True
        Whether the means are written above the bars.

    Returns
    -------
    figure : Figure
        Over several repeats, whiskers show one standard deviation.

    Raises
    ------
    BoostbenchError
        If an option has no such value, or no run has a result.
    """
    check_choice("y_scale of bars", y_scale, ["linear", "log"])
    check_flag("numbers", numbers)
    repeats = Repeats(study, value, at)
    group = _BAR * len(study.boosters) + _GAP
    width = max(_NARROWEST, _LEFT + group * len(study.datasets))
    figure = Figure(figsize=(width, _BOTTOM + _HEIGHT * len(study.noises)), layout="constrained")
    for row, noise in enumerate(study.noises):
        axes = figure.add_subplot(len(study.noises), 1, row + 1, yscale=y_scale)
        if len(study.noises) > 1:
            axes.set_title(noise, loc="left", fontweight="bold")
        axes.set_ylabel(repeats.axis)
        axes.set_xticks(range(len(study.datasets)), study.datasets, rotation=25, ha="right")
        axes.tick_params(axis="x", length=0)
        axes.grid(axis="x", visible=False)
        _draw_noise(axes, study, repeats, noise, numbers=numbers)
    figure.supxlabel(repeats.rounds, fontsize=SMALL, color=GREY, x=0.99, ha="right")
    figure.legend(
        handles=[Patch(color=colour, label=name) for name, colour in repeats.colours.items()],
        loc="outside upper right",
        ncols=len(study.boosters),
    )
    return figure


def _draw_noise(axes: Axes, study: Study, repeats: Repeats, noise: str, *, numbers: bool) -> None:
    width = _BAR / (_BAR * len(study.boosters) + _GAP)  # 1 is the distance of two data sets
    for place, dataset in enumerate(study.datasets):
        left = place - 0.5 * width * (len(study.boosters) - 1)
        drawn = False
        for order, booster in enumerate(study.boosters):
            found = repeats.values(dataset=dataset, booster=booster, noise=noise)
            if len(found):
                x, mean = left + order * width, float(found.mean())
                axes.bar(x, mean, 0.92 * width, color=repeats.colours[booster], linewidth=0)
                drawn = True
                spread = float(found.std(ddof=1)) if len(found) > 1 else 0.0
                if len(found) > 1:
                    axes.errorbar(x, mean, spread, color=GREY, linewidth=0.8, capsize=1.5)
                if numbers:
                    text = f"{mean:.1f}" if METRICS[repeats.metric].unit else f"{mean:.3g}"
                    _write(axes, x, mean + spread, text)
        if not drawn:
            states = dict.fromkeys(r.status for r in study.results if r.run.dataset == dataset)
            _write(axes, place, 0.0, ", ".join(states), axes.get_xaxis_transform())
    axes.set_xlim(-0.6, len(study.datasets) - 0.4)
    axes.margins(y=0.16 if numbers else 0.05)


def _write(axes: Axes, x: float, y: float, text: str, transform: Any = None) -> None:
    """Write upwards from a point."""
    axes.annotate(
        text,
        (x, y),
        xycoords=transform or "data",
        xytext=(0, 2),
        textcoords="offset points",
        rotation=90,
        ha="center",
        va="bottom",
        fontsize=SMALL - 1,
        color=GREY,
    )
