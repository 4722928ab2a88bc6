"""Executor with worker processes on this machine, which a server process starts and ends."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path

from boostbench.errors import BoostbenchError, RecordError
from boostbench.experiments.configs.limits import NO_LIMITS, Limits
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.inline import Executor
from boostbench.experiments.running.server import Message, in_words
from boostbench.experiments.running.worker import LOG_LINES, Job, failure, now
from boostbench.experiments.runs import BoosterSpec, Run
from boostbench.experiments.store.identity import Key, is_own_code
from boostbench.experiments.store.interrupts import uninterrupted
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import decode, encode

_LEAST_MEMORY = 2**29
_POLL_SECONDS = 0.5
_CLOSE_SECONDS = 5.0
#: Maximum losses of a server in a row while no run ends.
_MOST_LOSSES = 10


class LocalExecutor(Executor):
    """Executor with worker processes, forked from a server process that has all libraries loaded.

    If the server dies, it is replaced and its runs are repeated. Server and workers end with this
    process.

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
        super().__init__(jobs, data_dirs, ahead=jobs)
        self._limits = limits
        self._sent: dict[Key, Job] = {}
        self._started: dict[Key, str] = {}  # time at which each job in progress was started
        self._prepared: set[BoosterSpec] = set()
        self._lost_in_a_row = 0
        self._is_closed = False
        self._start_server()

    def prepare(self, runs: Iterable[Run]) -> Iterator[None]:
        """Compile the kernels of the boosters, once for all workers and without limits."""
        keys = []
        new = {run.booster: run for run in runs if run.booster not in self._prepared}
        for run in filter(is_own_code, new.values()):
            self._prepared.add(run.booster)
            keys.append(Key("", len(self._prepared), "", ""))
            self.submit_job(self.job(run, keys[-1]))
        while self._sent.keys() & keys:
            self.wait(_POLL_SECONDS)
            yield

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Start a run; it gets more threads if fewer runs than cores are left."""
        threads = self._limits.threads or max(self.jobs // n_left, 1)
        self.submit_job(self.job(run, key, self._limits.replaced(threads=threads)))

    def submit_job(self, job: Job) -> None:
        """Start a job."""
        self._sent[job.key] = job
        self._send(job)

    def wait(self, timeout: float) -> None:
        """Wait for a message of the server, for at most ``timeout`` seconds."""
        if wait([self._server], timeout):
            with uninterrupted():
                self._receive()

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        while self._server.poll():
            self._receive()
        return super().ended()

    def shutdown(self) -> None:
        """Stop all runs immediately and end the processes."""
        if not self._is_closed:
            self._is_closed = True
            self._end_server()

    def _send(self, job: Job) -> None:
        """Send a job. Receives messages meanwhile, lest both processes block while sending."""
        server = self._server
        poller = select.poll()
        poller.register(server, select.POLLOUT)
        while not poller.poll(0):
            self.wait(_POLL_SECONDS)
            if self._server is not server:  # a new server, to which all jobs have been sent
                return
        with contextlib.suppress(OSError):  # the server is gone; the next receive notices
            server.send(job)

    def _receive(self) -> None:
        try:
            message: Message = self._server.recv()
        except (EOFError, OSError):
            self._replace_server()
            return
        key, answer, log = message
        if answer is None:
            self._started[key] = now()
        else:
            self._end(self._sent[key], answer, log)

    def _start_server(self) -> None:
        own_end, server_end = socket.socketpair()
        program = (
            f"import sys; sys.path[:] = {sys.path!r}\n"
            "from boostbench.experiments.running.server import serve\n"
            f"serve({server_end.fileno()}, {self.jobs})"
        )
        with server_end:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program],
                env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1")},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[server_end.fileno()],
                start_new_session=True,
            )
        self._server = Connection(own_end.detach())

    def _end_server(self) -> int:
        """End server and workers and return the exit code of the server."""
        self._server.close()
        try:
            return self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _replace_server(self) -> None:
        code = self._end_server()
        self._lost_in_a_row += 1
        if self._lost_in_a_row > _MOST_LOSSES:
            message = f"the server of the worker processes ends repeatedly, with {in_words(code)}"
            raise BoostbenchError(message)
        self._start_server()
        server, started, self._started = self._server, self._started, {}
        for job in list(self._sent.values()):
            if self._server is not server:  # lost too; all jobs have been sent to the next one
                return
            if job.key in started and job.alone:
                message = "the server of the worker processes ended twice during this run"
                lost = failure(job, "killed", "ProcessExpired", message, started[job.key])
                self._end(job, encode(lost), ())
                continue
            self._sent[job.key] = replace(job, alone=job.alone or job.key in started)
            self._send(self._sent[job.key])

    def _end(self, job: Job, answer: bytes, log: tuple[str, ...]) -> None:
        self._lost_in_a_row = 0
        del self._sent[job.key]
        started = self._started.pop(job.key, "")
        if not job.is_warm_up:
            self._ended.append((job.key, _record(job, answer, log, started)))


def _record(job: Job, answer: bytes, log: tuple[str, ...], started: str) -> Record:
    """Return the record in an answer, whose error gets the output before its traceback."""
    try:
        record = decode(answer, Path(f"{job.key}.json"), Record)
    except (RecordError, ValueError, LookupError, TypeError) as error:
        return failure(job, "failed", type(error).__name__, str(error), started, log)
    if record.error is None:
        return record
    lines = [*log, *record.error.log_tail][-LOG_LINES:]
    return record.model_copy(update={"error": record.error.model_copy(update={"log_tail": lines})})
