"""Values of a config: what each key may hold, and how a wrong value is reported."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from boostbench.errors import BoostbenchError, nearest
from boostbench.experiments.configs.quantities import parse_duration, parse_size
from boostbench.source import Place, show

__all__ = [
    "MistakesError",
    "Notes",
    "checkpoints",
    "cost_matrix",
    "duration",
    "flag",
    "is_number",
    "noise_rate",
    "one_of",
    "records",
    "seeds",
    "share",
    "size",
    "slug",
    "text",
    "unknown",
    "whole",
]

_RECORDS = (
    "bound",
    "edges",
    "margins",
    "sample_weights",
    "scores",
    "smooth_risk",
    "weights",
)


class MistakesError(ValueError):
    """Several complaints about parts of one value; each with its place inside the value."""

    def __init__(self, found: list[tuple[Place, str]]) -> None:
        super().__init__("; ".join(what for _, what in found))
        self.found = found


class Notes:
    """Collects complaints while a value is read."""

    def __init__(self) -> None:
        self.found: list[tuple[Place, str]] = []

    def add(self, what: str, *place: str | int) -> None:
        """Note a complaint about the part of the value at ``place``."""
        self.found.append((place, what))

    def take(self, check: Callable[[Any], Any], value: Any, *place: str | int) -> Any:
        """Return ``check(value)``, or None after noting why it was refused."""
        try:
            return check(value)
        except MistakesError as mistakes:
            self.found += [((*place, *inner), what) for inner, what in mistakes.found]
        except BoostbenchError as error:
            self.add(error.what, *place)
        except ValueError as error:
            self.add(str(error), *place)
        return None

    def keys(self, value: Mapping[str, Any], known: Collection[str], *place: str | int) -> None:
        """Note every key that is not known."""
        for key in value:
            if key not in known:
                self.add(unknown("key", key, known), *place, key)

    def close(self) -> None:
        """Raise `MistakesError` if anything was noted."""
        if self.found:
            raise MistakesError(self.found)


def unknown(kind: str, name: str, known: Collection[str], *, of: str = "") -> str:
    """Return the complaint about a name that is not among the known ones.

    Parameters
    ----------
    kind, name : str
    known : collection of str
    of : str, default=""
        What the name belongs to.

    Examples
    --------
    >>> unknown("key", "seed", ["seeds", "rounds"])
    "unknown key 'seed'; did you mean 'seeds'?"
    """
    close = nearest(name, known)
    hint = f"did you mean {close!r}?" if close else f"known are: {', '.join(sorted(known))}"
    return f"unknown {kind} {name!r}{f' of {of}' if of else ''}; {hint}"


def whole(least: int = 0) -> Callable[[Any], int]:
    """Return a check for whole numbers of at least ``least``."""

    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            hint = f"; write {value:.0f}" if type(value) is float and value.is_integer() else ""
            what = f"must be a whole number of at least {least}, found {show(value)}{hint}"
            raise ValueError(what)
        return value

    return check


def is_number(value: Any) -> bool:
    """Return whether a value is a number; YAML's true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def share(value: Any) -> float:
    """Return a number from 0 to 1."""
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"must be a number from 0 to 1, found {show(value)}")
    return float(value)


def noise_rate(value: Any) -> float | str:
    """Return a number from 0 to 1, or the name under which a problem holds its own rate."""
    return value if isinstance(value, str) and value.isidentifier() else share(value)


def cost_matrix(value: Any) -> tuple[tuple[float, ...], ...]:
    """Return a square matrix of costs: a row per true class, a column per answer."""
    rows = value if isinstance(value, list) else []
    numbers = [x for row in rows if isinstance(row, list) for x in row]
    if (
        len(rows) < 2
        or any(not isinstance(row, list) or len(row) != len(rows) for row in rows)
        or not all(map(is_number, numbers))
        or not all(0 <= x < math.inf for x in numbers)
        or not any(numbers)
    ):
        raise ValueError(
            "must be a matrix of costs, a row per true class and a column per answer, such as "
            f"[[0, 1], [5, 0]], found {show(value)}"
        )
    return tuple(tuple(float(x) for x in row) for row in rows)


def text(value: Any) -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"must be text, found {show(value)}")
    return value


def slug(value: Any) -> str:
    """Return a text that can name a folder."""
    if not isinstance(value, str) or not re.fullmatch(r"[\w][\w.+-]*", value):
        raise ValueError(
            "must be a name of letters, digits, '-', '_' and '.', because a folder is called "
            f"so; found {show(value)}"
        )
    return value


def flag(value: Any) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, found {show(value)}")
    return value


def one_of(*choices: str) -> Callable[[Any], str]:
    """Return a check for one of a few words."""

    def check(value: Any) -> str:
        if value not in choices or not isinstance(value, str):
            close = nearest(value, choices) if isinstance(value, str) else None
            hint = f"; did you mean {close!r}?" if close else ""
            raise ValueError(f"must be one of {', '.join(choices)}, found {show(value)}{hint}")
        return value

    return check


def duration(value: Any) -> float | None:
    """Return seconds, None for no limit."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"must be a duration such as 90s, 30m or 1h30m, found {show(value)}")
    return parse_duration(str(value))


def size(value: Any) -> int | None:
    """Return bytes, None for no limit."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"must be a size such as 512M or 4G, found {show(value)}")
    return parse_size(value)


def seeds(value: Any) -> tuple[int, ...]:
    """Return seeds, from their number or a list."""
    if not isinstance(value, list):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"must be a number of seeds or a list of them, found {show(value)}")
        return tuple(range(value))
    found = _listed(value, whole(0))
    if not found:
        raise ValueError("must hold at least one seed, found []")
    return found


def checkpoints(value: Any) -> tuple[int, ...]:
    """Return numbers of rounds, sorted."""
    if not isinstance(value, list) or not value:
        raise ValueError(f"must be a list of rounds such as [10, 100], found {show(value)}")
    return tuple(sorted(_listed(value, whole(1))))


def records(value: Any) -> tuple[str, ...]:
    """Return what a record is to hold besides what it always does."""
    if not isinstance(value, list):
        raise ValueError(f"must be a list of {', '.join(_RECORDS)}, found {show(value)}")
    # edges are in every record: asking for them makes no other run
    return tuple(sorted({*_listed(value, one_of(*_RECORDS))} - {"edges"}))


def _listed(value: list[Any], check: Callable[[Any], Any]) -> tuple[Any, ...]:
    notes = Notes()
    found = [notes.take(check, item, index) for index, item in enumerate(value)]
    for index, item in enumerate(value):
        if item in value[:index]:
            notes.add(f"{show(item)} is listed twice", index)
    notes.close()
    return tuple(found)
