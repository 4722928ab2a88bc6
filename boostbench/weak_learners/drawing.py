"""Text and plots of single trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from boostbench.weak_learners.forest import Forest


class _Labels:
    """Labels of the nodes and leaves of one tree; see `tree_text` for the parameters."""

    def __init__(
        self,
        forest: Forest,
        tree: int,
        feature_names: Sequence[str] | None,
        class_names: Sequence[str] | None,
    ) -> None:
        if not 0 <= tree < forest.n_trees:
            raise ValueError(f"tree must be within 0..{forest.n_trees - 1}, found {tree}")
        self.forest = forest
        self.first_node = int(forest.node_offset[tree])
        self.first_leaf = int(forest.leaf_offset[tree])
        self.root = 0 if forest.node_offset[tree + 1] > self.first_node else ~0
        self.feature_names = feature_names
        self.class_names = class_names

    def question(self, node: int) -> str:
        at = self.first_node + node
        feature = int(self.forest.feature[at])
        name = f"x{feature}" if self.feature_names is None else self.feature_names[feature]
        missing = " or missing" if self.forest.missing_left[at] else ""
        return f"{name} <= {self.forest.threshold[at]:.6g}{missing}"

    def answer(self, leaf: int) -> str:
        at = self.first_leaf + leaf
        value = self.forest.leaf_value[at]
        if len(value) == 1:
            return f"{self._class_name(int(self.forest.leaf_column[at]))} {value[0]:+.6g}"
        return ", ".join(f"{self._class_name(k)} {v:+.6g}" for k, v in enumerate(value))

    def children(self, node: int) -> tuple[int, int]:
        at = self.first_node + node
        return int(self.forest.left[at]), int(self.forest.right[at])

    def _class_name(self, k: int) -> str:
        return f"class {k}" if self.class_names is None else self.class_names[k]


def tree_text(
    forest: Forest,
    tree: int,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> str:
    """Write one tree as indented text.

    Parameters
    ----------
    forest : Forest
        Forest that contains the tree.
    tree : int
        Index of the tree, 0..n_trees-1.
    feature_names : sequence of str, optional
        ``x0, x1, ...`` by default.
    class_names : sequence of str, optional
        ``class 0, class 1, ...`` by default.

    Returns
    -------
    str
        One line per node and leaf; the left branch comes first.

    Raises
    ------
    ValueError
        If there is no such tree.
    """
    labels = _Labels(forest, tree, feature_names, class_names)
    lines: list[str] = []
    # A stack, since a best-first tree may exceed Python's recursion limit.
    stack: list[tuple[int | None, int]] = [(labels.root, 0)]
    while stack:
        child, depth = stack.pop()
        indent = "|   " * (depth - 1)
        if child is None:
            lines.append("|   " * depth + "else")
        elif child < 0:
            lines.append(indent + ("|-- " if depth else "") + labels.answer(~child))
        else:
            branch = "|   " * depth
            lines.append(branch + labels.question(child))
            left, right = labels.children(child)
            stack += [(right, depth + 1), (None, depth), (left, depth + 1)]
    return "\n".join(lines)


def plot_tree(
    forest: Forest,
    tree: int,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one tree, with the root at the top and the leaves side by side.

    Parameters
    ----------
    forest, tree, feature_names, class_names
        As for `tree_text`.
    ax : matplotlib Axes, optional
        Axes of a new figure by default.

    Returns
    -------
    matplotlib Axes
    """
    labels = _Labels(forest, tree, feature_names, class_names)
    places = _place(labels)
    n_leaves = sum(child < 0 for child in places)
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(max(4.0, 1.2 * n_leaves), 4.0), layout="constrained")
    ax.set_axis_off()
    for child, (x, y) in places.items():
        if child >= 0:
            for grandchild in labels.children(child):
                to_x, to_y = places[grandchild]
                ax.plot([x, to_x], [y, to_y], color="0.6", linewidth=1, zorder=1)
        text = labels.question(child) if child >= 0 else labels.answer(~child)
        box = {"boxstyle": "round", "facecolor": "white" if child >= 0 else "0.92"}
        ax.text(x, y, text, ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    ax.set_xlim(-0.6, n_leaves - 0.4)
    ax.set_ylim(min(y for _, y in places.values()) - 0.5, 0.5)
    return ax


def _place(labels: _Labels) -> dict[int, tuple[float, float]]:
    """Return positions: leaves at x = 0, 1, ..., nodes midway between children, y minus depth."""
    depth = {labels.root: 0}
    visited: list[int] = []
    stack = [labels.root]
    while stack:
        child = stack.pop()
        visited.append(child)
        if child >= 0:
            left, right = labels.children(child)
            depth[left] = depth[right] = depth[child] + 1
            stack += [right, left]
    x: dict[int, float] = {}
    for leaf in (child for child in visited if child < 0):
        x[leaf] = float(len(x))
    for node in (child for child in reversed(visited) if child >= 0):
        left, right = labels.children(node)
        x[node] = (x[left] + x[right]) / 2
    return {child: (x[child], -float(depth[child])) for child in visited}
