"""`boostbench status`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boostbench.cli.guard import INCOMPLETE, OK
from boostbench.cli.options import AnyRuns, Json, Verbose
from boostbench.cli.output import print_error, print_json, print_log, print_rows
from boostbench.cli.progress import n_runs
from boostbench.errors import BoostbenchError

if TYPE_CHECKING:
    from boostbench.experiments.planning.plans import Plan
    from boostbench.experiments.running.submission import BatchJob


def status(*, selection: AnyRuns, verbose: Verbose = False, as_json: Json = False) -> int:
    """Show which runs are done, failed, stale, missing or skipped.

    Without a config, all records of the results folder are shown. A run is stale if its code, its
    data or a file that its plugin read has changed. Changes of files that a plugin reads in
    compiled code, in another process or over the network are not detected. Runs with other versions
    of numpy, scipy, scikit-learn and numba are counted. The exit code is 1 if a run failed or was
    skipped.

    Examples:
      boostbench status noise20
      boostbench status --results DIR --json
    """
    from boostbench.experiments.planning.plans import Plan
    from boostbench.experiments.store.record import FAILURES
    from boostbench.experiments.store.records import RecordStore

    if selection.configs:
        experiments = selection.load(check_parameters=False)
        plans = [experiment.plan(check_packages=False) for experiment in experiments]
        plan = Plan(tuple(planned for part in plans for planned in part.runs))
    else:
        plan = Plan.of(RecordStore(selection.results))
    if as_json:
        print_json(plan.rows())
    else:
        _print(plan)
        _print_jobs(selection.results)
        for planned in {p.reason: p for p in plan.runs}.values() if verbose else ():
            print_log(planned.record() if planned.status in FAILURES else None)
    return OK if plan.counts().keys() <= {"ok", "missing", "stale"} else INCOMPLETE


def jobs_in_words(jobs: Sequence[BatchJob], prefix: str = "") -> str:
    """Return text such as ``"3 jobs running, 5 jobs pending"`` after a prefix; empty if no jobs."""
    states = Counter(job.state.lower() for job in jobs)
    return prefix + ", ".join(f"{n} jobs {state}" for state, n in states.items()) if jobs else ""


def _print_jobs(results: Path) -> None:
    from boostbench.experiments.running.submission import jobs_under_way

    try:
        jobs = jobs_under_way(results)
    except BoostbenchError as error:
        print_error(str(error))
        return
    if jobs:
        print(jobs_in_words(jobs))


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
        print(f"{n_runs(n)} done with {versions}; `run --strict` repeats them")
    problems = [
        {
            "what": runs[0].run.id if len(runs) == 1 else f"{dataset} ({n_runs(len(runs))})",
            "status": status,
            "reason": reason,
        }
        for (dataset, status, reason), runs in plan.groups().items()
        if status not in ("ok", "missing")
    ]
    if problems:
        print()
        print_rows(problems)
