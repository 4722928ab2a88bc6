"""`boostbench plan`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boostbench.cli.experiments import Request, load_configs, warn_of_damage
from boostbench.cli.guard import INTERRUPTED, OK
from boostbench.cli.kinds import load_plugins
from boostbench.cli.options import (
    Configs,
    Data,
    Json,
    Only,
    Plugins,
    Results,
    Settings,
    Shard,
    Size,
    parse_shard,
)
from boostbench.cli.output import print_json, print_rows
from boostbench.cli.progress import in_words, n_runs

if TYPE_CHECKING:
    from boostbench.experiments.configs.config import Config
    from boostbench.experiments.planning.plan import Plan, PlannedRun

__all__ = ["plan"]


def plan(
    configs: Configs,
    *,
    data: Data,
    results: Results = Path("results"),
    jobs: Annotated[int, typer.Option(metavar="N", min=1, help="For the estimated time.")] = 1,
    sample: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="First do so many of the runs of each booster on each data set, which are kept.",
        ),
    ] = 0,
    only: Only,
    settings: Settings,
    size: Size = None,
    shard: Shard = None,
    plugin: Plugins,
    as_json: Json = False,
) -> int:
    """Show what `run` would do, why, and how long it takes.

    Nothing is trained unless a sample is asked for. Times are judged by the runs that are done.

    Examples:
      boostbench plan noise20 --data DIR
      boostbench plan configs/noise20.yaml --set rounds=100 --json
      boostbench plan noise20 --size full --sample 1 --jobs 2
    """
    from boostbench.experiments.store.records import RecordStore

    load_plugins(plugin)
    loaded = load_configs(configs, settings, size=size, data=data, check_parameters=True)
    request = Request(loaded, results, tuple(data), tuple(only), parse_shard(shard))
    store = RecordStore(results)
    for config in loaded if sample else ():
        runs = _sample(request.plan(config, store, check_packages=True), sample)
        if not request.carry_out(config, store, runs, jobs=jobs, quiet=as_json):
            return INTERRUPTED
    plans = [(config, request.plan(config, store, check_packages=True)) for config in loaded]
    warn_of_damage(store)
    if as_json:
        print_json([row for config, its in plans for row in _rows(config, its)])
    else:
        for config, its in plans:
            _print(config, its, jobs)
    return OK


def _sample(plan: Plan, n: int) -> list[PlannedRun]:
    """Return the runs to do so that n of each booster on each data set are done."""
    done = Counter((p.run.data, p.run.booster.name) for p in plan.runs if p.status == "ok")
    found = []
    for planned in plan.todo():
        kind = planned.run.data, planned.run.booster.name
        if done[kind] < n:
            done[kind] += 1
            found.append(planned)
    return found


def _rows(config: Config, plan: Plan) -> list[dict[str, Any]]:
    todo = {planned.run for planned in plan.todo()}
    return [
        {
            "config": config.name,
            "id": planned.run.id,
            "dataset": planned.run.dataset,
            "booster": planned.run.method,
            "noise": planned.run.noise.label,
            "seed": planned.run.seed,
            "rounds": planned.run.rounds,
            "status": planned.status,
            "reason": planned.reason,
            "would_run": planned.run in todo,
            "seconds": round(planned.seconds, 3),
            "key": str(planned.key),
        }
        for planned in plan.runs
    ]


def _print(config: Config, plan: Plan, jobs: int) -> None:
    todo = plan.todo()
    counts = ", ".join(f"{count} {status}" for status, count in plan.counts().items())
    seconds = sum(planned.seconds for planned in todo) / jobs
    print(f"{config.name}: {n_runs(len(plan.runs))}: {counts}")
    if todo:
        print(f"would do {n_runs(len(todo))} in about {in_words(seconds)} (--jobs {jobs})")
    if plan.n_open:
        print(f"more runs may follow: {plan.n_open} choices of parameters are not made yet")
    groups: dict[tuple[str, str, str], list[PlannedRun]] = {}
    for planned in plan.runs:
        if planned.status != "ok":
            place = (planned.run.dataset, planned.status, planned.reason)
            groups.setdefault(place, []).append(planned)
    rows = [
        {
            "dataset": dataset,
            "runs": len(group),
            "status": status,
            "time": "" if status == "skipped" else in_words(sum(p.seconds for p in group)),
            "why": reason,
        }
        for (dataset, status, reason), group in groups.items()
    ]
    if rows:
        print_rows(rows)
