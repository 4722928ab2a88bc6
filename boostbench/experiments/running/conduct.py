"""Carry out a plan: send runs to an executor, write the records, report events."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.errors import BoostbenchError, unknown
from boostbench.experiments.configs.fields import Limits
from boostbench.experiments.planning.plans import PlannedRun
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.running.executors import Executor, InlineExecutor, LocalExecutor
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.interrupts import interruptible, uninterrupted
from boostbench.experiments.store.locks import RunLocks
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import RecordStore
from boostbench.threads import n_cores

_TICK_SECONDS = 0.5


@dataclass
class Progress:
    """Progress of the work on a plan, passed to ``on_event``, and finally the outcome.

    Attributes
    ----------
    total : int
        Runs to do.
    counts : dict
        Number of finished runs by status.
    failures : list of (PlannedRun, record)
        Runs whose status is not ``ok``.
    running : tuple of PlannedRun
        Runs in progress.
    seconds : float
        Time since the start.
    warm : tuple of (float, int)
        When as many runs had ended as processes work, most of which compiled: time and number.
    interrupted : bool
        True if Ctrl-C ended the work.
    untouched : tuple of PlannedRun
        Runs of the experiment outside the plan, with their earlier statuses.
    notice : str
        Current message of the executor, or that all runs left are those of another process.
    kind : {"started", "finished", "tick"}
        The last step; ``tick`` about twice a second while no run finishes.
    planned : PlannedRun or None
        The run that started or finished last.
    record : Record or None
        The record of the run, if it finished.
    """

    total: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[PlannedRun, Record]] = field(default_factory=list)
    running: tuple[PlannedRun, ...] = ()
    seconds: float = 0.0
    warm: tuple[float, int] = (0.0, 0)
    interrupted: bool = False
    untouched: tuple[PlannedRun, ...] = ()
    notice: str = ""
    kind: str = "tick"
    planned: PlannedRun | None = None
    record: Record | None = None

    @property
    def done(self) -> int:
        """Number of finished runs."""
        return sum(self.counts.values())

    @property
    def n_left(self) -> int:
        """Number of unfinished runs."""
        return self.total - self.done

    @property
    def remaining(self) -> float:
        """Estimated time until the end, in seconds; NaN if there is no estimate yet."""
        seconds, done = self.seconds - self.warm[0], self.done - self.warm[1]
        return seconds / done * self.n_left if done else math.nan


def make_executor(
    name: str, data_dirs: Sequence[str | Path], jobs: int | None, limits: Limits
) -> Executor:
    """Return an executor; see `Experiment.run` for the arguments.

    Raises
    ------
    BoostbenchError
        If there is no such executor, or an argument does not apply to it.
    """
    if jobs is not None and jobs < 1:
        raise BoostbenchError(f"must be at least 1, found {jobs}", where="--jobs")
    if jobs and name != "local":
        what = "is for worker processes on this machine; leave it out"
        raise BoostbenchError(what, where="--jobs")
    if name == "local":
        return LocalExecutor(jobs or max(n_cores() // (limits.threads or 1), 1), data_dirs, limits)
    if "://" in name:
        return DaskExecutor(name, data_dirs, limits)
    if name != "inline":
        known = ("local", "inline", "tcp://host:8786")
        raise BoostbenchError(unknown("executor", name, known), where="--executor")
    return InlineExecutor(data_dirs, limits)


def run_plan(
    todo: Sequence[PlannedRun],
    store: RecordStore,
    executor: Executor,
    *,
    on_event: Callable[[Progress], None] | None = None,
    progress: Progress | None = None,
) -> Progress:
    """Carry out runs and write each record to disk as soon as its run ends.

    Parameters
    ----------
    todo : sequence of PlannedRun
        Runs, in the order in which they start.
    store : RecordStore
    executor : Executor
        The caller shuts it down; here only an interruption does, to stop the runs in progress.
    on_event : callable or None, default=None
    progress : Progress or None, default=None
        Of earlier plans, to be continued.

    Returns
    -------
    progress : Progress
        Also returned after Ctrl-C: finished runs are kept, runs in progress are dropped.

    Raises
    ------
    BoostbenchError
        If records cannot be written.
    """
    store.prepare()
    progress = progress or Progress()
    conductor = _Conductor(deque(todo), store, executor, on_event, progress)
    with interruptible(), closing(conductor.locks):
        try:
            conductor.work()
        except KeyboardInterrupt:
            progress.interrupted = True
            with uninterrupted():
                conductor.collect(0)
                executor.shutdown()
    progress.running = ()
    return progress


@dataclass
class _Conductor:
    waiting: deque[PlannedRun]
    store: RecordStore
    executor: Executor
    on_event: Callable[[Progress], None] | None
    progress: Progress
    running: dict[Key, PlannedRun] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.progress.total += len(self.waiting)
        self.start_time = time.monotonic() - self.progress.seconds
        self.locks = RunLocks(self.store.folder)
        # A record of another time was written by another process since the plan was made.
        planned = (planned for planned in self.waiting if planned.recorded == planned.key)
        self.written = {each.key: _time_of(self.path(each)) for each in planned}

    def work(self) -> None:
        while self.waiting or self.running:
            for _ in range(len(self.waiting)):
                if len(self.running) >= self.executor.jobs:
                    break
                self.start(self.waiting.popleft())
            n_before = self.progress.done
            if self.running:
                self.collect(_TICK_SECONDS)
            elif self.waiting:  # all are locked
                time.sleep(_TICK_SECONDS)
            if self.progress.done == n_before:
                self.notify("tick")

    def start(self, planned: PlannedRun) -> None:
        """Start a run, unless another process has finished it, or works on it: then it waits."""
        if not self.locks.take(planned.key):
            self.waiting.append(planned)
            return
        is_new = _time_of(self.path(planned)) not in (0, self.written.get(planned.key))
        if is_new and (record := self.store.read(self.path(planned))) is not None:
            self.count(planned, record)
            return
        self.running[planned.key] = planned
        self.notify("started", planned)
        self.executor.submit(planned.run, planned.key, self.progress.n_left)

    def path(self, planned: PlannedRun) -> Path:
        return self.store.path_of(planned.run.data.name, planned.key)

    def collect(self, timeout: float) -> None:
        """Wait until a run ends, and write the records of those that have, uninterrupted."""
        with uninterrupted():
            for record in self.executor.ended(timeout):
                planned = self.running.pop(record.key)
                # Skipped and stale runs are always tried again, so they are not stored.
                if record.status not in ("skipped", "stale"):
                    self.store.write(record)
                self.count(planned, record)

    def count(self, planned: PlannedRun, record: Record) -> None:
        """Count a finished run and release its lock."""
        self.locks.release(planned.key)
        counts = self.progress.counts
        counts[record.status] = counts.get(record.status, 0) + 1
        if record.status != "ok":
            self.progress.failures.append((planned, record))
        self.notify("finished", planned, record)

    def notify(
        self, kind: str, planned: PlannedRun | None = None, record: Record | None = None
    ) -> None:
        progress = self.progress
        progress.seconds = time.monotonic() - self.start_time
        if kind == "finished" and progress.done <= self.executor.jobs:
            progress.warm = (progress.seconds, progress.done)
        progress.running, progress.notice = tuple(self.running.values()), self.executor.notice
        if kind == "tick" and not self.running:
            progress.notice = "waiting for another process, which does the runs that are left"
        progress.kind, progress.planned, progress.record = kind, planned, record
        if self.on_event is not None:
            self.on_event(progress)


def _time_of(path: Path) -> int:
    """Return the modification time of a file in nanoseconds; 0 if there is no file."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
