"""Trees of a model one by one: text, plot, dicts, graphviz."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from boostbench.weak_learners.forest import Forest


#: Largest width of a figure, below the 2^16 pixels that matplotlib draws.
_MOST_INCHES = 600.0


@dataclass(frozen=True)
class FittedTree:
    """One tree of a fitted booster.

    Attributes
    ----------
    forest : Forest
        The tree alone.
    coefficient : float
        Factor of the tree in the scores.
    round : int
        Round in which the tree was grown, from 1.
    feature_names, class_names : sequence of str or None
        ``x0, x1, ...`` and ``class 0, class 1, ...`` by default.
    """

    forest: Forest
    coefficient: float = 1.0
    round: int = 1
    feature_names: Sequence[str] | None = None
    class_names: Sequence[str] | None = None

    def __str__(self) -> str:
        """Return the tree as indented text, a line for each node and leaf, left branches first."""
        lines: list[str] = []
        rights = set(self.forest.right.tolist())
        for child, (_, y) in self._places().items():
            depth = int(-y)
            if child in rights:
                lines.append("|   " * (depth - 1) + "else")
            indent = "|   " * depth if child >= 0 else "|   " * (depth - 1) + "|-- " * (depth > 0)
            lines.append(indent + self._label(child))
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tree with matplotlib, the root at the top and the leaves side by side.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes of a new figure by default.
        """
        places = self._places()
        n_leaves = self.forest.n_leaves
        if ax is None:
            import matplotlib.pyplot as plt

            width = min(max(4.0, 1.2 * n_leaves), _MOST_INCHES)
            _, ax = plt.subplots(figsize=(width, 4.0), layout="constrained")
        ax.set_axis_off()
        for child, (x, y) in places.items():
            for grandchild in self._children(child) if child >= 0 else ():
                to_x, to_y = places[grandchild]
                ax.plot([x, to_x], [y, to_y], color="0.6", linewidth=1, zorder=1)
            style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8, "zorder": 2}
            box = {"boxstyle": "round", "facecolor": "white" if child >= 0 else "0.92"}
            ax.text(x, y, self._label(child), bbox=box, parse_math=False, **style)
        ax.set_xlim(-0.6, n_leaves - 0.4)
        ax.set_ylim(min(y for _, y in places.values()) - 0.5, 0.5)
        return ax

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf of each row of X, numbers only, shape (n,)."""
        return self.forest.apply(X)[:, 0]

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as dicts and lists that `json.dumps` writes.

        A node has the keys "feature", "threshold", "missing" (the side of missing values), "gain",
        "left" (at most the threshold) and "right"; a leaf has the key "scores", what it adds to the
        score of each class, by the number of the class. The threshold of a node that asks only
        whether the value is missing is the largest number of JSON, 1.8e308.
        """
        tree = self.forest
        made: dict[int, dict[str, Any]] = {
            ~leaf: {"scores": self._scores(leaf)} for leaf in range(tree.n_leaves)
        }
        for node in range(len(tree.feature) - 1, -1, -1):  # children come after their parents
            feature, gain = int(tree.feature[node]), float(tree.gain[node])
            left, right = self._children(node)
            made[node] = {
                "feature": feature if self.feature_names is None else self.feature_names[feature],
                "threshold": min(float(tree.threshold[node]), sys.float_info.max),
                "missing": "left" if tree.missing_left[node] else "right",
                "gain": None if np.isnan(gain) else gain,
                "left": made[left],
                "right": made[right],
            }
        return made[self._root]

    def to_graphviz(self) -> str:
        """Return the tree in the language of graphviz's ``dot``."""
        lines = []
        for child in self._places():
            label = json.dumps(self._label(child), ensure_ascii=False)
            lines.append(f'"{child}" [label={label}{", shape=box" * (child < 0)}];')
            if child >= 0:
                for side, answer in zip(self._children(child), ("yes", "no"), strict=True):
                    lines.append(f'"{child}" -> "{side}" [label="{answer}"];')
        return "\n".join(("digraph tree {", *lines, "}"))

    @property
    def _root(self) -> int:
        return 0 if len(self.forest.feature) else ~0

    def _children(self, node: int) -> tuple[int, int]:
        return int(self.forest.left[node]), int(self.forest.right[node])

    def _scores(self, leaf: int) -> dict[int, float]:
        """Return what a leaf adds to the score of each class, by the number of the class."""
        tree, values = self.forest, self.forest.leaf_value[leaf]
        columns = [int(tree.leaf_column[leaf])] if tree.width == 1 else range(tree.width)
        return dict(zip(columns, values.tolist(), strict=True))

    def _label(self, child: int) -> str:
        """Return the question of a node, or the answer of a leaf."""
        if child < 0:
            names = self.class_names
            parts = (
                f"{f'class {k}' if names is None else names[k]} {value:+.6g}"
                for k, value in self._scores(~child).items()
            )
            return ", ".join(parts)
        feature, names = int(self.forest.feature[child]), self.feature_names
        name = f"x{feature}" if names is None else names[feature]
        if self.forest.threshold[child] == np.inf:
            return f"{name} is not missing"
        missing = " or missing" if self.forest.missing_left[child] else ""
        return f"{name} <= {self.forest.threshold[child]:.6g}{missing}"

    def _places(self) -> dict[int, tuple[float, float]]:
        """Return positions: leaves at x = 0, 1, ..., nodes midway between children, y = -depth."""
        y: dict[int, float] = {}
        stack = [(self._root, 0.0)]
        while stack:
            child, height = stack.pop()
            y[child] = height
            if child >= 0:
                left, right = self._children(child)
                stack += [(right, height - 1), (left, height - 1)]
        x = {leaf: float(n) for n, leaf in enumerate(child for child in y if child < 0)}
        for node in (child for child in reversed(y) if child >= 0):
            left, right = self._children(node)
            x[node] = (x[left] + x[right]) / 2
        return {child: (x[child], y[child]) for child in y}
