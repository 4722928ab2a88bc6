"""Paths of the files that ship with boostbench: the configs and the data-set catalog."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(folder: str) -> Path:
    """Return the folder of shipped files, ``"configs"`` or ``"datasets"``.

    In a wheel they lie inside the package, in a checkout beside it.
    """
    inside = _PACKAGE / "_shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder
