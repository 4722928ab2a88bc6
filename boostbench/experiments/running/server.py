"""Server process from which workers are forked; it starts runs, enforces limits and ends workers.

The server has all libraries loaded and the kernels of the boosters compiled. A worker executes one
run after the other as long as they end ``ok`` and use only code of this package. Otherwise the next
run gets a new process, so that no run is affected by what another changed, left open or used up.
The processes started by a run end with the run.

Each worker has its own pipes, and the server waits for all of them in one loop without threads or
locks, so a worker that is killed at any time does not affect the others.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import os
import pickle
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

import psutil

from boostbench import inputs
from boostbench.data.catalog import catalog
from boostbench.errors import BoostbenchError
from boostbench.experiments.running import environment
from boostbench.experiments.running.worker import (
    LOG_LINES,
    Job,
    compile_kernels,
    failure,
    now,
    perform,
)
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.records import encode
from boostbench.experiments.store.versions import versions
from boostbench.plugin_files import executed_plugins

#: Message that a job was started, with the answer None, or has ended, with its encoded record and
#: the last lines of output.
Message = tuple[Key, bytes | None, tuple[str, ...]]
#: Modules that are loaded once, before workers are forked.
_PRELOADED = (
    "numba",
    "pandas",
    "sklearn.datasets",
    "boostbench.boosters",
    "boostbench.experiments.running.execution",
)
_TICK_SECONDS = 0.2
#: A tick that takes longer means that this process was suspended, which counts against no limit.
_SUSPENDED_SECONDS = 2.0
_CHUNK = 2**16
_MOST_CHUNKS = 16
_LOG_BYTES = 10_000
#: First byte of an answer: whether the worker may execute another run.
_AGAIN, _RETIRE = b"+", b"-"
#: Signals that end all processes of a batch job; they may reach the client a moment later.
_FOR_ALL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FOR_ALL_SECONDS = 0.5


def serve(descriptor: int, jobs: int) -> None:
    """Carry out jobs received over a socket until it is closed, then exit the process."""
    inputs.watch()
    for module in _PRELOADED:
        import_module(module)
    faulthandler.enable()
    for number in _FOR_ALL:
        signal.signal(number, signal.SIG_DFL)
    environment.adopt_orphans()
    versions()
    environment.host()
    gc.collect()
    gc.freeze()
    _Server(Connection(descriptor), jobs).work()
    os._exit(0)


class _Worker:
    """A worker process, seen from the server.

    Attributes
    ----------
    pid : int
        Process id, also the id of its session and process group.
    job : Job or None
        Job in progress.
    started : str
        Time at which the job was started.
    answer : bytearray
        Answer as far as it has been read.
    exceeded : tuple of str
        Status, kind and message of the failure if the job exceeded a limit; else empty.
    """

    def __init__(self, inherited: Iterable[Any]) -> None:
        self.channel, channel = socket.socketpair()
        self.output, output = socket.socketpair()
        with channel, output:  # the ends of the worker
            self.pid = os.fork()
            if not self.pid:
                for end in (*inherited, self.channel, self.output):
                    end.close()
                _work(channel, output)
        self.sources = {self.channel, self.output}
        self.job: Job | None = None
        self.answer = bytearray()
        self.exceeded: tuple[str, ...] = ()
        self.deadline = math.inf
        self._log = b""

    def start(self, job: Job) -> None:
        """Send a job to the idle worker."""
        self._log = b""
        self.job, self.started = job, now()
        self.deadline = time.monotonic() + (job.limits.time or math.inf)
        with contextlib.suppress(OSError):  # the worker has died; `reap` notices
            self.channel.sendall(pickle.dumps(job))

    def listen(self) -> None:
        """Read messages and output of the worker without waiting; keep the end of the output."""
        self.answer += self._read(self.channel)
        self._log = (self._log + self._read(self.output))[-_LOG_BYTES:]

    def _read(self, source: socket.socket) -> bytes:
        """Return the available bytes, and forget the source at its end."""
        parts = []
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_CHUNKS):
                try:
                    parts.append(source.recv(_CHUNK, socket.MSG_DONTWAIT))
                except ConnectionError:  # the worker died before it read the task
                    parts.append(b"")
                if not parts[-1]:
                    self.sources.discard(source)
                    break
        return b"".join(parts)

    @property
    def has_answered(self) -> bool:
        """True if the answer is complete."""
        return self.answer.endswith(b"\n")

    def end_job(self, exit_code: int = 0) -> Message:
        """Forget the job and return the message that it has ended."""
        assert self.job is not None
        log = tuple(self._log.decode("utf-8", "replace").splitlines()[-LOG_LINES:])
        answer = bytes(self.answer[1:])
        if not self.has_answered:
            died = f"the worker process ended with {in_words(exit_code)}"
            status, kind, message = self.exceeded or ("killed", "ProcessExpired", died)
            answer = encode(failure(self.job, status, kind, message, self.started, log))
            log = ()
        key, self.job = self.job.key, None
        self.answer.clear()
        return key, answer, log

    def close(self) -> None:
        """Close the ends of this process."""
        self.channel.close()
        self.output.close()


class _Server:
    def __init__(self, client: Connection, jobs: int) -> None:
        self.client = client
        self.jobs = jobs
        self.waiting: deque[Job] = deque()
        self.workers: dict[int, _Worker] = {}
        self.checked = 0.0  # time at which the limits were checked
        self.woken, self.waker = socket.socketpair()
        self.waker.setblocking(False)
        signal.set_wakeup_fd(self.waker.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def work(self) -> None:
        """Carry out jobs until the client closes the connection."""
        try:
            while True:
                self.assign()
                self.listen()
                self.reap()
                self.enforce_limits()
        except (EOFError, ConnectionError):
            for pid in self.workers:
                kill_tree(pid)
            self.sweep(keep=())

    def assign(self) -> None:
        """Start waiting jobs while workers are available."""
        while self.waiting:
            busy = [worker.job for worker in self.workers.values() if worker.job is not None]
            is_alone = self.waiting[0].alone or any(job.alone for job in busy)
            if len(busy) >= (1 if is_alone else self.jobs):
                return
            idle = (worker for worker in self.workers.values() if worker.job is None)
            worker = next(idle, None) or self.new_worker()
            if worker is None:
                return
            job = self.waiting.popleft()
            worker.start(job)
            self.client.send((job.key, None, ()))

    def new_worker(self) -> _Worker | None:
        """Return a new worker, or None if the system cannot start another process now."""
        try:
            worker = _Worker([self.client, self.woken, self.waker, *self.workers.values()])
        except OSError:
            if not self.workers:
                raise
            return None  # tried again when another worker has ended
        self.workers[worker.pid] = worker
        return worker

    def listen(self) -> None:
        """Wait for messages and output, and read them."""
        sources = {source: worker for worker in self.workers.values() for source in worker.sources}
        is_busy = any(worker.job is not None for worker in self.workers.values())
        timeout = _TICK_SECONDS if is_busy or self.waiting else None
        begin = time.monotonic()
        ready = wait([self.client, self.woken, *sources], timeout)
        waited = time.monotonic() - begin
        if timeout is not None and waited > _SUSPENDED_SECONDS:  # with the whole job, or container
            for worker in self.workers.values():
                worker.deadline += waited
        if self.client in ready:
            self.waiting.append(self.client.recv())
        if self.woken in ready:
            self.woken.recv(_CHUNK)
        for worker in {sources[source] for source in ready if source in sources}:
            worker.listen()
            if worker.job is not None and worker.has_answered:
                if worker.answer.startswith(_AGAIN):
                    self.client.send(worker.end_job())
                else:
                    kill_tree(worker.pid)  # the answer is sent once its processes have ended

    def reap(self) -> None:
        """Remove workers that have ended, and kill the processes that they started."""
        gone = {pid: code for pid in self.workers if (code := _exit_code(pid)) is not None}
        if gone:
            self.sweep(keep=self.workers.keys() - gone.keys())
        for pid, code in gone.items():
            worker = self.workers.pop(pid)
            worker.listen()
            worker.close()
            if worker.job is None:
                continue
            if worker.has_answered and worker.job.is_warm_up:
                _load_kernels(worker.job)
            elif not worker.has_answered and not worker.exceeded and -code in _FOR_ALL:
                time.sleep(_FOR_ALL_SECONDS)  # the client may be ended by the same signal
            self.client.send(worker.end_job(code))

    def enforce_limits(self) -> None:
        """Kill the workers whose jobs exceed a limit; checked at most once a tick."""
        clock = time.monotonic()
        if clock < self.checked + _TICK_SECONDS:
            return
        self.checked = clock
        for worker in self.workers.values():
            if worker.job is None or worker.has_answered or worker.exceeded:
                continue
            limits = worker.job.limits
            if clock > worker.deadline:
                what = f"was stopped at the time limit of {limits.time:g} s"
                worker.exceeded = "timeout", "TimeoutError", what
            elif limits.memory and _exceeds(worker.pid, limits.memory):
                what = f"the memory limit of {limits.memory / 2**20:.0f} MiB; it was killed"
                worker.exceeded = "out-of-memory", "MemoryError", f"needs more than {what}"
            if worker.exceeded:
                kill_tree(worker.pid)

    def sweep(self, keep: Collection[int]) -> None:
        """Kill all children except the workers in ``keep``."""
        end = time.monotonic() + 1.0
        while (left := _children(os.getpid()) - {*keep}) and time.monotonic() < end:
            for pid in left:
                _kill(pid)
                _exit_code(pid)


def _load_kernels(job: Job) -> None:
    """Load kernels that a worker has compiled, for all workers that are forked later.

    Code of plugins stays out of this process, even if a plugin is given that the run does not need.
    """
    compile_kernels(replace(job, plugins=()))
    with contextlib.suppress(BoostbenchError):
        catalog(job.data_dirs)
    gc.collect()
    gc.freeze()


def _exceeds(pid: int, limit: int) -> bool:
    """Return whether a process and its descendants use more than ``limit`` bytes."""
    tree = [pid]
    for each in tree:
        tree += _children(each)
    if sum(_memory(each, "rss") for each in tree) <= limit:
        return False
    # The sum of resident memory counts shared memory more than once.
    return len(tree) == 1 or sum(_memory(each, "pss") for each in tree) > limit


def _memory(pid: int, kind: str) -> int:
    try:
        process = psutil.Process(pid)
        if kind == "rss":
            return int(process.memory_info().rss)
        full = process.memory_full_info()
        return int(getattr(full, "pss", full.uss))
    except psutil.Error:
        return 0


def kill_tree(pid: int) -> None:
    """Kill a worker and its processes; on Linux, any that remain become children of the server."""
    if not environment.IS_LINUX:
        with contextlib.suppress(psutil.Error):
            for process in psutil.Process(pid).children(recursive=True):
                _kill(process.pid)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    _kill(pid)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _exit_code(pid: int) -> int | None:
    """Return the exit code of a child process, or None while it runs."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if ended else None


def _children(pid: int) -> set[int]:
    """Return the ids of the children of a process."""
    with contextlib.suppress(OSError, psutil.Error):
        if not environment.IS_LINUX:
            return {child.pid for child in psutil.Process(pid).children()}
        tasks = Path(f"/proc/{pid}/task").glob("*/children")
        return {int(word) for task in tasks for word in task.read_text("ascii").split()}
    return set()


def in_words(exit_code: int) -> str:
    """Return an exit code as text; a negative one is a signal."""
    if exit_code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-exit_code).name}"
        return f"signal {-exit_code}"
    return f"exit code {exit_code}"


def _work(channel: socket.socket, output: socket.socket) -> NoReturn:
    """Carry out one job after the other; the main loop of a worker."""
    try:
        own_pid = os.getpid()
        os.setsid()
        environment.die_with_parent()
        environment.adopt_orphans()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        output.close()
        requests = channel.makefile("rb")
        while True:
            answer = _answer(pickle.load(requests))
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            if os.getpid() != own_pid:  # a booster forked, and the child returned here
                break
            channel.sendall(answer)
    finally:
        os._exit(1)


def _answer(job: Job) -> bytes:
    if job.is_warm_up:
        compile_kernels(job)
        return _RETIRE + b"\n"
    record = perform(job)
    is_clean = record.status in ("ok", "skipped") and not executed_plugins()
    return (_AGAIN if is_clean else _RETIRE) + encode(record)
