"""Exceptions with messages for the user.

Problems that a user can solve (in a config, a data file, a parameter, a plugin, a damaged record)
are reported as a `BoostbenchError`. The command line prints its text without a traceback and exits
with code 2. Any other exception is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

_NONE: Mapping[str, str] = {}
#: Maximum number of names listed in full; of more names, the most similar half as many are listed.
_MOST_NAMES = 20


class BoostbenchError(ValueError):
    """A problem that the user can solve.

    A subclass of ValueError, so that validators of pydantic may raise it.

    Parameters
    ----------
    what : str
        The value found and the valid values, in one line.
    where : str, default=""
        Location: ``file``, ``file:line``, a key or a parameter.

    Examples
    --------
    >>> str(BoostbenchError("rounds must be a positive integer, found 0", where="a.yaml:4"))
    'a.yaml:4: rounds must be a positive integer, found 0'
    """

    def __init__(self, what: str, *, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where


def import_extra(module: str, extra: str, *, where: str) -> Any:
    """Import a module of the packages in an extra of boostbench.

    Raises
    ------
    BoostbenchError
        If the package is not installed; the message has the command to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        what = f"needs the package {error.name!r}: pip install 'boostbench[{extra}]'"
        raise BoostbenchError(what, where=where) from None


class ConfigError(BoostbenchError):
    """Errors in a config; holds all of them, not only the first.

    Parameters
    ----------
    complaints : sequence of BoostbenchError
        At least one.
    """

    def __init__(self, complaints: Sequence[BoostbenchError]) -> None:
        super().__init__("\n".join(str(complaint) for complaint in complaints))
        self.complaints = tuple(complaints)


class ChangedError(BoostbenchError):
    """Data or code that changed after a run was planned."""


class DataError(BoostbenchError):
    """A data file that contradicts the catalog or its format."""


class DataUnavailableError(BoostbenchError):
    """A data set that no source provides."""


class PluginError(BoostbenchError):
    """A plugin that cannot be loaded."""


class AbsentError(PluginError, ModuleNotFoundError):
    """A component whose package is not installed; the message has the command to install it."""

    def __init__(self, what: str, error: ModuleNotFoundError, *, where: str = "") -> None:
        package = (error.name or "").partition(".")[0]
        needs = f"needs the package {package!r}, which is not installed"
        super().__init__(f"{what} {needs}: pip install {package}", where=where)
        self.name = error.name


class RecordError(BoostbenchError):
    """A run record that cannot be read."""


class UnknownNameError(BoostbenchError):
    """An unregistered name; the message suggests a similar one of those known."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, where: str = "", **options: Any
    ) -> None:
        super().__init__(unknown(kind, name, known, **options), where=where)


def unknown(
    kind: str, name: str, known: Iterable[str], *, of: str = "", typed: Mapping[str, str] = _NONE
) -> str:
    """Return the message about an unknown name, with a suggestion.

    Parameters
    ----------
    kind, name : str
    known : iterable of str
    of : str, default=""
        Owner of the name.
    typed : mapping of str to str
        What to type for other names, as those in print.

    Examples
    --------
    >>> unknown("key", "seed", ["seeds", "rounds"])
    "unknown key 'seed'; did you mean 'seeds'?"
    >>> unknown("booster", "mine.py", ["samme"])
    "unknown booster 'mine.py'; name an object in the file, as 'mine.py:NAME'"
    >>> unknown("data set", "mine.csv", ["iris"])
    "unknown data set 'mine.csv'; 'boostbench data add mine.csv' makes the file a data set"
    """
    return f"unknown {kind} {name!r}{f' of {of}' if of else ''}; {hint(name, known, typed)}"


def hint(name: str, known: Iterable[str], typed: Mapping[str, str] = _NONE) -> str:
    """Return a suggestion: a similar name, else all known names or the most similar of many."""
    if name.endswith(".py"):
        return f"name an object in the file, as '{name}:NAME'"
    if name.endswith((".csv", ".tsv", ".arff", ".parquet")):
        return f"'boostbench data add {name}' makes the file a data set"
    known = sorted(known)
    if close := nearest(name, [*known, *typed]):
        return f"did you mean {typed.get(close, repr(close))}?"
    if len(known) <= _MOST_NAMES:
        return f"known are: {', '.join(known) or 'none'}"
    similar = difflib.get_close_matches(name, known, n=_MOST_NAMES // 2, cutoff=0.0)
    return f"the most similar of the {len(known)} known: {', '.join(similar)}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most similar to ``name``, or None if none is similar.

    Examples
    --------
    >>> nearest("smboost", ["sm-boost", "samme"])
    'sm-boost'
    >>> nearest("xyz", ["sm-boost", "samme"]) is None
    True
    """
    by_folded = {candidate.casefold().replace("_", "-"): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold().replace("_", "-"), by_folded, cutoff=0.6)
    return by_folded[close[0]] if close else None
