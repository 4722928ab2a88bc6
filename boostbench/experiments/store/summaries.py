"""Summaries of the records of one folder in one file, so that a plan need not open each record.

An entry is what a record would be without its long parts, with a digest of its own. It counts as
long as the record has the size and the time of change that it had, so the file may be old, damaged
or deleted at any time: what it lacks is read from the records, and it is written anew.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from boostbench.whole_files import write_file

_NAME = ".summaries"
_LEAST_NEW = 100


class Summaries:
    """The summaries of the records in a folder.

    Parameters
    ----------
    folder : Path
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / _NAME
        #: By the record's file name: stamp, and JSON with a digest.
        self._entries: dict[bytes, tuple[bytes, bytes]] = {}
        self._n_new = 0
        with suppress(OSError, ValueError):
            for line in self._path.read_bytes().splitlines(keepends=True):
                name, stamp, text = line.split(b"\t", 2)
                self._entries[name] = stamp, text

    def get(self, name: str, stamp: bytes) -> bytes | None:
        """Return the summary of a record, None if it is not known or the record changed."""
        known = self._entries.get(os.fsencode(name))
        return known[1] if known is not None and known[0] == stamp else None

    def add(self, name: str, stamp: bytes, text: bytes) -> None:
        """Know the summary of a record."""
        self._entries[os.fsencode(name)] = stamp, text
        self._n_new += 1

    def keep(self) -> None:
        """Write the file if many summaries are new; a folder that cannot be written is let be."""
        if self._n_new >= max(_LEAST_NEW, len(self._entries) // 10):
            self._n_new = 0
            lines = [b"\t".join((name, *entry)) for name, entry in self._entries.items()]
            with suppress(OSError):
                write_file(self._path, b"".join(lines))


def stamp_of(path: Path) -> bytes:
    """Return size and time of the last change of a file; empty if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return b""
    return b"%d-%d" % (status.st_size, status.st_mtime_ns)
