"""Paths of samples through a layered branching program; layer l has the nodes j = 0..l.

A node is a tree whose leaves hold rho, the probability of the answer 1. Answer 1 leads from node
(l, j) to (l + 1, j + 1), answer 0 to (l + 1, j). Arrays have one row per node and one column per
sample, so that a pass over the samples of a node accesses contiguous memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from boostbench.compiled import inner, kernel
from boostbench.models_only import models_only
from boostbench.weak_learners import Forest


class Program:
    """Trained branching program.

    Attributes
    ----------
    layers : list of Forest
        Nodes (l, 0), ..., (l, l) of each layer; leaf values are rho.
    """

    def __init__(self) -> None:
        self.layers: list[Forest] = []

    @property
    def forest(self) -> Forest:
        """All nodes, layer by layer."""
        return Forest.concatenate(self.layers)

    @models_only
    def grown(self, n_features: int) -> tuple[Forest, Any, Any]:
        """Return all nodes, whose leaves add rho to class 1, and their layers."""
        layers = np.repeat(np.arange(len(self.layers)) + 1, [len(each) for each in self.layers])
        forest = self.forest
        forest = forest.with_leaf_values(forest.leaf_value, np.ones(forest.n_leaves, np.int32))
        return forest, np.ones(len(layers)), layers

    def seal(self) -> None:
        """Do nothing, as the layers are used one by one."""

    def cut(self, n_rounds: int) -> None:
        """Keep the first layers."""
        del self.layers[n_rounds:]


def leaves_of(nodes: Forest, X: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the leaf of each sample in each node of a layer, shape (l + 1, n)."""
    return np.ascontiguousarray(nodes.apply(X).T)


def walk_on(mass: NDArray[np.float64], leaves: NDArray[Any], nodes: Forest) -> NDArray[np.float64]:
    """Return P(l + 1, .), shape (l + 2, n), from P(l, .) and the leaves of layer l, (l + 1, n)."""
    following = np.empty((len(mass) + 1, mass.shape[1]))
    rho = np.ascontiguousarray(nodes.leaf_value[:, 0])
    _walk_on(mass, leaves, rho, nodes.leaf_offset, following)
    return following


def spread(mass: NDArray[np.float64], nodes: Forest, X: Any) -> NDArray[np.float64]:
    """Return P(l + 1, .) from P(l, .) and the features of the samples."""
    if issparse(X):
        return walk_on(mass, leaves_of(nodes, X), nodes)
    following = np.empty((len(mass) + 1, mass.shape[1]))
    share = np.empty(mass.shape[1])
    _spread(mass, np.ascontiguousarray(X.T), *_arrays(nodes), share, following)
    return following


def step_apart(
    position: NDArray[np.int64],
    leaves: NDArray[Any],
    nodes: Forest,
    row: NDArray[np.intp],
    coins: NDArray[np.float64],
) -> None:
    """Advance each sample from its node j, in place: the answer is 1 if its coin < rho.

    ``row`` has the column of ``leaves`` of each sample, and ``position`` its node.
    """
    at = leaves[position, row] + nodes.leaf_offset[position]
    position += coins < nodes.leaf_value[at, 0]


def walk_apart(
    leaves: NDArray[Any],
    nodes: Forest,
    row: NDArray[np.intp],
    position: NDArray[np.int64],
    coins: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Advance each sample by `step_apart`, and return the mass of the next layer, (l + 2, n).

    The mass of a row at a node is the fraction of its samples there.
    """
    step_apart(position, leaves, nodes, row, coins)
    n_there, n = len(leaves) + 1, leaves.shape[1]
    at_node = np.bincount(position * n + row, minlength=n_there * n).reshape(n_there, n)
    return np.asarray(at_node / np.bincount(row))


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
        self._row = np.arange(n)
        self._position = np.zeros(n, dtype=np.int64)
        self._layer = 0

    def step(self, nodes: Forest, X: Any) -> NDArray[np.float64]:
        """Walk through the nodes of the next layer.

        Returns
        -------
        ndarray of float64, shape (n, 2)
            The majority answer so far, one-hot.
        """
        coins = self._rng.random(len(self._row))
        if issparse(X):
            step_apart(self._position, leaves_of(nodes, X), nodes, self._row, coins)
        else:
            _step(self._position, X, *_arrays(nodes), coins)
        self._layer += 1
        p = (2 * self._position > self._layer).astype(np.float64)
        return np.column_stack([1.0 - p, p])


def _arrays(nodes: Forest) -> tuple[Any, Any]:
    """Return the arrays by which a sample finds its leaf, and rho of all leaves."""
    children = nodes.left, nodes.right, nodes.node_offset, nodes.leaf_offset
    rho = np.ascontiguousarray(nodes.leaf_value[:, 0])
    return (nodes.feature, nodes.threshold, nodes.missing_left, *children), rho


@inner
def _leaf_of(x, nodes, j):  # type: ignore[no-untyped-def]
    """Return the leaf, numbered over all nodes, of a sample with the features x in node j."""
    feature, threshold, missing_left, left, right, node_offset, leaf_offset = nodes
    first = node_offset[j]
    at = 0 if node_offset[j + 1] > first else -1
    while at >= 0:
        value = x[feature[first + at]]
        to_left = (value <= threshold[first + at]) | ((value != value) & missing_left[first + at])
        at = left[first + at] if to_left else right[first + at]
    return leaf_offset[j] + ~at


@kernel
def _step(position, X, nodes, rho, coins):  # type: ignore[no-untyped-def]
    """Advance each sample from its node, of which alone its answer is needed."""
    for i in range(len(position)):
        position[i] += coins[i] < rho[_leaf_of(X[i], nodes, position[i])]


@inner
def _shares(features, nodes, rho, j, share):  # type: ignore[no-untyped-def]
    """Write rho of each sample in node j; the loop for a stump has no branches."""
    feature, threshold, missing_left, left, right, node_offset, leaf_offset = nodes
    first, leaf = node_offset[j], leaf_offset[j]
    if node_offset[j + 1] - first != 1:
        for i in range(len(share)):
            share[i] = rho[_leaf_of(features[:, i], nodes, j)]
        return
    x, bound, has_missing = features[feature[first]], threshold[first], missing_left[first]
    on_left, on_right = rho[leaf + ~left[first]], rho[leaf + ~right[first]]
    for i in range(len(share)):
        to_left = (x[i] <= bound) | ((x[i] != x[i]) & has_missing)
        share[i] = on_left if to_left else on_right


@kernel
def _spread(mass, features, nodes, rho, share, following):  # type: ignore[no-untyped-def]
    for i in range(mass.shape[1]):
        following[0, i] = 0.0
    for j in range(mass.shape[0]):
        _shares(features, nodes, rho, j, share)
        for i in range(mass.shape[1]):
            moving = mass[j, i] * share[i]
            following[j, i] += mass[j, i] - moving
            following[j + 1, i] = moving


@kernel
def _walk_on(mass, leaves, rho, first, following):  # type: ignore[no-untyped-def]
    for i in range(mass.shape[1]):
        following[0, i] = 0.0
    for j in range(mass.shape[0]):
        for i in range(mass.shape[1]):
            moving = mass[j, i] * rho[first[j] + leaves[j, i]]  # P_i(l, j) rho(x_i)
            following[j, i] += mass[j, i] - moving
            following[j + 1, i] = moving
