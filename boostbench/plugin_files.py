"""Plugin files: what they register, and their execution."""

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

#: Exceptions that a plugin may raise while it is imported without ending the command.
ESCAPING = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
#: Beginning of the name of the module that a plugin file becomes.
FILE_MODULE = "boostbench_plugin_"
_REGISTERS = re.compile(r"(\w+)\.register\('([\w.-]+)'\)")
#: Modules that register nothing of their own accord.
_PACKAGES = {*sys.stdlib_module_names, "numba", "numpy", "pandas", "scipy", "sklearn"}
_PLAIN = re.compile(
    rf"({'|'.join(_PACKAGES - {'importlib', 'runpy'})}|boostbench\.(?!registry\b)\w+)(\.|$)"
)
#: Functions that may import or register without a word of it in the text.
_HIDING = {"__import__", "eval", "exec"}


def load_plugin(path: Path, *, where: str = "") -> ModuleType:
    """Execute a Python file once, so that its decorators register what it defines.

    What the file prints goes to stderr: output of commands stays what it is.

    Parameters
    ----------
    path : Path
        A ``.py`` file.
    where : str, default=""
        Where the file was named, for the message.

    Returns
    -------
    module : ModuleType

    Raises
    ------
    PluginError
        If the file is absent or raises while it is executed.
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
        # From the text, not from stored bytecode, which an edit within a second may outlive.
        with inputs.noting(str(path)), contextlib.redirect_stdout(sys.stderr):
            exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    except ESCAPING as error:
        del sys.modules[name]
        place = _line_in(path, error)
        reason = error.what if isinstance(error, BoostbenchError) else said(error)
        raise PluginError(f"plugin {place} cannot be loaded: {reason}", where=where) from error
    return module


def executed_plugins() -> tuple[Path, ...]:
    """Return the plugin files executed so far."""
    modules = [module for name, module in sys.modules.items() if name.startswith(FILE_MODULE)]
    return tuple(Path(str(module.__file__)) for module in modules)


def names_registered_by(path: Path, registries: Collection[str]) -> list[tuple[str, str]]:
    """Return registry and name of all that a plugin file registers; empty unless its text tells.

    It tells if it registers by decorators alone, ``@boosters.register("name")``, of what stands at
    its top level, and imports nothing that may register more.

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
    names, imported = Counter[str](), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            names[node.id if isinstance(node, ast.Name) else node.attr] += 1
        elif isinstance(node, ast.Import | ast.ImportFrom):
            origin = (
                "." * node.level + f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            )
            imported += [origin + its.name for its in node.names]
    decorators = (d for node in tree.body for d in getattr(node, "decorator_list", ()))
    matches = (_REGISTERS.fullmatch(ast.unparse(decorator)) for decorator in decorators)
    found = [(match[1], match[2]) for match in matches if match and match[1] in registries]
    own = {f"boostbench.registry.{name}" for name in registries}
    is_plain = all(name in own or _PLAIN.match(name) for name in imported)
    uses = sum(names[name] for name in registries)
    tells = is_plain and not names.keys() & _HIDING and len(found) == uses == names["register"]
    return found if tells else []


def _line_in(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{path}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    line = next((at.lineno for at in reversed(frames) if at.filename == str(path)), None)
    return str(path) if line is None else f"{path}:{line}"


def said(error: BaseException) -> str:
    """Return an exception in one line, even if it cannot print itself."""
    try:
        return " ".join(repr(error).split())[:500]
    except Exception:
        return type(error).__name__
