"""Answers of the leaves of deep boosting's trees: one label, or a distribution over the classes.

A tree is a classifier h(x, y) >= 0 with ``sum_y h(x, y) = 1`` (Kuznetsov, Mohri & Syed 2014,
Sec. 4). Its error eps = (1 - E_D[g]) / 2 (Eq. 12) is linear in h, ``sum_iy cost[i, y] h(x_i, y)``,
with the costs of `Distribution.cost`. So the best leaf answers the one label of the smallest cost;
decision trees as they are commonly learned answer the shares of the classes.
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
    """A tree that answers one label per leaf."""

    trees: Forest
    labels: Labels

    def error(self, cost: Floats) -> float:
        """Return eps at costs of shape (n, K): the summed cost of the answers."""
        return float(error_of(self.labels, cost))

    def add_to(self, F: Floats, eta: float) -> None:
        """Add eta at the answers to the scores."""
        F[np.arange(len(self.labels)), self.labels] += eta


@dataclass(frozen=True)
class ShareAnswers(Hypothesis):
    """A tree that answers a distribution over the classes per leaf."""

    def error(self, cost: Floats) -> float:
        """Return eps at costs of shape (n, K): the sum of costs times answers."""
        return self.inner(cost)


#: A tree with its answers on the training rows.
Answers: TypeAlias = LabelAnswers | ShareAnswers


@dataclass(frozen=True)
class TreePath(ABC):
    """The trees of one growth, of 1 to `max_leaves` leaves.

    Attributes
    ----------
    demand : type
        Demand that they are grown for.
    order : {"C", "F"}
        Memory order in which costs are read fastest.
    """

    path: GrowthPath

    demand: ClassVar[type]
    order: ClassVar[Literal["C", "F"]]

    @classmethod
    @abstractmethod
    def grow(
        cls, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> TreePath:
        """Grow trees at the distribution D, whose costs of Eq. 12 have shape (n, K)."""

    @property
    def max_leaves(self) -> int:
        """Leaves of the largest tree."""
        return self.path.max_leaves

    @cached_property
    @abstractmethod
    def errors(self) -> Floats:
        """Eps of the tree of 1, 2, ..., `max_leaves` leaves."""

    @abstractmethod
    def take(self, n_leaves: int) -> Answers:
        """Return the tree of that many leaves."""


@dataclass(frozen=True)
class LabelPath(TreePath):
    """Trees grown for the costs, whose leaves answer the cheapest label."""

    demand: ClassVar[type] = Costs
    order: ClassVar[Literal["C", "F"]] = "C"

    @classmethod
    def grow(
        cls, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> LabelPath:
        """Grow for the costs of every answer."""
        return cls(learner.grow_path(data, Costs(cost), rng))

    @cached_property
    def errors(self) -> Floats:
        """Quantity that growing for costs lowers."""
        return self.path.impurity

    def take(self, n_leaves: int) -> LabelAnswers:
        """Return the tree of that many leaves."""
        h = self.path.take(n_leaves)
        return LabelAnswers(h.trees, h.labels)


@dataclass(frozen=True)
class SharePath(TreePath):
    """Trees grown for the weights of the rows, whose leaves answer each class's share of them.

    Attributes
    ----------
    weight : ndarray of float64, shape (n, K)
        D of a row, summed over the wrong labels, at its label; 0 elsewhere.
    cost : ndarray of float64, shape (n, K)
    """

    weight: Floats
    cost: Floats

    demand: ClassVar[type] = WeightedLabels
    order: ClassVar[Literal["C", "F"]] = "F"

    @classmethod
    def grow(
        cls, learner: Any, data: Any, y: Labels, D: Distribution, cost: Floats, rng: Any
    ) -> SharePath:
        """Grow for the weights of the rows, by whatever criterion the learner has."""
        weight = np.zeros(cost.shape, order="F")
        weight[np.arange(len(y)), y] = D.right
        path = learner.grow_path(data, WeightedLabels(y, D.right, cost.shape[1]), rng)
        return cls(path, weight, cost)

    @cached_property
    def errors(self) -> Floats:
        """Each split puts the errors of two leaves in the place of one's."""
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
        """Return the tree of that many leaves."""
        h = self.path.take(n_leaves)
        shares = _shares_of(h.sums(self.weight))
        return ShareAnswers(h.trees.with_leaf_values(shares), h.leaves)


def _shares_of(weights: Floats) -> Floats:
    """Return each row's entries divided by their sum."""
    shares: Floats = weights / row_sums(weights)[:, None]
    return shares


PATHS: dict[str, type[TreePath]] = {"label": LabelPath, "distribution": SharePath}
