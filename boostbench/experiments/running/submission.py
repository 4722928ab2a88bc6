"""Runs as jobs of Slurm, through submitit (the extra ``slurm``).

A job does a batch of runs exactly as `boostbench run` does: it plans them again, so that what was
done meanwhile is not done twice, locks each and writes its record as it ends. So a job may be
killed, preempted, requeued or submitted again at any time. Which job has which runs is kept in
``<results>/.jobs``, one JSON file a submission, and believed only of jobs that the system knows.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from boostbench import registry
from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.planning.plans import PlannedRun
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.locks import RunLocks
from boostbench.experiments.store.records import RecordStore
from boostbench.whole_files import write_file

#: Slurm's own default for the largest array.
_MOST_BATCHES = 1000
#: A job that is asked to end waits so long to be killed: only then is it requeued.
_GRACE_SECONDS = 600.0
_MOST_TIMEOUTS = 10
#: Starting, and compiling after an update, take some of it.
_LEAST_JOB_SECONDS = 900.0
_WORKER_GB = 1.0
#: Locked while a command submits.
_SUBMITTING = Key("submission", 0, "", "")


@dataclass(frozen=True)
class Batch:
    """Runs for one job, which calls this object.

    Attributes
    ----------
    runs : tuple of Run
    results : str
        Folder of the records, seen by all machines.
    data_dirs, plugins : tuple of str
    jobs : int
        Runs at once.
    time_limit, memory_limit : float (seconds) and int (bytes), or None
        Of one run.
    threads : int or None
        As for `LocalExecutor`.
    retry : tuple of str
        As for `Experiment.run`.
    """

    runs: tuple[Run, ...]
    results: str
    data_dirs: tuple[str, ...]
    plugins: tuple[str, ...] = ()
    jobs: int = 1
    time_limit: float | None = None
    memory_limit: int | None = None
    threads: int | None = None
    retry: tuple[str, ...] = ()

    def __call__(self) -> dict[str, int]:
        """Do the runs; return how many ended with which status."""
        for plugin in self.plugins:
            registry.use_plugin(Path(plugin))
        store = RecordStore(self.results)
        plan = make_plan(self.runs, store, self.data_dirs, check_packages=True)
        with LocalExecutor(
            self.jobs,
            self.data_dirs,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            threads=self.threads,
        ) as executor:
            outcome = run_plan(plan.todo(retry=self.retry or None), store, executor)
        logging.getLogger("submitit").info("%s, %d not done", outcome.counts, outcome.n_left)
        if outcome.interrupted:
            time.sleep(_GRACE_SECONDS)
        return outcome.counts

    def checkpoint(self) -> Any:
        """Return what a job does that submitit requeues: the same."""
        from submitit.helpers import DelayedSubmission

        return DelayedSubmission(self)


@dataclass(frozen=True)
class BatchJob:
    """A job that waits or runs.

    Attributes
    ----------
    number : str
        As the system calls it.
    state : str
        In its words: ``"PENDING"``, ``"RUNNING"`` ...
    runs : tuple of str
        Value and rounds of the runs that it was given.
    """

    number: str
    state: str
    runs: tuple[str, ...]


def submit_runs(todo: Sequence[PlannedRun], template: Batch, **how: Any) -> list[BatchJob]:
    """Submit runs as an array of jobs.

    Parameters
    ----------
    todo : sequence of PlannedRun
        Those that a job has already are left out.
    template : Batch
        Without runs.
    **how
        ``cluster``, ``slurm`` or ``local``: processes of this machine; ``name`` of the jobs;
        ``most_jobs`` that run at once; ``job_time`` in seconds, for half of which batches are made;
        ``options`` for sbatch.

    Returns
    -------
    jobs : list of BatchJob
        Those that were submitted now.

    Raises
    ------
    BoostbenchError
        If submitit is absent, or the system refuses.
    """
    submitit = _submitit()
    store = RecordStore(template.results)
    store.prepare()
    with closing(RunLocks(store.folder)) as locks:
        if not locks.take(_SUBMITTING):
            raise BoostbenchError("another command submits at this moment", where=template.results)
        taken = {run for job in jobs_under_way(template.results) for run in job.runs}
        left = [planned for planned in todo if _name_of(planned.key) not in taken]
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
        "cpus_per_task": template.jobs * (template.threads or 1),
        "stderr_to_stdout": True,
        "slurm_array_parallelism": most_jobs,
        "slurm_additional_parameters": {"requeue": True, **options},
    }
    if template.memory_limit is not None:
        parameters["mem_gb"] = template.jobs * template.memory_limit / 2**30 + _WORKER_GB
    try:
        folder.mkdir(parents=True, exist_ok=True)
        executor = submitit.AutoExecutor(
            folder / "logs",
            cluster=cluster,
            **{f"{cluster}_max_num_timeout": _MOST_TIMEOUTS},
        )
        executor.update_parameters(**parameters)
        with executor.batch():
            jobs = [executor.submit(_filled(template, batch)) for batch in batches]
    except (RuntimeError, subprocess.SubprocessError, ValueError) as error:
        what = f"the jobs were not taken: {str(error).strip().splitlines()[-1]}"
        raise BoostbenchError(what, where=f"--{cluster}") from error
    found = [
        BatchJob(str(job.job_id), "PENDING", tuple(_name_of(planned.key) for planned in batch))
        for job, batch in zip(jobs, batches, strict=True)
    ]
    content = {"cluster": cluster, "jobs": {job.number: job.runs for job in found}}
    write_file(folder / f"{uuid.uuid4().hex[:12]}.json", json.dumps(content).encode())
    return found


def jobs_under_way(results: str | Path) -> list[BatchJob]:
    """Return the jobs of a results folder that wait or run; files of others are removed.

    Raises
    ------
    BoostbenchError
        If the system does not answer.
    """
    found = []
    states: dict[str, dict[str, str]] = {}
    for path in sorted((Path(results) / ".jobs").glob("*.json")):
        try:
            content = json.loads(path.read_bytes())
            cluster, jobs = (
                str(content["cluster"]),
                {k: tuple(v) for k, v in content["jobs"].items()},
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
        if cluster not in states:
            states[cluster] = _slurm_states() if cluster == "slurm" else _local_states()
        known = states[cluster]
        its = [BatchJob(job, known[job], runs) for job, runs in jobs.items() if job in known]
        found += its
        if not its:
            with suppress(OSError):
                path.unlink()
    return found


def _filled(template: Batch, batch: Sequence[PlannedRun]) -> Batch:
    return Batch(**{**vars(template), "runs": tuple(planned.run for planned in batch)})


def _batches(todo: Sequence[PlannedRun], seconds: float, most: int) -> Iterator[list[PlannedRun]]:
    """Cut runs, in their order, into at most ``most`` batches of about equal time."""
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
    """Return the states of this user's jobs that are not over."""
    command = ["squeue", f"--user={getpass.getuser()}", "--array", "--noheader", "--format=%i %T"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        what = f"does not tell which jobs there are: {said.strip()}"
        raise BoostbenchError(what, where="squeue") from error
    words = (line.split() for line in answer.stdout.splitlines())
    return {pair[0]: pair[1] for pair in words if len(pair) == 2}


def _local_states() -> dict[str, str]:
    """Return the jobs that are processes of this machine."""
    found = {}
    for process in psutil.process_iter(["cmdline"]):
        if "submitit.local._local" in (process.info["cmdline"] or ()):
            found[str(process.pid)] = "RUNNING"
    return found


def _name_of(key: Key) -> str:
    """Return value and rounds of a run: its job plans it anew if code or data change."""
    return f"{key.value}-{key.rounds}"


def _submitit() -> Any:
    try:
        import submitit
    except ModuleNotFoundError:
        what = "needs the package 'submitit'; `pip install boostbench[slurm]` brings it"
        raise BoostbenchError(what, where="submit") from None
    return submitit
