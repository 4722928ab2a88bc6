"""The specifications' worked examples of the multiclass boosters."""

import json
from pathlib import Path

import numpy as np


def read(name):
    """Read a specification's worked examples."""
    path = Path(__file__).parents[1] / "vectors" / f"{name}.json"
    found = json.loads(path.read_text())
    return found


#: "A theory of multiclass boosting".
THEORY = read("multiclass_boosters")
TOY_X = np.array(THEORY["toy9"]["X"], dtype=float)
TOY_Y = np.array(THEORY["toy9"]["y"])

#: "Multiclass boosting: theory and algorithms".
MCBOOST = read("mcboost")
DATA_A, DATA_B = np.array(MCBOOST["data_A"]), np.array(MCBOOST["data_B"])
LABELS = np.array(MCBOOST["labels_AB"])

TEN_DIGITS = {"rtol": 2e-10, "atol": 6e-10}
EIGHT_DIGITS = {"rtol": 0, "atol": 6e-9}

TWO_LEAVES = {"greedy": {"max_leaf_nodes": 2}}
