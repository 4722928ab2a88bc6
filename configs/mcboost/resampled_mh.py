"""AdaBoost.MH whose weak learners see pairs that are drawn by their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from boostbench.plugins import BinaryLabels, BoostState, Positive, Step, boosters


@boosters.register("adaboost-mh-drawn", printed="AdaBoost.MH (drawn)")
class AdaBoostMHDrawn(boosters.get("adaboost-mh")):  # type: ignore[misc]
    r"""AdaBoost.MH with resampling in the place of weights.

    Each round draws pairs of a sample and a class with replacement, with the probabilities
    :math:`w_{iy}`, and fits the weak learner to the drawn pairs; the step uses the weights.

    Parameters
    ----------
    drawn : float, default=1.0
        Number of drawn pairs as a fraction of all N K pairs, positive.
    """

    drawn: Positive = 1.0

    class_order_matters = True

    def ask(self, state: BoostState) -> BinaryLabels:
        """Return the drawn pairs, each with the same weight."""
        w = super().ask(state).signed_weight
        share = np.abs(w).ravel()
        n = max(1, round(self.drawn * share.size))
        counts = state.rng.multinomial(n, share / share.sum()).reshape(w.shape)
        return BinaryLabels(np.where(w > 0, counts, -counts) / n)

    def answer(self, state: BoostState, demand: BinaryLabels, h: Any) -> Step:
        """Return the step of AdaBoost.MH, by the weights of all pairs."""
        return super().answer(state, super().ask(state), h)
