import numpy as np
import pytest
from numba import njit

from boostbench.weak_learners import Tree, WeightedLabels
from boostbench.weak_learners.candidates import _as_float
from boostbench.weak_learners.criteria import about_xlogx


@njit
def _all_about_xlogx(x, out):
    for i in range(len(x)):
        out[i] = about_xlogx(x[i])


def test_the_approximate_logarithm_is_near_enough() -> None:
    x = np.exp(np.linspace(0.0, np.log(2.0**61), 100_001))
    out = np.empty_like(x)
    _all_about_xlogx(x, out)
    assert (np.abs(out - x * np.log2(x)) / x).max() < 5.1e-8
    _all_about_xlogx(np.array([0.0, 1.0]), out)
    assert out[0] == 0.0
    assert out[1] == pytest.approx(0.0, abs=5e-8)


@njit
def _all_as_floats(x, out):
    for i in range(len(x)):
        out[i] = _as_float(x[i])


def test_integers_become_the_nearest_floats() -> None:
    near = [2**bit + d for bit in range(2, 63) for d in (-2, -1, 0, 1)]
    halves = [2**bit + 2 ** (bit - 53) + d for bit in range(53, 63) for d in (-1, 0, 1)]
    drawn = np.random.default_rng(0).integers(0, 2**63 - 1, 10_000) >> np.arange(10_000) % 60
    x = np.array([0, 2**63 - 1, *near, *halves, *drawn])
    out = np.empty(len(x))
    _all_as_floats(x, out)
    np.testing.assert_array_equal(out.view(np.int64), x.astype(np.float64).view(np.int64))


def entropy(w: np.ndarray) -> float:
    share = w[w > 0] / w.sum()
    return float(-w.sum() * (share * np.log2(share)).sum())


@pytest.mark.parametrize("difference", [1e-6, 1e-8, 1e-10])
def test_splits_of_nearly_equal_entropy_are_told_apart(difference: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        y = rng.integers(0, 2, 40).astype(np.int32)
        weight = 1.0 + difference * rng.random(40)
        first = rng.permutation(40).astype(float)
        X = np.column_stack([first, first])
        one, other = rng.choice(40, 2, replace=False)  # the second feature is the first but for
        X[[one, other], 1] = X[[other, one], 1]  # two rows, of weights that hardly differ
        y[other] = y[one]
        tree = Tree("entropy", max_leaf_nodes=2)
        trees = tree.fit(tree.prepare(X), WeightedLabels(y, weight, 2)).trees
        gains = np.empty((2, 39))
        for j in range(2):
            for cut in range(39):
                left = X[:, j] <= cut + 0.5
                sides = [np.bincount(y[rows], weight[rows], 2) for rows in (left, ~left)]
                gains[j, cut] = entropy(sum(sides)) - sum(map(entropy, sides))
        chosen = gains[trees.feature[0], int(trees.threshold[0])]
        assert chosen >= gains.max() - 1e-12 * weight.sum()
