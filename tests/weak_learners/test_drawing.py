"""A tree can be read and looked at."""

from __future__ import annotations

import json

import numpy as np
import pytest

from boostbench.weak_learners import drawing
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


def test_a_tree_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    forest = random_forest(np.random.default_rng(1), 1)
    assert FittedTree(forest).plot(ax) is ax
    assert len(ax.texts) == len(forest.feature) + forest.n_leaves
    assert not any(text.get_parse_math() for text in ax.texts)  # as in a class "<$50K"
    monkeypatch.setattr(drawing, "_MOST_INCHES", 4.5)
    assert FittedTree(forest).plot().figure.get_figwidth() == 4.5


def test_a_question_whether_a_value_is_missing_has_words_and_json() -> None:
    tree = FittedTree(
        Forest(
            feature=[0],
            threshold=[np.inf],
            missing_left=[False],
            left=[~0],
            right=[~1],
            node_offset=[0, 1],
            leaf_value=[[1.0], [1.0]],
            leaf_column=[0, 1],
            leaf_offset=[0, 2],
            n_features=1,
        )
    )
    assert str(tree).startswith("x0 is not missing\n")
    assert json.loads(json.dumps(tree.to_dict(), allow_nan=False))["threshold"] > 1e308
