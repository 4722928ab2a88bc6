"""Points of a grid: one choice of parameters out of all that a booster's `grid` lists."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from boostbench.experiments.configs.sweeps import swept_label
from boostbench.experiments.runs import Axis, Booster, Params

Grid = tuple[Axis, ...]
Point = tuple[Any, ...]


def points_of(grid: Grid) -> list[Point]:
    """Return every combination of values as listed, the last parameter running fastest.

    Without any parameter there is one point, the empty one.
    """
    return list(itertools.product(*(axis.values for axis in grid)))


def with_point(booster: Booster, point: Point) -> Booster:
    """Return the booster with the values of a point of its grid."""
    if not booster.grid:
        return booster
    params = booster.params.plain()
    for axis, value in zip(booster.grid, point, strict=True):
        place = params
        for key in axis.path[:-1]:
            if not isinstance(place.get(key), dict):
                place[key] = {}
            place = place[key]
        place[axis.name] = value
    swept = tuple((axis.name, v) for axis, v in zip(booster.grid, point, strict=True))
    label = swept_label(booster.label or booster.name, swept)
    return replace(booster, params=Params(params), label=label, grid=())
