"""Prediction with the trees of a fitted ensemble, stored in flat arrays.

A booster adds the trees to its scores one by one, ``F += coefficient * h``. The forest does the
same additions in the same order, so the scores of the training loop, of one call and of staged
calls agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from boostbench.weak_learners.drawing import plot_tree, tree_text
from boostbench.weak_learners.flat_trees import FlatTrees
from boostbench.weak_learners.scoring import Additions, find_leaves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray


class Forest(FlatTrees):
    """Trees stored in flat arrays, with prediction; see `FlatTrees` for the arrays.

    Examples
    --------
    One tree of two leaves, which predict class 0 and class 1.

    >>> import numpy as np
    >>> stump = Forest(
    ...     feature=[0], threshold=[0.5], missing_left=[True], left=[~0], right=[~1],
    ...     node_offset=[0, 1], leaf_value=[[1.0], [1.0]], leaf_column=[0, 1],
    ...     leaf_offset=[0, 2], n_features=1,
    ... )
    >>> stump.add_scores([[0.0], [1.0]], [0], [0.5], np.zeros((2, 2)))
    array([[0.5, 0. ],
           [0. , 0.5]])
    >>> print(stump.to_text(0, class_names=["no", "yes"]))
    x0 <= 0.5 or missing
    |-- no +1
    else
    |-- yes +1
    """

    __slots__ = ()

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """Find the leaf of every row in every tree.

        Parameters
        ----------
        X : array of float, shape (n, n_features)
            NaN is a missing value.

        Returns
        -------
        array of int32, shape (n, n_trees)
            Leaves, numbered within each tree.
        """
        return find_leaves(self, X)

    def add_scores(
        self, X: ArrayLike, tree_index: ArrayLike, coefficient: ArrayLike, F: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Add ``coefficient[j]`` times the values of tree ``tree_index[j]`` to F, in order of j.

        Every entry of F undergoes the same operations in the same order as in a training loop
        ``F += step * h``, so the result does not depend on the division of the additions into
        calls.

        Parameters
        ----------
        X : array of float, shape (n, n_features)
            NaN is a missing value.
        tree_index : array of int, shape (m,)
            Indices of trees; repeats are allowed.
        coefficient : array of float, shape (m,)
            Factors of the leaf values.
        F : array of float64, shape (n, K)
            Scores so far; changed in place.

        Returns
        -------
        array of float64, shape (n, K)
            F itself.
        """
        return Additions(self, tree_index, coefficient).add_to(F, X)

    def to_text(
        self,
        tree: int,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> str:
        """Write one tree as indented text; see `boostbench.weak_learners.drawing.tree_text`."""
        return tree_text(self, tree, feature_names, class_names)

    def plot(
        self,
        tree: int,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw one tree; see `boostbench.weak_learners.drawing.plot_tree`."""
        return plot_tree(self, tree, feature_names, class_names, ax)
