"""The executors by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.limits import NO_LIMITS, Limits
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.running.inline import Executor, InlineExecutor
from boostbench.experiments.running.local import LocalExecutor
from boostbench.threads import n_cores


def check_options(
    executor: str, *, dask: Mapping[str, object], workers: Mapping[str, object]
) -> None:
    """Raise BoostbenchError if an option of Dask or of worker processes does not apply."""
    refused = {} if executor == "dask" else dict.fromkeys(dask, "`--executor dask`")
    if executor == "inline":
        refused |= dict.fromkeys(workers, "`--executor local` or `dask`")
    for option, executors in refused.items():
        if {**dask, **workers}[option]:
            where = f"--{option.replace('_', '-')}"
            raise BoostbenchError(f"only valid with {executors}; leave it out", where=where)


def make_executor(
    name: str,
    data_dirs: Sequence[str | Path],
    scheduler: str | None = None,
    dask: Mapping[str, str] | None = None,
    *,
    jobs: int | None = None,
    limits: Limits = NO_LIMITS,
) -> Executor:
    """Return the executor with a name; see `Experiment.run` for the arguments."""
    if name == "inline":
        return InlineExecutor(data_dirs)
    if name == "dask":
        return DaskExecutor(scheduler, data_dirs, limits, jobs=jobs, options=dask)
    return LocalExecutor(jobs or max(n_cores() // (limits.threads or 1), 1), data_dirs, limits)
