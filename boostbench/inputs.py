"""Tracking of the files that a run depends on: executed sources and files opened by plugins.

The key of a record is computed when runs are planned. A worker imports a module on first use, and
its file may have been edited by then. A plugin may also depend on files that the key does not
cover, such as a module imported by a computed name or a table of data. An audit hook therefore
records the digest of each executed source and of each file that Python code opens, and each
library that it loads, on behalf of a plugin. Installed packages and files opened by compiled code
or by other processes are not tracked.
"""

from __future__ import annotations

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
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from boostbench.errors import ChangedError
from boostbench.whole_files import sha256_of

_PACKAGE = str(Path(__file__).parent) + os.sep
_LONGEST_TRACE = 200
_COMPILED = (".pyc", ".nbi", ".nbc")
#: Events that load compiled code, and the place of its file among their arguments.
_LOADING = {"import": 1, "ctypes.dlopen": 0}
#: Digest of each executed source by real path; empty if the file differed from the executed code.
_executed: dict[str, str] = {}
#: Likewise for files executed or opened on behalf of a plugin, by path of the plugin.
_noted: dict[str, dict[str, str]] = {}
_plugin = ""
_is_watching = False
_busy = threading.local()


def watch() -> None:
    """Track executed sources from now on, including the modules loaded before.

    Only for processes that load plugins or execute runs, because an audit hook cannot be removed.
    """
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
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
            raise ChangedError("the code changed during the run; run again", where=path)


def seen(planned: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the digests of files that a run may depend on and its key does not cover.

    Empty if all its sources belong to this package.
    """
    known = {path for path, _ in planned}
    read = {path: digest for plugin in known for path, digest in _noted.get(plugin, {}).items()}
    return {path: read[path] for path in sorted(read.keys() - known)}


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
    if event not in ("exec", "open", *_LOADING) or getattr(_busy, "now", False):
        return
    _busy.now = True
    try:
        if event == "exec":
            _note_executed(args[0])
        elif _plugin and event == "open":
            _note_opened(args[0], args[2])
        elif _plugin:
            _note_opened(args[_LOADING[event]], os.O_RDONLY)
    except Exception:  # an audit hook must not disturb the audited code
        return
    finally:
        _busy.now = False


def _note_executed(code: Any) -> None:
    if not isinstance(code, CodeType) or code.co_name != "<module>":
        return
    path = code.co_filename
    if not path.endswith(".py") or not _is_own(path):
        return
    digest = ""
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        text = Path(path).read_bytes()
        # Bytecode may be of an older text with equal size and modification time in seconds.
        if compile(text, path, "exec", dont_inherit=True) == code:
            digest = digest_of_text(text)
    path = os.path.realpath(path)
    _executed[path] = digest
    if _plugin and not path.startswith(_PACKAGE):
        _noted.setdefault(_plugin, {})[path] = digest


def _note_opened(path: Any, flags: Any) -> None:
    if not isinstance(path, str | bytes) or not isinstance(flags, int):
        return
    path = os.path.abspath(os.fsdecode(path))
    writes = flags & (os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    if writes or path.endswith(_COMPILED) or path.startswith(_PACKAGE) or not _is_own(path):
        return
    if os.path.isfile(path):
        _noted.setdefault(_plugin, {})[os.path.realpath(path)] = digest_of(path)


def is_installed(path: str) -> bool:
    """Return whether a file belongs to Python or to an installed package."""
    return path.startswith(_installed())


def place_of(error: BaseException) -> str:
    """Return file, line and function of the innermost user code in a traceback; empty if none."""
    frames = traceback.extract_tb(error.__traceback__, limit=-_LONGEST_TRACE)
    others = (_PACKAGE, *_installed())
    own = [f for f in frames if f.filename.endswith(".py") and not f.filename.startswith(others)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}" if own else ""


def damaged_by(error: BaseException) -> Path | None:
    """Return the index of kernels that numba failed to load with an error; None for others."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__") == "numba.core.caching":
            index = getattr(frame.f_locals.get("self"), "_index_path", None)
            if index is not None:
                return Path(index)
    return None


def discard(index: Path) -> None:
    """Remove an index of kernels, so that numba compiles and stores them anew."""
    with contextlib.suppress(OSError):
        shutil.rmtree(index) if index.is_dir() else index.unlink()


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
