"""The process that workers are forked from; it starts runs, holds their limits and ends them.

It has all libraries loaded and the boosters' kernels warm. A worker does one run after the other
as long as they are ``ok`` and made of this package's code alone; otherwise the next run gets a new
process, so that nothing a run changed, left open or used up reaches another. Whatever a run has
started ends with it.

Each worker has its own pipes and the server waits for all of them in one loop, without threads
or locks: if one of them is killed, at any moment, the others go on.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import os
import re
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import NoReturn

import psutil

from boostbench import registry
from boostbench.data import catalog
from boostbench.errors import BoostbenchError
from boostbench.experiments.running import environment
from boostbench.experiments.running.worker import LOG_LINES, Job, compile_kernels, perform
from boostbench.experiments.store.identity import is_own_code
from boostbench.experiments.store.records import encode
from boostbench.experiments.store.versions import versions

#: A server may be lost so often with one run under way, at last with that run alone.
MOST_LOSSES = 3
_TICK_SECONDS = 0.2
_CHUNK = 2**16
_MOST_CHUNKS = 16
_LOG_BYTES = 10_000
#: First byte of an answer: may its worker do another run?
_AGAIN, _RETIRE = b"+", b"-"
#: A worker tells before its answer how many rounds it has done, no oftener than this.
_ROUNDS = re.compile(rb"=(\d{1,9})\n")
_TELL_SECONDS = 0.5


@dataclass
class Task:
    """A job for a worker, or jobs whose kernels are to be compiled.

    Attributes
    ----------
    number : int
        Told again with its end.
    job : Job or tuple of Job
    started : str
        When its worker began; empty: it waits.
    losses : int
        Servers lost while it was under way.
    rounds : int
        Rounds done, as last told.
    """

    number: int
    job: Job | tuple[Job, ...]
    started: str = ""
    losses: int = 0
    rounds: int = 0

    @property
    def alone(self) -> bool:
        """True if no other run may go on meanwhile."""
        return self.losses >= MOST_LOSSES - 1


@dataclass(frozen=True)
class Ending:
    """The start or end of a task, or how far it is.

    Attributes
    ----------
    number : int
    kind : {"started", "rounds", "done", "died", "timeout", "memory"}
        ``rounds`` comes with their number and ``done`` with an answer; a worker that died gave
        none.
    exit_code : int
        Of a worker that died; negative for a signal.
    log : tuple of str
        Last lines of output.
    answer : bytes
        The record, encoded.
    rounds : int
        Rounds done.
    """

    number: int
    kind: str
    exit_code: int = 0
    log: tuple[str, ...] = ()
    answer: bytes = b""
    rounds: int = 0


def serve(descriptor: int, jobs: int) -> None:
    """Carry out the tasks that come over a socket until it is closed; the process's main loop."""
    faulthandler.enable()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    environment.adopt_orphans()
    environment.limit_threads(1)
    for remember in (versions, environment.host, environment.threads):
        remember()
    gc.collect()
    gc.freeze()
    _Server(Connection(descriptor), jobs).work()
    os._exit(0)


class _Worker:
    """A forked process, seen from the server.

    Attributes
    ----------
    pid : int
        Also its session and process group.
    task : Task or None
        The job under way.
    answer : bytearray
        Part of the answer that has been read.
    verdict : str
        The limit that it was killed for.
    """

    def __init__(self, inherited: Sequence[int]) -> None:
        requests, self._requests = Pipe(duplex=False)
        answers, output = os.pipe(), os.pipe()
        ours = (self._requests.fileno(), answers[0], output[0])
        theirs = (requests.fileno(), answers[1], output[1])
        try:
            self.pid = os.fork()
        except OSError:
            for descriptor in (*ours, *theirs[1:]):
                os.close(descriptor)
            raise
        if not self.pid:
            for descriptor in (*inherited, *ours):
                os.close(descriptor)
            _work(requests, answers[1], output[1])
        requests.close()
        for descriptor in theirs[1:]:
            os.close(descriptor)
        self.answers, self.output = answers[0], output[0]
        self.sources = {self.answers, self.output}
        for descriptor in self.sources:
            os.set_blocking(descriptor, False)
        self.task: Task | None = None
        self.answer = bytearray()
        self.verdict = ""
        self._deadline = math.inf
        self._log = b""

    def start(self, task: Task) -> None:
        """Give the worker, which has none, a task."""
        self._log = b""
        self.task = task
        limit = task.job.time_limit if isinstance(task.job, Job) else None
        self._deadline = time.monotonic() + (limit or math.inf)
        with contextlib.suppress(OSError):  # it has died, which shows soon
            self._requests.send(task.job)

    def listen(self) -> None:
        """Take what the worker wrote, without waiting; of its output the last part."""
        self.answer += self._read(self.answers)
        while told := _ROUNDS.match(self.answer):
            self.answer = self.answer[told.end() :]
            if self.task is not None:
                self.task.rounds = int(told[1])
        self._log = (self._log + self._read(self.output))[-_LOG_BYTES:]

    def _read(self, descriptor: int) -> bytes:
        """Return what there is to read, and remember if nothing more can come."""
        parts = []
        with contextlib.suppress(BlockingIOError):
            for _ in range(_MOST_CHUNKS):
                parts.append(os.read(descriptor, _CHUNK))
                if not parts[-1]:
                    self.sources.discard(descriptor)
                    break
        return b"".join(parts)

    @property
    def has_answered(self) -> bool:
        """True if the whole answer is there."""
        return self.answer.endswith(b"\n")

    def ending(self, kind: str, exit_code: int = 0) -> Ending:
        """Return the end of the task, and forget it."""
        assert self.task is not None
        log = tuple(self._log.decode("utf-8", "replace").splitlines()[-LOG_LINES:])
        ended = Ending(self.task.number, kind, exit_code, log, bytes(self.answer[1:]))
        self.task = None
        self.answer.clear()
        return ended

    def is_over(self, memory: _Memory) -> bool:
        """Return whether the task is beyond a limit; `verdict` then says which."""
        if self.task is None or self.has_answered or self.verdict:
            return False
        limit = self.task.job.memory_limit if isinstance(self.task.job, Job) else None
        if time.monotonic() > self._deadline:
            self.verdict = "timeout"
        elif limit is not None and memory.is_over(self.pid, limit):
            self.verdict = "memory"
        return bool(self.verdict)

    @property
    def descriptors(self) -> tuple[int, int, int]:
        """Descriptors that this process has open for the worker."""
        return self._requests.fileno(), self.answers, self.output

    def close(self) -> None:
        """Close the pipes."""
        self._requests.close()
        os.close(self.answers)
        os.close(self.output)


class _Server:
    def __init__(self, client: Connection, jobs: int) -> None:
        self.client = client
        self.jobs = jobs
        self.waiting: deque[Task] = deque()
        self.workers: dict[int, _Worker] = {}
        self.memory = _Memory()
        self.woken, waker = os.pipe()
        for descriptor in (self.woken, waker):
            os.set_blocking(descriptor, False)
        self.own = (self.woken, waker, client.fileno())
        signal.set_wakeup_fd(waker)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def work(self) -> None:
        """Carry out tasks until the client is gone."""
        try:
            while True:
                self.assign()
                self.listen()
                self.reap()
                for worker in self.workers.values():
                    if worker.is_over(self.memory):
                        kill_tree(worker.pid)
        except (EOFError, ConnectionError):
            for pid in self.workers:
                kill_tree(pid)
            self.sweep(keep=())

    def assign(self) -> None:
        """Start waiting tasks while there is room."""
        while self.waiting:
            busy = [worker.task for worker in self.workers.values() if worker.task is not None]
            apart = self.waiting[0].alone or any(task.alone for task in busy)
            if len(busy) >= (1 if apart else self.jobs):
                return
            idle = (worker for worker in self.workers.values() if worker.task is None)
            worker = next(idle, None) or self.new_worker()
            if worker is None:
                return
            task = self.waiting.popleft()
            worker.start(task)
            self.client.send(Ending(task.number, "started"))

    def new_worker(self) -> _Worker | None:
        """Return a new worker; None if the system has no room for one just now."""
        others = [fd for worker in self.workers.values() for fd in worker.descriptors]
        try:
            worker = _Worker([*self.own, *others])
        except OSError:
            if not self.workers:
                raise
            return None  # until another has ended
        self.workers[worker.pid] = worker
        return worker

    def listen(self) -> None:
        """Wait for messages and output, and read them."""
        sources = {fd: worker for worker in self.workers.values() for fd in worker.sources}
        is_busy = any(worker.task is not None for worker in self.workers.values())
        timeout = _TICK_SECONDS if is_busy or self.waiting else None
        ready = wait([self.client, self.woken, *sources], timeout)
        if self.client in ready:
            self.waiting.append(self.client.recv())
        if self.woken in ready:
            os.read(self.woken, _CHUNK)
        for worker in {sources[fd].pid: sources[fd] for fd in ready if fd in sources}.values():
            before = worker.task.rounds if worker.task is not None else 0
            worker.listen()
            if worker.task is not None and worker.task.rounds > before:
                self.tell_rounds(worker.task)
            if worker.task is not None and worker.has_answered:
                if worker.answer.startswith(_AGAIN):
                    self.client.send(worker.ending("done"))
                else:
                    kill_tree(worker.pid)  # its answer is told when nothing is left of it

    def tell_rounds(self, task: Task) -> None:
        """Tell the client how far a task is, unless it does not listen just now."""
        if select.select([], [self.client], [], 0)[1]:
            self.client.send(Ending(task.number, "rounds", rounds=task.rounds))

    def reap(self) -> None:
        """Remove workers that have ended, with the processes that they started."""
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
            kind = "done" if worker.has_answered else worker.verdict or "died"
            if not isinstance(task.job, Job) and worker.has_answered:
                # What was compiled is now on the disk. Other code stays out of this process, that
                # of plugins which these runs do not need too.
                own = [replace(job, plugins=()) for job in task.job if is_own_code(job.run)]
                compile_kernels(own)
                for data_dirs in {job.data_dirs for job in task.job}:
                    with contextlib.suppress(BoostbenchError):
                        catalog(data_dirs)
                gc.collect()
                gc.freeze()
            self.client.send(worker.ending(kind, code))

    def sweep(self, keep: Collection[int]) -> None:
        """Kill children other than workers: what ended workers left."""
        end = time.monotonic() + 1.0
        while (left := _children() - {*keep}) and time.monotonic() < end:
            for pid in left:
                _kill(pid)
                _exit_code(pid)


class _Memory:
    """The memory of process trees; all processes are looked through at most once a tick."""

    def __init__(self) -> None:
        self._looked = 0.0
        self._children: dict[int, list[psutil.Process]] = {}

    def is_over(self, pid: int, limit: int) -> bool:
        """Return whether a process and all it started hold more than ``limit`` bytes together."""
        self._look()
        tree = [psutil.Process(pid)] if psutil.pid_exists(pid) else []
        for process in tree:
            tree += self._children.get(process.pid, ())
        if sum(_memory(process, "rss") for process in tree) <= limit:
            return False
        # Resident memory counts what several share several times.
        return len(tree) == 1 or sum(_memory(process, "pss") for process in tree) > limit

    def _look(self) -> None:
        if time.monotonic() - self._looked < _TICK_SECONDS:
            return
        self._looked = time.monotonic()
        self._children.clear()
        for process in psutil.process_iter(["ppid"]):
            self._children.setdefault(process.info["ppid"], []).append(process)


def _memory(process: psutil.Process, kind: str) -> int:
    try:
        if kind == "rss":
            return int(process.memory_info().rss)
        full = process.memory_full_info()
        return int(getattr(full, "pss", full.uss))
    except psutil.Error:
        return 0


def kill_tree(pid: int) -> None:
    """Kill a worker and what it started; on Linux what escapes this becomes the server's child."""
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
    """Return the exit code of a child; None while it runs."""
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if ended else None


def _children() -> set[int]:
    """Return the children of this process, which has one thread."""
    pid = os.getpid()
    try:
        text = Path(f"/proc/self/task/{pid}/children").read_text(encoding="ascii")
        return {int(word) for word in text.split()}
    except OSError:
        return {child.pid for child in psutil.Process(pid).children()}


def _work(requests: Connection, answers: int, output: int) -> NoReturn:
    """Do one job after the other; the main function of a worker."""
    try:
        own = os.getpid()
        os.setsid()
        environment.die_with_parent()
        environment.adopt_orphans()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        while True:
            answer = _answer(requests.recv(), answers)
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            if os.getpid() != own:  # a booster forked, and both came back
                break
            _write(answers, answer)
    finally:
        os._exit(1)


def _answer(job: Job | tuple[Job, ...], answers: int) -> bytes:
    if not isinstance(job, Job):
        compile_kernels(job)
        return _RETIRE + b"\n"
    own, last = os.getpid(), time.monotonic()

    def tell(rounds: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_SECONDS and os.getpid() == own:
            last = time.monotonic()
            _write(answers, b"=%d\n" % rounds)

    record = perform(job, tell=tell)
    is_clean = record.status in ("ok", "skipped") and not registry.has_foreign_code()
    return (_AGAIN if is_clean else _RETIRE) + encode(record)


def _write(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
