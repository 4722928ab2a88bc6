"""CPU time and memory of `plan`, `status` and `report` with many records.

    python -m benchmarks.many_records [--n 100000] [--folder DIR]

The records of one seed are computed; the others are copies with another seed. Records in a given
folder are kept and reused.
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
  - table: {{columns: booster, value: test_error}}
  - curves: {{y: [test_error]}}
"""
RUNS_PER_SEED = 100


def main() -> None:
    """Write the records, then measure the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        config = folder / "many.yaml"
        config.write_text(CONFIG.format(seeds=max(1, arguments.n // RUNS_PER_SEED)))
        experiment = Experiment.load(config, results=folder / "results")
        begin = time.process_time()
        n_made = make_records(experiment)
        if n_made:
            each = (time.process_time() - begin) / n_made
            print(f"wrote {n_made} records, {1000 * each:.2f} ms of CPU time each")
        for command in ("plan", "status", "status again", "report"):
            measure(command.partition(" ")[0], config, folder / "results", name=command)


def make_records(experiment: Experiment) -> int:
    """Write a record for each run without one; return the number of records written."""
    missing = experiment.plan(check_packages=False).todo()
    if not missing:
        return 0
    store = experiment.store
    one_seed = replace(experiment, runs=tuple(run for run in experiment.runs if run.seed == 0))
    one_seed.run(jobs=2)
    templates = {
        planned.run.around_seed: planned.record()
        for planned in one_seed.plan(check_packages=False).runs
    }
    for planned in missing:
        template = templates[planned.run.around_seed]
        assert template is not None
        identity = {"run": planned.run, "key": planned.key}
        path = store.path_of(planned.run.data.name, planned.key)
        path.write_bytes(encode(template.model_copy(update=identity)))
    return len(missing)


def measure(command: str, config: Path, results: Path, *, name: str) -> None:
    """Run a command, and print CPU time, wall time, memory and exit code."""
    begin = time.perf_counter()
    words = [sys.executable, "-m", "boostbench", command, str(config), "--results", str(results)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = used.ru_utime + used.ru_stime
    wall = time.perf_counter() - begin
    print(
        f"{name}: {seconds:.1f} s of CPU time, {wall:.1f} s of wall time, "
        f"{used.ru_maxrss / 1024:.0f} MiB, exit code {status >> 8}",
        flush=True,
    )


if __name__ == "__main__":
    main()
