"""A tree can be read and looked at."""

from __future__ import annotations

import numpy as np

from boostbench.weak_learners.drawing import FittedTree
from boostbench.weak_learners.forest import Forest
from tests.weak_learners.test_forest import one_leaf_forest, random_forest


def test_a_tree_is_written_with_the_names_of_its_world() -> None:
    forest = Forest(
        feature=[0, 1],
        threshold=[0.5, -2.25],
        missing_left=[True, False],
        left=[~1, ~0],
        right=[1, ~2],
        node_offset=[0, 2],
        leaf_value=[[1.0], [1.0], [1.0]],
        leaf_column=[0, 1, 0],
        leaf_offset=[0, 3],
        n_features=2,
    )
    assert str(FittedTree(forest)).splitlines()[0] == "x0 <= 0.5 or missing"
    assert str(FittedTree(forest, 1.0, 1, ["age", "height"], ["no", "yes"])) == "\n".join(
        [
            "age <= 0.5 or missing",
            "|-- yes +1",
            "else",
            "|   height <= -2.25",
            "|   |-- no +1",
            "|   else",
            "|   |-- no +1",
        ]
    )
    assert str(FittedTree(one_leaf_forest(1))) == "class 1 +1.5"
    vector = random_forest(np.random.default_rng(0), 1, max_leaves=1, width=2)
    assert str(FittedTree(vector)).startswith("class 0 +0.12")


def test_a_tree_can_be_drawn() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    forest = random_forest(np.random.default_rng(1), 1)
    assert FittedTree(forest).plot(ax) is ax
    assert len(ax.texts) == len(forest.feature) + forest.n_leaves
