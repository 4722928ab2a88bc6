"""Objective and edge of each round."""

from __future__ import annotations

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
