"""Grids: lists of values that a choice of parameters is made from."""

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
#: One choice of parameters out of all that a booster's `grid` lists.
Point = tuple[Any, ...]


def check_size(grid: Grid, params: Mapping[str, Any]) -> None:
    """Check that a booster has at most 1,000 variants, each point of its grid being one.

    Raises
    ------
    ValueError
        If it has more.
    """
    check_number(len(expand_sweeps(params)) * math.prod(len(axis.values) for axis in grid))


def read_grid(value: Any) -> Grid:
    """Read the key ``grid`` of a booster: lists of values, at any depth of its parameters."""
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
    found: list[Axis] = []
    for key, item in value.items():
        place = (*path, key)
        if isinstance(item, dict) and item:
            found += _axes(item, place, mistakes)
        elif not isinstance(item, list) or not item:
            mistakes.add(f"must be a list of values to choose from, found {show(item)}", *place)
        elif len(item) > MAX_VARIANTS:
            mistakes.add(f"must have at most {MAX_VARIANTS:,} values, found {len(item):,}", *place)
        else:
            for index, choice in enumerate(item):
                if choice in item[:index]:
                    mistakes.add(f"{show(choice)} is listed twice", *place, index)
            found.append(Axis(place, tuple(item)))
    return found


#: Values that a grid chooses from.
GridAxes = Annotated[
    tuple[InstanceOf[Axis], ...],
    BeforeValidator(read_grid, json_schema_input_type=dict[str, Any]),
]


def points_of(grid: Grid) -> list[Point]:
    """Return every combination of values as listed, the last parameter running fastest.

    Without any parameter there is one point, the empty one.
    """
    return list(itertools.product(*(axis.values for axis in grid)))


def with_point(booster: BoosterSpec, point: Point) -> BoosterSpec:
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
