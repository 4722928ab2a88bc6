"""Plugin files for classes that are defined in a notebook cell or in the running script.

Workers import a booster from a file, and its code decides which records are valid. A class of
``__main__`` has no such file: a notebook has none, and importing a script would run it. Its source,
with the functions, classes, imports and constants it uses, is therefore written to one.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import inspect
import linecache
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from boostbench.errors import PluginError
from boostbench.whole_files import write_file


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
        If the source is not known, or the class uses a value that is no constant.
    """
    parts: dict[str, str] = {}
    _collect(cls.__name__, cls, parts)
    text = "\n\n".join(["from __future__ import annotations", *parts.values(), ""])
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = folder / f"{cls.__name__}-{digest}.py"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, text.encode())
    return path


def _collect(name: str, value: Any, parts: dict[str, str]) -> None:
    """Add the definition of a name to ``parts``, after the definitions of the names it uses."""
    if getattr(value, "__module__", "") != "__main__" or not hasattr(value, "__qualname__"):
        parts[name] = _import_or_constant(name, value)
        return
    node, known = _definition(value)
    parts[name] = ""  # definitions that use each other end here
    for used in dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name)):
        if used in known and used not in parts and known[used] is not getattr(builtins, used, None):
            _collect(used, known[used], parts)
    del parts[name]
    parts[name] = ast.unparse(node)


def _definition(value: Any) -> tuple[Any, dict[str, Any]]:
    """Return a class or function as a syntax tree, without its registration, and its globals."""
    for function in _functions(value):
        lines = linecache.getlines(function.__code__.co_filename)
        for node in ast.walk(ast.parse("".join(lines))):
            definitions = ast.ClassDef | ast.FunctionDef
            if isinstance(node, definitions) and node.name == value.__qualname__:
                told = [(each, ast.unparse(each)) for each in node.decorator_list]
                node.decorator_list = [each for each, text in told if ".register(" not in text]
                return node, function.__globals__
    what = f"the source of {value.__qualname__!r} is not known; put it into a file, as FILE.py:NAME"
    raise PluginError(what)


def _functions(value: Any) -> Iterator[Any]:
    """Yield the functions of a class, or the function itself."""
    for each in vars(value).values() if inspect.isclass(value) else [value]:
        function = inspect.unwrap(getattr(each, "__func__", None) or getattr(each, "fget", each))
        if inspect.isfunction(function):
            yield function


def _import_or_constant(name: str, value: Any) -> str:
    if isinstance(value, ModuleType):
        return f"import {value.__name__} as {name}"
    with suppress(SyntaxError, ValueError):
        if ast.literal_eval(repr(value)) == value:
            return f"{name} = {value!r}"
    home = sys.modules.get(str(getattr(value, "__module__", "")))
    modules = [module for module in (home, *sys.modules.values()) if module is not None]
    for module in modules:
        known = getattr(value, "__name__", name)
        if module.__name__ != "__main__" and vars(module).get(known) is value:
            return f"from {module.__name__} import {known} as {name}"
    what = f"{name!r} is a {type(value).__name__}, which a booster of a notebook cannot use"
    raise PluginError(f"{what}; put the booster into a file, as FILE.py:NAME")
