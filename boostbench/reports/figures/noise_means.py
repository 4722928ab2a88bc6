"""Means and differences against the noise rate: the figure kind ``noise-means``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.kind_options import BoosterLabel
from boostbench.quantities import QUANTITIES
from boostbench.reports.figures.panels import (
    add_legend,
    describe,
    grid_of,
    label_outer,
    styles_of,
    title,
    values_at,
)
from boostbench.reports.figures.style import GREY
from boostbench.reports.text import capital
from boostbench.reports.values.designs import Floats, Repeats, over_sets, sample_of
from boostbench.reports.values.differences import estimate, resampled_sets
from boostbench.reports.values.frame import END, Study
from boostbench.reports.values.part_options import AtRound, MetricName

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL, _LARGE, _MARGINS = (2.5, 2.1), (4.6, 2.9), (0.35, 0.3)
_MOST_COLUMNS = 3


def draw_noise_means(
    study: Study,
    *,
    value: MetricName = "test_error",
    at: AtRound = None,
    against: Annotated[
        BoosterLabel | None,
        Field(description="Draw differences from this booster, with paired 95 % intervals."),
    ] = None,
    each_set: Annotated[
        bool, Field(description="A panel for each data set, in place of means over them.")
    ] = False,
    each_method: Annotated[
        bool, Field(description="A panel for each booster and its variants; for one noise.")
    ] = False,
) -> Figure:
    """Mean over the data sets against the noise rate, a panel per noise model, or differences.

    Bands are 95 % intervals: of the mean by a bootstrap over data sets; of a difference those of
    its test, over data sets or, for each data set, by the design of its runs.

    Parameters
    ----------
    study : Study
        With noise at two or more rates; clean labels have the rate 0.
    """
    if each_set and against is None:
        raise BoostbenchError("each_set needs 'against'; the figure 'noise' has each data set")
    levels = _levels(study)
    shown, styles = values_at(study, value, at), styles_of(study)
    points = _Points(study, value, END if at is None else at, against)
    labels = [label for label in study.contenders if label != against]
    panels = [
        (_heading(model, datasets, each_set, len(levels)), model, datasets, labels)
        for model in levels
        for datasets in ([[name] for name in study.datasets] if each_set else [study.datasets])
    ]
    if each_method:
        if len(panels) > 1:
            raise BoostbenchError("each_method needs runs with one noise model")
        _, model, datasets, _ = panels[0]
        stems = dict.fromkeys(map(_stem, labels))
        panels = [(s, model, datasets, [x for x in labels if _stem(x) == s]) for s in stems]
    n_columns = min(len(panels), _MOST_COLUMNS)
    figure, grid = grid_of(len(panels), n_columns, _PANEL if n_columns > 1 else _LARGE, _MARGINS)
    for axes, (heading, model, datasets, those) in zip(grid, panels, strict=True):
        title(axes, heading)
        for label in those:
            line = [
                (100 * rate, *point)
                for rate, noise in levels[model]
                for point in points.of(noise, datasets, label)
            ]
            if line:
                _draw(axes, np.array(line).T, label, styles[label], QUANTITIES[value].scale)
        if against is not None:
            axes.axhline(0.0, color=GREY, linewidth=0.8, zorder=1)
    words = f"{shown.axis},\nless {against}" if against else shown.axis
    label_outer(grid, n_columns, "noise rate (%)", words)
    _set_limits([axes for axes in grid if axes.lines], each_set)
    handles = {line.get_label(): line for axes in grid for line in axes.get_lines()}
    named = [handles[label] for label in labels if label in handles]
    add_legend(figure, named, note=shown.rounds, beside=len(grid) == 1)
    what = f"{capital(shown.axis)}{f' less that of {against}' if against else ''}"
    over = "on each data set" if each_set else f"mean over {len(study.datasets)} data sets"
    kind = "of the paired difference" if against else "by a bootstrap over data sets"
    describe(figure, f"{what} against the noise rate, {over}, at {shown.rounds}.",
             f"Bands: 95 % intervals {kind}; wide ones are cut off.")  # fmt: skip
    return figure


@dataclass(frozen=True)
class _Points:
    """Values with the ends of their bands."""

    study: Study
    value: str
    at: int | str
    against: str | None
    _known: dict[tuple[str, str, str], Repeats] = field(default_factory=dict)

    def of(self, noise: str, datasets: Sequence[str], label: str) -> Iterator[tuple[float, ...]]:
        """Yield value, lower and upper end; nothing if no data set has a value of every booster."""
        whole = [name for name in datasets if self._is_whole(noise, name)]
        own = [self._sample(noise, name, label) for name in whole]
        if not own:
            return
        if self.against is not None:
            others = [self._sample(noise, name, self.against) for name in whole]
            found = estimate(over_sets(own), over_sets(others))
            ends = found.interval if found.test and not found.why else (np.nan, np.nan)
            yield found.difference, *ends
            return
        means = np.array([sample.mean for sample in own], dtype=np.float64)
        drawn = resampled_sets(len(means)) @ means / len(means)
        yield float(means.mean()), *map(float, np.quantile(drawn, [0.025, 0.975]))

    def _is_whole(self, noise: str, dataset: str) -> bool:
        return all(self._sample(noise, dataset, x).values for x in self.study.contenders)

    def _sample(self, noise: str, dataset: str, label: str) -> Repeats:
        key = noise, dataset, label
        if key not in self._known:
            results = self.study.cells.get(key, [])
            self._known[key] = sample_of(results, metric=self.value, at=self.at)
        return self._known[key]


def _levels(study: Study) -> dict[str, list[tuple[float, str]]]:
    """Return rates and labels of the noises of each noise model, beginning with clean labels."""
    found: dict[str, dict[float, str]] = {}
    clean: dict[float, str] = {}
    for result in study.results:
        model, rate = result.run.noise.model, result.noise_rate
        of = clean if model == "none" else found.setdefault(model, {})
        if np.isfinite(rate):
            of[rate] = result.noise
    if not found or len({*clean, *(rate for of in found.values() for rate in of)}) < 2:
        raise BoostbenchError("a figure against the noise rate needs noise at two rates or more")
    return {model: sorted({**clean, **of}.items()) for model, of in found.items()}


def _draw(axes: Axes, points: Floats, label: str, style: dict[str, Any], scale: float) -> None:
    x, y, low, high = points[0], *(scale * row for row in points[1:])
    dashes = "-" if _stem(label) == label else "--"
    axes.plot(x, y, dashes, markersize=3.4, linewidth=1.3, label=label, **style)
    axes.fill_between(x, low, high, alpha=0.08, color=style["color"], linewidth=0, gid=label)


def _set_limits(grid: Sequence[Axes], each_set: bool) -> None:
    """Limit each axis to about its lines, which wide bands would hide; means share one scale."""
    for axes in grid:
        ends = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
        low, high = axes.get_ylim()
        room = 0.75 * float(np.ptp(ends))
        axes.set_ylim(max(low, ends.min() - room), min(high, ends.max() + room))
    if not each_set:
        limits = np.array([axes.get_ylim() for axes in grid])
        for axes in grid:
            axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


def _heading(model: str, datasets: Sequence[str], each_set: bool, n_models: int) -> str:
    return ", ".join([*datasets] * each_set + [model] * (n_models > 1 or not each_set))


def _stem(label: str) -> str:
    return label.partition(" (")[0]
