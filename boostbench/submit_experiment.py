"""The runs of an experiment as jobs of a batch system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from boostbench import registry
from boostbench.api import Experiment
from boostbench.data import search_dirs
from boostbench.experiments.planning.planner import check_data
from boostbench.experiments.running.submission import Batch, BatchJob, submit_runs


def submit(
    experiment: Experiment,
    *,
    cluster: Literal["slurm", "local"] = "slurm",
    jobs: int = 1,
    most_jobs: int = 100,
    job_time: float = 7200.0,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    retry: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> list[BatchJob]:
    """Submit what is missing or stale as an array of batch jobs (the extra ``slurm``).

    Each job does a batch of runs, as many as its time allows by the plan's estimates. A run
    that a waiting or running job has already is not submitted again.

    Parameters
    ----------
    experiment : Experiment
    cluster : {"slurm", "local"}, default="slurm"
        ``local``: processes of this machine, to try it.
    jobs : int, default=1
        Runs at once in one job, which asks for as many cores.
    most_jobs : int, default=100
        So many jobs run at once.
    job_time : float, default=7200
        Time limit of a job in seconds; more if a single run seems to need it. Batches are made
        for half of it.
    time_limit, memory_limit, retry
        As for `Experiment.run`.
    options : mapping of str to str or None, default=None
        For sbatch, as in ``{"partition": "long"}``.

    Returns
    -------
    jobs : list of BatchJob
        Submitted now.

    Raises
    ------
    BoostbenchError
        If submitit is absent, or the system refuses.
    """
    todo = experiment.plan().todo(retry=retry or None)
    check_data(todo, experiment.data)
    limits = experiment.config.limits.replaced(time_limit, memory_limit)
    template = Batch(
        runs=(),
        results=str(experiment.store.folder.parent.resolve()),
        data_dirs=tuple(str(folder.resolve()) for folder in search_dirs(experiment.data)),
        plugins=tuple(str(path) for path in registry.used_plugins()),
        jobs=jobs,
        **limits,
        retry=tuple(retry),
    )
    how = {"cluster": cluster, "most_jobs": most_jobs, "job_time": job_time}
    return submit_runs(todo, template, **how, name=experiment.config.name, options=options or {})
