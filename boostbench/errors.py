"""The one family of exceptions whose message is written for the user.

Whatever a user can mend (a config, a data file, a parameter, a plugin, a damaged record) is
reported as a `BoostbenchError`; the command line prints its text without a traceback and exits
with code 2. Everything else is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

#: So many names are listed in full; of more, half as many, the most similar.
_MOST_NAMES = 20


class BoostbenchError(ValueError):
    """A problem the user can mend.

    It is a ValueError, so that a validator of pydantic may raise it like any other refusal.

    Parameters
    ----------
    what : str
        The value that was found and what would be right, in one line.
    where : str, default=""
        The place: ``file``, ``file:line``, a key or a parameter.

    Examples
    --------
    >>> str(BoostbenchError("rounds must be a positive integer, found 0", where="a.yaml:4"))
    'a.yaml:4: rounds must be a positive integer, found 0'
    """

    def __init__(self, what: str, *, where: str = "") -> None:
        super().__init__(f"{where}: {what}" if where else what)
        self.what = what
        self.where = where


def absence(what: str, error: ModuleNotFoundError) -> str:
    """Return that something needs a package, and how to get it."""
    package = (error.name or "").partition(".")[0]
    return f"{what} needs the package {package!r}, which is not installed: pip install {package}"


class ConfigError(BoostbenchError):
    """A config that cannot be run; holds every complaint found, not only the first.

    Parameters
    ----------
    complaints : sequence of BoostbenchError
        At least one.
    """

    def __init__(self, complaints: Sequence[BoostbenchError]) -> None:
        super().__init__("\n".join(str(complaint) for complaint in complaints))
        self.complaints = tuple(complaints)


class ChangedError(BoostbenchError):
    """Data or code that is no longer what a run was planned with."""


class DataError(BoostbenchError):
    """A data file that is there but not what the catalog or its format promises."""


class DataUnavailableError(BoostbenchError):
    """A data set that none of the sources could provide."""


class PluginError(BoostbenchError):
    """A plugin that cannot be loaded."""


class RecordError(BoostbenchError):
    """A run record that cannot be read."""


class UnknownNameError(BoostbenchError):
    """A name that no registry knows; the message carries the nearest valid one."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "") -> None:
        super().__init__(unknown(kind, name, known), where=where)
        self.name = name


def unknown(kind: str, name: str, known: Iterable[str], *, of: str = "") -> str:
    """Return the complaint about a name that is not among the known ones.

    Parameters
    ----------
    kind, name : str
    known : iterable of str
    of : str, default=""
        Owner of the name.

    Examples
    --------
    >>> unknown("key", "seed", ["seeds", "rounds"])
    "unknown key 'seed'; did you mean 'seeds'?"
    >>> unknown("booster", "mine.py", ["samme"])
    "unknown booster 'mine.py'; name what is in the file, as 'mine.py:NAME'"
    """
    return f"unknown {kind} {name!r}{f' of {of}' if of else ''}; {hint(name, known)}"


def hint(name: str, known: Iterable[str]) -> str:
    """Return which name may be meant, else all known ones or, of many, the most similar."""
    if name.endswith(".py"):
        return f"name what is in the file, as '{name}:NAME'"
    known = sorted(known)
    close = nearest(name, known)
    if close:
        return f"did you mean {close!r}?"
    if len(known) <= _MOST_NAMES:
        return f"known are: {', '.join(known) or 'none'}"
    similar = difflib.get_close_matches(name, known, n=_MOST_NAMES // 2, cutoff=0.0)
    return f"the most similar of the {len(known)} known: {', '.join(similar)}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name nearest to ``name``, or None when none is near.

    Examples
    --------
    >>> nearest("smboost", ["sm-boost", "samme"])
    'sm-boost'
    >>> nearest("xyz", ["sm-boost", "samme"]) is None
    True
    """
    by_folded = {candidate.casefold().replace("_", "-"): candidate for candidate in known}
    folded = name.casefold().replace("_", "-")
    close = difflib.get_close_matches(folded, by_folded, cutoff=0.6)
    # of equally near names the one of the same letters: two of them were exchanged
    close.sort(key=lambda other: (-_similarity(folded, other), sorted(folded) != sorted(other)))
    return by_folded[close[0]] if close else None


def _similarity(name: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, name).ratio()
