"""Versions of the packages behind a result: those installed here, and those of a record."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata

from boostbench.experiments.store.record import Summary

#: Packages whose version may change the last digits of a result; no part of a key.
_NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")


@cache
def versions(package: str = "") -> dict[str, str]:
    """Return the versions of Python and of the packages behind a result.

    Parameters
    ----------
    package : str, default=""
        The top-level module of the booster, added when it is an installed package of its own.
    """
    names = dict.fromkeys(("boostbench", *_NUMERICAL, *_distributions().get(package, ())))
    found = {name: _version(name) for name in names}
    return {"python": platform.python_version(), **{k: v for k, v in found.items() if v}}


def other_versions(summary: Summary) -> str:
    """Return the numerical libraries of which a record has other versions than there are here.

    Empty if there are none, as where this version of boostbench knows of no version.
    """
    return _other_than_here(tuple(map(summary.versions.get, _NUMERICAL)))


@cache
def _other_than_here(versions: tuple[str | None, ...]) -> str:
    pairs = ((name, old, _version(name)) for name, old in zip(_NUMERICAL, versions, strict=True))
    return ", ".join(
        f"{name} {old} (here {new or 'absent'})" for name, old, new in pairs if old and old != new
    )


@cache
def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


@cache
def _distributions() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()
