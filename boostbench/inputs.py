"""Code and files of the user: execution of plugin files, and tracking of what a run depends on.

Workers import a booster from a file, and its code decides which records are valid. A class of
``__main__`` has no such file: a notebook has none, and importing a script would run it. Its
definition, with the imports, functions, classes and constants it uses, is therefore written to one.

The key of a record is computed when runs are planned. A worker imports a module on first use, and
its file may have been edited by then. A plugin may also depend on files that the key does not
cover, such as a module imported by a computed name or a table of data. An audit hook therefore
records the digest of each executed source and of each file that Python code opens, and each
library that it loads, on behalf of a plugin. Installed packages and files opened by compiled code
or by other processes are not tracked.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import shutil
import site
import sys
import sysconfig
import threading
import traceback
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from boostbench.errors import BoostbenchError, ChangedError, PluginError
from boostbench.whole_files import in_home, sha256_of, write_file

#: Exceptions of plugins that are reported instead of ending the command.
ESCAPING = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
#: Prefix of the module names of plugin files.
FILE_MODULE = "boostbench_plugin_"
#: True if Python code that a config names is refused.
refuses_code = ContextVar("refuses_code", default=False)
_PACKAGE = str(Path(__file__).parent) + os.sep
_LONGEST_TRACE = 200
_COMPILED = (".pyc", ".nbi", ".nbc")
#: Events that open a file, or load compiled code, and the place of the file in their arguments.
_OPENING = {"open": 0, "import": 1, "ctypes.dlopen": 0}
#: Digest of each executed source by real path; empty if the file differed from the executed code.
_executed: dict[str, str] = {}
#: Likewise of each file executed or opened on behalf of a plugin, by the path that it named.
_noted: dict[str, str] = {}
_plugin = ""
_busy = threading.local()


@cache
def watch() -> None:
    """Track executed sources from now on, including the modules loaded before.

    Only for processes that load plugins or execute runs, because an audit hook cannot be removed.
    """
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and _is_own(file):
            _executed[os.path.realpath(file)] = digest_of(file)
    sys.addaudithook(_hook)


@contextlib.contextmanager
def noting(plugin: str) -> Iterator[None]:
    """Attribute files executed or opened in the block to a plugin file; to none if empty."""
    global _plugin
    before, _plugin = _plugin, plugin
    try:
        yield
    finally:
        _plugin = before


def check_sources(planned: Iterable[tuple[str, str]]) -> None:
    """Check that executed sources are those from which the key was computed.

    Parameters
    ----------
    planned : iterable of (str, str)
        Real path and digest of each source.

    Raises
    ------
    ChangedError
        If a source differs; the message names the first one.
    """
    for path, digest in planned:
        if _executed.get(path, digest) != digest:
            what = "the code changed during the run; run again, in Python in a new session"
            raise ChangedError(what, where=path)


def seen(planned: Iterable[tuple[str, str]], folder: str) -> dict[str, str]:
    """Return the digests of files that a run may depend on and its key does not cover.

    Those in ``folder``, of the plugin, have a path relative to it. Empty if all sources of the run
    belong to this package. Files of other plugins in this process count too, since a module that
    two of them import is executed once.
    """
    known = {path for path, _ in planned}
    others = sorted(path for path in _noted if os.path.realpath(path) not in known)
    inside = os.path.join(folder, "")
    digests = {path.removeprefix(inside): _noted[path] for path in others}
    return digests if plugin_of(planned) else {}


def plugin_of(planned: Iterable[tuple[str, str]]) -> str:
    """Return the path of the first source outside this package; empty if there is none."""
    return next((path for path, _ in planned if not path.startswith(_PACKAGE)), "")


def digest_of(path: str) -> str:
    """Return 16 hex digits of the sha256 of a regular file; empty if there is none."""
    with noting(""), contextlib.suppress(OSError):
        return sha256_of(path)[:16] if os.path.isfile(path) else ""
    return ""


def digest_of_text(text: bytes) -> str:
    """Return 16 hex digits of the sha256 of a text."""
    return hashlib.sha256(text).hexdigest()[:16]


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event not in ("exec", *_OPENING) or getattr(_busy, "now", False):
        return
    _busy.now = True
    try:
        if event == "exec":
            _note_executed(args[0])
        elif _plugin:
            flags = args[2] if event == "open" else os.O_RDONLY
            _note_opened(args[_OPENING[event]], flags)
    except Exception:  # an audit hook must not disturb the audited code
        return
    finally:
        _busy.now = False


def _note_executed(code: CodeType) -> None:
    path = code.co_filename
    if code.co_name != "<module>" or not path.endswith(".py") or not _is_own(path):
        return
    digest = ""
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        text = Path(path).read_bytes()
        # Bytecode may be of an older text with equal size and modification time in seconds.
        if compile(text, path, "exec", dont_inherit=True) == code:
            digest = digest_of_text(text)
    place = os.path.realpath(path)
    _executed[place] = digest
    if _plugin not in ("", place) and not place.startswith(_PACKAGE):
        _noted[os.path.abspath(path)] = digest


def _note_opened(path: Any, flags: Any) -> None:
    if not isinstance(path, str | bytes) or not isinstance(flags, int):
        return
    path = os.path.abspath(os.fsdecode(path))
    writes = flags & (os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    if writes or path.endswith(_COMPILED) or path.startswith(_PACKAGE) or not _is_own(path):
        return
    if os.path.isfile(path) and os.path.realpath(path) != _plugin:
        _noted[path] = digest_of(path)


def is_installed(path: str) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    return path.startswith(_installed())


def place_of(error: BaseException) -> str:
    """Return file, line and function of the innermost user code in a traceback; empty if none."""
    frames = traceback.extract_tb(error.__traceback__, limit=-_LONGEST_TRACE)
    others = (_PACKAGE, *_installed())
    own = [f for f in frames if f.filename.endswith(".py") and not f.filename.startswith(others)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}" if own else ""


def error_in_words(error: BaseException) -> str:
    """Return an error of a plugin, with its location in the user's code."""
    is_told = isinstance(error, AssertionError | BoostbenchError)
    text = str(error) if is_told else one_line(error)
    return f"{text} ({place})" if (place := place_of(error)) else text


def remove_damaged(error: BaseException) -> Path | None:
    """Remove the index of the kernels that numba failed to load; it then compiles them anew.

    Returns
    -------
    index : Path or None
        None for other errors.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__") == "numba.core.caching":
            index = getattr(frame.f_locals.get("self"), "_index_path", None)
            if index is not None:
                with contextlib.suppress(OSError):
                    shutil.rmtree(index) if os.path.isdir(index) else os.unlink(index)
                return Path(index)
    return None


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {*site.getsitepackages(), site.getusersitepackages()}
    return tuple(os.path.join(path, "") for path in folders | {*map(os.path.realpath, folders)})


def _is_own(path: str) -> bool:
    """Return whether a file belongs to this package or to the user."""
    is_foreign = is_installed(path) or path.startswith(("/proc/", "/sys/", "/dev/", "/etc/"))
    return path.startswith(_PACKAGE) or not is_foreign


def check_allowed(code: str, *, where: str = "") -> None:
    """Raise PluginError if code that a config names must not be executed."""
    if refuses_code.get():
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
    path = in_home(path).resolve()
    check_allowed(f"plugin file {path}", where=where)
    if _plugin:
        _note_opened(str(path), os.O_RDONLY)  # whether it was loaded before or not
    name = f"{FILE_MODULE}{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    if path.suffix != ".py" or not path.is_file():
        what = "is not a regular file (.py)" if path.exists() else "does not exist"
        raise PluginError(f"plugin file {path} {what}", where=where)
    module = ModuleType(name)
    module.__file__ = str(path)
    watch()
    sys.modules[name] = module
    try:
        # Not from cached bytecode, which may survive an edit within a second.
        with noting(str(path)), contextlib.redirect_stdout(sys.stderr):
            exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    except ESCAPING as error:
        del sys.modules[name]
        what = f"plugin {path} cannot be loaded: {error_in_words(error)}"
        raise PluginError(what, where=where) from error
    return module


def load_plugins(files: Iterable[str | Path], *, where: str = "") -> tuple[ModuleType, ...]:
    """Execute Python files once, in their order, as by `load_plugin`."""
    return tuple(load_plugin(Path(file), where=where) for file in files)


def executed_plugins() -> tuple[Path, ...]:
    """Return the plugin files executed so far."""
    modules = [module for name, module in sys.modules.items() if name.startswith(FILE_MODULE)]
    return tuple(Path(str(module.__file__)) for module in modules)


def load_module(name: str, *, where: str = "") -> ModuleType:
    """Import a module that a config names, or execute a file; its prints go to standard error.

    Raises
    ------
    PluginError
        If the module must not be executed, or raises another exception than ModuleNotFoundError.
    """
    if name.endswith(".py"):
        return load_plugin(Path(name), where=where)
    check_allowed(f"module {name}", where=where)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return import_module(name)
    except ModuleNotFoundError:
        raise
    except ESCAPING as error:
        raise PluginError(f"{name} cannot be imported: {one_line(error)}", where=where) from error


def one_line(error: BaseException) -> str:
    """Return kind and message of an exception in one line; its kind if it has no message."""
    try:
        return " ".join(f"{type(error).__name__}: {error}".split())[:500].removesuffix(":")
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
        node.decorator_list = [d for d in node.decorator_list if ".register(" not in ast.unparse(d)]
        return (node.name,)
    is_constant = not any(isinstance(each, ast.Call) for each in ast.walk(node))
    if isinstance(node, ast.Assign | ast.AnnAssign) and is_constant:
        names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
        return tuple(each.id for each in names if isinstance(each.ctx, ast.Store))
    return ()
