"""The arrays that growing works on; a training node is not a forest's node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.compiled import inner
from boostbench.weak_learners.forest import Forest

__all__ = ["GrownTrees", "GrowthRules", "Nodes", "Pool", "new_nodes"]


class GrowthRules(NamedTuple):
    """How trees grow; numbers only, the form compiled code takes.

    Attributes
    ----------
    kind, criterion : int
        Codes of `boostbench.weak_learners.criteria`.
    n_sums : int
        Sums per node: classes, costs, or 2 for targets.
    random : bool
        One drawn threshold per feature and node instead of the best.
    max_leaves, max_depth : int
        Limits, at least 1 and 0.
    min_samples : int
        Smallest number of rows in a leaf.
    min_weight_fraction : float
        Smallest share of the weight in a leaf.
    min_cases : float
        Smallest weight of a leaf, in cases: the tree has as many as rows (C4.5); 0 for none.
    zero_gain : bool
        Whether an impure node is split although nothing is gained, as CART does.
    seed : int
        Key of the random draws.
    histograms : int
        Histograms kept at a time, at least 1.
    subtraction : bool
        Whether a sibling's histogram is found by subtraction.
    """

    kind: int
    criterion: int
    n_sums: int
    random: bool
    max_leaves: int
    max_depth: int
    min_samples: int
    min_weight_fraction: float
    min_cases: float
    zero_gain: bool
    seed: int
    histograms: int
    subtraction: bool


class GrownTrees(NamedTuple):
    """Trees side by side: the arrays of a `Forest`, and what growing knows beyond them.

    Attributes
    ----------
    feature, threshold, missing_left, left, right, node_offset
        As in `Forest`.
    bin : ndarray of int32, shape (n_nodes,)
        Last bin that goes left.
    gain : ndarray of float64, shape (n_nodes,)
        Decrease of the impurity mass, in the demand's units.
    node_value, leaf_value : ndarray of float64, shape (n_nodes,), (n_leaves,)
        Answers of inner nodes and leaves: +-1, a mean, or 1.
    node_column, leaf_column : ndarray of int32
        Columns they answer for.
    leaf_offset : ndarray of int64, shape (n_trees + 1,)
    root_impurity : ndarray of float64, shape (n_trees,)
        Impurity mass of the undivided tree, in the demand's units.
    leaves : ndarray of int32, shape (n_trees, n)
        Leaf of every row.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    bin: NDArray[np.int32]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    node_offset: NDArray[np.int64]
    gain: NDArray[np.float64]
    node_value: NDArray[np.float64]
    leaf_value: NDArray[np.float64]
    node_column: NDArray[np.int32]
    leaf_column: NDArray[np.int32]
    leaf_offset: NDArray[np.int64]
    root_impurity: NDArray[np.float64]
    leaves: NDArray[np.int32]

    def forest(self, n_features: int) -> Forest:
        """Return the trees in the form that predicts."""
        return Forest(
            feature=self.feature,
            threshold=self.threshold,
            missing_left=self.missing_left,
            left=self.left,
            right=self.right,
            node_offset=self.node_offset,
            leaf_value=self.leaf_value[:, None],
            leaf_column=self.leaf_column,
            leaf_offset=self.leaf_offset,
            n_features=n_features,
        )

    @classmethod
    def join(cls, parts: Sequence[GrownTrees]) -> GrownTrees:
        """Put the trees of several calls side by side."""
        joined = {}
        for name in cls._fields:
            arrays = [getattr(part, name) for part in parts]
            if name.endswith("offset"):
                sizes = np.concatenate([np.diff(array) for array in arrays])
                joined[name] = np.concatenate([[0], np.cumsum(sizes)])
            else:
                joined[name] = np.concatenate(arrays)
        return cls(**joined)


class Nodes(NamedTuple):
    """Table of the nodes of a growing tree; a leaf's rows are ``rows[start:end]``."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    depth: NDArray[np.int64]
    parent: NDArray[np.int64]
    left: NDArray[np.int64]  # -1: not split
    slot: NDArray[np.int64]  # histogram in the pool, -1: none
    feature: NDArray[np.int64]  # -1: no split known
    bin: NDArray[np.int64]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    gain: NDArray[np.float64]
    impurity: NDArray[np.float64]
    square: NDArray[np.float64]
    total: NDArray[np.int64]


class Pool(NamedTuple):
    """Histograms of open leaves; the last one is scratch."""

    histogram: NDArray[np.int64]
    free: NDArray[np.int64]
    n_free: NDArray[np.int64]  # one entry


@inner
def new_nodes(n, n_planes):  # type: ignore[no-untyped-def]
    """Return a table for n nodes."""
    return Nodes(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.empty(n, np.bool_),
        np.empty(n, np.float64),
        np.empty(n, np.float64),
        np.empty(n, np.float64),
        np.empty((n, n_planes), np.int64),
    )
