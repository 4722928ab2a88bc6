"""Compilation of the engine's kernels, and the check of cached ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

_PLAIN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}

#: A function that only other compiled functions call; it is stored within its caller. It makes no
#: array: without reference counts and entries for Python and C it compiles in two thirds the time.
inner: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy", **_PLAIN)

#: The same for arithmetic whose last bits do not matter: it may be regrouped, and fused.
rough: Callable[[Callable[..., Any]], Any] = njit(
    error_model="numpy", fastmath={"contract", "reassoc", "nnan", "nsz"}, **_PLAIN
)

#: A stage that becomes part of its callers. A constant that it is called with decides its branches
#: before numba compiles what they call.
stage: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy", inline="always")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with a file cache; it runs without the GIL.

    numba keeps a cached kernel until the kernel's own file changes, and does not look at the files
    of the functions it calls. So all kernels cached in a folder are dropped when any source of the
    compiled functions has changed.
    """
    options: dict[str, Any] = {"nogil": True, "cache": True, "no_cfunc_wrapper": True}
    dispatcher: Any = njit(error_model="numpy", **options)(function)
    _drop_stale(Path(dispatcher.stats.cache_path))
    return dispatcher


@cache
def _drop_stale(folder: Path) -> None:
    """Remove numba's indices of a cache folder that other sources were compiled for."""
    note, digest = folder / "boostbench.sources", _digest()
    with suppress(OSError):  # a folder that cannot be written holds nothing to drop
        folder.mkdir(parents=True, exist_ok=True)
        if not note.is_file() or note.read_text() != digest:
            for index in folder.glob("*.nbi"):
                index.unlink(missing_ok=True)
            note.write_text(digest)


@cache
def _digest() -> str:
    """Return a digest of all sources that may hold compiled functions of several kernels."""
    package, digest = Path(__file__).parents[1], hashlib.sha256()
    for room in ("portable", "weak_learners"):
        for source in sorted((package / room).glob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()
