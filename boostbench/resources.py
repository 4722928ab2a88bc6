"""Paths of shipped files, and names that a module imports when they are asked for."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
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


def lazy(file: str, *others: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module that imports names when asked for them.

    Parameters
    ----------
    file : str
        File of the module, which imports these names under ``if TYPE_CHECKING`` alone.
    *others : str
        Other names to list.
    """
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = (node for node in block.body if isinstance(node, ast.ImportFrom))
    modules = {alias.name: str(node.module) for node in imports for alias in node.names}

    def attribute(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {file!r} has no attribute {name!r}")
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            raise ImportError("unset NUMBA_DISABLE_JIT: boosters must be compiled")
        return getattr(import_module(modules[name]), name)

    return attribute, lambda: sorted((*modules, *others))
