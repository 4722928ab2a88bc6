"""Paths of samples through a layered branching program; layer l has the nodes j = 0..l.

A node is a tree whose leaves hold rho, the probability of the answer 1. Answer 1 leads from node
(l, j) to (l + 1, j + 1), answer 0 to (l + 1, j). Arrays have one row per node and one column per
sample, so that a pass over the samples of a node accesses contiguous memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import inner, kernel
from boostbench.weak_learners import Forest


class Program:
    """Trained program and the features of the samples that pass through it.

    Parameters
    ----------
    nodes : Forest
        Node (l, j) is tree ``l (l + 1) / 2 + j``; leaf values are rho.
    X : ndarray of float64, shape (n, n_features)
        Features; Fortran order avoids a copy.
    layer : int, default=0
        Layer of the first node in ``nodes``.
    """

    def __init__(self, nodes: Forest, X: NDArray[np.float64], layer: int = 0) -> None:
        self._nodes = _nodes_of(nodes)
        self._features = np.ascontiguousarray(X.T)
        self._start = _first(layer)

    def spread(self, mass: NDArray[np.float64], layer: int) -> None:
        """Replace P(l, .) by P(l + 1, .) in place; ``mass`` has shape (L + 1, n)."""
        share = np.empty(mass.shape[1])
        _spread(mass, self._features, _first(layer) - self._start, layer, self._nodes, share)

    def step(self, position: NDArray[np.int64], layer: int, coins: NDArray[np.float64]) -> None:
        """Advance each sample from its node j, in place: the answer is 1 if its coin < rho."""
        _step(position, self._features, _first(layer) - self._start, self._nodes, coins)


class Walks:
    """Random walks of n samples through a program.

    Parameters
    ----------
    n : int
        Number of samples.
    seed : int
        Seed of the random answers.
    """

    def __init__(self, n: int, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._position = np.zeros(n, dtype=np.int64)
        self._layer = 0

    def step(self, program: Program) -> NDArray[np.float64]:
        """Walk to the next layer and return the majority answer so far, one-hot, shape (n, 2)."""
        program.step(self._position, self._layer, self._rng.random(len(self._position)))
        self._layer += 1
        p = (2 * self._position > self._layer).astype(np.float64)
        return np.column_stack([1.0 - p, p])


def walk_on(mass: NDArray[np.float64], leaves: NDArray[Any], nodes: Forest) -> None:
    """Replace P(l, .) by P(l + 1, .) in place, for known leaves of layer l.

    ``mass`` has shape (L + 1, n) and ``leaves`` has shape (l + 1, n).
    """
    of = _nodes_of(nodes)
    _walk_on(mass, leaves, of.rho, of.first_leaf, np.empty(mass.shape[1]))


def walk_apart(
    mass: NDArray[np.float64],
    leaves: NDArray[Any],
    nodes: Forest,
    row: NDArray[np.intp],
    position: NDArray[np.int64],
    coins: NDArray[np.float64],
) -> None:
    """Advance each sample along one random path and update the mass in place.

    The mass of a row at a node is the fraction of its samples there. ``row`` has the row of each
    sample and ``position`` its node j, which is updated in place; the answer is 1 if its coin is
    below rho. ``mass`` and ``leaves`` are as in `walk_on`.
    """
    of = _nodes_of(nodes)
    at = leaves[position, row] + of.first_leaf[position]
    position += coins < of.rho[at]
    n_there, n = len(leaves) + 1, mass.shape[1]
    at_node = np.bincount(position * n + row, minlength=n_there * n).reshape(n_there, n)
    mass[:n_there] = at_node / np.bincount(row)


class _Nodes(NamedTuple):
    """Arrays of a `Forest` with leaf values rho, for compiled code."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    root: NDArray[np.int64]
    first_leaf: NDArray[np.int64]
    rho: NDArray[np.float64]


def _nodes_of(forest: Forest) -> _Nodes:
    return _Nodes(
        forest.feature,
        forest.threshold,
        forest.missing_left,
        forest.left,
        forest.right,
        forest.node_offset,
        forest.leaf_offset,
        np.ascontiguousarray(forest.leaf_value[:, 0]),
    )


def _first(layer: int) -> int:
    """Return the index of the tree of node (l, 0)."""
    return layer * (layer + 1) // 2


@kernel
def _walk_on(
    mass: NDArray[np.float64],
    leaves: NDArray[Any],
    rho: NDArray[np.float64],
    first_leaf: NDArray[np.int64],
    share: NDArray[np.float64],
) -> None:
    for j in range(len(leaves) - 1, -1, -1):
        for i in range(len(share)):
            share[i] = rho[first_leaf[j] + leaves[j, i]]
        _move(mass[j], mass[j + 1], share)


@inner
def _move(
    stays: NDArray[np.float64], goes: NDArray[np.float64], share: NDArray[np.float64]
) -> None:
    for i in range(len(share)):
        moving = stays[i] * share[i]  # P_i(l, j) rho(x_i)
        stays[i] -= moving
        goes[i] += moving


@inner
def _rho_of(X: NDArray[np.float64], i: int, tree: int, nodes: _Nodes) -> float:
    """Return rho of column i of X."""
    root = nodes.root[tree]
    at = 0 if nodes.root[tree + 1] > root else ~0  # a tree of one leaf has no inner node
    while at >= 0:
        x = X[nodes.feature[root + at], i]
        is_left = (x <= nodes.threshold[root + at]) | (np.isnan(x) & nodes.missing_left[root + at])
        at = nodes.left[root + at] if is_left else nodes.right[root + at]
    return float(nodes.rho[nodes.first_leaf[tree] + ~at])


@inner
def _rho_of_all(
    X: NDArray[np.float64], tree: int, nodes: _Nodes, share: NDArray[np.float64]
) -> None:
    """Write rho of every column of X into ``share``."""
    root, leaf = nodes.root[tree], nodes.first_leaf[tree]
    if nodes.root[tree + 1] - root != 1:
        for i in range(len(share)):
            share[i] = _rho_of(X, i, tree, nodes)
        return
    # a stump: a loop without data-dependent branches, which the compiler vectorises
    x, threshold, missing_left = (
        X[nodes.feature[root]],
        nodes.threshold[root],
        nodes.missing_left[root],
    )
    on_left, on_right = nodes.rho[leaf + ~nodes.left[root]], nodes.rho[leaf + ~nodes.right[root]]
    for i in range(len(share)):
        is_left = (x[i] <= threshold) | (np.isnan(x[i]) & missing_left)
        share[i] = on_left if is_left else on_right


@kernel
def _spread(
    mass: NDArray[np.float64],
    X: NDArray[np.float64],
    first: int,
    layer: int,
    nodes: _Nodes,
    share: NDArray[np.float64],
) -> None:
    for j in range(layer, -1, -1):
        _rho_of_all(X, first + j, nodes, share)
        _move(mass[j], mass[j + 1], share)


@kernel
def _step(
    position: NDArray[np.int64],
    X: NDArray[np.float64],
    first: int,
    nodes: _Nodes,
    coins: NDArray[np.float64],
) -> None:
    for i in range(len(position)):
        position[i] += coins[i] < _rho_of(X, i, first + position[i], nodes)
