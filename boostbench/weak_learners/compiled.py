"""Compilation of the engine's kernels, and the check of cached ones."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

_PLAIN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}

#: An import of a module that may hold compiled stages.
_COMPILED = rb"^from boostbench\.(weak_learners\.\w+|portable\.\w+) import"

#: A function that only other compiled functions call; it is stored within its caller. It makes no
#: array: without reference counts and entries for Python and C it compiles in two thirds the time.
inner: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy", **_PLAIN)

#: The same for arithmetic whose last bits do not matter: it may be regrouped, and fused.
rough: Callable[[Callable[..., Any]], Any] = njit(
    error_model="numpy", fastmath={"contract", "reassoc", "nnan", "nsz"}, **_PLAIN
)

#: A stage that one compiled function calls, at one place: it becomes part of its caller, which
#: saves numba a compilation for every level between the two.
stage: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy", inline="always")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with a file cache; it runs without the GIL.

    numba keeps a cached kernel until the kernel's own file changes, and does not look at the files
    of the functions it calls. So the digest of the files of this package that the kernel's file
    imports, directly or not, is made part of the cache's stamp.
    """
    options: dict[str, Any] = {"nogil": True, "cache": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(error_model="numpy", **options)(function)
    with contextlib.suppress(AttributeError):  # numba's internals; without them, its own rule holds
        cache_file = dispatcher._cache._cache_file
        cache_file._source_stamp = (cache_file._source_stamp, _digest(function))
    return dispatcher


def _digest(function: Callable[..., Any]) -> str:
    """Return a digest of the compiled stages that a function's file imports."""
    folder = Path(__file__).parents[1]
    found = {Path(function.__code__.co_filename).resolve()}
    pending = list(found)
    digest = hashlib.sha256()
    while pending:
        source = pending.pop().read_bytes()
        names = re.findall(_COMPILED, source, re.MULTILINE)
        if b"weak_learners.compiled" in names or b"import njit" in source:
            digest.update(source)
            new = {folder / f"{name.decode().replace('.', '/')}.py" for name in names} - found
            found |= new
            pending += sorted(new)
    return digest.hexdigest()
