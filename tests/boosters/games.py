"""Watch a fit round by round."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np


@dataclass
class Watched:
    """Questions and answers of a booster, with training rows in the order of the samples."""

    booster: Any
    demands: list[np.ndarray] = field(default_factory=list)
    hypotheses: list[Any] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    sizes: list[Any] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)

    @property
    def labels(self):
        """The labels answered in each round, from the scores that they changed."""
        F = [np.zeros_like(self.scores[0]), *self.scores]
        return [np.abs(after - before).argmax(axis=1) for before, after in pairwise(F)]


def each_round(booster, X, y, told, asked=None, **fit_parameters):
    """Fit a booster; return what ``told(info)`` says after each round.

    With ``asked(state, demand, h)``, which is called before each step, it is ``told(info, asked)``.
    """
    found, pending = [], []

    def on_round(info):
        found.append(told(info, *pending[-1:]))
        pending.clear()

    if asked is not None:
        answer = booster.answer

        def listening_answer(state, demand, h):
            pending.append(asked(state, demand, h))
            return answer(state, demand, h)

        booster.answer = listening_answer
    try:
        booster.fit(X, y, on_round=on_round, **fit_parameters)
    finally:
        vars(booster).pop("answer", None)
    return found


def watch(booster, X, y, **fit_parameters):
    """Fit ``booster`` and return what happened; the fitted booster is left as it is."""
    seen = Watched(booster)

    def note(info, demand_and_trees=None):
        if demand_and_trees is not None:
            demand, trees = demand_and_trees
            names = ("signed_weight", "cost", "target", "weight")
            statistic = next(getattr(demand, name) for name in names if hasattr(demand, name))
            seen.demands.append(np.array(statistic)[info.row_of])
            seen.hypotheses.append(trees)
        seen.edges.append(info.step.edge)
        seen.sizes.append(np.array(info.step.size))
        seen.losses.append(info.loss)
        seen.scores.append(info.scores[info.row_of].copy())

    asks = hasattr(booster, "answer")
    asked = (lambda state, demand, h: (demand, h.trees)) if asks else None
    each_round(booster, X, y, note, asked, **fit_parameters)
    return seen


def stump_of(trees, tree):
    """Return [feature from 1, threshold, left answer, right answer] of a two-leaf tree."""
    node = trees.node_offset[tree]
    if trees.node_offset[tree + 1] == node:
        return None
    leaf = trees.leaf_offset[tree]
    left, right = leaf + ~trees.left[node], leaf + ~trees.right[node]
    return [
        int(trees.feature[node]) + 1,
        float(trees.threshold[node]),
        float(trees.leaf_value[left, 0]),
        float(trees.leaf_value[right, 0]),
    ]


def masses(C, y, h):
    """Return A+, A- and L of a cost matrix."""
    rows, right = np.arange(len(y)), h == y
    return -C[right, y[right]].sum(), C[rows, h][~right].sum(), -C[rows, y].sum()


def centred_cost(g, cost):
    """Return ``Delta_i(y) = c_i(y) - sum_z g_i(z) c_i(z)`` of soft-max boosting, shape (n, K)."""
    return cost - (g * cost).sum(axis=1, keepdims=True)


def smallest_margins(F, y):
    """Return the true label's score minus the largest other score of every sample."""
    others = F.copy()
    others[np.arange(len(y)), y] = -np.inf
    return F[np.arange(len(y)), y] - others.max(axis=1)
