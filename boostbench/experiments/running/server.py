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
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

import psutil

from boostbench import registry
from boostbench.data import catalog
from boostbench.errors import BoostbenchError
from boostbench.experiments.running import environment
from boostbench.experiments.running.worker import LOG_LINES, Job, compile_kernels, perform
from boostbench.experiments.store.identity import Key, is_own_code
from boostbench.experiments.store.records import encode
from boostbench.experiments.store.versions import versions

#: Maximum losses of a server during one run; the last attempt executes that run alone.
MOST_LOSSES = 3
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


@dataclass
class Task:
    """A job for a worker.

    Attributes
    ----------
    job : Job
    started : str
        Time at which a worker started it; empty while the task waits.
    losses : int
        Number of servers lost while the task was in progress.
    """

    job: Job
    started: str = ""
    losses: int = 0

    @property
    def alone(self) -> bool:
        """True if the run must be the only one in progress."""
        return self.losses >= MOST_LOSSES - 1


@dataclass(frozen=True)
class TaskUpdate:
    """Message from the server about the start or end of a task.

    Attributes
    ----------
    key : Key
        Key of the job.
    kind : {"started", "done", "died", "timeout", "memory", "lost"}
        ``timeout`` and ``memory``: the worker was killed for exceeding a limit. ``died``: it ended
        without an answer for another reason. ``lost``: the server ended; not sent by it.
    exit_code : int
        Exit code of a worker that died; negative for a signal.
    log : tuple of str
        Last lines of output.
    answer : bytes
        The encoded record, for ``done``.
    """

    key: Key
    kind: str
    exit_code: int = 0
    log: tuple[str, ...] = ()
    answer: bytes = b""


def serve(descriptor: int, jobs: int) -> None:
    """Carry out tasks received over a socket until it is closed, then exit the process."""
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
    task : Task or None
        Task in progress.
    answer : bytearray
        Answer as far as it has been read.
    exceeded : str
        Kind of the limit that the task exceeded, or empty.
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
        self.task: Task | None = None
        self.answer = bytearray()
        self.exceeded = ""
        self.deadline = math.inf
        self._log = b""

    def start(self, task: Task) -> None:
        """Send a task to the idle worker."""
        self._log = b""
        self.task = task
        self.deadline = time.monotonic() + (task.job.limits.time or math.inf)
        with contextlib.suppress(OSError):  # the worker has died; `reap` notices
            self.channel.sendall(pickle.dumps(task.job))

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
    def memory_limit(self) -> int | None:
        """Limit of the task in progress, in bytes."""
        return None if self.task is None else self.task.job.limits.memory

    @property
    def has_answered(self) -> bool:
        """True if the answer is complete."""
        return self.answer.endswith(b"\n")

    def end_task(self, kind: str, exit_code: int = 0) -> TaskUpdate:
        """Forget the task and return the message that it has ended."""
        assert self.task is not None
        log = tuple(self._log.decode("utf-8", "replace").splitlines()[-LOG_LINES:])
        update = TaskUpdate(self.task.job.key, kind, exit_code, log, bytes(self.answer[1:]))
        self.task = None
        self.answer.clear()
        return update

    def close(self) -> None:
        """Close the ends of this process."""
        self.channel.close()
        self.output.close()


class _Server:
    def __init__(self, client: Connection, jobs: int) -> None:
        self.client = client
        self.jobs = jobs
        self.waiting: deque[Task] = deque()
        self.workers: dict[int, _Worker] = {}
        self.checked = 0.0  # time at which the limits were checked
        self.woken, self.waker = socket.socketpair()
        self.waker.setblocking(False)
        signal.set_wakeup_fd(self.waker.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def work(self) -> None:
        """Carry out tasks until the client closes the connection."""
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
        """Start waiting tasks while workers are available."""
        while self.waiting:
            busy = [worker.task for worker in self.workers.values() if worker.task is not None]
            is_alone = self.waiting[0].alone or any(task.alone for task in busy)
            if len(busy) >= (1 if is_alone else self.jobs):
                return
            idle = (worker for worker in self.workers.values() if worker.task is None)
            worker = next(idle, None) or self.new_worker()
            if worker is None:
                return
            task = self.waiting.popleft()
            worker.start(task)
            self.client.send(TaskUpdate(task.job.key, "started"))

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
        is_busy = any(worker.task is not None for worker in self.workers.values())
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
            if worker.task is not None and worker.has_answered:
                if worker.answer.startswith(_AGAIN):
                    self.client.send(worker.end_task("done"))
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
            task = worker.task
            if task is None:
                continue
            kind = "done" if worker.has_answered else worker.exceeded or "died"
            if kind == "died" and -code in _FOR_ALL:
                time.sleep(_FOR_ALL_SECONDS)  # the client may be ended by the same signal
            if kind == "done" and task.job.is_warm_up:
                _load_kernels(task.job)
            self.client.send(worker.end_task(kind, code))

    def enforce_limits(self) -> None:
        """Kill the workers whose tasks exceed a limit; checked at most once a tick."""
        clock = time.monotonic()
        if clock < self.checked + _TICK_SECONDS:
            return
        self.checked = clock
        children: dict[int, list[psutil.Process]] = {}
        if any(worker.memory_limit for worker in self.workers.values()):
            for process in psutil.process_iter(["ppid"]):
                children.setdefault(process.info["ppid"], []).append(process)
        for worker in self.workers.values():
            if worker.task is None or worker.has_answered or worker.exceeded:
                continue
            if clock > worker.deadline:
                worker.exceeded = "timeout"
            elif worker.memory_limit and _exceeds(worker.pid, worker.memory_limit, children):
                worker.exceeded = "memory"
            if worker.exceeded:
                kill_tree(worker.pid)

    def sweep(self, keep: Collection[int]) -> None:
        """Kill all children except the workers in ``keep``."""
        end = time.monotonic() + 1.0
        while (left := _children() - {*keep}) and time.monotonic() < end:
            for pid in left:
                _kill(pid)
                _exit_code(pid)


def _load_kernels(job: Job) -> None:
    """Load kernels that a worker has compiled, for all workers that are forked later.

    Code of plugins stays out of this process, even if a plugin is given that the run does not need.
    """
    if is_own_code(job.run):
        compile_kernels(replace(job, plugins=()))
    with contextlib.suppress(BoostbenchError):
        catalog(job.data_dirs)
    gc.collect()
    gc.freeze()


def _exceeds(pid: int, limit: int, children: Mapping[int, Sequence[psutil.Process]]) -> bool:
    """Return whether a process and its descendants use more than ``limit`` bytes."""
    tree = [psutil.Process(pid)] if psutil.pid_exists(pid) else []
    for process in tree:
        tree += children.get(process.pid, ())
    if sum(_memory(process, "rss") for process in tree) <= limit:
        return False
    # The sum of resident memory counts shared memory more than once.
    return len(tree) == 1 or sum(_memory(process, "pss") for process in tree) > limit


def _memory(process: psutil.Process, kind: str) -> int:
    try:
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


def _children() -> set[int]:
    """Return the ids of the children of this process, which has a single thread."""
    pid = os.getpid()
    try:
        text = Path(f"/proc/self/task/{pid}/children").read_text(encoding="ascii")
        return {int(word) for word in text.split()}
    except OSError:
        return {child.pid for child in psutil.Process(pid).children()}


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
    is_clean = record.status in ("ok", "skipped") and not registry.has_foreign_code()
    return (_AGAIN if is_clean else _RETIRE) + encode(record)
