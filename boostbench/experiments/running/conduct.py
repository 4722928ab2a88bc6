"""Carrying out a plan: runs go to an executor, records to the store, events to a listener."""

from __future__ import annotations

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from boostbench.experiments.planning.plans import PlannedRun
from boostbench.experiments.running.executors import Executor
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.interrupts import interruptible, uninterrupted
from boostbench.experiments.store.locks import RunLocks
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import RecordStore

_TICK_SECONDS = 0.5
_SHORT_SECONDS = 2.0


@dataclass
class Progress:
    """Progress of the work on a plan; at its end, the outcome.

    Attributes
    ----------
    total : int
        Runs to do.
    counts : dict
        Number of runs done, by status.
    failures : list of (PlannedRun, record)
        Every run that did not end ``ok``.
    running : tuple of PlannedRun
    rounds : dict of Run to int
        Rounds done of those running that tell.
    seconds, remaining : float
        Since the start; to go, judged by the costs of what is left. NaN if nothing is known yet.
    interrupted : bool
        True if Ctrl-C ended the work.
    n_left : int
        Runs that were not finished.
    untouched : tuple of PlannedRun
        The other runs of the experiment, with their earlier statuses.
    notice : str
        Message of the executor at this moment.
    """

    total: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[PlannedRun, Record]] = field(default_factory=list)
    running: tuple[PlannedRun, ...] = ()
    rounds: dict[Run, int] = field(default_factory=dict)
    seconds: float = 0.0
    remaining: float = 0.0
    interrupted: bool = False
    n_left: int = 0
    untouched: tuple[PlannedRun, ...] = ()
    notice: str = ""

    @property
    def done(self) -> int:
        """Number of runs done."""
        return sum(self.counts.values())

    @property
    def work_done(self) -> float:
        """Number of runs done, and the share of the rounds of those under way."""
        return self.done + sum(n / run.rounds for run, n in self.rounds.items())

    @property
    def ends_early(self) -> bool:
        """True if a run was left undone."""
        return self.interrupted or self.n_left > 0

    def __add__(self, other: Progress) -> Progress:
        """Return the outcome of both."""
        return Progress(
            self.total + other.total,
            dict(Counter(self.counts) + Counter(other.counts)),
            [*self.failures, *other.failures],
            seconds=self.seconds + other.seconds,
            interrupted=self.interrupted or other.interrupted,
            n_left=self.n_left + other.n_left,
        )


@dataclass(frozen=True)
class Event:
    """A step of the work, for the listener.

    Attributes
    ----------
    kind : {"preparing", "started", "finished", "tick"}
        Kernels are compiled first, which takes a minute after an update and is quick otherwise. A
        tick comes about twice a second while nothing else happens.
    progress : Progress
        As it is now; it goes on changing.
    planned : PlannedRun or None
        The run that started or finished.
    record : Record or None
        The record of a finished run.
    """

    kind: str
    progress: Progress
    planned: PlannedRun | None = None
    record: Record | None = None


def run_plan(
    todo: Sequence[PlannedRun],
    store: RecordStore,
    executor: Executor,
    *,
    on_event: Callable[[Event], None] | None = None,
    fail_fast: bool = False,
) -> Progress:
    """Carry out runs; each record is on disk, whole, as soon as the run has ended.

    Parameters
    ----------
    todo : sequence of PlannedRun
        In this order.
    store : RecordStore
    executor : Executor
        Is not shut down, except to stop what is running after Ctrl-C or a full disk.
    on_event : callable or None, default=None
    fail_fast : bool, default=False
        Start nothing new after the first run that goes wrong.

    Returns
    -------
    progress : Progress
        After Ctrl-C too: finished runs are kept, those under way are dropped.

    Raises
    ------
    BoostbenchError
        If records cannot be written.
    """
    store.prepare()
    conductor = _Conductor(todo, store, executor, on_event, fail_fast)
    with interruptible(), closing(conductor.locks):
        try:
            conductor.work()
        except KeyboardInterrupt:
            conductor.progress.interrupted = True
            with uninterrupted():
                conductor.collect()
                executor.shutdown()
        except BaseException:
            executor.shutdown()
            raise
    store.check_written()
    return conductor.closed()


class _Conductor:
    def __init__(
        self,
        todo: Sequence[PlannedRun],
        store: RecordStore,
        executor: Executor,
        on_event: Callable[[Event], None] | None,
        fail_fast: bool,
    ) -> None:
        self.waiting = deque(todo)
        self.elsewhere: deque[PlannedRun] = deque()
        self.running: dict[Key, tuple[PlannedRun, float]] = {}
        self.store = store
        self.locks = RunLocks(store.folder)
        # What another process writes from now on need not be done again.
        self.known = {
            planned.key: None if planned.status in ("missing", "stale") else self.stamp(planned)
            for planned in todo
        }
        self.executor = executor
        self.on_event = on_event
        self.fail_fast = fail_fast
        self.progress = Progress(len(todo))
        self.begin = time.monotonic()
        self.expected_done = 0.0
        self.spent_done = 0.0

    def work(self) -> None:
        self.tell("preparing")
        for _ in self.executor.prepare([planned.run for planned in self.waiting]):
            self.tell("preparing")
        while self.waiting or self.elsewhere or self.running:
            while self.waiting and len(self.running) < self.room():
                self.start(self.waiting.popleft())
                self.collect()
            if not self.waiting and len(self.running) < self.executor.jobs:
                for _ in range(len(self.elsewhere)):
                    self.start(self.elsewhere.popleft())
            n_done = self.progress.done
            if self.running:
                self.executor.wait(_TICK_SECONDS)
                self.collect()
            elif self.elsewhere:
                time.sleep(_TICK_SECONDS)
            if self.progress.done == n_done:
                self.tell("tick")

    def start(self, planned: PlannedRun) -> None:
        """Start a run, unless another process works on it or has done it."""
        if not self.locks.take(planned.key):
            self.elsewhere.append(planned)
            return
        stamp = self.stamp(planned)
        if stamp is not None and stamp != self.known[planned.key]:
            record = self.store.read(self.path(planned))
            if record is not None:
                self.store.remember(record)
                self.note(planned, record, 0.0)
                return
        self.running[planned.key] = (planned, time.monotonic())
        n_left = len(self.running) + len(self.waiting) + len(self.elsewhere)
        self.executor.submit(planned.run, planned.key, n_left)
        self.tell("started", planned)

    def path(self, planned: PlannedRun) -> Path:
        return self.store.path_of(planned.run.data.name, planned.key)

    def stamp(self, planned: PlannedRun) -> tuple[int, int] | None:
        """Return a mark that each record of a run has for itself; None if there is no record."""
        try:
            status = self.path(planned).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino

    def room(self) -> int:
        """Return the number of runs that may be under way.

        A worker that ends a short run finds the next one there, and need not wait until this
        process has written the record to the disk.
        """
        is_short = self.waiting[0].seconds < _SHORT_SECONDS and not self.fail_fast
        return self.executor.jobs + (self.executor.ahead if is_short else 0)

    def collect(self) -> None:
        """Write the records of the runs that have ended, before any interruption."""
        with uninterrupted():
            for key, record in self.executor.ended():
                planned, started = self.running.pop(key)
                # These are tried again every time, so there is nothing to remember.
                if record.status not in ("skipped", "stale"):
                    self.store.write(record)
                self.note(planned, record, time.monotonic() - started)

    def note(self, planned: PlannedRun, record: Record, elapsed: float) -> None:
        """Count a run whose record is on disk."""
        self.locks.release(planned.key)
        counts = self.progress.counts
        counts[record.status] = counts.get(record.status, 0) + 1
        spent = record.total_seconds or elapsed
        self.spent_done += spent - record.seconds.get("warm_up", 0.0)
        self.expected_done += planned.seconds
        if record.status != "ok":
            self.progress.failures.append((planned, record))
            if self.fail_fast:
                self.progress.n_left += len(self.waiting) + len(self.elsewhere)
                self.waiting.clear()
                self.elsewhere.clear()
        self.tell("finished", planned, record)

    def tell(
        self, kind: str, planned: PlannedRun | None = None, record: Record | None = None
    ) -> None:
        if self.on_event is None:
            return
        progress, rounds = self.progress, self.executor.rounds()
        progress.running = tuple(planned for planned, _ in self.running.values())
        progress.rounds = {
            planned.run: rounds[key]
            for key, (planned, _) in self.running.items()
            if rounds.get(key)
        }
        progress.seconds = time.monotonic() - self.begin
        progress.remaining = self.remaining()
        progress.notice = self.executor.notice
        self.on_event(Event(kind, progress, planned, record))

    def remaining(self) -> float:
        """Return the seconds to go: expected ones, times how much longer things took so far."""
        clock, rounds = time.monotonic(), self.progress.rounds
        spent, expected, left = self.spent_done, self.expected_done, 0.0
        for planned, started in self.running.values():
            if planned.run in rounds:
                share = rounds[planned.run] / planned.run.rounds
                spent, expected = spent + clock - started, expected + planned.seconds * share
                left += (clock - started) * (1.0 - share) / share
        if not spent or not expected:
            return math.nan
        speed = spent / expected
        left += sum(planned.seconds for planned in (*self.waiting, *self.elsewhere)) * speed
        left += sum(
            max(planned.seconds * speed - (clock - started), 0.0)
            for planned, started in self.running.values()
            if planned.run not in rounds
        )
        return left / self.executor.jobs

    def closed(self) -> Progress:
        self.progress.n_left += len(self.waiting) + len(self.elsewhere) + len(self.running)
        self.progress.seconds = time.monotonic() - self.begin
        self.progress.running, self.progress.rounds, self.progress.remaining = (), {}, 0.0
        return self.progress
