"""Lists of values: sweeps, which make several entries of one, and grids, which are chosen from."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, InstanceOf

from boostbench.experiments.configs.fields import MAX_VARIANTS
from boostbench.experiments.runs import Axis, BoosterSpec, Params
from boostbench.source import show
from boostbench.validation import MistakesError

Swept = tuple[tuple[str, Any], ...]
Grid = tuple[Axis, ...]
#: One choice of parameters out of all that a booster's `grid` lists.
Point = tuple[Any, ...]


def expand_sweeps(params: Mapping[str, Any]) -> list[tuple[dict[str, Any], Swept]]:
    """Return every combination of the listed values.

    Parameters
    ----------
    params : mapping of str to object
        A list, at any depth, is swept; ``{"value": [...]}`` is a list that is a value itself.

    Returns
    -------
    variants : list of (params, swept)
        In the order of writing, the last list running fastest; ``swept`` holds name and value of
        each list's entry.

    Raises
    ------
    ValueError
        If there are too many; they are not made.

    Examples
    --------
    >>> expand_sweeps({"M": [0.5, 1.0], "step": "K", "grid": {"value": [1, 2]}})[1]
    ({'M': 1.0, 'step': 'K', 'grid': [1, 2]}, (('M', 1.0),))
    """
    variants: list[tuple[dict[str, Any], Swept]] = [({}, ())]
    for key, value in params.items():
        choices = _choices(key, value)
        _check_number(len(variants) * len(choices))
        variants = [
            ({**chosen, key: choice}, (*swept, *more))
            for chosen, swept in variants
            for choice, more in choices
        ]
    return variants


def _check_number(n: int) -> None:
    if n > MAX_VARIANTS:
        raise ValueError(f"must make at most {MAX_VARIANTS:,} variants by its lists of values")


def check_size(grid: Grid, params: Mapping[str, Any]) -> None:
    """Check that a booster has at most 1,000 variants, each point of its grid being one.

    Raises
    ------
    ValueError
        If it has more.
    """
    _check_number(len(expand_sweeps(params)) * math.prod(len(axis.values) for axis in grid))


def swept_label(label: str, swept: Swept) -> str:
    """Return the label of one variant.

    Examples
    --------
    >>> swept_label("sm-boost", (("splitter", "random"), ("M", 0.5)))
    'sm-boost (random, M=0.5)'
    """
    if not swept:
        return label
    return f"{label} ({', '.join(_shown(key, value) for key, value in swept)})"


def _choices(key: str, value: Any) -> list[tuple[Any, Swept]]:
    if isinstance(value, dict):
        if list(value) == ["value"]:
            return [(value["value"], ())]
        return list(expand_sweeps(value))
    if not isinstance(value, list):
        return [(value, ())]
    found: list[tuple[Any, Swept]] = []
    for entry in value:
        inner = [(entry, ())] if isinstance(entry, list) else _choices(key, entry)
        found += [(choice, ((key, choice), *more)) for choice, more in inner]
        _check_number(len(found))
    return found


def _shown(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        parts = [
            f"{name} {_shown(name, inner)}" if isinstance(inner, dict) else _shown(name, inner)
            for name, inner in value.items()
        ]
        return " ".join(parts)
    if isinstance(value, bool):
        return f"{key}={'true' if value else 'false'}"
    return f"{key}={'none' if value is None else value}"


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
