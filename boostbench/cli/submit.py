"""`boostbench submit`."""

from __future__ import annotations

from typing import Annotated

import typer

from boostbench.cli.guard import OK
from boostbench.cli.options import (
    Limited,
    SelectedRuns,
    Shard,
    parse_pair,
    parse_shard,
    repeatable,
)
from boostbench.cli.progress import n_runs


def submit(
    *,
    selection: SelectedRuns,
    slurm: Annotated[
        bool,
        typer.Option("--slurm/--local", help="Submit to Slurm or, for a trial, to this machine."),
    ] = True,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Parallel runs, and cores, of each job.")
    ] = 1,
    most_jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Maximum number of simultaneous jobs.")
    ] = 100,
    job_time: Annotated[
        str,
        typer.Option(metavar="TIME", help="Time limit of a job; its runs take about half of it."),
    ] = "2h",
    options: Annotated[
        list[str],
        repeatable("--sbatch", "KEY=VALUE", "Option of sbatch, e.g. partition=long or qos=low"),
    ],
    limits: Limited,
    shard: Shard = None,
) -> int:
    """Submit the missing and stale runs to Slurm as an array of jobs.

    Each job does a batch of runs, formed by the times that `plan` estimates; use `plan --sample 1`
    to measure them. All machines must share the folders of results and data. A job that is
    preempted or reaches its time limit is requeued and continues; failed jobs do not affect others.
    `status` and `watch` show the progress. The same command again submits the remaining runs that
    no job has.

    Examples:
      boostbench submit noise20 --data DIR --slurm --most-jobs 200
      boostbench submit noise20 --slurm --jobs 8 --job-time 4h --sbatch partition=long
    """
    from boostbench.experiments.configs.quantities import parse_duration
    from boostbench.submit_experiment import submit as submit_experiment

    pairs = dict(parse_pair(text, "--sbatch") for text in options)
    for experiment in selection.load(shard=parse_shard(shard)):
        submitted = submit_experiment(
            experiment,
            cluster="slurm" if slurm else "local",
            jobs=jobs,
            most_jobs=most_jobs,
            job_time=parse_duration(job_time, where="--job-time"),
            options=pairs,
            **limits.parsed(),
        )
        name = experiment.config.name
        if submitted:
            total = n_runs(sum(len(job.runs) for job in submitted))
            array = submitted[0].number.partition("_")[0]
            print(f"{name}: submitted {total} in {len(submitted)} jobs, the first is {array}")
        else:
            print(f"{name}: nothing to submit")
    return OK
