"""Leaf predictions of deep boosting's trees: one label, or a distribution over the classes.

A tree is a classifier h(x, y) >= 0 with ``sum_y h(x, y) = 1`` (Kuznetsov, Mohri & Syed 2014,
Sec. 4). Its error eps = (1 - E_D[g]) / 2 (Eq. 12) is linear in h, ``sum_iy cost[i, y] h(x_i, y)``,
with the costs of `Distribution.cost`. The optimal leaf therefore predicts the single label of the
smallest cost; a standard decision tree predicts the class distribution in the leaf.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.deep_objectives import Distribution, error_of
from boostbench.portable import row_sums
from boostbench.weak_learners import Costs, Forest, GrowthPath, Hypothesis, WeightedLabels

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


@dataclass(frozen=True)
class LabelAnswers:
    """Tree with one predicted label per leaf."""

    trees: Forest
    labels: Labels

    def error(self, cost: Floats) -> float:
        """Return eps for costs of shape (n, K), the summed cost of the predicted labels."""
        return float(error_of(self.labels, cost))

    def add_to(self, F: Floats, eta: float) -> None:
        """Add eta to the scores of the predicted labels, in place."""
        F[np.arange(len(self.labels)), self.labels] += eta


@dataclass(frozen=True)
class ShareAnswers(Hypothesis):
    """Tree with a predicted distribution over the classes per leaf."""

    def error(self, cost: Floats) -> float:
        """Return eps for costs of shape (n, K), the sum of costs times predictions."""
        return self.inner(cost)


#: Tree with its predictions on the training rows.
Answers: TypeAlias = LabelAnswers | ShareAnswers


@dataclass(frozen=True)
class TreePath(ABC):
    """Nested trees of 1 to `max_leaves` leaves, grown in one pass.

    Attributes
    ----------
    path : GrowthPath
        Growth path of the weak learner.
    demand : type
        Demand for which the trees are grown.
    order : {"C", "F"}
        Memory order in which the costs are read fastest.
    """

    path: GrowthPath

    demand: ClassVar[type]
    order: ClassVar[Literal["C", "F"]]

    @classmethod
    @abstractmethod
    def grow(
        cls, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> TreePath:
        """Grow trees for the distribution D, with the costs of Eq. 12, shape (n, K)."""

    @property
    def max_leaves(self) -> int:
        """Number of leaves of the largest tree."""
        return self.path.max_leaves

    @cached_property
    @abstractmethod
    def errors(self) -> Floats:
        """Values of eps for the trees of 1, 2, ..., `max_leaves` leaves."""

    @abstractmethod
    def take(self, n_leaves: int) -> Answers:
        """Return the tree with ``n_leaves`` leaves."""


@dataclass(frozen=True)
class LabelPath(TreePath):
    """Trees grown to minimise costs, with the label of the smallest cost in each leaf."""

    demand: ClassVar[type] = Costs
    order: ClassVar[Literal["C", "F"]] = "C"

    @classmethod
    def grow(
        cls, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> LabelPath:
        """Grow trees for the costs of all labels."""
        return cls(learner.grow_path(data, Costs(cost), rng))

    @cached_property
    def errors(self) -> Floats:
        """Values of eps, which growth for costs minimises."""
        return self.path.impurity

    def take(self, n_leaves: int) -> LabelAnswers:
        """Return the tree with ``n_leaves`` leaves."""
        h = self.path.take(n_leaves)
        return LabelAnswers(h.trees, h.labels)


@dataclass(frozen=True)
class SharePath(TreePath):
    """Trees grown for weighted labels, with the class distribution in each leaf.

    Attributes
    ----------
    weight : ndarray of float64, shape (n, K)
        D of each row summed over the wrong labels, in the column of its label; 0 elsewhere.
    cost : ndarray of float64, shape (n, K)
        Costs of Eq. 12.
    """

    weight: Floats
    cost: Floats

    demand: ClassVar[type] = WeightedLabels
    order: ClassVar[Literal["C", "F"]] = "F"

    @classmethod
    def grow(
        cls, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> SharePath:
        """Grow trees for the weighted labels, by the learner's own criterion."""
        weight = np.zeros(cost.shape, order="F")
        weight[np.arange(len(y)), y] = D.right
        path = learner.grow_path(data, WeightedLabels(y, D.right, cost.shape[1]), rng)
        return cls(path, weight, cost)

    @cached_property
    def errors(self) -> Floats:
        """Values of eps; a split replaces the error of a leaf by the errors of its children."""
        weights, costs = self.path.sums(self.weight), self.path.sums(self.cost)
        nodes, leaves = (row_sums(_shares_of(w) * c) for w, c in zip(weights, costs, strict=True))
        left, right = (
            np.where(child < 0, leaves[~child], nodes[np.maximum(child, 0)])
            for child in self.path.children
        )
        root = nodes[:1] if len(nodes) else leaves
        errors: Floats = np.cumsum(np.concatenate([root, left + right - nodes]))
        return np.maximum(errors, 0.0)

    def take(self, n_leaves: int) -> ShareAnswers:
        """Return the tree with ``n_leaves`` leaves."""
        h = self.path.take(n_leaves)
        shares = _shares_of(h.sums(self.weight))
        return ShareAnswers(h.trees.with_leaf_values(shares), h.leaves)


def _shares_of(weights: Floats) -> Floats:
    """Return weights divided by their row sums."""
    shares: Floats = weights / row_sums(weights)[:, None]
    return shares


PATHS: dict[str, type[TreePath]] = {"label": LabelPath, "distribution": SharePath}
