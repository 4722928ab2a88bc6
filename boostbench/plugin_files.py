"""Execution of plugin files, and files for classes of a notebook or of the running script.

Workers import a booster from a file, and its code decides which records are valid. A class of
``__main__`` has no such file: a notebook has none, and importing a script would run it. Its
definition, with the imports, functions, classes and constants it uses, is therefore written to one.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from boostbench import inputs
from boostbench.errors import BoostbenchError, PluginError
from boostbench.whole_files import write_file

#: Exceptions of plugins that are reported instead of ending the command.
ESCAPING = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
#: Prefix of the module names of plugin files.
FILE_MODULE = "boostbench_plugin_"
_refused = ContextVar("refused", default=False)


@contextlib.contextmanager
def refusing_code() -> Iterator[None]:
    """Refuse to execute Python code that a config names, in a block."""
    token = _refused.set(True)
    try:
        yield
    finally:
        _refused.reset(token)


def check_allowed(code: str, *, where: str = "") -> None:
    """Raise PluginError if code that a config names must not be executed."""
    if _refused.get():
        raise PluginError(f"{code} is not executed, because of --no-plugins", where=where)


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
        If the file is absent, must not be executed, or raises an exception.
    """
    path = Path(path).expanduser().resolve()
    check_allowed(f"plugin file {path}", where=where)
    name = f"{FILE_MODULE}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    if path.suffix != ".py" or not path.is_file():
        what = "is not a regular file (.py)" if path.exists() else "does not exist"
        raise PluginError(f"plugin file {path} {what}", where=where)
    module = ModuleType(name)
    module.__file__ = str(path)
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


def load_plugins(files: Iterable[str | Path], *, where: str = "") -> tuple[ModuleType, ...]:
    """Execute Python files once, in their order, as by `load_plugin`."""
    return tuple(load_plugin(Path(file), where=where) for file in files)


def executed_plugins() -> tuple[Path, ...]:
    """Return the plugin files executed so far."""
    modules = [module for name, module in sys.modules.items() if name.startswith(FILE_MODULE)]
    return tuple(Path(str(module.__file__)) for module in modules)


def _line_in(path: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"{path}:{error.lineno}"
    frames = traceback.extract_tb(error.__traceback__)
    line = next((at.lineno for at in reversed(frames) if at.filename == str(path)), None)
    return str(path) if line is None else f"{path}:{line}"


def load_module(name: str, *, where: str = "") -> ModuleType:
    """Import a module that a config names; its prints go to standard error.

    Raises
    ------
    PluginError
        If the module must not be executed, or raises another exception than ModuleNotFoundError.
    """
    check_allowed(f"module {name}", where=where)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return import_module(name)
    except ModuleNotFoundError:
        raise
    except ESCAPING as error:
        what = f"{name} cannot be imported: {one_line(error)}"
        raise PluginError(what, where=where) from error


def one_line(error: BaseException) -> str:
    """Return the repr of an exception in one line; its type if the repr fails."""
    try:
        return " ".join(repr(error).split())[:500]
    except Exception:
        return type(error).__name__


def write_plugin(cls: Any, folder: Path) -> Path:
    """Write a class of ``__main__``, with all that it uses, to a plugin file; return its path.

    Parameters
    ----------
    cls : class
        Defined at the top level of a notebook cell or of a script.
    folder : Path
        Created if missing. The name of the file depends on the content.

    Raises
    ------
    PluginError
        If the source is not known.
    """
    main = sys.modules["__main__"]
    script = Path(getattr(main, "__file__", None) or "-")
    cells = getattr(main, "In", None) or [script.read_text("utf-8") if script.is_file() else ""]
    known: dict[tuple[str, ...], ast.stmt] = {}
    for cell in cells:
        with contextlib.suppress(SyntaxError):  # of a cell that did not run
            for node in ast.parse(cell).body:
                known.pop(names := _defined(node), None)  # the last definition counts
                known[names] = node
    used, n_before = {cls.__name__}, 0
    while len(used) > n_before:
        n_before = len(used)
        trees = [ast.walk(node) for names, node in known.items() if used & {*names}]
        used |= {each.id for tree in trees for each in tree if isinstance(each, ast.Name)}
    texts = [ast.unparse(node) for names, node in known.items() if used & {*names}]
    if not isinstance(known.get((cls.__name__,)), ast.ClassDef):
        what = f"the source of {cls.__name__!r} is not known; put it into a file, as FILE.py:NAME"
        raise PluginError(what)
    content = "\n\n".join(["from __future__ import annotations", *texts, ""]).encode()
    path = folder / f"{cls.__name__}-{hashlib.sha256(content).hexdigest()[:8]}.py"
    if not path.is_file():
        write_file(path, content)
    return path


def _defined(node: ast.stmt) -> tuple[str, ...]:
    """Return the names that an import, a definition or a constant defines; else nothing.

    Values of calls are no constants. A decorator that registers a definition is removed.
    """
    if isinstance(node, ast.Import | ast.ImportFrom):
        return tuple((each.asname or each.name).partition(".")[0] for each in node.names)
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        told = [(each, ast.unparse(each)) for each in node.decorator_list]
        node.decorator_list = [each for each, text in told if ".register(" not in text]
        return (node.name,)
    is_constant = not any(isinstance(each, ast.Call) for each in ast.walk(node))
    if isinstance(node, ast.Assign) and is_constant:
        return tuple(map(ast.unparse, node.targets))
    return ()
