"""`boostbench watch`."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import SelectedRuns
from boostbench.cli.progress import n_runs
from boostbench.cli.status import jobs_in_words


def watch(
    *,
    selection: SelectedRuns,
    every: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Time between updates.")
    ] = 10.0,
) -> int:
    """Show the progress of runs that other processes do.

    Prints a line after each change, and ends when all runs are done or their batch jobs have ended.
    The exit code is that of `status`.

    Examples:
      boostbench watch noise20
    """
    from boostbench.experiments.running.submission import jobs_under_way

    last_line, had_jobs = "", False
    while True:
        experiments = selection.load(check_parameters=False)
        counts: dict[str, int] = {}
        for experiment in experiments:
            for status, n in experiment.plan(check_packages=False).counts().items():
                counts[status] = counts.get(status, 0) + n
        jobs = jobs_under_way(selection.results)
        had_jobs = had_jobs or bool(jobs)
        by_status = ", ".join(f"{n} {status}" for status, n in counts.items())
        line = f"{n_runs(sum(counts.values()))}: {by_status}{jobs_in_words(jobs, '; ')}"
        if line != last_line:
            print(line, flush=True)
        last_line = line
        is_done = not counts.keys() & {"missing", "stale"}
        if is_done or (had_jobs and not jobs):
            return OK if counts.keys() <= {"ok", "missing", "stale"} else INCOMPLETE
        time.sleep(every)
