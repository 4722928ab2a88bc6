"""Fitted trees in flat arrays: checks, concatenation, selection, prediction.

Inner nodes hold the split (feature, threshold, two children) and its gain; leaves hold only values.
A booster adds the trees to its scores one by one, ``F += coefficient * h``. The forest does the
same additions in the same order, so the scores of the training loop, of one call and of staged
calls agree to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from boostbench.models_only import models_only
from boostbench.weak_learners.scoring import Additions, find_leaves

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

NODE_ARRAYS = {
    "feature": np.int32,
    "threshold": np.float64,
    "missing_left": np.bool_,
    "left": np.int32,
    "right": np.int32,
    "gain": np.float64,
}
LEAF_ARRAYS = {"leaf_value": np.float64, "leaf_column": np.int32}
OFFSETS = {"node_offset": np.int64, "leaf_offset": np.int64}


class Forest:
    """Trees stored in flat arrays, with prediction.

    A row goes left at a node if ``x[feature] <= threshold``, or, if the value is missing (NaN),
    if ``missing_left``. The value of a leaf is added to one column of the scores (width 1) or to
    all columns (width K).

    Parameters
    ----------
    feature : array of int32, shape (n_nodes,)
        Feature of each split. The nodes of a tree are consecutive, beginning with the root.
    threshold : array of float64, shape (n_nodes,)
        In the units of the features.
    missing_left : array of bool, shape (n_nodes,)
        Whether missing values go left.
    left, right : array of int32, shape (n_nodes,)
        A child ``>= 0`` is a node of the same tree, counted from the root, and comes after its
        parent; a child ``< 0`` is the leaf ``~child``, counted from the first leaf of the tree.
    gain : array of float64, shape (n_nodes,), optional
        Decrease of the impurity by the split, in the criterion of the tree; NaN if unknown.
    node_offset : array of int64, shape (n_trees + 1,)
        Nodes of tree ``t`` are ``node_offset[t]:node_offset[t + 1]``; none if the root is a leaf.
    leaf_value : array of float64, shape (n_leaves, width)
        Values added to the scores.
    leaf_column : array of int32, shape (n_leaves,)
        Column of the scores that a leaf adds to if the width is 1; ignored (-1) otherwise.
    leaf_offset : array of int64, shape (n_trees + 1,)
        Leaves of tree ``t`` are ``leaf_offset[t]:leaf_offset[t + 1]``.
    n_features : int
        Number of columns of ``X``.

    Raises
    ------
    ValueError
        If the arrays do not fit together.

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
    >>> from boostbench.weak_learners.drawing import FittedTree
    >>> print(FittedTree(stump, class_names=["no", "yes"]))
    x0 <= 0.5 or missing
    |-- no +1
    else
    |-- yes +1
    """

    __slots__ = (*NODE_ARRAYS, *LEAF_ARRAYS, *OFFSETS, "n_features")

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    gain: NDArray[np.float64]
    node_offset: NDArray[np.int64]
    leaf_value: NDArray[np.float64]
    leaf_column: NDArray[np.int32]
    leaf_offset: NDArray[np.int64]
    n_features: int

    def __init__(self, *, n_features: int, **arrays: ArrayLike) -> None:
        self.n_features = int(n_features)
        arrays.setdefault("gain", np.full(np.shape(arrays["feature"]), np.nan))
        for name, kind in (NODE_ARRAYS | LEAF_ARRAYS | OFFSETS).items():
            setattr(self, name, np.ascontiguousarray(arrays[name], dtype=kind))
        self._check_shapes()

    @classmethod
    def of_checked(cls, **arrays: Any) -> Self:
        """Return a forest of the arguments of the constructor, without copies and checks.

        For arrays of the right types that fit together by construction, such as those of grown
        trees. It saves time in every round of a fit.
        """
        forest = cls.__new__(cls)
        for name, value in arrays.items():
            setattr(forest, name, value)
        return forest

    @classmethod
    @models_only
    def of_nothing(cls, n_features: int) -> Self:
        """Return a forest without trees, of width 1."""
        arrays: dict[str, Any] = {name: [] for name in (*NODE_ARRAYS, "leaf_column")}
        arrays |= {name: [0] for name in OFFSETS}
        return cls(leaf_value=np.zeros((0, 1)), n_features=n_features, **arrays)

    def _check_shapes(self) -> None:
        n_nodes, n_leaves = len(self.feature), len(self.leaf_column)
        if any(getattr(self, name).shape != (n_nodes,) for name in NODE_ARRAYS):
            raise ValueError("the arrays of the nodes must be one-dimensional and equally long")
        if self.leaf_value.ndim != 2 or len(self.leaf_value) != n_leaves:
            raise ValueError(
                f"leaf_value must have one row per leaf ({n_leaves}), "
                f"found shape {self.leaf_value.shape}"
            )
        if self.node_offset.shape != self.leaf_offset.shape or not len(self.node_offset):
            raise ValueError("node_offset and leaf_offset must both have n_trees + 1 entries")
        if self.node_offset[-1] != n_nodes or self.leaf_offset[-1] != n_leaves:
            raise ValueError("node_offset and leaf_offset must end with n_nodes and n_leaves")
        if ((self.feature < 0) | (self.feature >= self.n_features)).any():
            raise ValueError(
                f"features must be numbers from 0 to n_features - 1 ({self.n_features - 1})"
            )
        if (self.leaf_column < -1).any():
            raise ValueError("leaf_column must be a column of the scores, or -1")
        self._check_children()

    def _check_children(self) -> None:
        """Raise an error for a child outside its tree, since compiled code checks no bounds."""
        n_nodes, n_leaves = np.diff(self.node_offset), np.diff(self.leaf_offset)
        parent = np.arange(len(self.feature)) - np.repeat(self.node_offset[:-1], n_nodes)
        n_nodes, n_leaves = np.repeat(n_nodes, n_nodes), np.repeat(n_leaves, n_nodes)
        for child in (self.left, self.right):
            if ((child >= 0) & ((child <= parent) | (child >= n_nodes))).any():
                raise ValueError("a child must be a node of its tree and come after its parent")
            if (~child >= n_leaves).any():
                raise ValueError("a child < 0 must be ~leaf, of a leaf of its tree")

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.node_offset) - 1

    @property
    def n_leaves(self) -> int:
        """Total number of leaves."""
        return len(self.leaf_column)

    @property
    def width(self) -> int:
        """Number of columns of ``leaf_value``: 1 or the number of classes."""
        return int(self.leaf_value.shape[1])

    def __len__(self) -> int:
        return self.n_trees

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}(n_trees={self.n_trees}, n_leaves={self.n_leaves}, width={self.width})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in Forest.__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # with checks, as the file may be damaged

    @classmethod
    def concatenate(cls, forests: Iterable[Self]) -> Self:
        """Concatenate forests of the same features and width.

        Parameters
        ----------
        forests : iterable
            At least one forest.

        Returns
        -------
        Self
            Forest of all trees, in order.

        Raises
        ------
        ValueError
            If there is no forest, or if numbers of features or widths differ.
        """
        parts = list(forests)
        if not parts:
            raise ValueError("there is no forest to concatenate")
        if len({(part.n_features, part.width) for part in parts}) > 1:
            raise ValueError("forests to concatenate must have the same features and leaf width")
        arrays = {
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (*NODE_ARRAYS, *LEAF_ARRAYS)
        }
        for name in OFFSETS:
            sizes = np.concatenate([np.diff(getattr(part, name)) for part in parts])
            arrays[name] = _offsets(sizes)
        return cls.of_checked(n_features=parts[0].n_features, **arrays)

    def with_leaf_values(
        self, values: NDArray[np.float64], columns: NDArray[np.int32] | None = None
    ) -> Self:
        """Return a forest of the same trees with other values in the leaves.

        Parameters
        ----------
        values : array of float64, shape (n_leaves, width)
        columns : array of int32, shape (n_leaves,), optional
            Columns of the scores, for values of width 1.

        Raises
        ------
        ValueError
            If the length of an array is not the number of leaves.
        """
        values = np.ascontiguousarray(values, dtype=np.float64)
        if columns is None:
            columns = np.full(len(values), -1, dtype=np.int32)
        if len(values) != self.n_leaves or len(columns) != self.n_leaves:
            raise ValueError(f"there are {self.n_leaves} leaves, found {len(values)} answers")
        state = self.__getstate__() | {"leaf_value": values, "leaf_column": columns}
        return self.of_checked(**state)

    def take(self, trees: ArrayLike) -> Self:
        """Return a forest of the given trees, in the given order.

        Parameters
        ----------
        trees : array of int, shape (n_chosen,)
            Indices of trees; negative indices count from the end; repeats are allowed.
        """
        chosen = np.arange(self.n_trees)[np.asarray(trees, dtype=np.int64)]
        arrays = {}
        for offset_name, names in (("node_offset", NODE_ARRAYS), ("leaf_offset", LEAF_ARRAYS)):
            offset = getattr(self, offset_name)
            sizes = np.diff(offset)[chosen]
            arrays[offset_name] = _offsets(sizes)
            shift = np.repeat(offset[chosen] - arrays[offset_name][:-1], sizes)
            rows = np.arange(len(shift)) + shift
            arrays |= {name: getattr(self, name)[rows] for name in names}
        return self.of_checked(n_features=self.n_features, **arrays)

    def __getitem__(self, trees: int | slice) -> Self:
        """Return a forest of a slice of the trees, or of one tree."""
        return self.take(np.atleast_1d(np.arange(self.n_trees)[trees]))

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


def _offsets(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
