"""Runs on the workers of a Dask cluster that is already there (the extra ``dask``)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from boostbench.errors import BoostbenchError
from boostbench.experiments.running.executors import Executor, LocalExecutor
from boostbench.experiments.running.worker import Job, as_text, failure, load_plugins, now
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key, code_of
from boostbench.experiments.store.record import Record

_CONNECT_SECONDS = 10.0
_WAIT_SECONDS = 1.0
#: A job, when it was sent, and the cluster's future.
_Told = tuple[Job, str, Any]


class DaskExecutor(Executor):
    """Sends runs to a running Dask cluster; their records come back and are written here.

    The workers have this package with the same code, one thread each, and find data and plugin
    files under the paths that they have here. Limits on time and memory are the cluster's.

    Parameters
    ----------
    address : str
        Of the scheduler, as in ``tcp://host:8786``.
    data_dirs : sequence of path, default=()

    Raises
    ------
    BoostbenchError
        If the package ``distributed`` is absent, nobody answers at the address, or the cluster has
        no workers, or workers of several threads.
    """

    def __init__(self, address: str, data_dirs: Sequence[str | Path] = ()) -> None:
        self._address = address
        self._client = _connect(address)
        self._told: SimpleQueue[_Told] = SimpleQueue()
        self._ended: list[_Told] = []
        threads = self._client.nthreads()
        wide = sum(n > 1 for n in threads.values())
        if not threads or wide:
            self._client.close()
            found = f"{wide} of its {len(threads)} workers have several threads" if wide else "none"
            raise BoostbenchError(
                f"the cluster needs workers of one thread, found {found}; start them with "
                "`dask worker ADDRESS --nthreads 1`",
                where=address,
            )
        super().__init__(len(threads), data_dirs, ahead=len(threads))

    def prepare(self, runs: Sequence[Run]) -> None:
        """Make sure that all workers would carry out the same code.

        Raises
        ------
        BoostbenchError
            If one has other code, or cannot load a plugin.
        """
        by_booster = list({run.booster: run for run in runs}.values())
        jobs = [self.job(run) for run in by_booster]
        here = _codes(jobs)
        for worker, there in self._client.run(_codes, jobs, on_error="return").items():
            if isinstance(there, Exception):
                raise BoostbenchError(f"the worker cannot take runs: {there}", where=worker)
            for run, code, its_code in zip(by_booster, here, there, strict=True):
                if code != its_code:
                    raise BoostbenchError(
                        f"the worker has other code of booster {run.booster.name!r} ({its_code}, "
                        f"here {code}); install the same version there",
                        where=worker,
                    )

    def submit(self, run: Run, key: Key) -> None:
        """Send a run."""
        job = self.job(run, key)
        started = now()
        future = self._client.submit(_perform, job, pure=False)
        future.add_done_callback(lambda done: self._told.put((job, started, done)))

    def wait(self, timeout: float) -> None:
        """Wait until the cluster tells something, or ``timeout`` seconds."""
        with suppress(Empty):
            self._ended.append(self._told.get(timeout=timeout))

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call.

        Raises
        ------
        BoostbenchError
            If the cluster gave up.
        """
        with suppress(Empty):
            while True:
                self._ended.append(self._told.get_nowait())
        ended, self._ended = self._ended, []
        return [(job.key, self._record(job, started, done)) for job, started, done in ended]

    def shutdown(self) -> None:
        """Leave the cluster; it drops what it still has of ours."""
        self._client.close()

    def _record(self, job: Job, started: str, done: Any) -> Record:
        from distributed import KilledWorker

        try:
            record: Record = done.result()
            return record
        except CancelledError:
            what = "the cluster gave up its runs, or its scheduler ended"
            raise BoostbenchError(what, where=self._address) from None
        except KilledWorker as error:
            message = f"ended every worker that tried it; the last was {error.last_worker.address}"
            return failure(job, "killed", "KilledWorker", message, started)
        except Exception as error:  # what a worker sent back could not be read
            return failure(job, "failed", type(error).__name__, as_text(error), started)


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        what = "needs the package 'distributed'; `pip install boostbench[dask]` brings it"
        raise BoostbenchError(what, where="--executor dask") from None
    connect: Any = Client  # which has no types
    try:
        return connect(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        what = f"no Dask scheduler answers ({error}); expected an address as in tcp://host:8786"
        raise BoostbenchError(what, where=address) from None


def _codes(jobs: list[Job]) -> list[str]:
    """Return the fingerprints of the code of some jobs, where this is called."""
    found = []
    for job in jobs:
        load_plugins(job)
        found.append(code_of(job.run))
    return found


def _perform(job: Job) -> Record:
    """Carry out a job in a process apart, so that it harms no later one."""
    executor = _executor()
    executor.submit_job(job)
    while not (ended := executor.ended()):
        executor.wait(_WAIT_SECONDS)
    return ended[0][1]


@cache
def _executor() -> LocalExecutor:
    return LocalExecutor(1)
