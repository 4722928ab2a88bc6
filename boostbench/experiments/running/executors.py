"""Who carries out the runs: a pool of worker processes, or this process for a debugger.

An executor has the surface of `concurrent.futures`: ``submit`` returns a future, here one that
always ends with a record. A run that raises, hangs, is killed or eats all memory costs that run
alone.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import psutil
from pebble import ProcessExpired, ProcessPool

from boostbench.data import search_dirs
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.worker import (
    Job,
    compile_kernels,
    failure,
    now,
    perform,
    start_worker,
)
from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import sources_of
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Record
from boostbench.registry import loaded_plugins

__all__ = ["Executor", "InlineExecutor", "LocalExecutor"]

#: Imported once, by the process that all workers are forked from.
_PRELOADED = ["boostbench.experiments.running.preload"]
_WATCH_SECONDS = 0.2
_MAX_POOLS = 4
_LEAST_MEMORY = 2**29


class Executor(Protocol):
    """What `run_plan` asks of an executor.

    Attributes
    ----------
    jobs : int
        How many runs it works on at once.
    ahead : int
        How many more it may be given beforehand.
    """

    jobs: int
    ahead: int

    def prepare(self, runs: Sequence[Run]) -> None:
        """Do beforehand what should not count against the limits of a single run."""

    def submit(self, run: Run, key: Key) -> Future[Record]:
        """Start a run; the future ends with its record."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of all resources; with ``cancel_futures`` stop what is running, at once."""


class InlineExecutor:
    """Carries out runs in this process, one after the other: for debuggers.

    Time and memory limits do not hold here.

    Parameters
    ----------
    data_dirs : sequence of path, default=()
    raise_errors : bool, default=False
        Let exceptions of a run through instead of recording them.
    """

    jobs = 1
    ahead = 0

    def __init__(self, data_dirs: Sequence[str | Path] = (), *, raise_errors: bool = False) -> None:
        self._data_dirs = tuple(str(folder) for folder in data_dirs)
        self._raise_errors = raise_errors

    def prepare(self, runs: Sequence[Run]) -> None:
        """Do nothing."""

    def submit(self, run: Run, key: Key) -> Future[Record]:
        """Carry out the run and return a future that is done."""
        future: Future[Record] = Future()
        job = Job(run, key, self._data_dirs, sources=sources_of(key.code))
        future.set_result(perform(job, raise_errors=self._raise_errors))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Do nothing."""

    def __enter__(self) -> InlineExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()


class LocalExecutor:
    """A pool of worker processes on this machine, forked from one that has all libraries loaded.

    Each worker uses one thread and dies with this process.

    Parameters
    ----------
    jobs : int, default=1
        Number of workers.
    data_dirs : sequence of path, default=()
    time_limit : float or None, default=None
        Seconds of wall time for one run; its worker is killed.
    memory_limit : int or None, default=None
        Bytes for one run: an allocation beyond fails, and a worker whose resident memory grows
        beyond all the same is killed.
    """

    def __init__(
        self,
        jobs: int = 1,
        data_dirs: Sequence[str | Path] = (),
        *,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        if memory_limit is not None and memory_limit < _LEAST_MEMORY:
            raise BoostbenchError(
                f"a worker alone needs about 300 MiB; give at least {_LEAST_MEMORY / 2**20:.0f}M",
                where="memory limit",
            )
        self.jobs = jobs
        self.ahead = jobs
        # With the environment of this process, which the workers' may not be.
        self._data_dirs = tuple(str(folder.resolve()) for folder in search_dirs(data_dirs))
        self._time_limit = time_limit
        self._memory_limit = memory_limit
        self._logs = Path(tempfile.mkdtemp(prefix="boostbench-"))
        self._lock = threading.Lock()
        self._over: set[str] = set()
        self._pools = 0
        self._pool = self._new_pool()
        self._closed = threading.Event()
        if memory_limit is not None:
            threading.Thread(target=self._watch_memory, daemon=True).start()

    def prepare(self, runs: Sequence[Run]) -> None:
        """Compile the kernels that the boosters need, once for all workers and without limits.

        A process of its own does it, because compiling leaves some 200 MiB behind.
        """
        by_booster = {run.booster: run for run in runs}
        jobs = [self._job(run, Key("", 0, "", "")) for run in by_booster.values()]
        compiler = _context().Process(target=compile_kernels, args=(jobs,), daemon=True)
        compiler.start()
        try:
            compiler.join()
        finally:
            compiler.kill()

    def submit(self, run: Run, key: Key) -> Future[Record]:
        """Start a run; the future ends with its record, which says what went wrong if anything."""
        future: Future[Record] = Future()
        self._start(self._job(run, key), future)
        return future

    def _job(self, run: Run, key: Key) -> Job:
        return Job(
            run,
            key,
            self._data_dirs,
            plugins=tuple(str(path) for path in loaded_plugins()),
            memory_limit=self._memory_limit,
            log=str(self._logs / f"{key}.log"),
            sources=sources_of(key.code),
        )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the running jobs, or stop them at once, and let go of the workers."""
        self._closed.set()
        if cancel_futures or not wait:
            self._pool.stop()
        else:
            self._pool.close()
        self._pool.join()
        shutil.rmtree(self._logs, ignore_errors=True)

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown(cancel_futures=kind is not None)

    def _new_pool(self) -> Any:
        self._pools += 1
        with _one_thread():
            pool = ProcessPool(self.jobs, initializer=start_worker, context=_context())
            if hasattr(multiprocessing, "forkserver"):
                multiprocessing.forkserver.ensure_running()
        return pool

    def _start(self, job: Job, future: Future[Record]) -> None:
        started = now()
        with self._lock:
            pool = self._pool
        try:
            inner = pool.schedule(_perform_watched, args=(job,), timeout=self._time_limit)
        except RuntimeError as error:  # the pool broke down while nothing was running
            self._start_again(pool, job, future, error)
            return
        inner.add_done_callback(lambda done: self._finish(done, pool, job, future, started))

    def _finish(self, done: Any, pool: Any, job: Job, future: Future[Record], started: str) -> None:
        """Turn the end of a job, however it came about, into its record."""
        try:
            record = done.result()
        except BrokenProcessPool as error:
            self._start_again(pool, job, future, error)
            return
        except (FutureTimeoutError, TimeoutError):
            message = f"was stopped at the time limit of {self._time_limit:g} s"
            record = failure(job, "timeout", "TimeoutError", message, started)
        except ProcessExpired as error:
            record = self._expired(job, error.exitcode, started)
        except CancelledError:
            future.cancel()
            return
        except Exception as error:  # what a worker sent back could not be read
            record = failure(job, "failed", type(error).__name__, str(error), started)
        for path in (Path(job.log), _pid_file(job)):
            path.unlink(missing_ok=True)
        future.set_result(record)

    def _expired(self, job: Job, exit_code: int, started: str) -> Record:
        if str(job.key) in self._over:
            limit = (self._memory_limit or 0) / 2**20
            message = f"needs more than the memory limit of {limit:.0f} MiB; the worker was killed"
            return failure(job, "out-of-memory", "MemoryError", message, started)
        message = f"the worker process ended with {_end_of(exit_code)}"
        return failure(job, "killed", "ProcessExpired", message, started)

    def _start_again(
        self, broken: Any, job: Job, future: Future[Record], error: BaseException
    ) -> None:
        """Replace a pool whose workers all died while idle; give up if that goes on."""
        with self._lock:
            if self._closed.is_set():
                future.cancel()
                return
            if self._pool is broken and self._pools < _MAX_POOLS:
                self._pool = self._new_pool()
            if self._pool is not broken:
                threading.Thread(target=self._start, args=(job, future), daemon=True).start()
                return
        what = (
            "the worker processes end as soon as they start; a script that runs experiments needs "
            "'if __name__ == \"__main__\":' around its last part"
        )
        future.set_exception(BoostbenchError(what))

    def _watch_memory(self) -> None:
        """Kill workers whose memory grows in ways that the limit inside them does not see."""
        while not self._closed.wait(_WATCH_SECONDS):
            for path in self._logs.glob("*.pid"):
                with contextlib.suppress(psutil.Error, OSError, ValueError):
                    pid = int(path.read_text(encoding="ascii"))
                    if psutil.Process(pid).memory_info().rss > (self._memory_limit or 0):
                        self._over.add(path.stem)
                        os.kill(pid, signal.SIGKILL)


def _perform_watched(job: Job) -> Record:
    """Carry out a job, telling the parent meanwhile which process works on it."""
    pid_file = _pid_file(job)
    pid_file.write_text(str(os.getpid()), encoding="ascii")
    try:
        return perform(job)
    finally:
        pid_file.unlink(missing_ok=True)


def _pid_file(job: Job) -> Path:
    return Path(job.log).with_suffix(".pid")


def _end_of(exit_code: int) -> str:
    if exit_code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-exit_code).name}"
        return f"signal {-exit_code}"
    return f"exit code {exit_code}"


def _context() -> Any:
    """Return forkserver processes, or spawned ones where there are none (Windows)."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Set the thread variables while the process that workers come from is started."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
