"""Data sets of the benchmarks: read from a folder, or generated with the same shape."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: Training rows, test rows, features, classes, distinct values per feature, share of zeros.
SHAPES = {
    "letter": (15_000, 5_000, 16, 26, 16, 0.0),
    "pendigits": (7_494, 3_498, 16, 10, 101, 0.0),
    "satimage": (4_435, 2_000, 36, 6, 90, 0.0),
    "dna": (2_000, 1_186, 180, 3, 2, 0.75),
    "mnist": (60_000, 10_000, 784, 10, 256, 0.81),
}
COVTYPE = "covtype-like"
NAMES = (*SHAPES, COVTYPE)


@dataclass(frozen=True, eq=False)
class Data:
    """A data set divided into training and test data.

    Parameters
    ----------
    name : str
        Name of the data set, with "(generated)" or the number of rows if truncated.
    X, X_test : array of float64, shape (n, d) and (n_test, d)
        Features.
    y, y_test : array of int64, shape (n,) and (n_test,)
        Labels, 0..K-1.
    n_classes : int
        Number K of classes.
    """

    name: str
    X: Any
    y: Any
    X_test: Any
    y_test: Any
    n_classes: int

    def head(self, n: int) -> Data:
        """Return the data set with at most n training rows."""
        if n >= len(self.X):
            return self
        return replace(self, name=f"{self.name} ({n:,} rows)", X=self.X[:n], y=self.y[:n])


@cache
def load(name: str, folder: Path | None) -> Data:
    """Read ``folder/name.csv.gz``, or generate data of the same shape if the file is missing."""
    if name == COVTYPE:
        return covtype_like(500_000)
    file = None if folder is None else folder / f"{name}.csv.gz"
    if file is None or not file.is_file():
        return generated(f"{name} (generated)", *SHAPES[name])
    table = pd.read_csv(file)
    X = table.drop(columns=["split", "target"]).to_numpy(np.float64)
    y, classes = pd.factorize(table["target"], sort=True)
    train = (table["split"] == "train").to_numpy()
    return Data(name, X[train], y[train], X[~train], y[~train], len(classes))


@cache
def covtype_like(n: int) -> Data:
    """Generate data with the shape of covtype: 10 numeric features, 44 indicators, 7 classes."""
    rng = np.random.default_rng(zlib.crc32(COVTYPE.encode()))
    n_test = 10_000
    X = np.zeros((n + n_test, 54))
    X[:, :10] = np.round(rng.normal(size=(len(X), 10)) * rng.uniform(20, 2_000, size=10))
    rows = np.arange(len(X))
    area, soil = rng.integers(4, size=len(X)), np.minimum(rng.geometric(0.1, len(X)), 40) - 1
    X[rows, 10 + area] = X[rows, 14 + soil] = 1.0
    y = _labels(X, 7, rng)
    return Data(COVTYPE, X[:n], y[:n], X[n:], y[n:], 7)


def generated(
    name: str, n: int, n_test: int, d: int, n_classes: int, n_values: int, zeros: float
) -> Data:
    """Generate rows of integers with a share of zeros, labelled by the nearest prototype."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    X = np.floor(n_values * rng.beta(2.0, 2.0, size=(n + n_test, d)))
    X[rng.random(X.shape) < zeros] = 0.0
    y = _labels(X, n_classes, rng)
    return Data(name, X[:n], y[:n], X[n:], y[n:], n_classes)


def _labels(X: Any, n_classes: int, rng: np.random.Generator) -> Any:
    """Label rows by the class of the nearest prototype, so that labels depend on features."""
    scaled = X / np.maximum(X.std(axis=0), 1e-12)
    prototypes = rng.choice(scaled, size=3 * n_classes, replace=False)
    distance = (prototypes**2).sum(axis=1) - 2.0 * scaled @ prototypes.T
    return (distance.argmin(axis=1) % n_classes).astype(np.int64)
