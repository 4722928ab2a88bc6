"""Locks on runs, so that commands sharing a results folder do not execute the same run.

The commands may run on several machines. A lock is a symbolic link in ``runs/.locked`` that names
its owner, a process. The creation of a link is atomic on every file system with links, including
NFS, where system locks (flock, lockf) may be local to a machine or ineffective.

Locks of a terminated owner are void. An owner counts as terminated if it belongs to this machine
and its process does not exist, or if its file in the folder has not changed for three minutes. An
owner touches its file every ten seconds; the time is measured by the clock of the waiting process,
because NFS may show a change a minute late. Links of void locks remain. Links of a run are
numbered, and the process that creates the next number owns the lock, so that only one of several
successors obtains it.

If links cannot be created, every lock is granted, and a run may be executed twice. The same may
happen if a process is suspended for three minutes and then resumed.
"""

from __future__ import annotations

import itertools
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
        self._host = _host()
        self._owner = self._folder / f"{self._host}@{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._links: dict[Key, Path] = {}
        #: Modification time of each owner's file, and the local time of its first observation.
        self._observed: dict[Path, tuple[int, float]] = {}
        self._is_closed = threading.Event()
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            self._owner.touch()
        with suppress(RuntimeError):  # no further thread is allowed; the work needs none
            threading.Thread(target=self._beat, daemon=True).start()

    def take(self, key: Key) -> bool:
        """Lock a run; return False if another process holds the lock."""
        for number in itertools.count():
            link = self._folder / f"{key}.{number}"
            try:
                link.symlink_to(self._owner.name)
            except FileExistsError:
                if not self._is_void(link):
                    return False
            except OSError:  # the file system has no links
                return True
            else:
                self._links[key] = link
                return True
        raise AssertionError

    def release(self, key: Key) -> None:
        """Release the lock on a run."""
        link = self._links.pop(key, None)
        if link is not None:
            with suppress(OSError):
                link.unlink()

    def close(self) -> None:
        """Release all locks."""
        for key in list(self._links):
            self.release(key)
        self._is_closed.set()
        with suppress(OSError):
            self._owner.unlink()

    def _is_void(self, link: Path) -> bool:
        """Return whether the owner of a lock has terminated."""
        try:
            owner = self._folder / link.readlink()
        except OSError:
            return False  # released in the meantime
        if _has_ended_here(owner.name, self._host):
            return True
        try:
            changed = owner.stat().st_mtime_ns
        except OSError:
            changed = 0
        now = time.monotonic()
        if owner not in self._observed or self._observed[owner][0] != changed:
            self._observed[owner] = changed, now
        return now - self._observed[owner][1] > _DEAD_SECONDS

    def _beat(self) -> None:
        while not self._is_closed.wait(_BEAT_SECONDS):
            with suppress(OSError):
                os.utime(self._owner)


def locked_runs(folder: Path) -> dict[str, str]:
    """Return the owners of the locks in a folder of records, by the text of the key.

    Only to be shown: an owner on another machine counts as terminated if its file is older than
    three minutes by the clock of this machine.
    """
    held: dict[str, str] = {}
    folder, host = folder / ".locked", _host()
    for link in folder.glob("*-*.*"):
        with suppress(OSError):  # no link, or released in the meantime
            owner = folder / link.readlink()
            is_alive = time.time() - owner.stat().st_mtime < _DEAD_SECONDS
            if is_alive and not _has_ended_here(owner.name, host):
                held[link.stem] = owner.name
    return held


def _has_ended_here(owner: str, host: str) -> bool:
    """Return whether an owner is a process of this machine that has terminated.

    Zombies count as terminated.
    """
    owner_host, _, process = owner.rpartition("@")
    if owner_host != host:
        return False
    try:
        status = psutil.Process(int(process.partition("-")[0])).status()
        return bool(status == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


def _host() -> str:
    """Return a unique name of this machine or container."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8])
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return "".join(c if c.isalnum() or c in "-." else "-" for c in "-".join(parts))
