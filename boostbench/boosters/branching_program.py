"""Paths of samples through a layered branching program; layer l has the nodes j = 0..l.

A node is a tree whose leaves hold rho, the probability of the answer 1. Answer 1 leads from node
(l, j) to (l + 1, j + 1), answer 0 to (l + 1, j). Arrays have one row per node and one column per
sample, so that a pass over the samples of a node accesses contiguous memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.compiled import kernel
from boostbench.weak_learners import Forest


def layer_of(nodes: Forest, layer: int) -> Forest:
    """Return the nodes of a layer of a whole program, whose node (l, j) is l (l + 1) / 2 + j."""
    first = layer * (layer + 1) // 2
    return nodes[first : first + layer + 1]


def leaves_of(nodes: Forest, X: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the leaf of each sample in each node of a layer, shape (l + 1, n)."""
    return np.ascontiguousarray(nodes.apply(X).T)


def walk_on(mass: NDArray[np.float64], leaves: NDArray[Any], nodes: Forest) -> None:
    """Replace P(l, .) by P(l + 1, .) in place, for the leaves of layer l.

    ``mass`` has shape (L + 1, n) and ``leaves`` has shape (l + 1, n).
    """
    rho = np.ascontiguousarray(nodes.leaf_value[:, 0])
    _walk_on(mass, leaves, rho, nodes.leaf_offset, np.empty(mass.shape[1]))


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
    mass: NDArray[np.float64],
    leaves: NDArray[Any],
    nodes: Forest,
    row: NDArray[np.intp],
    position: NDArray[np.int64],
    coins: NDArray[np.float64],
) -> None:
    """Advance each sample by `step_apart`, and update the mass in place.

    The mass of a row at a node is the fraction of its samples there.
    """
    step_apart(position, leaves, nodes, row, coins)
    n_there, n = len(leaves) + 1, mass.shape[1]
    at_node = np.bincount(position * n + row, minlength=n_there * n).reshape(n_there, n)
    mass[:n_there] = at_node / np.bincount(row)


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
def _walk_on(
    mass: NDArray[np.float64],
    leaves: NDArray[Any],
    rho: NDArray[np.float64],
    first_leaf: NDArray[np.int64],
    share: NDArray[np.float64],
) -> None:
    for j in range(len(leaves) - 1, -1, -1):
        stays, goes = mass[j], mass[j + 1]
        for i in range(len(share)):
            share[i] = rho[first_leaf[j] + leaves[j, i]]
        for i in range(len(share)):
            moving = stays[i] * share[i]  # P_i(l, j) rho(x_i)
            stays[i] -= moving
            goes[i] += moving
