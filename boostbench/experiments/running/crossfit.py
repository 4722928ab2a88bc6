"""Cross-validation inside a training part: what a run with ``validation`` stands for.

The folds depend on the seed and the data only, so they are the same for all boosters and
parameters. Labels are as the booster sees them, corrupted ones too: who chooses parameters does
not know better.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boostbench.data import fold_ids
from boostbench.experiments.running.curves import (
    Tally,
    check_round,
    check_staged_scores,
    staged_labels,
    takes_callback,
)
from boostbench.experiments.running.run import make, prepare, warm_up
from boostbench.experiments.running.seeds import rng_for
from boostbench.experiments.runs import Run


def cross_validate(
    run: Run, data_dirs: Sequence[str | Path] = (), data: str = ""
) -> dict[str, Any]:
    """Fit a booster once for each fold and count its errors on the fold, round by round.

    Parameters
    ----------
    run : Run
        With ``validation``.
    data_dirs : sequence of path, default=()
    data : str, default=""
        The first digits that the checksum of the data must have.

    Returns
    -------
    outcome : dict
        As of `boostbench.experiments.running.run.execute`, with one curve:
        ``validation_errors``, summed over the folds. A fit that stopped early holds its last
        count; a class that a fold does not leave in training is never answered.
    """
    assert run.validation is not None
    begin = time.perf_counter()
    problem = prepare(run, data_dirs, data)
    loaded = time.perf_counter()
    warm_up(run)
    warm = time.perf_counter()
    folds = run.validation["folds"]
    y = problem.y if run.validation["stratify"] else None
    ids = fold_ids(len(problem.y), folds, rng_for("inner folds", run), y=y)
    curves, zero, reasons = [], 0, []
    for fold in range(folds):
        train, held = ids != fold, ids == fold
        booster = make(run, problem.X[train], problem.n_classes, run.rounds, problem.cost)
        checked = {"on_round": check_round} if takes_callback(booster) else {}
        booster.fit(problem.X[train], problem.y[train], **checked)
        if not checked:
            check_staged_scores(booster, problem.X[held])
        tally = Tally(problem.y[held])
        for predicted in staged_labels(booster, problem.X[held], run.rounds):
            tally.add(predicted)
        first = int(np.count_nonzero(problem.y[held] != booster.classes_[0]))
        curves.append(tally.errors or [first])
        zero += first
        reasons.append(str(getattr(booster, "stop_reason_", "")))
    longest = max(map(len, curves))
    errors = [sum(its[min(t, len(its) - 1)] for its in curves) for t in range(longest)]
    seconds = {"load": loaded - begin, "warm_up": warm - loaded, "fit": time.perf_counter() - warm}
    return {
        "stop_reason": "" if "" in reasons else ", ".join(sorted(set(reasons))),
        "nested_rounds": bool(getattr(booster, "nested_rounds", True)),
        "n_rounds": longest,
        "n_train": len(problem.y),
        "n_validation": len(problem.y),
        "n_test": 0,
        "n_classes": problem.n_classes,
        "n_features": problem.X.shape[1],
        "seconds": {name: round(value, 6) for name, value in seconds.items()},
        "round_zero": {"validation_errors": zero},
        "noise": problem.noise,
        "curves": {"validation_errors": errors},
    }
