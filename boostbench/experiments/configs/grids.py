"""Grids: candidate values for the selection of parameters."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, InstanceOf

from boostbench.experiments.configs.sweeps import (
    MAX_VARIANTS,
    check_number,
    expand_sweeps,
    swept_label,
)
from boostbench.experiments.runs import Axis, BoosterSpec, Params
from boostbench.source import show
from boostbench.validation import MistakesError

Grid = tuple[Axis, ...]
#: A value for each axis of a grid.
Point = tuple[Any, ...]


def check_size(grid: Grid, params: Mapping[str, Any]) -> None:
    """Raise ValueError if sweeps and grid points make more than 1,000 variants of a booster."""
    check_number(len(expand_sweeps(params)) * math.prod(len(axis.values) for axis in grid))


def read_grid(value: Any) -> Grid:
    """Return the axes of the key ``grid``: lists of values, at any depth of the parameters."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be {{parameter: [values]}}, found {show(value)}")
    mistakes = MistakesError()
    axes = tuple(_axes(value, (), mistakes))
    names = Counter(axis.name for axis in axes)
    for axis in axes:
        if names[axis.name] > 1:
            mistakes.add(f"two parameters of the grid are called {axis.name!r}", *axis.path)
    mistakes.close()
    return axes


def _axes(value: Mapping[str, Any], path: tuple[str, ...], mistakes: MistakesError) -> list[Axis]:
    axes: list[Axis] = []
    for key, item in value.items():
        place = (*path, key)
        if isinstance(item, dict) and item:
            axes += _axes(item, place, mistakes)
        elif not isinstance(item, list) or not item:
            mistakes.add(f"must be a list of values to choose from, found {show(item)}", *place)
        elif len(item) > MAX_VARIANTS:
            mistakes.add(f"must have at most {MAX_VARIANTS:,} values, found {len(item):,}", *place)
        else:
            for index, choice in enumerate(item):
                if choice in item[:index]:
                    mistakes.add(f"{show(choice)} is listed twice", *place, index)
            axes.append(Axis(place, tuple(item)))
    return axes


#: The key ``grid`` of a config.
GridAxes = Annotated[
    tuple[InstanceOf[Axis], ...],
    BeforeValidator(read_grid, json_schema_input_type=dict[str, Any]),
]


def points_of(grid: Grid) -> list[Point]:
    """Return every combination of values in the order of listing, the last axis varying fastest.

    A grid without axes has one point, the empty tuple.
    """
    return list(itertools.product(*(axis.values for axis in grid)))


def with_point(booster: BoosterSpec, point: Point) -> BoosterSpec:
    """Return the booster with the values of a point of its grid."""
    if not booster.grid:
        return booster
    params = booster.params.plain()
    for axis, value in zip(booster.grid, point, strict=True):
        holder = params
        for key in axis.path[:-1]:
            if not isinstance(holder.get(key), dict):
                holder[key] = {}
            holder = holder[key]
        holder[axis.name] = value
    swept = tuple((axis.name, v) for axis, v in zip(booster.grid, point, strict=True))
    label = swept_label(booster.label or booster.name, swept)
    return replace(booster, params=Params(params), label=label, grid=())
