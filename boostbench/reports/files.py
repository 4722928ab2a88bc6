"""Atomic writing of the files of a report."""

from __future__ import annotations

from pathlib import Path

from boostbench import whole_files
from boostbench.errors import BoostbenchError


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file atomically, and return its path.

    Raises
    ------
    BoostbenchError
        If the file cannot be written; an older version of it is then unchanged.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole_files.write_file(path, data)
    except OSError as error:
        what = f"cannot be written: {error.strerror}; the run records are not touched"
        raise BoostbenchError(what, where=str(path)) from error
    return path
