"""my-booster: AdaBoost for any number of classes, a starting point for your own booster."""

from __future__ import annotations

import numpy as np

from boostbench.plugins import (
    Booster,
    BoostState,
    Hypothesis,
    Positive,
    Step,
    WeightedLabels,
    boosters,
)


@boosters.register("my-booster")
class MyBooster(Booster):
    """SAMME with shrinkage.

    Parameters
    ----------
    weak_learner : str, dict, object or None, default=None
        None: a tree of at most 8 leaves.
    shrinkage : float, default=1.0
        Factor of every step size.
    """

    # Constructor parameter with its range and default.
    shrinkage: Positive = 1.0

    paper_learner = "tree", {"max_leaf_nodes": 8}

    def ask(self, state: BoostState) -> WeightedLabels:
        """Return the labels, weighted by the exponential loss of each row."""
        w = state.sample_weight * np.exp(state.scores.mean(axis=1) - state.true_scores)
        return WeightedLabels(state.y, w / w.sum(), state.n_classes)

    def answer(self, state: BoostState, demand: WeightedLabels, h: Hypothesis) -> Step:
        """Return the step size along ``h`` and the edge of ``h`` over chance."""
        error = float(demand.weight[h.labels != state.y].sum())
        chance = 1.0 - 1.0 / state.n_classes
        edge = 1.0 - error / chance
        if edge <= 1e-10:
            return Step(0.0, edge, stop="no edge", keep=False)
        e = max(error, 1e-10)
        size = self.shrinkage * float(np.log((1.0 - e) / e) + np.log(state.n_classes - 1.0))
        return Step(size, edge, stop="perfect weak learner" if error < e else "")

    def objective(self, state: BoostState) -> float:
        """Return the training loss, recorded after each round."""
        return float(state.sample_weight @ np.exp(state.scores.mean(axis=1) - state.true_scores))
