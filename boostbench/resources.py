"""Paths of shipped files: configs and the data-set catalog."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(folder: str) -> Path:
    """Return a folder of shipped files, ``"configs"`` or ``"datasets"``.

    The folder is inside the package in a wheel, and beside the package in a checkout.
    """
    inside = _PACKAGE / "_shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder
