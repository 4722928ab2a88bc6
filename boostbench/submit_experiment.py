"""Submission of the runs of an experiment to a batch system."""

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
    """Submit the missing and stale runs as an array of batch jobs (needs the extra ``slurm``).

    Each job does a batch of runs, sized by the plan's time estimates. Runs of waiting or running
    jobs are not submitted again.

    Parameters
    ----------
    experiment : Experiment
    cluster : {"slurm", "local"}, default="slurm"
        Slurm, or processes on this machine for a trial.
    jobs : int, default=1
        Number of parallel runs in one job, which requests as many cores.
    most_jobs : int, default=100
        Maximum number of jobs that run at the same time.
    job_time : float, default=7200
        Time limit of a job in seconds; increased if the estimate of a single run exceeds it. The
        estimated time of a batch is half of it.
    time_limit, memory_limit, retry
        As for `Experiment.run`.
    options : mapping of str to str or None, default=None
        Options of sbatch, such as ``{"partition": "long"}``.

    Returns
    -------
    jobs : list of BatchJob
        Jobs submitted by this call.

    Raises
    ------
    BoostbenchError
        If submitit is not installed, or the batch system rejects the jobs.
    """
    todo = experiment.plan().todo(retry=retry or None)
    check_data(todo, experiment.data)
    template = Batch(
        runs=(),
        results=str(experiment.store.folder.parent.resolve()),
        data_dirs=tuple(str(folder.resolve()) for folder in search_dirs(experiment.data)),
        plugins=tuple(str(path) for path in registry.used_plugins()),
        jobs=jobs,
        limits=experiment.config.limits.replaced(time_limit, memory_limit),
        retry=tuple(retry),
    )
    return submit_runs(
        todo,
        template,
        cluster=cluster,
        most_jobs=most_jobs,
        job_time=job_time,
        name=experiment.config.name,
        options=options or {},
    )
