"""C4.5's pessimistic pruning, a pass over grown trees.

A leaf of N cases, e of them wrong, is charged ``e + added_errors(N, e)``: the upper confidence
limit of the errors it would make. Bottom up, a subtree becomes a leaf, or gives way to its heavier
child (subtree raising, with all cases of the node sent down that child), where the charge rises by
at most 0.1. Cases are weights scaled to sum to the number of rows that have any.

References
----------
Quinlan, "C4.5: Programs for Machine Learning", 1993, Sec. 4.2, and release 8's sources.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compiled import inner, kernel
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
    """A tree under the knife; `leaf` marks nodes that became leaves, `label` their answers."""

    feature: NDArray[np.int64]
    bin: NDArray[np.int64]
    missing_left: NDArray[np.bool_]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    leaf: NDArray[np.bool_]
    label: NDArray[np.int64]
    leaf_label: NDArray[np.int64]
    y: NDArray[np.int64]
    cases: NDArray[np.float64]
    buffer: NDArray[np.int32]


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
        One tree per column of ``numbers``.
    data : BinnedData
    rules : PruningRules
    labels : ndarray of int32, shape (n,)
        Classes, if the weights have no signs.
    numbers : ndarray of float64, shape (n, n_trees)
        Weights or signed weights.

    Returns
    -------
    GrownTrees
        Without gains and answers of inner nodes, which pruning leaves undefined (NaN and -1).
    """
    trees = []
    for t in range(len(grown.root_impurity)):
        nodes = slice(grown.node_offset[t], grown.node_offset[t + 1])
        leaves = slice(grown.leaf_offset[t], grown.leaf_offset[t + 1])
        weight = np.abs(numbers[:, t])
        y = (numbers[:, t] > 0).astype(np.int64) if rules.signed else labels.astype(np.int64)
        work = _Work(
            feature=grown.feature[nodes].astype(np.int64),
            bin=grown.bin[nodes].astype(np.int64),
            missing_left=grown.missing_left[nodes].copy(),
            threshold=grown.threshold[nodes].copy(),
            left=grown.left[nodes].astype(np.int64),
            right=grown.right[nodes].astype(np.int64),
            leaf=np.zeros(nodes.stop - nodes.start, dtype=np.bool_),
            label=np.zeros(nodes.stop - nodes.start, dtype=np.int64),
            leaf_label=_labels_of(grown, leaves, rules),
            y=y,
            cases=weight * (np.count_nonzero(weight) / max(weight.sum(), 1e-300)),
            buffer=np.empty(len(y), dtype=np.int32),
        )
        arrays = _prune_tree(data, rules, work)
        trees.append(_assemble(arrays, rules, t, grown.root_impurity[t : t + 1]))
    return GrownTrees.join(trees)


def _labels_of(grown: GrownTrees, leaves: slice, rules: PruningRules) -> NDArray[np.int64]:
    if rules.signed:
        return (grown.leaf_value[leaves] > 0).astype(np.int64)
    return grown.leaf_column[leaves].astype(np.int64)


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
    n = data.codes.shape[1]
    rows = np.empty(n, np.int32)
    n_active = 0
    for i in range(n):
        rows[n_active] = i
        n_active += work.cases[i] > 0.0
    root = 0 if work.feature.shape[0] else -1
    if root == 0:
        if rules.collapse:
            _collapse(data, rules, work, root, rows[:n_active])
        _prune(data, rules, work, root, rows[:n_active], rules.keep_root)
    return _renumber(data, work, root)


@inner
def _is_leaf(work, ref):  # type: ignore[no-untyped-def]
    return ref < 0 or work.leaf[ref]


@inner
def _set_label(work, ref, label):  # type: ignore[no-untyped-def]
    if ref < 0:
        work.leaf_label[~ref] = label
    else:
        work.leaf[ref] = True
        work.label[ref] = label


@inner
def _count(rules, work, rows):  # type: ignore[no-untyped-def]
    """Return (cases, cases outside the heaviest class, that class)."""
    heavy = np.zeros(rules.n_classes)
    for i in range(rows.shape[0]):
        heavy[work.y[rows[i]]] += work.cases[rows[i]]
    best = np.argmax(heavy)
    N = heavy.sum()
    return N, max(N - heavy[best], 0.0), best


@inner
def _charge(rules, N, e):  # type: ignore[no-untyped-def]
    return e + added_errors(N, e, rules.confidence, rules.z2, rules.cap)


@inner
def _divide(data, work, node, rows):  # type: ignore[no-untyped-def]
    """Move the rows that go left at a node to the front; return their number."""
    j = work.feature[node]
    return partition(
        data.codes[j], work.bin[node], data.n_bins[j], work.missing_left[node], rows, work.buffer
    )


@inner
def _collapse(data, rules, work, ref, rows):  # type: ignore[no-untyped-def]
    """Cut subtrees that save at most 1e-3 training errors; return the tree's errors."""
    _, e, label = _count(rules, work, rows)
    if _is_leaf(work, ref):
        return e
    middle = _divide(data, work, ref, rows)
    errors = _collapse(data, rules, work, work.left[ref], rows[:middle])
    errors += _collapse(data, rules, work, work.right[ref], rows[middle:])
    if errors >= e - 1e-3:
        _set_label(work, ref, label)
        return e
    return errors


@inner
def _charge_of_tree(data, rules, work, ref, rows):  # type: ignore[no-untyped-def]
    """Return what a subtree is charged for rows that are sent down it."""
    if rows.shape[0] == 0:
        return 0.0
    if _is_leaf(work, ref):
        N, e, _ = _count(rules, work, rows)
        return _charge(rules, N, e)
    middle = _divide(data, work, ref, rows)
    charge = _charge_of_tree(data, rules, work, work.left[ref], rows[:middle])
    return charge + _charge_of_tree(data, rules, work, work.right[ref], rows[middle:])


@inner
def _prune(data, rules, work, ref, rows, keep):  # type: ignore[no-untyped-def]
    """Prune a subtree for the rows that reach it; return its charge."""
    if rows.shape[0] == 0:
        return 0.0
    N, e, label = _count(rules, work, rows)
    as_leaf = _charge(rules, N, e)
    if _is_leaf(work, ref):
        _set_label(work, ref, label)
        return as_leaf
    middle = _divide(data, work, ref, rows)
    charge = _prune(data, rules, work, work.left[ref], rows[:middle], False)
    charge += _prune(data, rules, work, work.right[ref], rows[middle:], False)
    if keep:
        return charge
    raised = np.inf
    child = work.left[ref]
    if rules.raising:
        if _cases(work, rows[middle:]) > _cases(work, rows[:middle]):
            child = work.right[ref]
        raised = _charge_of_tree(data, rules, work, child, rows)
    if as_leaf <= charge + _TOLERANCE and as_leaf <= raised + _TOLERANCE:
        _set_label(work, ref, label)
        return as_leaf
    if raised <= charge + _TOLERANCE:
        _replace(work, ref, child)
        return _prune(data, rules, work, ref, rows, False)
    return charge


@inner
def _cases(work, rows):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(rows.shape[0]):
        total += work.cases[rows[i]]
    return total


@inner
def _replace(work, node, child):  # type: ignore[no-untyped-def]
    """Put a child in the place of its parent."""
    if child < 0:
        _set_label(work, node, work.leaf_label[~child])
        return
    work.feature[node], work.bin[node] = work.feature[child], work.bin[child]
    work.threshold[node] = work.threshold[child]
    work.missing_left[node] = work.missing_left[child]
    work.left[node], work.right[node] = work.left[child], work.right[child]
    work.leaf[node], work.label[node] = work.leaf[child], work.label[child]


@inner
def _renumber(data, work, root):  # type: ignore[no-untyped-def]
    """Number what is left of the tree, parents before children, and send all rows down it."""
    capacity = work.feature.shape[0]
    nodes = np.empty((5, capacity), np.int64)
    threshold = np.empty(capacity, np.float64)
    leaf_label = np.empty(capacity + 1, np.int64)
    stack, place = [root], [-1]
    n_nodes, n_leaves = 0, 0
    while len(stack):
        ref, parent = stack.pop(), place.pop()
        index = ~n_leaves
        if _is_leaf(work, ref):
            leaf_label[n_leaves] = work.leaf_label[~ref] if ref < 0 else work.label[ref]
            n_leaves += 1
        else:
            index = n_nodes
            nodes[0, index], nodes[1, index] = work.feature[ref], work.bin[ref]
            nodes[2, index] = work.missing_left[ref]
            threshold[index] = work.threshold[ref]
            n_nodes += 1
            stack.append(work.right[ref])
            place.append(2 * index + 1)
            stack.append(work.left[ref])
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
