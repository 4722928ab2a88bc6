"""Weak-learning conditions: edges, implications, certificates, and the opposite linear program."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from boostbench.theory.conditions import (
    CONDITIONS,
    costs_of,
    decide,
    decide_all,
)
from boostbench.theory.layout import true_label_first
from boostbench.theory.minimal import worst_mean
from tests.theory.vectors import SPACES, VECTORS, spaces

TINY = 1e-7


def baseline_cost(condition, C, y, gamma):
    """Cost of the condition's baseline on C; for the minimal condition of the worst one."""
    rows = true_label_first(C, y)
    if condition == "minimal":
        worst = gamma * rows[:, 0] + (1 - gamma) * worst_mean(rows[:, 0], rows[:, 1:])
        return float(worst.sum())
    return float((rows @ CONDITIONS[condition].baseline(C.shape[1], gamma)).sum())


def in_family(condition, rows):
    true, wrong = rows[:, 0], rows[:, 1:]
    spread = np.ptp(wrong, axis=1)
    return bool(
        {
            "samme": np.allclose(true, 0) and np.allclose(spread, 0) and (wrong >= 0).all(),
            "m1": np.allclose(spread, 0) and np.allclose(true, -wrong[:, 0]) and (true <= 0).all(),
            "mh": (true <= 0).all() and (wrong >= 0).all(),
            "mr": (wrong >= 0).all() and np.allclose(true, -wrong.sum(axis=1)),
            "edge-over-random": (true[:, None] <= wrong).all(),
            "minimal": (true[:, None] <= wrong).all(),
        }[condition]
    )


@pytest.mark.parametrize("vector", VECTORS["conditions"], ids=lambda v: v["space"])
def test_edges_of_the_example_spaces(vector):
    space = SPACES[vector["space"]](**vector["params"])
    for name, decision in decide_all(space).items():
        assert_allclose(decision.gamma, vector[name], atol=6e-9, err_msg=name)


@settings(max_examples=60)
@given(spaces())
def test_implications_between_the_conditions(table):
    edge = {name: decision.gamma for name, decision in decide_all(table).items()}
    assert_allclose(edge["m1"], edge["mh"], atol=TINY)
    assert_allclose(edge["mr"], edge["minimal"], atol=TINY)
    assert edge["m1"] <= edge["mr"] + TINY
    assert edge["edge-over-random"] <= edge["mr"] + TINY
    assert edge["mr"] <= edge["samme"] + TINY


@settings(max_examples=60)
@given(spaces(), st.sampled_from(sorted(CONDITIONS)))
def test_both_certificates_prove_the_edge(table, condition):
    predictions, y, K = table.predictions, table.y, table.n_classes
    decision = decide(table, condition)
    # The mixture proves that the condition holds at the edge ...
    chosen = CONDITIONS[condition]
    assert_allclose(decision.mixture.sum(), 1.0)
    assert (decision.mixture >= -1e-12).all()
    votes = np.stack([(predictions == k) @ decision.mixture for k in range(K)], axis=1)
    at_edge = chosen.baseline(K, 0.0) + decision.gamma * (
        chosen.baseline(K, 1.0) - chosen.baseline(K, 0.0)
    )
    assert ((true_label_first(votes, y) - at_edge) @ chosen.generators(K).T <= TINY).all()
    # ... and the witness that it fails at any larger one.
    C = decision.witness
    assert in_family(condition, true_label_first(C, y))
    gamma = max(decision.gamma, -1.0) + 0.01
    assert costs_of(predictions, C).min() > baseline_cost(condition, C, y, gamma)
