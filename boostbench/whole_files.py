"""Reading of files up to a maximum size, and atomic writing."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, BinaryIO

from boostbench.errors import DataError

#: Maximum size of a file in bytes, before and after decompression.
LARGEST = 2**30
_BLOCK = 2**20


def in_home(path: str | Path) -> Path:
    """Return a path with ``~`` as the home folder; ``~name`` without such a user is a name."""
    return Path(os.path.expanduser(path))


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises
    ------
    OSError
        If the file cannot be opened or is not regular; a pipe or a device may be endless.
    """
    # Without O_NONBLOCK, opening a pipe would wait for a writer. The caller closes the file.
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is not a regular file")
    return file


def read_file(path: Path, largest: int = LARGEST) -> bytes:
    """Return the bytes of a file, without decompression.

    Raises
    ------
    DataError
        If the file cannot be read, has more than `largest` bytes, or is not regular.
    """
    try:
        with open_file(path) as file:
            return read_bounded(file, path, largest)
    except OSError as error:
        raise DataError(f"the file cannot be read: {error.strerror}", where=str(path)) from error


def read_bounded(file: IO[bytes] | Any, path: Path, largest: int = LARGEST) -> bytes:
    """Return the content of an open file; DataError if it exceeds `largest` or `LARGEST` bytes."""
    largest = min(largest, LARGEST)
    content = io.BytesIO()
    while block := file.read(_BLOCK):
        if content.tell() + len(block) > largest:
            most = f"{largest / 2**20:,.0f} MiB, unpacked; that is the most that is read"
            raise DataError(f"the file has more than {most}", where=str(path))
        content.write(block)
    return content.getvalue()


def sha256_of(path: str | Path) -> str:
    """Return the sha256 of a file, 64 hex digits; cached while the file is unchanged.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    facts = os.stat(path)
    times = facts.st_mtime_ns, facts.st_ctime_ns
    return _sha256_of(os.path.realpath(path), facts.st_ino, facts.st_size, times)


@lru_cache(maxsize=4096)
def _sha256_of(path: str, inode: int, size: int, times: tuple[int, int]) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_place(path: Path) -> None:
    """Raise OSError if a folder, a pipe or a device is where a file is to be written."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder, where a file is to be written", str(path))
    if path.is_fifo() or path.is_char_device() or path.parent == Path("/dev"):
        raise OSError(errno.EINVAL, "a pipe or device, where a file is to be", str(path))


def write_file(path: Path, content: bytes) -> None:
    """Write a file atomically and durably, see `write_files`."""
    write_files({path: content})


def write_files(contents: Mapping[Path, bytes]) -> None:
    """Write files atomically and durably, through temporary files beside them.

    Missing folders are made. All are written before the first one replaces an older file. Files and
    folders are flushed to the disk. Temporary names are random, so that processes of several
    machines can write the same file.

    Raises
    ------
    OSError
        If a file, which the error names, cannot be written; existing files are unchanged, as are
        pipes and devices.
    """
    for path in contents:
        check_place(path)
    temporary = {path: path.with_name(f".{os.urandom(16).hex()}.tmp") for path in contents}
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary[path].open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            temporary[path].replace(path)
        for folder in {path.parent for path in contents}:
            _flush_folder(folder)
    except BaseException as error:
        for name in temporary.values():
            with suppress(OSError):
                name.unlink(missing_ok=True)
        if isinstance(error, OSError):  # not the name of the temporary file, or none
            error.filename = str(path)
        raise


def _flush_folder(folder: Path) -> None:
    """Flush a folder to the disk, where the system and the file system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
