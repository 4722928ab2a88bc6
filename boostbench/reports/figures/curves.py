"""Error against rounds: the figure kind ``curves``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.style import GREY, booster_colours
from boostbench.reports.values.frame import Result, Study, error_curve
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.options import PaperFile, check_choice, chosen_metrics
from boostbench.reports.values.paper import PaperValue, PaperValues, read_paper_values

__all__ = ["draw_curves"]

T = TypeVar("T")

_LINES: dict[str, dict[str, Any]] = {
    "test_error": {"linestyle": "-", "linewidth": 1.4},
    "train_error": {"linestyle": (0, (4, 1.6)), "linewidth": 1.0},
    "train_error_clean": {"linestyle": (0, (1, 1.2)), "linewidth": 1.1},
    "test_cost": {"linestyle": "-", "linewidth": 1.4},
    "train_cost": {"linestyle": (0, (4, 1.6)), "linewidth": 1.0},
    "smooth_risk": {"linestyle": (0, (3, 1.2, 1, 1.2)), "linewidth": 1.0},
    "bound": {"linestyle": (0, (1, 1.2)), "linewidth": 1.2},
    "edge_bound": {"linestyle": (0, (6, 1.2, 1, 1.2)), "linewidth": 0.8},
    "edge": {"linestyle": "-", "linewidth": 1.1},
    "noisy_weight_share": {"linestyle": "-", "linewidth": 1.4},
    "noisy_among_heaviest": {"linestyle": (0, (4, 1.6)), "linewidth": 1.0},
    "weightless_share": {"linestyle": (0, (1, 1.2)), "linewidth": 1.1},
    "noisy_among_weightless": {"linestyle": (0, (3, 1.2, 1, 1.2)), "linewidth": 1.0},
}
_WORDS = {
    "test_error": "test",
    "train_error": "training",
    "train_error_clean": "training, clean labels",
    "test_cost": "test",
    "train_cost": "training",
    "smooth_risk": "test, randomised rule",
    "bound": "bound by the objective",
    "edge_bound": "bound by the edges",
    "edge": "edge",
    "noisy_weight_share": "weight on corrupted samples",
    "noisy_among_heaviest": "corrupted among the heaviest tenth",
    "weightless_share": "samples without weight",
    "noisy_among_weightless": "corrupted among them",
}
_DIAMOND: dict[str, Any] = {
    "marker": "D",
    "markersize": 4,
    "markerfacecolor": "white",
    "markeredgewidth": 1.0,
    "linestyle": "none",
}
_CROSS: dict[str, Any] = {
    "marker": "x",
    "markersize": 4.5,
    "markeredgewidth": 1.2,
    "linestyle": "none",
    "clip_on": False,
}
_N_POINTS = 200
_FEW_DECADES = 30  # from the lowest to the highest value: too few powers of ten for ticks
#: Bounds on the training error; what is above 100 % says nothing and is cut off.
_BOUNDS = ("bound", "edge_bound")
_TOP = {"linear": 105.0, "log": 130.0}
# Inches: of a panel among many and of one of a few, of the rest.
_PANEL, _LARGE_PANEL = (2.0, 1.6), (3.1, 2.2)
_LEFT, _BOTTOM, _LEGEND_LINE, _SIDE = 0.4, 0.3, 0.2, 1.9


def draw_curves(
    study: Study,
    *,
    x: Literal["round"] = "round",
    y: str | Sequence[str] = ("train_error", "test_error"),
    panels: Literal["dataset"] = "dataset",
    x_scale: Literal["log", "linear"] = "log",
    y_scale: Literal["linear", "log"] = "linear",
    band: bool = True,
    first_round: int = 1,
    paper: PaperFile | None = None,
) -> Figure:
    """Error curves, one panel per data set (and noise), mean and band over seeds.

    Parameters
    ----------
    study : Study
    x : {"round"}, default="round"
    y : str or sequence of str, default=("train_error", "test_error")
        Of ``test_error``, ``train_error``, ``train_error_clean``, ``smooth_risk``, ``bound`` and
        ``edge_bound``; of ``test_cost`` and ``train_cost``; ``edge``; or of
        ``noisy_weight_share``, ``noisy_among_heaviest``, ``weightless_share`` and
        ``noisy_among_weightless``.
    panels : {"dataset"}, default="dataset"
    x_scale : {"log", "linear"}, default="log"
    y_scale : {"linear", "log"}, default="linear"
    band : bool, default=True
        Whether one standard deviation over seeds is shaded on both sides of the mean.
    first_round : int, default=1
        Where the x axis begins.
    paper : str or None, default=None
        File with the paper's test errors, shown as hollow diamonds.

    Returns
    -------
    figure : Figure

    Raises
    ------
    BoostbenchError
        If an option has no such value.
    """
    metrics = chosen_metrics(study, "y of curves", y)
    rounds = max(2, *(result.run.rounds for result in study.results))
    _check(x, panels, x_scale, y_scale)
    if isinstance(first_round, bool) or first_round not in range(1, rounds):
        raise BoostbenchError(
            f"first_round must be a round from 1 to {rounds - 1}, found {first_round!r}"
        )
    names = {result.run.method: result.run.booster.name for result in study.results}
    look = _Look(
        colours=booster_colours([(label, names[label]) for label in study.boosters]),
        metrics=metrics,
        x_scale=x_scale,
        y_scale=y_scale,
        band=band,
        paper=read_paper_values(paper) if paper else PaperValues(),
        first=first_round,
        rounds=rounds,
    )
    rows_of_panels = [
        (noise, datasets)
        for noise in study.noises
        for datasets in _rows(study.datasets, _columns(len(study.datasets)))
    ]
    n_columns = max(len(row) for _, row in rows_of_panels)
    width, height = _LARGE_PANEL if n_columns <= 2 else _PANEL
    beside = n_columns == 1  # a narrow figure has its room for the legend at the side
    legend_width = _LEFT + width * n_columns if not beside else 0.0
    handles, n_legend_columns, n_legend_rows = _legend(study, look, legend_width)
    size = _LEFT + width * n_columns, _BOTTOM + height * len(rows_of_panels)
    more = (_SIDE, 0.0) if beside else (0.0, _LEGEND_LINE * n_legend_rows)
    figure = Figure(figsize=(size[0] + more[0], size[1] + more[1]), layout="constrained")
    for i, (noise, datasets) in enumerate(rows_of_panels):
        below = rows_of_panels[i + 1][1] if i + 1 < len(rows_of_panels) else ()
        for column, dataset in enumerate(datasets):
            axes = figure.add_subplot(len(rows_of_panels), n_columns, i * n_columns + column + 1)
            axes.set_title(dataset, loc="left", fontweight="bold")
            _draw_panel(axes, _results(study, noise, dataset), study.boosters, look)
            if column == 0:
                heading = f"{noise}\n" if len(study.noises) > 1 else ""
                axes.set_ylabel(f"{heading}{METRICS[metrics[0]].axis}")
            if column >= len(below):
                axes.set_xlabel("round")
    figure.legend(
        handles=handles,
        loc="outside right upper" if beside else "outside lower center",
        ncols=1 if beside else n_legend_columns,
        columnspacing=1.6,
        handlelength=2.4,
    )
    return figure


@dataclass(frozen=True)
class _Look:
    """What all panels share."""

    colours: dict[str, str]
    metrics: Sequence[str]
    x_scale: str
    y_scale: str
    band: bool
    paper: PaperValues
    first: int
    rounds: int


def _draw_panel(
    axes: Axes, results: Sequence[Result], boosters: Iterable[str], look: _Look
) -> None:
    axes.set_xscale(look.x_scale)
    axes.set_yscale(look.y_scale)
    usable = [result for result in results if result.ok]
    if not usable:
        states = ", ".join(dict.fromkeys(result.status for result in results))
        text = f"no result: {states}"
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color=GREY)
    known: set[PaperValue] = set()
    own_results = {
        booster: [result for result in usable if result.run.method == booster]
        for booster in boosters
    }
    for place, (booster, own) in enumerate(own_results.items()):
        if own:
            for metric in look.metrics:
                if metric not in _BOUNDS:
                    _draw_line(axes, own, metric, look, place)
            if "test_error" in look.metrics:
                _draw_stops(axes, own, look.colours[booster], look.first)
                _draw_paper_values(axes, own[0], look, known)
    _draw_bounds(axes, own_results.values(), look)
    _format_axes(axes, look)


def _draw_bounds(axes: Axes, own_results: Iterable[Sequence[Result]], look: _Look) -> None:
    """Draw bounds; the errors alone say how far down the axis goes, 100 % how far up."""
    bounds = [metric for metric in look.metrics if metric in _BOUNDS]
    if not bounds:
        return
    bottom = axes.get_ylim()[0] if axes.lines else None
    for place, own in enumerate(own_results):
        for metric in bounds:
            if own:
                _draw_line(axes, own, metric, look, place)
    axes.set_ylim(bottom, _TOP[look.y_scale])


def _draw_line(axes: Axes, results: Sequence[Result], metric: str, look: _Look, place: int) -> None:
    """Draw mean and band; where lines coincide, the booster that is listed first is seen."""
    rounds = _grid(look.first, min(result.run.rounds for result in results), look.x_scale)
    errors = np.stack([error_curve(result, metric, rounds) for result in results])
    errors *= METRICS[metric].scale
    mean = errors.mean(axis=0)
    colour = look.colours[results[0].run.method]
    shown = np.where(mean > 0, mean, np.nan) if look.y_scale == "log" else mean
    is_test = metric.startswith("test")
    height = 3 + is_test - place / 100
    axes.plot(rounds, shown, color=colour, zorder=height, **_LINES[metric])
    if look.band and len(results) > 1:
        std = errors.std(axis=0, ddof=1)
        low = np.maximum(mean - std, 0 if look.y_scale == "linear" else mean / 10)
        opacity = 0.2 if is_test else 0.1
        axes.fill_between(rounds, low, mean + std, color=colour, alpha=opacity, linewidth=0)


def _draw_stops(axes: Axes, results: Iterable[Result], colour: str, first: int) -> None:
    """Mark where runs stopped early; what follows is their last value."""
    for result in results:
        if result.stopped_at and result.stopped_at >= first:
            error = 100 * error_curve(result, "test_error", [result.stopped_at])
            axes.plot([result.stopped_at], error, color=colour, zorder=5, **_CROSS)


def _draw_paper_values(axes: Axes, result: Result, look: _Look, known: set[PaperValue]) -> None:
    """Draw the paper's values that are not there yet; variants of a booster share them."""
    if not len(look.paper):
        return
    run = result.run
    for at in range(look.first, run.rounds + 1):
        names = (run.method, run.booster.name)
        value = look.paper.find((run.dataset, run.data.name), names, at, result.noise_rate)
        if value is not None and value.error is not None and value not in known:
            known.add(value)
            colour = look.colours[run.method]
            axes.plot(at, 100 * value.error, zorder=6, color=colour, **_DIAMOND)


def _format_axes(axes: Axes, look: _Look) -> None:
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    if look.x_scale == "log":
        axes.set_xlim(look.first, look.rounds * (look.rounds / look.first) ** 0.02)
        powers = [10**e for e in range(12) if look.first <= 10**e <= look.rounds]
        axes.set_xticks([*powers, look.rounds] if look.rounds > 2 * powers[-1] else powers)
        axes.xaxis.set_major_formatter(plain)
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(look.first, look.rounds + 0.02 * (look.rounds - look.first))
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    if not axes.lines:
        axes.set_yticks([])
    elif look.y_scale == "linear":
        axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))
        axes.yaxis.set_major_locator(MaxNLocator(5))
    else:
        low, high = axes.get_ylim()
        if high < _FEW_DECADES * low:
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(plain)
        axes.yaxis.set_minor_formatter(NullFormatter())


def _legend(study: Study, look: _Look, width: float) -> tuple[list[Line2D], int, int]:
    """Return what the legend shows, its columns and its rows, for a figure of this width."""
    boosters = [
        Line2D([], [], color=look.colours[booster], linewidth=2.4, label=booster)
        for booster in study.boosters
    ]
    others = [
        Line2D([], [], color=GREY, label=_WORDS[metric], **_LINES[metric])
        for metric in look.metrics
    ]
    if "test_error" in look.metrics:
        if any(result.stopped_at for result in study.results):
            others.append(Line2D([], [], color=GREY, label="stopped early", **_CROSS))
        if len(look.paper):
            others.append(Line2D([], [], color=GREY, label="paper", **_DIAMOND))
    longest = max(len(str(handle.get_label())) for handle in (*boosters, *others))
    fitting = max(1, int((width + 0.18) / (0.54 + 0.062 * longest)))
    if len(boosters) + len(others) <= fitting:
        return [*boosters, *others], len(boosters) + len(others), 1
    rows = [*_rows(boosters, fitting), *_rows(others, fitting)]
    n_columns = max(len(row) for row in rows)
    blank = Line2D([], [], linestyle="none", label=" ")
    full = [[*row, *[blank] * (n_columns - len(row))] for row in rows]
    return [row[column] for column in range(n_columns) for row in full], n_columns, len(rows)


def _results(study: Study, noise: str, dataset: str) -> list[Result]:
    return [r for r in study.results if r.noise == noise and r.run.dataset == dataset]


def _columns(n_datasets: int) -> int:
    """Return how many panels stand side by side: at most five, in rows of about equal length."""
    if n_datasets <= 5:
        return n_datasets
    at_most_four = math.ceil(n_datasets / math.ceil(n_datasets / 4))
    return min(at_most_four, 5, key=lambda columns: -n_datasets % columns)


def _rows(items: Sequence[T], length: int) -> list[Sequence[T]]:
    return [items[start : start + length] for start in range(0, len(items), length)]


def _grid(first: int, rounds: int, scale: str) -> NDArray[np.int64]:
    """Return the rounds that are drawn: all of a short run, else as many as the eye can tell."""
    spaced = np.geomspace if scale == "log" else np.linspace
    return np.unique(spaced(first, max(first, rounds), _N_POINTS).round().astype(np.int64))


def _check(x: str, panels: str, x_scale: str, y_scale: str) -> None:
    check_choice("x of curves", x, ["round"])
    check_choice("panels of curves", panels, ["dataset"])
    check_choice("x_scale of curves", x_scale, ["log", "linear"])
    check_choice("y_scale of curves", y_scale, ["log", "linear"])
