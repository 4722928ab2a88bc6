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
from boostbench.cli.output import warn_of_damage
from boostbench.cli.progress import n_runs


def submit(
    *,
    asked: SelectedRuns,
    slurm: Annotated[
        bool,
        typer.Option("--slurm/--local", help="To Slurm, or to this machine, for a trial."),
    ] = True,
    jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="Runs at once, and cores, of one job.")
    ] = 1,
    most_jobs: Annotated[
        int, typer.Option(metavar="N", min=1, help="So many jobs run at once.")
    ] = 100,
    job_time: Annotated[
        str,
        typer.Option(metavar="TIME", help="Time limit of a job; it gets runs for half of it."),
    ] = "2h",
    options: Annotated[
        list[str],
        repeatable("--sbatch", "KEY=VALUE", "Option of sbatch, as in partition=long or qos=low"),
    ],
    limits: Limited,
    shard: Shard = None,
) -> int:
    """Submit what is missing or stale to Slurm, as an array of jobs.

    Each job does a batch of runs, cut by the times that `plan` estimates; `plan --sample 1` lets
    it know them. Results and data lie in folders that all machines see. A job that is preempted or
    reaches its time limit is requeued and goes on; one that fails ends no other. `status` and
    `watch` show how far it is. The same command again submits what is left, and nothing that a job
    has already.

    Examples:
      boostbench submit noise20 --data DIR --slurm --most-jobs 200
      boostbench submit noise20 --slurm --jobs 8 --job-time 4h --sbatch partition=long
    """
    from boostbench.experiments.configs.quantities import parse_duration
    from boostbench.submit_experiment import submit as submit_experiment

    pairs = dict(parse_pair(text, "--sbatch") for text in options)
    for experiment in asked.load(shard=parse_shard(shard)):
        found = submit_experiment(
            experiment,
            cluster="slurm" if slurm else "local",
            jobs=jobs,
            most_jobs=most_jobs,
            job_time=parse_duration(job_time, where="--job-time"),
            options=pairs,
            **limits.parsed(),
        )
        warn_of_damage(experiment.store)
        name = experiment.config.name
        if found:
            total = n_runs(sum(len(job.runs) for job in found))
            array = found[0].number.partition("_")[0]
            print(f"{name}: submitted {total} in {len(found)} jobs, the first is {array}")
        else:
            print(f"{name}: nothing to submit")
    return OK
