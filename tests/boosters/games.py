"""Watch a fit round by round."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Watched:
    """What the booster asked, was given and answered, with training rows in the samples' order."""

    demands: list[np.ndarray] = field(default_factory=list)
    hypotheses: list[Any] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    sizes: list[Any] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    scores: list[np.ndarray] = field(default_factory=list)


def watch(booster, X, y, **fit_parameters):
    """Fit ``booster`` and return what happened; the fitted booster is left as it is."""
    seen = Watched()
    answer = booster.answer
    pending = []

    def listening_answer(state, demand, h):
        pending.append((demand, h))
        return answer(state, demand, h)

    def on_round(info):
        demand, h = pending.pop()
        names = ("signed_weight", "cost", "target", "weight")
        statistic = next(getattr(demand, name) for name in names if hasattr(demand, name))
        seen.demands.append(np.array(statistic)[info.row_of])
        seen.hypotheses.append(h.trees)
        seen.edges.append(info.step.edge)
        seen.sizes.append(np.array(info.step.size))
        seen.losses.append(info.loss)
        seen.scores.append(info.scores[info.row_of].copy())

    booster.answer = listening_answer
    try:
        booster.fit(X, y, on_round=on_round, **fit_parameters)
    finally:
        del booster.answer
    return seen


def labels_of(seen, t):
    """Return the labels answered in round t (from 0), from the scores they changed."""
    before = seen.scores[t - 1] if t else np.zeros_like(seen.scores[0])
    return (seen.scores[t] - before).argmax(axis=1)


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


def centred_cost(g, cost):
    """Return ``Delta_i(y) = c_i(y) - sum_z g_i(z) c_i(z)`` of soft-max boosting, shape (n, K)."""
    return cost - (g * cost).sum(axis=1, keepdims=True)


def smallest_margins(F, y):
    """Return the true label's score minus the largest other score of every sample."""
    others = F.copy()
    others[np.arange(len(y)), y] = -np.inf
    return np.asarray(F[np.arange(len(y)), y] - others.max(axis=1))
