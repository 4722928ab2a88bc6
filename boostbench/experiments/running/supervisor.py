"""Supervisors: processes that do one run at a time in a worker process, and enforce its limits.

A server process has all libraries loaded; supervisors are forked from it, one for each run that may
be in progress, and each forks its worker. A worker does one run after the other as long as they end
``ok`` and use only code of this package. Otherwise the next run gets a new worker, so that no run
is affected by what another changed, left open or used up. The processes started by a run end with
the run, and all end when the client, which sends the runs, closes its connections or dies.
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
from collections.abc import Iterable
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NoReturn

import psutil

from boostbench import inputs
from boostbench.experiments.running import environment
from boostbench.experiments.running.worker import LOG_LINES, Job, failure, now, perform
from boostbench.experiments.store.identity import PIPELINE, is_own_code
from boostbench.experiments.store.record import Record, versions
from boostbench.experiments.store.records import decode, encode

#: Modules that are loaded once, before supervisors are forked.
_PRELOADED = "sklearn.datasets", "boostbench.boosters", PIPELINE
_TICK_SECONDS = 0.2
#: Without work for longer between two ticks, this process was suspended; no limit counts that.
_SUSPENDED_SECONDS = 2.0
_MOST_FORKS = 300
_CHUNK, _MOST_PARTS = 2**20, 16
_LOG_BYTES = 10_000
#: First byte of an answer: whether the worker may do another run.
_AGAIN, _RETIRE = b"+", b"-"
#: Signals that end all processes of a batch job; supervisors end with the client instead.
_FOR_ALL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FOR_ALL_SECONDS = 0.5


def serve(descriptor: int) -> NoReturn:
    """Fork a supervisor for each connection received over a socket, until it is closed."""
    inputs.watch()
    for module in _PRELOADED:
        import_module(module)
    faulthandler.enable()
    for number in _FOR_ALL:
        signal.signal(number, signal.SIG_IGN)
    environment.adopt_orphans()
    versions()
    environment.host()
    gc.collect()
    gc.freeze()
    supervisors = set()
    with socket.socket(fileno=descriptor) as client:
        while descriptors := socket.recv_fds(client, 1, 1)[1]:
            if not (pid := _fork()):
                client.close()
                _supervise(Connection(descriptors[0]))
            supervisors.add(pid)
            os.close(descriptors[0])
    with contextlib.suppress(ChildProcessError):
        while True:  # until supervisors, and what lost ones left, have ended
            for pid in _children(os.getpid()) - supervisors:
                _kill(pid)
            os.wait()
    os._exit(0)


def _supervise(client: Connection) -> NoReturn:
    """Do the runs that the client sends, one after the other, until it closes the connection."""
    from boostbench.experiments.running.warm_up import warm_up

    environment.adopt_orphans()
    worker = None
    with contextlib.suppress(EOFError, ConnectionError):
        client.send(None)  # what ends this process from now on is not the end of the server
        while True:
            job: Job = client.recv()
            # Without limits, compile or load what the run needs of this package.
            if is_new := is_own_code(job.run) and warm_up(job.run):
                gc.collect()
                gc.freeze()
            if worker is not None and (is_new or worker.has_ended()):
                worker.end()
                worker = None
            worker = worker or _Worker(client)
            client.send(worker.do(job))
    if worker is not None:
        worker.end()
    os._exit(0)


class _Worker:
    """A worker process, seen from its supervisor.

    Attributes
    ----------
    pid : int
        Process id, also the id of its session and process group.
    exit_code : int or None
        None while it runs.
    """

    def __init__(self, client: Connection) -> None:
        self._client = client
        self._channel, channel = socket.socketpair()
        self._output, output = socket.socketpair()
        with channel, output:  # the ends of the worker
            self.pid = _fork()
            if not self.pid:
                for end in (client, self._channel, self._output):
                    end.close()
                _work(channel, output)
        self._sources = {self._channel, self._output}
        self.exit_code: int | None = None

    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        if self.exit_code is None:
            self.exit_code = _exit_code(self.pid)
        return self.exit_code is not None

    def do(self, job: Job) -> Record:
        """Carry out a job and return its record; end the worker unless it may do another one.

        Raises
        ------
        EOFError
            If the client closes the connection meanwhile.
        """
        self._answer, self._log = bytearray(), b""
        started, exceeded, idle = now(), None, time.monotonic() - time.process_time()
        deadline = time.monotonic() + (job.limits.time or math.inf)
        with contextlib.suppress(OSError):  # the worker has died
            self._channel.sendall(pickle.dumps(job))
        while not self._answer.endswith(b"\n") and not self.has_ended():
            ready = wait([self._client, *self._sources], _TICK_SECONDS)
            before, idle = idle, time.monotonic() - time.process_time()
            if idle - before > _SUSPENDED_SECONDS:  # with the whole job
                deadline += idle - before
            if self._client in ready:
                self._client.recv()
            self._read(ready)
            if exceeded is None and (exceeded := self._exceeded(job, deadline)):
                kill_tree(self.pid)
        is_whole = self._answer.endswith(b"\n")
        if not (is_whole and self._answer.startswith(_AGAIN)):
            self._kill()
        for _ in range(_MOST_PARTS):  # an endless output is cut
            self._read(wait([*self._sources], 0))
        log = tuple(self._log.decode("utf-8", "replace").splitlines()[-LOG_LINES:])
        if is_whole:
            return _record(job, bytes(self._answer[1:]), log, started)
        exit_code = self.exit_code or 0
        if exceeded is None and -exit_code in _FOR_ALL:
            time.sleep(_FOR_ALL_SECONDS)  # the client may be ended by the same signal
        died = f"the worker process ended with {in_words(exit_code)}"
        status, kind, message = exceeded or ("killed", "ProcessExpired", died)
        return failure(job, status, kind, message, started, log)

    def end(self) -> None:
        """End the worker and the processes that it started."""
        self._kill()
        self._channel.close()
        self._output.close()

    def _kill(self) -> None:
        """Kill the worker, and then all children, which are what it started."""
        if not self.has_ended():
            kill_tree(self.pid)
        end = time.monotonic() + 1.0
        while (left := _children(os.getpid())) and time.monotonic() < end:
            for pid in left:
                _kill(pid)
                _exit_code(pid)

    def _read(self, ready: Iterable[Any]) -> None:
        """Read answer and output where they are ready; keep the end of the output."""
        for source in self._sources.intersection(ready):
            try:
                part = source.recv(_CHUNK)
            except ConnectionError:  # the worker died before it read the job
                part = b""
            if not part:
                self._sources.discard(source)
            elif source is self._channel:
                self._answer += part
            else:
                self._log = (self._log + part)[-_LOG_BYTES:]

    def _exceeded(self, job: Job, deadline: float) -> tuple[str, str, str] | None:
        """Return status, kind and message of a failure if a limit is exceeded."""
        limits = job.limits
        if time.monotonic() > deadline:
            return "timeout", "TimeoutError", f"was stopped at the time limit of {limits.time:g} s"
        if limits.memory and _memory(self.pid) > limits.memory:
            what = f"the memory limit of {limits.memory / 2**20:.0f} MiB; it was killed"
            return "out-of-memory", "MemoryError", f"needs more than {what}"
        return None


def _record(job: Job, answer: bytes, log: tuple[str, ...], started: str) -> Record:
    """Return the record in an answer, whose error gets the output before its traceback."""
    try:
        record = decode(answer, Path(f"{job.key}.json"), Record)
    except (ValueError, LookupError, TypeError) as error:
        return failure(job, "failed", type(error).__name__, str(error), started, log)
    if record.error is None:
        return record
    lines = [*log, *record.error.log_tail][-LOG_LINES:]
    return record.model_copy(update={"error": record.error.model_copy(update={"log_tail": lines})})


def _fork() -> int:
    """Fork, as soon as the system can start another process."""
    for _ in range(_MOST_FORKS):
        with contextlib.suppress(OSError):
            return os.fork()
        time.sleep(_TICK_SECONDS)
    os._exit(os.EX_OSERR)


def _memory(pid: int) -> int:
    """Return the bytes that a process and its descendants use; shared memory counts once."""
    total, tree = 0, [pid]
    for each in tree:
        tree += _children(each)
        with contextlib.suppress(psutil.Error):
            used = psutil.Process(each).memory_full_info()
            total += getattr(used, "pss", used.uss)
    return total


def kill_tree(pid: int) -> None:
    """Kill a worker and its processes; on Linux, any that remain become children of its parent."""
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
        for number in _FOR_ALL:
            signal.signal(number, signal.SIG_DFL)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        output.close()
        requests = channel.makefile("rb")
        while True:
            record = perform(pickle.load(requests))
            is_clean = record.status in ("ok", "skipped") and not inputs.executed_plugins()
            answer = (_AGAIN if is_clean else _RETIRE) + encode(record)
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            if os.getpid() != own_pid:  # a booster forked, and the child returned here
                break
            channel.sendall(answer)
    finally:
        os._exit(1)
