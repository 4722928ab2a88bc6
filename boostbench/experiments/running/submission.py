"""Submission of runs as Slurm jobs, through submitit (the extra ``slurm``).

A job executes a batch of runs as `boostbench run` does: it plans them again, so that finished runs
are not repeated, locks each run and writes each record as the run ends. Jobs may therefore be
killed, preempted, requeued or submitted again at any time. The runs of each job are stored in
``<results>/.jobs``, one JSON file per submission; jobs unknown to the batch system are ignored.
"""

from __future__ import annotations

import getpass
import json
import logging
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from boostbench import registry
from boostbench.errors import BoostbenchError, import_extra
from boostbench.experiments.configs.quantities import NO_LIMITS, RunLimits
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.planning.plans import PlannedRun
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.locks import RunLocks
from boostbench.experiments.store.records import RecordStore
from boostbench.whole_files import write_file

#: Default of Slurm for the maximum array size.
_MOST_BATCHES = 1000
#: Time for which an interrupted job waits to be killed, since only killed jobs are requeued.
_GRACE_SECONDS = 600.0
_MOST_TIMEOUTS = 10
#: Minimum time limit of a job; it includes the start and, after an update, compilation.
_LEAST_JOB_SECONDS = 900.0
_WORKER_GB = 1.0
#: Lock that a command holds while it submits.
_SUBMITTING = Key("submission", 0, "", "")


@dataclass(frozen=True)
class Batch:
    """Runs of one job; the job calls this object.

    Attributes
    ----------
    runs : tuple of Run
    results : str
        Folder of the records, shared by all machines.
    data_dirs, plugins : tuple of str
    jobs : int
        Number of simultaneous runs.
    limits : RunLimits
        Of each run.
    retry : tuple of str
        See `Experiment.run`.
    """

    runs: tuple[Run, ...]
    results: str
    data_dirs: tuple[str, ...]
    plugins: tuple[str, ...] = ()
    jobs: int = 1
    limits: RunLimits = NO_LIMITS
    retry: tuple[str, ...] = ()

    def __call__(self) -> dict[str, int]:
        """Carry out the runs and return the number of runs by status."""
        for plugin in self.plugins:
            registry.use_plugin(Path(plugin))
        store = RecordStore(self.results)
        plan = make_plan(self.runs, store, self.data_dirs, check_packages=True)
        with LocalExecutor(self.jobs, self.data_dirs, self.limits) as executor:
            outcome = run_plan(plan.todo(retry=self.retry or None), store, executor)
        logging.getLogger("submitit").info("%s, %d not done", outcome.counts, outcome.n_left)
        if outcome.interrupted:
            time.sleep(_GRACE_SECONDS)
        return outcome.counts

    def checkpoint(self) -> Any:
        """Return the work of the job when submitit requeues it: the same batch."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


@dataclass(frozen=True)
class BatchJob:
    """A pending or running job.

    Attributes
    ----------
    number : str
        Job id in the batch system.
    state : str
        State reported by the batch system, such as ``"PENDING"`` or ``"RUNNING"``.
    runs : tuple of str
        Ids of the runs of the job: value and rounds.
    """

    number: str
    state: str
    runs: tuple[str, ...]


def submit_runs(todo: Sequence[PlannedRun], template: Batch, **how: Any) -> list[BatchJob]:
    """Submit runs as an array of jobs.

    Parameters
    ----------
    todo : sequence of PlannedRun
        Runs to submit; runs that a job already has are left out.
    template : Batch
        Settings of all batches, without runs.
    **how
        ``cluster``: ``slurm``, or ``local`` for processes of this machine; ``name`` of the jobs;
        ``most_jobs``: maximum number of simultaneous jobs; ``job_time``: time limit in seconds,
        about half of which a batch is expected to take; ``options`` of sbatch.

    Returns
    -------
    jobs : list of BatchJob
        The submitted jobs.

    Raises
    ------
    BoostbenchError
        If submitit is missing or the batch system rejects the jobs.
    """
    submitit = import_extra("submitit", "slurm", where="submit")
    store = RecordStore(template.results)
    store.prepare()
    with closing(RunLocks(store.folder)) as locks:
        if not locks.take(_SUBMITTING):
            what = "another command is submitting runs; try again later"
            raise BoostbenchError(what, where=template.results)
        taken = {run for job in jobs_under_way(template.results) for run in job.runs}
        left = [planned for planned in todo if _run_id(planned.key) not in taken]
        return _submit(submitit, left, template, **how) if left else []


def _submit(
    submitit: Any,
    todo: Sequence[PlannedRun],
    template: Batch,
    *,
    cluster: str,
    name: str,
    most_jobs: int,
    job_time: float,
    options: Mapping[str, str],
) -> list[BatchJob]:
    folder = Path(template.results) / ".jobs"
    most = _MOST_BATCHES if cluster == "slurm" else most_jobs
    batches = [*_batches(todo, template.jobs * job_time / 2, most)]
    longest = max(sum(planned.seconds for planned in batch) for batch in batches) / template.jobs
    parameters: dict[str, Any] = {
        "name": name,
        "timeout_min": round(max(job_time, 2 * longest, _LEAST_JOB_SECONDS) / 60),
        "cpus_per_task": template.jobs * (template.limits.threads or 1),
        "stderr_to_stdout": True,
        "slurm_array_parallelism": most_jobs,
        "slurm_additional_parameters": {"requeue": True, **options},
    }
    if template.limits.memory is not None:
        parameters["mem_gb"] = template.jobs * template.limits.memory / 2**30 + _WORKER_GB
    try:
        folder.mkdir(parents=True, exist_ok=True)
        executor = submitit.AutoExecutor(
            folder / "logs",
            cluster=cluster,
            **{f"{cluster}_max_num_timeout": _MOST_TIMEOUTS},
        )
        executor.update_parameters(**parameters)
        with executor.batch():
            jobs = [
                executor.submit(replace(template, runs=tuple(planned.run for planned in batch)))
                for batch in batches
            ]
    except (RuntimeError, subprocess.SubprocessError, ValueError) as error:
        what = f"the jobs were rejected: {str(error).strip().splitlines()[-1]}"
        raise BoostbenchError(what, where=f"--{cluster}") from error
    submitted = [
        BatchJob(str(job.job_id), "PENDING", tuple(_run_id(planned.key) for planned in batch))
        for job, batch in zip(jobs, batches, strict=True)
    ]
    content = {"cluster": cluster, "jobs": {job.number: job.runs for job in submitted}}
    write_file(folder / f"{uuid.uuid4().hex[:12]}.json", json.dumps(content).encode())
    return submitted


def jobs_under_way(results: str | Path) -> list[BatchJob]:
    """Return the pending and running jobs of a results folder; remove files of finished jobs.

    Raises
    ------
    BoostbenchError
        If the batch system does not answer.
    """
    active: list[BatchJob] = []
    states: dict[str, dict[str, str]] = {}
    for path in sorted((Path(results) / ".jobs").glob("*.json")):
        try:
            content = json.loads(path.read_bytes())
            cluster = str(content["cluster"])
            jobs = {number: tuple(runs) for number, runs in content["jobs"].items()}
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
        if cluster not in states:
            states[cluster] = _slurm_states() if cluster == "slurm" else _local_states()
        known = states[cluster]
        left = [BatchJob(job, known[job], runs) for job, runs in jobs.items() if job in known]
        active += left
        if not left:
            with suppress(OSError):
                path.unlink()
    return active


def _batches(todo: Sequence[PlannedRun], seconds: float, most: int) -> Iterator[list[PlannedRun]]:
    """Split runs, in order, into at most ``most`` batches of about ``seconds`` of work."""
    seconds = max(seconds, sum(planned.seconds for planned in todo) / most * (1 + 1e-9))
    done, number = 0.0, 0
    batch: list[PlannedRun] = []
    for planned in todo:
        done += planned.seconds
        batch.append(planned)
        if done >= (number + 1) * seconds:
            number = int(done / seconds)
            yield batch
            batch = []
    if batch:
        yield batch


def _slurm_states() -> dict[str, str]:
    """Return the states of the active Slurm jobs of this user by job id."""
    command = ["squeue", f"--user={getpass.getuser()}", "--array", "--noheader", "--format=%i %T"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    except (OSError, subprocess.SubprocessError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        what = f"cannot list the jobs: {reason.strip()}"
        raise BoostbenchError(what, where="squeue") from error
    words = (line.split() for line in answer.stdout.splitlines())
    return {pair[0]: pair[1] for pair in words if len(pair) == 2}


def _local_states() -> dict[str, str]:
    """Return the states of the jobs that are processes of this machine, by process id."""
    states = {}
    for process in psutil.process_iter(["cmdline"]):
        if "submitit.local._local" in (process.info["cmdline"] or ()):
            states[str(process.pid)] = "RUNNING"
    return states


def _run_id(key: Key) -> str:
    """Return the id of a run, without code and data, which the job determines itself."""
    return f"{key.value}-{key.rounds}"
