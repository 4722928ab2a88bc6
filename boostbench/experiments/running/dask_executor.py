"""Executor that sends runs to the workers of a Dask cluster, and their execution there.

Dask assigns the runs, repeats those of lost workers, and gives up a run that ends its worker too
often (``distributed.scheduler.allowed-failures``). Each thread of a worker does its runs by a
`LocalExecutor`, which enforces their limits.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from boostbench.data.catalog import find_entry
from boostbench.errors import BoostbenchError, import_extra
from boostbench.experiments.configs.fields import NO_LIMITS, Limits
from boostbench.experiments.running.executors import Executor, LocalExecutor
from boostbench.experiments.running.worker import Job, as_text, failure, now
from boostbench.experiments.store.identity import code_of, forget, sources_of
from boostbench.experiments.store.record import Record
from boostbench.inputs import load_plugins

_UPDATE_SECONDS = 1.0
_ANSWER_SECONDS = 60.0


class DaskExecutor(Executor):
    """Executor that sends runs to the workers of a Dask cluster; records are written here.

    Parameters
    ----------
    address : str
        Of the scheduler, such as ``tcp://host:8786``. TLS is set in Dask's configuration.
    data_dirs : sequence of path, default=()
    limits : Limits
        Of each run, enforced by the worker.

    Raises
    ------
    BoostbenchError
        If the package is missing, or the scheduler does not answer.
    """

    def __init__(
        self, address: str, data_dirs: Sequence[str | Path] = (), limits: Limits = NO_LIMITS
    ) -> None:
        super().__init__(1, data_dirs, limits)
        self._address = address
        self._client = _client_of(address)
        self._jobs: dict[Any, Job] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()
        self._last_update = 0.0

    def start(self, job: Job) -> None:
        """Send a job to the cluster, without the threads of idle cores, which are elsewhere."""
        job = replace(job, limits=self._limits)
        try:
            future = self._client.submit(perform, job, pure=False)
        except Exception as error:
            raise _unreachable(self._address, error) from None
        self._jobs[future] = job
        future.add_done_callback(self._ready.put)

    def ended(self, timeout: float) -> list[Record]:
        """Wait until a run ends, and return the records of the runs that have ended.

        Raises
        ------
        BoostbenchError
            If a worker has other code or cannot take runs, or the scheduler no longer answers.
        """
        if time.monotonic() - self._last_update > _UPDATE_SECONDS:
            self._update()
        found: list[Record] = []
        with suppress(Empty):
            while True:
                found += self._received(self._ready.get(timeout=0 if found else timeout))
        return found

    def shutdown(self) -> None:
        """Disconnect, which cancels pending runs."""
        with suppress(Exception):
            self._client.close()

    def _update(self) -> None:
        """Update the number of workers."""
        self._last_update = time.monotonic()
        try:
            n_threads = sum(self._client.nthreads().values())
        except Exception as error:  # any type: the scheduler is gone
            if self._client.status == "closed":
                raise _unreachable(self._address, error) from None
            self.notice = "the scheduler does not answer; waiting for it"
            return
        self.jobs = max(n_threads, 1)
        self.notice = "" if n_threads else "waiting for workers of the cluster"

    def _received(self, future: Any) -> list[Record]:
        from distributed import KilledWorker

        job = self._jobs.pop(future)
        try:
            return [future.result(timeout=_ANSWER_SECONDS)]
        except (CancelledError, TimeoutError):  # the scheduler or the answer was lost
            self.start(job)
            return []
        except KilledWorker as error:
            message = f"its worker was lost each time, last {error.last_worker.address}"
            return [failure(job, "killed", "KilledWorker", message, now())]
        except BoostbenchError:
            raise
        except Exception as error:
            what = f"a worker cannot take runs: {type(error).__name__}: {as_text(error)}"
            raise BoostbenchError(what, where=self._address) from None


def _client_of(address: str) -> Any:
    """Return a client of the scheduler with an address."""
    distributed = import_extra("distributed", "dask", where="--executor")
    try:
        # A client that cannot connect cannot always be closed, so the address is tried first.
        arguments = distributed.Security().get_connection_args("client")
        distributed.utils.LoopRunner(asynchronous=False).run_sync(_connect, address, arguments)
        return distributed.Client(address, set_as_default=False)
    except Exception as error:  # what there is at the address decides the type
        raise _unreachable(address, error) from None


async def _connect(address: str, arguments: dict[str, Any]) -> None:
    """Connect to a scheduler within Dask's time limit, which does not include the handshake."""
    import dask
    from distributed.comm import core

    limit = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    comm = await asyncio.wait_for(core.connect(address, **arguments), limit)  # type: ignore
    await comm.close()


def _unreachable(address: str, error: Exception) -> BoostbenchError:
    what = f"no Dask scheduler answers ({as_text(error) or type(error).__name__})"
    return BoostbenchError(f"{what}; expected an address as in tcp://host:8786", where=address)


#: Executor of each thread of a Dask worker.
_executor_of = cache(lambda thread: LocalExecutor(1))


def perform(job: Job) -> Record:
    """Carry out a job on a Dask worker, by a server of its thread.

    Raises
    ------
    BoostbenchError
        If the worker has other code, or lacks a plugin file.
    """
    from distributed import get_worker

    where = get_worker().address
    try:
        load_plugins(job.plugins)
        generator = find_entry(job.run.data.component, job.data_dirs).generator
        if code_of(job.run, generator) != job.key.code:
            forget()  # files may have changed since an earlier run
        code = code_of(job.run, generator)
    except BoostbenchError as error:
        raise BoostbenchError(f"the worker cannot take runs: {error}", where=where) from None
    if code != job.key.code:
        what = f"the worker has other code of {job.run.booster.name!r}; install the same version"
        raise BoostbenchError(f"{what} there ({code}, here {job.key.code})", where=where)
    executor = _executor_of(threading.get_ident())
    executor.start(replace(job, sources=sources_of(code)))
    while not (ended := executor.ended(_UPDATE_SECONDS)):
        continue
    return ended[0]
