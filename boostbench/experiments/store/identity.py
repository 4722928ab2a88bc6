"""Identity of a run: fingerprints of its value, its code and its data.

The fingerprint of the code is computed from source text. It covers the module of a component
(booster, weak learner, noise model, generator) and, transitively, the modules that it imports from
its own package. Comments, docstrings, layout and imports for type checkers are ignored, and in this
package also what only makes the message of an exception, and functions that no run may call, with
their imports (`boostbench.models_only`). A name re-exported by a package is traced to the module
that defines it, so that a change to one booster does not affect other boosters. For a plugin file,
the fingerprint covers the files that its imports execute, unless they are installed: files beside
it, in a package beside it, or on the module path. No module is imported.

A rewritten module of this package may give the same numbers to the bit, as `checks.bits` shows.
Such a module counts as its earlier text, of which `SAME_NUMBERS` holds the facts, so that records
stay valid; any further change of the module is a change of the fingerprint.

Parsing dominates the time of commands that have no runs to execute. The parsed facts of each source
text are therefore stored in the cache folder under the digest of the text. The set of files is
determined anew by each process.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import lzma
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from boostbench import registry
from boostbench.data.cache import keep, read_kept
from boostbench.errors import PluginError, UnknownNameError
from boostbench.experiments.runs import Run
from boostbench.inputs import digest_of_text, is_installed
from boostbench.quantities import QUANTITIES
from boostbench.quantities.quantity import DECIDING

#: Module of the pipeline from the data to the numbers of a record.
PIPELINE = "boostbench.experiments.running.execution"
#: Modules that cannot affect a result: messages, names, locations of files, drawings.
_IGNORED = {
    "boostbench.data.downloads",
    "boostbench.data.encoding",
    "boostbench.errors",
    "boostbench.inputs",
    "boostbench.quantities.quantity",
    "boostbench.registry",
    "boostbench.resources",
    "boostbench.source",
    "boostbench.validation",
    "boostbench.whole_files",
}
#: Functions whose arguments say how a component is called and shown, except `DECIDING`.
_DECLARING = ("Clock", "Quantity", "metric", "quantity", "register")
_PACKAGE = Path(__file__).parents[2]
#: Facts of earlier texts of modules, by the digest of the present text's essence; written by
#: `checks.same_numbers`.
SAME_NUMBERS = Path(__file__).with_name("same_numbers.json.xz")


@dataclass(frozen=True, slots=True)
class Key:
    """Identity of a record; a record is valid for a run if value, code and data agree."""

    value: str  # as by `value_of`
    rounds: int  # T; a record may be valid for smaller T too, see `Booster.nested_rounds`
    code: str  # as by `code_of`
    data: str  # first 16 characters of the checksum of the data; empty if the data is absent

    def __str__(self) -> str:
        return f"{self.value}-{self.rounds}-{self.code}-{self.data}"

    @classmethod
    def parse(cls, text: object) -> Key:
        """Return the key that is shown as ``value-rounds-code-data``; ValueError if malformed."""
        value, rounds, code, data = str(text).split("-")
        return cls(value, int(rounds), sys.intern(code), sys.intern(data))


def value_of(run: Run) -> str:
    """Return 16 hex digits that identify a run without its number of rounds."""
    before, after = run.around_seed
    return hashlib.sha256(f'{before},"seed":{run.seed},{after}'.encode()).hexdigest()[:16]


def code_of(run: Run, generator: str = "") -> str:
    """Return the fingerprint, 8 hex digits, of the code that determines the result of a run.

    The code consists of the modules of the booster, the weak learner, the noise model, the
    generator and the quantities that the run records, the pipeline from the data to the numbers of
    the record, and all their imports, except installed packages.

    Parameters
    ----------
    run : Run
    generator : str, default=""
        Name of the generator of the data set, if any.

    Raises
    ------
    UnknownNameError
        If the booster, weak learner, noise model or generator is not registered.
    """
    components = [
        *components_of(run.booster.component, run.booster.params.plain()),
        *((registry.quantities, name) for name in QUANTITIES.recorded(run.metrics, run.record)),
    ]
    origins = [PIPELINE, *(origin for kind, name in components for origin in kind.origins(name))]
    foreign = (_path_of(kind.module(name)) for kind, name in components if kind.is_foreign(name))
    origins += [str(path) for path in foreign if path and not is_installed(str(path))]
    if not run.noise.is_clean:
        origins.append(registry.noise_models.module(run.noise.component))
    if generator:
        origins.append(registry.generators.module(generator))
    return code_fingerprint(*origins)


def folder_of(run: Run) -> str:
    """Return the folder of the plugin file of a run's parts; empty without one."""
    parts = run.booster, run.noise, run.data
    named = (part.component for part in parts if ".py:" in part.component)
    return next((str(Path(registry.boosters.module(name)).parent) for name in named), "")


def is_own_code(run: Run) -> bool:
    """Return whether booster and weak learner belong to this package, without imports."""
    try:
        own = components_of(run.booster.component, run.booster.params.plain())
        return all(kind.module(name).startswith("boostbench.") for kind, name in own)
    except UnknownNameError:
        return False


def components_of(
    source: str, params: Mapping[str, Any]
) -> Iterator[tuple[registry.Registry, str]]:
    """Yield a booster and the components named by its parameters, at any depth."""
    yield registry.boosters, source
    for key, kind in registry.INNER.items() if not registry.boosters.is_foreign(source) else ():
        spec = params.get(key)  # a name or {name: parameters}; others are refused elsewhere
        named = {spec: None} if isinstance(spec, str) else spec
        for inner, own in named.items() if isinstance(named, Mapping) else ():
            if kind is registry.boosters:
                yield from components_of(inner, own if isinstance(own, Mapping) else {})
            else:
                yield kind, inner


class _Import(NamedTuple):
    """An import statement; ``import a.b`` has no names."""

    module: str
    names: Sequence[Sequence[str]]  # (name in the module, local name)
    level: int
    for_types: bool  # under ``if TYPE_CHECKING``


class _Facts(NamedTuple):
    """Facts about a source text that a fingerprint depends on."""

    essence: str  # syntax tree without what cannot change a number; a digest if there is none
    imports: list[_Import]
    words: list[str]  # string constants


@cache
def code_fingerprint(*origins: str) -> str:
    """Return the fingerprint of modules: 8 hex digits.

    Parameters
    ----------
    *origins : str
        Module names (``"boostbench.boosters.samme"``) or paths of plugin files.
    """
    paths = sorted(_walk(origins))
    # With their names, so that exchanging the contents of two files is a change.
    texts = sorted(f"{_name_of(path)}\0{_facts_of(path).essence}" for path in paths)
    fingerprint = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]
    _sources[fingerprint] = tuple(
        (str(path.resolve()), digest_of_text(_text_of(path))) for path in paths
    )
    return fingerprint


def forget() -> None:
    """Clear the caches of this process, so that sources are read anew."""
    for cached in (code_fingerprint, _path_of, _text_of, _facts_of, _imports_of, _earlier_facts):
        cached.cache_clear()


def sources_of(fingerprint: str) -> tuple[tuple[str, str], ...]:
    """Return real path and digest (as by `digest_of_text`) of each file behind a fingerprint.

    Empty if this process did not compute the fingerprint.
    """
    return _sources.get(fingerprint, ())


_sources: dict[str, tuple[tuple[str, str], ...]] = {}


def _walk(origins: tuple[str, ...]) -> set[Path]:
    """Return the files behind origins, with weak learners that are named in them.

    Of files of the user, also with boosters.
    """
    paths: set[Path] = set()
    waiting = list(origins)
    seen = {*_IGNORED}
    while waiting:
        origin = waiting.pop()
        if origin in seen:
            continue
        seen.add(origin)
        path = _path_of(origin)
        if path is None:
            continue
        paths.add(path)
        waiting += _imports_of(origin, path)
        words = {*_facts_of(path).words}
        waiting += map(registry.weak_learners.module, words.intersection(registry.weak_learners))
        for name in () if path.is_relative_to(_PACKAGE) else words & {*registry.boosters.names()}:
            waiting += registry.boosters.origins(name)
    return paths


@cache
def _path_of(origin: str) -> Path | None:
    """Return the source file of a module name or path; None without one (C extensions)."""
    if origin == "__main__":
        raise PluginError("a part is in the running script or notebook; put it into a plugin file")
    if origin.endswith(".py"):
        return Path(origin) if Path(origin).is_file() else None
    package, _, leaf = origin.rpartition(".")
    if package:
        parent = _path_of(package)
        is_package = parent and parent.name == "__init__.py"
        return _file_at(parent.parent / leaf) if parent and is_package else None
    spec = importlib.util.find_spec(origin)
    path = Path((spec and spec.origin) or "")
    return path if path.suffix == ".py" else None


def _file_at(place: Path) -> Path | None:
    """Return the file of the package or module at a path without suffix."""
    files = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next(filter(Path.is_file, files), None)


def _root_of(path: Path) -> Path:
    """Return the folder of the outermost package of a file."""
    return next(folder for folder in path.parents if not (folder / "__init__.py").is_file())


@cache
def _name_of(path: Path) -> str:
    """Return the path within the outermost package of a file, wherever that package lies."""
    return path.relative_to(_root_of(path)).as_posix()


@cache
def _text_of(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _facts_of(path: Path) -> _Facts:
    text = _text_of(path)
    is_own = path.is_relative_to(_PACKAGE)
    version = f"{sys.version}{is_own}".encode()
    stamp = b"\0".join([version, _text_of(Path(__file__)), text])
    name = f"sources/{hashlib.sha256(stamp).hexdigest()}.json"
    if (kept := read_kept(name)) is None:
        kept = json.dumps(_parsed(text, is_own=is_own)).encode()
        keep(name, kept)
    essence, imports, words = json.loads(kept)
    if is_own and essence:
        earlier = _earlier_facts().get(digest_of_text(essence.encode()))
        essence, imports, words = earlier or (essence, imports, words)
    return _Facts(essence, [_Import(*each) for each in imports], words)


@cache
def _earlier_facts() -> dict[str, list[Any]]:
    facts: dict[str, list[Any]] = json.loads(lzma.decompress(SAME_NUMBERS.read_bytes()))
    return facts


def _parsed(text: bytes, *, is_own: bool) -> _Facts:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # a file that a plugin imports only if it can
        return _Facts(digest_of_text(text), [], [])
    for node in ast.walk(tree) if is_own else ():
        if isinstance(node, ast.Module | ast.ClassDef):
            decorated = ((each, getattr(each, "decorator_list", ())) for each in node.body)
            node.body = [s for s, by in decorated if "models_only" not in map(ast.unparse, by)]
    typing = {node for block in filter(_is_for_types, tree.body) for node in ast.walk(block)}
    imports: list[_Import] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [_Import(alias.name, (), 0, node in typing) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
            imports.append(_Import(node.module or "", names, node.level, node in typing))
    for node in ast.walk(tree):
        _reduce(node, is_own=is_own)
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    words = sorted({value for value in constants if isinstance(value, str)})
    return _Facts(_dumped(tree), imports, words)


def _reduce(node: ast.AST, *, is_own: bool) -> None:
    """Remove from the blocks of a statement what cannot change a number.

    The messages of exceptions remain in plugins, which may catch an exception and read its text.
    """
    for call in (*getattr(node, "decorator_list", ()), getattr(node, "value", None)):
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in _DECLARING:
            call.keywords = [each for each in call.keywords if each.arg in DECIDING]
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if not isinstance(block, list):
            continue
        block[:] = [each for each in block if not _is_for_types(each)]
        if is_own and block and isinstance(block[-1], ast.Raise):
            while len(block) > 1 and _only_names(block[-2]):
                del block[-2]
            exception = block[-1].exc
            kind = exception.func if isinstance(exception, ast.Call) else exception
            block[-1] = ast.Raise(exc=kind, cause=None)


def _is_for_types(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    return ast.unparse(statement.test) == "TYPE_CHECKING"


def _only_names(statement: ast.stmt) -> bool:
    """Return whether a statement only assigns a value to local names."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [None]
    return all(isinstance(target, ast.Name) for target in targets)


def _dumped(node: Any) -> str:
    """Return a syntax tree as text that is the same in all Python versions.

    `ast.dump` and `ast.unparse` are not: they show empty fields and quote texts differently.
    """
    if isinstance(node, list):
        return f"[{' '.join(map(_dumped, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, getattr(node, name, None)) for name in node._fields)
    shown = [
        f" {name}={_dumped(value)}"
        for name, value in fields
        if value is not None and value != [] and name not in ("ctx", "kind")
    ]
    return f"({type(node).__name__}{''.join(shown)})"


@cache
def _imports_of(origin: str, path: Path) -> list[str]:
    """Return the imported modules of the own package, and for a plugin the imported files."""
    is_file = origin.endswith(".py")
    root = "boostbench" if is_file else origin.partition(".")[0]
    origins: list[str] = []
    for statement in _facts_of(path).imports:
        if statement.for_types and not _hands_on(path):
            continue
        module, level = statement.module, statement.level
        names = [name for name, _ in statement.names]
        if not names and _belongs(module, root):
            origins.append(module)
        if is_file and not _belongs(module, root):
            origins += _files_of(module, names, path, level)
        for name in names if not (is_file and level) else ():
            origins += _definers(_absolute(statement, origin, path), name, root)
    return origins


def _files_of(module: str, names: Iterable[str], path: Path, level: int) -> list[str]:
    """Return the files, unless installed, that an import in the file ``path`` executes.

    They are those of packages, the module and its submodules ``names``.
    """
    folders = [path.parents[level - 1]] if level else [_root_of(path), *map(Path, sys.path)]
    for folder in dict.fromkeys(each.absolute() for each in folders):
        place = folder.joinpath(*filter(None, module.split(".")))
        is_here = place.is_dir() or place.with_name(f"{place.name}.py").is_file()
        if is_here and (level or not is_installed(f"{folder}/")):
            packages = [each for each in (place, *place.parents) if folder in each.parents]
            places = [*packages, *(place / name for name in names)]
            if files := [file for each in places if (file := _file_at(each)) and file != path]:
                return list(map(str, files))
    return []


def _belongs(module: str, root: str) -> bool:
    return module.partition(".")[0] in (root, "boostbench")


def _absolute(statement: _Import, origin: str, path: Path) -> str:
    """Return the absolute name of the module of a ``from`` import in a module."""
    if not statement.level:
        return statement.module
    parts = origin.split(".")
    n_parents = len(parts) - statement.level + (path.name == "__init__.py")
    return ".".join(filter(None, [*parts[: max(n_parents, 0)], statement.module]))


def _definers(module: str, name: str, root: str) -> list[str]:
    """Return the module that defines ``name`` of ``module``, following re-exports of packages."""
    if not _belongs(module, root):
        return []
    submodule = f"{module}.{name}"
    if _path_of(submodule) is not None:
        return [submodule]
    path = _path_of(module)
    if path and _hands_on(path):
        for statement in _facts_of(path).imports:
            for original, local in statement.names:
                if local == name:
                    return _definers(_absolute(statement, module, path), original, root)
    return [module]


def _hands_on(path: Path) -> bool:
    """Return whether a file imports names, maybe lazily, for those who import them from it."""
    return path.name == "__init__.py" or path == _PACKAGE / "plugins.py"
