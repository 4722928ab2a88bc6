"""How parameters are chosen: the key ``select`` of a config and the key ``grid`` of a booster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from boostbench.experiments.configs.fields import Notes, flag, is_number, one_of
from boostbench.experiments.runs import Axis, Params
from boostbench.source import show

__all__ = ["Reach", "Select", "read_grid", "read_select"]

_KEYS = ("by", "rounds", "extend", "prefer")
_EXAMPLES = "validation, test or e.g. {folds: 5, stratify: true}"


@dataclass(frozen=True)
class Reach:
    """How a range of values grows at an end where the chosen value lies.

    Attributes
    ----------
    name : str
        Of the parameter.
    step, factor : float
        What is added to, or multiplied with, the last value; the other one is 0.
    low, high : float
        No value beyond is tried.
    """

    name: str
    step: float
    factor: float
    low: float
    high: float


@dataclass(frozen=True)
class Select:
    """How the parameters, and if wanted the rounds, of every booster are chosen.

    Attributes
    ----------
    by : {"validation", "folds", "test"}
        Errors on the validation part of the split, of a cross-validation inside the training part,
        or on the test part, averaged over all seeds and folds.
    folds : Params or None
        Of the cross-validation: ``folds`` and ``stratify``.
    rounds : bool
        Whether the number of rounds is chosen too.
    extend : tuple of Reach
    prefer : tuple of (str, {"smallest", "largest"})
        Among equal errors, by parameter, the first one deciding; then the first candidate listed.
    """

    by: Literal["validation", "folds", "test"]
    folds: Params | None = None
    rounds: bool = False
    extend: tuple[Reach, ...] = ()
    prefer: tuple[tuple[str, str], ...] = ()


def read_select(value: Any) -> Select:
    """Read the key ``select``."""
    if not isinstance(value, dict):
        raise ValueError(f"must be e.g. {{by: validation}}, found {show(value)}")
    notes = Notes()
    notes.keys(value, _KEYS)
    if "by" not in value:
        notes.add(f"needs 'by': {_EXAMPLES}")
    way = notes.take(_by, value.get("by", "test"), "by")
    rounds = notes.take(flag, value.get("rounds", False), "rounds")
    extend = _by_parameter(value, "extend", _reach, notes)
    prefer = _by_parameter(value, "prefer", _end, notes)
    notes.close()
    by, folds = way
    return Select(by, folds, rounds, extend, prefer)


def read_grid(value: Any) -> tuple[Axis, ...]:
    """Read the key ``grid`` of a booster: lists of values, at any depth of its parameters."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be {{parameter: [values]}}, found {show(value)}")
    notes = Notes()
    axes = tuple(_axes(value, (), notes))
    names = [axis.name for axis in axes]
    for axis in axes:
        if names.count(axis.name) > 1:
            notes.add(f"two parameters of the grid are called {axis.name!r}", *axis.path)
    notes.close()
    return axes


def _by(value: Any) -> tuple[Literal["validation", "folds", "test"], Params | None]:
    if value == "validation":
        return "validation", None
    if value == "test":
        return "test", None
    if not isinstance(value, dict):
        raise ValueError(f"must be {_EXAMPLES}, found {show(value)}")
    notes = Notes()
    notes.keys(value, ("folds", "stratify"))
    folds = value.get("folds")
    if type(folds) is not int or folds < 2:
        notes.add(f"needs folds: a whole number of at least 2, found {show(folds)}")
    stratify = notes.take(flag, value.get("stratify", False), "stratify")
    notes.close()
    return "folds", Params({"folds": folds, "stratify": stratify})


def _by_parameter(
    value: Mapping[str, Any], key: str, read: Callable[[str, Any], Any], notes: Notes
) -> tuple[Any, ...]:
    items = value.get(key, {})
    if not isinstance(items, dict):
        notes.add(f"must be {{parameter: ...}}, found {show(items)}", key)
        return ()
    return tuple(notes.take(partial(read, name), item, key, name) for name, item in items.items())


def _end(name: str, value: Any) -> tuple[str, str]:
    return name, one_of("smallest", "largest")(value)


def _reach(name: str, value: Any) -> Reach:
    example = "{factor: 10, within: [1e-12, 1]} or {step: 1, within: [1, 10]}"
    if not isinstance(value, dict) or len({"step", "factor"} & value.keys()) != 1:
        raise ValueError(f"must be {example}, found {show(value)}")
    notes = Notes()
    notes.keys(value, ("step", "factor", "within"))
    step, factor, within = value.get("step", 0), value.get("factor", 0), value.get("within")
    if not is_number(step) or ("step" in value and step <= 0):
        notes.add(f"must be a number above 0, found {show(step)}", "step")
    if not is_number(factor) or ("factor" in value and factor <= 1):
        notes.add(f"must be a number above 1, found {show(factor)}", "factor")
    if not (isinstance(within, list) and len(within) == 2 and all(map(is_number, within))):
        notes.add(f"needs within: [smallest, largest], found {show(within)}")
    notes.close()
    assert isinstance(within, list)
    return Reach(name, step, factor, within[0], within[1])


def _axes(value: Mapping[str, Any], path: tuple[str, ...], notes: Notes) -> list[Axis]:
    found: list[Axis] = []
    for key, item in value.items():
        place = (*path, key)
        if isinstance(item, dict) and item:
            found += _axes(item, place, notes)
        elif not isinstance(item, list) or not item:
            notes.add(f"must be a list of values to choose from, found {show(item)}", *place)
        else:
            for index, choice in enumerate(item):
                if choice in item[:index]:
                    notes.add(f"{show(choice)} is listed twice", *place, index)
            found.append(Axis(place, tuple(item)))
    return found
