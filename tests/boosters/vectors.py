"""The specifications' worked examples of the multiclass boosters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

_FOLDER = Path(__file__).parents[1] / "vectors"

#: "A theory of multiclass boosting".
THEORY: dict[str, Any] = json.loads((_FOLDER / "multiclass_boosters.json").read_text())
TOY_X = np.array(THEORY["toy9"]["X"], dtype=float)
TOY_Y = np.array(THEORY["toy9"]["y"])

#: "Multiclass boosting: theory and algorithms".
MCBOOST: dict[str, Any] = json.loads((_FOLDER / "mcboost.json").read_text())
DATA_A, DATA_B = np.array(MCBOOST["data_A"]), np.array(MCBOOST["data_B"])
LABELS = np.array(MCBOOST["labels_AB"])

TEN_DIGITS = {"rtol": 2e-10, "atol": 6e-10}
EIGHT_DIGITS = {"rtol": 0, "atol": 6e-9}

TWO_LEAVES = {"greedy": {"max_leaf_nodes": 2}}
