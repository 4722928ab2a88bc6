"""Files that are read whole if they are of bounded size, and written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

from boostbench.errors import DataError

#: Bytes of the largest file that is read, before and after unpacking.
LARGEST = 2**30
_BLOCK = 2**20


def open_file(path: Path) -> BinaryIO:
    """Open a file to read it.

    Raises
    ------
    OSError
        Also if it is no regular file: a pipe or a device may have no end.
    """
    # Without O_NONBLOCK the opening of a pipe waits until somebody writes to it.
    file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115  # the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is no regular file")
    return file


def read_file(path: Path) -> bytes:
    """Return the bytes of a file, packed as they are.

    Raises
    ------
    DataError
        If it cannot be read, is larger than `LARGEST`, or is no regular file.
    """
    try:
        with open_file(path) as file:
            return read_bounded(file, path)
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", where=str(path)) from error


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_bounded(file: IO[bytes] | Any, path: Path) -> bytes:
    """Return what an open file holds; DataError if that is more than `LARGEST` bytes."""
    content = io.BytesIO()
    while block := file.read(_BLOCK):
        if content.tell() + len(block) > LARGEST:
            raise DataError(
                f"the file has more than {LARGEST / 2**30:g} GiB, unpacked; that is the most that "
                "is read",
                where=str(path),
            )
        content.write(block)
    return content.getvalue()


def write_file(path: Path, content: bytes) -> None:
    """Write a file through a temporary one beside it, flushed to the disk; its folder is there.

    Raises
    ------
    OSError
        If that is impossible; what was there stays as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
