"""One stump for all labels: bins of equal width, and the smoothing of real answers."""

import numpy as np
import pytest

from boostbench.weak_learners import BinaryLabels
from boostbench.weak_learners.multilabel import MultiLabelStump


@pytest.mark.parametrize("answers", ["sign", "real", "factored"])
@pytest.mark.parametrize("bin_range", ["feature", "global"])
def test_multi_label_stumps_of_equal_width_use_bin_numbers(answers, bin_range):
    rng = np.random.default_rng(4)
    Z = rng.uniform(size=(200, 3)) * [1.0, 4.0, 2.0]
    signed = rng.normal(size=(200, 4)) + np.where(Z[:, 1:2] > 1.9, 1.0, -1.0)
    coarse = MultiLabelStump(answers, splitter="equal-width", bin_range=bin_range, max_bins=5)
    h = coarse.fit(coarse.prepare(Z), BinaryLabels(signed))
    low, high = Z.min(axis=0), Z.max(axis=0)
    if bin_range == "global":
        low, high = low.min() + 0 * low, high.max() + 0 * high
    edges = np.linspace(low, high, 6)[1:-1]
    codes = (Z[:, None, :] > edges).sum(axis=1).astype(float)
    fine = MultiLabelStump(answers)
    expected = fine.fit(fine.prepare(codes), BinaryLabels(signed))
    np.testing.assert_array_equal(h.leaves, expected.leaves)
    np.testing.assert_array_equal(h.values(4), expected.values(4))
    feature = h.trees.feature[0]
    assert np.isclose(edges[:, feature], h.trees.threshold[0], rtol=1e-12, atol=0).any()


def test_the_smoothing_of_real_answers_counts_the_drawn_samples():
    X = np.arange(4.0)[:, None]
    weight = np.array([[0.4, -0.1], [0.2, 0.0], [-0.1, 0.1], [-0.1, 0.0]])
    drawn = np.array([[3, 1], [2, 0], [1, 1], [1, 0]])
    learner = MultiLabelStump("real")
    rows = learner.prepare(X)
    h = learner.fit(rows, BinaryLabels(weight, drawn))
    plus, minus = np.array([[0.6, 0.0], [0.0, 0.1]]), np.array([[0.0, 0.1], [0.2, 0.0]])
    b = 1.0 / 9
    np.testing.assert_allclose(
        h.trees.leaf_value, 0.5 * np.log((plus + b) / (minus + b)), rtol=1e-12
    )
    whole = learner.fit(rows, BinaryLabels(weight))
    b = 1.0 / 8
    np.testing.assert_allclose(
        whole.trees.leaf_value, 0.5 * np.log((plus + b) / (minus + b)), rtol=1e-12
    )
