"""Label noise of today: made by weak classifiers, or by the place of a sample among the others.

The raters are trees of few leaves, each grown on a bootstrap sample of one half of the rows, with
features drawn for each node. They rate the other half, so no row is rated by a tree that has seen
it. ``P[i, k]`` is the mean over the raters of the share of class k in the leaf of row i (with
Laplace's correction): how likely a weak classifier finds it that row i is of class k.

`noise` says what all models share. Here ``v`` is a uniform number of each row, and rows that are
chosen "with probabilities proportional to w" are the first ones by ``-ln(v) / w``, without
replacement; so those of a lower rate are among those of a higher one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boostbench.errors import BoostbenchError
from boostbench.noise import Features, Labels, Proposal, standardised
from boostbench.portable import exp, log1p, row_sums, total
from boostbench.weak_learners import Tree, WeightedLabels

_MAX_LEAVES = 12
_N_RATERS = 11
_LEAST = 1e-6


def confusion(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, pairs: bool = False
) -> Proposal:
    """A class drawn by how often weak classifiers confuse the own class with it.

    Class i becomes j with probability proportional to the sum of ``P[., j]`` over the rows of class
    i, j other than i. Rows are chosen uniformly.

    Parameters
    ----------
    pairs : bool, default=False
        All of a class go to the one class that it is confused with most.
    """
    P = _rated("confusion", y, n_classes, rng, X)
    sums = np.array([[total(P[y == i, j]) for j in range(n_classes)] for i in range(n_classes)])
    np.fill_diagonal(sums, 0.0)
    if pairs:
        sums = (sums == sums.max(axis=1, keepdims=True)).astype(np.float64)
        np.fill_diagonal(sums, 0.0)
    empty = sums.max(axis=1) == 0.0  # no row of the class: no matter what
    sums[empty] = 1.0
    return Proposal(_drawn(sums[y], rng))


def rater(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """The answer of weak classifiers to rows that they are likely to get wrong.

    Rows are chosen with probabilities proportional to ``1 - P[i, y_i]``; the label is drawn from
    the other classes in proportion to ``P[i, k]``. After Gu et al., "An instance-dependent
    simulation framework for learning with label noise" (Machine Learning, 2023).
    """
    P = _rated("rater", y, n_classes, rng, X)
    doubt = 1.0 - P[np.arange(len(y)), y]
    return Proposal(_drawn(_others(P, y), rng), order=_raced(doubt, rng))


def votes(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, corruption: float = 0.3
) -> Proposal:
    """The other class of most votes of weak classifiers that see corrupted features.

    Each rater sees the rows with every cell replaced, with probability ``corruption``, by that of
    another row, and votes for a class. The rows of most votes for one other class are chosen first,
    ties by the mean shares P. After "corrupt the inputs and vote" (arXiv 2606.14965).

    Parameters
    ----------
    corruption : float, default=0.3
        In 0..1.
    """
    if not 0.0 <= corruption <= 1.0:
        raise BoostbenchError(f"corruption must be in [0, 1], found {corruption!r}", where="noise")
    P = _rated("votes", y, n_classes, rng, X, corruption)
    others = _others(P, y)
    return Proposal(others.argmax(axis=1), order=-others.max(axis=1))


def margin(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """The runner-up of the rows nearest to the boundary between classes: an adversary's choice.

    The adversary may change ``rate`` of the labels, and takes the rows of smallest
    ``|P[i, y_i] - max_k P[i, k]|``, k other than y_i, where a wrong label is hardest to tell.
    """
    P = _rated("margin", y, n_classes, rng, X)
    others = _others(P, y)
    distance = np.abs(P[np.arange(len(y)), y] - others.max(axis=1))
    return Proposal(others.argmax(axis=1), order=distance)


def parts(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, n_parts: int = 5
) -> Proposal:
    """A class drawn from transition matrices of the parts of the space that a row belongs to.

    Parts are rows drawn at random, in standardised columns. Row i belongs to part j with weight
    ``w_ij = exp(-d_ij^2 / s) / sum_l exp(-d_il^2 / s)``; s is the mean over the rows of their
    smallest d_ij^2. Each part has a share q_j of wrong labels and a law ``T_j`` of the wrong ones,
    drawn at random. Rows are chosen with probabilities proportional to ``sum_j w_ij q_j``, labels
    drawn from ``sum_j w_ij q_j T_j``.

    After Xia et al., "Part-dependent label noise" (NeurIPS 2020), who find parts by a
    factorisation of non-negative features.

    Parameters
    ----------
    n_parts : int, default=5
        At least 1.
    """
    if not isinstance(n_parts, (int, np.integer)) or n_parts < 1:
        raise BoostbenchError(f"n_parts must be at least 1, found {n_parts!r}", where="noise")
    Z = standardised(_needed("parts", X))
    n = len(y)
    centres = Z[rng.integers(n, size=n_parts)]
    distance = np.stack([row_sums(np.square(Z - centre)) for centre in centres], axis=1)
    nearest = distance.min(axis=1, keepdims=True)
    share = exp((nearest - distance) / max(total(nearest[:, 0]) / n, _LEAST))
    share *= rng.random(len(centres)) / row_sums(share)[:, None]
    law = rng.random((len(centres), n_classes, n_classes))
    mixed = np.zeros((n, n_classes))
    for j in range(len(centres)):
        rows = law[j] * (1.0 - np.eye(n_classes))
        mixed += share[:, j : j + 1] * (rows / row_sums(rows)[:, None])[y]
    return Proposal(_drawn(mixed, rng), order=_raced(row_sums(share), rng))


def _needed(model: str, X: Features) -> NDArray[np.float64]:
    if X is None:
        raise BoostbenchError(f"{model!r} needs the features X", where="noise")
    return X


def _rated(
    model: str,
    y: Labels,
    n_classes: int,
    rng: np.random.Generator,
    X: Features,
    corruption: float | None = None,
) -> NDArray[np.float64]:
    """Return P, shape (n, K); with corrupted features, to which each rater's vote is added."""
    X = _needed(model, X)
    if len(y) < 2:
        return np.full((len(y), n_classes), 1.0 / n_classes)
    P = np.zeros((len(y), n_classes))
    order = rng.permutation(len(y))
    halves = order[: len(y) // 2], order[len(y) // 2 :]
    tree = Tree(max_leaf_nodes=_MAX_LEAVES, max_features="sqrt")
    for seen, rated in (halves, halves[::-1]):
        data, X_rated, known = tree.prepare(X, seen), X[rated], y[seen].astype(np.int32)
        for _ in range(_N_RATERS):
            drawn = rng.integers(len(seen), size=len(seen))
            weight = np.bincount(drawn, minlength=len(seen)).astype(np.float64)
            grown = tree.fit(data, WeightedLabels(known, weight, n_classes), rng)
            cell = grown.leaves[0].astype(np.int64) * n_classes + known
            size = grown.trees.n_leaves * n_classes
            counts = np.bincount(cell, weights=weight, minlength=size).reshape(-1, n_classes)
            shares = (counts + 1.0 / n_classes) / (row_sums(counts) + 1.0)[:, None]
            shown = X_rated
            if corruption is not None:
                other = X_rated[rng.permutation(len(rated))]
                shown = np.where(rng.random(X_rated.shape) < corruption, other, X_rated)
            found = shares[grown.trees.apply(shown)[:, 0]]
            P[rated] += found / _N_RATERS
            if corruption is not None:
                P[rated, found.argmax(axis=1)] += 1.0
    return P


def _others(P: NDArray[np.float64], y: Labels) -> NDArray[np.float64]:
    """Return P without the entries of the own classes."""
    others = P.copy()
    others[np.arange(len(y)), y] = 0.0
    return others


def _drawn(weights: NDArray[np.float64], rng: np.random.Generator) -> Labels:
    """Draw a column of each row in proportion to its weights."""
    edges = np.cumsum(weights, axis=1)
    u = rng.random(len(weights))[:, None] * edges[:, -1:]
    return np.asarray((u >= edges[:, :-1]).sum(axis=1), dtype=np.int64)


def _raced(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return an order in which rows come first with probabilities proportional to their weights."""
    return np.asarray(-log1p(-rng.random(len(weight))) / np.clip(weight, _LEAST, None))
