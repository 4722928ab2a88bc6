"""Executor that sends runs to the workers of a Dask cluster.

Each worker has at most one run at a time, so that the loss of a worker is attributed to one run.
Workers may join and leave. A new worker is used once its code is the same as here; plugin and data
files that it lacks are sent to it. While there are no workers, the command waits for some.
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
from boostbench.experiments.configs.quantities import NO_LIMITS, RunLimits
from boostbench.experiments.running import dask_worker
from boostbench.experiments.running.dask_clusters import Cluster
from boostbench.experiments.running.executors import Executor
from boostbench.experiments.running.server import MOST_LOSSES
from boostbench.experiments.running.worker import Job, as_text, failure, now
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key, code_of
from boostbench.experiments.store.record import Record

_UPDATE_SECONDS = 1.0
_ANSWER_SECONDS = 60.0
#: Maximum time for which a scheduler may not answer.
_LOST_SECONDS = 300.0
_MOST_DEMAND = 1000
_USABLE = ("asked", "ready")


@dataclass
class _Submission:
    """A submitted run.

    Attributes
    ----------
    job : Job
    worker : str
        Address of the worker; empty while the run waits for one.
    started : str
        Time of the start.
    losses : int
        Number of workers lost while they executed the run.
    """

    job: Job
    worker: str = ""
    started: str = ""
    losses: int = 0


class DaskExecutor(Executor):
    """Executor that sends runs to the workers of a Dask cluster; records are written here.

    Parameters
    ----------
    scheduler : str or None
        Address such as ``tcp://host:8786``, or name of a batch system supported by dask-jobqueue.
        None: a cluster of processes on this machine.
    data_dirs : sequence of path, default=()
    jobs : int or None, default=None
        Number of workers of a started cluster.
    limits : RunLimits
        Of each run, enforced by the worker.
    options : mapping of str to str, default={}
        TLS options for an address, options of the cluster class otherwise.

    Raises
    ------
    BoostbenchError
        If a package is missing, the scheduler does not answer, or an option is invalid.
    """

    def __init__(
        self,
        scheduler: str | None,
        data_dirs: Sequence[str | Path] = (),
        limits: RunLimits = NO_LIMITS,
        *,
        jobs: int | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(1, data_dirs, ahead=0)
        self._limits = limits
        self._cluster = Cluster(scheduler, jobs, options or {})
        self._client = self._cluster.connect()
        self._samples: list[Job] = []
        self._parcels: list[dask_worker.Parcel] = []
        #: State of each worker by address: "asked", "ready", or the reason why it is not used.
        self._workers: dict[str, str] = {}
        self._waiting: deque[_Submission] = deque()
        self._under_way: dict[Any, _Submission] = {}
        self._messages: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        #: Futures that no worker can execute, which make an adaptive cluster start workers.
        self._demand: list[Any] = []
        self._n_left = 0
        self._last_update = 0.0
        self._lost_since = 0.0

    def prepare(self, runs: Sequence[Run]) -> Iterable[None]:
        """Collect the code and files that workers need; they are checked as workers join."""
        by_booster = {run.booster: run for run in runs}
        self._samples = [self.job(run) for run in by_booster.values()]
        self._parcels = dask_worker.parcels_of(runs, self._data_dirs)
        self._workers.clear()
        self._n_left = len(runs)
        return ()

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Send a run to a worker as soon as one is free."""
        self._waiting.append(_Submission(self.job(run, key, self._limits)))
        self._assign()

    def wait(self, timeout: float) -> None:
        """Wait for a message of the cluster, for at most ``timeout`` seconds.

        Raises
        ------
        BoostbenchError
            If no worker is usable, for example because all have other code, or the scheduler has
            not answered for a long time.
        """
        if time.monotonic() - self._last_update > _UPDATE_SECONDS:
            self._update_workers()
        with suppress(Empty):
            self._handle(*self._messages.get(timeout=timeout))
            while True:
                self._handle(*self._messages.get_nowait())
        self._assign()

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        with suppress(Empty):
            while True:
                self._handle(*self._messages.get_nowait())
        ended = super().ended()
        self._n_left -= len(ended)
        return ended

    def shutdown(self) -> None:
        """Disconnect, which cancels pending runs, and shut down a started cluster."""
        self._client.close()
        self._cluster.close()

    def _update_workers(self) -> None:
        """Update the set of workers."""
        self._last_update = time.monotonic()
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception as error:  # any type: the scheduler is gone
            self._reconnect(error)
            return
        self._lost_since = 0.0
        for worker in self._workers.keys() - threads.keys():
            del self._workers[worker]
            futures = [f for f, sent in self._under_way.items() if sent.worker == worker]
            for future in futures:
                self._retry(future)
        for worker in threads.keys() - self._workers.keys():
            self._workers[worker] = "asked"
            if threads[worker] > 1:
                self._refuse(worker, "has several threads; start workers with `--nthreads 1`")
            else:
                self._greet(worker)
        self._update_notice()
        self._update_demand()

    def _update_notice(self) -> None:
        refused = [f"{w}: {state}" for w, state in self._workers.items() if state not in _USABLE]
        n_ready = sum(state == "ready" for state in self._workers.values())
        self.jobs = max(1, n_ready)
        if refused and len(refused) == len(self._workers):
            where, _, what = refused[0].partition(": ")
            raise BoostbenchError(f"the worker {what}", where=where)
        if n_ready:
            self.notice = "; ".join(f"not used: {text}" for text in refused)
        else:
            self.notice = "waiting for workers of the cluster"

    def _update_demand(self) -> None:
        n_waiting = max(0, min(self._n_left - len(self._under_way), _MOST_DEMAND))
        del self._demand[n_waiting:]
        options = {"resources": {"boostbench-demand": 1}, "pure": False}
        for number in range(len(self._demand), n_waiting):
            self._demand.append(self._client.submit(int, number, **options))

    def _reconnect(self, error: Exception) -> None:
        """Start again with a scheduler that was restarted."""
        clock = time.monotonic()
        self._lost_since = self._lost_since or clock
        if clock - self._lost_since > _LOST_SECONDS:
            what = f"the scheduler no longer answers ({type(error).__name__})"
            raise BoostbenchError(what, where=self._cluster.address)
        self.notice = "the scheduler does not answer; waiting for it"
        for sent in self._under_way.values():
            self._waiting.append(_Submission(sent.job, losses=sent.losses))
        self._under_way.clear()
        self._workers.clear()
        self._demand.clear()
        with suppress(Exception):
            self._client.close()
        with suppress(BoostbenchError):
            self._client = self._cluster.connect()

    def _greet(self, worker: str) -> None:
        self._send("greeted", worker, dask_worker.greet, self._samples, self._parcels)

    def _send(self, kind: str, worker: str, function: Any, *arguments: Any) -> Any:
        """Call a function on a worker; the end of the call becomes a message of this kind."""
        future = self._client.submit(
            function, *arguments, workers=[worker], allow_other_workers=False, pure=False
        )
        future.boostbench_worker = worker
        future.add_done_callback(lambda done: self._messages.put((kind, done)))
        return future

    def _assign(self) -> None:
        """Assign waiting runs to idle workers."""
        busy = {sent.worker for sent in self._under_way.values()}
        for worker, state in self._workers.items():
            if not self._waiting:
                return
            if state == "ready" and worker not in busy:
                try:
                    future = self._send("done", worker, dask_worker.perform, self._waiting[0].job)
                except Exception:  # the client is closed; the next update reconnects
                    return
                sent = self._waiting.popleft()
                sent.worker, sent.started = worker, now()
                self._under_way[future] = sent

    def _handle(self, kind: str, future: Any) -> None:
        worker = future.boostbench_worker
        if kind == "done" and future not in self._under_way:
            return  # given up meanwhile
        try:
            answer = future.result(timeout=_ANSWER_SECONDS)
        except (CancelledError, TimeoutError):
            if kind == "done":  # a failure of the scheduler, not of the run
                self._waiting.append(_Submission(self._under_way.pop(future).job))
            elif self._workers.get(worker) == "asked":
                del self._workers[worker]
            return
        except Exception as error:
            self._handle_error(kind, future, error)
            return
        if kind == "done":
            self._ended.append((self._under_way.pop(future).job.key, answer))
        elif kind == "received":
            self._greet(worker)
        else:
            self._handle_greeting(worker, *answer)

    def _handle_greeting(self, worker: str, missing: list[int], codes: list[str]) -> None:
        """Accept a worker that has the same code; send missing files to it first."""
        if missing:
            parcels = [self._parcels[number] for number in missing]
            files = [(parcel, dask_worker.read_parcel(parcel)) for parcel in parcels]
            scattered = self._client.scatter(files, workers=[worker])
            self._send("received", worker, dask_worker.receive, scattered)
            return
        for job, worker_code in zip(self._samples, codes, strict=True):
            code = code_of(job.run)
            if code != worker_code:
                name = job.run.booster.name
                what = f"has other code of booster {name!r} ({worker_code}, here {code})"
                self._refuse(worker, f"{what}; install the same version there")
                return
        if worker in self._workers:
            self._workers[worker] = "ready"
        self._update_notice()

    def _handle_error(self, kind: str, future: Any, error: Exception) -> None:
        from distributed import KilledWorker

        if kind != "done":
            if not isinstance(error, KilledWorker):
                self._refuse(future.boostbench_worker, f"cannot take runs: {as_text(error)}")
        elif isinstance(error, KilledWorker):
            self._retry(future)
        else:  # the answer of the worker could not be read
            sent = self._under_way.pop(future)
            record = failure(sent.job, "failed", type(error).__name__, as_text(error), sent.started)
            self._ended.append((sent.job.key, record))

    def _refuse(self, worker: str, reason: str) -> None:
        if worker in self._workers:
            self._workers[worker] = reason
            self._update_notice()

    def _retry(self, future: Any) -> None:
        """Retry a run whose worker was lost, or give it up after several losses."""
        sent = self._under_way.pop(future)
        with suppress(Exception):
            future.cancel()
        sent.losses += 1
        if sent.losses < MOST_LOSSES:
            self._waiting.append(_Submission(sent.job, losses=sent.losses))
            return
        message = f"its worker was lost {sent.losses} times; the last was {sent.worker}"
        record = failure(sent.job, "killed", "KilledWorker", message, sent.started)
        self._ended.append((sent.job.key, record))
