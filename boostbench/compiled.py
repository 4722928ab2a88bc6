"""Compilation of the functions that numba compiles, and the files that keep them."""

from __future__ import annotations

import fcntl
import gc
import hashlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from numba import njit
from numba.core.compiler_lock import global_compiler_lock

F = TypeVar("F", bound=Callable[..., Any])


def _decorator(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles functions by these options.

    numba calls a compiled function by its name and a number that other processes give away too. A
    function that another one makes has its name from that one, whatever it was made of; if its
    kernel came from a file, calls of it might end at its sister in the kernel of another file. So
    its name gets a digest.
    """
    compiled: Callable[[F], F] = njit(error_model="numpy", **options)

    def decorate(function: F) -> F:
        if function.__closure__:
            function.__qualname__ = f"{function.__name__}_{_digest(function)}"
        return compiled(function)

    return decorate


_PLAIN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}

#: A function that only other compiled functions call; it is stored within its caller. It makes no
#: array: without reference counts and entries for Python and C it compiles in two thirds the time.
inner: Callable[[Callable[..., Any]], Any] = _decorator(**_PLAIN)

#: As `inner`, for functions of one number, which become part of the loops that call them.
in_line: Callable[[F], F] = _decorator(forceinline=True, **_PLAIN)

#: The same for arithmetic whose last bits do not matter: it may be regrouped, and fused.
rough: Callable[[Callable[..., Any]], Any] = _decorator(
    fastmath={"contract", "reassoc", "nnan", "nsz"}, **_PLAIN
)

#: A stage that becomes part of its callers. A constant that it is called with decides its branches
#: before numba compiles what they call.
stage: Callable[[Callable[..., Any]], Any] = _decorator(inline="always")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with a file cache; it runs without the GIL.

    It makes no array, as `inner`: what it writes, and its work space, are among its arguments.

    numba keeps a compiled function until its own file changes, does not look at the functions that
    it calls, and may mix up the files of two processes that store one at a time. So the name of
    the file holds a digest of all that is compiled, and one process at a time compiles a function;
    the others wait and load it. numba does not find the file of a kernel again that holds functions
    in its closure: it calls them by their names in the module.
    """
    dispatcher: Any = _decorator(nogil=True, no_cfunc_wrapper=True, _nrt=False)(function)
    compiles = dispatcher.compile

    def load_or_compile(signature: Any) -> Any:
        with ExitStack() as held:
            held.enter_context(global_compiler_lock)  # one thread at a time
            _keep_in_file(dispatcher)
            if gc.isenabled():  # collections take a tenth of the time, and find nothing
                gc.disable()
                held.callback(gc.enable)
            with suppress(OSError, TypeError):  # no folder, not writable, or without locks
                folder = Path(dispatcher.stats.cache_path)
                lock = held.enter_context((folder / f"{function.__qualname__}.lock").open("ab"))
                fcntl.flock(lock, fcntl.LOCK_EX)
                held.callback(fcntl.flock, lock, fcntl.LOCK_UN)  # a forked process has it too
            with suppress(OSError):  # it is compiled, and cannot be stored
                return compiles(signature)
            return compiles(signature)

    dispatcher.compile = load_or_compile
    return dispatcher


def _keep_in_file(dispatcher: Any) -> None:
    """Name the file of a kernel, once all that it calls is defined."""
    function, calls = dispatcher.py_func, f"-{_digest(dispatcher.py_func)}"
    if not function.__qualname__.endswith(calls):
        function.__qualname__ += calls
        with suppress(RuntimeError):  # no folder can be written
            dispatcher.enable_caching()


def _digest(function: Callable[..., Any]) -> str:
    """Return a digest of a function and of all that it calls and reads, as they are loaded."""
    digest, known, left = hashlib.sha256(), set(), list[Any]([function])
    while left:
        item = left.pop()
        item = getattr(item, "py_func", getattr(item, "_defn", item))  # or an intrinsic
        if not isinstance(item, FunctionType | ModuleType):  # a constant, or a named tuple
            digest.update(f"{item!r}{getattr(item, '_fields', '')}".encode())
        elif isinstance(item, FunctionType) and item not in known:
            known.add(item)
            code, names = item.__code__, item.__globals__
            digest.update(code.co_code + repr((code.co_consts, code.co_names)).encode())
            left += [cell.cell_contents for cell in item.__closure__ or ()]
            left += [names[name] for name in code.co_names if name in names]
    return digest.hexdigest()[:16]
