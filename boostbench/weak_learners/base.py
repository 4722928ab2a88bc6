"""Interface of weak learners and of hypotheses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from boostbench.compiled import kernel
from boostbench.threads import in_parts
from boostbench.weak_learners.demands import either
from boostbench.weak_learners.forest import Forest

#: Abilities of a weak learner beyond an answer to a demand, in the words of messages.
LEAVES = "a tree, to set the values of its leaves"
TREE_PER_CLASS = "a separate tree for each class"
NESTED_TREES = "the trees of all sizes of one growth"


class WeakLearner:
    """Base of weak learners; a class of a plugin may have the same members without this base.

    ``prepare(X, rows, count)`` returns the training rows ``X[rows]`` in the form that `fit` takes;
    it is called once per fit of a booster. Row i represents ``count[i]`` equal samples, one by
    default. The weight, costs or signed weights of a row in a demand are sums over these samples.

    ``fit(data, demand, rng)`` returns a hypothesis fitted to the demand; ``rng`` is a
    `numpy.random.Generator`.

    Attributes
    ----------
    accepts : tuple of type
        Demand classes that `fit` accepts.
    gives : tuple of str
        Those of `LEAVES`, `TREE_PER_CLASS` and `NESTED_TREES` that the learner can do. If the class
        of a plugin does not say, a booster that needs one of these fails in `fit`.
    """

    accepts: ClassVar[tuple[type, ...]]
    gives: ClassVar[tuple[str, ...]] = ()

    def check(self, kind: type) -> None:
        """Raise ValueError if a kind of demand, given by its class, is not supported."""
        if kind not in self.accepts:
            name = type(self).__name__
            raise ValueError(f"{name} supports {either(self.accepts)}, not {kind.__name__}")


@dataclass(frozen=True)
class Hypothesis:
    """Trees grown for one demand.

    Attributes
    ----------
    trees : Forest
        One tree, or one per class.
    leaves : ndarray of int16, shape (n_trees, n)
        Leaf of every training row, numbered within each tree; rows without influence on the fit
        are included. int32 if trees may have more than 2**15 leaves.
    """

    trees: Forest
    leaves: NDArray[Any]

    @property
    def labels(self) -> NDArray[np.int32]:
        """Predicted label of each training row, shape (n,), by a single tree with labels as leaves.

        Raises
        ------
        ValueError
            If there are several trees, or leaves with a value per class.
        """
        if self.trees.n_trees != 1 or self.trees.width != 1:
            raise ValueError(f"the hypothesis answers no single label: {self.trees!r}")
        labels: NDArray[np.int32] = self.trees.leaf_column[self.leaves[0]]
        return labels

    def values(self, n_classes: int) -> NDArray[np.float64]:
        """Return the predictions h on the training rows, shape (n, n_classes), in Fortran order."""
        h = np.zeros((self.leaves.shape[1], n_classes), order="F")
        return self.add_to(h, 1.0)

    def sums(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums over each leaf of a single tree of numbers of the rows, shape (n, m)."""
        n_leaves = self.trees.n_leaves
        columns = [np.bincount(self.leaves[0], column, n_leaves) for column in numbers.T]
        return np.stack(columns, axis=1)

    def inner(self, W: NDArray[np.float64]) -> float:
        """Return the sum of ``W * h`` over the training rows and classes.

        Parameters
        ----------
        W : ndarray of float64, shape (n, n_classes)
            Fortran order is fastest.
        """
        trees = self.trees
        return float(
            _inner(self.leaves, trees.leaf_offset, trees.leaf_value, trees.leaf_column, W.T)
        )

    def add_to(self, F: NDArray[np.float64], step: ArrayLike) -> NDArray[np.float64]:
        """Add ``step * h`` to F in place, by the same operations as `Forest.add_scores`.

        Parameters
        ----------
        F : ndarray of float64, shape (n, K)
            Fortran order is fastest.
        step : float or array of shape (n_trees,)

        Returns
        -------
        F : ndarray of float64, shape (n, K)
        """
        trees = self.trees
        steps = np.empty(trees.n_trees)
        steps[:] = step

        def add_part(part: slice) -> None:
            first = trees.leaf_offset[:-1][part]
            _add(self.leaves[part], first, trees.leaf_value, trees.leaf_column, steps[part], F.T)

        if trees.width == 1:  # several trees predict one class each
            in_parts(add_part, trees.n_trees, self.leaves.size)
        else:
            add_part(slice(None))
        return F


@kernel
def _add(leaves, leaf_offset, leaf_value, leaf_column, steps, F):  # type: ignore[no-untyped-def]
    """Add the predictions of each tree to F, shape (K, n)."""
    for t in range(leaves.shape[0]):
        first = leaf_offset[t]
        if leaf_value.shape[1] == 1:
            for i in range(leaves.shape[1]):
                leaf = np.uint64(first + leaves[t, i])
                F[np.uint64(leaf_column[leaf]), i] += steps[t] * leaf_value[leaf, 0]
        else:
            for k in range(leaf_value.shape[1]):
                for i in range(leaves.shape[1]):
                    F[k, i] += steps[t] * leaf_value[np.uint64(first + leaves[t, i]), k]


@kernel
def _inner(leaves, leaf_offset, leaf_value, leaf_column, W):  # type: ignore[no-untyped-def]
    """Return the sum of W, shape (K, n), times the predictions of each tree."""
    total = 0.0
    for t in range(leaves.shape[0]):
        first = leaf_offset[t]
        if leaf_value.shape[1] == 1:
            for i in range(leaves.shape[1]):
                leaf = np.uint64(first + leaves[t, i])
                total += W[np.uint64(leaf_column[leaf]), i] * leaf_value[leaf, 0]
        else:
            for k in range(leaf_value.shape[1]):
                for i in range(leaves.shape[1]):
                    total += W[k, i] * leaf_value[np.uint64(first + leaves[t, i]), k]
    return total
