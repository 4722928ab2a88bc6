"""C4.5's pessimistic pruning, a pass over grown trees.

A leaf of N cases, e of them wrong, is charged ``e + added_errors(N, e)``: the upper confidence
limit of the errors it would make. Bottom up, a subtree becomes a leaf, or gives way to its heavier
child (subtree raising, with all cases of the node sent down that child), where the charge rises by
at most 0.1. Cases are weights scaled to sum to the number of rows that have any.

All passes go down the levels of a subtree and up again. None calls itself: numba does not load
kernels with recursion from its file cache.

References
----------
Quinlan, "C4.5: Programs for Machine Learning", 1993, Sec. 4.2, and release 8's sources.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compiled import inner, kernel, stage
from boostbench.weak_learners.growing import partition
from boostbench.weak_learners.structures import GrownTrees

__all__ = ["PruningRules", "added_errors", "prune"]

_TOLERANCE = 0.1


class PruningRules(NamedTuple):
    """How trees are pruned.

    Attributes
    ----------
    n_classes : int
    signed : bool
        Whether leaves answer -1 and +1 instead of labels.
    confidence : float
        C4.5's CF.
    z2 : float
        Squared normal quantile for it.
    cap : float
        Share of the right cases charged where nearly all are wrong.
    collapse : bool
        Whether subtrees that save no training error are cut first.
    raising : bool
        Whether a child may take its parent's place.
    keep_root : bool
        Whether the root stays a split.
    """

    n_classes: int
    signed: bool
    confidence: float
    z2: float
    cap: float
    collapse: bool
    raising: bool
    keep_root: bool


class _Work(NamedTuple):
    """A tree under the knife: its inner nodes, then its leaves, each a node with a number."""

    feature: NDArray[np.int64]  # this and the next five for inner nodes only
    bin: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    leaf: NDArray[np.bool_]
    label: NDArray[np.int64]  # answer of a leaf
    start: NDArray[np.int64]  # the rows that were sent to a node are rows[start:end]
    end: NDArray[np.int64]
    N: NDArray[np.float64]  # cases among them
    e: NDArray[np.float64]  # those outside the heaviest class
    heaviest: NDArray[np.int64]  # that class
    charge: NDArray[np.float64]
    heavy: NDArray[np.float64]  # cases of each class, of the node that is counted
    pending: NDArray[np.int64]  # the nodes a pass has to come back to, parents before children
    rows: NDArray[np.int32]
    buffer: NDArray[np.int32]
    y: NDArray[np.int64]
    cases: NDArray[np.float64]


@kernel
def added_errors(N, e, confidence, z2, cap):  # type: ignore[no-untyped-def]
    """Return the errors added to e observed ones among N cases (C4.5's AddErrs).

    Parameters
    ----------
    N, e : float
        Cases, and wrong ones among them.
    confidence, z2, cap : float
        As in `PruningRules`.

    Returns
    -------
    float
    """
    if e < 1e-6:
        return N * (1.0 - confidence ** (1.0 / N))
    if e < 0.9999:
        none = N * (1.0 - confidence ** (1.0 / N))
        return none + e * (_limit(N, 1.0, z2, cap) - none)
    return _limit(N, e, z2, cap)


@inner
def _limit(N, e, z2, cap):  # type: ignore[no-untyped-def]
    if e + 0.5 >= N:
        return cap * max(N - e, 0.0)
    f = e + 0.5
    p = (f + 0.5 * z2 + np.sqrt(z2 * (f * (1.0 - f / N) + 0.25 * z2))) / (N + z2)
    return N * p - e


def prune(
    grown: GrownTrees,
    data: BinnedData,
    rules: PruningRules,
    labels: NDArray[np.int32],
    numbers: NDArray[np.float64],
) -> GrownTrees:
    """Return the pruned trees.

    Parameters
    ----------
    grown : GrownTrees
        One tree per row of ``numbers``.
    data : BinnedData
    rules : PruningRules
    labels : ndarray of int32, shape (n,)
        Classes, if the weights have no signs.
    numbers : ndarray of float64, shape (n_trees, n)
        Weights or signed weights.

    Returns
    -------
    GrownTrees
        Without gains and answers of inner nodes, which pruning leaves undefined (NaN and -1).
    """
    trees = []
    for t in range(len(grown.root_impurity)):
        work = _work_of(grown, t, rules, labels, numbers[t])
        arrays = _prune_tree(data, rules, work)
        trees.append(_assemble(arrays, rules, t, grown.root_impurity[t : t + 1]))
    return GrownTrees.join(trees)


def _work_of(
    grown: GrownTrees,
    t: int,
    rules: PruningRules,
    labels: NDArray[np.int32],
    numbers: NDArray[np.float64],
) -> _Work:
    """Lay out tree t, and the rows that have a say in it."""
    nodes = slice(grown.node_offset[t], grown.node_offset[t + 1])
    leaves = slice(grown.leaf_offset[t], grown.leaf_offset[t + 1])
    answers = grown.leaf_value[leaves] > 0.0 if rules.signed else grown.leaf_column[leaves]
    n_inner, size = nodes.stop - nodes.start, nodes.stop - nodes.start + len(answers)
    left, right = (
        np.where(child < 0, n_inner + ~child, child).astype(np.int64)
        for child in (grown.left[nodes], grown.right[nodes])
    )
    weight = np.abs(numbers)
    rows = np.flatnonzero(weight > 0.0).astype(np.int32)
    return _Work(
        feature=grown.feature[nodes].astype(np.int64),
        bin=grown.bin[nodes].astype(np.int64),
        missing_left=grown.missing_left[nodes].copy(),
        threshold=grown.threshold[nodes].copy(),
        left=left,
        right=right,
        leaf=np.arange(size) >= n_inner,
        label=np.append(np.zeros(n_inner, dtype=np.int64), answers),
        start=np.zeros(size, dtype=np.int64),
        end=np.full(size, len(rows)),
        N=np.zeros(size),
        e=np.zeros(size),
        heaviest=np.zeros(size, dtype=np.int64),
        charge=np.zeros(size),
        heavy=np.zeros(rules.n_classes),
        pending=np.zeros(size, dtype=np.int64),
        rows=rows,
        buffer=np.empty(len(rows), dtype=np.int32),
        y=(numbers > 0).astype(np.int64) if rules.signed else labels.astype(np.int64),
        cases=weight * (len(rows) / max(weight.sum(), 1e-300)),
    )


def _assemble(
    arrays: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]],
    rules: PruningRules,
    column: int,
    root_impurity: NDArray[np.float64],
) -> GrownTrees:
    """Put a pruned tree back into the form of a grown one."""
    nodes, threshold, leaf_label, leaves = arrays
    feature, bins, missing_left, left, right = nodes.astype(np.int32)
    n_nodes, n_leaves = len(threshold), len(leaf_label)
    return GrownTrees(
        feature=feature,
        threshold=threshold,
        bin=bins,
        missing_left=missing_left.astype(np.bool_),
        left=left,
        right=right,
        node_offset=np.array([0, n_nodes]),
        gain=np.full(n_nodes, np.nan),
        node_value=np.full(n_nodes, np.nan),
        leaf_value=np.asarray(2.0 * leaf_label - 1.0 if rules.signed else np.ones(n_leaves)),
        node_column=np.full(n_nodes, -1, dtype=np.int32),
        leaf_column=np.asarray(column if rules.signed else leaf_label, dtype=np.int32)
        + np.zeros(n_leaves, dtype=np.int32),
        leaf_offset=np.array([0, n_leaves]),
        root_impurity=root_impurity,
        leaves=leaves[None],
    )


@kernel
def _prune_tree(data, rules, work):  # type: ignore[no-untyped-def]
    """Prune one tree; return its nodes, thresholds, leaf labels and the leaf of every row."""
    if not work.leaf[0]:
        if rules.collapse:
            _collapse(data, rules, work)
        _prune(data, rules, work)
    return _renumber(data, work)


@inner
def _send_down(data, rules, work, top, first):  # type: ignore[no-untyped-def]
    """Send the rows of a node down its subtree, and count the cases of every node they reach.

    The nodes are appended to the pending ones, of which there are ``first``, level by level; their
    new number is returned.
    """
    work.pending[first] = top
    p, last = first, first + 1
    while p < last:
        node = work.pending[p]
        p += 1
        start, end = work.start[node], work.end[node]
        _count(rules, work, node)
        if work.leaf[node] or start == end:
            continue
        j = work.feature[node]
        middle = start + partition(
            data.codes[j], work.bin[node], data.n_bins[j], work.missing_left[node],
            work.rows[start:end], work.buffer,
        )  # fmt: skip
        left, right = work.left[node], work.right[node]
        work.start[left], work.end[left] = start, middle
        work.start[right], work.end[right] = middle, end
        work.pending[last], work.pending[last + 1] = left, right
        last += 2
    return last


@inner
def _count(rules, work, node):  # type: ignore[no-untyped-def]
    """Count the cases of a node, those outside the heaviest class, and note that class."""
    heavy = work.heavy
    for k in range(heavy.shape[0]):
        heavy[k] = 0.0
    for p in range(work.start[node], work.end[node]):
        heavy[work.y[work.rows[p]]] += work.cases[work.rows[p]]
    work.heaviest[node] = np.argmax(heavy)
    work.N[node] = heavy.sum()
    work.e[node] = max(work.N[node] - heavy[work.heaviest[node]], 0.0)


@inner
def _charge_as_leaf(rules, work, node):  # type: ignore[no-untyped-def]
    if work.start[node] == work.end[node]:
        return 0.0
    N, e = work.N[node], work.e[node]
    return e + added_errors(N, e, rules.confidence, rules.z2, rules.cap)


@inner
def _make_leaf(work, node):  # type: ignore[no-untyped-def]
    work.leaf[node], work.label[node] = True, work.heaviest[node]


@inner
def _collapse(data, rules, work):  # type: ignore[no-untyped-def]
    """Cut subtrees that save at most 1e-3 training errors."""
    for p in range(_send_down(data, rules, work, 0, 0) - 1, -1, -1):
        node = work.pending[p]
        if not work.leaf[node]:
            errors = work.e[work.left[node]] + work.e[work.right[node]]
            if errors >= work.e[node] - 1e-3:
                _make_leaf(work, node)
            else:
                work.e[node] = errors  # from here on those of the subtree


@inner
def _charge_of(data, rules, work, top, first):  # type: ignore[no-untyped-def]
    """Return what a subtree is charged for the rows of its topmost node."""
    for p in range(_send_down(data, rules, work, top, first) - 1, first - 1, -1):
        node = work.pending[p]
        if work.leaf[node] or work.start[node] == work.end[node]:
            work.charge[node] = _charge_as_leaf(rules, work, node)
        else:
            work.charge[node] = work.charge[work.left[node]] + work.charge[work.right[node]]
    return work.charge[top]


@inner
def _prune(data, rules, work):  # type: ignore[no-untyped-def]
    """Prune bottom up; a raised subtree is pruned again for the rows it has now."""
    n = _send_down(data, rules, work, 0, 0)
    while n > 0:
        n -= 1
        node = work.pending[n]
        as_leaf = _charge_as_leaf(rules, work, node)
        work.charge[node] = as_leaf
        if work.start[node] == work.end[node]:
            continue
        if work.leaf[node]:
            _make_leaf(work, node)
            continue
        charge = work.charge[work.left[node]] + work.charge[work.right[node]]
        work.charge[node] = charge
        if rules.keep_root and node == 0:
            continue
        raised, child = np.inf, work.left[node]
        if rules.raising:
            if _cases(work, work.right[node]) > _cases(work, work.left[node]):
                child = work.right[node]
            work.start[child], work.end[child] = work.start[node], work.end[node]
            raised = _charge_of(data, rules, work, child, n)
        if as_leaf <= charge + _TOLERANCE and as_leaf <= raised + _TOLERANCE:
            _make_leaf(work, node)
            work.charge[node] = as_leaf
        elif raised <= charge + _TOLERANCE:
            _replace(work, node, child)
            n = _send_down(data, rules, work, node, n)


@inner
def _cases(work, node):  # type: ignore[no-untyped-def]
    """Return the cases of a node, added row by row: equal children must tie."""
    total = 0.0
    for p in range(work.start[node], work.end[node]):
        total += work.cases[work.rows[p]]
    return total


@inner
def _replace(work, node, child):  # type: ignore[no-untyped-def]
    """Put a child in the place of its parent."""
    work.leaf[node], work.label[node] = work.leaf[child], work.label[child]
    if not work.leaf[child]:
        work.feature[node], work.bin[node] = work.feature[child], work.bin[child]
        work.threshold[node] = work.threshold[child]
        work.missing_left[node] = work.missing_left[child]
        work.left[node], work.right[node] = work.left[child], work.right[child]


@stage
def _renumber(data, work):  # type: ignore[no-untyped-def]
    """Number what is left of the tree, parents before children, and send all rows down it."""
    capacity = work.feature.shape[0]
    nodes = np.empty((5, capacity), np.int64)
    threshold = np.empty(capacity, np.float64)
    leaf_label = np.empty(capacity + 1, np.int64)
    stack, place = [0], [-1]
    n_nodes, n_leaves = 0, 0
    while len(stack):
        node, parent = stack.pop(), place.pop()
        index = ~n_leaves
        if work.leaf[node]:
            leaf_label[n_leaves] = work.label[node]
            n_leaves += 1
        else:
            index = n_nodes
            nodes[0, index], nodes[1, index] = work.feature[node], work.bin[node]
            nodes[2, index] = work.missing_left[node]
            threshold[index] = work.threshold[node]
            n_nodes += 1
            stack.append(work.right[node])
            place.append(2 * index + 1)
            stack.append(work.left[node])
            place.append(2 * index)
        if parent >= 0:
            nodes[3 + parent % 2, parent // 2] = index
    leaves = np.zeros(data.codes.shape[1], np.int32)
    for i in range(leaves.shape[0]):
        node = 0 if n_nodes else -1
        while node >= 0:
            j = nodes[0, node]
            code = data.codes[j, i]
            left = code <= nodes[1, node]
            if code == data.n_bins[j]:
                left = left or nodes[2, node] == 1
            node = nodes[3 if left else 4, node]
        leaves[i] = ~node
    return (
        nodes[:, :n_nodes].copy(),
        threshold[:n_nodes].copy(),
        leaf_label[:n_leaves].copy(),
        leaves,
    )
