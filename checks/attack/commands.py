"""The command under attack, and the records that it writes."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

from boostbench.cli import main
from boostbench.experiments.store.records import RecordStore

#: Fields of a record that must not differ; times, machine and memory may.
RESULT = ("run", "status", "curves", "round_zero", "n_rounds", "noise")


def run_command(config: Path, results: Path, *options: str) -> list[str]:
    """Return the command line that runs a config with two workers."""
    command = [sys.executable, "-m", "boostbench", "run", str(config), "--results", str(results)]
    return [*command, "--jobs", "2", *options]


def problem_running(arguments: list[str]) -> str:
    """Run the program in this process; return a description of a failure."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    if code not in (0, 1, 2) or "Traceback" in err.getvalue():
        return f"{' '.join(arguments)}: exit {code}: {err.getvalue()[-300:]}"
    return ""


def records_of(results: Path) -> dict[str, dict[str, Any]]:
    """Return the results of all undamaged records in a folder, by key."""
    store = RecordStore(results)
    records = (store.read(path) for path in store.all_paths())
    return {
        str(record.key): {name: record.plain().get(name) for name in RESULT}
        for record in records
        if record is not None
    }
