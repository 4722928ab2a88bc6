"""Codewords: the vertices of a regular simplex."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench.theory.codewords import codewords
from tests.boosters.vectors import MCBOOST, TEN_DIGITS


def recursive(n_classes):
    """The paper's cited construction: e_1, and below it the smaller simplex, shrunk."""
    Y = np.array([[1.0], [-1.0]])
    for K in range(3, n_classes + 1):
        first = -1 / (K - 1)
        below = np.column_stack([np.full(K - 1, first), np.sqrt(1 - first**2) * Y])
        Y = np.vstack([np.eye(K - 1)[0], below])
    return Y


@pytest.mark.parametrize("orientation", ["recursive", "helmert"])
def test_codewords_are_the_vertices_of_a_regular_simplex(orientation):
    for K in range(2, 31):
        Y, gram = codewords(K, orientation), np.full((K, K), -1 / (K - 1))
        np.fill_diagonal(gram, 1.0)
        assert_allclose(Y @ Y.T, gram, atol=1e-12)
        assert_allclose(Y.sum(axis=0), 0.0, atol=1e-12)
        assert_allclose(Y.T @ Y, K / (K - 1) * np.eye(K - 1), atol=1e-12)
        f = np.random.default_rng(K).normal(size=(3, K - 1))
        assert_allclose((K - 1) / K * (f @ Y.T) @ Y, f, atol=1e-12)
        if orientation == "recursive":
            assert_allclose(Y, recursive(K), atol=1e-12)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_the_printed_codewords(n_classes):
    assert_allclose(codewords(n_classes), MCBOOST["codewords"][f"K{n_classes}"], **TEN_DIGITS)
