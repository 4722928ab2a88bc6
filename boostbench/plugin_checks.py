"""Tests of plugins: the common contract of boosters, weak learners, noise models and generators."""

from __future__ import annotations

import contextlib
import inspect
import sys
import tempfile
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import registry
from boostbench.compare_boosters import experiment_on
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.components import check_component
from boostbench.experiments.planning.planner import takes_two_classes
from boostbench.inputs import place_of
from boostbench.noise import corrupt
from boostbench.plugin_files import load_plugin
from boostbench.validation import MistakesError
from boostbench.weak_learners import make_weak_learner

_ROUNDS = 5
#: scikit-learn estimator checks that boosters are allowed to fail, with the reason.
EXPECTED_FAILED_CHECKS = {
    "check_class_weight_classifiers": "fits samples even if their class weight is tiny; "
    "a weak learner with min_weight_fraction_leaf and few rounds pass"
}


def check_plugin(reference: str) -> Iterator[tuple[str, Exception | None]]:
    """Test the components registered by a plugin file, or one of them.

    Parameters
    ----------
    reference : str
        ``FILE.py``, or ``FILE.py:name`` with the name of a component, class or function.

    Yields
    ------
    part : str
        Kind and name of the component.
    error : Exception or None
        Error of the first test that failed, if any.

    Raises
    ------
    BoostbenchError
        If the file cannot be loaded or has no component to test.
    """
    file, separator, name = reference.partition(".py:")
    path = Path(f"{file}.py" if separator else file)
    module = load_plugin(path, where="check")
    own = [(k, n) for k in _TESTS for n in k if k.module(n) == module.__file__ and name in ("", n)]
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
        failure, mistakes = None, MistakesError()
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
                warnings.simplefilter("ignore")
                check_component(kind, source, {}, mistakes)
                mistakes.close()
                _TESTS[kind](source)
        except Exception as error:
            failure = error
        yield f"{kind.kind} {source.rpartition(':')[2]}", failure


def in_words(error: Exception) -> str:
    """Return the error of a test, with its location in the user's code."""
    is_told = isinstance(error, AssertionError | BoostbenchError | MistakesError)
    text = str(error) if is_told else f"{type(error).__name__}: {error}"
    return f"{text} ({place})" if (place := place_of(error)) else text


def _require(is_right: object, problem: str) -> None:
    if not is_right:
        raise AssertionError(problem)


def _check_booster(source: str) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    cls = registry.boosters.get(source)
    _check_fits(cls)
    _check_run(source)
    if hasattr(cls, "get_params"):
        booster = cls(n_estimators=_ROUNDS, random_state=0)
        check_estimator(booster, on_skip=None, expected_failed_checks=EXPECTED_FAILED_CHECKS)


def _check_learner(source: str) -> None:
    for name in ("samme", "adaboost-mh", "adaboost-mm", "l2boost"):  # a booster per demand
        cls = registry.boosters.get(name)
        (demand,) = cls().demands()
        if demand in make_weak_learner(source).accepts:
            try:
                _check_fits(cls, weak_learner=source)
            except Exception as error:
                what = f"for {demand.__name__}, with {name}: {in_words(error)}"
                raise AssertionError(what) from error


def _check_fits(cls: Any, **parameters: Any) -> None:
    make, iris = partial(cls, n_estimators=_ROUNDS, random_state=0, **parameters), load("iris")
    kept = iris.y >= (1 if takes_two_classes(cls) else 0)
    X, y = iris.X[kept], iris.y[kept]
    booster = make().fit(X, y)
    labels, guess = booster.predict(X), np.bincount(y).max() / len(y)
    right = np.mean(labels == y)
    _require(right > guess, f"{right:.0%} of the training labels are right; guessing: {guess:.0%}")
    curve = "staged_scores" if hasattr(cls, "staged_scores") else "staged_predict"
    one, two = (np.array([*getattr(b, curve)(X)]) for b in (booster, make().fit(X, y)))
    _require(np.array_equal(one, two), "two fits with random_state=0 predict differently")
    stages = [*booster.staged_predict(X)]
    _require(1 <= len(stages) <= _ROUNDS, f"{len(stages)} stages of at most {_ROUNDS} rounds")
    wrong = int(np.sum(stages[-1] != labels))
    _require(wrong == 0, f"the last stage differs from predict for {wrong} of {len(y)} samples")


def _check_run(source: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sizes: dict[str, Any] = {"folds": 2, "repeats": 1, "rounds": _ROUNDS, "results": folder}
        experiment = experiment_on([source], "breast-cancer", noise=0.1, **sizes)
        for _, record in experiment.run(executor="inline").failures:
            raise BoostbenchError(record.why)
        result = experiment.study().results[0]
        _require(result.ok, result.reason)


def _check_noise(source: str) -> None:
    iris = load("iris")
    y, X, K = iris.y.copy(), iris.X.copy(), iris.n_classes
    rng = np.random.default_rng
    few, again, all_ = (corrupt(iris.y, K, source, r, rng(0), X) for r in (0.2, 0.2, 1.0))
    _require(np.isin(all_.y, range(K)).all(), f"labels are not all 0..{K - 1}")
    _require(few.n_changed > 0, "no label is changed")
    _require(np.array_equal(few.y, again.y), "two draws with the same seed differ")
    registry.noise_models.get(source)(y, K, rng(0), X)
    _require(np.array_equal(y, iris.y) and np.array_equal(X, iris.X), "it modifies y or X")


def _check_generator(source: str) -> None:
    generator = registry.generators.get(source)
    data, again, other = (generator(np.random.default_rng(seed)) for seed in (0, 0, 1))
    _require(isinstance(data, Dataset), f"returns {type(data).__name__}, not a Dataset")
    _require(data.n_classes >= 2, f"it has {data.n_classes} class")
    _require(not np.isinf(data.X).any(), "X holds infinite values")
    seen = np.unique(data.y if data.official is None else data.y[data.official[0]])
    _require(len(seen) == data.n_classes, "a class has no sample in the training part")
    same = np.array_equal(data.X, again.X, equal_nan=True) and np.array_equal(data.y, again.y)
    _require(same, "two draws with the same seed differ; rng must be the only source of randomness")
    _require(not np.array_equal(data.X, other.X), "X is the same for the seeds 0 and 1")


_TESTS = {
    registry.boosters: _check_booster,
    registry.weak_learners: _check_learner,
    registry.noise_models: _check_noise,
    registry.generators: _check_generator,
}
