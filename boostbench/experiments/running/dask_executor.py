"""Executor that sends runs to the workers of a Dask cluster, and their execution there.

Dask assigns the runs, repeats those of lost workers, and gives up a run that ends its worker too
often (``distributed.scheduler.allowed-failures``). Each thread of a worker does its runs by a
`LocalExecutor`, which enforces their limits.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import yaml

from boostbench.data.catalog import find_entry
from boostbench.errors import BoostbenchError, hint, import_extra
from boostbench.experiments.configs.limits import NO_LIMITS, Limits
from boostbench.experiments.running.inline import Executor
from boostbench.experiments.running.local import LocalExecutor
from boostbench.experiments.running.worker import Job, as_text, failure, load_plugins, now
from boostbench.experiments.runs import Run
from boostbench.experiments.store import fingerprints
from boostbench.experiments.store.identity import Key, code_of
from boostbench.experiments.store.record import Record
from boostbench.threads import n_cores

_UPDATE_SECONDS = 1.0
_ANSWER_SECONDS = 60.0


class DaskExecutor(Executor):
    """Executor that sends runs to the workers of a Dask cluster; records are written here.

    Parameters
    ----------
    scheduler : str or None
        Address such as ``tcp://host:8786``, or name of a batch system supported by dask-jobqueue.
        None: a cluster of processes on this machine.
    data_dirs : sequence of path, default=()
    limits : Limits
        Of each run, enforced by the worker.
    jobs : int or None, default=None
        Number of workers of a started cluster; None: the number of cores.
    options : mapping of str to str, default={}
        Arguments, in YAML, of ``distributed.Security`` for an address, and of the cluster class for
        a started cluster.

    Raises
    ------
    BoostbenchError
        If a package is missing, the scheduler does not answer, or an option is invalid.
    """

    def __init__(
        self,
        scheduler: str | None,
        data_dirs: Sequence[str | Path] = (),
        limits: Limits = NO_LIMITS,
        *,
        jobs: int | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(1, data_dirs, ahead=0)
        self._limits = limits
        arguments = {name: yaml.safe_load(text) for name, text in (options or {}).items()}
        self._cluster: Any = None
        if scheduler is None or "://" not in scheduler:
            self._cluster = _start_cluster(scheduler, jobs or n_cores(), arguments)
        self._client = _client_of(self._cluster or scheduler, arguments)
        self._address = self._client.scheduler.address
        self._jobs: dict[Any, Job] = {}
        self._ready: SimpleQueue[Any] = SimpleQueue()
        self._last_update = 0.0

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Send a run to the cluster."""
        self._send(self.job(run, key, self._limits))

    def wait(self, timeout: float) -> None:
        """Wait until a run ends, for at most ``timeout`` seconds.

        Raises
        ------
        BoostbenchError
            If a worker has other code or cannot take runs, or the scheduler no longer answers.
        """
        if time.monotonic() - self._last_update > _UPDATE_SECONDS:
            self._update()
        with suppress(Empty):
            self._receive(self._ready.get(timeout=timeout))

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        with suppress(Empty):
            while True:
                self._receive(self._ready.get_nowait())
        return super().ended()

    def shutdown(self) -> None:
        """Disconnect, which cancels pending runs, and shut down a started cluster."""
        for opened in filter(None, (self._client, self._cluster)):
            with suppress(Exception):  # for example workers that never started
                opened.close()

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

    def _send(self, job: Job) -> None:
        try:
            future = self._client.submit(perform, job, pure=False)
        except Exception as error:
            raise _unreachable(self._address, error) from None
        self._jobs[future] = job
        future.add_done_callback(self._ready.put)

    def _receive(self, future: Any) -> None:
        from distributed import KilledWorker

        job = self._jobs.pop(future)
        try:
            record = future.result(timeout=_ANSWER_SECONDS)
        except (CancelledError, TimeoutError):  # the scheduler or the answer was lost
            self._send(job)
            return
        except KilledWorker as error:
            message = f"its worker was lost each time, last {error.last_worker.address}"
            record = failure(job, "killed", "KilledWorker", message, now())
        except BoostbenchError:
            raise
        except Exception as error:
            what = f"a worker cannot take runs: {type(error).__name__}: {as_text(error)}"
            raise BoostbenchError(what, where=self._address) from None
        self._ended.append((job.key, record))


def _client_of(cluster: Any, options: Mapping[str, Any]) -> Any:
    """Return a client of a started cluster, or of the scheduler with an address."""
    distributed = import_extra("distributed", "dask", where="--executor dask")
    if not isinstance(cluster, str):
        return distributed.Client(cluster, set_as_default=False)
    try:
        security = distributed.Security(**options)
        # A client that cannot connect cannot always be closed, so the address is tried first.
        runner = distributed.utils.LoopRunner(asynchronous=False)
        runner.run_sync(_connect, cluster, security.get_connection_args("client"))
        return distributed.Client(cluster, set_as_default=False, security=security)
    except (TypeError, FileNotFoundError) as error:
        raise BoostbenchError(str(error), where="--dask") from None
    except Exception as error:  # what there is at the address decides the type
        raise _unreachable(cluster, error) from None


async def _connect(address: str, arguments: Mapping[str, Any]) -> None:
    """Connect to a scheduler within Dask's time limit, which does not include the handshake."""
    import dask
    from distributed.comm import core

    limit = dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    comm = await asyncio.wait_for(core.connect(address, **arguments), limit)  # type: ignore
    await comm.close()


def _start_cluster(name: str | None, n_workers: int, options: Mapping[str, Any]) -> Any:
    """Start a cluster on this machine, or by the dask-jobqueue class of a batch system."""
    defaults: dict[str, Any] = {"cores": 1, "processes": 1, "memory": "4GB"}
    if name is None:
        kind = import_extra("distributed", "dask", where="--executor dask").LocalCluster
        defaults = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
    else:
        package = import_extra("dask_jobqueue", "dask", where="--executor dask")
        kinds = {each.lower(): each for each in dir(package) if each.endswith("Cluster")}
        wanted = f"{name.lower()}cluster"
        if wanted not in kinds:
            what = f"{name!r} is neither an address as in tcp://host:8786 nor a batch system"
            names = [each.removesuffix("cluster") for each in kinds]
            raise BoostbenchError(f"{what}; {hint(name.lower(), names)}", where="--scheduler")
        kind = getattr(package, kinds[wanted])
    try:
        cluster = kind(**{"n_workers": 0, **defaults, **options})
        cluster.scale(n_workers)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise BoostbenchError(f"the cluster cannot be started: {error}", where="--dask") from None
    return cluster


def _unreachable(address: str, error: Exception) -> BoostbenchError:
    what = f"no Dask scheduler answers ({as_text(error) or type(error).__name__})"
    return BoostbenchError(f"{what}; expected an address as in tcp://host:8786", where=address)


@cache
def _executor_of(thread: int) -> LocalExecutor:
    """Return the executor of a thread of a Dask worker."""
    return LocalExecutor(1)


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
        load_plugins(job)
        generator = find_entry(job.run.data.name, job.data_dirs).generator
        code = code_of(job.run, generator)
        if code != job.key.code:  # files may have changed since an earlier run
            fingerprints.forget()
            code = code_of(job.run, generator)
    except BoostbenchError as error:
        raise BoostbenchError(f"the worker cannot take runs: {error}", where=where) from None
    if code != job.key.code:
        what = f"the worker has other code of {job.run.booster.name!r}; install the same version"
        raise BoostbenchError(f"{what} there ({code}, here {job.key.code})", where=where)
    executor = _executor_of(threading.get_ident())
    for _ in executor.prepare([job.run]):
        pass
    executor.submit_job(replace(job, sources=fingerprints.sources_of(code)))
    while not (ended := executor.ended()):
        executor.wait(_UPDATE_SECONDS)
    return ended[0][1]
