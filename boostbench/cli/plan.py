"""`boostbench plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boostbench.cli.guard import OK
from boostbench.cli.options import Json, SelectedRuns, Shard, parse_shard
from boostbench.cli.output import print_groups, print_json
from boostbench.cli.progress import n_runs

if TYPE_CHECKING:
    from boostbench.experiments.planning.plans import Plan


def plan(
    *,
    selection: SelectedRuns,
    shard: Shard = None,
    as_json: Json = False,
) -> int:
    """Show the runs that `run` would do, with reasons.

    Nothing is trained.

    Examples:
      boostbench plan noise20 --data DIR
      boostbench plan configs/noise20.yaml --set rounds=100 --json
      boostbench plan noise20 --size full
    """
    experiments = selection.load(shard=parse_shard(shard))
    plans = [(experiment.config.name, experiment.plan()) for experiment in experiments]
    if as_json:
        print_json([{"config": name, **row} for name, plan in plans for row in plan.rows()])
    else:
        for name, each in plans:
            _print(name, each)
    return OK


def _print(name: str, plan: Plan) -> None:
    todo = plan.todo()
    counts = ", ".join(f"{count} {status}" for status, count in plan.counts().items())
    print(f"{name}: {n_runs(len(plan.runs))}{f': {counts}' if counts else ''}")
    if todo:
        print(f"would do {n_runs(len(todo))}")
    if plan.n_open:
        print(f"more runs may follow: {plan.n_open} parameter selections are still open")
    print_groups(plan, left_out=("ok",))
