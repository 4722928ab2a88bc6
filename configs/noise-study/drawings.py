"""Figures of the noise study: mean error against time, and against the leaves of the trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from boostbench.plugins import (
    CLEAN,
    BoostbenchError,
    OneOrMore,
    Result,
    Study,
    in_print,
    method_styles,
    resampled_sets,
    styles_of,
)

CLEAN_NOISE = CLEAN.full_label


def error_at_the_end(result: Result) -> float:
    """Return the test error after the last round, in percent."""
    assert result.record is not None
    return 100.0 * result.record.curves["test_errors"][-1] / result.record.n_test


def seconds_of_fit(result: Result) -> float:
    """Return the time of the fit in seconds."""
    assert result.record is not None
    return float(result.record.seconds["fit"])


def means(
    study: Study, noise: str, value: Callable[[Result], float]
) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the data sets with values of every booster, and the means of each booster on them.

    Each mean is over the repeats on one data set.
    """
    found = {
        (booster, dataset): np.mean([value(result) for result in results if result.ok])
        for (of_noise, dataset, booster), results in study.cells.items()
        if of_noise == noise and any(result.ok for result in results)
    }
    sets = [d for d in study.datasets if all((b, d) in found for b in study.contenders)]
    return sets, {b: np.array([found[b, d] for d in sets]) for b in study.contenders if sets}


def models(study: Study) -> dict[str, list[tuple[float, str]]]:
    """Return rates and labels of the noises of each noise model, beginning with clean labels."""
    clean = [(0.0, noise) for noise in study.noises if noise == CLEAN_NOISE]
    found: dict[str, dict[float, str]] = {}
    for result in study.results:
        if result.noise != CLEAN_NOISE:
            found.setdefault(result.run.noise.model, {})[result.noise_rate] = result.noise
    return {model: [*clean, *sorted(labels.items())] for model, labels in found.items()}


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
        for label, errors in means(study, noise, error_at_the_end)[1].items():
            lines.setdefault(named_as[label], []).append((sizes[label], *interval(errors)))
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
        levels = [level for of_model in models(study).values() for level in of_model]
        noises = dict.fromkeys(noise for r, noise in levels if r == rate)
        if not noises:
            raise BoostbenchError(f"there are no runs at the rate {rate:g}")
        all_errors = [means(study, noise, error_at_the_end)[1] for noise in noises]
        all_times = [means(study, noise, seconds_of_fit)[1] for noise in noises]
        points = {}
        for label in study.contenders:
            errors = [of_noise.get(label) for of_noise in all_errors]
            times = [of_noise.get(label) for of_noise in all_times]
            if all(part is not None and len(part) for part in errors):
                # the noises may have other data sets, but each has the same of all methods
                time = float(np.median(np.concatenate(times)))
                points[label] = time, float(np.mean([np.mean(part) for part in errors]))
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
