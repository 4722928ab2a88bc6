"""The fitted ensemble of every booster: trees side by side in flat arrays, that predict.

A booster adds the trees to its scores one after the other, ``F += coefficient * answer``, and the
forest does the same additions in the same order, so the scores of the training loop, of one call
and of staged calls agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from boostbench.weak_learners.drawing import plot_tree, tree_text
from boostbench.weak_learners.flat_trees import FlatTrees
from boostbench.weak_learners.scoring import Scoring, find_leaves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray


class Forest(FlatTrees):
    """Trees side by side in flat arrays, that predict; see `FlatTrees` for the arrays.

    Examples
    --------
    One tree of two leaves: the first answers class 0, the second class 1.

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
            Leaves, counted from the first of their tree.
        """
        return find_leaves(self, X)

    def add_scores(
        self, X: ArrayLike, tree_index: ArrayLike, coefficient: ArrayLike, F: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Add ``coefficient[j]`` times the answer of tree ``tree_index[j]`` to F, in order of j.

        Every entry of F sees the same products and sums, in the same order, as a training loop
        ``F += step * h``; so it does not matter how the additions are cut into calls.

        Parameters
        ----------
        X : array of float, shape (n, n_features)
            NaN is a missing value.
        tree_index : array of int, shape (m,)
            Trees; one may be added several times.
        coefficient : array of float, shape (m,)
            Factors of the answers.
        F : array of float64, shape (n, K)
            Scores so far; changed in place.

        Returns
        -------
        array of float64, shape (n, K)
            F itself.
        """
        Scoring(self, X, tree_index, coefficient, F).run()
        return F

    def staged_scores(
        self,
        X: ArrayLike,
        tree_index: ArrayLike,
        coefficient: ArrayLike,
        round_end: ArrayLike,
        F: NDArray[np.float64],
    ) -> Iterator[NDArray[np.float64]]:
        """Yield F after every round.

        Parameters
        ----------
        X, tree_index, coefficient, F
            As for `add_scores`.
        round_end : array of int, shape (T,)
            Round t ends before addition ``round_end[t]``; rising.

        Yields
        ------
        array of float64, shape (n, K)
            F itself, changed by the next round: copy to keep.
        """
        return Scoring(self, X, tree_index, coefficient, F).stages(round_end)

    def staged_errors(
        self,
        X: ArrayLike,
        y: ArrayLike,
        tree_index: ArrayLike,
        coefficient: ArrayLike,
        round_end: ArrayLike,
        F: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Count the rows whose highest score is not at their label, after every round.

        The same as counting ``F.argmax(axis=1) != y`` over `staged_scores`, without the cost of
        Python per round.

        Parameters
        ----------
        X, tree_index, coefficient, round_end, F
            As for `staged_scores`.
        y : array of int, shape (n,)
            Labels, 0..K-1.

        Returns
        -------
        array of int64, shape (T,)
            Errors; of equal scores the lowest label counts.
        """
        return Scoring(self, X, tree_index, coefficient, F).errors(y, round_end)

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
