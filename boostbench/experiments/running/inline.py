"""Executors: the base class, and the executor that carries out runs in this process.

An executor takes runs and returns their records in the order in which they end. A run that raises,
hangs, is killed or exhausts the memory does not affect other runs.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from boostbench.data.catalog import search_dirs
from boostbench.experiments.configs.limits import NO_LIMITS, Limits
from boostbench.experiments.running.worker import Job, perform
from boostbench.experiments.runs import Run
from boostbench.experiments.store.fingerprints import sources_of
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.record import Record
from boostbench.plugin_files import executed_plugins


class Executor(ABC):
    """Base class of executors, the interface that `run_plan` uses.

    Attributes
    ----------
    jobs : int
        Number of simultaneous runs.
    notice : str
        Current message for the user, for example that there are no workers; empty if none.
    """

    notice = ""

    def __init__(self, jobs: int, data_dirs: Sequence[str | Path]) -> None:
        self.jobs = jobs
        self._ended: list[tuple[Key, Record]] = []
        # Resolved here because workers may have another environment.
        self._data_dirs = tuple(str(folder.resolve()) for folder in search_dirs(data_dirs))

    @abstractmethod
    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Start a run; ``n_left`` counts the unfinished runs, including this one."""

    def wait(self, timeout: float) -> None:  # noqa: B027
        """Wait until a run ends, for at most ``timeout`` seconds."""

    def ended(self) -> list[tuple[Key, Record]]:
        """Return the records of the runs that have ended since the last call."""
        ended, self._ended = self._ended, []
        return ended

    def shutdown(self) -> None:  # noqa: B027
        """Stop all runs immediately and release all resources."""

    def job(self, run: Run, key: Key, limits: Limits = NO_LIMITS) -> Job:
        """Return the job of a run."""
        sources = sources_of(key.code)
        # A run must not depend on other plugins, because they are not part of its key.
        files = {path for path, _ in sources}
        plugins = tuple(str(path) for path in executed_plugins() if os.path.realpath(path) in files)
        return Job(run, key, self._data_dirs, plugins, limits, sources)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()


class InlineExecutor(Executor):
    """Executor that carries out runs one after the other in this process, for debugging.

    Time and memory limits do not apply, and runs are not isolated from each other.

    Parameters
    ----------
    data_dirs : sequence of path, default=()
    """

    def __init__(self, data_dirs: Sequence[str | Path] = ()) -> None:
        super().__init__(1, data_dirs)

    def submit(self, run: Run, key: Key, n_left: int) -> None:
        """Carry out the run."""
        self._ended.append((key, perform(self.job(run, key), let_through=KeyboardInterrupt)))
