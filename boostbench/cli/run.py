"""`boostbench run`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from boostbench.cli.experiments import Request, load_configs, warn_of_damage
from boostbench.cli.guard import INCOMPLETE, INTERRUPTED, OK
from boostbench.cli.kinds import load_plugins
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
    parse_shard,
)
from boostbench.cli.progress import in_words, n_runs, showing_progress
from boostbench.errors import BoostbenchError

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config
    from boostbench.experiments.planning.plan import Plan, PlannedRun
    from boostbench.experiments.running.conduct import Outcome
    from boostbench.experiments.running.dask_executor import DaskExecutor
    from boostbench.experiments.running.executors import InlineExecutor, LocalExecutor
    from boostbench.experiments.runs import Run
    from boostbench.experiments.store.records import RecordStore

__all__ = ["n_cores", "run"]


@dataclass(frozen=True)
class _Means:
    """How the runs are carried out; None: as the config says."""

    executor: str
    scheduler: str | None
    jobs: int
    time_limit: float | None
    memory_limit: int | None
    fail_fast: bool
    quiet: bool

    def executor_for(
        self, config: Config, data: Sequence[Path]
    ) -> InlineExecutor | LocalExecutor | DaskExecutor:
        from boostbench.experiments.running.executors import InlineExecutor, LocalExecutor

        if self.executor == "inline":
            return InlineExecutor(data)
        if self.executor == "dask":
            from boostbench.experiments.running.dask_executor import DaskExecutor

            assert self.scheduler is not None
            return DaskExecutor(self.scheduler, data)
        return LocalExecutor(
            self.jobs,
            data,
            time_limit=self.time_limit or config.limits.time,
            memory_limit=self.memory_limit or config.limits.memory,
        )


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
    from boostbench.experiments.configs.quantities import parse_duration, parse_size
    from boostbench.experiments.store.records import RecordStore

    load_plugins(plugin)
    limits = {"--jobs": jobs, "--time-limit": time_limit, "--memory-limit": memory_limit}
    _check_means(executor, scheduler, limits)
    means = _Means(
        executor,
        scheduler,
        jobs or n_cores(),
        parse_duration(time_limit, where="--time-limit") if time_limit else None,
        parse_size(memory_limit, where="--memory-limit") if memory_limit else None,
        fail_fast,
        quiet,
    )
    loaded = load_configs(configs, settings, size=size, data=data, check_parameters=True)
    request = Request(loaded, results, tuple(data), tuple(only), parse_shard(shard))
    statuses = tuple(word.strip() for words in retry for word in words.split(","))
    store = RecordStore(results)
    codes = []
    for config in loaded:
        codes.append(_carry_out(config, _Work(config, store, request, statuses, fresh), means))
        if codes[-1] == INTERRUPTED:
            break
    return max(codes)


@dataclass
class _Work:
    """What is to be done of a config, again and again until nothing is.

    Attributes
    ----------
    plan : Plan
        The latest.
    done : set of Run
        Each run is done at most once by one command.
    """

    config: Config
    store: RecordStore
    request: Request
    retry: tuple[str, ...]
    fresh: bool
    done: set[Run] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.plan = self._planned()

    def todo(self) -> list[PlannedRun]:
        """Return the runs to do now."""
        wanted = self.plan.todo(retry=self.retry or None, fresh=self.fresh)
        return [planned for planned in wanted if planned.run not in self.done]

    def follow(self, done: Sequence[PlannedRun]) -> list[PlannedRun]:
        """Plan again after runs were done, where parameters are chosen; return what follows."""
        self.done |= {planned.run for planned in done}
        if self.config.select is None or self.retry:
            return []
        self.plan = self._planned()
        return self.todo()

    def _planned(self) -> Plan:
        return self.request.plan(self.config, self.store, check_packages=True)


def _check_means(executor: str, scheduler: str | None, local: Mapping[str, object]) -> None:
    """Refuse options that do not go with the executor."""
    if (executor == "dask") != (scheduler is not None):
        what = "`--executor dask` and `--scheduler ADDRESS` are given together"
        raise BoostbenchError(what, where="--scheduler" if scheduler else "--executor dask")
    for option, value in local.items():
        if executor != "local" and value is not None:
            raise BoostbenchError("only goes with `--executor local`; leave it out", where=option)


def _carry_out(config: Config, work: _Work, means: _Means) -> int:
    """Do the runs of one config, and tell what came of it."""
    from boostbench.experiments.running.conduct import Outcome, run_plan

    todo = work.todo()
    warn_of_damage(work.store)
    for reason, skipped in work.plan.skipped().items():
        print(f"boostbench: skipping {n_runs(len(skipped))}: {reason}", file=sys.stderr)
    outcome = Outcome()
    if todo:
        _warn_of_limits(config, means)
        with (
            showing_progress(config.name, quiet=means.quiet) as listener,
            means.executor_for(config, work.request.data) as executor,
        ):
            while todo and not outcome.ends_early:
                outcome += run_plan(
                    todo, work.store, executor, on_event=listener, fail_fast=means.fail_fast
                )
                todo = work.follow(todo)
    untouched = [planned for planned in work.plan.runs if planned.run not in work.done]
    return _tell(config, untouched, outcome, means.quiet)


def _warn_of_limits(config: Config, means: _Means) -> None:
    """Say so where the limits of a config cannot be held."""
    kinds = [kind for kind in ("time", "memory") if getattr(config.limits, kind) is not None]
    if means.executor != "local" and kinds:
        limits = f"limits on {' and '.join(kinds)} are"
        text = f"{config.name}: its {limits} only held by --executor local, not here"
        print(f"boostbench: {text}", file=sys.stderr)


def _tell(config: Config, untouched: Sequence[PlannedRun], outcome: Outcome, quiet: bool) -> int:
    earlier: dict[str, list[PlannedRun]] = {}
    for planned in untouched:
        earlier.setdefault(planned.status, []).append(planned)
    failures = [(planned, record["status"], _why(record)) for planned, record in outcome.failures]
    failures += [
        (planned, status, planned.reason)
        for status, found in earlier.items()
        if status not in ("ok", "skipped", "missing", "stale")
        for planned in found
    ]
    for planned, status, reason in failures:
        print(f"boostbench: {status}: {planned.run.id}: {reason}", file=sys.stderr)
    if failures:
        again = ",".join(sorted({status for _, status, _ in failures}))
        command = f"{_command_without_retry()} --retry {again}"
        print(f"boostbench: to do these again: {command}", file=sys.stderr)
    if not quiet or outcome.interrupted:
        print(_summary(config, earlier, outcome))
    if outcome.interrupted:
        return INTERRUPTED
    return INCOMPLETE if failures or outcome.n_left or earlier.get("skipped") else OK


def _summary(config: Config, earlier: dict[str, list[PlannedRun]], outcome: Outcome) -> str:
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
    text = f"{config.name}: {n_runs(total)}: {', '.join(parts)}"
    if outcome.interrupted:
        return f"{text}\ninterrupted; finished runs are kept, the same command does the others"
    return text


def _why(record: dict[str, Any]) -> str:
    error = record["error"] or {}
    message = str(error.get("message", "")).partition("\n")[0]
    kind = error.get("kind", "")
    return f"{kind}: {message}" if record["status"] == "failed" else message or kind


def _command_without_retry() -> str:
    words = iter(sys.argv[1:])
    kept = []
    for word in words:
        if word == "--retry":
            next(words, None)
        elif not word.startswith("--retry=") and word != "--fresh":
            kept.append(word)
    return shlex.join(["boostbench", *kept])


def n_cores() -> int:
    """Return on how many cores this process may run."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
