"""Measures of the tree engine: time of one tree, and its growth with the number of rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.data import COVTYPE, Data, covtype_like
from benchmarks.peers import lightgbm_tree, sklearn_tree
from benchmarks.settings import Settings
from benchmarks.table import Row, seconds
from benchmarks.timing import Contestant, Stopwatch, compete
from boostbench.weak_learners import BinaryLabels, Tree

SPARSE = ("dna", "mnist")


def boosting_weights(data: Data, n: int) -> list[np.ndarray]:
    """Return the weights of the first rounds of AdaBoost for one class against the others."""
    tree = Tree(max_leaf_nodes=12)
    prepared = tree.prepare(data.X)
    signs = np.where(data.y == 0, 1.0, -1.0)[:, None]
    F = np.zeros_like(signs)
    weights = []
    for _ in range(n):
        w = np.exp(-signs * F)
        w /= w.sum()
        weights.append(w[:, 0])
        h = tree.fit(prepared, BinaryLabels(signs * w))
        edge = min(float((signs * w * h.values(1)).sum()), 1 - 1e-9)
        h.add_to(F, 0.5 * np.log((1 + edge) / (1 - edge)))
    return weights


def our_tree(data: Data, weights: list[np.ndarray]) -> Contestant:
    """Return a contestant that grows one tree of 12 leaves per vector of weights."""
    tree = Tree(max_leaf_nodes=12)
    prepared = tree.prepare(data.X)
    signs = np.where(data.y == 0, 1.0, -1.0)
    demands = [BinaryLabels((signs * w)[:, None]) for w in weights]

    def contestant() -> float:
        watch = Stopwatch()
        with watch:
            for demand in demands:
                tree.fit(prepared, demand)
        return watch.seconds / len(demands)

    return contestant


def tree_and_lightgbm(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare the time of a binary tree of 12 leaves with LightGBM."""
    n_trees = 20
    peer = lightgbm_tree(data, n_trees)
    ours = our_tree(data, boosting_weights(data, n_trees))
    a, b = compete([ours, peer], settings.repeats, settings.budget)
    target = 1.2 if data.name.startswith(SPARSE) else 1.0
    yield Row("12-leaf tree / LightGBM", data.name, seconds(a), seconds(b), a / b, target)


def tree_and_sklearn(data: Data, settings: Settings) -> Iterator[Row]:
    """Compare the time of a binary tree of 12 leaves with scikit-learn, as a speed-up."""
    weights = boosting_weights(data, 2 if data.X.size > 10**7 else 10)
    contestants = [our_tree(data, weights), sklearn_tree(data, weights)]
    a, b = compete(contestants, settings.repeats, settings.budget)
    yield Row(
        "scikit-learn CART / 12-leaf tree", data.name, seconds(a), seconds(b), b / a, 15.0, True
    )


def scaling(settings: Settings) -> Iterator[Row]:
    """Fit the exponent of the time of a tree in the number of rows."""
    sizes = [10_000, 30_000, 100_000, 500_000]
    if settings.quick:
        sizes = sizes[:3]
    whole = covtype_like(sizes[-1])
    contestants = []
    for n in sizes:
        part = whole.head(n)
        contestants.append(our_tree(part, boosting_weights(part, 5)))
    times = compete(contestants, settings.repeats, settings.budget)
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    yield Row(
        "exponent of tree time in rows",
        COVTYPE,
        seconds(times[-1]),
        seconds(times[0]),
        exponent,
        1.05,
        note=f"{sizes[-1]:,} rows beside {sizes[0]:,}",
    )
