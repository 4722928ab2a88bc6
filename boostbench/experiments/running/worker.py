"""From a job to a record, whatever happens: the code that runs inside a worker process."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from boostbench import inputs, registry
from boostbench.errors import BoostbenchError, ChangedError, DataUnavailableError
from boostbench.experiments.running import environment
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Record, complaint

__all__ = [
    "LOG_LINES",
    "Job",
    "compile_kernels",
    "failure",
    "load_plugins",
    "now",
    "perform",
    "start_worker",
    "tail",
]

#: Lines of a run's output that a failure record keeps.
LOG_LINES = 20


@dataclass(frozen=True)
class Job:
    """A run with what a worker needs to know to carry it out.

    Attributes
    ----------
    run : Run
    key : Key
    data_dirs : tuple of str
    plugins : tuple of str
        Files to load first.
    memory_limit : int or None
        Bytes.
    log : str
        File that takes the run's output; empty: output is left alone.
    sources : tuple of (str, str)
        Path and digest of the files that the key's code was made from.
    """

    run: Run
    key: Key
    data_dirs: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    memory_limit: int | None = None
    log: str = ""
    sources: tuple[tuple[str, str], ...] = ()


def start_worker() -> None:
    """Prepare a worker process: it dies with its parent, uses one thread, tells why it crashes."""
    environment.die_with_parent()
    environment.limit_threads(1)
    inputs.watch()
    faulthandler.enable()


def perform(job: Job, *, raise_errors: bool = False) -> Record:
    """Carry out a job and return its record.

    Parameters
    ----------
    job : Job
    raise_errors : bool, default=False
        Let exceptions of the run through, for a debugger.

    Returns
    -------
    record : Record
        Status ``ok``, or ``failed``, ``out-of-memory``, ``skipped`` or ``stale`` (data or code
        changed meanwhile) with the reason.
    """
    started = now()
    environment.reset_peak_memory()
    with _captured(job.log) if job.log else nullcontext():
        try:
            with environment.memory_limit(job.memory_limit):
                outcome = _execute(job)
            status, error = "ok", None
        except (Exception, SystemExit) as problem:
            if raise_errors:
                raise
            status, error = _status_of(problem), _told(problem, job)
            outcome = {}
    return _record(job, status, error, outcome, started)


def compile_kernels(jobs: Sequence[Job]) -> None:
    """Have compiled, and stored on disk, what the boosters of some jobs need."""
    from boostbench.experiments.running.run import warm_up

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    environment.die_with_parent()
    for job in jobs:
        with suppress(BoostbenchError):
            load_plugins(job)
        warm_up(job.run)


def failure(job: Job, status: str, kind: str, message: str, started: str) -> Record:
    """Return the record of a job whose worker could not write one itself."""
    error = {"kind": kind, "message": message, "log_tail": tail(job.log)}
    return _record(job, status, error, {}, started, alive=False)


def tail(log: str, lines: int = LOG_LINES) -> list[str]:
    """Return the last lines of a file; none if there is no such file."""
    try:
        text = Path(log).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-lines:]


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def _execute(job: Job) -> dict[str, Any]:
    from boostbench.experiments.running.run import execute  # heavy: numpy, scikit-learn, numba

    inputs.watch()
    load_plugins(job)
    inputs.check_sources(job.sources)
    with inputs.noting(inputs.plugin_of(job.sources)):
        if job.run.validation is not None:
            from boostbench.experiments.running.crossfit import cross_validate

            outcome = cross_validate(job.run, job.data_dirs, job.key.data)
        else:
            outcome = execute(job.run, job.data_dirs, job.key.data)
    inputs.check_sources(job.sources)
    return {**outcome, "inputs": inputs.seen(job.sources)}


def load_plugins(job: Job) -> None:
    """Have the plugin files of a job loaded."""
    for plugin in job.plugins:
        registry.load_plugin(Path(plugin))


def _status_of(problem: BaseException) -> str:
    if isinstance(problem, MemoryError):
        return "out-of-memory"
    if isinstance(problem, ChangedError):
        return "stale"
    return "skipped" if isinstance(problem, DataUnavailableError) else "failed"


def _told(problem: BaseException, job: Job) -> dict[str, Any]:
    """Return what a record says of an exception; the traceback is its log's last part."""
    message = str(problem)
    if isinstance(problem, MemoryError) and job.memory_limit is not None:
        limit = f"needs more than the memory limit of {job.memory_limit / 2**20:.0f} MiB"
        message = f"{limit} ({message})" if message else limit
    printed = "".join(traceback.format_exception(problem)).splitlines()
    sys.stdout.flush()
    sys.stderr.flush()
    return {
        "kind": type(problem).__name__,
        "message": message,
        "log_tail": [*tail(job.log), *printed][-LOG_LINES:],
    }


def _record(
    job: Job,
    status: str,
    error: dict[str, Any] | None,
    outcome: dict[str, Any],
    started: str,
    *,
    alive: bool = True,
) -> Record:
    facts: dict[str, Any] = {
        "key": job.key,
        "run": job.run.value(),
        "peak_memory_mb": environment.peak_memory_mb() if alive else None,
        "versions": environment.versions(job.run.booster.source.partition(".")[0]),
        "host": environment.host(),
        "threads": environment.threads() if alive else {},
        "started": started,
        "finished": now(),
    }
    try:
        return Record.model_validate({"status": status, "error": error, **outcome, **facts})
    except ValidationError as problem:  # a plugin gave back what is no result
        error = {"kind": "RecordError", "message": complaint(problem)}
        return Record.model_validate({"status": "failed", "error": error, **facts})


@contextmanager
def _captured(log: str) -> Iterator[None]:
    """Send everything that is printed, by Python or by compiled code, to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = [os.dup(fd) for fd in (1, 2)]
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
    try:
        os.dup2(file, 1)
        os.dup2(file, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for fd, kept in zip((1, 2), before, strict=True):
            os.dup2(kept, fd)
            os.close(kept)
        os.close(file)
