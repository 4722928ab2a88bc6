"""Two boosters on the same problems: what the figures `scatter` and `differences` are made of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.reports.figures.style import GREY, SMALL, booster_colours
from boostbench.reports.values.frame import Study, tidy
from boostbench.reports.values.metrics import METRICS
from boostbench.reports.values.options import chosen_booster, chosen_metrics, chosen_rounds

__all__ = ["Pairing", "pair_up", "paired_panels", "wilson_interval"]

_Z = 1.959963984540054  # 95 %
_LEFT, _BOTTOM, _PANEL = 0.35, 0.9, 1.95


@dataclass(frozen=True)
class Pairing:
    """Errors of two boosters on the same problems.

    Attributes
    ----------
    x, y : str
        Their labels.
    metrics : list of str
        Rows of panels.
    rounds : list of int
        Columns of panels.
    values : dict of (metric, round) to ndarray of float64, shape (2, n_problems)
        In percent, costs as they are; x's first. One problem is one data set, noise, seed and fold.
    colours : dict of str to str
        Of both labels.
    """

    x: str
    y: str
    metrics: list[str]
    rounds: list[int]
    values: dict[tuple[str, int], NDArray[np.float64]]
    colours: dict[str, str]

    def write_shares(self, axes: Axes, metric: str, T: int) -> None:
        """Write above a panel how often each booster is the better one, in its colour."""
        x, y = self.values[metric, T]
        for label, wins, height in ((self.x, x < y, 1.09), (self.y, y < x, 1.01)):
            low, high = wilson_interval(int(wins.sum()), len(wins))
            share = f"{100 * wins.mean():.0f} % ({100 * low:.0f} to {100 * high:.0f})"
            axes.text(
                0.0,
                height,
                f"{label} lower: {share}",
                color=self.colours[label],
                fontsize=SMALL,
                transform=axes.transAxes,
                va="bottom",
            )


def pair_up(study: Study, x: Any, y: Any, value: Any, at: Any) -> Pairing:
    """Find the problems that two boosters have both done.

    Parameters
    ----------
    study : Study
    x, y : str
        Labels; None for the first and the last of the study.
    value : str or sequence of str
        Metrics.
    at : int, sequence of int or None
        Rounds; None for the checkpoints.

    Raises
    ------
    BoostbenchError
        If an option is wrong or no problem was done by both.
    """
    x = chosen_booster(study, "x", study.boosters[0] if x is None else x)
    y = chosen_booster(study, "y", study.boosters[-1] if y is None else y)
    if x == y:
        raise BoostbenchError(f"x and y must be two boosters, found {x!r} twice")
    metrics, rounds = chosen_metrics(study, "value", value), chosen_rounds(study, at)
    frame = tidy(study.only(boosters=[x, y]).results, rounds, metrics).dropna(subset="value")
    problem = ["dataset", "noise", "seed", "fold"]
    values = {}
    for metric, T in itertools.product(metrics, rounds):
        part = frame[(frame["metric"] == metric) & (frame["round"] == T)]
        wide = part.pivot(index=problem, columns="booster", values="value")
        if x in wide and y in wide:
            values[metric, T] = wide[[x, y]].dropna().to_numpy().T * METRICS[metric].scale
    if not any(pairs.size for pairs in values.values()):
        raise BoostbenchError(f"no problem was done by both {x!r} and {y!r} yet")
    names = {result.run.method: result.run.booster.name for result in study.results}
    colours = booster_colours([(label, names[label]) for label in study.boosters])
    return Pairing(x, y, metrics, rounds, values, colours)


def paired_panels(pairing: Pairing, *, height: float = 1.0) -> tuple[Figure, Iterator[Panel]]:
    """Return a figure, and its panels as metric, round and axes: a row for each metric.

    ``height`` is in widths of a panel. Panels without a problem say so and are left out.
    """
    shape = len(pairing.metrics), len(pairing.rounds)
    size = (_LEFT + _PANEL * shape[1], _BOTTOM + height * _PANEL * shape[0])
    figure = Figure(figsize=size, layout="constrained")
    n = max(found.shape[1] for found in pairing.values.values())
    note = f"{n} problems; how often a booster's error is lower, with 95 % intervals"
    figure.supxlabel(note, fontsize=SMALL, color=GREY, x=0.99, ha="right")

    def panels() -> Iterator[Panel]:
        for i, metric in enumerate(pairing.metrics):
            for j, T in enumerate(pairing.rounds):
                axes = figure.add_subplot(*shape, i * shape[1] + j + 1)
                if i == 0:
                    axes.set_title(f"T = {T}", loc="left", fontweight="bold", pad=22)
                found = pairing.values.get((metric, T))
                if found is None or not found.size:
                    axes.text(0.5, 0.5, "no result", transform=axes.transAxes, color=GREY)
                else:
                    yield metric, T, axes

    return figure, panels()


Panel = tuple[str, int, Axes]


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson).

    Examples
    --------
    >>> low, high = wilson_interval(60, 100)
    >>> round(low, 3), round(high, 3)
    (0.502, 0.691)
    """
    share = successes / n
    centre = share + _Z**2 / (2 * n)
    spread = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    low, high = ((centre + sign * spread) / (1 + _Z**2 / n) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)
