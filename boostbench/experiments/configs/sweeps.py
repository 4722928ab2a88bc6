"""Sweeps: lists of parameter values, expanded into one entry for each combination."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
