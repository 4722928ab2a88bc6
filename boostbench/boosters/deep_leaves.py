"""Leaf predictions of deep boosting's trees: one label, or a distribution over the classes.

A tree is a classifier h(x, y) >= 0 with ``sum_y h(x, y) = 1`` (Kuznetsov, Mohri & Syed 2014,
Sec. 4). Its error eps = (1 - E_D[g]) / 2 (Eq. 12) is linear in h, ``sum_iy cost[i, y] h(x_i, y)``,
with the costs of `Distribution.cost`. The optimal leaf therefore predicts the single label of the
smallest cost; a standard decision tree predicts the class distribution in the leaf.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.deep_objectives import Distribution
from boostbench.portable import row_sums
from boostbench.weak_learners import Costs, GrowthPath, Hypothesis, WeightedLabels

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


class LabelPath:
    """Nested trees grown to minimise costs, with the label of the smallest cost in each leaf.

    Parameters
    ----------
    learner, data, rng
        Weak learner, its prepared rows, and its random stream.
    y : ndarray of int32, shape (n,)
        Labels.
    D : Distribution
    cost : ndarray of float64, shape (n, K)
        Costs of Eq. 12, read fastest in the memory order `order`.

    Attributes
    ----------
    errors : ndarray of float64, shape (max_leaves,)
        Values of eps for the trees of 1, 2, ... leaves, grown in one pass.
    """

    demand: ClassVar[type] = Costs
    order: ClassVar[Literal["C", "F"]] = "C"

    def __init__(
        self, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> None:
        self.path: GrowthPath = learner.grow_path(data, Costs(cost), rng)
        self.errors = self.path.impurity

    def take(self, n_leaves: int) -> Hypothesis:
        """Return the tree with ``n_leaves`` leaves."""
        return self.path.take(n_leaves)


class SharePath(LabelPath):
    """Nested trees grown for weighted labels, with the class distribution in each leaf.

    The weight of a row is D summed over its wrong labels.
    """

    demand: ClassVar[type] = WeightedLabels
    order: ClassVar[Literal["C", "F"]] = "F"

    def __init__(
        self, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> None:
        self._weight = np.zeros(cost.shape, order="F")
        self._weight[np.arange(len(y)), y] = D.right
        self.path = learner.grow_path(data, WeightedLabels(y, D.right, cost.shape[1]), rng)
        # a split replaces the error of a leaf by the errors of its children
        weights, costs = self.path.sums(self._weight), self.path.sums(cost)
        nodes, leaves = (row_sums(_shares_of(w) * c) for w, c in zip(weights, costs, strict=True))
        left, right = (
            np.where(child < 0, leaves[~child], nodes[np.maximum(child, 0)])
            for child in self.path.children
        )
        root = nodes[:1] if len(nodes) else leaves
        errors: Floats = np.cumsum(np.concatenate([root, left + right - nodes]))
        self.errors = np.maximum(errors, 0.0)

    def take(self, n_leaves: int) -> Hypothesis:
        """Return the tree with ``n_leaves`` leaves."""
        h = self.path.take(n_leaves)
        shares = _shares_of(h.sums(self._weight))
        return replace(h, trees=h.trees.with_leaf_values(shares))


def _shares_of(weights: Floats) -> Floats:
    """Return weights divided by their row sums."""
    shares: Floats = weights / row_sums(weights)[:, None]
    return shares


PATHS: dict[str, type[LabelPath]] = {"label": LabelPath, "distribution": SharePath}
