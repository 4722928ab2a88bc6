"""Objective and edge of each round, and bounds on the training error that follow from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from boostbench.quantities.quantity import quantity


@quantity(
    "loss",
    words="training objective",
    needs="round",
    always=True,
    requires="a booster that has one",
    least=None,
    held=False,
)
def loss(info: Any) -> float:
    """Return the training objective after a round; NaN if the booster has none."""
    return float(info.loss)


@quantity(
    "edge",
    words="edge",
    asked=("record", "edges"),
    stroke=("solid", 1.1),
    needs="round",
    always=True,
    requires="a booster with edges",
    higher=None,
    least=None,
    held=False,
)
def edge(info: Any) -> float:
    """Return the edge of the hypothesis of a round; NaN if the booster has none."""
    return float(info.step.edge)


@quantity(
    "bound",
    words="bound on the training error by the objective",
    line="bound by the objective",
    stroke=("dotted", 1.2),
    needs="round",
    asked=("record", "bound"),
    requires="a booster with such a bound",
    unit="%",
    axis="error (%)",
    is_bound=True,
)
def bound(info: Any) -> float:
    """Return the bound on the training error by the objective; NaN if there is none."""
    return float(info.bound)


@quantity(
    "edge_bound",
    words="bound on the training error by the edges",
    line="bound by the edges",
    stroke=("long-dashed", 0.8),
    needs="edges",
    asked=("record", "bound"),
    requires="a booster with such a bound",
    unit="%",
    axis="error (%)",
    is_bound=True,
)
def edge_bound(booster: Any, edges: Sequence[float | None]) -> Sequence[float] | None:
    """Return the bound on the training error from the edges of all rounds; None without one."""
    known = [math.nan if value is None else value for value in edges]
    curve: Sequence[float] | None = (
        booster.edge_bound(known, len(booster.classes_)) if known else None
    )
    return curve
