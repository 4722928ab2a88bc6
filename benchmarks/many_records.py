"""`plan`, `status` and `report` over many records: seconds of processor and memory.

    python -m benchmarks.many_records [--n 100000] [--folder DIR]

The records are made up: one real record of each booster on each data set, with another seed and
noise in each copy. A folder that is given is kept, and used again.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from boostbench.api import Experiment
from boostbench.experiments.store.record import Record
from boostbench.experiments.store.records import RecordStore, encode

CONFIG = """\
name: many
datasets: [iris, wine, breast-cancer, digits]
split: {{holdout: 0.3}}
noise: [none, {{model: exchange, rate: 0.1}}, {{model: exchange, rate: 0.2}},
        {{model: flip, rate: 0.1}}, {{model: flip, rate: 0.2}}]
boosters: [adaboost-mh, samme, sm-boost, real-adaboost, gentleboost]
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
    first = Experiment.load(experiment.config.path, results=experiment.store.folder.parent)
    models: dict[tuple[str, str], Record] = {}
    planned = first.plan(check_packages=False).runs
    if all(each.status == "ok" for each in planned):
        return 0
    only = ["*/clean/seed-0"]
    sample = Experiment.load(
        experiment.config.path, results=experiment.store.folder.parent, only=only
    )
    sample.run(jobs=2)
    for each in sample.plan(check_packages=False).runs:
        record = each.record()
        assert record is not None
        models[each.run.dataset, each.run.method] = record
    store = RecordStore(experiment.store.folder.parent)
    n_made = 0
    for each in planned:
        if each.status == "ok":
            continue
        path = store.path_of(each.run.data.name, each.key)
        model = models[each.run.dataset, each.run.method]
        own = {"run": each.run, "key": each.key}
        path.write_bytes(encode(model.model_copy(update=own)))
        n_made += 1
    return n_made


def measure(command: str, config: Path, results: Path, *, name: str) -> None:
    """Run a command and print what it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    words = [sys.executable, "-m", "boostbench", command, str(config), "--results", str(results)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = __import__("os").wait4(process.pid, 0)
    seconds = used.ru_utime + used.ru_stime
    wall = time.perf_counter() - begin
    del before
    print(
        f"{name}: {seconds:.1f} s of processor, {wall:.1f} s, {used.ru_maxrss / 1024:.0f} MiB, "
        f"exit code {status >> 8}",
        flush=True,
    )


if __name__ == "__main__":
    main()
