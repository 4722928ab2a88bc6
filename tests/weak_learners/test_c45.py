import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench.weak_learners import C45, BinaryLabels, WeightedLabels
from boostbench.weak_learners.pruning import added_errors
from tests.weak_learners import reference

CHARGES = pd.read_csv(Path(__file__).with_name("added_errors.csv"))


@pytest.mark.parametrize(tuple(CHARGES), CHARGES.to_numpy().tolist())
def test_added_errors_are_c45s(version, cases, errors, added):
    rules = C45(version=version)._pruning_rules()
    assert added_errors(float(cases), float(errors), rules) == pytest.approx(added, abs=1e-6)


@pytest.mark.parametrize("version", ["release-8", "simple"])
@pytest.mark.parametrize("kind", ["labels", "binary"])
def test_pruned_leaves_are_those_of_prediction_and_answer_the_majority(version, kind):
    X, y = reference.integer_data(600, 6, 3, seed=4)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.where(rng.random(600) < 0.2, rng.integers(0, 3, 600), y).astype(np.int32)
    weight = rng.random(600) * (rng.random(600) < 0.7)
    labels = np.arange(3) == y[:, None]
    demand = WeightedLabels(y, weight, 3)
    if kind == "binary":
        demand = BinaryLabels(weight[:, None] * np.where(labels, 1.0, -1.0))
    sizes = []
    for confidence in (0.1, 0.999):
        learner = C45(version=version, confidence=confidence)
        h = learner.fit(learner.prepare(X), demand)
        np.testing.assert_array_equal(h.trees.apply(X).T, h.leaves)
        sizes.append(h.trees.n_leaves)
        for t, leaves in enumerate(h.leaves):
            tree = h.trees[t]
            votes, answers = labels.T, tree.leaf_column
            if kind == "binary":
                votes, answers = [~labels[:, t], labels[:, t]], tree.leaf_value[:, 0] > 0
            sums = np.stack([np.bincount(leaves, weight * one, tree.n_leaves) for one in votes])
            used = sums.any(axis=0)
            assert (answers == sums.argmax(axis=0))[used].all()
    assert sizes[0] < sizes[1]


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
