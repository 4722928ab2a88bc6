"""Dask clusters: an existing one, local processes, or jobs of a batch system."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import yaml

from boostbench.errors import BoostbenchError, hint, import_extra
from boostbench.threads import n_cores

_CONNECT_SECONDS = 10.0


class Cluster:
    """A Dask cluster, either existing or started here.

    Parameters
    ----------
    scheduler : str or None
        See `DaskExecutor`.
    jobs : int or None
        Maximum number of workers of a started cluster; None: the number of cores.
    options : mapping of str to str
        Arguments, in YAML, of ``distributed.Security`` for an address and of the cluster class for
        a started cluster.

    Attributes
    ----------
    address : str
        Address of the scheduler.

    Raises
    ------
    BoostbenchError
        If a package is missing, a name is unknown, or an option is invalid.
    """

    def __init__(self, scheduler: str | None, jobs: int | None, options: Mapping[str, str]) -> None:
        self._distributed = import_extra("distributed", "dask", where="--executor dask")
        self._options = {name: yaml.safe_load(text) for name, text in options.items()}
        self._started: Any = None
        self.address = scheduler or ""
        size = jobs or n_cores()
        if scheduler is None:
            defaults = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
            self._start(self._distributed.LocalCluster, {**defaults, "n_workers": size})
        elif "://" not in scheduler:
            defaults = {"cores": 1, "processes": 1, "memory": "4GB"}
            self._start(_batch_system(scheduler), defaults).scale(size)

    def _start(self, cluster_class: Any, defaults: Mapping[str, Any]) -> Any:
        try:
            self._started = cluster_class(**{**defaults, **self._options})
        except (TypeError, ValueError, OSError, RuntimeError) as error:
            what = f"the cluster cannot be started: {error}"
            raise BoostbenchError(what, where=cluster_class.__name__) from None
        self.address = self._started.scheduler_address
        return self._started

    def connect(self) -> Any:
        """Return a client of the cluster.

        Raises
        ------
        BoostbenchError
            If the scheduler does not answer, or an option is invalid.
        """
        try:
            security = self._started and self._started.security
            security = security or self._distributed.Security(**self._options)
            return self._distributed.Client(
                self.address, timeout=_CONNECT_SECONDS, set_as_default=False, security=security
            )
        except (TypeError, FileNotFoundError) as error:
            raise BoostbenchError(str(error), where="--dask") from None
        except (OSError, ValueError, RuntimeError) as error:
            what = f"no Dask scheduler answers ({error}); expected an address as in tcp://host:8786"
            raise BoostbenchError(what, where=self.address) from None

    def close(self) -> None:
        """Shut down the cluster if it was started here."""
        if self._started is not None:
            with suppress(Exception):  # for example workers that never started
                self._started.close()


def _batch_system(name: str) -> Any:
    """Return the dask-jobqueue class with a name such as ``slurm`` or ``SLURMCluster``."""
    package = import_extra("dask_jobqueue", "dask", where="--executor dask")
    names = [name for name in dir(package) if name.endswith("Cluster")]
    classes = {name.removesuffix("Cluster").lower(): name for name in names}
    classes.pop("jobqueue", None)
    wanted = name.lower().removesuffix("cluster")
    if wanted not in classes:
        what = f"{name!r} is neither an address as in tcp://host:8786 nor a batch system"
        raise BoostbenchError(f"{what}; {hint(wanted, classes)}", where="--scheduler")
    return getattr(package, classes[wanted])
