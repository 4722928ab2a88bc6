"""Paths of shipped files, and names that a module imports when they are asked for."""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parent
if not _PACKAGE.is_dir():  # files of the package are read by their paths
    raise ImportError(f"boostbench cannot be imported from {_PACKAGE.parent}: unpack the archive")


def shipped(folder: str) -> Path:
    """Return a folder of shipped files, ``"configs"`` or ``"datasets"``.

    The folder is inside the package in a wheel, and beside the package in a checkout.
    """
    inside = _PACKAGE / "_shipped" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


def lazy_attribute(file: str, name: str) -> Any:
    """Return an attribute that the module in ``file`` imports under ``if TYPE_CHECKING`` alone.

    Raises
    ------
    AttributeError
        If it imports no such name.
    """
    if name not in lazy_names(file):
        raise AttributeError(f"module {file!r} has no attribute {name!r}")
    return getattr(import_module(lazy_names(file)[name]), name)


@cache
def lazy_names(file: str) -> dict[str, str]:
    """Return the module of each name that a file imports under ``if TYPE_CHECKING``."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    (lazy,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in lazy.body if isinstance(node, ast.ImportFrom))
    return {alias.name: str(node.module) for node in imports for alias in node.names}
