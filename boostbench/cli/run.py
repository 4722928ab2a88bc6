"""`boostbench plan`, `run` and `status`, and the display of progress."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from boostbench.cli.options import Jobs, Json, Quiet, Retry, SelectedRuns, flag, next_line, option
from boostbench.cli.output import INCOMPLETE, OK, is_fancy, print_error, print_json, print_rows
from boostbench.reports.text import duration, visible

if TYPE_CHECKING:
    from boostbench.api import Experiment, Listener
    from boostbench.experiments.planning.plans import Plan
    from boostbench.experiments.running.conduct import Progress
    from boostbench.experiments.runs import Run


_EVERY_SECONDS = 5.0
_FIRST_LINE_SECONDS, _LINE_SECONDS, _COMPILE_SECONDS = 5, 30, 60
_CLEAR = "\033[2K"  # erases the line on a terminal
_Shard = Annotated[
    str | None, option("I/N", "Only the I-th of N parts of the runs, for batch jobs.")
]


def run(
    *,
    selection: SelectedRuns,
    jobs: Jobs = None,
    executor: Annotated[
        str,
        option(
            "NAME",
            "local: worker processes; inline: this process; tcp://HOST:PORT: the Dask cluster "
            "whose scheduler has this address.",
        ),
    ] = "local",
    retry: Retry,
    fresh: Annotated[bool, flag("Repeat all runs.", "--fresh")] = False,
    shard: _Shard = None,
    quiet: Quiet = False,
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
    experiments = selection.load(shard=shard, check_parameters=False)
    plans = [experiment.plan() for experiment in experiments]
    if fresh or retry or any(each.todo() for each in plans):
        selection.load()  # checks parameters; only if runs are left, since it imports boosters
    do = partial(run_and_print, quiet=quiet, jobs=jobs, executor=executor, retry=retry, fresh=fresh)
    code = max(map(do, experiments, plans))
    if not quiet and not shard:
        print(next_line("report", *selection.configs, **vars(selection)))
    return code


def run_and_print(experiment: Experiment, plan: Plan, *, quiet: bool, **options: Any) -> int:
    """Run an experiment, print progress and outcome, and return the exit code.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, when the finished runs are written.
    """
    name = experiment.config.name
    for reason, n in plan.skipped().items():
        print_error(f"skipping {n_runs(n)}: {reason}")
    with showing_progress(name, quiet=quiet) as listener:
        outcome = experiment.run(**options, plan=plan, on_event=listener)
    has_failed = _print_failures(outcome)
    if not quiet or outcome.interrupted:
        print(_summary(name, outcome))
    if outcome.interrupted:
        print("interrupted; finished runs are kept, the same command does the remaining runs")
        raise KeyboardInterrupt
    statuses = {planned.status for planned in outcome.untouched}
    return INCOMPLETE if has_failed or outcome.n_left or "skipped" in statuses else OK


def _print_failures(outcome: Progress) -> bool:
    """Print the runs that failed now or earlier, equal failures once; return whether any did."""
    from boostbench.experiments.store.record import FAILURES

    earlier = ((p, p.record()) for p in outcome.untouched if p.status in FAILURES)
    kinds: dict[tuple[str, str], list[str]] = {}
    for planned, record in (*outcome.failures, *earlier):
        if record is not None:
            kinds.setdefault((record.status, record.why), []).append(planned.run.id)
    for (status, reason), ids in kinds.items():
        others = f" (and {len(ids) - 1} more with this error)" if len(ids) > 1 else ""
        print_error(f"{status}: {ids[0]}: {reason.partition(chr(10))[0]}{others}")
    if statuses := ",".join(sorted({status for status, _ in kinds} & {*FAILURES})):
        print_error(f"--retry {statuses} repeats these runs; `status -v` shows the tracebacks")
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


def plan(*, selection: SelectedRuns, shard: _Shard = None, as_json: Json = False) -> None:
    """Show the runs that `run` would do, with reasons.

    Nothing is trained.

    Examples:
      boostbench plan noise20 --data DIR
      boostbench plan configs/noise20.yaml --set rounds=100 --json
      boostbench plan noise20 --size full
    """
    plans = {each.config.name: each.plan() for each in selection.load(shard=shard)}
    _print_plans(plans, as_json=as_json)


def status(
    *,
    selection: SelectedRuns,
    watch: Annotated[
        bool, flag("Wait until no process is at work, with a line after each change.", "--watch")
    ] = False,
    verbose: Annotated[
        bool, flag("Print the full traceback of a failure.", "--verbose", "-v")
    ] = False,
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
    if watch:
        _wait_for_runs(selection)
    experiments = selection.load(check_parameters=False)
    plans = {each.config.name: each.plan(check_packages=False) for each in experiments}
    _print_plans(plans, as_json=as_json)
    runs = [planned for plan in plans.values() for planned in plan.runs]
    if not as_json and (busy := _in_progress(plans.values(), selection.results)):
        print(busy)
    for planned in {p.reason: p for p in runs}.values() if verbose else ():
        record = planned.record()
        for line in record.error.log_tail if record and record.error else ():
            print(f"  {visible(line)}", file=sys.stderr)
    return OK if {p.status for p in runs} <= {"ok", "missing", "stale"} else INCOMPLETE


def _print_plans(plans: Mapping[str, Plan], *, as_json: bool) -> None:
    """Print the numbers of runs by status, and those not done by data set and reason."""
    if as_json:
        print_json([{"config": name, **row} for name, plan in plans.items() for row in plan.rows()])
    for name, plan in plans.items() if not as_json else ():
        print(f"{name}: {_counts(plan)}")
        if plan.n_open:
            print(f"more runs may follow: {plan.n_open} parameter selections are still open")
        for versions, n in Counter(each.versions for each in plan.runs if each.versions).items():
            print(f"{n_runs(n)} done with {versions}; `run --fresh` repeats all runs")
        groups: dict[tuple[str, str, str], list[Run]] = {}
        for each in plan.runs:
            groups.setdefault((each.run.dataset, each.status, each.reason), []).append(each.run)
        rows = []
        for (dataset, status, reason), runs in groups.items():
            if status != "ok":
                what = runs[0].id if len(runs) == 1 else dataset
                rows.append({"what": what, "runs": len(runs), "status": status, "why": reason})
        if rows:
            print()
            print_rows(rows)


def _counts(plan: Plan) -> str:
    counts = ", ".join(f"{count} {status}" for status, count in plan.counts().items())
    return f"{n_runs(len(plan.runs))}{f': {counts}' if counts else ''}"


def _in_progress(plans: Iterable[Plan], results: Path) -> str:
    """Return the numbers of runs in progress and of processes at work as text; empty for none."""
    from boostbench.experiments.store.locks import locked_runs

    locked = locked_runs(results / "runs")
    keys = {str(planned.key) for plan in plans for planned in plan.runs}
    owners = [owner for key, owner in locked.items() if key in keys]
    processes = f"{n} processes" if (n := len({*owners})) > 1 else "1 process"
    return f"{len(owners)} in progress in {processes}" if owners else ""


def _wait_for_runs(selection: SelectedRuns) -> None:
    """Print a line after each change until no run is left, or no process is at work any more."""
    last_line, were_busy = "", False
    while True:
        plans = [each.plan(check_packages=False) for each in selection.load(check_parameters=False)]
        busy = _in_progress(plans, selection.results)
        line = "; ".join(filter(None, [*map(_counts, plans), busy]))
        if line != last_line:
            print(line, file=sys.stderr, flush=True)
        last_line, were_busy = line, were_busy or bool(busy)
        is_left = any(plan.counts().keys() & {"missing", "stale"} for plan in plans)
        if not is_left or (were_busy and not busy):
            return
        time.sleep(_EVERY_SECONDS)


@contextmanager
def showing_progress(name: str, *, quiet: bool = False) -> Iterator[Listener | None]:
    """Yield a listener for `run_plan` that shows progress on stderr; None if ``quiet``.

    On a terminal it is one line that is overwritten; elsewhere there is a line now and then.
    """
    is_live = is_fancy(sys.stderr)
    next_time, notice = time.monotonic() + _FIRST_LINE_SECONDS, ""

    def listen(progress: Progress) -> None:
        nonlocal next_time, notice
        if is_live:
            running = [planned.run.id for planned in progress.running[:2]]
            parts = [_note(progress), progress.notice or ", ".join(running)]
            width = shutil.get_terminal_size().columns - 1
            text = f"{name}: {'; '.join(filter(None, parts))}"[:width]
            print(f"{_CLEAR}{text}", end="\r", file=sys.stderr, flush=True)
            return
        if progress.notice != notice:
            notice = progress.notice
            print(f"{name}: {notice or 'continuing'}", file=sys.stderr, flush=True)
        if time.monotonic() >= next_time:
            next_time = time.monotonic() + _LINE_SECONDS
            print(f"{name}: {_note(progress)}", file=sys.stderr, flush=True)

    try:
        yield None if quiet else listen
    finally:
        if is_live:
            print(_CLEAR, end="", file=sys.stderr, flush=True)


def n_runs(n: int) -> str:
    """Return ``"1 run"``, ``"2 runs"``, ..."""
    return f"{n} run" if n == 1 else f"{n} runs"


def _note(progress: Progress) -> str:
    parts = [f"{progress.done}/{progress.total} runs", duration(progress.seconds)]
    if progress.running and not progress.done and progress.seconds < _COMPILE_SECONDS:
        parts.append("kernels are compiled once, up to a minute")
    if not math.isnan(progress.remaining):
        parts.append(f"about {duration(progress.remaining)} left")
    if progress.failures:
        parts.append(f"{len(progress.failures)} failed")
    return ", ".join(parts)
