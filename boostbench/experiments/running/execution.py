"""Execution of one run: load, split and corrupt the data, train and evaluate the booster.

The result depends only on the run, the data and the code. What only describes the circumstances of
a run (times, memory, versions) is added by the worker, whose code is not part of the key of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boostbench import registry
from boostbench.data.dataset import Dataset, class_indices, impute
from boostbench.data.loading import Located, load_located, locate
from boostbench.data.splits import fold_ids, parse_split, split
from boostbench.errors import BoostbenchError, ChangedError, UnknownNameError
from boostbench.experiments.configs.expressions import resolve
from boostbench.experiments.running.curves import (
    check_round,
    check_staged_scores,
    staged_labels,
    takes_callback,
)
from boostbench.experiments.running.measuring import (
    Recorder,
    measure,
    record_round,
    record_test,
    record_training,
)
from boostbench.experiments.streams import stream
from boostbench.inputs import noting
from boostbench.models_only import run_in_progress
from boostbench.noise import corrupt
from boostbench.quantities import QUANTITIES
from boostbench.quantities.errors import Costs, Labels, n_errors

if TYPE_CHECKING:
    from boostbench.experiments.runs import Run

_KEPT_BYTES = 2**25
_latest: dict[tuple[Any, ...], Problem] = {}
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Problem:
    """Data on which a booster is trained and evaluated.

    Attributes
    ----------
    X, X_test : ndarray of float64, shape (n_train, d) and (n_test, d)
    y, y_clean : ndarray of int64, shape (n_train,)
        Training labels after and before corruption.
    y_test : ndarray of int64, shape (n_test,)
        Test labels, never corrupted.
    n_classes : int
    noise : dict or None
        Noise model, rate and numbers of corrupted samples, for the record.
    cost : ndarray of float64, shape (n_classes, n_classes), or None
        Cost of each predicted class (column) for each true class (row).
    classes : tuple of str
        Names of the classes, by which a config names them.
    X_validation, y_validation : ndarray or None
        Validation part, if the split has one.
    """

    X: NDArray[np.float64]
    y: Labels
    y_clean: Labels
    X_test: NDArray[np.float64]
    y_test: Labels
    n_classes: int
    noise: dict[str, Any] | None
    cost: Costs | None = None
    classes: tuple[str, ...] = ()
    X_validation: NDArray[np.float64] | None = None
    y_validation: Labels | None = None


class Phases:
    """Phases of a run, which a subclass may time."""

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Return a context in which the phase load, fit or predict is carried out."""
        return nullcontext()

    def pause(self) -> AbstractContextManager[None]:
        """Return a context within a phase that is not part of it."""
        return nullcontext()


def execute(
    run: Run, data_dirs: Sequence[str | Path] = (), data: str = "", phases: Phases | None = None
) -> dict[str, Any]:
    """Carry out a run.

    Parameters
    ----------
    run : Run
    data_dirs : sequence of path, default=()
        Folders of data files.
    data : str, default=""
        Expected first digits of the checksum of the data.
    phases : Phases, optional

    Returns
    -------
    fields : dict
        Record fields of the run, in types that JSON has: stop reason, sizes, noise and curves with
        one entry per round (errors are counts).

    Raises
    ------
    BoostbenchError
        If the data is missing, invalid or changed, or does not fit the run.
    Exception
        Any exception of the booster.
    """
    phases = phases or Phases()
    with phases.phase("load"):
        problem = prepare(run, data_dirs, data)
    carry_out = _evaluate if run.validation is None else _cross_validate
    with run_in_progress():
        found = carry_out(run, problem, phases)
    return {
        "n_train": len(problem.y),
        "n_classes": problem.n_classes,
        "n_features": problem.X.shape[1],
        "noise": problem.noise,
        **found,
    }


def _evaluate(run: Run, problem: Problem, phases: Phases) -> dict[str, Any]:
    """Fit the booster of a run and count the errors on all parts after each round."""
    booster = make(run, problem.X, problem.n_classes, run.rounds, problem.cost, problem.classes)
    recorder = Recorder(QUANTITIES.recorded(run.metrics, run.record), run.checkpoints)
    observe = partial(record_round, recorder, problem)
    with phases.phase("fit"):
        is_observed = _fit(booster, problem.X, problem.y, phases, observe)
    if not is_observed:
        for t, predicted in enumerate(staged_labels(booster, problem.X, run.rounds), start=1):
            record_training(recorder, problem, t, predicted)
        check_staged_scores(booster, problem.X_test)
    with phases.phase("predict"):  # the labels of the last round equal those of `predict`
        for t, predicted in enumerate(staged_labels(booster, problem.X_test, run.rounds), start=1):
            with phases.pause():
                record_test(recorder, problem, t, predicted)
    n_rounds = len(recorder.curves["test_errors"])
    if n_rounds != (n_fitted := len(recorder.curves["train_errors"])):
        raise BoostbenchError(
            f"booster {run.booster.name!r} made {n_fitted} rounds in training and {n_rounds} in "
            "prediction; both must be the same"
        )
    zero = _without_rounds(booster, problem)
    measure(recorder, booster, problem)
    labels = np.concatenate([problem.y_clean, problem.y_test])
    found: dict[str, Any] = {
        "stop_reason": str(getattr(booster, "stop_reason_", "")),
        "nested_rounds": bool(getattr(booster, "nested_rounds", False)),
        "n_rounds": n_rounds,
        "n_test": len(problem.y_test),
        "n_per_class": np.bincount(labels, minlength=problem.n_classes).tolist(),
        "round_zero": {name: curve[0] for name, curve in zero.curves.items()},
        "curves": recorder.curves,
        "at_checkpoints": recorder.at_checkpoints,
    }
    if not n_rounds:
        found["at_checkpoints"] |= zero.at_checkpoints
    if problem.X_validation is not None and problem.y_validation is not None:
        predictions = staged_labels(booster, problem.X_validation, run.rounds)
        # Without costs: validation errors are only used for selection.
        errors = [n_errors(predicted, problem.y_validation) for predicted in predictions]
        first = np.full_like(problem.y_validation, booster.classes_[0])
        found["curves"]["validation_errors"] = errors
        found["round_zero"]["validation_errors"] = n_errors(first, problem.y_validation)
        found["n_validation"] = len(problem.y_validation)
    return found


def _cross_validate(run: Run, problem: Problem, phases: Phases) -> dict[str, Any]:
    """Fit the booster of a run once for each inner fold and count the errors on the fold.

    The folds depend only on the seed and the data, so they are the same for all boosters and
    parameters. As in practice, the labels include the corrupted ones. Errors are summed over the
    folds. After a fit stops early, its last error count is repeated. A class with no sample outside
    the fold is never predicted.
    """
    assert run.validation is not None
    folds = run.validation["folds"]
    y = problem.y if run.validation["stratify"] else None
    ids = fold_ids(len(problem.y), folds, stream(run, "inner folds"), y=y)
    curves, zero, reasons = [], 0, set()
    with phases.phase("fit"):
        for fold in range(folds):
            train, held = ids != fold, ids == fold
            given = problem.n_classes, run.rounds, problem.cost, problem.classes
            booster = make(run, problem.X[train], *given)
            if not _fit(booster, problem.X[train], problem.y[train], phases, check_round):
                check_staged_scores(booster, problem.X[held])
            predictions = staged_labels(booster, problem.X[held], run.rounds)
            first = int(np.count_nonzero(problem.y[held] != booster.classes_[0]))
            errors = [n_errors(predicted, problem.y[held]) for predicted in predictions]
            curves.append(errors or [first])
            zero += first
            reasons.add(str(getattr(booster, "stop_reason_", "")))
    longest = max(map(len, curves))
    errors = [sum(its[min(t, len(its) - 1)] for its in curves) for t in range(longest)]
    return {
        "stop_reason": "" if "" in reasons else ", ".join(sorted(reasons)),
        "nested_rounds": bool(getattr(booster, "nested_rounds", False)),
        "n_rounds": longest,
        "n_validation": len(problem.y),
        "n_test": 0,
        "round_zero": {"validation_errors": zero},
        "curves": {"validation_errors": errors},
    }


def _fit(
    booster: Any, X: NDArray[np.float64], y: Labels, phases: Phases, observe: Callable[[Any], None]
) -> bool:
    """Fit a booster and return whether it supports an observer, which is called each round."""
    if not takes_callback(booster):
        booster.fit(X, y)
        return False

    def on_round(info: Any) -> None:
        with phases.pause():
            observe(info)

    booster.fit(X, y, on_round=on_round)
    return True


def prepare(run: Run, data_dirs: Sequence[str | Path] = (), data: str = "") -> Problem:
    """Load, split and corrupt the data of a run.

    The last problem is cached if it is small, since a worker often executes many runs on one.

    Raises
    ------
    ChangedError
        If the checksum of the data does not begin with ``data``.
    """
    with noting(""):
        located = locate(run.data.component, run.data.params.plain(), data_dirs)
    key = (located.checksum, run.data, run.split, run.noise, run.seed)
    if key in _latest:
        return deepcopy(_latest[key])
    _latest.clear()
    with nullcontext() if located.kind == "generator" else noting(""):
        problem = _prepared(run, located, data)
    if problem.X.nbytes + problem.X_test.nbytes <= _KEPT_BYTES:
        _latest[key] = deepcopy(problem)  # a booster may modify its input
    return problem


def _prepared(run: Run, located: Located, data: str) -> Problem:
    dataset = load_located(located, run.data.encode, rng=stream(run, "data"))
    if not dataset.checksum.startswith(data):
        raise ChangedError("the data changed during the run; run again", where=dataset.source)
    train, test, validation = _parts(run, dataset)
    X = impute(dataset.X, run.data.missing, categorical=dataset.categorical, fit_rows=train)
    y_clean = dataset.y[train]
    y, noise = y_clean, None
    if not run.noise.is_clean:
        y, noise = _corrupted(run, dataset, X[train], y_clean)
    parts = X[train], y, y_clean, X[test], dataset.y[test]
    problem = Problem(*parts, dataset.n_classes, noise, _cost(run, dataset), dataset.classes)
    if validation is None:
        return problem
    return replace(problem, X_validation=X[validation], y_validation=dataset.y[validation])


def _parts(run: Run, dataset: Dataset) -> tuple[Rows, Rows, Rows | None]:
    """Return the rows of the training, test and, if the split has one, validation part."""
    wanted = parse_split(run.split)
    train, test = split(dataset, wanted, stream(run, "split"))
    if not wanted.validation or "part" in wanted.model_fields_set:
        return train, test, None
    wanted = wanted.model_copy(update={"part": "validation"})
    _, validation = split(dataset, wanted, stream(run, "split"))
    return train, test, validation


def _corrupted(
    run: Run, dataset: Dataset, X: NDArray[np.float64], y: Labels
) -> tuple[Labels, dict[str, Any]]:
    rate = run.noise.rate
    if isinstance(rate, str):
        if rate not in dataset.extras:
            raise UnknownNameError("noise rate", rate, dataset.extras, where=dataset.name)
        rate = float(dataset.extras[rate])
    noisy = corrupt(
        y,
        dataset.n_classes,
        run.noise.component,
        rate,
        stream(run, "noise"),
        X=X,
        **run.noise.params.plain(),
    )
    return noisy.y, {
        "model": run.noise.model,
        "rate": rate,
        "n_chosen": noisy.n_chosen,
        "n_changed": noisy.n_changed,
        "confusion": np.asarray(noisy.confusion).tolist(),
    }


def _cost(run: Run, dataset: Dataset) -> Costs | None:
    if not run.data.cost:
        return None
    if len(run.data.cost) != dataset.n_classes:
        raise BoostbenchError(
            f"cost is a {len(run.data.cost)} x {len(run.data.cost)} matrix, but the data set has "
            f"{dataset.n_classes} classes: {', '.join(dataset.classes)}",
            where=dataset.name,
        )
    return np.array(run.data.cost)


def make(
    run: Run,
    X: NDArray[np.float64],
    n_classes: int,
    rounds: int,
    cost: Costs | None = None,
    classes: Sequence[str] = (),
) -> Any:
    """Return the unfitted booster of a run; without names of classes, without `class_weight`."""
    sizes = {"K": n_classes, "n": X.shape[0], "d": X.shape[1]}
    params = resolve(run.booster.params.plain(), sizes)
    if run.booster.takes_cost_of_data:
        params["cost"] = (1.0 - np.eye(n_classes) if cost is None else cost).tolist()
    if isinstance(weights := params.get("class_weight"), dict):
        indices = class_indices(weights, classes) if classes else ()
        params["class_weight"] = dict(zip(indices, weights.values(), strict=False)) or None
    seed = int(stream(run, "booster").integers(2**31 - 1))
    booster = registry.boosters.get(run.booster.component)
    return booster(n_estimators=rounds, random_state=seed, **params)


def _without_rounds(booster: Any, problem: Problem) -> Recorder:
    """Return the errors at T = 0, where all scores are equal and the first class is predicted."""
    zero = Recorder(QUANTITIES.recorded((), ()), ())
    record_training(zero, problem, 0, np.full_like(problem.y, booster.classes_[0]))
    record_test(zero, problem, 0, np.full_like(problem.y_test, booster.classes_[0]))
    zero.finish()
    return zero
