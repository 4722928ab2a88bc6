"""What the boosters for two classes share whose weak learner is a regression."""

from __future__ import annotations

from typing import Any

import numpy as np

from boostbench.boosters.binary import (
    REGRESSION,
    BinaryBooster,
    answers,
    signed_labels,
    with_leaf_values,
)
from boostbench.boosters.game import Game, Step
from boostbench.weak_learners import Targets

__all__ = ["RegressionBooster"]

#: A regression that is nowhere larger than this is taken to be 0.
_ZERO = 1e-12


class RegressionBooster(BinaryBooster):
    """Base of the boosters ``F <- F + size * f`` with a weighted least-squares f.

    A subclass defines `ask`, whose `Targets` have one column, and possibly `size`.
    """

    def size(self, game: Game, h: Any) -> float:
        """Return the factor of f in the step."""
        return 1.0

    def refine(self, game: Game, demand: Targets, h: Any) -> Any:
        """Return the regression in the layout of the two scores."""
        return with_leaf_values(h, h.trees.leaf_value[:, 0])

    def answer(self, game: Game, demand: Targets, h: Any) -> Step:
        """Return the step along f; its edge is the weighted mean of ``y f(x)``."""
        f = answers(h)
        edge = float(demand.weight[:, 0] @ (signed_labels(game) * f))
        if np.abs(f).max() <= _ZERO:
            return Step(0.0, edge, stop="converged", keep=False)
        return Step(self.size(game, h), edge)

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return CART."""
        return REGRESSION
