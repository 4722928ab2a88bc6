"""Errors and costs, which the pipeline counts in every run, and the correctness of each sample."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.quantities.quantity import COST, ERROR, Quantity

Labels = NDArray[np.int64]
Costs = NDArray[np.float64]


def n_errors(predicted: Labels, y: Labels, cost: Costs | None = None) -> int:
    """Return the number of wrong predictions."""
    return int(np.count_nonzero(predicted != y))


def total_cost(predicted: Labels, y: Labels, cost: Costs | None) -> float | None:
    """Return the sum of the costs, by true (row) and predicted (column) class; None without."""
    from boostbench.portable import total

    return None if cost is None else total(cost[y, predicted])


def packed_right(predicted: Labels, y: Labels, cost: Costs | None = None) -> str:
    """Return which samples are predicted correctly, as bits in base64."""
    return base64.b64encode(np.packbits(predicted == y).tobytes()).decode()


#: Counts of samples, shown as shares.
_COUNTED: dict[str, Any] = {"type": int, "greatest": 1.0, **ERROR}

train_error = Quantity(
    words="training error (labels as seen)",
    line="training",
    stroke=("dashed", 1.0),
    needs="labels seen",
    of=n_errors,
    curve="train_errors",
    counted="n_train",
    always=True,
    **_COUNTED,
)
train_error_clean = Quantity(
    words="training error (clean labels)",
    line="training, clean labels",
    stroke=("dotted", 1.1),
    needs="clean labels",
    of=n_errors,
    curve="train_errors_clean",
    counted="n_train",
    always=True,
    **_COUNTED,
)
test_error = Quantity(
    words="test error",
    line="test",
    needs="test labels",
    of=n_errors,
    curve="test_errors",
    counted="n_test",
    samples="right",
    asked=("metrics", "error"),
    always=True,
    on_test=True,
    **_COUNTED,
)
validation_error = Quantity(
    words="validation error",
    line="validation",
    stroke=("dash-dotted", 1.0),
    curve="validation_errors",
    counted="n_validation",
    on_test=True,
    requires="a split with 'validation: true'",
    **_COUNTED,
)
train_cost = Quantity(
    words="mean cost on training samples",
    line="training",
    stroke=("dashed", 1.0),
    needs="labels seen",
    of=total_cost,
    curve="train_costs",
    counted="n_train",
    **COST,
)
test_cost = Quantity(
    words="mean cost on test samples",
    line="test",
    needs="test labels",
    of=total_cost,
    curve="test_costs",
    counted="n_test",
    on_test=True,
    **COST,
)
right = Quantity(
    words="test samples that are classified correctly, as packed bits in base64",
    needs="test labels",
    of=packed_right,
    kept="ladder",
    curve="right",
    always=True,
    type=str,
)
