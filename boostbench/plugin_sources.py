"""Plugin files for classes that are defined in a notebook or in the running script.

Workers import a booster from a file, and its code decides which records are valid. A class of
``__main__`` has no such file: a notebook has none, and importing a script would run it. Its
definition, with the imports, functions, classes and constants it uses, is therefore written to one.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from contextlib import suppress
from pathlib import Path
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
        If the source is not known.
    """
    main = sys.modules["__main__"]
    script = Path(getattr(main, "__file__", None) or "-")
    cells = getattr(main, "In", None) or [script.read_text("utf-8") if script.is_file() else ""]
    known: dict[tuple[str, ...], ast.stmt] = {}
    for cell in cells:
        with suppress(SyntaxError):  # of a cell that did not run
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
