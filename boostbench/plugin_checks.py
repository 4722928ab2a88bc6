"""Tests of plugins: the common contract of boosters, weak learners, noise models and generators."""

from __future__ import annotations

import contextlib
import inspect
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boostbench import registry
from boostbench.compare_boosters import experiment_on
from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.planner import takes_two_classes
from boostbench.experiments.planning.repeating import differences
from boostbench.experiments.store.record import Record
from boostbench.inputs import error_in_words, load_plugin
from boostbench.weak_learners import make_weak_learner

_KINDS = registry.boosters, registry.weak_learners, registry.noise_models, registry.generators
_ROUNDS = 5
#: scikit-learn estimator checks that boosters are allowed to fail, with the reason.
EXPECTED_FAILED_CHECKS = {
    "check_class_weight_classifiers": "fits samples even if their class weight is tiny; "
    "a weak learner with min_weight_fraction_leaf and few rounds pass"
}


def check_plugin(reference: str) -> Iterator[tuple[str, str]]:
    """Test the components registered by a plugin file, or one of them.

    Parameters
    ----------
    reference : str
        ``FILE.py``, or ``FILE.py:name`` with the name of a component, class or function.

    Yields
    ------
    part : str
        Kind and name of the component.
    failure : str
        Error of the first test that failed, with its place; empty if all passed.

    Raises
    ------
    BoostbenchError
        If the file cannot be loaded or has no component to test.
    """
    file, separator, name = reference.partition(".py:")
    path = Path(f"{file}.py" if separator else file)
    module = load_plugin(path, where="check")
    own = [(k, n) for k in _KINDS for n in k if k.module(n) == module.__file__ and name in ("", n)]
    if name and not own:
        part = registry.noise_models.get(f"{path}:{name}", where="check")  # of any kind
        first = next(iter(inspect.signature(part).parameters), "")
        fits = registry.weak_learners if hasattr(part, "accepts") else registry.boosters
        kinds = {"y": registry.noise_models, "rng": registry.generators}
        own = [(kinds.get(first, fits), f"{path}:{name}")]
    if not own:
        what = "registers no booster, weak learner, noise model or data set; FILE.py:NAME names one"
        raise BoostbenchError(what, where=reference)
    for kind, source in own:
        failure = ""
        try:
            with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(sys.stderr):
                _check(kind, source)
        except Exception as error:
            failure = error_in_words(error)
        yield f"{kind.kind} {source.rpartition(':')[2]}", failure


def _require(is_right: object, problem: str) -> None:
    if not is_right:
        raise AssertionError(problem)


def _check(kind: registry.Registry, source: str) -> None:
    """Do the same runs with a component twice, and compare them; test boosters as estimators."""
    used: dict[str, Any] = {"boosters": ["samme"], "on": "wine", "noise": 0.1}
    if kind is registry.boosters:
        cls = kind.get(source)
        used |= {"boosters": [source], "on": "breast-cancer" if takes_two_classes(cls) else "wine"}
    elif kind is registry.weak_learners:
        accepted = make_weak_learner(source).accepts
        names = ("samme", "adaboost-mh", "adaboost-mm", "l2boost")  # a booster for each demand
        fitting = [n for n in names if {*registry.boosters.get(n)().demands()} <= {*accepted}]
        used["boosters"] = [{name: {"weak_learner": source}} for name in fitting]
    elif kind is registry.noise_models:
        used["noise"] = {"model": source, "rate": 0.2}
    else:
        used["on"] = source
    for one, two in zip(_records(used), _records(used), strict=True):
        label, noise = one.run.method, one.noise
        _require(not [*differences(one, two)], f"two runs of the same seed differ ({label})")
        if kind in (registry.boosters, registry.weak_learners):
            wrong = one.curves["train_errors"][-1] / one.n_train
            guess = 1 - max(one.n_per_class) / sum(one.n_per_class)
            _require(wrong < guess, f"{wrong:.0%} of the training labels are wrong ({label})")
        _require(noise is None or noise.n_changed, "no label is changed")
    if kind is registry.boosters and hasattr(cls, "get_params"):
        from sklearn.utils.estimator_checks import check_estimator

        booster = cls(n_estimators=_ROUNDS, random_state=0)
        check_estimator(booster, on_skip=None, expected_failed_checks=EXPECTED_FAILED_CHECKS)


def _records(used: dict[str, Any]) -> list[Record]:
    with tempfile.TemporaryDirectory() as folder:
        experiment = experiment_on(**used, folds=2, repeats=1, rounds=_ROUNDS, results=folder)
        experiment.run(executor="inline")
        results = experiment.study().results
        for result in results:
            _require(result.ok, result.reason)
        return [result.record for result in results if result.record]
