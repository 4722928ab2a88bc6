"""Figure kinds ``scatter`` and ``differences``: two boosters on the same problems."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from pydantic import Field

from boostbench.plugins import (
    GREY,
    INK,
    QUANTITIES,
    SMALL,
    BoostbenchError,
    BoosterLabel,
    MetricName,
    OneOrMore,
    Study,
    check_metrics,
    chosen_rounds,
    colours_of,
    describe,
    lay_out,
    remark,
    round_ticks,
    samples_of,
    share_in_words,
    side_by_side,
)

# Options of both kinds.
_First = Annotated[
    BoosterLabel | None, Field(description="A booster; by default the first of the config.")
]
_Last = Annotated[
    BoosterLabel | None, Field(description="Another one; by default the last of the config.")
]
_Rounds = Annotated[
    int | Sequence[int] | None, Field(description="Rounds T; by default the config's checkpoints.")
]
_MARGIN = 1.04
_MINUS = " \N{MINUS SIGN} "
_LEFT, _BOTTOM, _PANEL = 0.35, 0.9, 1.95


@dataclass(frozen=True)
class Pairing:
    """Errors of two boosters on the same problems (data set, noise, seed and fold)."""

    x: str  # label
    y: str  # label
    metrics: Sequence[str]
    rounds: list[int]
    #: By metric and round: errors of x and y in percent, or costs, shape (2, n_problems).
    values: dict[tuple[str, int], NDArray[np.float64]]
    colours: dict[str, str]  # by label

    @property
    def names(self) -> dict[str, str]:
        """Display names by label: without the words in brackets if both labels share them."""
        (x, x_words), (y, y_words) = (label.partition(" (")[::2] for label in (self.x, self.y))
        return {self.x: x, self.y: y} if x_words == y_words else {self.x: self.x, self.y: self.y}

    @property
    def n(self) -> int:
        """Number of problems."""
        return max(len(errors.T) for errors in self.values.values())


def pair_up(
    study: Study,
    x: str | None,
    y: str | None,
    metrics: Sequence[str],
    at: int | Sequence[int] | None,
) -> Pairing:
    """Return the errors of two boosters on the problems with results of both.

    Parameters
    ----------
    study : Study
    x, y : str or None
        Labels; None for the first and the last booster of the study.
    metrics : sequence of str
    at : int, sequence of int or None
        Rounds; None for the checkpoints.
    """
    x, y = x or study.boosters[0], y or study.boosters[-1]
    if x == y:
        raise BoostbenchError(f"x and y must be two boosters, found {x!r} twice")
    check_metrics(study, metrics)
    rounds = chosen_rounds(study, at)
    both = study.only(boosters=[x, y])
    values = {}
    for metric, T in itertools.product(metrics, rounds):
        pairs = side_by_side(samples_of(study, metric, T), (x, y)).values()
        errors = [[*chain(*(pair[k].values.values() for pair in pairs))] for k in (0, 1)]
        quantity = QUANTITIES[metric]
        values[metric, T] = quantity.scale * quantity.shortfall(np.array(errors))
    if not any(pairs.size for pairs in values.values()):
        raise BoostbenchError(f"no problem was done by both {x!r} and {y!r} yet")
    return Pairing(x, y, metrics, rounds, values, colours_of(both))


def scatter(
    study: Study,
    *,
    x: _First = None,
    y: _Last = None,
    value: OneOrMore[MetricName] = ("train_error", "test_error"),
    at: _Rounds = None,
) -> Figure:
    """Error of one booster against that of another, a point for every data set, noise and seed.

    A row of panels per metric and a column per T. A point has the colour of the booster with the
    lower error. Above each panel are the shares of problems in which either booster has the lower
    error, with 95 % intervals for independent problems, such as new data for every seed.
    """
    pairing = pair_up(study, x, y, value, at)
    figure, panels = _panels(pairing, height=1.0)
    for metric, T, axes in panels:
        unit = " (%)" if QUANTITIES[metric].unit else ""
        a, b = pairing.values[metric, T]
        axes.axline((0, 0), slope=1, color=GREY, linewidth=0.7, zorder=1)
        style: dict[str, Any] = {"s": 14 if len(a) <= 100 else 8, "alpha": 0.55, "linewidths": 0}
        colours = pairing.colours[pairing.x], pairing.colours[pairing.y]
        for mask, colour in ((a == b, GREY), (a < b, colours[0]), (b < a, colours[1])):
            axes.scatter(a[mask], b[mask], color=colour, zorder=2, clip_on=False, **style)
        largest = float(max(a.max(), b.max())) * _MARGIN or 1.0
        axes.set(xlim=(0, largest), ylim=(0, largest), aspect="equal")
        axes.xaxis.set_major_locator(round_ticks(4))
        axes.yaxis.set_major_locator(round_ticks(4))
        if pairing.rounds[0] == T:
            axes.set_ylabel(f"{_words(metric)}\n{pairing.names[pairing.y]}{unit}")
        if metric == pairing.metrics[-1]:
            axes.set_xlabel(f"{pairing.names[pairing.x]}{unit}")
    describe(
        figure,
        f"Error of {pairing.y} against that of {pairing.x} on {pairing.n} problems, a point each: "
        "data set, noise, seed and fold.",
        "Above each panel, how often either is lower, with a 95 % interval.",
    )
    return figure


def differences(
    study: Study,
    *,
    x: _First = None,
    y: _Last = None,
    value: OneOrMore[MetricName] = ("train_error", "test_error"),
    at: _Rounds = None,
) -> Figure:
    """Histograms of the error of x minus that of y over data sets, noises and seeds.

    A row of panels per metric and a column per T. A bar has the colour of the booster with the
    lower error, which is y to the right of 0. A grey stem at 0 counts equal errors, and the dashed
    line is the median.
    """
    pairing = pair_up(study, x, y, value, at)
    figure, panels = _panels(pairing, height=0.8)
    for metric, T, axes in panels:
        _draw_bars(axes, pairing, metric, T)
        if pairing.rounds[0] == T:
            axes.set_ylabel(f"{_words(metric)}:\nproblems")
        if metric == pairing.metrics[-1]:
            unit = "\n(points)" if QUANTITIES[metric].unit else ""
            axes.set_xlabel(_MINUS.join(pairing.names.values()) + unit)
    describe(
        figure,
        f"Error of {pairing.x} less that of {pairing.y} on {pairing.n} problems; dashed: the "
        f"median. To the right of 0 {pairing.y} is the better one; grey: equal errors.",
        "Above each panel, how often either is lower, with a 95 % interval.",
    )
    return figure


def _draw_bars(axes: Axes, pairing: Pairing, metric: str, T: int) -> None:
    """Draw 10 to 40 bars, with an edge between bars at 0."""
    a, b = pairing.values[metric, T]
    difference = a - b
    low, high = min(0.0, float(difference.min())), max(0.0, float(difference.max()))
    n_bars = min(40, max(10, round(2 * len(difference) ** 0.5)))
    width = (high - low) / n_bars or 1.0
    edges = (width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)).tolist()
    for mask, booster in ((difference < 0, pairing.x), (difference > 0, pairing.y)):
        colour = pairing.colours[booster]
        axes.hist(difference[mask], edges, color=colour, alpha=0.8, zorder=2)
    n_equal = int((difference == 0).sum())
    if n_equal:
        axes.vlines(0, 0, n_equal, color=GREY, linewidth=2.2, zorder=3)
    axes.axvline(0, color=GREY, linewidth=0.7, zorder=1)
    median = float(np.median(difference))
    axes.axvline(median, color=INK, linewidth=0.9, linestyle=(0, (3, 2)), zorder=4)
    sign = "+" if median > 0 else "\N{MINUS SIGN}" if median < 0 else ""
    is_left = median <= (edges[0] + edges[-1]) / 2
    place: dict[str, Any] = {"x": 0.98, "ha": "right"} if is_left else {"x": 0.02, "ha": "left"}
    style: dict[str, Any] = {"transform": axes.transAxes, "color": INK, "fontsize": SMALL}
    axes.text(y=0.97, s=f"median {sign}{abs(median):.3g}", va="top", **place, **style)
    axes.set_xlim(edges[0] - width / 2, edges[-1] + width / 2)
    axes.set_ylim(top=1.12 * axes.get_ylim()[1])  # room for the text of the median
    axes.xaxis.set_major_locator(round_ticks(5))
    axes.yaxis.set_major_locator(round_ticks(4, integer=True))
    axes.grid(visible=False, axis="x")


def _panels(pairing: Pairing, height: float) -> tuple[Figure, Iterator[tuple[str, int, Axes]]]:
    """Return a figure and its panels with metric and T, a row of panels for each metric.

    ``height`` is the height of a panel relative to its width. Panels without a result are skipped.
    """
    places = list(itertools.product(pairing.metrics, pairing.rounds))
    size = _PANEL, height * _PANEL
    titles = [f"T = {T}" * (metric == pairing.metrics[0]) for metric, T in places]
    figure, grid = lay_out(titles, len(pairing.rounds), size, (_LEFT, _BOTTOM), pad=22)
    remark(
        figure, f"{pairing.n} problems; how often a booster's error is lower, with 95 % intervals"
    )

    def panels() -> Iterator[tuple[str, int, Axes]]:
        for axes, (metric, T) in zip(grid, places, strict=True):
            errors = pairing.values.get((metric, T))
            if errors is None or not errors.size:
                axes.text(0.5, 0.5, "no result", transform=axes.transAxes, color=GREY)
                continue
            _write_shares(axes, pairing, *errors)
            yield metric, T, axes

    return figure, panels()


def _write_shares(
    axes: Axes, pairing: Pairing, x: NDArray[np.float64], y: NDArray[np.float64]
) -> None:
    """Write above a panel the share of problems won by each booster, in its colour."""
    for label, wins, height in ((pairing.x, x < y, 1.09), (pairing.y, y < x, 1.01)):
        text = f"{pairing.names[label]} lower: {share_in_words(int(wins.sum()), len(wins))}"
        style: dict[str, Any] = {"transform": axes.transAxes, "fontsize": SMALL, "va": "bottom"}
        axes.text(0.0, height, text, color=pairing.colours[label], **style)


def _words(metric: str) -> str:
    return QUANTITIES[metric].lost.partition(" (")[0]
