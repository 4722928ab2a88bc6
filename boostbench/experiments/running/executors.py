"""Executors: worker processes on this machine, or this process for a debugger.

An executor takes runs and gives back their records, in the order in which they end. A run that
raises, hangs, is killed or eats all memory costs that run alone.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import psutil
from typing_extensions import Self

from boostbench.data import search_dirs
from boostbench.errors import BoostbenchError, RecordError
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.server import MOST_LOSSES, Ending, Task
from boostbench.experiments.running.worker import LOG_LINES, Job, failure, now, perform
from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import sources_of
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.interrupts import uninterrupted
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import decode
from boostbench.registry import used_plugins
from boostbench.threads import n_cores

_LEAST_MEMORY = 2**29
_MARK = "BOOSTBENCH_SERVER"
_POLL_SECONDS = 0.5
_CLOSE_SECONDS = 5.0
#: So often a server may be lost in a row without any run that ends: less if it ends by itself.
_MOST_KILLS, _MOST_FAILURES = 50, 3
#: Signals that end all processes of a batch job; this process may be told a moment later.
_FOR_ALL = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
_FOR_ALL_SECONDS = 0.5


class Executor(ABC):
    """Interface of executors, as `run_plan` uses it.

    Attributes
    ----------
    jobs : int
        Number of runs at once.
    ahead : int
        Number of further runs that it may be given beforehand.
    notice : str
        A message for the user at this moment, as that there are no workers; else empty.
    """

    notice = ""

    def __init__(self, jobs: int, data_dirs: Sequence[str | Path], *, ahead: int) -> None:
        self.jobs = jobs
        self.ahead = ahead
        # With the environment of this process, which the workers' may not be.
        self._data_dirs = tuple(str(folder.resolve()) for folder in search_dirs(data_dirs))

    def prepare(self, runs: Sequence[Run]) -> Iterable[None]:
        """Do beforehand what should not count against the limits of a single run.

        Yields now and then while it goes on.
        """
        return ()

    @abstractmethod
    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Start a run, when so many are left, this one and those under way included."""

    def wait(self, timeout: float) -> None:  # noqa: B027
        """Wait until a run has ended, or ``timeout`` seconds."""

    @abstractmethod
    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""

    def rounds(self) -> Mapping[Key, int]:
        """Return the rounds that runs under way have done, as far as that is known."""
        return {}

    def shutdown(self) -> None:  # noqa: B027
        """Stop what is running, at once, and let go of all resources."""

    def job(
        self,
        run: Run,
        key: Key | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        threads: int = 1,
    ) -> Job:
        """Return a run with what a worker needs to know; without a key, to compile its kernels."""
        sources = () if key is None else sources_of(key.code)
        # Of other plugins a run must not depend: its key knows nothing of them.
        files = {path for path, _ in sources}
        plugins = tuple(
            str(path) for path in used_plugins() if not files or os.path.realpath(path) in files
        )
        key = key or Key("", 0, "", "")
        limits = time_limit, memory_limit, threads
        return Job(run, key, self._data_dirs, plugins, *limits, sources)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()


def check_options(
    executor: str, *, dask: Mapping[str, object], workers: Mapping[str, object]
) -> None:
    """Refuse options that do not go with an executor: those of Dask, and of worker processes."""
    refused = {} if executor == "dask" else dict.fromkeys(dask, "`--executor dask`")
    if executor == "inline":
        refused |= dict.fromkeys(workers, "`--executor local` or `dask`")
    for option, executors in refused.items():
        if {**dask, **workers}[option]:
            where = f"--{option.replace('_', '-')}"
            raise BoostbenchError(f"only goes with {executors}; leave it out", where=where)


def make_executor(
    name: str,
    data_dirs: Sequence[str | Path],
    scheduler: str | None = None,
    dask: Mapping[str, str] | None = None,
    *,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    threads: int | None = None,
) -> Executor:
    """Return the executor of a name, with arguments as of `Experiment.run`."""
    if name == "inline":
        return InlineExecutor(data_dirs)
    limits: dict[str, Any] = {
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "threads": threads,
    }
    if name == "dask":
        from boostbench.experiments.running.dask_executor import DaskExecutor

        return DaskExecutor(scheduler, data_dirs, jobs=jobs, options=dask, **limits)
    return LocalExecutor(jobs or max(n_cores() // (threads or 1), 1), data_dirs, **limits)


class InlineExecutor(Executor):
    """Carries out runs in this process, one after the other: for debuggers.

    Time and memory limits do not hold here, and what a booster changes stays changed.

    Parameters
    ----------
    data_dirs : sequence of path, default=()
    raise_errors : bool, default=False
        Let exceptions of a run through instead of recording them.
    """

    def __init__(self, data_dirs: Sequence[str | Path] = (), *, raise_errors: bool = False) -> None:
        super().__init__(1, data_dirs, ahead=0)
        self._let_through = (BaseException if raise_errors else KeyboardInterrupt,)
        self._ended: list[tuple[Key, Record]] = []

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Carry out the run."""
        self._ended.append((key, perform(self.job(run, key), let_through=self._let_through)))

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        ended, self._ended = self._ended, []
        return ended


class LocalExecutor(Executor):
    """Worker processes on this machine, forked from a server that has all libraries loaded.

    A server that dies is replaced, and what it had under way is done again. Server and workers end
    with this process.

    Parameters
    ----------
    jobs : int, default=1
        Number of workers.
    data_dirs : sequence of path, default=()
    time_limit : float or None, default=None
        Seconds of wall time for one run; its processes are killed.
    memory_limit : int or None, default=None
        Bytes for one run and all processes it starts: an allocation beyond fails, and if the memory
        grows beyond all the same the processes are killed.
    threads : int or None, default=None
        Threads of a run. None is one, and more once fewer runs are left than there are workers.
    """

    def __init__(
        self,
        jobs: int = 1,
        data_dirs: Sequence[str | Path] = (),
        *,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        threads: int | None = None,
    ) -> None:
        if memory_limit is not None and memory_limit < _LEAST_MEMORY:
            raise BoostbenchError(
                f"a worker alone needs about 300 MiB; give at least {_LEAST_MEMORY / 2**20:.0f}M",
                where="memory limit",
            )
        if not hasattr(os, "fork"):
            what = "needs a system that can fork, as Linux and macOS can; use `--executor inline`"
            raise BoostbenchError(what, where="--executor local")
        super().__init__(jobs, data_dirs, ahead=jobs)
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._threads = threads
        self._sent: dict[int, Task] = {}
        self._n_sent = 0
        self._ended: list[tuple[float, Key, Record]] = []
        self._lost_in_a_row = 0
        self._is_closed = False
        self._start_server()

    def prepare(self, runs: Sequence[Run]) -> Iterator[None]:
        """Compile the kernels that the boosters need, once for all workers and without limits."""
        by_booster = {run.booster: run for run in runs}
        return self.prepare_jobs([self.job(run) for run in by_booster.values()])

    def prepare_jobs(self, jobs: Sequence[Job]) -> Iterator[None]:
        """Compile the kernels that some jobs need; yields now and then while it goes on."""
        number = self.submit_job(tuple(jobs))
        while number in self._sent:
            self.wait(_POLL_SECONDS)
            yield

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Start a run; cores for which no run is left become threads of it."""
        threads = self._threads or max(self.jobs // n_left, 1)
        self.submit_job(self.job(run, key, self._time_limit, self._memory_limit, threads))

    def submit_job(self, job: Job | tuple[Job, ...]) -> int:
        """Start a job and return the number that it is known by."""
        self._n_sent += 1
        self._sent[self._n_sent] = Task(self._n_sent, job)
        self._send(self._sent[self._n_sent])
        return self._n_sent

    def wait(self, timeout: float) -> None:
        """Wait until the server tells something, or ``timeout`` seconds."""
        if wait([self._server], timeout):
            with uninterrupted():
                self._receive()

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        while self._server.poll():
            self._receive()
        clock = time.monotonic()
        ended = [(key, record) for when, key, record in self._ended if when <= clock]
        self._ended = [later for later in self._ended if later[0] > clock]
        return ended

    def rounds(self) -> Mapping[Key, int]:
        """Return the rounds that runs under way have done, as far as that is known."""
        sent = self._sent.values()
        return {task.job.key: task.rounds for task in sent if isinstance(task.job, Job)}

    def shutdown(self) -> None:
        """Stop what is running, at once, and let go of the processes."""
        if not self._is_closed:
            self._is_closed = True
            self._end_server()

    def _send(self, task: Task) -> None:
        """Send a task without waiting for a server that waits for this process to listen."""
        server = self._server
        room = select.poll()
        room.register(server, select.POLLOUT)
        while not room.poll(0):
            self.wait(_POLL_SECONDS)
            if self._server is not server:  # a new one, which has been sent everything
                return
        with contextlib.suppress(OSError):  # it is gone, which shows when it is listened to
            server.send(task)

    def _receive(self) -> None:
        try:
            told: Ending = self._server.recv()
        except (EOFError, OSError):
            self._replace_server()
            return
        sent = self._sent[told.number]
        if told.kind == "started":
            sent.started = now()
            return
        if told.kind == "rounds":
            sent.rounds = told.rounds
            return
        self._lost_in_a_row = 0
        del self._sent[told.number]
        if isinstance(sent.job, Job):
            by_all = told.kind == "died" and -told.exit_code in _FOR_ALL
            when = time.monotonic() + (_FOR_ALL_SECONDS if by_all else 0.0)
            self._ended.append((when, sent.job.key, _record(sent.job, told, sent.started)))

    def _start_server(self) -> None:
        here, there = socket.socketpair()
        self._mark = uuid.uuid4().hex
        program = (
            f"import sys; sys.path[:] = {sys.path!r}\n"
            "import boostbench.experiments.running.preload\n"
            "from boostbench.experiments.running.server import serve\n"
            f"serve({there.fileno()}, {self.jobs})"
        )
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-c", program],
                env={**os.environ, **dict.fromkeys(THREAD_VARIABLES, "1"), _MARK: self._mark},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[there.fileno()],
                start_new_session=True,
            )
        self._server = Connection(here.detach())

    def _end_server(self) -> int:
        """End server and workers; return the server's exit code."""
        self._server.close()
        try:
            code = self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if code != 0:
            _kill_marked(self._mark)
        return code

    def _replace_server(self) -> None:
        code = self._end_server()
        self._lost_in_a_row += 1
        if self._lost_in_a_row > (_MOST_KILLS if code < 0 else _MOST_FAILURES):
            what = f"the process that starts runs ends again and again, with {_in_words(code)}"
            raise BoostbenchError(what)
        self._start_server()
        server = self._server
        for task in list(self._sent.values()):
            if self._server is not server:  # lost too; the next one has been sent everything
                return
            if task.started:
                task.losses += 1
                if task.losses >= MOST_LOSSES:
                    self._give_up(task)
                    continue
                task.started, task.rounds = "", 0
            self._send(task)

    def _give_up(self, task: Task) -> None:
        del self._sent[task.number]
        if isinstance(task.job, Job):
            message = "the process that starts runs ended each time this one was under way"
            record = failure(task.job, "killed", "ProcessExpired", message, task.started)
            self._ended.append((0.0, task.job.key, record))


def _record(job: Job, told: Ending, started: str) -> Record:
    """Turn the end of a job, however it came about, into its record."""
    if told.kind == "timeout":
        message = f"was stopped at the time limit of {job.time_limit:g} s"
        return failure(job, "timeout", "TimeoutError", message, started, told.log)
    if told.kind == "memory":
        limit = (job.memory_limit or 0) / 2**20
        message = f"needs more than the memory limit of {limit:.0f} MiB; it was killed"
        return failure(job, "out-of-memory", "MemoryError", message, started, told.log)
    if told.kind == "died":
        message = f"the worker process ended with {_in_words(told.exit_code)}"
        return failure(job, "killed", "ProcessExpired", message, started, told.log)
    try:
        record = decode(told.answer, Path(f"{job.key}.json"), Record)
    except (RecordError, ValueError, LookupError, TypeError) as error:
        return failure(job, "failed", type(error).__name__, str(error), started, told.log)
    if record.error is None:
        return record
    log = [*told.log, *record.error.log_tail][-LOG_LINES:]
    return record.model_copy(update={"error": record.error.model_copy(update={"log_tail": log})})


def _kill_marked(mark: str) -> None:
    """Kill what a lost server has left, known by its environment."""
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(_MARK) == mark:
                process.kill()


def _in_words(exit_code: int) -> str:
    if exit_code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-exit_code).name}"
        return f"signal {-exit_code}"
    return f"exit code {exit_code}"
