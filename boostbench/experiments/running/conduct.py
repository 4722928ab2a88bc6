"""Carrying out a plan: runs go to an executor, records to the store, news to whoever listens."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from boostbench.experiments.planning.plan import PlannedRun
from boostbench.experiments.running.executors import Executor
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import RecordStore

__all__ = ["Event", "Outcome", "Progress", "run_plan"]

_TICK_SECONDS = 0.5
_SHORT_SECONDS = 2.0


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    Attributes
    ----------
    done, total : int
        Runs.
    running : tuple of PlannedRun
    elapsed : float
        Seconds since the start.
    remaining : float
        Seconds to go, judged by the costs of the runs that are left.
    """

    done: int
    total: int
    running: tuple[PlannedRun, ...]
    elapsed: float
    remaining: float


@dataclass(frozen=True)
class Event:
    """Something to tell.

    Attributes
    ----------
    kind : {"preparing", "started", "finished", "tick"}
        Kernels are compiled first, which takes a minute after an update and is quick otherwise. A
        tick comes about twice a second while nothing else happens.
    progress : Progress
    planned : PlannedRun or None
        The run that started or finished.
    record : Record or None
        The record of a finished run.
    """

    kind: str
    progress: Progress
    planned: PlannedRun | None = None
    record: Record | None = None


@dataclass
class Outcome:
    """What came of it.

    Attributes
    ----------
    counts : dict
        Number of runs by status.
    failures : list of (PlannedRun, record)
        Every run that did not end ``ok``.
    interrupted : bool
        Whether Ctrl-C ended it.
    n_left : int
        Runs that were not finished.
    seconds : float
    untouched : tuple of PlannedRun
        The other runs of the experiment, with their earlier statuses.
    """

    counts: dict[str, int] = field(default_factory=dict)
    failures: list[tuple[PlannedRun, Record]] = field(default_factory=list)
    interrupted: bool = False
    n_left: int = 0
    seconds: float = 0.0
    untouched: tuple[PlannedRun, ...] = ()

    @property
    def ends_early(self) -> bool:
        """Whether something was left undone."""
        return self.interrupted or self.n_left > 0

    def __add__(self, other: Outcome) -> Outcome:
        """Return what came of both."""
        counts = Counter(self.counts)
        counts.update(other.counts)
        return Outcome(
            dict(counts),
            [*self.failures, *other.failures],
            self.interrupted or other.interrupted,
            self.n_left + other.n_left,
            self.seconds + other.seconds,
        )


def run_plan(
    todo: Sequence[PlannedRun],
    store: RecordStore,
    executor: Executor,
    *,
    on_event: Callable[[Event], None] | None = None,
    fail_fast: bool = False,
) -> Outcome:
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
    outcome : Outcome
        After Ctrl-C too: finished runs are kept, those under way are dropped.

    Raises
    ------
    BoostbenchError
        If records cannot be written.
    """
    store.prepare()
    conductor = _Conductor(todo, store, executor, on_event, fail_fast)
    try:
        conductor.work()
    except KeyboardInterrupt:
        conductor.outcome.interrupted = True
        executor.shutdown(cancel_futures=True)
    except BaseException:
        executor.shutdown(cancel_futures=True)
        raise
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
        self.running: dict[Future[Record], tuple[PlannedRun, float]] = {}
        self.store = store
        self.executor = executor
        self.on_event = on_event
        self.fail_fast = fail_fast
        self.outcome = Outcome()
        self.total = len(todo)
        self.begin = time.monotonic()
        self.expected_done = 0.0
        self.spent_done = 0.0

    def work(self) -> None:
        self.tell("preparing")
        self.executor.prepare([planned.run for planned in self.waiting])
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self.room():
                planned = self.waiting.popleft()
                future = self.executor.submit(planned.run, planned.key)
                self.running[future] = (planned, time.monotonic())
                self.tell("started", planned)
            done, _ = wait(self.running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
            for future in done:
                self.finish(future)
            if not done:
                self.tell("tick")

    def room(self) -> int:
        """Return how many runs may be under way.

        A worker that ends a short run finds the next one there, and need not wait until this
        process has written the record to the disk.
        """
        is_short = self.waiting[0].seconds < _SHORT_SECONDS and not self.fail_fast
        return self.executor.jobs + (self.executor.ahead if is_short else 0)

    def finish(self, future: Future[Record]) -> None:
        planned, started = self.running.pop(future)
        record = future.result()
        status = record.status
        if status not in ("skipped", "stale"):  # tried again every time: nothing to remember
            self.store.write(record)
        self.outcome.counts[status] = self.outcome.counts.get(status, 0) + 1
        spent = record.total_seconds or time.monotonic() - started
        self.spent_done += spent - record.seconds.get("warm_up", 0.0)
        self.expected_done += planned.seconds
        if status != "ok":
            self.outcome.failures.append((planned, record))
            if self.fail_fast:
                self.outcome.n_left += len(self.waiting)
                self.waiting.clear()
        self.tell("finished", planned, record)

    def tell(
        self, kind: str, planned: PlannedRun | None = None, record: Record | None = None
    ) -> None:
        if self.on_event is not None:
            self.on_event(Event(kind, self.progress(), planned, record))

    def progress(self) -> Progress:
        clock = time.monotonic()
        speed = self.spent_done / self.expected_done if self.expected_done > 0 else 1.0
        left = sum(planned.seconds for planned in self.waiting) * speed
        left += sum(
            max(planned.seconds * speed - (clock - started), 0.0)
            for planned, started in self.running.values()
        )
        return Progress(
            done=sum(self.outcome.counts.values()),
            total=self.total,
            running=tuple(planned for planned, _ in self.running.values()),
            elapsed=clock - self.begin,
            remaining=left / self.executor.jobs,
        )

    def closed(self) -> Outcome:
        self.outcome.n_left += len(self.waiting) + len(self.running)
        self.outcome.seconds = time.monotonic() - self.begin
        return self.outcome
