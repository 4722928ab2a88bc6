"""A fingerprint of the code that decides a result, taken from its source text.

The module of the booster (weak learner, noise model, generator) and, transitively, whatever it
imports from its own package are parsed; comments, docstrings and layout do not count. A name that a
package only re-exports is followed to the module that defines it, so a change to one booster does
not touch the others. Nothing is imported for it. Of a plugin file, the files count that its imports
execute and that are not installed: beside it, in a package beside it, on the module path.

Parsing takes longer than all else that a command does with finished runs. So what is needed of a
text is kept in the cache folder by the text's digest; which files count is looked up anew.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from boostbench import registry
from boostbench.data.cache import keep, read_kept
from boostbench.inputs import digest_of_text, is_installed

#: Modules that cannot change a number: messages, names, places of files, drawings.
_INDIFFERENT = {
    "boostbench.data.downloads",
    "boostbench.errors",
    "boostbench.inputs",
    "boostbench.plugin_files",
    "boostbench.registry",
    "boostbench.resources",
    "boostbench.validation",
    "boostbench.weak_learners.drawing",
}


class _Import(NamedTuple):
    """An import statement; ``import a.b`` names nothing, and its level is -1."""

    module: str
    names: tuple[tuple[str, str], ...]  # each as it is called there and here
    level: int
    is_at_top: bool


class _Facts(NamedTuple):
    """Parts of a source text that a fingerprint depends on."""

    essence: str  # the text without comments, docstrings and layout
    imports: tuple[_Import, ...]
    words: frozenset[str]  # its string constants


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


def forget() -> None:
    """Let sources be read anew, as in a new process."""
    for kept in (_fingerprint, _path_of, _text_of, _facts_of, _imports_of):
        kept.cache_clear()


def sources_of(fingerprint: str) -> tuple[tuple[str, str], ...]:
    """Return real path and 16 hex digits of the sha256 of each file behind a fingerprint.

    Empty if this process did not make it.
    """
    return _sources.get(fingerprint, ())


_sources: dict[str, tuple[tuple[str, str], ...]] = {}


@cache
def _fingerprint(origins: tuple[str, ...]) -> str:
    paths = sorted(_walk(origins))
    texts = sorted(_facts_of(path).essence for path in paths)
    fingerprint = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]
    digests = (digest_of_text(_text_of(path)) for path in paths)
    _sources[fingerprint] = tuple(
        zip((str(path.resolve()) for path in paths), digests, strict=True)
    )
    return fingerprint


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
def _text_of(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _facts_of(path: Path) -> _Facts:
    text = _text_of(path)
    stamp = b"\0".join([sys.version.encode(), _text_of(Path(__file__)), text])
    name = f"sources/{hashlib.sha256(stamp).hexdigest()}.json"
    kept = read_kept(name)
    if kept is not None:
        essence, imports, words = json.loads(kept)
        made = (_Import(m, tuple(map(tuple, names)), *rest) for m, names, *rest in imports)
        return _Facts(essence, tuple(made), frozenset(words))
    facts = _parsed(text, path)
    keep(name, json.dumps([facts.essence, facts.imports, sorted(facts.words)]).encode())
    return facts


def _parsed(text: bytes, path: Path) -> _Facts:
    tree = ast.parse(text, filename=str(path))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    blocks = [node.body for node in tree.body if isinstance(node, ast.If)]  # `if TYPE_CHECKING`
    top = {*tree.body, *itertools.chain(*blocks)}
    imports: list[_Import] = []
    words: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [_Import(alias.name, (), -1, node in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
            imports.append(_Import(node.module or "", names, node.level, node in top))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
    # alike for all Python versions, unlike ast.dump
    return _Facts(ast.unparse(tree), tuple(imports), frozenset(words))


@cache
def _imports_of(origin: str) -> tuple[str, ...]:
    """Return the modules of the same package, or the files a plugin executes, that it imports."""
    path = _path_of(origin)
    if path is None:
        return ()
    is_file = origin.endswith(".py")
    root = "boostbench" if is_file else origin.partition(".")[0]
    found: list[str] = []
    for its in _facts_of(path).imports:
        names = tuple(name for name, _ in its.names)
        if its.level < 0:
            found += [its.module] if _belongs(its.module, root) else []
        if is_file and not _belongs(its.module, root):
            found += _files_of(its.module, names, path, max(its.level, 0))
        for name in names if not (is_file and its.level) else ():
            found += _definers(_absolute(its, origin, path), name, root)
    return tuple(dict.fromkeys(found))


def _files_of(module: str, names: Iterable[str], path: Path, level: int = 0) -> list[str]:
    """Return the files that an import in the file ``path`` executes, if they are not installed."""
    parts = module.split(".") if module else []
    if level:
        found = _files_in(path.parents[level - 1], parts, names)
    else:
        root = path.parent
        while (root / "__init__.py").is_file():
            root = root.parent
        folders = dict.fromkeys((root, *(Path(path).absolute() for path in sys.path)))
        kept = (folder for folder in folders if not is_installed(f"{folder}/"))
        found = next((its for folder in kept if (its := _files_in(folder, parts, names))), [])
    return [str(file) for file in found if file != path]


def _files_in(folder: Path, parts: list[str], names: Iterable[str]) -> list[Path]:
    """Return the files of a module below a folder: its packages', its own, and ``names`` of it."""
    found: list[Path] = []
    for n, part in enumerate(parts):
        if (folder / f"{part}.py").is_file() and not (folder / part / "__init__.py").is_file():
            return [*found, folder / f"{part}.py"] if n == len(parts) - 1 else []
        folder /= part
        found.append(folder / "__init__.py")
    if not folder.is_dir():
        return []
    for name in names:
        found += [folder / f"{name}.py", folder / name / "__init__.py"]
    return [file for file in found if file.is_file()]


def _belongs(module: str, root: str) -> bool:
    return module.partition(".")[0] in (root, "boostbench")


def _absolute(its: _Import, origin: str, path: Path) -> str:
    if not its.level:
        return its.module
    parts = origin.split(".") if not origin.endswith(".py") else [path.stem]
    n_kept = len(parts) - its.level + (path.name == "__init__.py")
    return ".".join([*parts[: max(n_kept, 0)], *([its.module] if its.module else [])])


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
        for its in _facts_of(path).imports:
            for there, here in its.names if its.is_at_top else ():
                if here == name:
                    return _definers(_absolute(its, module, path), there, root)
    return [module]


def _weak_learners_named_in(path: Path) -> Iterator[str]:
    """Yield the modules of weak learners that the code chooses by name, as boosters do."""
    for name in registry.weak_learners.names():
        if name in _facts_of(path).words:
            yield registry.weak_learners.module(name)
