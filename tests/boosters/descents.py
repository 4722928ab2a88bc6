"""Watch multi-class deep boosting round by round."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from boostbench.boosters import make_booster


@dataclass
class Descent:
    """A fitted booster and, for each round, what changed; samples in their own order."""

    booster: Any
    losses: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)

    @property
    def labels(self):
        """Answers of each round's tree on the training samples."""
        F = [np.zeros_like(self.scores[0]), *self.scores]
        return [np.abs(after - before).argmax(axis=1) for before, after in pairwise(F)]


def descend(name, X, y, depth=2, **parameters):
    """Fit a booster with greedy trees of the given depth."""
    learner = {"weak_learner": {"greedy": {"max_depth": depth}}}
    seen = Descent(make_booster(name, **(learner | parameters)))

    def on_round(info):
        seen.losses.append(info.loss)
        seen.steps.append(info.step.size)
        seen.errors.append((1.0 - info.step.edge) / 2.0)
        seen.scores.append(info.scores[info.row_of].copy())

    seen.booster.fit(X, y, on_round=on_round)
    return seen


def noisy_problem(n_classes=4, n=150):
    return make_classification(
        n, n_features=6, n_informative=4, n_classes=n_classes, flip_y=0.2, random_state=0
    )
