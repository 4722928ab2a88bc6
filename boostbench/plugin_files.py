"""Execution of plugin files, and detection of the names that they register."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import re
import sys
import traceback
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from types import ModuleType

from boostbench import inputs
from boostbench.errors import BoostbenchError, PluginError

#: Exceptions of plugins that are reported instead of ending the command.
ESCAPING = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
#: Prefix of the module names of plugin files.
FILE_MODULE = "boostbench_plugin_"
_REGISTERS = re.compile(r"(\w+)\.register\('([\w.-]+)'\)")
#: Packages whose import registers nothing.
_HARMLESS = {*sys.stdlib_module_names, "numba", "numpy", "pandas", "scipy", "sklearn"}
_HARMLESS_IMPORT = re.compile(
    rf"({'|'.join(_HARMLESS - {'importlib', 'runpy'})}|boostbench\.(?!registry\b)\w+)(\.|$)"
)
#: Functions that may import or register names invisibly to `names_registered_by`.
_DYNAMIC = {"__import__", "eval", "exec"}


def load_plugin(path: Path, *, where: str = "") -> ModuleType:
    """Execute a Python file once, so that its decorators register its components.

    Its standard output is redirected to stderr, to keep the output of commands unchanged.

    Parameters
    ----------
    path : Path
        A ``.py`` file.
    where : str, default=""
        Location of the reference to the file, for messages.

    Returns
    -------
    module : ModuleType

    Raises
    ------
    PluginError
        If the file is absent or its execution raises an exception.
    """
    path = Path(path).expanduser().resolve()
    name = f"{FILE_MODULE}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise PluginError(f"plugin file {path} does not exist", where=where)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin file {path} is not a Python file (.py)", where=where)
    module = importlib.util.module_from_spec(spec)
    inputs.watch()
    sys.modules[name] = module
    try:
        # Not from cached bytecode, which may survive an edit within a second.
        with inputs.noting(str(path)), contextlib.redirect_stdout(sys.stderr):
            exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    except ESCAPING as error:
        del sys.modules[name]
        place = _line_in(path, error)
        reason = error.what if isinstance(error, BoostbenchError) else one_line(error)
        raise PluginError(f"plugin {place} cannot be loaded: {reason}", where=where) from error
    return module


def executed_plugins() -> tuple[Path, ...]:
    """Return the plugin files executed so far."""
    modules = [module for name, module in sys.modules.items() if name.startswith(FILE_MODULE)]
    return tuple(Path(str(module.__file__)) for module in modules)


def names_registered_by(path: Path, registries: Collection[str]) -> list[tuple[str, str]]:
    """Return registry and name of each component of a plugin file, without executing the file.

    Empty if the names cannot be determined from the text, which requires that the file registers
    by decorators ``@boosters.register("name")`` at its top level only, and that it imports nothing
    that may register further names.

    Parameters
    ----------
    path : Path
    registries : collection of str
        Names of the registries in `boostbench.registry`.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    names, imports = Counter[str](), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            names[node.id if isinstance(node, ast.Name) else node.attr] += 1
        elif isinstance(node, ast.Import | ast.ImportFrom):
            prefix = (
                "." * node.level + f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            )
            imports += [prefix + alias.name for alias in node.names]
    decorators = (d for node in tree.body for d in getattr(node, "decorator_list", ()))
    matches = (_REGISTERS.fullmatch(ast.unparse(decorator)) for decorator in decorators)
    registered = [(match[1], match[2]) for match in matches if match and match[1] in registries]
    allowed = {f"boostbench.registry.{name}" for name in registries}
    is_plain = all(name in allowed or _HARMLESS_IMPORT.match(name) for name in imports)
    n_uses = sum(names[name] for name in registries)
    if (
        not is_plain
        or names.keys() & _DYNAMIC
        or not len(registered) == n_uses == names["register"]
    ):
        return []
    return registered


def _line_in(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{path}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    line = next((at.lineno for at in reversed(frames) if at.filename == str(path)), None)
    return str(path) if line is None else f"{path}:{line}"


def one_line(error: BaseException) -> str:
    """Return the repr of an exception in one line; its type if the repr fails."""
    try:
        return " ".join(repr(error).split())[:500]
    except Exception:
        return type(error).__name__
