"""Executors: the base class, and the executors that carry out runs on this machine.

An executor takes runs and returns their records in the order in which they end. A run that raises,
hangs, is killed or exhausts the memory does not affect other runs.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path

from boostbench.data.catalog import search_dirs
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.fields import NO_LIMITS, Limits
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.supervisor import in_words
from boostbench.experiments.running.worker import Job, failure, now, perform
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key, sources_of
from boostbench.experiments.store.record import Record
from boostbench.inputs import executed_plugins

_CLOSE_SECONDS, _END_SECONDS = 5.0, 0.2
_MOST_LOST = 10


class Executor(contextlib.AbstractContextManager["Executor"], ABC):
    """Base class of executors, the interface that `run_plan` uses.

    Attributes
    ----------
    jobs : int
        Number of simultaneous runs.
    notice : str
        Current message for the user, for example that there are no workers; empty if none.
    """

    notice = ""

    def __init__(self, jobs: int, data_dirs: Sequence[str | Path], limits: Limits) -> None:
        self.jobs = jobs
        self._limits = limits
        # Resolved here because workers may have another environment.
        self._data_dirs = tuple(str(folder.resolve()) for folder in search_dirs(data_dirs))

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Start a run; it gets more threads if fewer runs than cores are left.

        ``n_left`` counts the unfinished runs, including this one.
        """
        sources = sources_of(key.code)
        # A run must not depend on other plugins, because they are not part of its key.
        files = {path for path, _ in sources}
        plugins = tuple(str(path) for path in executed_plugins() if os.path.realpath(path) in files)
        threads = self._limits.threads or max(self.jobs // n_left, 1)
        limits = self._limits.model_copy(update={"threads": threads})
        self.start(Job(run, key, self._data_dirs, plugins, limits, sources))

    @abstractmethod
    def start(self, job: Job) -> None:
        """Start a job."""

    @abstractmethod
    def ended(self, timeout: float) -> list[Record]:
        """Return the records of the runs that have ended since the last call.

        Without any, wait until a run ends, for at most ``timeout`` seconds.
        """

    def shutdown(self) -> None:
        """Stop all runs immediately and release all resources."""

    def __exit__(self, *_: object) -> None:
        self.shutdown()


class InlineExecutor(Executor):
    """Executor that carries out runs one after the other in this process, for debugging.

    Limits of time and memory do not apply, which `notice` says, and runs are not isolated from each
    other.

    Parameters
    ----------
    data_dirs : sequence of path, default=()
    limits : Limits
        Of each run.
    """

    def __init__(self, data_dirs: Sequence[str | Path] = (), limits: Limits = NO_LIMITS) -> None:
        super().__init__(1, data_dirs, limits)
        self._records: list[Record] = []
        if kinds := [kind for kind in ("time", "memory") if getattr(limits, kind) is not None]:
            self.notice = f"--executor inline does not enforce the limits on {' and '.join(kinds)}"

    def start(self, job: Job) -> None:
        """Carry out the job."""
        self._records.append(perform(job, let_through=KeyboardInterrupt))

    def ended(self, timeout: float) -> list[Record]:
        """Return the records of the runs since the last call."""
        records, self._records = self._records, []
        return records


class LocalExecutor(Executor):
    """Executor with worker processes, whose supervisors are forked from a server process.

    All processes end with this one.

    Parameters
    ----------
    jobs : int, default=1
        Number of workers.
    data_dirs : sequence of path, default=()
    limits : Limits
        Of each run.
    """

    def __init__(
        self, jobs: int = 1, data_dirs: Sequence[str | Path] = (), limits: Limits = NO_LIMITS
    ) -> None:
        super().__init__(jobs, data_dirs, limits)
        self._busy: dict[Connection, Job] = {}
        self._idle: list[Connection] = []
        self._start_server()

    def start(self, job: Job) -> None:
        """Start a job."""
        supervisor = self._idle.pop() if self._idle else self._new_supervisor()
        self._busy[supervisor] = job
        with contextlib.suppress(OSError):  # the supervisor is gone; `ended` notices
            supervisor.send(job)

    def ended(self, timeout: float) -> list[Record]:
        """Wait until a run ends, and return the records of the runs that have ended."""
        found = []
        for supervisor in wait([*self._busy], timeout):
            assert isinstance(supervisor, Connection)
            job = self._busy.pop(supervisor)
            try:
                found.append(supervisor.recv())
                self._idle.append(supervisor)
            except (EOFError, OSError):
                supervisor.close()
                message = "the process that supervises the run ended"
                found.append(failure(job, "killed", "ProcessExpired", message, now()))
        return found

    def shutdown(self) -> None:
        """Stop all runs immediately and end the processes."""
        for connection in (*self._busy, *self._idle):
            connection.close()
        self._busy, self._idle = {}, []
        self._requests.close()
        self._server.terminate()  # which it ignores once it is at work
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._server.wait(_CLOSE_SECONDS)
        self._server.kill()  # if it still runs
        self._server.wait()

    def _new_supervisor(self) -> Connection:
        """Have the server fork a supervisor.

        Raises
        ------
        BoostbenchError
            If the system starts no further process, or the server ends repeatedly.
        """
        for _ in range(_MOST_LOST):
            if self._server.poll() is not None:  # killed; its supervisors go on
                self._requests.close()
                self._start_server()
            supervisor, other_end = Pipe()
            with contextlib.suppress(EOFError, OSError):
                with other_end:
                    socket.send_fds(self._requests, [b"+"], [other_end.fileno()])
                supervisor.recv()
                return supervisor
            supervisor.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._server.wait(_END_SECONDS)
            if self._server.returncode == os.EX_OSERR:
                what = "the system starts no further process; raise the limit (`ulimit -u`) or give"
                raise BoostbenchError(f"{what} a lower --jobs")
        what = f"ends repeatedly, with {in_words(self._server.returncode or 0)}"
        raise BoostbenchError(f"the server of the workers {what}; --executor inline may show why")

    def _start_server(self) -> None:
        self._requests, server_end = socket.socketpair()
        program = (
            f"import sys; sys.path[:] = {sys.path!r}\n"
            "from boostbench.experiments.running.supervisor import serve\n"
            f"serve({server_end.fileno()})"
        )
        with server_end:
            self._server = subprocess.Popen(
                [sys.executable, "-c", program],
                env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[server_end.fileno()],
                start_new_session=True,
            )
