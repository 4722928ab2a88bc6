"""Growth paths: the nested best-first trees of every size from a single growth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boostbench.weak_learners.base import Hypothesis
from boostbench.weak_learners.structures import GROWN_LEAF, GrownTrees


@dataclass(frozen=True)
class GrowthPath:
    """A tree grown best first, from which smaller trees are taken without growing again.

    Every best-first tree is a prefix of the larger ones.

    Parameters
    ----------
    grown : GrownTrees
        A single tree.
    n_features : int
        Number of features.
    """

    grown: GrownTrees
    n_features: int

    @property
    def max_leaves(self) -> int:
        """Number of leaves of the whole tree."""
        return len(self.grown.answers)

    @property
    def children(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Left and right children of the nodes, in order of splitting; a leaf is ``~leaf``."""
        return self.grown.nodes["left"], self.grown.nodes["right"]

    @property
    def impurity(self) -> NDArray[np.float64]:
        """Impurity mass of the trees of 1, 2, ..., `max_leaves` leaves.

        For costs, this is the summed cost of the predictions, less the sum of the smallest costs of
        the rows.
        """
        steps = np.concatenate([self.grown.root_impurity, -self.grown.nodes["gain"]])
        impurity: NDArray[np.float64] = np.maximum(np.cumsum(steps), 0.0)
        return impurity

    def sums(self, numbers: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the sums of numbers of the training rows in each node and leaf of the whole tree.

        Parameters
        ----------
        numbers : ndarray of float64, shape (n, m)

        Returns
        -------
        nodes, leaves : ndarray of float64, shape (n_leaves - 1, m) and (n_leaves, m)
        """
        leaves = self.take(self.max_leaves).sums(numbers)
        nodes = np.zeros((self.max_leaves - 1, numbers.shape[1]))
        for node in range(len(nodes) - 1, -1, -1):  # a child comes after its parent
            for child in (self.grown.nodes["left"][node], self.grown.nodes["right"][node]):
                nodes[node] += leaves[~child] if child < 0 else nodes[child]
        return nodes, leaves

    def take(self, n_leaves: int) -> Hypothesis:
        """Return the best-first tree of ``n_leaves`` leaves, 1..`max_leaves`.

        Raises
        ------
        ValueError
            If the path has no tree of that size.
        """
        if not 1 <= n_leaves <= self.max_leaves:
            raise ValueError(f"the path has trees of 1..{self.max_leaves} leaves, not {n_leaves}")
        grown, n_nodes = self.grown, n_leaves - 1
        if n_leaves == self.max_leaves:
            return grown.hypothesis(self.n_features)
        answers = np.empty(n_leaves, GROWN_LEAF)
        leaf_of = np.empty(self.max_leaves, dtype=grown.leaves.dtype)
        cut_to = np.empty(self.max_leaves - 1, dtype=np.int64)  # leaf of the tree of a cut node
        pairs = np.stack(self.children, axis=1)
        kept = pairs[:n_nodes].copy()
        cut = (kept < 0) | (kept >= n_nodes)
        # a tree of one leaf is cut at the root
        for leaf, child in enumerate(kept[cut] if n_nodes else [0]):
            source = grown.answers[~child] if child < 0 else grown.nodes[child]
            answers[leaf] = source["value"], source["column"]
            (leaf_of if child < 0 else cut_to)[~child if child < 0 else child] = leaf
        kept[cut] = ~np.arange(cut.sum())
        for node in range(n_nodes, len(pairs)):  # a child comes after its parent
            for child in pairs[node]:
                (leaf_of if child < 0 else cut_to)[~child if child < 0 else child] = cut_to[node]
        nodes = grown.nodes[:n_nodes].copy()
        nodes["left"], nodes["right"] = kept.T
        smaller = grown._replace(
            nodes=nodes,
            answers=answers,
            node_offset=np.array([0, n_nodes]),
            leaf_offset=np.array([0, n_leaves]),
            leaves=leaf_of[grown.leaves],
        )
        return smaller.hypothesis(self.n_features)
