"""Execution of a job in a worker: every outcome of the booster becomes a record."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from boostbench import inputs, registry
from boostbench.errors import ChangedError, DataUnavailableError
from boostbench.experiments.configs.fields import NO_LIMITS, Limits
from boostbench.experiments.running import environment
from boostbench.experiments.runs import Run
from boostbench.experiments.store.identity import Key, folder_of
from boostbench.experiments.store.record import Record, complaint, versions
from boostbench.threads import threads

#: Number of lines of output that the record of a failed run keeps.
LOG_LINES = 100
_LONGEST_TEXT = 10_000
#: Statuses by exception; that of others is ``failed``.
_STATUSES = {MemoryError: "out-of-memory", ChangedError: "stale", DataUnavailableError: "skipped"}


@dataclass(frozen=True)
class Job:
    """A run with the settings that a worker needs to carry it out.

    Attributes
    ----------
    run : Run
    key : Key
    data_dirs : tuple of str
    plugins : tuple of str
        Plugin files to load first.
    limits : Limits
    sources : tuple of (str, str)
        Path and digest of each file that the code in the key was computed from.
    """

    run: Run
    key: Key
    data_dirs: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    limits: Limits = NO_LIMITS
    sources: tuple[tuple[str, str], ...] = ()


def perform(job: Job, *, let_through: type[BaseException] | tuple[()] = ()) -> Record:
    """Carry out a job and return its record.

    Parameters
    ----------
    job : Job
    let_through : exception type, optional
        Exception to propagate instead of recording, such as KeyboardInterrupt.

    Returns
    -------
    record : Record
        Status ``ok``, or ``failed``, ``out-of-memory``, ``skipped`` or ``stale`` (data or code
        changed during the run) with the error. Texts have bounded length and no lone surrogates.
    """
    started = now()
    environment.reset_peak_memory()
    try:
        return _record(job, started, {"status": "ok", "error": None, **_execute(job)})
    except let_through:
        raise
    except BaseException as problem:  # a booster may raise anything
        status = next((s for kind, s in _STATUSES.items() if isinstance(problem, kind)), "failed")
        return _record(job, started, {"status": status, "error": _error_fields(problem)})


def failure(
    job: Job, status: str, kind: str, message: str, started: str, log: Sequence[str] = ()
) -> Record:
    """Return the record of a job whose worker returned none."""
    error = {"kind": kind, "message": message, "log_tail": [*log]}
    return _record(job, started, {"status": status, "error": error}, is_alive=False)


def as_text(value: object) -> str:
    """Return ``str(value)``, of bounded length and without lone surrogates, even if it raises."""
    try:
        text = str(value)
    except BaseException as problem:
        text = f"<a {type(value).__name__} whose str() raises {type(problem).__name__}>"
    short = text[:_LONGEST_TEXT].encode("utf-8", "backslashreplace").decode()
    return short if len(text) <= _LONGEST_TEXT else f"{short}... ({len(text)} characters)"


def now() -> str:
    """Return the current UTC time in ISO format, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _execute(job: Job) -> dict[str, Any]:
    # Imported here because it loads numpy, scikit-learn and numba.
    from boostbench.experiments.running.execution import execute
    from boostbench.experiments.running.warm_up import Clocks, warm_up

    clocks = Clocks()
    inputs.watch()
    inputs.load_plugins(job.plugins)
    inputs.check_sources(job.sources)
    with inputs.noting(inputs.plugin_of(job.sources)), threads(job.limits.threads or 1):
        with clocks.phase("warm_up"):
            warm_up(job.run)
        fields = execute(job.run, job.data_dirs, job.key.data, clocks)
    inputs.check_sources(job.sources)
    return {
        **fields,
        "stop_reason": as_text(fields["stop_reason"]),
        "seconds": clocks.rounded(),
        "inputs": inputs.seen(job.sources, folder_of(job.run)),
    }


def _error_fields(problem: BaseException) -> dict[str, Any]:
    """Return the ``error`` field of a record; its log ends with the traceback."""
    try:
        trace = "".join(traceback.format_exception(problem))[-_LONGEST_TEXT:].splitlines()
    except BaseException:
        trace = []
    return {
        "kind": as_text(type(problem).__name__),
        "message": as_text(problem),
        "where": inputs.place_of(problem),
        "log_tail": [as_text(line) for line in trace[-LOG_LINES:]],
    }


def _record(job: Job, started: str, fields: dict[str, Any], *, is_alive: bool = True) -> Record:
    """Return the record of a job with the given status, error and results."""
    booster = job.run.booster.component
    module = registry.boosters.module(booster) if booster in registry.boosters else ""
    facts: dict[str, Any] = {
        "key": job.key,
        "run": job.run.value(),
        "peak_memory_mb": environment.peak_memory_mb() if is_alive else None,
        "versions": versions(module.partition(".")[0]),
        "host": environment.host(),
        "threads": {"boostbench": job.limits.threads or 1} if is_alive else {},
        "started": started,
        "finished": now(),
    }
    try:
        return Record.model_validate(fields | facts)
    except ValidationError as problem:  # a plugin returned an invalid result
        error = {"kind": "RecordError", "message": complaint(problem)}
        return Record.model_validate({"status": "failed", "error": error, **facts})
