"""Figures of the study: error against noise over all sets, the price of robustness, and time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import CLEAN
from boostbench.reports.figures.style import booster_colours
from boostbench.reports.values.differences import resampled_sets
from boostbench.reports.values.frame import Result, Study
from boostbench.validation import OneOrMore

CLEAN_NOISE = CLEAN.full_label


def error_at_the_end(result: Result) -> float:
    """Return the test error after the last round, in percent."""
    assert result.record is not None
    return 100.0 * result.record.curves["test_errors"][-1] / result.record.n_test


def seconds_of_fit(result: Result) -> float:
    """Return the time of the fit."""
    assert result.record is not None
    return float(result.record.seconds["fit"])


def means(
    study: Study, noise: str, value: Callable[[Result], float]
) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the data sets on which every booster has a value, and the boosters' means on them.

    A mean is over the repeats of a data set.
    """
    found: dict[tuple[str, str], list[float]] = {}
    for result in study.results:
        if result.ok and result.noise == noise:
            found.setdefault((result.run.method, result.run.dataset), []).append(value(result))
    sets = [d for d in study.datasets if all((b, d) in found for b in study.contenders)]
    return sets, {
        b: np.array([np.mean(found[b, d]) for d in sets]) for b in study.contenders if sets
    }


def models(study: Study) -> dict[str, list[tuple[float, str]]]:
    """Return the noise models with their rates and labels, each beginning with clean labels."""
    clean = [(0.0, noise) for noise in study.noises if noise == CLEAN_NOISE]
    found: dict[str, dict[float, str]] = {}
    for result in study.results:
        if result.noise != CLEAN_NOISE:
            found.setdefault(result.run.noise.model, {})[result.noise_rate] = result.noise
    return {model: [*clean, *sorted(labels.items())] for model, labels in found.items()}


def colours_of(study: Study) -> dict[str, str]:
    """Return the colour of each booster."""
    named = {r.run.method: r.run.booster.name for r in study.results}
    return booster_colours([(label, named[label]) for label in study.contenders])


def mean_error(study: Study) -> Figure:
    """Mean test error over the data sets against the noise rate, a panel for each kind of noise.

    The band is the 95 % interval of a bootstrap over data sets.

    Parameters
    ----------
    study : Study
    """
    panels = models(study)
    if not panels:
        raise BoostbenchError("there are no runs with noise yet")
    figure = Figure(figsize=(4.2 * len(panels), 3.6), layout="constrained")
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    colours = colours_of(study)
    for axis, (model, levels) in zip(axes, panels.items(), strict=True):
        lines: dict[str, list[tuple[float, float, float, float]]] = {}
        for rate, noise in levels:
            sets, its = means(study, noise, error_at_the_end)
            drawn = resampled_sets(len(sets)) / max(len(sets), 1)
            for label, errors in its.items():
                low, high = np.quantile(drawn @ errors, [0.025, 0.975])
                lines.setdefault(label, []).append((100 * rate, errors.mean(), low, high))
        for label, points in lines.items():
            x, y, low, high = np.array(points).T
            axis.plot(x, y, "o-", markersize=3, color=colours[label], label=label)
            axis.fill_between(x, low, high, alpha=0.1, color=colours[label], gid=label)
        axis.set(title=model, xlabel="wrong labels (%)")
    axes[0].set_ylabel("mean test error (%)")
    axes[-1].legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def price(study: Study, *, against: float = 0.3) -> Figure:
    """Cost of a booster on clean labels, and its loss when labels are wrong.

    Both are points of the mean test error over the data sets: on clean labels above the best
    booster's, and the rise from there to the given rate, a panel for each kind of noise.

    Parameters
    ----------
    study : Study
    against : float, default=0.3
        The rate.
    """
    panels = {model: dict(levels).get(against) for model, levels in models(study).items()}
    known = {model: noise for model, noise in panels.items() if noise is not None}
    sets, clean = means(study, CLEAN_NOISE, error_at_the_end)
    if not known or not clean:
        raise BoostbenchError(f"it needs runs with clean labels and at the rate {against}")
    figure = Figure(figsize=(4.2 * len(known), 3.6), layout="constrained")
    axes = figure.subplots(1, len(known), sharey=True, squeeze=False)[0]
    colours = colours_of(study)
    least = min(errors.mean() for errors in clean.values())
    for axis, (model, noise) in zip(axes, known.items(), strict=True):
        both, noisy = means(study, noise, error_at_the_end)
        kept = [k for k, name in enumerate(sets) if name in both]
        for label, errors in noisy.items():
            x, y = clean[label].mean() - least, errors.mean() - clean[label][kept].mean()
            named(axis, x, y, label, colours[label])
        axis.set(title=f"{model}, {100 * against:g} %", xlabel="above the best, clean labels")
    axes[0].set_ylabel("rise of the mean error by noise (points)")
    return figure


def error_time(study: Study, *, at: OneOrMore[float] = (0.0, 0.2)) -> Figure:
    """Mean test error against the median time of a fit; the Pareto front is a line.

    A panel for each rate, over all kinds of noise at it.

    Parameters
    ----------
    study : Study
    at : float or list of float, default=[0, 0.2]
        Rates of wrong labels.
    """
    figure = Figure(figsize=(5.0 * len(at), 3.8), layout="constrained")
    axes = figure.subplots(1, len(at), squeeze=False)[0]
    colours = colours_of(study)
    for axis, rate in zip(axes, at, strict=True):
        noises = {noise for levels in models(study).values() for r, noise in levels if r == rate}
        if not noises:
            raise BoostbenchError(f"there are no runs at the rate {rate:g}")
        points = {}
        for label in study.contenders:
            errors = [means(study, noise, error_at_the_end)[1].get(label) for noise in noises]
            times = [means(study, noise, seconds_of_fit)[1].get(label) for noise in noises]
            if all(part is not None and len(part) for part in errors):
                points[label] = float(np.median(times)), float(np.mean(errors))
        for label, (x, y) in points.items():
            named(axis, x, y, label, colours[label])
        front = list(pareto(points.values()))
        axis.plot(*np.array(front).T, color="0.7", linewidth=1.0, zorder=0)
        axis.set(xscale="log", xlabel="seconds of a fit (median)", title=f"{100 * rate:g} % wrong")
    axes[0].set_ylabel("mean test error (%)")
    return figure


def pareto(points: Iterable[tuple[float, float]]) -> Iterable[tuple[float, float]]:
    """Yield the points that no other has both coordinates lower than, by the first.

    >>> list(pareto([(2.0, 5.0), (1.0, 7.0), (3.0, 6.0)]))
    [(1.0, 7.0), (2.0, 5.0)]
    """
    best = np.inf
    for x, y in sorted(points):
        if y < best:
            best = y
            yield x, y


def named(axis: Axes, x: float, y: float, label: str, colour: str) -> None:
    """Draw a point with its name beside it."""
    axis.plot([x], [y], "o", color=colour)
    axis.annotate(label, (x, y), xytext=(3, 3), textcoords="offset points", fontsize="xx-small")
