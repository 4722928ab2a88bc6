"""Figures of the noise study: mean error against time, and against the leaves of the trees."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from boostbench.plugins import (
    BoostbenchError,
    OneOrMore,
    Study,
    in_print,
    load_plugin,
    method_styles,
    resampled_sets,
    styles_of,
)

standings = load_plugin(Path(__file__).with_name("standings.py"))


def leaves(study: Study) -> Figure:
    """Mean test error over the data sets against the leaves of the trees, a panel for each noise.

    The band is the 95 % interval of a bootstrap over data sets.
    """
    sizes = {r.run.method: r.run.booster.parameter("max_leaf_nodes") for r in study.results}
    named_as = {r.run.method: r.run.booster.name for r in study.results}
    styles = method_styles(named_as.values())
    figure = Figure(figsize=(4.2 * len(study.noises), 3.6), layout="constrained")
    axes = figure.subplots(1, len(study.noises), sharey=True, squeeze=False)[0]
    for axis, noise in zip(axes, study.noises, strict=True):
        lines: dict[str, list[tuple[float, float, float, float]]] = {}
        sets, errors, _ = standings.complete(study, [noise])
        for label, of_sets in zip(study.contenders, errors, strict=True):
            if sets:
                lines.setdefault(named_as[label], []).append((sizes[label], *interval(of_sets)))
        for name, points in lines.items():
            x, y, low, high = np.array(sorted(points)).T
            axis.plot(x, y, markersize=3, label=name, **styles[name])
            axis.fill_between(x, low, high, alpha=0.06, color=styles[name]["color"], gid=name)
        ticks = sorted({*sizes.values()})
        axis.set_xscale("log", base=2)
        axis.set_xticks(ticks, [f"{size}" for size in ticks])
        axis.set(title=noise, xlabel="leaves of a tree")
    axes[0].set_ylabel("mean test error (%)")
    axes[-1].legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean over data sets, and its 95 % interval by a bootstrap over data sets.

    >>> interval(np.array([2.0, 2.0]))
    (2.0, 2.0, 2.0)
    """
    drawn = resampled_sets(len(values)) @ values / len(values)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def error_time(study: Study, *, at: OneOrMore[float] = (0.0, 0.2)) -> Figure:
    """Mean test error against median time of a fit, with Pareto front; crowded points have no name.

    There is a panel for each rate, with means over all kinds of noise.

    Parameters
    ----------
    study : Study
    at : float or list of float, default=[0, 0.2]
        Rates of wrong labels.
    """
    figure = Figure(figsize=(5.0 * len(at), 4.8), layout="constrained")
    axes = figure.subplots(1, len(at), squeeze=False)[0]
    styles = styles_of(study)
    for axis, rate in zip(axes, at, strict=True):
        noises = dict.fromkeys(r.noise for r in study.results if r.noise_rate == rate)
        if not noises:
            raise BoostbenchError(f"there are no runs at the rate {rate:g}")
        # the noises may have other data sets, but each has the same of all methods
        found = [standings.complete(study, [noise])[1:] for noise in noises]
        points = {}
        if all(errors.size for errors, _ in found):
            for k, label in enumerate(study.contenders):
                time = float(np.median(np.concatenate([seconds[k] for _, seconds in found])))
                points[label] = time, float(np.mean([errors[k].mean() for errors, _ in found]))
        front = list(pareto(points.values()))
        axis.plot(*np.array(front).T, color="0.7", linewidth=1.0, zorder=0)
        for label, (x, y) in points.items():
            axis.plot([x], [y], linestyle="none", label=label, **styles[label])
        axis.set(xscale="log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter("{x:g}")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set(xlabel="seconds of a fit (median)", title=f"{100 * rate:g} % wrong")
    axes[0].set_ylabel("mean test error (%)")
    name_points(figure)
    return figure


def pareto(points: Iterable[tuple[float, float]]) -> Iterable[tuple[float, float]]:
    """Yield the Pareto-optimal points, in order of the first coordinate.

    >>> list(pareto([(2.0, 5.0), (1.0, 7.0), (3.0, 6.0)]))
    [(1.0, 7.0), (2.0, 5.0)]
    """
    best = np.inf
    for x, y in sorted(points):
        if y < best:
            best = y
            yield x, y


def name_points(figure: Figure) -> None:
    """Write the label of each point beside it, the lowest points first, where there is room."""
    FigureCanvasAgg(figure)  # one renderer for all names; without it, each would make its own
    figure.draw_without_rendering()  # fixes the layout, on which the room depends
    for axis in figure.axes:
        points = [line for line in axis.lines if line.get_marker() != "None"]
        taken = [line.get_window_extent() for line in points]
        for line in sorted(points, key=lambda line: float(line.get_ydata()[0])):
            for x, y in ((5, 3), (5, -7), (-5, 3), (-5, -7)):
                name = axis.annotate(
                    in_print(str(line.get_label())),
                    line.get_xydata()[0],
                    xytext=(x, y),
                    textcoords="offset points",
                    fontsize="xx-small",
                    ha="left" if x > 0 else "right",
                )
                extent = name.get_window_extent()
                if extent.x0 > axis.bbox.x0 and not extent.count_overlaps(taken):
                    taken.append(extent)
                    break
                name.remove()
