"""Atomic writing of the files of a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from boostbench import whole_files
from boostbench.errors import BoostbenchError


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file, see `write_files`, and return its path."""
    (path,) = write_files(path.parent, {path.name: content})
    return path


def write_files(folder: Path, contents: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    """Write all files of a report or none, and return their paths.

    Raises
    ------
    BoostbenchError
        If a file cannot be written; older versions are then unchanged.
    """
    encoded = {
        folder / name: text.encode(errors="backslashreplace") if isinstance(text, str) else text
        for name, text in contents.items()
    }
    try:
        whole_files.write_files(encoded)
    except OSError as error:
        what = f"cannot be written: {error.strerror}; the run records are not touched"
        place = next(iter(encoded)) if len(encoded) == 1 else folder
        raise BoostbenchError(what, where=str(place)) from error
    return tuple(encoded)
