"""Measures of whole fits and of prediction."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.data import Data
from benchmarks.peers import (
    LIGHTGBM,
    lightgbm_multiclass,
    one_thread_classifiers,
    sklearn_samme,
)
from benchmarks.settings import Settings
from benchmarks.table import Row, seconds
from benchmarks.timing import Contestant, compete, elapsed, whole
from boostbench.boosters import make_booster
from boostbench.weak_learners import BinaryLabels, Forest, Tree
from boostbench.weak_learners.scoring import Additions


def mh_and_lightgbm(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare AdaBoost.MH with LightGBM at equal rounds, trees and leaves, including binning."""
    rounds = settings.rounds
    warm_up("adaboost-mh")
    contestants = [
        fit("adaboost-mh", data, rounds),
        whole(lambda: lightgbm_multiclass(data, rounds)),
    ]
    a, b = compete(contestants, min(settings.repeats, 3), settings.budget)
    yield Row(
        f"AdaBoost.MH fit, T={rounds} / LightGBM", data.name, seconds(a), seconds(b), a / b, 1.0
    )


def sm_and_mh(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare sm-boost with AdaBoost.MH of boostbench."""
    rounds = settings.rounds
    contestants = []
    for name in ("sm-boost", "adaboost-mh"):
        warm_up(name)
        contestants.append(fit(name, data, rounds))
    a, b = compete(contestants, min(settings.repeats, 3), settings.budget)
    yield Row(
        f"sm-boost fit, T={rounds} / AdaBoost.MH", data.name, seconds(a), seconds(b), a / b, 0.5
    )


#: Boosters that are measured with two threads, and the target speed-up of each.
_THREADED = {"adaboost-mh": 1.8, "sm-boost": 1.8, "samme": 1.6, "logitboost": 1.6}


def one_and_two_threads(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare one thread with two; for LogitBoost the classes are merged into two."""
    rounds = settings.rounds if data.X.size < 10**7 else settings.rounds // 5
    two_classes = replace(data, y=(data.y >= data.n_classes // 2).astype(np.int64))
    for name, target in _THREADED.items():
        training = two_classes if name == "logitboost" else data
        fit(name, training.head(200), 2)()
        contestants = [fit(name, training, rounds, n_jobs, elapsed) for n_jobs in (2, 1)]
        a, b = compete(contestants, settings.repeats, settings.budget)
        yield Row(
            f"{name} fit, T={rounds}, one thread / two",
            data.name,
            seconds(a),
            seconds(b),
            b / a,
            target,
            at_least=True,
            note="seconds of a clock",
        )


def fit(
    name: str,
    data: Data,
    rounds: int,
    n_jobs: int = 1,
    timed: Callable[[Callable[[], object]], Contestant] = whole,
) -> Contestant:
    """Return a contestant that fits a booster."""
    params = {"n_estimators": rounds, "random_state": 0, "n_jobs": n_jobs}
    return timed(lambda: make_booster(name, **params).fit(data.X, data.y))


def warm_up(name: str) -> None:
    """Fit a tiny data set, so that compilation and loading are not timed."""
    X = np.arange(12.0)[:, None]
    make_booster(name, n_estimators=2, random_state=0).fit(X, np.arange(12) % 3).predict(X)


def samme_and_sklearn(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare SAMME with AdaBoostClassifier on CART; test errors must agree within half a point."""
    rounds = settings.rounds
    if data.X.size > 10**7:  # scikit-learn would take hours
        rounds, data = 10, data.head(10_000)
    fitted: dict[str, Any] = {}
    peer = sklearn_samme(data, rounds)

    def fit_ours() -> None:
        booster = make_booster("samme", n_estimators=rounds, random_state=0)
        fitted["ours"] = booster.fit(data.X, data.y)

    def fit_peer() -> None:
        fitted["peer"] = peer()

    warm_up("samme")
    a, b = compete([whole(fit_ours), whole(fit_peer)], min(settings.repeats, 3), settings.budget)
    errors = {
        side: 100.0 * float((model.predict(data.X_test) != data.y_test).mean())
        for side, model in fitted.items()
    }
    yield Row(
        f"scikit-learn / SAMME fit, T={rounds}",
        data.name,
        seconds(a),
        seconds(b),
        b / a,
        10.0,
        at_least=True,
        ok=abs(errors["ours"] - errors["peer"]) <= 0.5,
        note=f"test error {errors['ours']:.2f} % beside {errors['peer']:.2f} %",
    )


def staged_and_lightgbm(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare scores after every round with LightGBM's scores after the last round."""
    data = data.head(10_000)
    n_trees = 350 if settings.quick else 3_500
    rounds = -(-n_trees // data.n_classes)
    X = np.resize(data.X_test, (10_000, data.X.shape[1]))
    # the small learning rate keeps all trees at full size
    peer = lightgbm_multiclass(data, rounds, learning_rate=0.01)
    forest = _forest(data, rounds)
    tree_index = np.arange(forest.n_trees)
    coefficient = np.linspace(1.0, 0.1, forest.n_trees)
    round_end = np.arange(1, rounds + 1) * data.n_classes

    def staged() -> None:
        F = np.zeros((len(X), data.n_classes))
        for _ in Additions(forest, tree_index, coefficient).stages(F, X, round_end):
            pass

    def plain() -> None:
        peer.predict(X, raw_score=True, num_threads=LIGHTGBM["num_threads"])

    staged()
    a, b = compete([whole(staged), whole(plain)], settings.repeats, settings.budget)
    yield Row(
        f"staged scores, {forest.n_trees:,} trees / LightGBM predict",
        data.name,
        seconds(a),
        seconds(b),
        a / b,
        1.0,
        note="10,000 rows",
    )


def one_row(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare predictions of a row at a time, by AdaBoost.MH and by classifiers of others.

    The first rows tell apart what validation takes, and the first call of an unpickled model.
    """
    rounds, n_rows = settings.rounds, 20 if settings.quick else 200
    rows = [data.X_test[i : i + 1] for i in range(min(n_rows, len(data.X_test)))]

    def calls(predict: Callable[[Any], Any]) -> Contestant:
        predict(rows[0])
        return lambda: whole(lambda: [predict(row) for row in rows])() / len(rows)

    model = make_booster("adaboost-mh", n_estimators=rounds, random_state=0).fit(data.X, data.y)
    pickled = pickle.dumps(model)

    def first_call() -> float:
        unpickled = pickle.loads(pickled)
        return whole(lambda: unpickled.predict(rows[0]))()

    name, ours = f"AdaBoost.MH predicts a row, T={rounds}", calls(model.predict)
    parts = [ours, calls(model._scores), first_call]
    times = compete(parts, settings.repeats, settings.budget)
    limits = {name: 350e-6, f"{name}, less validation": 30e-6, f"{name}, unpickled": 5e-3}
    for (measure, limit), taken in zip(limits.items(), times, strict=True):
        yield Row(
            measure, data.name, seconds(taken), f"{seconds(limit)} allowed", taken / limit, 1.0
        )
    for peer, made in one_thread_classifiers(rounds).items():
        try:
            theirs = calls(made().fit(data.X, data.y).predict)
        except ImportError:
            note = "peer not installed"
            yield Row(f"{name} / {peer}", data.name, "-", "-", None, None, note=note)
            continue
        a, b = compete([ours, theirs], settings.repeats, settings.budget)
        yield Row(f"{name} / {peer}", data.name, seconds(a), seconds(b), a / b, 1.0)


def _forest(data: Data, rounds: int) -> Forest:
    """Grow as many trees as AdaBoost.MH in the given rounds, on random weights."""
    rng = np.random.default_rng(0)
    tree = Tree(max_leaf_nodes=12)
    prepared = tree.prepare(data.X)
    signs = np.where(data.y[:, None] == np.arange(data.n_classes), 1.0, -1.0)
    weights = (rng.exponential(size=signs.shape) for _ in range(rounds))
    return Forest.concatenate(
        [tree.fit(prepared, BinaryLabels(signs * w / w.sum())).trees for w in weights]
    )
