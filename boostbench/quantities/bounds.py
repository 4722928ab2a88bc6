"""Bounds on the training error, by the objective and by the edges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from boostbench.quantities.quantity import ERROR, quantity


@quantity(
    "bound",
    words="bound on the training error by the objective",
    line="bound by the objective",
    stroke=("dotted", 1.2),
    needs="round",
    asked=("record", "bound"),
    requires="a booster with such a bound",
    is_bound=True,
    **ERROR,
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
    is_bound=True,
    **ERROR,
)
def edge_bound(booster: Any, edges: Sequence[float | None]) -> Sequence[float] | None:
    """Return the bound on the training error from the edges of all rounds; None without one."""
    known = [math.nan if value is None else value for value in edges]
    curve: Sequence[float] | None = (
        booster.edge_bound(known, len(booster.classes_)) if known else None
    )
    return curve
