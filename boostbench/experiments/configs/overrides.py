"""``--set key=value``: one value of a config, replaced for one command."""

from __future__ import annotations

from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.source import Keys, Source, read_value


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
    holder = source.data
    for step in steps[:-1]:
        holder = _entered(holder, step, where)
    key = _key(holder, steps[-1])
    if key is None:
        return BoostbenchError(f"there is no {dotted!r} in {source.name} to set", where=where)
    holder[key] = value
    holder.at[key] = where
    return None


def _entered(holder: Any, step: str, where: str) -> Any:
    """Return what a step leads to, a mapping that is made if nothing is there; None if it cannot.

    The step to an entry of a list by its name leads to what stands below the name.
    """
    key = _key(holder, step)
    if key is None:
        return None
    if isinstance(key, int) and not _is_position(step):
        if not isinstance(holder[key], dict):
            holder[key] = Keys({step: None})
            holder[key].at[step] = where
        holder, key = holder[key], step
        if not isinstance(holder[key], dict):
            holder[key] = None
    if isinstance(key, str) and holder.get(key) is None:
        holder[key] = Keys()
        holder.at.setdefault(key, where)
    return holder[key]


def _key(holder: Any, step: str) -> str | int | None:
    """Return the key of a mapping, or the position in a list, that a step names."""
    if isinstance(holder, dict):
        return step
    if not isinstance(holder, list):
        return None
    if _is_position(step):
        return int(step) if int(step) < len(holder) else None
    for index, item in enumerate(holder):
        if item == step or (isinstance(item, dict) and list(item) == [step]):
            return index
    return None


def _is_position(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10
