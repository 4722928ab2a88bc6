"""Locks on runs, so that commands sharing a results folder do not execute the same run.

The commands may run on several machines. A lock is a symbolic link in ``runs/.locked`` that names
its owner, a process. The creation of a link is atomic on every file system with links, including
NFS, where system locks (flock, lockf) may be local to a machine or ineffective.

Locks of a terminated owner are void. An owner counts as terminated if it belongs to this machine
and its process does not exist, or if its file in the folder, which it touches every ten seconds, is
three minutes older than that of the waiting process. Both times are those of the file server;
`locked_runs`, which takes no lock, compares with the time of its machine.

A run may be executed twice, with the same record: if links cannot be created, so that every lock is
granted, if a process is suspended for three minutes, or if two processes replace a void lock at the
same moment.
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

import psutil

from boostbench.experiments.store.identity import Key

_BEAT_SECONDS = 10.0
_DEAD_SECONDS = 180.0


class RunLocks:
    """Locks of this process on runs of a results folder.

    Parameters
    ----------
    folder : Path
        Existing folder of the records.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / ".locked"
        self._owner = self._folder / f"{_host()}@{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._held: set[Key] = set()
        self._is_closed = threading.Event()
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            self._owner.touch()
        with suppress(RuntimeError):  # no further thread is allowed; the work needs none
            threading.Thread(target=self._beat, daemon=True).start()

    def take(self, key: Key) -> bool:
        """Lock a run; return False if another process holds the lock."""
        link = self._folder / str(key)
        try:
            link.symlink_to(self._owner.name)
            self._held.add(key)
        except FileExistsError:
            with suppress(OSError):  # released, or taken over, in the meantime
                if not _is_alive(self._folder / link.readlink(), self._owner.stat().st_mtime):
                    link.unlink()
                    return self.take(key)
            return False
        except OSError:  # the file system has no links
            pass
        return True

    def release(self, key: Key) -> None:
        """Release the lock on a run."""
        if key in self._held:
            self._held.discard(key)
            with suppress(OSError):
                (self._folder / str(key)).unlink()

    def close(self) -> None:
        """Release all locks."""
        for key in [*self._held]:
            self.release(key)
        self._is_closed.set()
        with suppress(OSError):
            self._owner.unlink()

    def _beat(self) -> None:
        while not self._is_closed.wait(_BEAT_SECONDS):
            with suppress(OSError):
                os.utime(self._owner)


def locked_runs(folder: Path) -> dict[str, str]:
    """Return the owners of the locks in a folder of records, by the text of the key."""
    held: dict[str, str] = {}
    for link in (folder / ".locked").glob("*-*-*-*"):
        with suppress(OSError):  # the file of an owner, or a lock released in the meantime
            owner = link.parent / link.readlink()
            if _is_alive(owner, time.time()):
                held[link.name] = owner.name
    return held


def _is_alive(owner: Path, now: float) -> bool:
    """Return whether an owner still works, by the time of its file and, if here, its process.

    Zombies count as terminated.
    """
    if not owner.exists() or now - owner.stat().st_mtime >= _DEAD_SECONDS:
        return False
    host, _, process = owner.name.rpartition("@")
    if host != _host():
        return True
    try:
        return bool(psutil.Process(int(process.partition("-")[0])).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error as error:  # also if it may not be read
        return not isinstance(error, psutil.NoSuchProcess)


def _host() -> str:
    """Return a unique name of this machine or container."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8])
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return "".join(c if c.isalnum() or c in "-." else "-" for c in "-".join(parts))
