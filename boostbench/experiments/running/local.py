"""Executor with worker processes on this machine, which supervisors start and end."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.limits import NO_LIMITS, Limits
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.inline import Executor
from boostbench.experiments.running.supervisor import in_words
from boostbench.experiments.running.worker import Job, failure, now
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Record

_LEAST_MEMORY = 2**29
_CLOSE_SECONDS, _END_SECONDS = 5.0, 0.2
_MOST_LOST = 10


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
        if limits.memory is not None and limits.memory < _LEAST_MEMORY:
            raise BoostbenchError(
                f"a worker needs about 300 MiB itself; give at least {_LEAST_MEMORY / 2**20:.0f}M",
                where="memory limit",
            )
        if not hasattr(os, "fork"):
            what = "requires fork, as on Linux and macOS; use `--executor inline`"
            raise BoostbenchError(what, where="--executor local")
        super().__init__(jobs, data_dirs)
        self._limits = limits
        self._busy: dict[Connection, Job] = {}
        self._idle: list[Connection] = []
        self._forked: set[Connection] = set()
        self._n_lost = 0  # supervisors that the server did not fork, in a row
        self._start_server()

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Start a run; it gets more threads if fewer runs than cores are left."""
        threads = self._limits.threads or max(self.jobs // n_left, 1)
        self.submit_job(self.job(run, key, self._limits.replaced(threads=threads)))

    def submit_job(self, job: Job) -> None:
        """Start a job."""
        supervisor = self._idle.pop() if self._idle else self._new_supervisor()
        self._busy[supervisor] = job
        with contextlib.suppress(OSError):  # the supervisor is gone; `ended` notices
            supervisor.send(job)

    def wait(self, timeout: float) -> None:
        """Wait until a run ends, for at most ``timeout`` seconds."""
        wait([*self._busy], timeout)

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call.

        Raises
        ------
        BoostbenchError
            If the server ends repeatedly before it forks a supervisor.
        """
        found = []
        for supervisor in [each for each in self._busy if each.poll()]:
            try:
                record = supervisor.recv()
            except (EOFError, OSError):
                supervisor.close()
                job = self._busy.pop(supervisor)
                if supervisor not in self._forked:
                    self._send_again(job)
                    continue
                message = "the process that supervises the run ended"
                record = failure(job, "killed", "ProcessExpired", message, now())
            else:
                if record is None:  # the first message
                    self._forked.add(supervisor)
                    continue
                job = self._busy.pop(supervisor)
                self._idle.append(supervisor)
                self._n_lost = 0
            found.append((job.key, record))
        return found

    def shutdown(self) -> None:
        """Stop all runs immediately and end the processes."""
        for connection in (*self._busy, *self._idle):
            connection.close()
        self._busy, self._idle = {}, []
        self._requests.close()
        try:
            self._server.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def _send_again(self, job: Job) -> None:
        """Send a job again, since the server ended before it forked a supervisor for it."""
        self._n_lost += 1
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._server.wait(_END_SECONDS)
        if self._server.returncode == os.EX_OSERR:
            what = "the system starts no further process; raise the limit (`ulimit -u`) or give a"
            raise BoostbenchError(f"{what} lower --jobs")
        if self._n_lost > self.jobs * _MOST_LOST:
            code = in_words(self._server.returncode or 0)
            raise BoostbenchError(
                f"the server of the worker processes ends repeatedly, with {code}"
            )
        self.submit_job(job)

    def _new_supervisor(self) -> Connection:
        if self._server.poll() is not None:  # killed; its supervisors go on
            self._requests.close()
            self._start_server()
        own_end, other_end = socket.socketpair()
        with other_end, contextlib.suppress(OSError):  # the server is gone; `ended` notices
            socket.send_fds(self._requests, [b"+"], [other_end.fileno()])
        return Connection(own_end.detach())

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
