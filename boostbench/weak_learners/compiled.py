"""How the engine's kernels are compiled, and when a cached one is still good."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

__all__ = ["inner", "kernel", "stage"]

#: A function that only other compiled functions call; it is stored within its caller.
inner: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy")

#: A stage that one compiled function calls, at one place: it becomes part of its caller, which
#: saves numba a compilation for every level between the two.
stage: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy", inline="always")


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls, with a file cache; it runs without the GIL.

    numba keeps a cached kernel until the kernel's own file changes, and does not look at the files
    of the functions it calls. So the digest of all files of this package that hold compiled
    functions is made part of the cache's stamp: a change in any stage recompiles its callers.
    """
    dispatcher: Any = njit(error_model="numpy", nogil=True, cache=True)(function)
    with contextlib.suppress(AttributeError):  # numba's internals; without them, its own rule holds
        cache_file = dispatcher._cache._cache_file
        cache_file._source_stamp = (cache_file._source_stamp, _DIGEST)
    return dispatcher


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        source = path.read_bytes()
        if b"weak_learners.compiled import" in source:
            digest.update(source)
    return digest.hexdigest()


_DIGEST = _digest_of_sources()
