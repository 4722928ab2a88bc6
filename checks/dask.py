"""`--executor ADDRESS` on a cluster whose workers and scheduler are killed (make dask).

The runs start before any worker exists. The first worker is killed, then the nanny of the second
one, then the third one and the scheduler; each is replaced. All runs must be done, with the same
records as with `--executor inline`.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from boostbench.api import load_experiments
from boostbench.experiments.running.conduct import Progress, run_plan
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.running.executors import InlineExecutor
from checks.attack.commands import records_of

CONFIG = """\
name: wandering
datasets: [iris, wine]
split: {holdout: 0.3}
boosters: [samme]
rounds: 8
seeds: 12
"""


class Cluster:
    """A scheduler and workers, as processes that can be started and killed."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()

    def start_scheduler(self) -> None:
        """Start the scheduler, always on the same port."""
        options = ("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.scheduler = _start("scheduler", *options)
        wait_for("the scheduler", lambda: is_open(self.port))

    def start_worker(self, *, nanny: bool = False) -> None:
        """Start one more worker, or a nanny with a worker."""
        options = ("--nthreads", "1", "--no-dashboard", "--death-timeout", "120")
        kind = "--nanny" if nanny else "--no-nanny"
        self.workers.append(_start("worker", self.address, kind, *options))

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
    print("dask: all checks passed")
    return 0


def _check(config: Path, folder: Path, cluster: Cluster) -> None:
    notices, n_done = set(), 0

    def listen(event: Progress) -> None:
        nonlocal n_done
        notices.add(event.notice)
        n_done += event.kind == "finished"
        if not cluster.workers and event.notice:
            cluster.start_worker()
        elif len(cluster.workers) == 1 and n_done >= 6:
            cluster.workers[0].kill()
            cluster.start_worker(nanny=True)
        elif len(cluster.workers) == 2 and n_done >= 12:
            cluster.workers[1].kill()
            cluster.start_worker()
        elif len(cluster.workers) == 3 and n_done >= 18:
            cluster.kill()
            cluster.start_scheduler()
            cluster.start_worker()

    (remote,) = load_experiments([config], results=folder / "remote")
    with DaskExecutor(cluster.address) as executor:
        outcome = run_plan(remote.plan().todo(), remote.store, executor, on_event=listen)
    expect("waiting for workers of the cluster" in notices, "the command waited for workers")
    expect(len(cluster.workers) == 4, "two workers, a nanny and the scheduler were killed")
    expect(outcome.counts == {"ok": 24}, "all runs are done")
    (local,) = load_experiments([config], results=folder / "local")
    run_plan(local.plan().todo(), local.store, InlineExecutor())
    same = records_of(folder / "remote") == records_of(folder / "local")
    expect(same, "the records equal those of the inline executor")


def expect(condition: bool, description: str) -> None:
    """Print that a condition holds, or exit with an error."""
    if not condition:
        raise SystemExit(f"failed: {description}")
    print(f"ok: {description}")


def wait_for(event: str, condition: Callable[[], bool], seconds: float = 900.0) -> None:
    """Wait until a condition holds, or exit with an error after a time limit."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"waited {seconds:.0f} s for {event}")
        time.sleep(0.5)


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def is_open(port: int) -> bool:
    """Return whether a process listens on a TCP port of this machine."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _start(kind: str, *options: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
    return subprocess.Popen(words, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
