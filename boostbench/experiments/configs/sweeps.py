"""Lists among parameters: one entry of a config that stands for several."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Swept = tuple[tuple[str, Any], ...]


def count_variants(value: Any) -> int:
    """Return how many variants `expand_sweeps` makes of a mapping, without making them.

    Examples
    --------
    >>> count_variants({"M": [0.5, 1.0], "tree": {"depth": [1, 2, 3]}, "grid": {"value": [1, 2]}})
    6
    """
    if isinstance(value, Mapping):
        if list(value) == ["value"]:
            return 1
        return math.prod(count_variants(item) for item in value.values())
    if isinstance(value, list):
        return sum(1 if isinstance(item, list) else count_variants(item) for item in value)
    return 1


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

    Examples
    --------
    >>> expand_sweeps({"M": [0.5, 1.0], "step": "K", "grid": {"value": [1, 2]}})[1]
    ({'M': 1.0, 'step': 'K', 'grid': [1, 2]}, (('M', 1.0),))
    """
    variants: list[tuple[dict[str, Any], Swept]] = [({}, ())]
    for key, value in params.items():
        variants = [
            ({**chosen, key: choice}, (*swept, *more))
            for chosen, swept in variants
            for choice, more in _choices(key, value)
        ]
    return variants


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
    return [
        (choice, ((key, choice), *more))
        for entry in value
        for choice, more in ([(entry, ())] if isinstance(entry, list) else _choices(key, entry))
    ]


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
