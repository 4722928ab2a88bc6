"""`boostbench status`."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import Json, SelectedRuns, Verbose
from boostbench.cli.output import print_groups, print_json, print_log, print_rows
from boostbench.cli.progress import n_runs

if TYPE_CHECKING:
    from boostbench.experiments.planning.plans import Plan


_EVERY_SECONDS = 5.0
_Watch = Annotated[
    bool,
    typer.Option(
        "--watch", help="Wait until no process is at work, with a line after each change."
    ),
]


def status(
    *,
    selection: SelectedRuns,
    watch: _Watch = False,
    verbose: Verbose = False,
    as_json: Json = False,
) -> int:
    """Show which runs are done, failed, stale, missing or in progress.

    A run is stale if its code or data have changed, and in progress if any process that shares the
    results folder does it. Runs with other versions of packages are counted. The exit code is 1 if
    a run failed or was skipped.

    Examples:
      boostbench status noise20
      boostbench status noise20 --watch
      boostbench status noise20 --results DIR --json
    """
    from boostbench.experiments.store.record import FAILURES

    if watch:
        _wait_for_runs(selection)
    plan = _plan(selection)
    if as_json:
        print_json(plan.rows())
    else:
        _print(plan)
        if busy := _in_progress(plan, selection.results):
            print(busy)
        for planned in {p.reason: p for p in plan.runs}.values() if verbose else ():
            print_log(planned.record() if planned.status in FAILURES else None)
    return OK if plan.counts().keys() <= {"ok", "missing", "stale"} else INCOMPLETE


def _plan(selection: SelectedRuns) -> Plan:
    """Return the runs of the selected configs."""
    from boostbench.experiments.planning.plans import Plan

    experiments = selection.load(check_parameters=False)
    plans = [experiment.plan(check_packages=False) for experiment in experiments]
    return Plan(tuple(planned for part in plans for planned in part.runs))


def _in_progress(plan: Plan, results: Path) -> str:
    """Return the numbers of runs in progress and of processes at work as text; empty for none."""
    from boostbench.experiments.store.locks import locked_runs

    locked = locked_runs(results / "runs")
    owners = [locked[key] for planned in plan.runs if (key := str(planned.key)) in locked]
    n = len(set(owners))
    processes = "process" if n == 1 else "processes"
    return f"{len(owners)} in progress in {n} {processes}" if owners else ""


def _wait_for_runs(selection: SelectedRuns) -> None:
    """Print a line after each change until no run is left, or no process is at work any more."""
    last_line, were_busy = "", False
    while True:
        plan = _plan(selection)
        busy = _in_progress(plan, selection.results)
        by_status = ", ".join(f"{n} {status}" for status, n in plan.counts().items())
        line = f"{n_runs(len(plan.runs))}: {by_status}" + (busy and f"; {busy}")
        if line != last_line:
            print(line, file=sys.stderr, flush=True)
        last_line, were_busy = line, were_busy or bool(busy)
        if not plan.counts().keys() & {"missing", "stale"} or (were_busy and not busy):
            return
        time.sleep(_EVERY_SECONDS)


def _print(plan: Plan) -> None:
    per_dataset: dict[str, Counter[str]] = {}
    for planned in plan.runs:
        per_dataset.setdefault(planned.run.dataset, Counter())[planned.status] += 1
    per_dataset["all"] = Counter(plan.counts())
    print_rows(
        [
            {"dataset": name, "runs": counts.total(), **{s: counts[s] for s in plan.counts()}}
            for name, counts in per_dataset.items()
        ]
    )
    counts_by_version = Counter(planned.versions for planned in plan.runs if planned.versions)
    for versions, n in counts_by_version.items():
        print(f"{n_runs(n)} done with {versions}; `run --fresh` repeats all runs")
    print_groups(plan, left_out=("ok", "missing"))
