"""Trees of a few rows, in words.

Each entry of small_trees.txt has a learner, the rows that it grows on and, after ``>>>``, its
trees. ``python -m tests.weak_learners.test_small_trees`` writes those of today, to be read before
a commit.
"""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from sklearn.datasets import load_iris

from boostbench.weak_learners import BinaryLabels, Costs, WeightedLabels, make_weak_learner
from boostbench.weak_learners.drawing import FittedTree
from tests.golden import parametrized, rewrite

TREES = Path(__file__).with_name("small_trees.txt")


def outcome_of(title, given):
    """Return the trees of a learner on the rows of a table, whatever the scale of the weights."""
    learner, rows = given.split("\n", 1)
    table = pd.read_csv(io.StringIO(rows), sep=r"\s+", na_values="?")
    if rows == "iris\n":
        table = load_iris(as_frame=True).frame.rename(columns={"target": "label"})
    about = ("label", "weight", "count", "signed", "cost")
    X = table[[name for name in table if not name.startswith(about)]].to_numpy(np.float64)
    signed, costs = table.filter(like="signed"), table.filter(like="cost")
    learner, count = make_weak_learner(yaml.safe_load(learner)), table.get("count")
    data = learner.prepare(X, None, None if count is None else count.to_numpy())
    outcomes = set()
    for factor in (1.0, 0.03, 400.0):
        if len(signed.columns):
            demand = BinaryLabels(factor * signed.to_numpy(np.float64))
        elif len(costs.columns):
            demand = Costs(factor * costs.to_numpy(np.float64))
        else:
            weight = factor * table.get("weight", pd.Series(1.0, table.index)).to_numpy()
            y = table["label"].to_numpy(np.int32)
            demand = WeightedLabels(y, weight, y.max() + 1)
        h = learner.fit(data, demand)
        np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
        trees = [h.trees[t] for t in range(h.trees.n_trees)]
        outcomes.add("\n".join(str(FittedTree(tree)) for tree in trees))
    return " or ".join(outcomes)


@parametrized(TREES)
def test_every_tree_is_that_of_the_list(title, given, expected):
    assert outcome_of(title, given) == expected


if __name__ == "__main__":
    rewrite(TREES, outcome_of)
