"""`boostbench run`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.options import (
    Configs,
    Data,
    Jobs,
    Only,
    Plugins,
    Quiet,
    Results,
    Settings,
    Shard,
    Size,
    Strict,
    parse_shard,
)
from boostbench.cli.output import warn_of_damage
from boostbench.cli.progress import in_words, n_runs, showing_progress

if TYPE_CHECKING:
    from boostbench.api import Experiment
    from boostbench.experiments.planning.plan import Plan, PlannedRun
    from boostbench.experiments.running.conduct import Outcome
    from boostbench.experiments.store.record import Record


def run(
    configs: Configs,
    *,
    data: Data,
    results: Results = Path("results"),
    jobs: Jobs = None,
    only: Only,
    settings: Settings,
    size: Size = None,
    executor: Annotated[
        Literal["local", "inline", "dask"],
        typer.Option(
            metavar="NAME",
            help="local: worker processes; inline: in this process; dask: a running cluster.",
        ),
    ] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of the cluster, as in tcp://host:8786; its workers find data under the same "
            "paths, and its own limits hold.",
            show_default=False,
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Of one run, as in 90s, 30m, 1h30m.", show_default=False),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Of one run, as in 512M, 4G.", show_default=False),
    ] = None,
    retry: Annotated[
        list[str],
        typer.Option(
            metavar="STATUS",
            help="Do again exactly the runs that are failed, timeout, out-of-memory, killed or "
            "stale; several with commas.",
            default_factory=list,
            show_default=False,
        ),
    ],
    fresh: Annotated[bool, typer.Option("--fresh", help="Do all runs again.")] = False,
    strict: Strict = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Start nothing new after a failure.")
    ] = False,
    shard: Shard = None,
    plugin: Plugins,
    quiet: Quiet = False,
) -> int:
    """Run what is missing or stale; finished runs are kept.

    The data is looked for first. Each run is on disk the moment it ends: after an interruption the
    same command goes on from there.

    Examples:
      boostbench run configs/noise20.yaml --data DIR --jobs 2
      boostbench run quickstart --only digits --set rounds=20
      boostbench run noise20 --time-limit 30m --memory-limit 4G
      boostbench run noise20 --retry failed,timeout
    """
    from boostbench.api import load_experiments
    from boostbench.experiments.configs.quantities import parse_duration, parse_size

    experiments = load_experiments(
        configs,
        results=results,
        data=data,
        overrides=settings,
        size=size,
        only=only,
        shard=parse_shard(shard),
        plugins=plugin,
    )
    options = {
        "jobs": jobs,
        "executor": executor,
        "scheduler": scheduler,
        "time_limit": time_limit and parse_duration(time_limit, where="--time-limit"),
        "memory_limit": memory_limit and parse_size(memory_limit, where="--memory-limit"),
        "retry": [word.strip() for words in retry for word in words.split(",")],
        "fresh": fresh,
        "strict": strict,
        "fail_fast": fail_fast,
    }
    codes = []
    for experiment in experiments:
        codes.append(run_and_tell(experiment, quiet=quiet, **options))
        if codes[-1] == INTERRUPTED:
            break
    return max(codes)


def run_and_tell(experiment: Experiment, *, quiet: bool = False, **options: Any) -> int:
    """Run an experiment, show the progress and the outcome, and return the exit code."""
    name = experiment.config.name
    tell_plan = partial(_tell_plan, experiment, options)
    with showing_progress(name, quiet=quiet) as listener:
        outcome = experiment.run(**options, on_plan=tell_plan, on_event=listener)
    return _tell(name, outcome, quiet)


def _tell_plan(experiment: Experiment, options: Mapping[str, Any], plan: Plan) -> None:
    """Say what is skipped, and which limits of the config cannot be held."""
    warn_of_damage(experiment.store)
    for reason, skipped in plan.skipped().items():
        print(f"boostbench: skipping {n_runs(len(skipped))}: {reason}", file=sys.stderr)
    limits = experiment.config.limits
    kinds = [kind for kind in ("time", "memory") if getattr(limits, kind) is not None]
    todo = plan.todo(retry=options.get("retry") or None, fresh=options.get("fresh", False))
    if options.get("executor", "local") != "local" and kinds and todo:
        what = f"its limits on {' and '.join(kinds)} are only held by --executor local, not here"
        print(f"boostbench: {experiment.config.name}: {what}", file=sys.stderr)


def _tell(name: str, outcome: Outcome, quiet: bool) -> int:
    """Name what went wrong, sum up, and return the exit code."""
    from boostbench.experiments.store.record import FAILURES

    earlier: dict[str, list[PlannedRun]] = {}
    for planned in outcome.untouched:
        earlier.setdefault(planned.status, []).append(planned)
    failures: list[tuple[PlannedRun, str, str]] = [
        (planned, record.status, _why(record)) for planned, record in outcome.failures
    ]
    failures += [
        (planned, status, planned.reason)
        for status, found in earlier.items()
        if status not in ("ok", "skipped", "missing", "stale")
        for planned in found
    ]
    for planned, status, reason in failures:
        print(f"boostbench: {status}: {planned.run.id}: {reason}", file=sys.stderr)
    again = ",".join(sorted({status for _, status, _ in failures} & {*FAILURES}))
    if again:
        command = f"{_command_without_retry()} --retry {again}"
        print(f"boostbench: to do these again: {command}", file=sys.stderr)
    if not quiet or outcome.interrupted:
        print(_summary(name, earlier, outcome))
    if outcome.interrupted:
        return INTERRUPTED
    return INCOMPLETE if failures or outcome.n_left or earlier.get("skipped") else OK


def _summary(name: str, earlier: dict[str, list[PlannedRun]], outcome: Outcome) -> str:
    total = sum(outcome.counts.values()) + outcome.n_left + sum(map(len, earlier.values()))
    done = ", ".join(f"{count} {status}" for status, count in sorted(outcome.counts.items()))
    parts = [f"{done} in {in_words(outcome.seconds)}"] if done else []
    parts += [
        f"{len(found)} {'cached' if status == 'ok' else f'{status} before'}"
        if status not in ("skipped", "missing", "stale")
        else f"{len(found)} {status}"
        for status, found in earlier.items()
    ]
    if outcome.n_left:
        parts.append(f"{outcome.n_left} not done")
    text = ": ".join([name, n_runs(total), *([", ".join(parts)] if parts else [])])
    if outcome.interrupted:
        return f"{text}\ninterrupted; finished runs are kept, the same command does the others"
    return text


def _why(record: Record) -> str:
    assert record.error is not None
    return (record.error.text if record.status == "failed" else record.why).partition("\n")[0]


def _command_without_retry() -> str:
    words = iter(sys.argv[1:])
    kept = []
    for word in words:
        if word == "--retry":
            next(words, None)
        elif not word.startswith("--retry=") and word != "--fresh":
            kept.append(word)
    return shlex.join(["boostbench", *kept])
