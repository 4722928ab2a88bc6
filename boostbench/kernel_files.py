"""Damaged files among the compiled kernels that numba keeps."""

from __future__ import annotations

import shutil
import traceback
from contextlib import suppress
from pathlib import Path


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
    with suppress(OSError):
        shutil.rmtree(index) if index.is_dir() else index.unlink()
