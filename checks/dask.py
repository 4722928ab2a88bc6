"""`--executor dask` on a cluster whose parts come and go (make dask).

A command is started before any worker is there; the first worker is killed, then the second and
the scheduler with it, and both start again. All runs are done, and the records are those of
`--executor inline`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from boostbench.api import load_experiments
from boostbench.experiments.running.conduct import Event, run_plan
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.running.executors import InlineExecutor
from checks.attack.commands import records_of
from checks.slurm import expect, free_port, is_open, wait_for

CONFIG = """\
name: wandering
datasets: [iris, wine]
split: {holdout: 0.3}
boosters: [samme]
rounds: 8
seeds: 12
"""


class Cluster:
    """A scheduler and workers as processes that are started and killed one by one."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()

    def start_scheduler(self) -> None:
        """Start the scheduler, at the same port as before."""
        options = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.scheduler = _started("scheduler", *options)
        wait_for("the scheduler", lambda: is_open(self.port))

    def start_worker(self) -> None:
        """Start one more worker."""
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "120")
        self.workers.append(_started("worker", self.address, *options))

    def kill(self) -> None:
        """Kill the scheduler and all workers."""
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()


def main() -> int:
    """Run the check; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="dask-") as name:
        folder = Path(name)
        config = folder / "wandering.yaml"
        config.write_text(CONFIG)
        cluster = Cluster()
        try:
            _check(config, folder, cluster)
        finally:
            cluster.kill()
    print("dask: all is well")
    return 0


def _check(config: Path, folder: Path, cluster: Cluster) -> None:
    notices, done = set(), 0

    def listen(event: Event) -> None:
        nonlocal done
        notices.add(event.progress.notice)
        done += event.kind == "finished"
        if not cluster.workers and event.progress.notice:
            cluster.start_worker()
        elif len(cluster.workers) == 1 and done >= 6:
            cluster.workers[0].kill()
            cluster.start_worker()
        elif len(cluster.workers) == 2 and done >= 12:
            cluster.kill()
            cluster.start_scheduler()
            cluster.start_worker()

    (there,) = load_experiments([config], results=folder / "there")
    with DaskExecutor(cluster.address) as executor:
        outcome = run_plan(there.plan().todo(), there.store, executor, on_event=listen)
    expect("waiting for workers of the cluster" in notices, "a command waits for its workers")
    expect(len(cluster.workers) == 3, "two workers and the scheduler were killed")
    expect(outcome.counts == {"ok": 24}, "all runs are done")
    (here,) = load_experiments([config], results=folder / "here")
    run_plan(here.plan().todo(), here.store, InlineExecutor())
    same = records_of(folder / "there") == records_of(folder / "here")
    expect(same, "the records are those of this process")


def _started(kind: str, *options: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
