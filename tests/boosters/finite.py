"""Weak learners that choose from a table of answers; the row of a sample is its only feature."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.datasets import make_classification

from boostbench.weak_learners import Costs, WeightedLabels
from boostbench.weak_learners.estimator import EstimatorHypothesis, EstimatorPart


def row_numbers(n):
    """The X that goes with a table of n samples."""
    return np.arange(n, dtype=float)[:, None]


def noisy_problem(n=150, n_classes=2, flip_y=0.3, n_features=20):
    """Return features, four of them of use, and labels of which a share is drawn."""
    return make_classification(
        n, n_features, n_informative=4, n_classes=n_classes, flip_y=flip_y, random_state=0
    )


def noisy_stumps(n_classes=3):
    """Data on which stumps and small trees err."""
    rng = np.random.default_rng(5)
    y = rng.integers(n_classes, size=120)
    X = rng.normal(size=(120, 4)) + y[:, None] * [0.8, -0.5, 0.3, 0.0]
    return X, y


@dataclass
class Column:
    """One classifier of a table."""

    answers: np.ndarray

    def predict(self, X):
        return self.answers[X[:, 0].astype(int)]


class FiniteSpace:
    """Return the classifier of least cost, the first of equals.

    ``table`` has one column of answers for each classifier; ``chosen`` notes the columns returned.
    """

    accepts: ClassVar[tuple[type, ...]] = (Costs, WeightedLabels)

    def __init__(self, table):
        self.table = np.asarray(table)
        self.chosen = []

    def prepare(self, X, rows=None, count=None):
        numbers = X[:, 0].astype(int)
        return numbers if rows is None else numbers[rows]

    def fit(self, data, demand, rng=None):
        index = self.choose(self.paid(data, demand))
        self.chosen.append(index)
        column = self.table[:, index]
        return EstimatorHypothesis(EstimatorPart(Column(column)), column[data].astype(np.int32))

    def paid(self, data, demand):
        table = self.table[data]
        if isinstance(demand, WeightedLabels):
            return demand.weight @ (table != demand.y[:, None])
        return np.take_along_axis(demand.cost, table, axis=1).sum(axis=0)

    def choose(self, paid):
        return int(np.argmax(paid <= paid.min() + 1e-12 * np.abs(paid).max()))


class Scripted(FiniteSpace):
    """Return the classifiers in the order of the table, whatever is asked."""

    def choose(self, paid):
        return len(self.chosen)
