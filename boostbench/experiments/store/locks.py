"""Locks on runs: several commands on one results folder, of several machines, do no run twice.

A lock is a symbolic link in ``runs/.locked`` that names its owner, a process. Making a link is
atomic on every file system that has links, NFS too, where the system's own locks (flock, lockf) may
hold on one machine only, or not at all. An owner that has ended holds nothing: it has ended if it
was of this machine and its process is gone, or if its own file in that folder, which it touches
every ten seconds, has not changed for three minutes by the clock of whoever waits (NFS may show a
change a minute late). Its locks stay; the links of a run are numbered, and who makes the next
number has the run. So of several successors one wins.

Where links cannot be made every lock is granted, and a run is at worst done twice. So it is if a
process is held for three minutes and goes on later.
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
_LEFTOVER_SECONDS = 86400.0


class RunLocks:
    """The locks of this process on runs of one results folder.

    Parameters
    ----------
    folder : Path
        That of the records; it exists.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / ".locked"
        self._host = _host()
        self._owner = self._folder / f"{self._host}@{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._links: dict[Key, Path] = {}
        #: Last change of an owner's file, and when it was first seen.
        self._seen: dict[Path, tuple[int, float]] = {}
        self._is_closed = threading.Event()
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            self._clear()
            self._owner.touch()
        threading.Thread(target=self._beat, daemon=True).start()

    def take(self, key: Key) -> bool:
        """Lock a run; return False if another process has it."""
        for number in itertools.count():
            link = self._folder / f"{key}.{number}"
            try:
                link.symlink_to(self._owner.name)
            except FileExistsError:
                if not self._is_left(link):
                    return False
            except OSError:  # there are no links here
                return True
            else:
                self._links[key] = link
                return True
        raise AssertionError

    def release(self, key: Key) -> None:
        """Release a run."""
        link = self._links.pop(key, None)
        if link is not None:
            with suppress(OSError):
                link.unlink()

    def close(self) -> None:
        """Release all runs."""
        for key in list(self._links):
            self.release(key)
        self._is_closed.set()
        with suppress(OSError):
            self._owner.unlink()

    def _is_left(self, link: Path) -> bool:
        """Return whether the owner of a lock has ended."""
        try:
            owner = self._folder / link.readlink()
        except OSError:
            return False  # it was released this moment
        host, _, process = owner.name.rpartition("@")
        if host == self._host and _has_ended(int(process.partition("-")[0])):
            return True
        try:
            changed = owner.stat().st_mtime_ns
        except OSError:
            changed = 0
        clock = time.monotonic()
        if owner not in self._seen or self._seen[owner][0] != changed:
            self._seen[owner] = changed, clock
        return clock - self._seen[owner][1] > _DEAD_SECONDS

    def _beat(self) -> None:
        while not self._is_closed.wait(_BEAT_SECONDS):
            with suppress(OSError):
                os.utime(self._owner)

    def _clear(self) -> None:
        """Remove the files of processes that ended long ago."""
        for path in self._folder.iterdir():
            with suppress(OSError):
                is_old = time.time() - path.lstat().st_mtime > _LEFTOVER_SECONDS
                if is_old and not (path.is_symlink() and path.exists()):
                    path.unlink()


def _has_ended(pid: int) -> bool:
    """Return whether a process of this machine has ended, even if its parent has not noticed."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


def _host() -> str:
    """Return a name of this machine, or container, that no other one has."""
    marks = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        with suppress(OSError):
            marks.append(
                Path(path).read_text().strip()[:8] if "boot" in path else os.readlink(path)
            )
    return "".join(c if c.isalnum() or c in "-." else "-" for c in "-".join(marks))
