"""Common parts of the boosters for two classes whose weak learner is a regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boostbench.boosters.binary import (
    REGRESSION,
    BinaryBooster,
    answers,
    signed_labels,
    with_leaf_values,
)
from boostbench.boosters.losses import logistic
from boostbench.boosters.state import BoostState, Step
from boostbench.portable import dot
from boostbench.weak_learners import Targets

#: A regression that is nowhere larger than this is taken to be 0.
_ZERO = 1e-12


class RegressionBooster(BinaryBooster):
    """Base of the boosters ``F <- F + size * f`` with a weighted least-squares f.

    A subclass defines `ask`, whose `Targets` have one column, and possibly `size`.
    """

    def size(self, state: BoostState, h: Any) -> float:
        """Return the factor of f in the step."""
        return 1.0

    def refine(self, state: BoostState, demand: Targets, h: Any) -> Any:
        """Return the regression in the layout of the two scores."""
        return with_leaf_values(h, h.trees.leaf_value[:, 0])

    def answer(self, state: BoostState, demand: Targets, h: Any) -> Step:
        """Return the step along f; its edge is the weighted mean of ``y f(x)``."""
        f = answers(h)
        edge = dot(demand.weight[:, 0], signed_labels(state) * f)
        if np.abs(f).max() <= _ZERO:
            return Step(0.0, edge, stop="converged", keep=False)
        return Step(self.size(state, h), edge)

    def default_weak_learner(self, n_classes: int) -> tuple[str, dict[str, Any]]:
        """Return CART."""
        return REGRESSION


def working_response(
    y: NDArray[np.int32], log_odds: NDArray[np.float64], least: float, limit: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``z = (y - p)/(p (1 - p))`` and ``p (1 - p)`` for labels 0 and 1.

    Both tails of the logistic function are computed: 1 - p has no digits left where p is near 1.

    Parameters
    ----------
    y : ndarray of int32, shape (n,)
    log_odds : ndarray of float64, shape (n,)
        Of ``p = 1/(1 + exp(-log_odds))``.
    least : float
        Smallest ``p (1 - p)``.
    limit : float
        Largest ``|z|``.
    """
    p, rest = logistic(log_odds), logistic(-log_odds)
    q = np.maximum(p * rest, least)
    return np.clip(np.where(y == 1, rest, -p) / q, -limit, limit), q
