"""The files behind a run as this process read them: sources of code, and what plugins open.

The key of a record is made when runs are planned. A worker imports a module when it is first
needed, and the file may have been edited meanwhile, or hold what the key cannot know of: a module
that a plugin imports by a computed name, a table that it reads. So an audit hook notes each source
that is executed and each file that Python code opens. Files that compiled code or another process
opens, and installed packages, are not noted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import site
import sys
import sysconfig
import threading
import traceback
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from boostbench.errors import ChangedError

_PACKAGE = str(Path(__file__).parent) + os.sep
_LONGEST_TRACE = 200
_COMPILED = (".pyc", ".nbi", ".nbc", ".so", ".pyd")
#: Real path of an executed source to its digest; empty if the text on the disk was another.
_executed: dict[str, str] = {}
#: The same of files that were executed or opened on behalf of a plugin, by the plugin's file.
_noted: dict[str, dict[str, str]] = {}
_plugin = ""
_is_watching = False
_busy = threading.local()


def watch() -> None:
    """Look at all that is executed from now on; modules loaded before are looked up.

    An audit hook cannot be taken away, so this is for processes that load plugins or carry out
    runs.
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
    """Note what is executed and opened inside as read by a plugin file; empty: note nothing."""
    global _plugin
    before, _plugin = _plugin, plugin
    try:
        yield
    finally:
        _plugin = before


def check_sources(planned: Iterable[tuple[str, str]]) -> None:
    """Refuse sources that were executed as something else than what the key was made from.

    Parameters
    ----------
    planned : iterable of (str, str)
        Real path and digest.

    Raises
    ------
    ChangedError
        Naming the first file.
    """
    for path, digest in planned:
        if _executed.get(path, digest) != digest:
            raise ChangedError("the code changed during the run; run again", where=path)


def seen(planned: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return files that a run may depend on and its key does not know of, with their digests.

    Empty if all its code is of this package: only plugins read what they want.
    """
    known = {path for path, _ in planned}
    read = {path: digest for plugin in known for path, digest in _noted.get(plugin, {}).items()}
    return {path: read[path] for path in sorted(read.keys() - known)}


def plugin_of(planned: Iterable[tuple[str, str]]) -> str:
    """Return the first source that is not of this package; empty if all are."""
    return next((path for path, _ in planned if not path.startswith(_PACKAGE)), "")


def digest_of(path: str) -> str:
    """Return 16 hex digits of a file's sha256; empty if there is no such regular file."""
    try:
        facts = os.stat(path)
        identity = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
        return _digest(path, identity) if os.path.isfile(path) else ""
    except OSError:
        return ""


def digest_of_text(text: bytes) -> str:
    """Return 16 hex digits of the sha256 of a text."""
    return hashlib.sha256(text).hexdigest()[:16]


@lru_cache(maxsize=4096)
def _digest(path: str, identity: tuple[int, ...]) -> str:
    """Read a file; what identifies it is there to notice a change."""
    digest = hashlib.sha256()
    with noting(""), open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event not in ("exec", "open") or getattr(_busy, "now", False):
        return
    _busy.now = True
    try:
        if event == "exec":
            _note_executed(args[0])
        elif _plugin:
            _note_opened(args[0], args[2])
    except Exception:  # whatever it is, it is not the business of who opens a file
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
        # Stored bytecode may be that of an older text of the same size and second.
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
    """Return whether a file belongs to Python or an installed package rather than to the user."""
    return path.startswith(_installed())


def is_of_user(path: str) -> bool:
    """Return whether a file is neither installed nor of this package."""
    return path.endswith(".py") and not path.startswith(_PACKAGE) and not is_installed(path)


def place_of(error: BaseException) -> str:
    """Return file, line and function of the user's code that was last on the way to an exception.

    Empty if there is none, as where this package or an installed one raises.
    """
    frames = traceback.extract_tb(error.__traceback__, limit=-_LONGEST_TRACE)
    own = [frame for frame in frames if is_of_user(frame.filename)]
    return f"{Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}" if own else ""


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    found = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    found |= {*site.getsitepackages(), site.getusersitepackages()}
    return tuple(os.path.join(path, "") for path in found | {*map(os.path.realpath, found)})


def _is_own(path: str) -> bool:
    """Return whether a file is of this package, or of the user rather than installed."""
    is_foreign = is_installed(path) or path.startswith(("/proc/", "/sys/", "/dev/", "/etc/"))
    return path.startswith(_PACKAGE) or not is_foreign
