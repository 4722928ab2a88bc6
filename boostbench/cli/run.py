"""`boostbench run`."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import (
    Jobs,
    Limited,
    Quiet,
    SelectedRuns,
    Shard,
    Strict,
    Verbose,
    parse_pair,
    parse_shard,
    program,
    repeatable,
)
from boostbench.cli.output import complain, tell_log, warn_of_damage
from boostbench.cli.progress import in_words, n_runs, showing_progress

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.planning.plans import Plan, PlannedRun
    from boostbench.experiments.running.conduct import Progress
    from boostbench.experiments.store.record import Record


_ExecutorName = Annotated[
    Literal["local", "inline", "dask"],
    typer.Option(
        metavar="NAME", help="local: worker processes; inline: in this process; dask: a cluster."
    ),
]
_Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of a Dask cluster, as in tcp://host:8786 or tls://host:8786, or the name of a "
        "batch system that dask-jobqueue knows, as slurm, for --jobs workers there; by default "
        "a cluster of this machine.",
    ),
]


def run(
    *,
    asked: SelectedRuns,
    jobs: Jobs = None,
    executor: _ExecutorName = "local",
    scheduler: _Scheduler = None,
    dask: Annotated[
        list[str],
        repeatable(
            "--dask",
            "KEY=VALUE",
            "Option of the cluster: with an address of TLS, as in tls_ca_file=ca.pem, with the "
            "name of a batch system its own, as in queue=long",
        ),
    ],
    limits: Limited,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do all runs again.")] = False,
    strict: Strict = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Start nothing new after a failure.")
    ] = False,
    shard: Shard = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Run what is missing or stale; finished runs are kept.

    All data sets are located first. The record of each run is written as soon as the run ends:
    after an interruption the same command does the remaining runs.

    Examples:
      boostbench run configs/noise20.yaml --data DIR --jobs 2
      boostbench run quickstart --only digits --set rounds=20
      boostbench run noise20 --time-limit 30m --memory-limit 4G
      boostbench run noise20 --retry failed,timeout
    """
    experiments = asked.load(shard=parse_shard(shard))
    options: dict[str, Any] = {
        "jobs": jobs,
        "executor": executor,
        "scheduler": scheduler,
        "dask": dict(parse_pair(text, "--dask") for text in dask),
        **limits.parsed(),
        "fresh": fresh,
        "strict": strict,
        "fail_fast": fail_fast,
    }
    codes = []
    following = asked.command("report") if shard is None else ""
    for experiment in experiments:
        options["following"] = following if experiment is experiments[-1] else ""
        codes.append(run_and_tell(experiment, quiet=quiet, verbose=verbose, **options))
        if codes[-1] == INTERRUPTED:
            break
    return max(codes)


def run_and_tell(
    experiment: Experiment,
    *,
    quiet: bool = False,
    verbose: bool = False,
    following: str = "",
    **options: Any,
) -> int:
    """Run an experiment, show progress and outcome, and return the exit code.

    If there are results, ``following`` is the command that is named next.
    """
    name = experiment.config.name
    on_plan = partial(_tell_plan, experiment, options)
    with showing_progress(name, quiet=quiet) as listener:
        outcome = experiment.run(**options, on_plan=on_plan, on_event=listener)
    has_failed = _tell_failures(outcome, verbose=verbose)
    if not quiet or outcome.interrupted:
        print(_summary(name, outcome))
    if outcome.interrupted:
        print("interrupted; finished runs are kept, the same command does the others")
        return INTERRUPTED
    statuses = {planned.status for planned in outcome.untouched}
    if following and not quiet and "ok" in {*outcome.counts, *statuses}:
        print(f"next: {following}")
    return INCOMPLETE if has_failed or outcome.n_left or "skipped" in statuses else OK


def _tell_plan(experiment: Experiment, options: dict[str, Any], plan: Plan) -> None:
    """Name the runs that are skipped, and the limits of the config that cannot be held."""
    warn_of_damage(experiment.store)
    for reason, skipped in plan.skipped().items():
        complain(f"skipping {n_runs(len(skipped))}: {reason}")
    limits = experiment.config.limits
    kinds = [kind for kind in ("time", "memory") if getattr(limits, kind) is not None]
    todo = plan.todo(retry=options.get("retry") or None, fresh=options.get("fresh", False))
    if options.get("executor") == "inline" and kinds and todo:
        what = f"its limits on {' and '.join(kinds)} are not held by --executor inline"
        complain(f"{experiment.config.name}: {what}")


def _tell_failures(outcome: Progress, *, verbose: bool) -> bool:
    """Name the runs that failed now or earlier, equal failures once; False if there are none."""
    from boostbench.experiments.store.record import FAILURES

    earlier = ((p, p.record()) for p in outcome.untouched if p.status in FAILURES)
    kinds: dict[tuple[str, str], list[tuple[PlannedRun, Record]]] = {}
    for planned, record in (*outcome.failures, *earlier):
        if record is not None:
            kinds.setdefault((record.status, record.why), []).append((planned, record))
    for (status, reason), failed in kinds.items():
        planned, record = failed[0]
        others = f" (and {len(failed) - 1} more like it)" if len(failed) > 1 else ""
        complain(f"{status}: {planned.run.id}: {reason.partition(chr(10))[0]}{others}")
        if verbose:
            tell_log(record)
    again = ",".join(sorted({status for status, _ in kinds} & {*FAILURES}))
    if again:
        hint = "" if verbose else " (-v shows the tracebacks)"
        complain(f"to do these again{hint}: {_command_without_retry()} --retry {again}")
    return bool(kinds)


def _summary(name: str, outcome: Progress) -> str:
    """Return the number of runs, and the numbers by status, in words."""
    earlier = Counter(planned.status for planned in outcome.untouched)
    done = ", ".join(f"{count} {status}" for status, count in sorted(outcome.counts.items()))
    parts = [f"{done} in {in_words(outcome.seconds)}"] if done else []
    words = {"ok": "cached", "skipped": "skipped", "missing": "missing", "stale": "stale"}
    parts += [f"{n} {words.get(status, f'{status} before')}" for status, n in earlier.items()]
    if outcome.n_left:
        parts.append(f"{outcome.n_left} not done")
    total = outcome.done + outcome.n_left + earlier.total()
    return ": ".join([name, n_runs(total), *([", ".join(parts)] if parts else [])])


def _command_without_retry() -> str:
    words = iter(sys.argv[1:])
    kept = []
    for word in words:
        if word == "--retry":
            next(words, None)
        elif not word.startswith("--retry=") and word != "--fresh":
            kept.append(word)
    return shlex.join([program(), *kept])
