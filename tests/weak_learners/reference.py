"""Slow trees, straight from the definitions, and the data they are compared on."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

TIE = 1e-12


@dataclass
class Split:
    """A split of the reference tree, in the order of growth."""

    feature: int
    threshold: float
    gain: float
    rows: np.ndarray


def best_split(
    X: np.ndarray, rows: np.ndarray, impurity: Callable[[np.ndarray], float], tie: float
) -> Split | None:
    """Try every feature and every midpoint, in order; a later one must be better by ``tie``."""
    best: Split | None = None
    for j in range(X.shape[1]):
        values = np.unique(X[rows, j])
        for low, high in pairwise(values):
            left = X[rows, j] <= low
            gain = impurity(rows) - impurity(rows[left]) - impurity(rows[~left])
            if best is None or gain > best.gain + tie:
                best = Split(j, (low + high) / 2, gain, rows)
    return best


def grow(
    X: np.ndarray,
    impurity: Callable[[np.ndarray], float],
    *,
    max_leaf_nodes: float = np.inf,
    max_depth: float = np.inf,
    least_gain: float = -np.inf,
    pure: float = 0.0,
    tie: float = TIE,
) -> tuple[list[Split], list[np.ndarray]]:
    """Grow best first; return the splits in order and the rows of the leaves."""
    leaves = [(np.arange(len(X)), 0)]
    splits: list[Split] = []
    while len(leaves) < max_leaf_nodes:
        best, chosen = None, -1
        for position, (rows, depth) in enumerate(leaves):
            if depth < max_depth and impurity(rows) > pure:
                split = best_split(X, rows, impurity, tie)
                if (
                    split is not None
                    and split.gain > least_gain
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


def cost(C: np.ndarray) -> Callable[[np.ndarray], float]:
    above = C - C.min(axis=1, keepdims=True)
    return lambda rows: float(above[rows].sum(axis=0).min())


@cache
def real_data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the training part of a real data set, or skip the test."""
    folder = os.environ.get("BOOSTBENCH_DATA")
    path = Path(folder or ".") / f"{name}.csv.gz"
    if not folder or not path.is_file():
        pytest.skip(f"BOOSTBENCH_DATA holds no {name}.csv.gz")
    with gzip.open(path, "rt") as file:
        rows = list(csv.reader(file))[1:]
    train = [row[1:] for row in rows if row[0] == "train"]
    X = np.array([row[:-1] for row in train], dtype=np.float64)
    return X, np.unique([row[-1] for row in train], return_inverse=True)[1].astype(np.int32)


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


def assert_same_trees(a, b):
    """Compare grown trees bit for bit."""
    for name in a._fields:
        one, other = getattr(a, name), getattr(b, name)
        for field in one.dtype.names or [...]:
            np.testing.assert_array_equal(one[field], other[field], err_msg=f"{name} {field}")
