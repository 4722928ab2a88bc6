"""C4.5's pessimistic pruning, a pass over grown trees.

A leaf of N cases, e of them wrong, is charged ``e + added_errors(N, e)``: the upper confidence
limit of the errors it would make. Bottom up, a subtree becomes a leaf, or gives way to its heavier
child (subtree raising, with all cases of the node sent down that child), where the charge rises by
at most 0.1. Cases are weights scaled to sum to the number of samples that have any.

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

from boostbench.portable import total
from boostbench.portable.elementary import power_
from boostbench.weak_learners.binning import BinnedData
from boostbench.weak_learners.compiled import inner, kernel
from boostbench.weak_learners.pruning_table import PruningTable, lay_out, pack_again, send_down
from boostbench.weak_learners.structures import Finished

_TOLERANCE = 0.1


class PruningRules(NamedTuple):
    """Rules of pruning.

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
        return N * (1.0 - power_(confidence, 1.0 / N))
    if e < 0.9999:
        none = N * (1.0 - power_(confidence, 1.0 / N))
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
    finished: Finished,
    data: BinnedData,
    rules: PruningRules,
    labels: NDArray[np.int32],
    numbers: NDArray[np.float64],
    columns: NDArray[np.int64],
) -> None:
    """Prune trees in place; gains and answers of inner nodes become undefined (NaN and -1).

    Parameters
    ----------
    finished : Finished
    data : BinnedData
    rules : PruningRules
    labels : ndarray of int32, shape (n,)
        Classes, if the weights have no signs.
    numbers : ndarray of float64, shape (m, n)
        Weights or signed weights.
    columns : ndarray of int64, shape (n_trees,)
        Which of ``numbers`` a tree was grown for.
    """
    weight = np.abs(numbers)
    n_cases = np.where(weight > 0.0, data.samples, 0).sum(axis=1)
    scale = n_cases / np.maximum(np.array([total(row) for row in weight]), 1e-300)
    table = PruningTable.room(finished.max_leaves, data.n_rows, rules.n_classes)
    _prune_trees(data, rules, labels, numbers, scale, columns, finished, table)


@kernel
def _prune_trees(data, rules, labels, numbers, scale, columns, finished, table):  # type: ignore[no-untyped-def]
    first, first_leaf = 0, 0
    for t in range(columns.shape[0]):
        column, end, end_leaf = columns[t], finished.node_offset[t + 1], finished.leaf_offset[t + 1]
        lay_out(
            rules, labels, numbers[column], scale[column], finished.nodes[first:end],
            finished.leaf[first_leaf:end_leaf], table,
        )  # fmt: skip
        if not table.nodes[0].leaf:
            if rules.collapse:
                _collapse(data, table)
            _prune(data, rules, table)
        pack_again(data, rules, column, t, table, finished)
        first, first_leaf = end, end_leaf


@inner
def _charge_as_leaf(rules, node):  # type: ignore[no-untyped-def]
    if node.start == node.end:
        return 0.0
    return node.e + added_errors(node.N, node.e, rules.confidence, rules.z2, rules.cap)


@inner
def _make_leaf(node):  # type: ignore[no-untyped-def]
    node.leaf, node.label = True, node.heaviest


@inner
def _collapse(data, table):  # type: ignore[no-untyped-def]
    """Cut subtrees that save at most 1e-3 training errors."""
    nodes, root = table.nodes, np.int64(0)
    for p in range(send_down(data, table, root, root) - 1, -1, -1):
        node = nodes[table.pending[p]]
        if not node.leaf:
            errors = nodes[node.left].e + nodes[node.right].e
            if errors >= node.e - 1e-3:
                _make_leaf(node)
            else:
                node.e = errors  # from here on those of the subtree


@inner
def _charge_of(data, rules, table, top, first):  # type: ignore[no-untyped-def]
    """Return what a subtree is charged for the rows of its topmost node."""
    nodes = table.nodes
    for p in range(send_down(data, table, top, first) - 1, first - 1, -1):
        node = nodes[table.pending[p]]
        if node.leaf or node.start == node.end:
            node.charge = _charge_as_leaf(rules, node)
        else:
            node.charge = nodes[node.left].charge + nodes[node.right].charge
    return nodes[top].charge


@inner
def _prune(data, rules, table):  # type: ignore[no-untyped-def]
    """Prune bottom up; a raised subtree is pruned again for the rows it has now."""
    nodes, root = table.nodes, np.int64(0)
    n = send_down(data, table, root, root)
    while n > 0:
        n -= 1
        index = table.pending[n]
        node = nodes[index]
        as_leaf = _charge_as_leaf(rules, node)
        node.charge = as_leaf
        if node.start == node.end:
            continue
        if node.leaf:
            _make_leaf(node)
            continue
        charge = nodes[node.left].charge + nodes[node.right].charge
        node.charge = charge
        if rules.keep_root and index == 0:
            continue
        raised, child = np.inf, node.left
        if rules.raising:
            if _cases(table, node.right) > _cases(table, node.left):
                child = node.right
            nodes[child].start, nodes[child].end = node.start, node.end
            raised = _charge_of(data, rules, table, child, n)
        if as_leaf <= charge + _TOLERANCE and as_leaf <= raised + _TOLERANCE:
            _make_leaf(node)
            node.charge = as_leaf
        elif raised <= charge + _TOLERANCE:
            _replace(node, nodes[child])
            n = send_down(data, table, index, n)


@inner
def _cases(table, index):  # type: ignore[no-untyped-def]
    """Return the cases of a node, added row by row: equal children must tie."""
    total = 0.0
    for p in range(table.nodes[index].start, table.nodes[index].end):
        total += table.cases[table.rows[p]]
    return total


@inner
def _replace(node, child):  # type: ignore[no-untyped-def]
    """Put a child in the place of its parent."""
    node.leaf, node.label = child.leaf, child.label
    if not child.leaf:
        node.feature, node.bin, node.threshold = child.feature, child.bin, child.threshold
        node.missing_left = child.missing_left
        node.left, node.right = child.left, child.right
