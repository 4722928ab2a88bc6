"""Runs on the workers of a Dask cluster, one that is there or one that is started for them.

Each run is given to one worker that has nothing else of ours, so that a worker that is lost tells
which run it was lost with. Workers come and go: a new one is asked first whether it has the same
code, and gets plugin and data files that it lacks; without any the command waits.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.running.dask_clusters import Cluster
from boostbench.experiments.running.dask_worker import Parcel, greet, parcels_of, perform, receive
from boostbench.experiments.running.executors import Executor
from boostbench.experiments.running.server import MOST_LOSSES
from boostbench.experiments.running.worker import Job, as_text, failure, now
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key, code_of
from boostbench.experiments.store.record import Record

_LOOK_SECONDS = 1.0
_ANSWER_SECONDS = 60.0
#: A scheduler that does not answer is waited for.
_LOST_SECONDS = 300.0
_MOST_DEMAND = 1000


@dataclass
class _Sent:
    """A run on its way.

    Attributes
    ----------
    job : Job
    worker : str
        Address; empty: it waits for one.
    started : str
    losses : int
        Workers that were lost while they did it.
    """

    job: Job
    worker: str = ""
    started: str = ""
    losses: int = 0


class DaskExecutor(Executor):
    """Sends runs to the workers of a Dask cluster; their records come back and are written here.

    Parameters
    ----------
    scheduler : str or None
        Address, as in ``tcp://host:8786``; the name of a batch system that dask-jobqueue knows; or
        None for a cluster of processes on this machine.
    data_dirs : sequence of path, default=()
    jobs : int or None, default=None
        Workers of a cluster that is started.
    time_limit, memory_limit : float (seconds), int (bytes) or None, default=None
        Of one run, held by the worker.
    threads : int or None, default=None
        Of one run; None is one.
    options : mapping of str to str, default={}
        For TLS with an address, for the batch system with a name.

    Raises
    ------
    BoostbenchError
        If a package is absent, nobody answers at the address, or an option is wrong.
    """

    def __init__(
        self,
        scheduler: str | None,
        data_dirs: Sequence[str | Path] = (),
        *,
        jobs: int | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        threads: int | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(1, data_dirs, ahead=0)
        self._limits = (time_limit, memory_limit, threads or 1)
        self._cluster = Cluster(scheduler, jobs, options or {})
        self._client = self._cluster.connect()
        self._samples: list[Job] = []
        self._parcels: list[Parcel] = []
        #: By address: "asked", "ready", or why it is of no use.
        self._workers: dict[str, str] = {}
        self._waiting: deque[_Sent] = deque()
        self._under_way: dict[Any, _Sent] = {}
        self._told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self._ended: list[tuple[Key, Record]] = []
        #: Futures that no worker can take: a cluster that adapts to its tasks sees that more wait.
        self._demand: list[Any] = []
        self._n_left = 0
        self._looked = 0.0
        self._lost_since = 0.0

    def prepare(self, runs: Sequence[Run]) -> Iterable[None]:
        """Note what workers must have; they are asked when they are there."""
        by_booster = {run.booster: run for run in runs}
        self._samples = [self.job(run) for run in by_booster.values()]
        self._parcels = parcels_of(runs, self._data_dirs)
        self._workers.clear()
        self._n_left = len(runs)
        return ()

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Send a run, as soon as a worker is free."""
        self._waiting.append(_Sent(self.job(run, key, *self._limits)))
        self._assign()

    def wait(self, timeout: float) -> None:
        """Wait until the cluster tells something, or ``timeout`` seconds.

        Raises
        ------
        BoostbenchError
            If all workers have other code or are otherwise of no use, or the scheduler is away for
            long.
        """
        if time.monotonic() - self._looked > _LOOK_SECONDS:
            self._look()
        with suppress(Empty):
            self._hear(*self._told.get(timeout=timeout))
            while True:
                self._hear(*self._told.get_nowait())
        self._assign()

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        with suppress(Empty):
            while True:
                self._hear(*self._told.get_nowait())
        ended, self._ended = self._ended, []
        self._n_left -= len(ended)
        return ended

    def shutdown(self) -> None:
        """Leave the cluster, which drops what it still has of ours; end one that was started."""
        self._client.close()
        self._cluster.close()

    def _look(self) -> None:
        """See which workers there are."""
        self._looked = time.monotonic()
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception as error:  # of several kinds: the scheduler is gone
            self._reconnect(error)
            return
        self._lost_since = 0.0
        for worker in self._workers.keys() - threads.keys():
            del self._workers[worker]
            for future in [f for f, sent in self._under_way.items() if sent.worker == worker]:
                self._lose(future)
        for worker in threads.keys() - self._workers.keys():
            self._workers[worker] = "asked"
            if threads[worker] > 1:
                self._refuse(worker, "has several threads; start workers with `--nthreads 1`")
            else:
                self._ask(worker)
        self._tell_state()
        self._show_demand()

    def _tell_state(self) -> None:
        refused = [f"{w}: {why}" for w, why in self._workers.items() if why not in _OF_USE]
        n_ready = sum(state == "ready" for state in self._workers.values())
        self.jobs = max(1, n_ready)
        if refused and len(refused) == len(self._workers):
            where, _, what = refused[0].partition(": ")
            raise BoostbenchError(f"the worker {what}", where=where)
        waits = "" if n_ready else "waiting for workers of the cluster"
        self.notice = waits or "; ".join(f"not used: {text}" for text in refused)

    def _show_demand(self) -> None:
        n = max(0, min(self._n_left - len(self._under_way), _MOST_DEMAND))
        del self._demand[n:]
        for number in range(len(self._demand), n):
            nowhere = {"resources": {"boostbench-demand": 1}, "pure": False}
            self._demand.append(self._client.submit(int, number, **nowhere))

    def _reconnect(self, error: Exception) -> None:
        """Begin anew with a scheduler that was restarted."""
        clock = time.monotonic()
        self._lost_since = self._lost_since or clock
        if clock - self._lost_since > _LOST_SECONDS:
            what = f"the scheduler does not answer any more ({type(error).__name__})"
            raise BoostbenchError(what, where=self._cluster.address)
        self.notice = "the scheduler does not answer; waiting for it"
        for sent in self._under_way.values():
            self._waiting.append(_Sent(sent.job, losses=sent.losses))
        for gone in (self._under_way, self._workers, self._demand):
            gone.clear()
        with suppress(Exception):
            self._client.close()
        with suppress(BoostbenchError):
            self._client = self._cluster.connect()

    def _ask(self, worker: str) -> None:
        self._send("greeted", worker, greet, self._samples, [p.content for p in self._parcels])

    def _send(self, kind: str, worker: str, function: Any, *arguments: Any) -> Any:
        """Have a worker call a function; its end is told as ``kind``."""
        future = self._client.submit(
            function, *arguments, workers=[worker], allow_other_workers=False, pure=False
        )
        future.boostbench_worker = worker
        future.add_done_callback(lambda done: self._told.put((kind, done)))
        return future

    def _assign(self) -> None:
        """Give each worker that has nothing a run that waits."""
        busy = {sent.worker for sent in self._under_way.values()}
        for worker, state in self._workers.items():
            if not self._waiting:
                return
            if state == "ready" and worker not in busy:
                try:
                    future = self._send("done", worker, perform, self._waiting[0].job)
                except Exception:  # the client is closed, which the next look notices
                    return
                sent = self._waiting.popleft()
                sent.worker, sent.started = worker, now()
                self._under_way[future] = sent

    def _hear(self, kind: str, future: Any) -> None:
        worker = future.boostbench_worker
        if kind == "done" and future not in self._under_way:
            return  # given up since
        try:
            answer = future.result(timeout=_ANSWER_SECONDS)
        except (CancelledError, TimeoutError):
            if kind == "done":  # of the scheduler, not of the run
                self._waiting.append(_Sent(self._under_way.pop(future).job))
            elif self._workers.get(worker) == "asked":
                del self._workers[worker]
            return
        except Exception as error:
            self._hear_error(kind, future, error)
            return
        if kind == "done":
            self._ended.append((self._under_way.pop(future).job.key, answer))
        elif kind == "received":
            self._ask(worker)
        else:
            self._hear_greeting(worker, *answer)

    def _hear_greeting(self, worker: str, missing: list[int], codes: list[str]) -> None:
        """Use a worker of the same code; one that lacks files gets them first."""
        if missing:
            parcels = [self._parcels[number] for number in missing]
            files = [(parcel.content, parcel.read()) for parcel in parcels]
            self._send("received", worker, receive, self._client.scatter(files, workers=[worker]))
            return
        for job, its_code in zip(self._samples, codes, strict=True):
            code = code_of(job.run)
            if code != its_code:
                name = job.run.booster.name
                what = f"has other code of booster {name!r} ({its_code}, here {code})"
                self._refuse(worker, f"{what}; install the same version there")
                return
        if worker in self._workers:
            self._workers[worker] = "ready"
        self._tell_state()

    def _hear_error(self, kind: str, future: Any, error: Exception) -> None:
        from distributed import KilledWorker

        if kind != "done":
            if not isinstance(error, KilledWorker):
                self._refuse(future.boostbench_worker, f"cannot take runs: {as_text(error)}")
        elif isinstance(error, KilledWorker):
            self._lose(future)
        else:  # what the worker sent back could not be read
            sent = self._under_way.pop(future)
            record = failure(sent.job, "failed", type(error).__name__, as_text(error), sent.started)
            self._ended.append((sent.job.key, record))

    def _refuse(self, worker: str, why: str) -> None:
        if worker in self._workers:
            self._workers[worker] = why
            self._tell_state()

    def _lose(self, future: Any) -> None:
        """Give a run whose worker was lost to another, or up."""
        sent = self._under_way.pop(future)
        with suppress(Exception):
            future.cancel()
        sent.losses += 1
        if sent.losses < MOST_LOSSES:
            self._waiting.append(_Sent(sent.job, losses=sent.losses))
            return
        message = f"its worker was lost {sent.losses} times; the last was {sent.worker}"
        record = failure(sent.job, "killed", "KilledWorker", message, sent.started)
        self._ended.append((sent.job.key, record))


_OF_USE = ("asked", "ready")
