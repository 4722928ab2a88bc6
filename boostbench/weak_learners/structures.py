"""The arrays that growing works on; a training node is not a forest's node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.criteria import COSTS, LABELS, SIGNED, TARGETS
from boostbench.weak_learners.forest import Forest

#: Integers per row: a weight; a weighted target and its weight; None: one per sum.
WIDTH = {LABELS: 1, SIGNED: 1, TARGETS: 2, COSTS: None}


class GrowthRules(NamedTuple):
    """Rules of growth; numbers only, the form compiled code takes.

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
        Smallest number of samples in a leaf.
    min_weight_fraction : float
        Smallest share of the weight in a leaf.
    min_cases : float
        Smallest weight of a leaf, in cases: the tree has as many as samples (C4.5); 0 for none.
    zero_gain : bool
        Whether an impure node is split although nothing is gained, as CART does.
    seed : int
        Key of the random draws.
    histograms : int
        Histograms kept at a time, at least 1.
    subtraction : bool
        Whether a sibling's histogram is found by subtraction.
    entry_cost : float
        What a row's entry in a compact histogram costs, in bins of a histogram of all bins; 0 for
        compact ones only, infinity for none.
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
    entry_cost: float


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
        return Forest.of_checked(
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


#: Bins scanned at a time, so that the scan's arrays stay in the fastest cache.
BLOCK = 1024

#: A node of a growing tree.
NODE = np.dtype(
    [
        ("start", np.int64),  # its rows are rows[start:end]
        ("end", np.int64),
        ("depth", np.int64),
        ("parent", np.int64),
        ("left", np.int64),  # -1: not split; the right child follows the left one
        ("slot", np.int64),  # place of its histogram, -1: none
        ("feature", np.int64),  # -1: no split known
        ("bin", np.int64),
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("gain", np.float64),
        ("impurity", np.float64),
        ("square", np.float64),
        ("compact", np.bool_),  # is searched in a compact histogram
    ],
    align=True,
)

#: A node, and a leaf, of a finished tree.
GROWN_NODE = np.dtype(
    [
        ("feature", np.int32),
        ("threshold", np.float64),
        ("bin", np.int32),
        ("missing_left", np.bool_),
        ("left", np.int32),
        ("right", np.int32),
        ("gain", np.float64),
        ("node_value", np.float64),
        ("node_column", np.int32),
    ],
    align=True,
)
GROWN_LEAF = np.dtype([("leaf_value", np.float64), ("leaf_column", np.int32)], align=True)


class Layout(NamedTuple):
    """Layout of a histogram: the bins of all features, or some of their bins.

    Attributes
    ----------
    offset : ndarray of int64, shape (n_features + 1,)
        Bin b of the histogram's j-th feature is its bin ``offset[j] + b``.
    n_bins : ndarray of int64, shape (n_features,)
        Bins of present values; the bin of missing values, if there is one, follows them.
    size : int
        Number of bins.
    """

    offset: NDArray[np.int64]
    n_bins: NDArray[np.int64]
    size: int


class Finished(NamedTuple):
    """Room for the trees of one call."""

    nodes: NDArray[np.void]
    leaf: NDArray[np.void]
    node_offset: NDArray[np.int64]
    leaf_offset: NDArray[np.int64]
    root_impurity: NDArray[np.float64]
    leaves: NDArray[np.int32]

    @classmethod
    def room(cls, n_trees: int, max_leaves: int, n: int) -> Finished:
        """Return room for so many trees of so many leaves and rows."""
        return cls(
            np.empty(n_trees * max_leaves, GROWN_NODE),
            np.empty(n_trees * max_leaves, GROWN_LEAF),
            np.zeros(n_trees + 1, np.int64),
            np.zeros(n_trees + 1, np.int64),
            np.empty(n_trees),
            np.empty((n_trees, n), np.int32),
        )

    @property
    def max_leaves(self) -> int:
        """Leaves of each tree there is room for."""
        return len(self.leaf) // len(self.leaves)

    def trees(self) -> GrownTrees:
        """Return what was filled."""
        nodes, leaf = self.nodes[: self.node_offset[-1]], self.leaf[: self.leaf_offset[-1]]
        columns = {name: nodes[name].copy() for name in GROWN_NODE.names or ()}
        columns |= {name: leaf[name].copy() for name in GROWN_LEAF.names or ()}
        return GrownTrees(
            node_offset=self.node_offset,
            leaf_offset=self.leaf_offset,
            root_impurity=self.root_impurity,
            leaves=self.leaves,
            **columns,
        )


class Work(NamedTuple):
    """Work space of growing, used for one tree after the other.

    Attributes
    ----------
    rows, buffer : ndarray of int32, shape (n,)
        Rows of the leaves, one leaf after the other.
    label : ndarray of int32, shape (n,)
    stat : ndarray of int64, shape (n, q)
        Integer statistics of the rows; the last one their samples, where these are counted.
    nodes : ndarray of NODE, shape (2 * max_leaves,)
    total : ndarray of int64, shape (2 * max_leaves, n_planes)
        Sums of the nodes.
    split_order : ndarray of int64, shape (max_leaves,)
        Nodes, as they were split.
    keys, heap : ndarray of float64 and int64, shape (2 * max_leaves,)
        The queue of open leaves.
    histogram : ndarray of int64, shape (n_kept + 1, n_planes * n_bins)
        Histograms of open leaves; the last one is scratch.
    free : ndarray of int64, shape (n_kept + 1,)
        Number of histograms that are not in use, and which ones.
    marks, bins, features : ndarray of uint64, int32 and int64
        Work space of `boostbench.weak_learners.compact`.
    found : ndarray of float64, shape (5, d)
        Best candidate of each feature.
    ints, floats : ndarray of int64 and float64, shape (3 + n_planes, more than BLOCK), (2, BLOCK)
        Bins, sums and scores of a block of candidates.
    """

    rows: NDArray[np.int32]
    buffer: NDArray[np.int32]
    label: NDArray[np.int32]
    stat: NDArray[np.int64]
    nodes: NDArray[np.void]
    total: NDArray[np.int64]
    split_order: NDArray[np.int64]
    keys: NDArray[np.float64]
    heap: NDArray[np.int64]
    histogram: NDArray[np.int64]
    free: NDArray[np.int64]
    marks: NDArray[np.uint64]
    bins: NDArray[np.int32]
    features: NDArray[np.int64]
    found: NDArray[np.float64]
    ints: NDArray[np.int64]
    floats: NDArray[np.float64]

    @classmethod
    def space(
        cls, rules: GrowthRules, data: BinnedData, labels: NDArray[np.int32], max_leaves: int
    ) -> Work:
        """Return space for trees of so many leaves."""
        n, d, n_bins, size = data.n_rows, data.n_features, len(data.low), 2 * max_leaves
        counted = rules.min_samples > 1 or rules.kind == COSTS
        n_planes = rules.n_sums + counted
        n_kept = min(rules.histograms, max_leaves)
        return cls(
            rows=np.empty(n, np.int32),
            buffer=np.empty(n, np.int32),
            label=labels.copy(),
            stat=np.empty((n, (WIDTH[rules.kind] or rules.n_sums) + counted), np.int64),
            nodes=np.empty(size, NODE),
            total=np.empty((size, n_planes), np.int64),
            split_order=np.empty(max_leaves, np.int64),
            keys=np.empty(size),
            heap=np.empty(size, np.int64),
            histogram=np.empty((n_kept + 1, n_planes * n_bins), np.int64),
            free=np.empty(n_kept + 1, np.int64),
            marks=np.zeros(n_bins // 64 + 1, np.uint64),
            bins=np.empty((2, n_bins), np.int32),
            features=np.empty((4, d + 1), np.int64),
            found=np.empty((5, d)),
            ints=np.empty((3 + n_planes, max(BLOCK + 1, n_planes)), np.int64),
            floats=np.empty((2, BLOCK)),
        )
