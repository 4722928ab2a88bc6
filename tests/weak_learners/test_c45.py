import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from boostbench.weak_learners import C45, BinaryLabels, WeightedLabels
from boostbench.weak_learners.drawing import FittedTree
from boostbench.weak_learners.pruning import PruningRules, added_errors
from tests.weak_learners import reference

# Release 8 interpolates a table of normal quantiles; the simple version computes them.
RELEASE_8 = PruningRules(0.25, 0.6925**2, 0.67, True)
SIMPLE = PruningRules(0.25, 0.6744897501960817**2, 1.0, False)


@pytest.mark.parametrize(
    ("rules", "N", "e", "expected"),
    [
        *[
            (RELEASE_8, *case)
            for case in [
                (6, 0, 1.237797),
                (9, 0, 1.284804),
                (1, 0, 0.75),
                (6, 1, 1.326485),
                (16, 1, 1.506894),
                (100, 10, 2.814705),
                (10, 0.5, 1.367556),
                (3, 3, 0.0),
                (4, 3.6, 0.268),
            ]
        ],
        *[
            (SIMPLE, *case)
            for case in [
                (6, 0, 1.237797),
                (1, 0, 0.75),
                (16, 1, 1.475715),
                (14, 4, 1.741287),
                (10, 0.5, 1.353528),
                (20, 6, 1.977021),
            ]
        ],
    ],
)
def test_added_errors_are_c45s(rules, N, e, expected):
    assert added_errors(float(N), float(e), rules) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("factor", [1.0, 0.03, 400.0])
def test_iris_tree_whatever_the_scale_of_the_weights(factor):
    X, y = load_iris(return_X_y=True)
    learner = C45()
    demand = WeightedLabels(y.astype(np.int32), np.full(150, factor), 3)
    h = learner.fit(learner.prepare(X), demand)
    assert str(FittedTree(h.trees, class_names=["0", "1", "2"])) == "\n".join(
        [
            "x3 <= 0.6",
            "|-- 0 +1",
            "else",
            "|   x3 <= 1.7",
            "|   |   x2 <= 4.9",
            "|   |   |-- 1 +1",
            "|   |   else",
            "|   |   |   x3 <= 1.5",
            "|   |   |   |-- 2 +1",
            "|   |   |   else",
            "|   |   |   |-- 1 +1",
            "|   else",
            "|   |-- 2 +1",
        ]
    )


X10 = np.array([np.arange(1.0, 11.0), [5, 1, 6, 2, 7, 3, 8, 4, 9, 0]]).T
Y10 = np.array([-1, -1, -1, 1, -1, 1, 1, -1, 1, 1])


def answers(h):
    return h.values(1)[:, 0].tolist()


def test_simple_trees_of_the_splboost_vectors():
    learner = C45(version="simple", max_depth=3)
    data = learner.prepare(X10)
    h = learner.fit(data, BinaryLabels((0.1 * Y10)[:, None]))
    x1, x2 = X10.T
    expected = np.where(x1 <= 3.5, -1, np.where(x2 <= 3.5, 1, np.where(x2 <= 7.5, -1, 1)))
    assert answers(h) == expected.tolist()
    assert h.trees.feature.tolist() == [0, 1, 1]
    assert h.trees.threshold.tolist() == [3.5, 3.5, 7.5]


def test_the_simple_root_is_kept_where_its_children_are_pruned():
    w = np.array([1, 1, 1, 1, 4, 1, 1, 4, 1, 1]) / 16
    learner = C45(version="simple", max_depth=3)
    h = learner.fit(learner.prepare(X10), BinaryLabels((w * Y10)[:, None]))
    assert (h.trees.feature.tolist(), h.trees.threshold.tolist()) == ([1], [3.5])
    assert answers(h) == np.where(X10[:, 1] <= 3.5, 1, -1).tolist()


def test_cases_are_samples_by_hand():
    """10 samples in 3 rows: a leaf is charged 3 + 1.591274, the two leaves 1.237797 + 2.189388.

    3 cases, one for each row, would be too few for a split.
    """
    rows = np.array([[0.0], [1.0], [1.0]])
    y, count = np.array([0, 1, 0], dtype=np.int32), np.array([6, 3, 1])
    learner = C45()
    demand = WeightedLabels(y, count / 10, 2)
    h = learner.fit(learner.prepare(rows, None, count), demand)
    assert (h.trees.threshold.tolist(), h.labels.tolist()) == ([0.0], [0, 1, 1])
    assert added_errors(10.0, 3.0, RELEASE_8) == pytest.approx(1.591274, abs=1e-6)
    assert added_errors(4.0, 1.0, RELEASE_8) == pytest.approx(1.189388, abs=1e-6)
    assert learner.fit(learner.prepare(rows), demand).trees.n_leaves == 1


@pytest.mark.parametrize("version", ["release-8", "simple"])
@pytest.mark.parametrize("kind", ["labels", "binary"])
def test_pruned_leaves_are_those_of_prediction_and_answer_the_majority(version, kind):
    X, y = reference.integer_data(600, 6, 3, seed=4)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    rng = np.random.default_rng(1)
    y = np.where(rng.random(len(y)) < 0.2, rng.integers(0, 3, len(y)), y).astype(np.int32)
    weight = rng.random(len(y)) * (rng.random(len(y)) < 0.7)
    signs = np.where(np.arange(3) == y[:, None], 1.0, -1.0)
    demand = (
        WeightedLabels(y, weight, 3) if kind == "labels" else BinaryLabels(weight[:, None] * signs)
    )
    full = C45(version=version, confidence=0.999)
    pruned = C45(version=version, confidence=0.1)
    data = full.prepare(X)
    sizes = []
    for learner in (full, pruned):
        h = learner.fit(data, demand)
        np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
        sizes.append(h.trees.n_leaves)
        for t in range(h.trees.n_trees):
            for leaf in range(h.leaves[t].max() + 1):
                rows = (h.leaves[t] == leaf) & (weight > 0)
                if not rows.any():
                    continue
                if kind == "labels":
                    sums = np.bincount(y[rows], weights=weight[rows], minlength=3)
                    assert h.labels[rows][0] == sums.argmax()
                else:
                    assert h.values(3)[rows, t][0] == np.sign(demand.signed_weight[rows, t].sum())
    assert sizes[1] < sizes[0]


PRUNING = """
import numpy as np
from boostbench.compiled import _digest
from boostbench.weak_learners import C45, Tree, WeightedLabels
from boostbench.weak_learners.growing import _KERNELS

X = np.arange(60.0)[:, None]
y = (X[:, 0] >= 20).astype(np.int32)
y[[30, 31, 50]] = 0  # splits that find these are not worth their leaves
for learner in (Tree("gain-ratio"), C45()):
    h = learner.fit(learner.prepare(X), WeightedLabels(y, np.ones(60), 2))
    print(h.trees.n_leaves)
print([_digest(one.py_func) for pair in _KERNELS.values() for one in pair])
"""


def test_loaded_kernels_prune_as_compiled_ones_do(capsys):
    exec(PRUNING, {})  # compiles, if nobody did before
    here = capsys.readouterr().out
    assert here.startswith("6\n2\n[")
    command = [sys.executable, "-c", PRUNING]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": "2"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, here), done
