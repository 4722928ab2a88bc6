"""Exact Shapley values of the scores of a fitted model."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import kernel
from boostbench.weak_learners.forest import Forest

Floats = NDArray[np.float64]


def _conditions(forest: Forest) -> tuple[NDArray[Any], ...]:
    """Return the conditions of all leaves, one for each feature on the path, for `_shapley`.

    Returns
    -------
    start : ndarray of int64, shape (n_leaves + 1,)
        Conditions of a leaf are ``start[leaf]:start[leaf + 1]``.
    feature : ndarray of int64
    low, high : ndarray of float64
        A value fits if it is above `low` and at most `high`.
    missing : ndarray of bool
        Whether a missing value fits.
    """
    found: list[list[tuple[int, float, float, bool]]] = [[] for _ in range(forest.n_leaves)]
    for t in range(forest.n_trees):
        first, leaf = int(forest.node_offset[t]), int(forest.leaf_offset[t])
        root = 0 if forest.node_offset[t + 1] > first else ~0
        stack: list[tuple[int, dict[int, tuple[float, float, bool]]]] = [(root, {})]
        while stack:
            node, path = stack.pop()
            if node < 0:
                found[leaf + ~node] = [(j, *ends) for j, ends in path.items()]
                continue
            at = first + node
            j, threshold = int(forest.feature[at]), float(forest.threshold[at])
            low, high, missing = path.get(j, (-np.inf, np.inf, True))
            goes_left = bool(forest.missing_left[at])
            left = low, min(high, threshold), missing and goes_left
            right = max(low, threshold), high, missing and not goes_left
            stack.append((int(forest.left[at]), {**path, j: left}))
            stack.append((int(forest.right[at]), {**path, j: right}))
    flat = [condition for leaf_conditions in found for condition in leaf_conditions]
    table = np.array(flat, dtype=np.float64).reshape(len(flat), 4)
    start = np.concatenate([[0], np.cumsum([len(own) for own in found])]).astype(np.int64)
    low, high = table[:, 1:3].T.copy()
    return start, table[:, 0].astype(np.int64), low, high, table[:, 3] > 0.0


def shapley_values(
    forest: Forest, coefficients: Floats, n_classes: int, X: Floats, background: Floats
) -> Floats:
    """Return exact interventional Shapley values of ``sum_t coefficient_t h_t(x)``.

    A coalition of features has its values from x, and the others from a row of the background; the
    mean over the background is taken. A leaf is reached by the coalitions that hold all features
    which x alone fits, A of them, and none that the background row alone fits, B of them. Its
    value adds ``(A - 1)! B! / (A + B)!`` to each of the former and takes ``A! (B - 1)! / (A + B)!``
    from each of the latter (Lundberg et al. 2020, "interventional" TreeSHAP).

    Returns
    -------
    ndarray of float64, shape (n, d, n_classes)
        For each row and class, they sum to its score less the mean score of the background.
    """
    conditions = _conditions(forest)
    factor = np.repeat(coefficients, np.diff(forest.leaf_offset))[:, None]
    scores = np.zeros((forest.n_leaves, n_classes))
    if forest.width > 1:
        scores[:] = forest.leaf_value * factor
    else:
        scores[np.arange(len(scores)), forest.leaf_column] = (forest.leaf_value * factor)[:, 0]
    most = int(np.diff(conditions[0]).max(initial=0)) + 1
    share = np.array(
        [[1.0 / (a * comb(a + b, b)) if a else 0.0 for b in range(most)] for a in range(most)]
    )
    values = np.zeros((X.shape[0], X.shape[1], n_classes))
    side = np.empty(most, np.int64)
    _shapley(X, background, *conditions, scores, share, side, values)
    return values / len(background)


@kernel
def _shapley(  # type: ignore[no-untyped-def]
    X, background, start, feature, low, high, missing, scores, share, side, values
):
    """Add the Shapley values of every leaf for every pair of a row and a background row."""
    for i in range(X.shape[0]):
        for z in range(background.shape[0]):
            for leaf in range(scores.shape[0]):
                a, b, reached = 0, 0, True
                for p in range(start[leaf], start[leaf + 1]):
                    u, v = X[i, feature[p]], background[z, feature[p]]
                    own = missing[p] if u != u else (u > low[p]) & (u <= high[p])
                    other = missing[p] if v != v else (v > low[p]) & (v <= high[p])
                    side[p - start[leaf]] = np.int64(own) - np.int64(other)
                    reached = reached and (own or other)
                    a += own and not other
                    b += other and not own
                if not reached:
                    continue
                for p in range(start[leaf], start[leaf + 1]):
                    which = side[p - start[leaf]]
                    if which != 0:
                        part = share[a, b] if which > 0 else -share[b, a]
                        for k in range(scores.shape[1]):
                            values[i, feature[p], k] += part * scores[leaf, k]
