"""Variants of an entry: sweeps and grids, lists of values in place of a parameter's value.

A sweep makes an entry for each combination of the listed values. A grid holds the candidates from
which the key ``select`` chooses.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from boostbench.experiments.configs.fields import AS_WRITTEN, MAX_FOLDS
from boostbench.experiments.runs import Axis, BoosterSpec, Params
from boostbench.source import show
from boostbench.validation import Listed, MistakesError, Model

Grid = tuple[Axis, ...]
#: A value for each axis of a grid.
Point = tuple[Any, ...]
Swept = tuple[tuple[str, Any], ...]
#: Largest number of variants of one entry, where each point of a grid counts as a variant.
MAX_VARIANTS = 1_000


def expand_sweeps(params: Mapping[str, Any]) -> list[tuple[dict[str, Any], Swept]]:
    """Return every combination of the listed values.

    Parameters
    ----------
    params : mapping of str to object
        Lists are swept, at any depth; ``{"value": [...]}`` denotes a parameter whose value is a
        list.

    Returns
    -------
    variants : list of (params, swept)
        In the order of listing, the last list varying fastest; ``swept`` holds the name and the
        value of each swept parameter.

    Raises
    ------
    ValueError
        If there are more than `MAX_VARIANTS`; checked before they are created.

    Examples
    --------
    >>> expand_sweeps({"M": [0.5, 1.0], "step": "K", "grid": {"value": [1, 2]}})[1]
    ({'M': 1.0, 'step': 'K', 'grid': [1, 2]}, (('M', 1.0),))
    """
    variants: list[tuple[dict[str, Any], Swept]] = [({}, ())]
    for key, value in params.items():
        choices = _choices(key, value)
        check_number(len(variants) * len(choices))
        variants = [
            ({**chosen, key: choice}, (*swept, *more))
            for chosen, swept in variants
            for choice, more in choices
        ]
    return variants


def check_number(n: int) -> None:
    """Raise ValueError if ``n`` exceeds `MAX_VARIANTS`."""
    if n > MAX_VARIANTS:
        raise ValueError(f"must make at most {MAX_VARIANTS:,} variants by its lists of values")


def swept_label(label: str, swept: Swept) -> str:
    """Return the label of a variant.

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
    choices: list[tuple[Any, Swept]] = []
    for entry in value:
        inner = [(entry, ())] if isinstance(entry, list) else _choices(key, entry)
        choices += [(choice, ((key, choice), *more)) for choice, more in inner]
        check_number(len(choices))
    return choices


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


class Folds(Model):
    """Cross-validation within the training part."""

    folds: Annotated[int, Field(ge=2, le=MAX_FOLDS, description="Number of parts.")]
    stratify: bool = Field(False, description="Preserve the class proportions in each part.")


class Reach(Model):
    """Extension of a range of values when the selected value is at one of its ends."""

    step: Annotated[float, Field(gt=0), AS_WRITTEN] | None = Field(
        None, description="Increment beyond the last value."
    )
    factor: Annotated[float, Field(gt=1), AS_WRITTEN] | None = Field(
        None, description="Ratio to the last value."
    )
    within: Annotated[Listed[float], Field(min_length=2, max_length=2)] = Field(
        description="Smallest and largest value to try.", examples=[[1, 10]]
    )

    @model_validator(mode="after")
    def _check_step_or_factor(self) -> Reach:
        if (self.step is None) == (self.factor is None):
            raise ValueError(
                "must be {factor: 10, within: [1e-12, 1]} or {step: 1, within: [1, 10]}"
            )
        return self


class Select(Model):
    """Selection of the parameters, and optionally the number of rounds, of every booster."""

    by: Annotated[
        Annotated[Literal["validation", "test"], Tag("word")] | Annotated[Folds, Tag("mapping")],
        Discriminator(lambda value: "word" if isinstance(value, str) else "mapping"),
    ] = Field(
        description="Criterion: errors on the validation part of the split, in a cross-validation "
        "within the training part, or on the test part, averaged over all seeds and folds.",
        json_schema_extra={"wanted": "validation, test or e.g. {folds: 5, stratify: true}"},
    )
    rounds: bool = Field(False, description="Select the number of rounds too.")
    extend: Mapping[str, Reach] = Field({}, description="Extensible ranges, by parameter.")
    prefer: Mapping[str, Literal["smallest", "largest"]] = Field(
        {}, description="Preferred value among ties; the first parameter takes precedence."
    )

    @property
    def way(self) -> Literal["validation", "folds", "test"]:
        """The kind of errors that the selection minimises."""
        return "folds" if isinstance(self.by, Folds) else self.by

    @property
    def folds(self) -> Params | None:
        """The cross-validation in the form of `Run.validation`; None for other criteria."""
        return Params(self.by.model_dump()) if isinstance(self.by, Folds) else None
