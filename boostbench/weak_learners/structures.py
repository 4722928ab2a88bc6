"""Data structures of growing: node table, work space and grown trees."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.base import Hypothesis
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compact import most_rows
from boostbench.weak_learners.criteria import COSTS, LABELS, SIGNED
from boostbench.weak_learners.forest import NODE_ARRAYS, Forest
from boostbench.weak_learners.options import GrowthRules


class Numbers(NamedTuple):
    """Arrays of a demand, transposed: a row per column of the demand.

    A tree is grown for each column, or one for all columns of costs.

    Attributes
    ----------
    labels : ndarray of int32, shape (n,), or (1,) if not used
        Classes, for weighted labels.
    numbers : ndarray of float64, shape (m, n)
        Weights, signed weights, costs or targets.
    weights : ndarray of float64, shape (1 or m, n)
        Weights of the targets.
    """

    labels: NDArray[np.int32]
    numbers: NDArray[np.float64]
    weights: NDArray[np.float64]


#: Node of a growing tree. The last four fields are for pruning.
NODE = np.dtype(
    [
        ("start", np.int64),  # the rows of the node are rows[start:end]
        ("end", np.int64),
        ("depth", np.int64),
        ("parent", np.int64),
        ("left", np.int64),  # left child, -1: not split; the right child is left + 1
        ("slot", np.int64),  # slot of the histogram, -1: none; in `pack` the number in the forest
        ("feature", np.int64),  # -1: no split known
        ("bin", np.int64),  # last bin that goes left
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("compact", np.bool_),  # searched in a compact histogram
        ("gain", np.float64),
        ("impurity", np.float64),
        ("square", np.float64),
        ("answer", np.int64),  # predicted label
        ("heaviest", np.int64),  # class with the most cases
        ("cases", np.float64),
        ("errors", np.float64),  # cases outside the heaviest class
        ("charge", np.float64),
    ],
    align=True,
)

#: Open leaf in the queue.
OPEN = np.dtype([("key", np.float64), ("node", np.int64)])

#: Best candidate of a feature.
CANDIDATE = np.dtype(
    [
        ("key", np.float64),  # -inf: none
        ("gain", np.float64),
        ("information", np.float64),  # split information, for gain ratios
        ("bin", np.int64),
        ("missing_left", np.bool_),
    ],
    align=True,
)

#: Search for the best split of a node, in work space.
STEP = np.dtype(
    [
        ("built", np.int64),  # node whose histogram is built, -1: none
        ("place", np.int64),  # slot of the built histogram
        ("whole", np.int64),  # slot of the histogram to subtract the built one from, -1: none
        ("node", np.int64),  # node to search
        ("searched", np.int64),  # slot of its histogram, or of scratch for a compact one
        ("impurity", np.float64),  # as in `NODE`
        ("square", np.float64),
        ("grid", np.float64),  # inverse of the difference below which gains tie
        ("least_weight", np.int64),  # of a child, at least 1
        ("unit", np.float64),  # weight of a case, for C4.5's correction
        ("stream", np.uint64),  # key of the random draws
    ],
    align=True,
)

#: Best split of some features.
FOUND = np.dtype(
    [
        ("feature", np.int64),  # -1: none
        ("bin", np.int64),
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("key", np.float64),
        ("gain", np.float64),
    ],
    align=True,
)

#: Leaves of a tree above which nodes of few rows, for compact histograms, are frequent.
_MANY_LEAVES = 16
#: They are in any tree whose mean leaf has fewer rows than this times those of a compact node.
_SMALL_LEAF = 1.5

#: Bins scanned at a time, so that the arrays of a scan stay in the L1 cache.
BLOCK = 1024

#: Largest work space, in numbers (1 MiB), that a thread keeps for its next call.
_SMALL = 2**17

_last = threading.local()


class Histogram(NamedTuple):
    """Sums over the rows of a node in all bins of the features (full) or in some bins (compact).

    Attributes
    ----------
    sums : ndarray of int64, shape (n_planes * size or more,)
        Sums; see `boostbench.weak_learners.histograms` for the layout.
    offset : ndarray of int64, shape (n_features + 1,)
        Bin b of the j-th feature is bin ``offset[j] + b`` of the histogram.
    n_bins : ndarray of int64, shape (n_features,)
        Number of bins of present values; a bin of missing values, if any, follows.
    size : int
        Total number of bins.
    compact : bool
        Whether the histogram is compact.
    total : ndarray of int64, shape (n_planes,)
        Sums over the rows.
    """

    sums: NDArray[np.int64]
    offset: NDArray[np.int64]
    n_bins: NDArray[np.int64]
    size: int
    compact: bool
    total: NDArray[np.int64]


class Scan(NamedTuple):
    """Candidates of a block of features.

    Attributes
    ----------
    bins : ndarray of int64, shape (more than BLOCK,)
        Bin of each candidate, the last bin on the left.
    where : ndarray of int64
        Candidates of the j-th feature of the block are ``where[j]:where[j + 1]``.
    turn : ndarray of int64
        Feature of each candidate, numbered within the block.
    left : ndarray of int64
        Weight on the left of each candidate.
    prefix : ndarray of int64, shape (n_planes, more than BLOCK)
        Sums on the left of each candidate; of all classes if the criterion needs them at once.
    key, score : ndarray of float64, shape (BLOCK,)
        Key to compare candidates by, and score; see `boostbench.weak_learners.candidates`.
    best : ndarray of CANDIDATE, shape (d,)
        Best candidate of each feature.
    order : ndarray of int64, shape (d + 1,)
        Features in drawn order.
    """

    bins: NDArray[np.int64]
    where: NDArray[np.int64]
    turn: NDArray[np.int64]
    left: NDArray[np.int64]
    prefix: NDArray[np.int64]
    key: NDArray[np.float64]
    score: NDArray[np.float64]
    best: NDArray[np.void]
    order: NDArray[np.int64]

    @classmethod
    def of_sizes(cls, n_planes: int, best: NDArray[np.void], order: NDArray[np.int64]) -> Scan:
        """Return work space that shares the given arrays of best candidates and of the order."""
        ints = np.empty((4 + n_planes, max(BLOCK + 1, n_planes)), np.int64)
        floats = np.empty((2, BLOCK))
        bins, where, turn, left, *_ = ints
        return cls(bins, where, turn, left, ints[4:], floats[0], floats[1], best, order)


class CompactBins(NamedTuple):
    """Bins and features of a compact histogram.

    Attributes
    ----------
    marks : ndarray of uint64, shape (more than n_bins / 64,)
        A bit per bin of the data; all bits are clear between uses.
    listed, place : ndarray of int32, shape (n_bins,)
        Bins of the data that the histogram has, and the index of each bin of the data in it.
    feature, offset, n_bins : ndarray of int64, shape (d + 1,)
        Features of the data that the histogram has, and their layout as in `Histogram`.
    default : ndarray of int64, shape (d + 1,)
        Bin of each feature of the data that sparse rows leave out, or -1.
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
        """Return work space for data of ``n_bins`` bins and d features."""
        bins, layout = np.empty((2, n_bins), np.int32), np.empty((4, d + 1), np.int64)
        return cls(np.zeros(n_bins // 64 + 1, np.uint64), *bins, *layout)


class GrowingTree(NamedTuple):
    """State of a growing tree, and the statistics of its rows.

    Attributes
    ----------
    nodes : ndarray of NODE, shape (2 * max_leaves,)
        Node table.
    total : ndarray of int64, shape (2 * max_leaves, n_planes)
        Sums of the nodes.
    left : ndarray of int64, shape (2 * max_leaves, n_planes)
        Sums of the rows that the best split of each node sends left.
    split_order, leaf_order : ndarray of int64, shape (max_leaves,)
        Inner nodes in order of splitting, and leaves in order of their numbers in the forest.
    rows, buffer : ndarray of uint32, shape (n,)
        Rows of the leaves, leaf by leaf, and work space to partition them. Unsigned, since numba
        checks signed indices for negative ones.
    label : ndarray of int32, shape (n,)
        Class of each row.
    stat : ndarray of int64, shape (n, q)
        Integer statistics of the rows; the last one is the number of samples, if counted.
    free : ndarray of int64, shape (n_kept + 1,)
        Number of free histogram slots, followed by the slots.
    """

    nodes: NDArray[np.void]
    total: NDArray[np.int64]
    left: NDArray[np.int64]
    split_order: NDArray[np.int64]
    leaf_order: NDArray[np.int64]
    rows: NDArray[np.uint32]
    buffer: NDArray[np.uint32]
    label: NDArray[np.int32]
    stat: NDArray[np.int64]
    free: NDArray[np.int64]


class Work(NamedTuple):
    """Work space of growing, reused for one tree after the other.

    Attributes
    ----------
    tree : GrowingTree
    queue : ndarray of OPEN, shape (2 * max_leaves,)
        Heap of open leaves.
    histogram : ndarray of int64, shape (n_kept + 1, n_planes * n_bins)
        Histograms of open leaves; the last row is scratch.
    compact : CompactBins or None
        None if all histograms are full: if few nodes have few rows, samples are counted, or
        features or thresholds drawn.
    scan : Scan
    step : ndarray of STEP, shape (1,)
        Current search.
    found : ndarray of FOUND, shape (n_parts,)
        Best split of each part of the features.
    left : ndarray of int64, shape (n_parts, n_planes)
        Sums of the rows that these splits send left; those of part 0 are in `tree.left`.
    """

    tree: GrowingTree
    queue: NDArray[np.void]
    histogram: NDArray[np.int64]
    compact: CompactBins | None
    scan: Scan
    step: NDArray[np.void]
    found: NDArray[np.void]
    left: NDArray[np.int64]

    @classmethod
    def spaces(
        cls, n_spaces: int, rules: GrowthRules, data: BinnedData, numbers: Numbers
    ) -> list[Work]:
        """Return work spaces for the trees of a call, with copies of the labels.

        A thread reuses small work spaces for its next call of the same sizes, as in most calls of
        a fit. Allocation takes as long as the growth of a small tree on a few hundred rows. The
        first of these calls decides on compact histograms, by its number of rows with weight.
        """
        counted = rules.min_samples_leaf > 1 or rules.kind == COSTS
        n_planes, n_kept = rules.n_sums + counted, min(rules.histograms, rules.max_leaves)
        width = (1 if rules.kind in (LABELS, SIGNED) else rules.n_sums) + counted
        drawn = rules.random or rules.n_drawn < data.n_features
        labels_only = rules.kind in (LABELS, SIGNED) and not counted and not drawn
        sizes = (*data.codes.shape, len(data.low), rules.max_leaves, n_planes, width, n_kept)
        sizes += (data.n_parts,)
        asked = sizes, labels_only, rules.entry_cost
        used, works = getattr(_last, "spaces", (None, []))
        works = [*works] if used == asked else []
        if len(works) < n_spaces:
            is_compact = labels_only and (
                rules.max_leaves > _MANY_LEAVES
                or np.count_nonzero(numbers.numbers[0])
                < _SMALL_LEAF * rules.max_leaves * most_rows(rules, data, rules.n_sums)
            )
            more = range(len(works), n_spaces)
            works += [cls._of_sizes(is_compact, *sizes) for _ in more]
        small = works[0].histogram.size + works[0].tree.stat.size <= _SMALL
        _last.spaces = (asked, works) if small else (None, [])
        for work in works[:n_spaces] if rules.kind == LABELS else ():
            work.tree.label[:] = numbers.labels
        return works[:n_spaces]

    @classmethod
    def _of_sizes(
        cls, is_compact: bool, d: int, n: int, n_bins: int, max_leaves: int, n_planes: int,
        width: int, n_kept: int, n_parts: int,
    ) -> Work:  # fmt: skip
        total, left = np.empty((2, 2 * max_leaves, n_planes), np.int64)
        split_order, leaf_order = np.empty((2, max_leaves), np.int64)
        tree = GrowingTree(
            np.empty(2 * max_leaves, NODE),
            total,
            left,
            split_order,
            leaf_order,
            np.empty(n, np.uint32),
            np.empty(n, np.uint32),
            np.empty(n, np.int32),
            np.empty((n, width), np.int64),
            np.empty(n_kept + 1, np.int64),
        )
        return cls(
            tree,
            np.empty(2 * max_leaves, OPEN),
            np.empty((n_kept + 1, n_planes * n_bins), np.int64),
            CompactBins.of_sizes(n_bins, d) if is_compact else None,
            Scan.of_sizes(n_planes, np.empty(d, CANDIDATE), np.empty(d + 1, np.int64)),
            np.empty(1, STEP),
            np.empty(n_parts, FOUND),
            np.empty((n_parts, n_planes), np.int64),
        )

    def of_member(self) -> Work:
        """Return a copy for another thread, with its own scan; it does no compact histograms."""
        scan = Scan.of_sizes(len(self.scan.prefix), self.scan.best, self.scan.order)
        return self._replace(scan=scan, compact=None)


#: Inner node of a grown tree.
GROWN_NODE = np.dtype(
    [
        ("feature", np.int32),
        ("threshold", np.float64),
        ("low", np.uint8),  # a row goes right if ``low < bin <= high``
        ("high", np.uint8),
        ("missing_left", np.bool_),
        ("left", np.int32),  # as in `Forest`: a node, or ~leaf
        ("right", np.int32),
        ("gain", np.float64),  # decrease of the impurity mass; NaN if subtrees may be raised
        ("value", np.float64),  # value if the node were a leaf: +-1, a mean, or 1
        ("column", np.int32),  # column of the scores if the node were a leaf
    ],
    align=True,
)
GROWN_LEAF = np.dtype([("value", np.float64), ("column", np.int32)], align=True)


class GrownTrees(NamedTuple):
    """Grown trees in flat arrays, with impurities and the leaves of the training rows.

    Impurities and gains are in the units of the demand.

    Attributes
    ----------
    nodes : ndarray of GROWN_NODE, shape (n_nodes,)
        Inner nodes of each tree, in order of splitting.
    answers : ndarray of GROWN_LEAF, shape (n_leaves,)
        Values and columns of the leaves.
    node_offset, leaf_offset : ndarray of int64, shape (n_trees + 1,)
        As in `Forest`.
    root_impurity : ndarray of float64, shape (n_trees,)
        Impurity mass of the root.
    leaves : ndarray of int16, shape (n_trees, n)
        Leaf of every row; int32 if trees may have more than 2**15 leaves.
    unplaced : ndarray of bool, shape (n_trees,)
        Whether leaves of some rows of a tree are missing.
    """

    nodes: NDArray[np.void]
    answers: NDArray[np.void]
    node_offset: NDArray[np.int64]
    leaf_offset: NDArray[np.int64]
    root_impurity: NDArray[np.float64]
    leaves: NDArray[Any]
    unplaced: NDArray[np.bool_]

    @classmethod
    def room(cls, n_trees: int, max_leaves: int, n: int) -> GrownTrees:
        """Return arrays for ``n_trees`` trees of up to ``max_leaves`` leaves on n rows.

        Each tree has ``max_leaves`` leaves and one node less, and the entries of the offsets are
        numbers of nodes and leaves, until `without_gaps` is called.
        """
        return cls(
            nodes=np.empty(n_trees * (max_leaves - 1), GROWN_NODE),
            answers=np.empty(n_trees * max_leaves, GROWN_LEAF),
            node_offset=np.zeros(n_trees + 1, np.int64),
            leaf_offset=np.zeros(n_trees + 1, np.int64),
            root_impurity=np.empty(n_trees),
            leaves=np.empty((n_trees, n), np.int16 if max_leaves <= 2**15 else np.int32),
            unplaced=np.zeros(n_trees, np.bool_),
        )

    def without_gaps(self) -> GrownTrees:
        """Return the trees without the nodes and leaves that they left unused."""
        node_offset, leaf_offset = self.node_offset.cumsum(), self.leaf_offset.cumsum()

        def used(array: NDArray[np.void], offset: NDArray[np.int64]) -> NDArray[np.void]:
            if offset[-1] == len(array):  # as most often in boosting
                return array
            room = np.arange(len(array) // (len(offset) - 1))
            whole = array.view(f"V{array.itemsize}")  # field by field, copies take twice the time
            taken: NDArray[np.void] = whole[(room < np.diff(offset)[:, None]).ravel()]
            return taken.view(array.dtype)

        return self._replace(
            nodes=used(self.nodes, node_offset),
            answers=used(self.answers, leaf_offset),
            node_offset=node_offset,
            leaf_offset=leaf_offset,
        )

    def hypothesis(self, n_features: int) -> Hypothesis:
        """Return the trees as a forest, with the leaves of the training rows."""
        nodes, answers = self.nodes, self.answers
        trees = Forest.of_checked(
            **{name: nodes[name].copy() for name in NODE_ARRAYS},
            node_offset=self.node_offset,
            leaf_value=answers["value"].copy()[:, None],
            leaf_column=answers["column"].copy(),
            leaf_offset=self.leaf_offset,
            n_features=n_features,
        )
        return Hypothesis(trees, self.leaves)
