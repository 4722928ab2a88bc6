"""Write the times of a fit and of predictions of the methods of the noise study.

    python -m benchmarks.method_times [--data DIR] [--turns 3] [--sets NAME ...]

Each method is fitted to some data sets of the study as its runs are, with clean labels and one
thread, and predicts one row and 1,000 rows, which are the test rows, repeated where there are
fewer. The methods take turns; a time is the median of the turns on a data set in seconds of the
processor, and ``results/benchmarks/method_times.csv`` has the geometric mean over the data sets.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import numpy as np

from benchmarks.timing import compete, whole
from boostbench.api import Experiment
from boostbench.experiments.running.environment import THREAD_VARIABLES
from boostbench.experiments.running.execution import make, prepare
from boostbench.experiments.runs import Run

SETS = ("letter", "satimage", "yeast", "adult", "pima", "spambase")
FILE = Path("results/benchmarks/method_times.csv")
N_ROWS = 1_000
COLUMNS = ("fit (s)", "one row (ms)", "1,000 rows (ms)")


def measure(runs: Sequence[Run], data: Sequence[Path], turns: int) -> list[list[float]]:
    """Return the seconds of fits and predictions of the runs of one data set, a list for each."""
    problem = prepare(runs[0], data)
    rows = np.resize(np.arange(len(problem.X_test)), N_ROWS)
    X = problem.X_test[rows]
    boosters = [
        make(run, problem.X, problem.n_classes, run.rounds, problem.cost, problem.classes)
        for run in runs
    ]
    for booster in boosters:  # everything is compiled and prepared before the clock starts
        booster.fit(problem.X, problem.y)
        booster.predict(X[:1])
        booster.predict(X)
    tasks: list[tuple[list[partial[Any]], int]] = [
        ([partial(each.fit, problem.X, problem.y) for each in boosters], turns),
        ([partial(each.predict, X[:1]) for each in boosters], 10 * turns),
        ([partial(each.predict, X) for each in boosters], turns),
    ]
    return [compete([whole(task) for task in of], n, budget=600.0) for of, n in tasks]


def main() -> None:
    """Measure all methods, and write a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--out", type=Path, default=FILE)
    chosen = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in THREAD_VARIABLES):
        # libraries read the variables when they are imported
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.method_times", *sys.argv[1:]])
    experiment = Experiment.load("noise-study/defaults", size="standard", data=chosen.data)
    runs = []
    for planned in experiment.plan().runs:
        run = planned.run
        if run.noise.rate or run.seed or run.dataset not in chosen.sets:
            continue
        if planned.status == "skipped":
            print(f"{run.id}: skipped, {planned.reason}")
        else:
            runs.append(run)
    times: dict[str, list[list[float]]] = {}
    for name in chosen.sets:
        of_set = [run for run in runs if run.dataset == name]
        if not of_set:
            continue
        for run, *seconds in zip(of_set, *measure(of_set, chosen.data, chosen.turns), strict=True):
            times.setdefault(run.method, []).append(seconds)
        print(f"{name}: {len(of_set)} methods")
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    with chosen.out.open("w", newline="", encoding="utf-8") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["method", *COLUMNS])
        for method, of in sorted(times.items()):
            fit, row, rows = map(geometric_mean, zip(*of, strict=True))
            writer.writerow([method, f"{fit:.3g}", f"{1e3 * row:.3g}", f"{1e3 * rows:.3g}"])


if __name__ == "__main__":
    main()
