"""Instance-dependent label noise, determined by weak classifiers or by regions of the features.

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
from boostbench.noise import Features, Labels, Proposal, standardised
from boostbench.portable import exp, log1p, row_sums, total
from boostbench.weak_learners import Tree, WeightedLabels

_MAX_LEAVES = 12
_N_RATERS = 11
_LEAST = 1e-6


def confusion(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, pairs: bool = False
) -> Proposal:
    """A class drawn according to the confusions of weak classifiers.

    Class i becomes class j != i with probability proportional to the sum of ``P[., j]`` over the
    rows of class i. Rows are chosen uniformly.

    Parameters
    ----------
    pairs : bool, default=False
        If True, each class always becomes the class with which it is most often confused.
    """
    P = _rated("confusion", y, n_classes, rng, X)
    sums = np.array([[total(P[y == i, j]) for j in range(n_classes)] for i in range(n_classes)])
    np.fill_diagonal(sums, 0.0)
    if pairs:
        sums = (sums == sums.max(axis=1, keepdims=True)).astype(np.float64)
        np.fill_diagonal(sums, 0.0)
    empty = sums.max(axis=1) == 0.0  # classes without rows: any value is valid
    sums[empty] = 1.0
    return Proposal(_drawn(sums[y], rng))


def rater(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """A class drawn from the predictions of weak classifiers, mainly for hard samples.

    Rows are chosen with probabilities proportional to ``1 - P[i, y_i]``. The label is drawn from
    the wrong classes k with probabilities proportional to ``P[i, k]``. After Gu et al., "An
    instance-dependent simulation framework for learning with label noise" (Machine Learning, 2023).
    """
    P = _rated("rater", y, n_classes, rng, X)
    doubt = 1.0 - P[np.arange(len(y)), y]
    return Proposal(_drawn(_others(P, y), rng), order=_raced(doubt, rng))


def votes(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, corruption: float = 0.3
) -> Proposal:
    """The wrong class with the most votes of weak classifiers on corrupted features.

    Each rater votes on the rows after replacing each cell, with probability ``corruption``, by the
    value of another row. Rows with the most votes for a single wrong class are chosen first; the
    mean class frequencies P break ties. After "corrupt the inputs and vote" (arXiv 2606.14965).

    Parameters
    ----------
    corruption : float, default=0.3
        Probability that a cell is replaced, in [0, 1].
    """
    if not 0.0 <= corruption <= 1.0:
        raise BoostbenchError(f"corruption must be in [0, 1], found {corruption!r}", where="noise")
    P = _rated("votes", y, n_classes, rng, X, corruption)
    others = _others(P, y)
    return Proposal(others.argmax(axis=1), order=-others.max(axis=1))


def margin(y: Labels, n_classes: int, rng: np.random.Generator, X: Features) -> Proposal:
    """The most probable wrong class, for the rows nearest to the boundary between classes.

    Models an adversary who may change a fraction ``rate`` of the labels and chooses the rows with
    the smallest ``|P[i, y_i] - max_k P[i, k]|``, k != y_i, where errors are hardest to detect.
    """
    P = _rated("margin", y, n_classes, rng, X)
    others = _others(P, y)
    distance = np.abs(P[np.arange(len(y)), y] - others.max(axis=1))
    return Proposal(others.argmax(axis=1), order=distance)


def parts(
    y: Labels, n_classes: int, rng: np.random.Generator, X: Features, n_parts: int = 5
) -> Proposal:
    """A class drawn from a mixture of transition matrices of parts of the feature space.

    The centres of the parts are randomly drawn rows, in standardised columns. With d_ij the
    distance of row i from centre j, row i belongs to part j with weight
    ``w_ij = exp(-d_ij^2 / s) / sum_l exp(-d_il^2 / s)``, where s is the mean over the rows of the
    smallest d_ij^2. Each part has a random noise rate q_j and a random distribution ``T_j`` of the
    wrong labels. Rows are chosen with probabilities proportional to ``sum_j w_ij q_j``, and labels
    are drawn with probabilities proportional to ``sum_j w_ij q_j T_j``.

    After Xia et al., "Part-dependent label noise" (NeurIPS 2020), who define the parts by a
    factorisation of non-negative features.

    Parameters
    ----------
    n_parts : int, default=5
        Number of parts, at least 1.
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
    """Return P, shape (n, K), plus the numbers of votes if features are corrupted."""
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
    """Return P with the entries of the true classes set to 0."""
    others = P.copy()
    others[np.arange(len(y)), y] = 0.0
    return others


def _drawn(weights: NDArray[np.float64], rng: np.random.Generator) -> Labels:
    """Draw a column for each row with probabilities proportional to the weights."""
    edges = np.cumsum(weights, axis=1)
    u = rng.random(len(weights))[:, None] * edges[:, -1:]
    return np.asarray((u >= edges[:, :-1]).sum(axis=1), dtype=np.int64)


def _raced(weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return sort keys of a weighted random order without replacement."""
    return np.asarray(-log1p(-rng.random(len(weight))) / np.clip(weight, _LEAST, None))
