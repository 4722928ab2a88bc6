"""C4.5's pessimistic pruning of a tree in the node table.

A leaf with N cases, of which e are misclassified, is charged ``e + added_errors(N, e)``, the upper
confidence limit of its errors. Bottom up, a subtree is replaced by a leaf, or by the child of more
cases (subtree raising; all cases of the node are sent down that child), if the charge rises by at
most 0.1. Cases are weights scaled to sum to the number of samples of positive weight.

All passes go down a subtree level by level and up again, without recursion, since numba does not
load recursive kernels from its file cache.

References
----------
Quinlan, "C4.5: Programs for Machine Learning", 1993, Sec. 4.2, and release 8's sources.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, kernel
from boostbench.portable import total
from boostbench.portable.elementary import power_
from boostbench.weak_learners.nodes import partition

_TOLERANCE = 0.1


class PruningRules(NamedTuple):
    """Rules of pruning.

    Attributes
    ----------
    confidence : float
        C4.5's CF.
    z2 : float
        Squared normal quantile for `confidence`.
    cap : float
        Share of the correct cases that is charged if nearly all cases are wrong.
    release_8 : bool
        Whether subtrees that save no training error are cut first, and a subtree may be replaced
        by one of its children. Otherwise the root always remains a split.
    """

    confidence: float
    z2: float
    cap: float
    release_8: bool


class Pruning(NamedTuple):
    """Rules and work space of pruning.

    Attributes
    ----------
    rules : PruningRules
    scale : ndarray of float64, shape (m,)
        Cases per unit of weight, for each column of a demand.
    cases : ndarray of float64, shape (n,)
        Cases of each row.
    heavy : ndarray of float64, shape (n_classes,)
        Cases of each class in the current node.
    pending : ndarray of int64, shape (2 * n + 1,)
        Nodes that a pass has not finished, parents before children.
    """

    rules: PruningRules
    scale: NDArray[np.float64]
    cases: NDArray[np.float64]
    heavy: NDArray[np.float64]
    pending: NDArray[np.int64]

    @classmethod
    def space(
        cls,
        rules: PruningRules,
        numbers: NDArray[np.float64],
        samples: NDArray[np.int64],
        n_classes: int,
    ) -> Pruning:
        """Return the work space for trees of weights or signed weights, shape (m, n)."""
        weight, n = np.abs(numbers), numbers.shape[1]
        n_cases = np.where(weight > 0.0, samples, 0).sum(axis=1)
        scale = n_cases / np.maximum(np.array([total(row) for row in weight]), 1e-300)
        return cls(rules, scale, np.empty(n), np.empty(n_classes), np.empty(2 * n + 1, np.int64))


@kernel
def added_errors(N, e, rules):  # type: ignore[no-untyped-def]
    """Return the errors added to e observed errors among N cases (C4.5's AddErrs).

    Parameters
    ----------
    N, e : float
        Number of cases, and of errors among them.
    rules : PruningRules

    Returns
    -------
    float
    """
    if e < 1e-6:
        return N * (1.0 - power_(rules.confidence, 1.0 / N))
    if e < 0.9999:
        none = N * (1.0 - power_(rules.confidence, 1.0 / N))
        return none + e * (_limit(N, 1.0, rules) - none)
    return _limit(N, e, rules)


@inner
def _limit(N, e, rules):  # type: ignore[no-untyped-def]
    if e + 0.5 >= N:
        return rules.cap * max(N - e, 0.0)
    f, z2 = e + 0.5, rules.z2
    p = (f + 0.5 * z2 + np.sqrt(z2 * (f * (1.0 - f / N) + 0.25 * z2))) / (N + z2)
    return N * p - e


@inner
def prune(data, pruning, number, column, n_splits, tree):  # type: ignore[no-untyped-def]
    """Prune the tree in the node table; return the number of splits that are left.

    Parameters
    ----------
    data : BinnedData
    pruning : Pruning
    number : float64[n]
        Weights or signed weights of the rows.
    column : int
        Column of the demand.
    n_splits : int
    tree : GrowingTree
    """
    n = np.int64(0)
    for i in range(number.shape[0]):
        tree.rows[n] = i
        n += number[i] != 0.0
        pruning.cases[i] = abs(number[i]) * pruning.scale[column]
    tree.nodes[0].start, tree.nodes[0].end = 0, n
    if n_splits > 0:
        if pruning.rules.release_8:
            _collapse(data, pruning, tree)
        _prune(data, pruning, tree)
    return _list_nodes(pruning, tree)


@inner
def _list_nodes(pruning, tree):  # type: ignore[no-untyped-def]
    """List the nodes and leaves of the pruned tree in preorder; return the number of inner nodes.

    Gains become undefined (NaN) if subtrees may have been raised.
    """
    n_splits, n_leaves, n_open, pending = np.int64(0), np.int64(0), np.int64(1), pruning.pending
    pending[0] = 0
    while n_open > 0:
        n_open -= 1
        index = pending[n_open]
        left = tree.nodes[index].left
        if left < 0:
            tree.leaf_order[n_leaves] = index
            n_leaves += 1
        else:
            tree.split_order[n_splits] = index
            if pruning.rules.release_8:
                tree.nodes[index].gain = np.nan
            n_splits += 1
            pending[n_open], pending[n_open + 1] = left + 1, left
            n_open += 2
    return n_splits


@inner
def _send_down(data, pruning, tree, top, first):  # type: ignore[no-untyped-def]
    """Send the rows of a node down its subtree, and count the cases of every node reached.

    The nodes are appended level by level to the ``first`` nodes that are pending; the new number of
    pending nodes is returned.
    """
    nodes, pending = tree.nodes, pruning.pending
    pending[first] = top
    p, last = first, first + 1
    while p < last:
        node = nodes[pending[p]]
        p += 1
        start, end = node.start, node.end
        _count(pruning, tree, node)
        if node.left < 0 or start == end:
            continue
        codes, missing = data.codes[node.feature], data.n_bins[node.feature]
        middle = start + partition(codes, missing, node, tree.rows[start:end], tree.buffer)
        left, right = nodes[node.left], nodes[node.left + 1]
        left.start, left.end = start, middle
        right.start, right.end = middle, end
        pending[last], pending[last + 1] = node.left, node.left + 1
        last += 2
    return last


@inner
def _count(pruning, tree, node):  # type: ignore[no-untyped-def]
    """Write the cases of a node, its heaviest class, and the cases outside that class."""
    heavy = pruning.heavy
    for k in range(heavy.shape[0]):
        heavy[k] = 0.0
    for p in range(node.start, node.end):
        heavy[tree.label[tree.rows[p]]] += pruning.cases[tree.rows[p]]
    best, total = 0, 0.0
    for k in range(heavy.shape[0]):
        total += heavy[k]
        if heavy[k] > heavy[best]:
            best = k
    node.heaviest, node.cases, node.errors = best, total, max(total - heavy[best], 0.0)


@inner
def _charge_as_leaf(pruning, node):  # type: ignore[no-untyped-def]
    if node.start == node.end:
        return 0.0
    return node.errors + added_errors(node.cases, node.errors, pruning.rules)


@inner
def _make_leaf(node):  # type: ignore[no-untyped-def]
    node.left, node.answer = -1, node.heaviest


@inner
def _collapse(data, pruning, tree):  # type: ignore[no-untyped-def]
    """Cut subtrees that save at most 1e-3 training errors."""
    nodes, root = tree.nodes, np.int64(0)
    for p in range(_send_down(data, pruning, tree, root, root) - 1, -1, -1):
        node = nodes[pruning.pending[p]]
        if node.left >= 0:
            errors = nodes[node.left].errors + nodes[node.left + 1].errors
            if errors >= node.errors - 1e-3:
                _make_leaf(node)
            else:
                node.errors = errors  # of the subtree instead of the node as a leaf


@inner
def _charge_of(data, pruning, tree, top, first):  # type: ignore[no-untyped-def]
    """Return the charge of a subtree for the rows of its root."""
    nodes = tree.nodes
    for p in range(_send_down(data, pruning, tree, top, first) - 1, first - 1, -1):
        node = nodes[pruning.pending[p]]
        if node.left < 0 or node.start == node.end:
            node.charge = _charge_as_leaf(pruning, node)
        else:
            node.charge = nodes[node.left].charge + nodes[node.left + 1].charge
    return nodes[top].charge


@inner
def _prune(data, pruning, tree):  # type: ignore[no-untyped-def]
    """Prune bottom up; a raised subtree is pruned again with its new rows."""
    nodes, rules, root = tree.nodes, pruning.rules, np.int64(0)
    n = _send_down(data, pruning, tree, root, root)
    while n > 0:
        n -= 1
        index = pruning.pending[n]
        node = nodes[index]
        as_leaf = _charge_as_leaf(pruning, node)
        node.charge = as_leaf
        if node.start == node.end:
            continue
        if node.left < 0:
            _make_leaf(node)
            continue
        charge = nodes[node.left].charge + nodes[node.left + 1].charge
        node.charge = charge
        if not rules.release_8 and index == 0:
            continue
        raised, child = np.inf, node.left
        if rules.release_8:
            if _cases(pruning, tree, child + 1) > _cases(pruning, tree, child):
                child += 1
            nodes[child].start, nodes[child].end = node.start, node.end
            raised = _charge_of(data, pruning, tree, child, n)
        if as_leaf <= charge + _TOLERANCE and as_leaf <= raised + _TOLERANCE:
            _make_leaf(node)
            node.charge = as_leaf
        elif raised <= charge + _TOLERANCE:
            _replace(node, nodes[child])
            n = _send_down(data, pruning, tree, index, n)


@inner
def _cases(pruning, tree, index):  # type: ignore[no-untyped-def]
    """Return the cases of a node, added row by row so that equal children tie."""
    total = 0.0
    for p in range(tree.nodes[index].start, tree.nodes[index].end):
        total += pruning.cases[tree.rows[p]]
    return total


@inner
def _replace(node, child):  # type: ignore[no-untyped-def]
    """Replace a node by one of its children."""
    node.left, node.answer = child.left, child.answer
    node.feature, node.bin, node.threshold = child.feature, child.bin, child.threshold
    node.missing_left = child.missing_left
