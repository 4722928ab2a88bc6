"""Instance-dependent label noise, determined by weak classifiers.

The raters are trees of few leaves. Each is grown on a bootstrap sample of one half of the rows,
with a random subset of features per node, and rates the other half, so that no row is rated by a
tree trained on it. ``P[i, k]`` is the mean over the raters of the class frequencies in the leaf of
row i (with Laplace's correction): the probability of class k according to weak classifiers.

The common scheme is described in `noise`. Rows "chosen with probabilities proportional to w" are
taken without replacement in ascending order of ``-ln(v) / w``, where v is a uniform number per
row. The rows chosen at a lower rate are thus a subset of those chosen at a higher rate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.noise import Features, Labels, Proposal
from boostbench.portable import log1p, row_sums
from boostbench.weak_learners import Tree, WeightedLabels

_MAX_LEAVES = 12
_N_RATERS = 11
_LEAST = 1e-6


def rater(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """A class drawn from the predictions of weak classifiers, mainly for hard samples.

    Rows are chosen with probabilities proportional to ``1 - P[i, y_i]``. The label is drawn from
    the wrong classes k with probabilities proportional to ``P[i, k]``. After Gu et al., "An
    instance-dependent simulation framework for learning with label noise" (Machine Learning, 2023).
    """
    P = _rated(y, n_classes, rng, X)
    rows = np.arange(len(y))
    doubt = 1.0 - P[rows, y]
    P[rows, y] = 0.0
    return Proposal(_drawn(P, rng), order=_raced(doubt, rng))


def _rated(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> NDArray[np.float64]:
    """Return P, shape (n, K)."""
    if X is None:
        raise BoostbenchError("'rater' needs the features X", where="noise")
    if len(y) < 2:
        return np.full((len(y), n_classes), 1.0 / n_classes)
    P = np.zeros((len(y), n_classes))
    order = rng.permutation(len(y))
    halves = order[: len(y) // 2], order[len(y) // 2 :]
    tree = Tree(max_leaf_nodes=_MAX_LEAVES, max_features="sqrt")
    for seen, rated in (halves, halves[::-1]):
        data, known = tree.prepare(X, seen), y[seen].astype(np.int32)
        for _ in range(_N_RATERS):
            drawn = rng.integers(len(seen), size=len(seen))
            weight = np.bincount(drawn, minlength=len(seen)).astype(np.float64)
            grown = tree.fit(data, WeightedLabels(known, weight, n_classes), rng)
            cell = grown.leaves[0].astype(np.int64) * n_classes + known
            size = grown.trees.n_leaves * n_classes
            counts = np.bincount(cell, weights=weight, minlength=size).reshape(-1, n_classes)
            shares = (counts + 1.0 / n_classes) / (row_sums(counts) + 1.0)[:, None]
            P[rated] += shares[grown.trees.apply(X[rated])[:, 0]] / _N_RATERS
    return P


def _drawn(weights: NDArray[np.float64], rng: np.random.Generator) -> Labels:
    """Draw a column for each row with probabilities proportional to the weights."""
    edges = np.cumsum(weights, axis=1)
    u = rng.random(len(weights))[:, None] * edges[:, -1:]
    return np.asarray((u >= edges[:, :-1]).sum(axis=1), dtype=np.int64)


def _raced(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return sort keys of a weighted random order without replacement."""
    return np.asarray(-log1p(-rng.random(len(weight))) / np.clip(weight, _LEAST, None))
