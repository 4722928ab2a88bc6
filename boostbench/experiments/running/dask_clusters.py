"""Dask clusters: one at an address, one of processes here, or jobs of a batch system."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import yaml

from boostbench.errors import BoostbenchError, hint
from boostbench.threads import n_cores

_CONNECT_SECONDS = 10.0


class Cluster:
    """A cluster that runs are sent to.

    Parameters
    ----------
    scheduler : str or None
        As for `DaskExecutor`.
    jobs : int or None
        Workers, at most, of a cluster that is started.
    options : mapping of str to str
        Of ``distributed.Security`` with an address, of the cluster's class without; YAML values.

    Attributes
    ----------
    address : str
        Of the scheduler.

    Raises
    ------
    BoostbenchError
        If a package is absent, a name is unknown, or an option is wrong.
    """

    def __init__(self, scheduler: str | None, jobs: int | None, options: Mapping[str, str]) -> None:
        self._distributed = _imported("distributed", "distributed")
        self._options = {name: yaml.safe_load(text) for name, text in options.items()}
        self._started: Any = None
        self.address = scheduler or ""
        size = jobs or n_cores()
        if scheduler is None:
            fixed = {"threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
            self._start(self._distributed.LocalCluster, {**fixed, "n_workers": size})
        elif "://" not in scheduler:
            kind = _batch_system(scheduler)
            self._start(kind, {"cores": 1, "processes": 1, "memory": "4GB"}).scale(size)

    def _start(self, kind: Any, defaults: Mapping[str, Any]) -> Any:
        try:
            self._started = kind(**{**defaults, **self._options})
        except (TypeError, ValueError, OSError, RuntimeError) as error:
            what = f"the cluster cannot be started: {error}"
            raise BoostbenchError(what, where=kind.__name__) from None
        self.address = self._started.scheduler_address
        return self._started

    def connect(self) -> Any:
        """Return a client.

        Raises
        ------
        BoostbenchError
            If nobody answers, or an option is wrong.
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
        """End a cluster that was started."""
        if self._started is not None:
            with suppress(Exception):  # workers of it that never started, say
                self._started.close()


def _batch_system(name: str) -> Any:
    """Return the class of dask-jobqueue for a name such as ``slurm`` or ``SLURMCluster``."""
    package = _imported("dask_jobqueue", "dask-jobqueue")
    kinds = {c.removesuffix("Cluster").lower(): c for c in dir(package) if c.endswith("Cluster")}
    kinds.pop("jobqueue", None)
    wanted = name.lower().removesuffix("cluster")
    if wanted not in kinds:
        what = f"{name!r} is neither an address as in tcp://host:8786 nor a batch system"
        raise BoostbenchError(f"{what}; {hint(wanted, kinds)}", where="--scheduler")
    return getattr(package, kinds[wanted])


def _imported(module: str, package: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError:
        what = f"needs the package {package!r}; `pip install boostbench[dask]` brings it"
        raise BoostbenchError(what, where="--executor dask") from None
