"""The table a tree is pruned in: laid out, rows sent down and counted, packed again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.compiled import inner, stage
from boostbench.weak_learners.growing import partition

#: A node of the table: the inner nodes of a tree come first, its leaves follow.
_NODE = np.dtype(
    [
        ("start", np.int64),  # the rows that were sent to it are rows[start:end]
        ("end", np.int64),
        ("left", np.int64),  # this and the next five for inner nodes only
        ("right", np.int64),
        ("feature", np.int32),
        ("bin", np.int32),
        ("threshold", np.float64),
        ("missing_left", np.bool_),
        ("leaf", np.bool_),
        ("label", np.int64),  # answer of a leaf
        ("heaviest", np.int64),  # class of most cases
        ("N", np.float64),  # cases
        ("e", np.float64),  # those outside the heaviest class
        ("charge", np.float64),
        ("place", np.int64),  # where the packed parent points to it; -1 for the root
    ],
    align=True,
)


class PruningTable(NamedTuple):
    """A tree under the knife, and the rows that have a say in it.

    Attributes
    ----------
    nodes : ndarray of records, shape (2 * max_leaves,)
    heavy : ndarray of float64, shape (n_classes,)
        Cases of each class, of the node that is counted.
    pending : ndarray of int64, shape (2 * max_leaves,)
        The nodes a pass has to come back to, parents before children.
    rows, buffer : ndarray of int32, shape (n,)
    y : ndarray of int32, shape (n,)
    cases : ndarray of float64, shape (n,)
    """

    nodes: NDArray[np.void]
    heavy: NDArray[np.float64]
    pending: NDArray[np.int64]
    rows: NDArray[np.int32]
    buffer: NDArray[np.int32]
    y: NDArray[np.int32]
    cases: NDArray[np.float64]

    @classmethod
    def room(cls, max_leaves: int, n: int, n_classes: int) -> PruningTable:
        """Return a table for trees of so many leaves and rows."""
        return cls(
            nodes=np.empty(2 * max_leaves, _NODE),
            heavy=np.empty(n_classes),
            pending=np.empty(2 * max_leaves, np.int64),
            rows=np.empty(n, np.int32),
            buffer=np.empty(n, np.int32),
            y=np.empty(n, np.int32),
            cases=np.empty(n),
        )


@stage
def lay_out(rules, labels, number, scale, nodes, leaves, table):  # type: ignore[no-untyped-def]
    """Fill the table with a grown tree and the rows of positive weight, all of them at the root."""
    n_inner, n = nodes.shape[0], np.int64(0)
    for i in range(number.shape[0]):
        table.rows[n] = i
        n += number[i] != 0.0
        table.y[i] = number[i] > 0.0 if rules.signed else labels[i]
        table.cases[i] = abs(number[i]) * scale
    for i in range(n_inner + leaves.shape[0]):
        node = table.nodes[i]
        node.start, node.end, node.leaf = 0, n, i >= n_inner
        if i >= n_inner:
            answer = leaves[i - n_inner]
            node.label = answer.leaf_value > 0.0 if rules.signed else answer.leaf_column
        else:
            grown = nodes[i]
            node.feature, node.bin, node.threshold = grown.feature, grown.bin, grown.threshold
            node.missing_left = grown.missing_left
            node.left = grown.left if grown.left >= 0 else n_inner + ~grown.left
            node.right = grown.right if grown.right >= 0 else n_inner + ~grown.right


@inner
def send_down(data, table, top, first):  # type: ignore[no-untyped-def]
    """Send the rows of a node down its subtree, and count the cases of every node they reach.

    The nodes are appended to the pending ones, of which there are ``first``, level by level; their
    new number is returned.
    """
    nodes, pending = table.nodes, table.pending
    pending[first] = top
    p, last = first, first + 1
    while p < last:
        node = nodes[pending[p]]
        p += 1
        start, end = node.start, node.end
        _count(table, node)
        if node.leaf or start == end:
            continue
        j = node.feature
        middle = start + partition(
            data.codes[j], node.bin, data.n_bins[j], node.missing_left, table.rows[start:end],
            table.buffer,
        )  # fmt: skip
        left, right = nodes[node.left], nodes[node.right]
        left.start, left.end = start, middle
        right.start, right.end = middle, end
        pending[last], pending[last + 1] = node.left, node.right
        last += 2
    return last


@inner
def _count(table, node):  # type: ignore[no-untyped-def]
    """Count the cases of a node, those outside the heaviest class, and note that class."""
    heavy = table.heavy
    for k in range(heavy.shape[0]):
        heavy[k] = 0.0
    for p in range(node.start, node.end):
        heavy[table.y[table.rows[p]]] += table.cases[table.rows[p]]
    best, total = 0, 0.0
    for k in range(heavy.shape[0]):
        total += heavy[k]
        if heavy[k] > heavy[best]:
            best = k
    node.heaviest, node.N, node.e = best, total, max(total - heavy[best], 0.0)


@stage
def pack_again(data, rules, column, t, table, finished):  # type: ignore[no-untyped-def]
    """Number what is left of tree t, parents before children, and send all rows down it."""
    first, first_leaf = finished.node_offset[t], finished.leaf_offset[t]
    n_nodes, n_leaves, n_open = 0, 0, 1
    table.pending[0], table.nodes[0].place = 0, -1
    while n_open > 0:
        n_open -= 1
        node = table.nodes[table.pending[n_open]]
        place = node.place
        index = ~n_leaves
        if node.leaf:
            leaf = finished.leaf[first_leaf + n_leaves]
            leaf.leaf_value = 2.0 * node.label - 1.0 if rules.signed else 1.0
            leaf.leaf_column = column if rules.signed else node.label
            n_leaves += 1
        else:
            index = n_nodes
            out = finished.nodes[first + index]
            out.feature, out.bin, out.threshold = node.feature, node.bin, node.threshold
            out.missing_left = node.missing_left
            out.gain = out.node_value = np.nan
            out.node_column = -1
            n_nodes += 1
            table.nodes[node.right].place = 2 * index + 1
            table.nodes[node.left].place = 2 * index
            table.pending[n_open], table.pending[n_open + 1] = node.right, node.left
            n_open += 2
        if place >= 0:
            parent = finished.nodes[first + place // 2]
            if place % 2 == 0:
                parent.left = index
            else:
                parent.right = index
    finished.node_offset[t + 1] = first + n_nodes
    finished.leaf_offset[t + 1] = first_leaf + n_leaves
    _find_leaves(data, finished.nodes[first : first + n_nodes], finished.leaves[t])


@inner
def _find_leaves(data, nodes, leaves):  # type: ignore[no-untyped-def]
    for i in range(leaves.shape[0]):
        node = 0 if nodes.shape[0] else -1
        while node >= 0:
            split = nodes[node]
            code = data.codes[split.feature, i]
            left = code <= split.bin
            if code == data.n_bins[split.feature]:
                left = left or split.missing_left
            node = split.left if left else split.right
        leaves[i] = ~node
