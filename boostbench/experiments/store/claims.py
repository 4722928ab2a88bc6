"""Claims: several commands on one results folder do no run twice.

A claim is a lock (lockf) on one byte of the file ``runs/.claims``, at an offset made from the key
of the run. The system lets go of it when its process ends, however that comes about, so none is
ever stale; network file systems that have locks have these. Where there are none, every claim is
granted, and a run is at worst done twice.
"""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import suppress
from pathlib import Path

from boostbench.experiments.store.identity import Key

__all__ = ["Claims"]

_TAKEN = (errno.EACCES, errno.EAGAIN)


class Claims:
    """The claims of this process on runs of one results folder.

    Parameters
    ----------
    folder : Path
        That of the records; it exists.
    """

    def __init__(self, folder: Path) -> None:
        self._file = os.open(folder / ".claims", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)

    def take(self, key: Key) -> bool:
        """Claim a run; return False if another process has it."""
        try:
            self._lock(key, os.F_TLOCK)
        except OSError as error:
            return error.errno not in _TAKEN
        return True

    def release(self, key: Key) -> None:
        """Let go of a run."""
        with suppress(OSError):  # no locks here, so none was taken
            self._lock(key, os.F_ULOCK)

    def _lock(self, key: Key, command: int) -> None:
        os.lseek(self._file, _offset(key), os.SEEK_SET)
        os.lockf(self._file, command, 1)

    def close(self) -> None:
        """Let go of all runs."""
        os.close(self._file)


def _offset(key: Key) -> int:
    """Return 28 bits of a hash: two runs that share them wait for each other at worst."""
    return int(hashlib.sha256(str(key).encode()).hexdigest()[:7], 16)
