"""Choosing parameters on validation errors: a pure function of error counts.

The protocol of "Multi-class deep boosting" (Sec. 6.2 of its reading) and of SPLBoost (Sec. 9.4):

    1  every point of the grid is fitted; the errors of its staged predictions are counted
    2  the point (and number of rounds) of the fewest validation errors is kept; ties go by
       preference, then to the point listed first, then to fewer rounds
    3  where a value kept lies at an end of its range, the range grows there: from 1 again
    4  the test error of what was kept is reported

Files, processes and plans are the business of `boostbench.experiments.planning.contests`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.experiments.configs.grids import Grid, Point, points_of
from boostbench.experiments.configs.protocol import Reach
from boostbench.experiments.runs import Axis

#: Error counts after each round, of whole numbers of any size.
Errors = NDArray[Any]

_DIGITS = 12  # of a value that a range was extended by


@dataclass(frozen=True)
class Choice:
    """Choice of a point of the grid."""

    at: int  # for ensembles of up to, or (unless rounds are chosen) of just so many rounds
    index: int  # which point, in the order of `points_of`
    rounds: int  # how many are used
    errors: int  # what decided
    n_ties: int  # points that reach the same, this one among them


def choose(
    grid: Grid,
    errors: Sequence[Errors | None],
    at: int,
    *,
    prefer: Mapping[str, str] = MappingProxyType({}),
    rounds: bool = False,
) -> Choice | None:
    """Keep the point of the fewest errors.

    Parameters
    ----------
    grid : tuple of Axis
    errors : sequence of (ndarray of shape (T,) or None)
        Of each point after each round; None for a point that could not be fitted.
    at : int
        Rounds to look at, at most T.
    prefer : mapping of name to {"smallest", "largest"}, default={}
        Decides among equals.
    rounds : bool, default=False
        Whether fewer rounds than ``at`` may be kept.

    Returns
    -------
    choice : Choice or None
        None if no point could be fitted.
    """
    first = 0 if rounds else at - 1
    usable = {index: counts[first:at] for index, counts in enumerate(errors) if counts is not None}
    order = [index for index in _by_preference(grid, prefer) if index in usable]
    if not order:
        return None
    lowest = [usable[index].min() for index in order]
    best = min(lowest)
    index = order[lowest.index(best)]
    found = first + 1 + int(usable[index].argmin())
    return Choice(at, index, found, int(best), lowest.count(best))


def mean_errors(counts: Sequence[Errors | None], sizes: Sequence[int]) -> Errors | None:
    """Return whole numbers that are ordered as the mean error rates of several test parts are.

    None if one of the fits failed.
    """
    multiple = math.lcm(*sizes)
    parts = [(errors, n) for errors, n in zip(counts, sizes, strict=True) if errors is not None]
    if len(parts) < len(sizes):
        return None
    total: Errors = np.sum([c.astype(object) * (multiple // n) for c, n in parts], axis=0)
    return total


def extended(grid: Grid, kept: Iterable[Point], reaches: Mapping[str, Reach]) -> Grid:
    """Return the grid with a further value wherever a kept one lies at an end of its range.

    A parameter with one value alone has no range.
    """
    kept = list(kept)
    axes = []
    for place, axis in enumerate(grid):
        reach = reaches.get(axis.name)
        if reach is not None and len(axis.values) > 1:
            axis = _longer(axis, {point[place] for point in kept}, reach)
        axes.append(axis)
    return tuple(axes)


def _by_preference(grid: Grid, prefer: Mapping[str, str]) -> list[int]:
    places = {axis.name: place for place, axis in enumerate(grid)}
    rules = [
        (places[name], 1 if end == "smallest" else -1)
        for name, end in prefer.items()
        if name in places
    ]
    points = points_of(grid)
    return sorted(
        range(len(points)),
        key=lambda index: tuple(sign * points[index][place] for place, sign in rules),
    )


def _longer(axis: Axis, kept: set[Any], reach: Reach) -> Axis:
    smallest, largest = min(axis.values), max(axis.values)
    if reach.step is not None:
        below, above = smallest - reach.step, largest + reach.step
    else:
        assert reach.factor is not None
        below, above = smallest / reach.factor, largest * reach.factor
    ends_below = smallest in kept and below < smallest and _is_within(below, reach)
    smaller = [_rounded(below)] if ends_below else []
    larger = [_rounded(above)] if largest in kept and _is_within(above, reach) else []
    if axis.values[0] == largest:  # listed downwards
        return replace(axis, values=(*larger, *axis.values, *smaller))
    return replace(axis, values=(*smaller, *axis.values, *larger))


def _is_within(value: float, reach: Reach) -> bool:
    slack = 10.0 ** (1 - _DIGITS)
    low, high = reach.within
    return low * (1 - slack) <= value <= high * (1 + slack)


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.{_DIGITS}g}")
