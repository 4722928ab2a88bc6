"""Slow trees, straight from the definitions, and the data they are compared on."""

from __future__ import annotations

import os
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from boostbench.weak_learners import BinaryLabels, Costs, Targets, WeightedLabels


class Split(NamedTuple):
    """A split of the reference tree, in the order of growth."""

    feature: int
    threshold: float
    gain: float


def best_split(X, rows, impurity, tie):
    """Try every feature and every midpoint, in order; a later one must be better by ``tie``."""
    best = None
    for j in range(X.shape[1]):
        for low, high in pairwise(np.unique(X[rows, j])):
            left = X[rows, j] <= low
            gain = impurity(rows) - impurity(rows[left]) - impurity(rows[~left])
            if best is None or gain > best.gain + tie:
                best = Split(j, (low + high) / 2, gain)
    return best


def grow(X, C, *, max_leaf_nodes=np.inf, max_depth=np.inf, zero_gain=True, tie=1e-9):
    """Grow best first by the costs C; return the splits in order and the rows of the leaves."""
    above = C - C.min(axis=1, keepdims=True)
    least = 1e-12 * above.sum()

    def impurity(rows):
        return above[rows].sum(axis=0).min()

    leaves, splits = [(np.arange(len(X)), 0)], []
    while len(leaves) < max_leaf_nodes:
        best, chosen = None, -1
        for position, (rows, depth) in enumerate(leaves):
            if depth < max_depth and impurity(rows) > least:
                split = best_split(X, rows, impurity, tie)
                if (
                    split is not None
                    and (zero_gain or split.gain > least)
                    and (best is None or split.gain > best.gain + tie)
                ):
                    best, chosen = split, position
        if best is None:
            break
        splits.append(best)
        rows, depth = leaves.pop(chosen)
        left = X[rows, best.feature] <= best.threshold
        leaves += [(rows[left], depth + 1), (rows[~left], depth + 1)]
    return splits, [rows for rows, _ in leaves]


@cache
def real_data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the training part of a real data set, or skip the test."""
    folder = os.environ.get("BOOSTBENCH_DATA")
    path = Path(folder or ".") / f"{name}.csv.gz"
    if not folder or not path.is_file():
        pytest.skip(f"BOOSTBENCH_DATA holds no {name}.csv.gz")
    train = pd.read_csv(path).query("split == 'train'")
    X = train.drop(columns=["split", "target"]).to_numpy(np.float64)
    return X, np.unique(train.target, return_inverse=True)[1].astype(np.int32)


def integer_data(n: int, d: int, n_classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return integer features of several ranges, some of them mostly zero, and noisy labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.choice([2, 16, 100, 250], d), (n, d)).astype(np.float64)
    X[:, ::3] *= rng.random((n, len(range(0, d, 3)))) < 0.3
    score = (X / X.max(axis=0)) @ rng.normal(size=(d, n_classes)) + rng.gumbel(
        scale=0.2, size=(n, n_classes)
    )
    return X, score.argmax(axis=1).astype(np.int32)


shapes = st.fixed_dictionaries(
    {
        "n": st.integers(1, 200),
        "d": st.integers(1, 7),
        "n_values": st.integers(1, 40),
        "zeros": st.sampled_from([0.0, 0.5, 0.9]),
        "missing": st.sampled_from([0.0, 0.1, 0.7]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def data_of(shape):
    """Return the generator and features of a shape: few values, zeros and gaps among them."""
    rng = np.random.default_rng(shape["seed"])
    size = shape["n"], shape["d"]
    X = rng.integers(0, shape["n_values"], size) * (rng.random(size) >= shape["zeros"])
    return rng, np.where(rng.random(size) < shape["missing"], np.nan, X)


def demands(n, n_classes=4, n_columns=3, weight=None, seed=0):
    """Return a demand of each kind about n rows; those of weight 0 have no influence."""
    rng = np.random.default_rng(seed)
    weight = rng.random(n) if weight is None else weight
    y, scale, size = rng.integers(0, n_classes, n).astype(np.int32), weight[:, None], (n, n_columns)
    return {
        "labels": WeightedLabels(y, weight, n_classes),
        "binary": BinaryLabels(rng.normal(size=size) * scale),
        "costs": Costs(rng.random((n, n_classes)) * scale),
        "targets": Targets(rng.normal(size=size), scale),
        "targets of own weights": Targets(rng.normal(size=size), rng.random(size) * scale),
    }


def assert_same_trees(first, *others):
    """Compare grown trees bit for bit."""
    for name, other in product(first._fields, others):
        a, b = getattr(first, name), getattr(other, name)
        for field in a.dtype.names or [...]:
            np.testing.assert_array_equal(a[field], b[field], err_msg=f"{name} {field}")
