"""``--set key=value``: one value of a config, replaced for one command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.source import Place, Source, read_value


def apply_override(source: Source, text: str) -> BoostbenchError | None:
    """Set one value, ``key.key=value``, in place; returns the complaint if that is impossible.

    A list is entered by position or by the name of an entry, so that
    ``boosters.sm-boost.M=0.5`` sets a parameter of the booster ``sm-boost``.
    """
    where = f"--set {text}"
    dotted, equals, value_text = text.partition("=")
    steps = [step.strip() for step in dotted.split(".")]
    if not equals or not all(steps):
        return BoostbenchError("expected key=value, for example rounds=100", where=where)
    value, complaint = read_value(value_text, where)
    if complaint is not None:
        return complaint
    place = _assign(source.data, steps, value)
    if place is None:
        return BoostbenchError(f"there is no {dotted!r} in {source.name} to set", where=where)
    source.places = {
        known: at for known, at in source.places.items() if known[: len(place)] != place
    }
    for length in range(1, len(place) + 1):
        if length == len(place) or place[:length] not in source.places:
            source.places[place[:length]] = where
    return None


def _assign(data: Any, steps: Sequence[str], value: Any) -> Place | None:
    """Set ``value`` at ``steps``; returns its place, or None if the way there does not exist."""
    place: Place = ()
    holder = data
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        if isinstance(holder, dict):
            key: str | int = step
            if not last and holder.get(step) is None:
                holder[step] = {}
        elif isinstance(holder, list):
            index = _entry(holder, step)
            if index is None:
                return None
            key = index
            if not last and not _is_position(step):
                if not isinstance(holder[index], dict):
                    holder[index] = {step: {}}
                if not isinstance(holder[index][step], dict):
                    holder[index][step] = {}
                place, holder, key = (*place, index), holder[index], step
        else:
            return None
        place = (*place, key)
        if last:
            holder[key] = value
        else:
            holder = holder[key]
    return place


def _is_position(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10


def _entry(items: list[Any], step: str) -> int | None:
    if _is_position(step):
        return int(step) if int(step) < len(items) else None
    for index, item in enumerate(items):
        if item == step or (isinstance(item, dict) and list(item) == [step]):
            return index
    return None
