"""Locks on runs: several commands on one results folder do no run twice.

The lock of a run (lockf) is on one byte of the file ``runs/.locks``, at an offset made from its
key. The system releases it when the process ends, however that comes about, so none is ever stale;
network file systems that have locks have these. Where there are none, every lock is granted, and a
run is at worst done twice.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import suppress
from pathlib import Path

from boostbench.experiments.store.identity import Key

_TAKEN = (errno.EACCES, errno.EAGAIN)


class RunLocks:
    """The locks of this process on runs of one results folder.

    Parameters
    ----------
    folder : Path
        That of the records; it exists.
    """

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / ".locks", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def take(self, key: Key) -> bool:
        """Lock a run; return False if another process has it."""
        try:
            self._lock(key, os.F_TLOCK)
        except OSError as error:
            return error.errno not in _TAKEN
        return True

    def release(self, key: Key) -> None:
        """Release a run."""
        with suppress(OSError):  # no locks here, so none was taken
            self._lock(key, os.F_ULOCK)

    def _lock(self, key: Key, command: int) -> None:
        os.lseek(self._file, _offset(key), os.SEEK_SET)
        os.lockf(self._file, command, 1)

    def close(self) -> None:
        """Release all runs."""
        os.close(self._file)


def _offset(key: Key) -> int:
    """Return 28 bits of a hash: two runs that share them wait for each other at worst."""
    return int(hashlib.sha256(str(key).encode()).hexdigest()[:7], 16)
