"""Overhead of short runs by worker processes, or on a Dask cluster.

    python -m benchmarks.run_overhead [--n 2000] [--workers 2] [--executor ADDRESS]

The overhead per run is the wall time from start to end, times the number of workers, less the time
of the runs according to their records, divided by the number of runs. It includes planning,
locking, communication with the worker, and writing the record.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

from boostbench.api import Experiment

CONFIG: dict[str, Any] = {
    "name": "short",
    "datasets": ["iris"],
    "split": {"holdout": 0.3},
    "boosters": ["samme"],
    "rounds": 1,
}


def main() -> None:
    """Measure the overhead, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--executor", default="local")
    arguments = parser.parse_args()
    executor = arguments.executor
    jobs = arguments.workers if executor == "local" else None
    with tempfile.TemporaryDirectory() as folder:
        config = {**CONFIG, "seeds": arguments.n}
        experiment = Experiment.load(config, results=folder)
        moments: list[float] = []

        def listen(event: Any, moments: list[float] = moments) -> None:
            if event.kind in ("started", "finished"):
                moments.append(time.perf_counter())

        cpu = time.process_time()
        experiment.run(executor=executor, jobs=jobs, on_event=listen)
        cpu = time.process_time() - cpu
        records = [planned.record() for planned in experiment.plan().runs]
        spent = sum(record.total_seconds for record in records if record is not None)
        whole = (moments[-1] - moments[0]) * arguments.workers
        n = len(records)
        print(
            f"{1000 * (whole - spent) / n:.1f} ms of a worker's time per run, "
            f"{1000 * cpu / n:.1f} ms of CPU time in the command"
        )


if __name__ == "__main__":
    main()
