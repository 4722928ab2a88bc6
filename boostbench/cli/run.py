"""`boostbench run`."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import (
    Jobs,
    Quiet,
    Retry,
    SelectedRuns,
    Shard,
    Verbose,
    option,
    parse_shard,
    statuses_of,
)
from boostbench.cli.output import print_error, print_log
from boostbench.cli.progress import n_runs, showing_progress
from boostbench.reports.text import duration

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.planning.plans import Plan, PlannedRun
    from boostbench.experiments.running.conduct import Progress
    from boostbench.experiments.store.record import Record


_ExecutorName = Annotated[
    Literal["local", "inline"], option("NAME", "local: worker processes; inline: this process.")
]
_Scheduler = Annotated[
    str | None,
    option(
        "ADDRESS",
        "Do the runs on a Dask cluster, whose scheduler has this address, e.g. tcp://host:8786.",
    ),
]


def run(
    *,
    selection: SelectedRuns,
    jobs: Jobs = None,
    executor: _ExecutorName = "local",
    scheduler: _Scheduler = None,
    retry: Retry,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat all runs.")] = False,
    shard: Shard = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Do the missing and stale runs; finished runs are kept.

    The record of a run is written when the run ends. After an interruption, the same command does
    the remaining runs.

    Examples:
      boostbench run configs/noise20.yaml --data DIR --jobs 2
      boostbench run quickstart --only digits --set rounds=20
      boostbench run noise20 --set limits.time=30m --set limits.memory=4G
      boostbench run noise20 --retry failed,timeout
    """
    experiments = selection.load(shard=parse_shard(shard))
    options: dict[str, Any] = {
        "jobs": jobs,
        "executor": executor,
        "scheduler": scheduler,
        "retry": statuses_of(retry),
        "fresh": fresh,
    }
    codes = []
    for experiment in experiments:
        codes.append(run_and_print(experiment, quiet=quiet, verbose=verbose, **options))
        if codes[-1] == INTERRUPTED:
            return INTERRUPTED
    if not quiet and shard is None:
        print("next: `report` with the same configs and options writes tables and figures")
    return max(codes)


def run_and_print(
    experiment: Experiment, *, quiet: bool = False, verbose: bool = False, **options: Any
) -> int:
    """Run an experiment, print progress and outcome, and return the exit code."""
    name = experiment.config.name
    on_plan = partial(_print_plan, experiment, options)
    with showing_progress(name, quiet=quiet) as listener:
        outcome = experiment.run(**options, on_plan=on_plan, on_event=listener)
    has_failed = _print_failures(outcome, verbose=verbose)
    if not quiet or outcome.interrupted:
        print(_summary(name, outcome))
    if outcome.interrupted:
        print("interrupted; finished runs are kept, the same command does the remaining runs")
        return INTERRUPTED
    statuses = {planned.status for planned in outcome.untouched}
    return INCOMPLETE if has_failed or outcome.n_left or "skipped" in statuses else OK


def _print_plan(experiment: Experiment, options: dict[str, Any], plan: Plan) -> None:
    """Print the skipped runs and the limits of the config that are not enforced."""
    for reason, skipped in plan.skipped().items():
        print_error(f"skipping {n_runs(len(skipped))}: {reason}")
    limits = experiment.config.limits
    kinds = [kind for kind in ("time", "memory") if getattr(limits, kind) is not None]
    todo = plan.todo(retry=options.get("retry") or None, fresh=options.get("fresh", False))
    if options.get("executor") == "inline" and kinds and todo:
        message = f"--executor inline does not enforce the limits on {' and '.join(kinds)}"
        print_error(f"{experiment.config.name}: {message}")


def _print_failures(outcome: Progress, *, verbose: bool) -> bool:
    """Print the runs that failed now or earlier, equal failures once; return whether any did."""
    from boostbench.experiments.store.record import FAILURES

    earlier = ((p, p.record()) for p in outcome.untouched if p.status in FAILURES)
    kinds: dict[tuple[str, str], list[tuple[PlannedRun, Record]]] = {}
    for planned, record in (*outcome.failures, *earlier):
        if record is not None:
            kinds.setdefault((record.status, record.why), []).append((planned, record))
    for (status, reason), failed in kinds.items():
        planned, record = failed[0]
        others = f" (and {len(failed) - 1} more with this error)" if len(failed) > 1 else ""
        print_error(f"{status}: {planned.run.id}: {reason.partition(chr(10))[0]}{others}")
        if verbose:
            print_log(record)
    statuses = ",".join(sorted({status for status, _ in kinds} & {*FAILURES}))
    if statuses:
        hint = "" if verbose else "; -v shows the tracebacks"
        print_error(f"--retry {statuses} repeats these runs{hint}")
    return bool(kinds)


def _summary(name: str, outcome: Progress) -> str:
    """Return the number of runs, in total and by status, as text."""
    earlier = Counter(planned.status for planned in outcome.untouched)
    done = ", ".join(f"{count} {status}" for status, count in sorted(outcome.counts.items()))
    parts = [f"{done} in {duration(outcome.seconds)}"] if done else []
    words = {"ok": "cached", "skipped": "skipped", "missing": "missing", "stale": "stale"}
    parts += [f"{n} {words.get(status, f'{status} before')}" for status, n in earlier.items()]
    if outcome.n_left:
        parts.append(f"{outcome.n_left} not done")
    total = outcome.done + outcome.n_left + earlier.total()
    return ": ".join([name, n_runs(total), *([", ".join(parts)] if parts else [])])
