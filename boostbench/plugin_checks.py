"""Tests of plugins: the common contract of boosters, weak learners, noise models and generators."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from boostbench import registry
from boostbench.api import Experiment
from boostbench.boosters.surface import BoostingClassifier
from boostbench.data import Dataset, load
from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.experiments.configs.components import check_component
from boostbench.experiments.planning.planner import takes_two_classes
from boostbench.inputs import place_of
from boostbench.noise import corrupt
from boostbench.plugin_files import load_plugin
from boostbench.registry import Registry
from boostbench.validation import MistakesError
from boostbench.weak_learners import (
    BinaryLabels,
    Costs,
    Targets,
    WeightedLabels,
    make_weak_learner,
)

_ROUNDS = 5
Test = Callable[[], None]


@dataclass(frozen=True)
class Finding:
    """Outcome of a test: its requirement, and its error if it failed."""

    what: str
    error: Exception | None = None

    @property
    def problem(self) -> str:
        """The error, with its location in the user's code; empty if the test passed."""
        if self.error is None:
            return ""
        text, place = str(self.error) or type(self.error).__name__, place_of(self.error)
        if not isinstance(self.error, AssertionError | BoostbenchError | MistakesError):
            text = f"{type(self.error).__name__}: {text}"
        return f"{text} ({place})" if place else text


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
        The outcome of each test.

    Raises
    ------
    BoostbenchError
        If the file cannot be loaded or has no component to test.
    """
    parts = list(_parts_of(reference))
    if not parts:
        what = "registers no booster, weak learner, noise model or data set; FILE.py:NAME names one"
        raise BoostbenchError(what, where=reference)
    for kinds, source in parts:
        tests = _TESTS[kinds.kind](source)
        yield f"{kinds.kind} {source.rpartition(':')[2]}", _findings(kinds, source, tests)


def _parts_of(reference: str) -> Iterator[tuple[Registry, str]]:
    file, separator, name = reference.partition(".py:")
    path = Path(f"{file}.py" if separator else file)
    module = load_plugin(path, where="check")
    kinds = (registry.boosters, registry.weak_learners, registry.noise_models, registry.generators)
    own = [(k, n) for k in kinds for n in k if k.module(n) == module.__file__]
    if not name or any(n == name for _, n in own):
        yield from (part for part in own if name in ("", part[1]))
        return
    attribute = getattr(module, name, None)
    if attribute is None:
        known = [n for n in vars(module) if not n.startswith("_")] + [n for _, n in own]
        raise UnknownNameError(f"part of {path}", name, known, where="check")
    registered = [part for part in own if part[0].get(part[1]) is attribute]
    yield registered[0] if registered else (_kind_of(attribute), f"{path}:{name}")


def _kind_of(part: Any) -> Registry:
    if isinstance(part, type):
        return registry.weak_learners if hasattr(part, "accepts") else registry.boosters
    names = list(getattr(getattr(part, "__code__", None), "co_varnames", ()))
    return registry.noise_models if names[:1] == ["y"] else registry.generators


def _findings(kinds: Registry, source: str, tests: Iterable[tuple[str, Test]]) -> Iterator[Finding]:
    first = _finding("has the interface of its kind", partial(_check_interface, kinds, source))
    yield first
    for what, test in tests if first.error is None else ():
        yield _finding(what, test)


def _finding(what: str, test: Test) -> Finding:
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(sys.stderr):
            warnings.simplefilter("ignore")
            test()
    except Exception as error:
        return Finding(what, error)
    return Finding(what)


def _require(is_right: object, problem: str) -> None:
    if not is_right:
        raise AssertionError(problem)


def _check_interface(kinds: Registry, source: str) -> None:
    mistakes = MistakesError()
    check_component(kinds, source, {}, mistakes)
    mistakes.close()


# ---- boosters -----------------------------------------------------------------------------


def _booster_tests(source: str) -> Iterator[tuple[str, Test]]:
    """Yield the tests of a booster; each test fits its own boosters."""

    def make(**parameters: Any) -> Any:
        cls = registry.boosters.get(source)
        return cls(**{"n_estimators": _ROUNDS, "random_state": 0, **parameters})

    yield "trains on iris and beats guessing", lambda: _check_accuracy(make())
    yield "the same seed gives the same predictions", lambda: _check_reproducible(make)
    yield "the last stage of staged_predict equals predict", lambda: _check_stages(make())
    yield "labels may be text", lambda: _check_text_labels(make())
    if isinstance(make(), BoostingClassifier):
        yield "weight 2 is equivalent to repeating a sample", lambda: _check_weights(make)
    yield "a run records its curves", lambda: _check_run(source)
    if isinstance(make(), BaseEstimator):
        yield from _estimator_checks(make())


def _iris(booster: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the iris data, restricted to two classes for a binary booster."""
    iris = load("iris")
    selected = iris.y >= (1 if takes_two_classes(type(booster)) else 0)
    return iris.X[selected], iris.y[selected]


def _check_accuracy(booster: Any) -> None:
    X, y = _iris(booster)
    accuracy = np.mean(booster.fit(X, y).predict(X) == y)
    guess = np.bincount(y).max() / len(y)
    problem = f"{accuracy:.0%} of the training labels are right; guessing: {guess:.0%}"
    _require(accuracy > guess, problem)


def _check_reproducible(make: Callable[..., Any]) -> None:
    X, y = _iris(make())
    one, two = (np.array([*make().fit(X, y).staged_predict(X)]) for _ in range(2))
    _require(np.array_equal(one, two), "two fits with random_state=0 predict differently")


def _check_stages(booster: Any) -> None:
    X, y = _iris(booster)
    stages = [*booster.fit(X, y).staged_predict(X)]
    _require(1 <= len(stages) <= _ROUNDS, f"{len(stages)} stages of at most {_ROUNDS} rounds")
    wrong = int(np.sum(np.asarray(stages[-1]) != booster.predict(X)))
    _require(wrong == 0, f"the last stage differs from predict for {wrong} of {len(y)} samples")


def _check_text_labels(booster: Any) -> None:
    X, y = _iris(booster)
    names = np.array(["one", "two", "three"])[y]
    predicted = set(booster.fit(X, names).predict(X).tolist())
    _require(predicted <= set(names.tolist()), f"it predicts {sorted(map(str, predicted))}")


def _check_weights(make: Callable[..., Any]) -> None:
    X, y = _iris(make())
    weight = np.arange(len(y)) % 3
    weighted = make().fit(X, y, sample_weight=weight).predict(X)
    repeated = make().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict(X)
    n = int(np.sum(weighted != repeated))
    _require(n == 0, f"weights 0, 1, 2 and repeated samples differ in {n} of {len(y)} predictions")


def _check_run(source: str) -> None:
    config = {
        "name": "check",
        "datasets": ["breast-cancer"],
        "split": {"holdout": 0.3, "max_rows": 200, "stratify": True},
        "noise": {"model": "exchange", "rate": 0.1},
        "boosters": [source],
        "rounds": _ROUNDS,
    }
    with tempfile.TemporaryDirectory() as folder:
        experiment = Experiment.load(config, results=folder)
        for _, record in experiment.run(executor="inline").failures:
            raise BoostbenchError(record.why)
        (result,) = experiment.study().results
        _require(result.ok, result.reason)


def _estimator_checks(booster: Any) -> Iterator[tuple[str, Test]]:
    """Yield the checks of scikit-learn as one test, followed by those that failed."""
    from sklearn.utils.estimator_checks import check_estimator

    from boostbench.boosters.surface import EXPECTED_FAILED_CHECKS

    failed: list[dict[str, Any]] = []

    def check() -> None:
        results = check_estimator(
            booster, on_fail=None, on_skip=None, expected_failed_checks=EXPECTED_FAILED_CHECKS
        )
        failed.extend(result for result in results if result["status"] == "failed")
        _require(not failed, f"{len(failed)} of {len(results)} fail")

    yield "passes scikit-learn's estimator checks", check
    for result in failed:
        yield f"scikit-learn's {result['check_name']}", partial(_raise, result["exception"])


def _raise(error: Exception) -> None:
    raise error


# ---- weak learners ------------------------------------------------------------------------


def _learner_tests(source: str) -> Iterator[tuple[str, Test]]:
    iris = load("iris")
    y, n, K = iris.y.astype(np.int32), iris.n_rows, iris.n_classes
    right = np.arange(K) == y[:, None]
    demands = (
        WeightedLabels(y, np.full(n, 1 / n), K),
        BinaryLabels(np.where(right, 1.0, -1.0) / n),
        Costs(np.where(right, 0.0, 1.0)),
        Targets(right * 1.0, np.full((n, 1), 1 / n)),
    )
    accepts = make_weak_learner(source).accepts
    for demand in demands:
        if isinstance(demand, accepts):
            yield (
                f"meets {type(demand).__name__}",
                partial(_check_demand, source, iris.X, demand, right),
            )


def _check_demand(
    source: str, X: NDArray[np.float64], demand: Any, right: NDArray[np.bool_]
) -> None:
    fits = []
    for _ in range(2):
        learner = make_weak_learner(source)
        h = learner.fit(learner.prepare(X), demand, np.random.default_rng(0))
        fits.append(np.asarray(h.values(right.shape[1])))
    values, repeated = fits
    _require(values.shape == right.shape, f"values(K) has shape {values.shape}, not {right.shape}")
    _require(np.isfinite(values).all(), "values(K) are not all finite")
    _require(np.array_equal(values, repeated), "two fits with the same generator differ")
    if isinstance(demand, WeightedLabels | Costs):
        _require(np.isin(h.labels, range(right.shape[1])).all(), "labels are not all 0..K-1")
    gain = float(values[right].mean() - values[~right].mean())
    _require(gain > 0, f"values of the true class are no larger than others ({gain:.3g})")


# ---- noise models -------------------------------------------------------------------------


def _noise_tests(source: str) -> Iterator[tuple[str, Test]]:
    iris = load("iris")

    def noisy(rate: float, seed: int = 0) -> Any:
        return corrupt(iris.y, iris.n_classes, source, rate, np.random.default_rng(seed), X=iris.X)

    yield "proposes a class for each sample", lambda: _check_labels(noisy, iris.n_classes)
    yield "corrupts the number of samples given by the rate", lambda: _check_rate(noisy)
    yield "the same seed gives the same labels", lambda: _check_noise_seed(noisy)
    yield "samples corrupted at 10 % are also corrupted at 30 %", lambda: _check_nested(noisy)
    yield "does not modify its arguments", lambda: _check_inputs_unchanged(source, iris)


def _check_labels(noisy: Callable[..., Any], n_classes: int) -> None:
    y = noisy(1.0).y
    _require(np.isin(y, range(n_classes)).all(), f"labels are not all 0..{n_classes - 1}")


def _check_rate(noisy: Callable[..., Any]) -> None:
    corrupted = noisy(0.2)
    n_chosen, n = corrupted.n_chosen, len(corrupted.y)
    _require(n_chosen == round(0.2 * n), f"{n_chosen} of {n}")
    _require(corrupted.n_changed > 0, "no label is changed")


def _check_noise_seed(noisy: Callable[..., Any]) -> None:
    _require(np.array_equal(noisy(0.3).y, noisy(0.3).y), "two draws with the same seed differ")


def _check_nested(noisy: Callable[..., Any]) -> None:
    _require(np.isin(noisy(0.1).chosen, noisy(0.3).chosen).all(), "some are not")


def _check_inputs_unchanged(source: str, iris: Dataset) -> None:
    y, X = iris.y.copy(), iris.X.copy()
    model, rng = registry.noise_models.get(source), np.random.default_rng(0)
    model(y, iris.n_classes, rng, X)
    _require(np.array_equal(y, iris.y) and np.array_equal(X, iris.X), "it modifies y or X")


# ---- data sets ----------------------------------------------------------------------------


def _generator_tests(source: str) -> Iterator[tuple[str, Test]]:
    def drawn(seed: int) -> Dataset:
        data = registry.generators.get(source)(np.random.default_rng(seed))
        _require(isinstance(data, Dataset), f"returns {type(data).__name__}, not a Dataset")
        assert isinstance(data, Dataset)
        return data

    yield "returns a Dataset of samples, features and classes", lambda: _check_dataset(drawn(0))
    yield "the same seed gives the same data", lambda: _check_same_seed(drawn)
    yield "another seed gives other data", lambda: _check_other_seed(drawn)


def _check_dataset(data: Dataset) -> None:
    shape = (data.n_rows, data.n_features)
    _require(data.X.shape == shape, f"X has shape {data.X.shape}, not {shape}")
    _require(data.n_classes >= 2, f"it has {data.n_classes} class")
    _require(not np.isinf(data.X).any(), "X holds infinite values")
    seen = np.unique(data.y if data.official is None else data.y[data.official[0]])
    _require(len(seen) == data.n_classes, "a class has no sample in the training part")


def _check_same_seed(drawn: Callable[[int], Dataset]) -> None:
    one, two = drawn(0), drawn(0)
    same = np.array_equal(one.X, two.X, equal_nan=True) and np.array_equal(one.y, two.y)
    _require(same, "two draws with the same seed differ; rng must be the only source of randomness")


def _check_other_seed(drawn: Callable[[int], Dataset]) -> None:
    _require(not np.array_equal(drawn(0).X, drawn(1).X), "X is the same for the seeds 0 and 1")


_TESTS: dict[str, Callable[[str], Iterator[tuple[str, Test]]]] = {
    "booster": _booster_tests,
    "weak learner": _learner_tests,
    "noise model": _noise_tests,
    "data-set generator": _generator_tests,
}
