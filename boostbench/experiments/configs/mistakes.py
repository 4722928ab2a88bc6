"""Complaints about parts of a value, collected while it is read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from boostbench.errors import BoostbenchError, nearest
from boostbench.source import Place

#: A step of a place: what follows is counted from the top of the config.
TOP = ".."
#: A place inside a value and what is wrong there; an error that has a place of its own keeps it.
Mistake = tuple[Place, str | BoostbenchError]


class MistakesError(ValueError):
    """Several complaints about parts of one value; each with its place inside the value."""

    def __init__(self, found: list[Mistake]) -> None:
        super().__init__("; ".join(str(what) for _, what in found))
        self.found = found


class Notes:
    """Collects complaints while a value is read."""

    def __init__(self) -> None:
        self.found: list[Mistake] = []

    def add(self, what: str, *place: str | int) -> None:
        """Note a complaint about the part of the value at ``place``."""
        self.found.append((place, what))

    def take(self, check: Callable[[Any], Any], value: Any, *place: str | int) -> Any:
        """Return ``check(value)``, or None after noting why it was refused."""
        try:
            return check(value)
        except MistakesError as mistakes:
            self.found += [((*place, *inner), what) for inner, what in mistakes.found]
        except ValidationError as error:
            for each in error.errors():
                at = (*place, *each["loc"])
                self.found += [((*at, *inner), what) for inner, what in found_in(each)]
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


def found_in(error: ErrorDetails) -> list[Mistake]:
    """Return what a validator of this package said, by place below that of the error."""
    cause = (error.get("ctx") or {}).get("error")
    return cause.found if isinstance(cause, MistakesError) else [((), str(cause or error["msg"]))]


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
