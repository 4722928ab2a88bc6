"""`plan`, `status` and `report` over many records: seconds of processor and memory.

    python -m benchmarks.many_records [--n 100000] [--folder DIR]

The records are made up: those of one seed are real, the others are copies with another seed. A
folder that is given is kept, and used again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from boostbench.api import Experiment
from boostbench.experiments.store.records import encode

CONFIG = """\
name: many
datasets: [iris, wine, breast-cancer, digits]
split: {{holdout: 0.3}}
noise: [none, {{model: exchange, rate: 0.1}}, {{model: exchange, rate: 0.2}},
        {{model: uniform-other, rate: 0.1}}, {{model: uniform-other, rate: 0.2}}]
boosters: [adaboost-mh, adaboost-mm, adaboost-mr, samme, sm-boost]
rounds: 100
checkpoints: [10, 100]
seeds: {seeds}
report:
  - table: {{rows: dataset, columns: noise, value: test_error}}
  - curves: {{x: round, y: [test_error], panels: dataset}}
"""
RUNS_A_SEED = 100


def main() -> None:
    """Make the records, then measure the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = arguments.folder or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        config = place / "many.yaml"
        config.write_text(CONFIG.format(seeds=max(1, arguments.n // RUNS_A_SEED)))
        experiment = Experiment.load(config, results=place / "results")
        begin = time.process_time()
        n_made = make_records(experiment)
        if n_made:
            each = (time.process_time() - begin) / n_made
            print(f"made {n_made} records, {1000 * each:.2f} ms of processor each")
        for command in ("plan", "status", "status again", "report"):
            measure(command.partition(" ")[0], config, place / "results", name=command)


def make_records(experiment: Experiment) -> int:
    """Write a record for each run that has none; return how many were written."""
    missing = experiment.plan(check_packages=False).todo()
    if not missing:
        return 0
    store = experiment.store
    run = replace(experiment, runs=tuple(run for run in experiment.runs if run.seed == 0))
    run.run(jobs=2)
    models = {
        planned.run.around_seed: planned.record() for planned in run.plan(check_packages=False).runs
    }
    for planned in missing:
        model = models[planned.run.around_seed]
        assert model is not None
        own = {"run": planned.run, "key": planned.key}
        path = store.path_of(planned.run.data.name, planned.key)
        path.write_bytes(encode(model.model_copy(update=own)))
    return len(missing)


def measure(command: str, config: Path, results: Path, *, name: str) -> None:
    """Run a command and print what it took."""
    begin = time.perf_counter()
    words = [sys.executable, "-m", "boostbench", command, str(config), "--results", str(results)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = used.ru_utime + used.ru_stime
    wall = time.perf_counter() - begin
    print(
        f"{name}: {seconds:.1f} s of processor, {wall:.1f} s, {used.ru_maxrss / 1024:.0f} MiB, "
        f"exit code {status >> 8}",
        flush=True,
    )


if __name__ == "__main__":
    main()
