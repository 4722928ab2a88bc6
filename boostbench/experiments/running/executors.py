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


def check_options(executor: str, *, jobs: object, scheduler: object, dask: object) -> None:
    """Raise BoostbenchError if an option does not apply to an executor."""
    is_dask = executor == "dask"
    needs = {
        "--scheduler": (scheduler, is_dask, "`--executor dask`"),
        "--dask": (dask, is_dask, "`--executor dask`"),
        "--jobs": (jobs, executor != "inline", "`--executor local` or `dask`"),
    }
    for option, (value, applies, executors) in needs.items():
        if value and not applies:
            raise BoostbenchError(f"only valid with {executors}; leave it out", where=option)


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
