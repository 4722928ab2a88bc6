"""Arrays of growing: the rules, the node table of one tree, work space, and the grown trees."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.base import Hypothesis
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.criteria import COSTS, LABELS, SIGNED
from boostbench.weak_learners.forest import Forest


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
    max_features : int
        Features drawn for each node; all of them if there are no more.
    max_leaves, max_depth : int
        Limits, at least 1 and 0; no more leaves than rows.
    min_samples : int
        Smallest number of samples in a leaf.
    min_weight_fraction : float
        Smallest share of the weight in a leaf.
    min_cases : float
        Smallest weight of a leaf, in cases: the tree has as many as samples (C4.5); 0 for none.
    zero_gain : bool
        Split an impure node although nothing is gained, as CART does.
    seed : int
        Key of the random draws.
    histograms : int
        Histograms kept at a time, at least 1.
    subtraction : bool
        Find a sibling's histogram by subtraction.
    entry_cost : float
        Cost of a row's entry in a compact histogram, in bins of a histogram of all bins; 0 for
        compact ones only, infinity for none.
    """

    kind: int
    criterion: int
    n_sums: int
    random: bool
    max_features: int
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


class Numbers(NamedTuple):
    """Numbers of a demand, a row per column of it.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,)
        Classes, for label statistics.
    numbers : ndarray of float64, shape (m, n)
        Weights; signed weights; costs; or targets.
    weights : ndarray of float64, shape (1 or m, n)
        Weights of the targets.
    columns : ndarray of int64, shape (n_trees,)
        Columns to grow a tree for; costs make one tree of all columns.
    """

    labels: NDArray[np.int32]
    numbers: NDArray[np.float64]
    weights: NDArray[np.float64]
    columns: NDArray[np.int64]


#: A node of the tree that grows. Pruning uses the last four fields.
NODE = np.dtype(
    [
        ("start", np.int64),  # its rows are rows[start:end]
        ("end", np.int64),
        ("depth", np.int64),
        ("parent", np.int64),
        ("left", np.int64),  # -1: not split; the right child follows the left one
        ("slot", np.int64),  # place of its histogram, -1: none; then its number in the forest
        ("feature", np.int64),  # -1: no split known
        ("bin", np.int64),  # the last one that goes left
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("compact", np.bool_),  # is searched in a compact histogram
        ("gain", np.float64),
        ("impurity", np.float64),
        ("square", np.float64),
        ("answer", np.int64),  # label
        ("heaviest", np.int64),  # class of most cases
        ("cases", np.float64),
        ("errors", np.float64),  # cases outside the heaviest class
        ("charge", np.float64),
    ],
    align=True,
)

#: An open leaf in the queue.
OPEN = np.dtype([("key", np.float64), ("node", np.int64)])

#: The best candidate of a feature.
CANDIDATE = np.dtype(
    [
        ("key", np.float64),  # -inf: none
        ("gain", np.float64),
        ("information", np.float64),  # of the shares of its sides
        ("bin", np.int64),
        ("missing_left", np.bool_),
    ],
    align=True,
)

#: Bins scanned at a time, so that the scan's arrays stay in the fastest cache.
BLOCK = 1024

#: So many numbers, 1 MiB, a thread keeps for its next call.
_SMALL = 2**17

_last = threading.local()


class Histogram(NamedTuple):
    """Sums of a node's rows in the bins of all features, or in some of their bins.

    Attributes
    ----------
    sums : ndarray of int64, shape (n_planes * size or more,)
    offset : ndarray of int64, shape (n_features + 1,)
        Bin b of the histogram's j-th feature is its bin ``offset[j] + b``.
    n_bins : ndarray of int64, shape (n_features,)
        Bins of present values; the bin of missing values, if there is one, follows them.
    size : int
        Number of bins.
    """

    sums: NDArray[np.int64]
    offset: NDArray[np.int64]
    n_bins: NDArray[np.int64]
    size: int


class Scan(NamedTuple):
    """Candidates of a block of features.

    Attributes
    ----------
    bins : ndarray of int64, shape (more than BLOCK,)
        Listed bins.
    where : ndarray of int64
        The candidates of the block's j-th feature are ``where[j]:where[j + 1]``.
    left : ndarray of int64
        Weight on the left of each candidate.
    prefix : ndarray of int64, shape (n_planes, more than BLOCK)
        Sums on the left of each candidate, per class where all are needed.
    key, score : ndarray of float64, shape (BLOCK,)
    best : ndarray of CANDIDATE, shape (d,)
        The best candidate of each feature.
    order : ndarray of int64, shape (d + 1,)
        Features in the order in which they were drawn.
    """

    bins: NDArray[np.int64]
    where: NDArray[np.int64]
    left: NDArray[np.int64]
    prefix: NDArray[np.int64]
    key: NDArray[np.float64]
    score: NDArray[np.float64]
    best: NDArray[np.void]
    order: NDArray[np.int64]

    @classmethod
    def of_sizes(cls, n_planes: int, best: NDArray[np.void], order: NDArray[np.int64]) -> Scan:
        """Return room to scan, which notes the best candidates and the order here."""
        ints = np.empty((3 + n_planes, max(BLOCK + 1, n_planes)), np.int64)
        floats = np.empty((2, BLOCK))
        return cls(ints[0], ints[1], ints[2], ints[3:], floats[0], floats[1], best, order)


class CompactBins(NamedTuple):
    """Bins and features of a compact histogram.

    Attributes
    ----------
    marks : ndarray of uint64, shape (more than n_bins / 64,)
        A bit per bin; none is set between uses.
    listed, place : ndarray of int32, shape (n_bins,)
        Bins that are listed, and the place of each bin among them.
    feature, offset, n_bins : ndarray of int64, shape (d + 1,)
        Features that are listed, and their layout.
    default : ndarray of int64, shape (d + 1,)
        Bin that sparse rows leave out of each feature of the data, -1 for none.
    """

    marks: NDArray[np.uint64]
    listed: NDArray[np.int32]
    place: NDArray[np.int32]
    feature: NDArray[np.int64]
    offset: NDArray[np.int64]
    n_bins: NDArray[np.int64]
    default: NDArray[np.int64]

    @classmethod
    def of_sizes(cls, n_bins: int, d: int) -> CompactBins:
        """Return room for all bins of the data."""
        bins, layout = np.empty((2, n_bins), np.int32), np.empty((4, d + 1), np.int64)
        return cls(np.zeros(n_bins // 64 + 1, np.uint64), *bins, *layout)


class GrowingTree(NamedTuple):
    """The tree that grows, and the rows it is grown for.

    Attributes
    ----------
    nodes : ndarray of NODE, shape (2 * max_leaves,)
    total : ndarray of int64, shape (2 * max_leaves, n_planes)
        Sums of the nodes.
    split_order, leaf_order : ndarray of int64, shape (max_leaves,)
        Inner nodes, as they were split, and leaves, in the order they are numbered.
    rows, buffer : ndarray of int32, shape (n,)
        Rows of the leaves, one leaf after the other.
    label : ndarray of int32, shape (n,)
    stat : ndarray of int64, shape (n, q)
        Integer statistics of the rows; the last one their samples, where these are counted.
    free : ndarray of int64, shape (n_kept + 1,)
        Number of histograms that are not in use, and which ones.
    """

    nodes: NDArray[np.void]
    total: NDArray[np.int64]
    split_order: NDArray[np.int64]
    leaf_order: NDArray[np.int64]
    rows: NDArray[np.int32]
    buffer: NDArray[np.int32]
    label: NDArray[np.int32]
    stat: NDArray[np.int64]
    free: NDArray[np.int64]


class Work(NamedTuple):
    """Work space of growing, used for one tree after the other.

    Attributes
    ----------
    tree : GrowingTree
    queue : ndarray of OPEN, shape (2 * max_leaves,)
        Open leaves, a heap.
    histogram : ndarray of int64, shape (n_kept + 1, n_planes * n_bins)
        Histograms of open leaves; the last one is scratch.
    compact : CompactBins
    scan : Scan
    """

    tree: GrowingTree
    queue: NDArray[np.void]
    histogram: NDArray[np.int64]
    compact: CompactBins
    scan: Scan

    @classmethod
    def space(cls, rules: GrowthRules, data: BinnedData, labels: NDArray[np.int32]) -> Work:
        """Return work space for the trees of a call, with a copy of the labels.

        A thread uses a small one again for its next call of the same sizes, which most of a fit's
        calls are: to make one takes as long as to grow a small tree on a few hundred rows.
        """
        counted = rules.min_samples > 1 or rules.kind == COSTS
        n_planes, n_kept = rules.n_sums + counted, min(rules.histograms, rules.max_leaves)
        width = (1 if rules.kind in (LABELS, SIGNED) else rules.n_sums) + counted
        sizes = (*data.codes.shape, len(data.low), rules.max_leaves, n_planes, width, n_kept)
        used, work = getattr(_last, "space", (None, None))
        if work is None or used != sizes:
            work = cls._of_sizes(*sizes)
            small = work.histogram.size + work.tree.stat.size <= _SMALL
            _last.space = (sizes, work) if small else (None, None)
        work.tree.label[:] = labels
        return work

    @classmethod
    def _of_sizes(
        cls, d: int, n: int, n_bins: int, max_leaves: int, n_planes: int, width: int, n_kept: int
    ) -> Work:
        tree = GrowingTree(
            np.empty(2 * max_leaves, NODE),
            np.empty((2 * max_leaves, n_planes), np.int64),
            np.empty(max_leaves, np.int64),
            np.empty(max_leaves, np.int64),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty((n, width), np.int64),
            np.empty(n_kept + 1, np.int64),
        )
        return cls(
            tree,
            np.empty(2 * max_leaves, OPEN),
            np.empty((n_kept + 1, n_planes * n_bins), np.int64),
            CompactBins.of_sizes(n_bins, d),
            Scan.of_sizes(n_planes, np.empty(d, CANDIDATE), np.empty(d + 1, np.int64)),
        )

    def of_member(self) -> Work:
        """Return the same with room of its own for what a thread does alone."""
        scan = Scan.of_sizes(len(self.scan.prefix), self.scan.best, self.scan.order)
        compact = CompactBins.of_sizes(len(self.compact.listed), len(self.scan.best))
        return self._replace(scan=scan, compact=compact)


#: An inner node of a grown tree.
GROWN_NODE = np.dtype(
    [
        ("feature", np.int32),
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("left", np.int32),  # as in a forest: a node, or ~leaf
        ("right", np.int32),
        ("gain", np.float64),  # decrease of the impurity mass; NaN where subtrees were raised
        ("value", np.float64),  # its answer if it were a leaf: +-1, a mean, or 1
        ("column", np.int32),  # of the scores, that it would answer for
    ],
    align=True,
)
GROWN_LEAF = np.dtype([("value", np.float64), ("column", np.int32)], align=True)


class GrownTrees(NamedTuple):
    """Trees side by side, with all that growing knows of them.

    Impurities and gains are in the demand's units.

    Attributes
    ----------
    nodes : ndarray of GROWN_NODE, shape (n_nodes,)
        Inner nodes, those of a tree in the order in which they were split.
    answers : ndarray of GROWN_LEAF, shape (n_leaves,)
        Answers of the leaves.
    node_offset, leaf_offset : ndarray of int64, shape (n_trees + 1,)
        As in `Forest`.
    root_impurity : ndarray of float64, shape (n_trees,)
        Impurity mass of the undivided tree.
    leaves : ndarray of int32, shape (n_trees, n)
        Leaf of every row.
    """

    nodes: NDArray[np.void]
    answers: NDArray[np.void]
    node_offset: NDArray[np.int64]
    leaf_offset: NDArray[np.int64]
    root_impurity: NDArray[np.float64]
    leaves: NDArray[np.int32]

    @classmethod
    def room(cls, n_trees: int, max_leaves: int, n: int) -> GrownTrees:
        """Return room for so many trees of so many leaves and rows."""
        return cls(
            nodes=np.empty(n_trees * max_leaves, GROWN_NODE),
            answers=np.empty(n_trees * max_leaves, GROWN_LEAF),
            node_offset=np.zeros(n_trees + 1, np.int64),
            leaf_offset=np.zeros(n_trees + 1, np.int64),
            root_impurity=np.empty(n_trees),
            leaves=np.empty((n_trees, n), np.int32),
        )

    @classmethod
    def join(cls, parts: Sequence[GrownTrees]) -> GrownTrees:
        """Put the trees of several calls side by side."""
        if len(parts) == 1:
            return parts[0]
        joined = {}
        for name in cls._fields:
            arrays = [getattr(part, name) for part in parts]
            if name.endswith("offset"):
                sizes = np.concatenate([np.diff(array) for array in arrays])
                joined[name] = np.concatenate([[0], np.cumsum(sizes)])
            else:
                joined[name] = np.concatenate(arrays)
        return cls(**joined)

    def hypothesis(self, n_features: int) -> Hypothesis:
        """Return the trees in the form that predicts, with the leaves of the training rows."""
        nodes, answers = self.nodes, self.answers
        trees = Forest.of_checked(
            feature=nodes["feature"].copy(),
            threshold=nodes["threshold"].copy(),
            missing_left=nodes["missing_left"].copy(),
            left=nodes["left"].copy(),
            right=nodes["right"].copy(),
            gain=nodes["gain"].copy(),
            node_offset=self.node_offset,
            leaf_value=answers["value"].copy()[:, None],
            leaf_column=answers["column"].copy(),
            leaf_offset=self.leaf_offset,
            n_features=n_features,
        )
        return Hypothesis(trees, self.leaves)
