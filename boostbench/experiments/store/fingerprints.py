"""A fingerprint of the code that decides a result, taken from its source text.

The module of the booster (weak learner, noise model, generator) and, transitively, whatever it
imports from its own package are parsed; comments, docstrings and layout do not count. A name that a
package only re-exports is followed to the module that defines it, so a change to one booster does
not touch the others. Nothing is imported for it.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from boostbench import registry

__all__ = ["code_fingerprint", "modules_behind"]

#: Modules that cannot change a number: messages, names, places of files, drawings.
_INDIFFERENT = {
    "boostbench.data.downloads",
    "boostbench.errors",
    "boostbench.registry",
    "boostbench.resources",
    "boostbench.weak_learners.drawing",
}


def code_fingerprint(origins: Iterable[str]) -> str:
    """Return 8 hex digits of the code behind some modules.

    Parameters
    ----------
    origins : iterable of str
        Module names (``"boostbench.boosters.samme"``) or paths of plugin files.

    Returns
    -------
    fingerprint : str
    """
    return _fingerprint(tuple(sorted(set(origins))))


def modules_behind(origin: str) -> list[Path]:
    """Return the source files whose code decides what ``origin`` computes, sorted."""
    return sorted(_walk((origin,)))


@cache
def _fingerprint(origins: tuple[str, ...]) -> str:
    texts = sorted(_essence(path) for path in _walk(origins))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def _walk(origins: tuple[str, ...]) -> set[Path]:
    found: set[Path] = set()
    waiting = list(origins)
    seen: set[str] = set()
    while waiting:
        origin = waiting.pop()
        if origin in seen or origin in _INDIFFERENT:
            continue
        seen.add(origin)
        path = _path_of(origin)
        if path is None:
            continue
        found.add(path)
        waiting += _imports_of(origin)
        waiting += _weak_learners_named_in(path)
    return found


@cache
def _path_of(origin: str) -> Path | None:
    """Return the source file of a module name or path; None if it has none (a C extension)."""
    if origin.endswith(".py"):
        return Path(origin) if Path(origin).is_file() else None
    package, _, leaf = origin.rpartition(".")
    if package:
        parent = _path_of(package)
        if parent is None or parent.name != "__init__.py":
            return None
        for candidate in (parent.parent / leaf / "__init__.py", parent.parent / f"{leaf}.py"):
            if candidate.is_file():
                return candidate
        return None
    spec = importlib.util.find_spec(origin)
    found = None if spec is None or spec.origin is None else Path(spec.origin)
    return found if found is not None and found.suffix == ".py" else None


@cache
def _tree_of(path: Path) -> ast.Module:
    tree = ast.parse(path.read_bytes(), filename=str(path))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


@cache
def _essence(path: Path) -> str:
    return ast.unparse(_tree_of(path))  # alike for all Python versions, unlike ast.dump


@cache
def _imports_of(origin: str) -> tuple[str, ...]:
    """Return the modules of the same package, or the files beside a plugin, that it imports."""
    path = _path_of(origin)
    if path is None:
        return ()
    is_file = origin.endswith(".py")
    found: list[str] = []
    for node in ast.walk(_tree_of(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found += _followed(alias.name, origin, path, is_file)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, origin, path)
            for alias in node.names:
                if is_file and _beside(module, path):
                    found += _followed(module, origin, path, is_file)
                else:
                    found += _definers(module, alias.name, _root(origin, is_file))
    return tuple(dict.fromkeys(found))


def _followed(module: str, origin: str, path: Path, is_file: bool) -> list[str]:
    if is_file and (neighbour := _beside(module, path)):
        return [str(neighbour)]
    return [module] if _belongs(module, _root(origin, is_file)) else []


def _beside(module: str, path: Path) -> Path | None:
    candidate = path.parent / f"{module.partition('.')[0]}.py"
    return candidate if module and candidate.is_file() else None


def _root(origin: str, is_file: bool) -> str:
    return "boostbench" if is_file else origin.partition(".")[0]


def _belongs(module: str, root: str) -> bool:
    return module.partition(".")[0] in (root, "boostbench")


def _absolute(node: ast.ImportFrom, origin: str, path: Path) -> str:
    if not node.level:
        return node.module or ""
    parts = origin.split(".") if not origin.endswith(".py") else [path.stem]
    keep = len(parts) - node.level + (path.name == "__init__.py")
    return ".".join([*parts[: max(keep, 0)], *([node.module] if node.module else [])])


def _definers(module: str, name: str, root: str) -> list[str]:
    """Return the modules that define ``name`` of ``module``: itself, or where it comes from."""
    if not _belongs(module, root):
        return []
    submodule = f"{module}.{name}"
    if _path_of(submodule) is not None:
        return [submodule]
    path = _path_of(module)
    if path is None:
        return []
    if path.name == "__init__.py":
        for node in _tree_of(path).body:
            if not isinstance(node, ast.ImportFrom):
                continue
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _definers(_absolute(node, module, path), alias.name, root)
    return [module]


def _weak_learners_named_in(path: Path) -> Iterator[str]:
    """Yield the modules of weak learners that the code chooses by name, as boosters do."""
    for node in ast.walk(_tree_of(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value
            if name in registry.weak_learners:
                yield registry.weak_learners.module(name)
