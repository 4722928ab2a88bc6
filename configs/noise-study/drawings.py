"""Figures and tables of the noise study: mean errors, price of robustness, time, and advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from boostbench.plugins import (
    BEYOND,
    CLEAN,
    BoostbenchError,
    BoosterLabel,
    Notes,
    OneOrMore,
    Result,
    Row,
    Study,
    Table,
    TableCell,
    in_print,
    method_styles,
    resampled_sets,
    styles_of,
)

CLEAN_NOISE = CLEAN.full_label
NEAR = 1.0
MOST_NAMED = 3  # methods within NEAR points of the best


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


def price(study: Study, *, against: float = 0.3) -> Figure:
    """Cost of a booster on clean labels, and its loss by noise; crowded points have no name.

    Both are percentage points of the mean test error over data sets: the error on clean labels less
    that of the best booster, and the rise from clean labels to the given rate. There is a panel for
    each kind of noise.

    Parameters
    ----------
    study : Study
    against : float, default=0.3
        Rate of wrong labels.
    """
    panels = {model: dict(levels).get(against) for model, levels in models(study).items()}
    known = {model: noise for model, noise in panels.items() if noise is not None}
    sets, clean = means(study, CLEAN_NOISE, error_at_the_end)
    if not known or not clean:
        raise BoostbenchError(f"it needs runs with clean labels and at the rate {against}")
    figure = Figure(figsize=(5.0 * len(known), 4.8), layout="constrained")
    axes = figure.subplots(1, len(known), sharey=True, squeeze=False)[0]
    styles = styles_of(study)
    least = min(errors.mean() for errors in clean.values())
    for axis, (model, noise) in zip(axes, known.items(), strict=True):
        both, noisy = means(study, noise, error_at_the_end)
        kept = [k for k, name in enumerate(sets) if name in both]
        for label, errors in noisy.items():
            x, y = clean[label].mean() - least, errors.mean() - clean[label][kept].mean()
            axis.plot([x], [y], linestyle="none", label=label, **styles[label])
        axis.set(title=f"{model}, {100 * against:g} %", xlabel="above the best, clean labels")
    axes[0].set_ylabel("rise of the mean error by noise (points)")
    name_points(figure)
    return figure


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
                points[label] = float(np.median(times)), float(np.mean(errors))
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


def advice(study: Study, *, against: BoosterLabel = "random-forest") -> Table:
    """Recommend a method for each kind of data: the one with the lowest mean error.

    A row is for data sets of two or of more classes and for one kind of noise at low (up to 20 %)
    or high rates. Since the lowest of many means is biased downwards, the last column evaluates the
    choice out of sample: on each data set, the method that is best on all other sets of the row.

    Parameters
    ----------
    study : Study
    against : str, default="random-forest"
        Method that the last column compares with.
    """
    n_classes = {r.run.dataset: r.record.n_classes for r in study.results if r.ok and r.record}
    rows: list[Row] = []
    notes = Notes()
    best: dict[str, Counter[str]] = {}
    for classes, label in (("two", "2"), ("three or more", "≥ 3")):
        sets = [d for d in study.datasets if (n_classes.get(d) == 2) == (classes == "two")]
        for words, noises in situations(study).items() if sets else ():
            n, cells = _advised(study.only(datasets=sets), noises, against, notes)
            if n:
                rows.append(Row((f"{label} ({n} sets)", words), cells))
                best.setdefault(classes, Counter())[cells[0].text] += 1
    if not rows:
        raise BoostbenchError("no data set has results of every method yet")
    return Table(
        title="Recommended methods by type of data",
        names=("classes", "wrong labels"),
        columns=("take", "its error", "as good within a point", "fastest of these",
                 f"chosen on other sets, less {in_print(against)}"),
        rows=tuple(rows),
        answer=tuple(
            f"For data of {classes} classes, the lowest mean error is that of "
            + " and ".join(f"{name} in {n}" for name, n in counts.most_common())
            + f" of {counts.total()} situations (kinds and rates of wrong labels)."
            for classes, counts in best.items()
        ),
        footers=(
            "Error in percent, mean over data sets with its 95 % interval by a bootstrap over "
            "them; it is too low, as the lowest of many.",
            "Last column: points of error, below 0 is better. On each set the method is taken that "
            "has the lowest mean error on the other sets of the line, so that none had a part in "
            "its own choice.",
        ),
        notes=tuple(notes),
    )  # fmt: skip


def situations(study: Study) -> dict[str, list[str]]:
    """Return the labels of the noises of each kind, by a description of the kind."""
    found = {"none": [CLEAN_NOISE]} if CLEAN_NOISE in study.noises else {}
    for model, levels in models(study).items():
        for rate, noise in levels:
            if rate > 0.0:
                words = "≤ 20 %" if rate <= 0.2 else "> 20 %"
                found.setdefault(f"{model} {words}", []).append(noise)
    return found


def _advised(
    study: Study, noises: list[str], against: str, notes: Notes
) -> tuple[int, tuple[TableCell, ...]]:
    """Return the number of data sets with results of every method, and the cells of a row.

    A note lists the methods within a point if they are many.
    """
    errors, seconds = (over_noises(study, noises, v) for v in (error_at_the_end, seconds_of_fit))
    if errors is None or seconds is None:
        return 0, ()
    labels, each, n_sets = study.contenders, errors.mean(axis=1), errors.shape[1]
    order = [int(k) for k in np.argsort(each, kind="stable")]
    near = [k for k in order if each[k] <= each[order[0]] + NEAR]
    fastest = min(near, key=lambda k: float(np.median(seconds[k])))
    gain = BEYOND
    if against in labels and n_sets > 2:  # fewer leave at most one set to choose on
        others = [np.delete(errors, j, axis=1).mean(axis=1).argmin() for j in range(n_sets)]
        found = errors[others, range(n_sets)] - errors[labels.index(against)]
        gain = "{:+.1f} [{:+.1f}, {:+.1f}]".format(*interval(found))
    as_good = [in_print(labels[k]) for k in near[1:]]
    more = as_good[MOST_NAMED:]
    texts = (
        in_print(labels[order[0]]),
        "{:.1f} [{:.1f}, {:.1f}]".format(*interval(errors[order[0]])),
        ", ".join(as_good[:MOST_NAMED]) + f" and {len(more)} more" * bool(more) or BEYOND,
        in_print(labels[fastest]),
        gain,
    )
    cells = [TableCell(text, value=text) for text in texts]
    if more:
        cells[2] = replace(cells[2], notes=notes.number([f"The others: {', '.join(more)}."]))
    return n_sets, tuple(cells)


def over_noises(
    study: Study,
    noises: list[str],
    value: Callable[[Result], float] = error_at_the_end,
    *,
    rise: bool = False,
) -> np.ndarray | None:
    """Return the means over noises, with a row per booster and a column per complete data set.

    With ``rise``, return the values of the second of two noises less those of the first. None if no
    data set has results of every booster for every noise.
    """
    parts = [means(study, noise, value) for noise in noises]
    sets = [d for d in study.datasets if all(d in known for known, _ in parts)]
    if not sets:
        return None
    first, *others = (
        np.array([its[label][[known.index(d) for d in sets]] for label in study.contenders])
        for known, its in parts
    )
    return others[0] - first if rise else np.mean([first, *others], axis=0)


def breaks(study: Study, *, families: dict[str, list[BoosterLabel]], by: float = 5.0) -> Table:
    """Find the lowest rate of wrong labels at which the mean error of a family clearly rises.

    Parameters
    ----------
    study : Study
    families : dict of str to list of str
        Labels of the methods of each family, whose errors are averaged.
    by : float, default=5.0
        Percentage points that the 95 % interval of the rise from clean labels must exceed.
    """
    panels = models(study)
    rows = []
    for family, members in families.items():
        present = [member for member in members if member in study.contenders]
        if not present:
            continue
        of_family = study.only(boosters=present)
        cells = [_breaks(of_family, levels, by) for levels in panels.values()]
        rows.append(Row((family,), tuple(TableCell(text, value=text) for text in cells)))
    if not rows or not panels:
        raise BoostbenchError("no family has results with noise yet")
    return Table(
        title="Where each family breaks",
        names=("family",),
        columns=tuple(panels),
        rows=tuple(rows),
        footers=(
            "The lowest rate at which the mean error over data sets exceeds that on clean labels "
            f"by more than {by:g} points with its whole 95 % interval, by a bootstrap over data "
            "sets. In brackets the rise in points and the interval, there or at the highest rate.",
        ),
    )


def _breaks(study: Study, levels: list[tuple[float, str]], by: float) -> str:
    """Return the text of the cell for a family and a noise model, given by its levels."""
    text = BEYOND
    for rate, noise in levels:
        both = over_noises(study, [CLEAN_NOISE, noise], rise=True)
        if rate == 0.0 or both is None:
            continue
        rise = interval(both.mean(axis=0))
        words = "({:+.1f} [{:+.1f}, {:+.1f}])".format(*rise)
        if rise[1] > by:
            return f"{100 * rate:g} % {words}"
        text = f"not up to {100 * rate:g} % {words}"
    return text
