"""Paths of samples through a layered branching program; layer l has the nodes j = 0..l.

A node is a tree whose leaves hold rho, the probability of the answer 1. Answer 1 leads from node
(l, j) to (l + 1, j + 1), answer 0 to (l + 1, j). Arrays have one row per node and one column per
sample, so that a pass over the samples of a node accesses contiguous memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.ensemble import WeightedTrees
from boostbench.compiled import kernel
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

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all nodes."""
        return sum(layer.n_leaves for layer in self.layers)

    @models_only
    def grown(self, n_features: int) -> WeightedTrees:
        """Return all nodes, whose leaves add rho to class 1, and their layers."""
        layers = np.repeat(np.arange(len(self.layers)) + 1, [len(each) for each in self.layers])
        forest = self.forest
        forest = forest.with_leaf_values(forest.leaf_value, np.ones(forest.n_leaves, np.int32))
        return WeightedTrees(forest, np.ones(len(layers)), layers)

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

    def step(self, nodes: Forest, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Walk through the nodes of the next layer.

        Returns
        -------
        ndarray of float64, shape (n, 2)
            The majority answer so far, one-hot.
        """
        coins = self._rng.random(len(self._row))
        step_apart(self._position, leaves_of(nodes, X), nodes, self._row, coins)
        self._layer += 1
        p = (2 * self._position > self._layer).astype(np.float64)
        return np.column_stack([1.0 - p, p])


@kernel
def _walk_on(mass, leaves, rho, first, following):  # type: ignore[no-untyped-def]
    for i in range(mass.shape[1]):
        following[0, i] = 0.0
    for j in range(mass.shape[0]):
        for i in range(mass.shape[1]):
            moving = mass[j, i] * rho[first[j] + leaves[j, i]]  # P_i(l, j) rho(x_i)
            following[j, i] += mass[j, i] - moving
            following[j + 1, i] = moving
