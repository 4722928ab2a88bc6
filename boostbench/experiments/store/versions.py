"""Versions of the packages behind a result, installed or recorded."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata

from boostbench.experiments.store.record import Summary

#: Packages whose version may affect the last digits of any result; not part of a key.
_NUMERICAL = ("numpy", "scipy", "scikit-learn", "numba")


@cache
def versions(package: str = "") -> dict[str, str]:
    """Return the versions of Python and of the packages behind a result.

    Parameters
    ----------
    package : str, default=""
        Top-level module of the booster, whose package is added.
    """
    names = dict.fromkeys(("boostbench", *_NUMERICAL, *_distributions().get(package, ())))
    installed = {name: version for name in names if (version := _version(name))}
    return {"python": platform.python_version(), **installed}


def other_versions(summary: Summary) -> str:
    """Return the packages behind a record whose installed version differs from the recorded one.

    They are numerical libraries, and the package of the booster.
    """
    return ", ".join(
        f"{name} {version} (here {_version(name) or 'absent'})"
        for name, version in summary.versions.items()
        if name not in ("python", "boostbench") and version != _version(name)
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
