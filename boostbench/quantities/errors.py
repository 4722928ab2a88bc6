"""Errors and costs, which the pipeline counts in every run, and the correctness of each sample."""

from __future__ import annotations

from typing import Any

from boostbench.quantities.quantity import Quantity

_ERROR: dict[str, Any] = {"unit": "%", "axis": "error (%)", "greatest": 1.0, "type": int}
_TRAIN: dict[str, Any] = {"counted": "n_train"}
_TEST: dict[str, Any] = {"counted": "n_test", "on_test": True}
_COST: dict[str, Any] = {"axis": "cost", "requires": "a 'cost' of the data sets"}

train_error = Quantity(
    words="training error (labels as seen)",
    line="training",
    stroke=("dashed", 1.0),
    curve="train_errors",
    always=True,
    **_TRAIN,
    **_ERROR,
)
train_error_clean = Quantity(
    words="training error (clean labels)",
    line="training, clean labels",
    stroke=("dotted", 1.1),
    curve="train_errors_clean",
    always=True,
    **_TRAIN,
    **_ERROR,
)
test_error = Quantity(
    words="test error",
    line="test",
    curve="test_errors",
    samples="right",
    asked=("metrics", "error"),
    always=True,
    **_TEST,
    **_ERROR,
)
validation_error = Quantity(
    words="validation error",
    line="validation",
    stroke=("dash-dotted", 1.0),
    curve="validation_errors",
    counted="n_validation",
    on_test=True,
    requires="a split with 'validation: true'",
    **_ERROR,
)
train_cost = Quantity(
    words="mean cost on training samples",
    stroke=("dashed", 1.0),
    line="training",
    curve="train_costs",
    **_TRAIN,
    **_COST,
)
test_cost = Quantity(
    words="mean cost on test samples", line="test", curve="test_costs", **_TEST, **_COST
)
right = Quantity(
    words="test samples that are classified correctly, as packed bits in base64",
    kept="ladder",
    curve="right",
    always=True,
    type=str,
)
