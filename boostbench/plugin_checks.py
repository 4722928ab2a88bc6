"""Tests of plugins: the common contract of boosters, weak learners, noise models and generators."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from boostbench import registry
from boostbench.api import Experiment
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.components import check_component
from boostbench.experiments.planning.planner import takes_two_classes
from boostbench.inputs import place_of
from boostbench.noise import corrupt
from boostbench.plugin_files import load_plugin
from boostbench.registry import Registry
from boostbench.validation import MistakesError
from boostbench.weak_learners import make_weak_learner

_ROUNDS = 5
#: Requirement of a test, and its error if it failed.
Finding = tuple[str, Exception | None]

#: scikit-learn estimator checks that boosters are allowed to fail, with the reason.
EXPECTED_FAILED_CHECKS = {
    "check_class_weight_classifiers": "fits samples even if their class weight is tiny; "
    "a weak learner with min_weight_fraction_leaf and few rounds pass"
}


def check_plugin(reference: str) -> Iterator[tuple[str, Iterator[Finding]]]:
    """Test the components registered by a plugin file, or one of them.

    Parameters
    ----------
    reference : str
        ``FILE.py``, or ``FILE.py:name`` with the name of a component, class or function.

    Yields
    ------
    part : str
        Kind and name of the component.
    findings : iterator of Finding
        The outcome of each test, up to the first that fails.

    Raises
    ------
    BoostbenchError
        If the file cannot be loaded or has no component to test.
    """
    file, separator, name = reference.partition(".py:")
    path = Path(f"{file}.py" if separator else file)
    module = load_plugin(path, where="check")
    own = [(k, n) for k in _TESTS for n in k if k.module(n) == module.__file__]
    parts = [part for part in own if name in ("", part[1])]
    if name and not parts:
        attribute = registry.noise_models.get(f"{path}:{name}", where="check")  # of any kind
        parts = [(_kind_of(attribute), f"{path}:{name}")]
    if not parts:
        what = "registers no booster, weak learner, noise model or data set; FILE.py:NAME names one"
        raise BoostbenchError(what, where=reference)
    for kind, source in parts:
        yield f"{kind.kind} {source.rpartition(':')[2]}", _findings(kind, source)


def in_words(error: Exception) -> str:
    """Return the error of a test, with its location in the user's code."""
    is_told = isinstance(error, AssertionError | BoostbenchError | MistakesError)
    text = str(error) if is_told else f"{type(error).__name__}: {error}"
    return f"{text} ({place})" if (place := place_of(error)) else text


def _kind_of(part: Any) -> Registry:
    if isinstance(part, type):
        return registry.weak_learners if hasattr(part, "accepts") else registry.boosters
    names = list(getattr(getattr(part, "__code__", None), "co_varnames", ()))
    return registry.noise_models if names[:1] == ["y"] else registry.generators


def _findings(kind: Registry, source: str) -> Iterator[Finding]:
    """Run the tests, each of which yields what it requires before it begins."""
    what, tests = "has the interface of its kind", _all_tests(kind, source)
    while what:
        following, failure = "", None
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
                warnings.simplefilter("ignore")
                following = next(tests, "")
        except Exception as error:
            failure = error
        yield what, failure
        what = following


def _all_tests(kind: Registry, source: str) -> Iterator[str]:
    mistakes = MistakesError()
    check_component(kind, source, {}, mistakes)
    mistakes.close()
    yield from _TESTS[kind](source)


def _require(is_right: object, problem: str) -> None:
    if not is_right:
        raise AssertionError(problem)


def _test_booster(source: str) -> Iterator[str]:
    cls = registry.boosters.get(source)
    yield from _test_fits(cls)
    yield "a run records its curves"
    _check_run(source)
    if hasattr(cls, "get_params"):
        yield "passes scikit-learn's estimator checks"  # text labels, weights and so on
        _check_estimator(cls(n_estimators=_ROUNDS, random_state=0))


def _test_fits(cls: Any, of: str = "", **parameters: Any) -> Iterator[str]:
    make, iris = partial(cls, n_estimators=_ROUNDS, random_state=0, **parameters), load("iris")
    kept = iris.y >= (1 if takes_two_classes(cls) else 0)
    X, y = iris.X[kept], iris.y[kept]
    yield f"{of}trains on iris and beats guessing"
    booster = make().fit(X, y)
    labels, guess = booster.predict(X), np.bincount(y).max() / len(y)
    right = np.mean(labels == y)
    _require(right > guess, f"{right:.0%} of the training labels are right; guessing: {guess:.0%}")
    yield f"{of}the same seed gives the same predictions"
    curve = "staged_scores" if hasattr(cls, "staged_scores") else "staged_predict"
    one, two = (np.array([*getattr(b, curve)(X)]) for b in (booster, make().fit(X, y)))
    _require(np.array_equal(one, two), "two fits with random_state=0 predict differently")
    yield f"{of}the last stage of staged_predict equals predict"
    stages = [*booster.staged_predict(X)]
    _require(1 <= len(stages) <= _ROUNDS, f"{len(stages)} stages of at most {_ROUNDS} rounds")
    wrong = int(np.sum(stages[-1] != labels))
    _require(wrong == 0, f"the last stage differs from predict for {wrong} of {len(y)} samples")


def _check_run(source: str) -> None:
    split = {"holdout": 0.3, "max_rows": 200, "stratify": True}
    config = {"name": "check", "datasets": ["breast-cancer"], "split": split, "rounds": _ROUNDS}
    config |= {"noise": {"model": "exchange", "rate": 0.1}, "boosters": [source]}
    with tempfile.TemporaryDirectory() as folder:
        experiment = Experiment.load(config, results=folder)
        for _, record in experiment.run(executor="inline").failures:
            raise BoostbenchError(record.why)
        (result,) = experiment.study().results
        _require(result.ok, result.reason)


def _check_estimator(booster: Any) -> None:
    from sklearn.utils.estimator_checks import check_estimator

    for result in check_estimator(
        booster, on_fail=None, on_skip=None, expected_failed_checks=EXPECTED_FAILED_CHECKS
    ):
        if result["status"] == "failed":
            error = result["exception"]
            raise AssertionError(f"{result['check_name']}: {error}") from error


def _test_learner(source: str) -> Iterator[str]:
    accepts = make_weak_learner(source).accepts
    for name in ("samme", "adaboost-mh", "adaboost-mm", "l2boost"):  # a booster per demand
        (demand,) = registry.boosters.get(name)().demands()
        if demand in accepts:
            of = f"meets {demand.__name__}, of {name}: "
            yield from _test_fits(registry.boosters.get(name), of, weak_learner=source)


def _test_noise(source: str) -> Iterator[str]:
    iris = load("iris")
    y, X, K = iris.y.copy(), iris.X.copy(), iris.n_classes

    def noisy(rate: float) -> Any:
        return corrupt(iris.y, K, source, rate, np.random.default_rng(0), X=iris.X)

    yield "proposes a class for each sample, and other ones"
    few, again, all_ = noisy(0.2), noisy(0.2), noisy(1.0)
    _require(np.isin(all_.y, range(K)).all(), f"labels are not all 0..{K - 1}")
    _require(few.n_changed > 0, "no label is changed")
    yield "the same seed gives the same labels"
    _require(np.array_equal(few.y, again.y), "two draws with the same seed differ")
    yield "does not modify its arguments"
    registry.noise_models.get(source)(y, K, np.random.default_rng(0), X)
    _require(np.array_equal(y, iris.y) and np.array_equal(X, iris.X), "it modifies y or X")


def _test_generator(source: str) -> Iterator[str]:
    generator = registry.generators.get(source)
    yield "returns a Dataset of samples, features and classes"
    data, again, other = (generator(np.random.default_rng(seed)) for seed in (0, 0, 1))
    _require(isinstance(data, Dataset), f"returns {type(data).__name__}, not a Dataset")
    shape = (data.n_rows, data.n_features)
    _require(data.X.shape == shape, f"X has shape {data.X.shape}, not {shape}")
    _require(data.n_classes >= 2, f"it has {data.n_classes} class")
    _require(not np.isinf(data.X).any(), "X holds infinite values")
    seen = np.unique(data.y if data.official is None else data.y[data.official[0]])
    _require(len(seen) == data.n_classes, "a class has no sample in the training part")
    yield "the same seed gives the same data"
    same = np.array_equal(data.X, again.X, equal_nan=True) and np.array_equal(data.y, again.y)
    _require(same, "two draws with the same seed differ; rng must be the only source of randomness")
    yield "another seed gives other data"
    _require(not np.array_equal(data.X, other.X), "X is the same for the seeds 0 and 1")


_TESTS: dict[Registry, Callable[[str], Iterator[str]]] = {
    registry.boosters: _test_booster,
    registry.weak_learners: _test_learner,
    registry.noise_models: _test_noise,
    registry.generators: _test_generator,
}
