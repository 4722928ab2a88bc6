"""Stumps of the test vectors of "Soft-max boosting": D is its data set of ten rows."""

import numpy as np
import pytest

from boostbench.weak_learners import BinaryLabels, Stump, WeightedLabels
from boostbench.weak_learners.multilabel import MultiLabelStump

X = np.array([[9, 0, 5, 8, 2, 1, 6, 7, 3, 4], [6, 2, 1, 7, 9, 0, 4, 8, 3, 5]], dtype=float).T
Y = np.array([2, 1, 2, 2, 0, 1, 0, 0, 0, 0], dtype=np.int32)
S = np.where(np.arange(3) == Y[:, None], 1.0, -1.0)

# (feature from 1, threshold, answer for <=, answer for >), +1 means "this label"
MH_ROUNDS = [
    (np.zeros((10, 3)), [(2, 2.5, -1, 1), (1, 1.5, 1, -1), (1, 7.5, -1, 1)]),
    (1.09861229, [(1, 7.5, 1, -1), (1, 1.5, 1, -1), (1, 4.5, -1, 1)]),
    (1.14119119, [(2, 7.5, -1, 1), (1, 1.5, 1, -1), (2, 1.5, 1, -1)]),
]


def stumps(h):
    trees = h.trees
    answers = trees.leaf_value[:, 0].reshape(-1, 2)
    return [
        (trees.feature[t] + 1, trees.threshold[t], *answers[t].tolist())
        for t in range(trees.n_trees)
    ]


def answer(stump):
    feature, threshold, low, high = stump
    return np.where(X[:, feature - 1] <= threshold, low, high)


def test_adaboost_mh_stumps_v6():
    learner = Stump()
    data = learner.prepare(X)
    psi = np.zeros((10, 3))
    previous = None
    for alpha, expected in MH_ROUNDS:
        if previous is not None:
            psi += alpha * np.column_stack([answer(stump) for stump in previous])
        w = np.exp(-S * psi)
        assert stumps(learner.fit(data, BinaryLabels(S * w / w.sum()))) == expected
        previous = expected


@pytest.mark.parametrize(
    ("counts", "delta_true", "expected"),
    [
        (
            "012 111 120 000 101 000 000 000 000 010",
            2.0 / 3.0,
            # the paper's + lowers, so its (+, -) is (-1, +1) here
            [(2, 5.5, -1, 1), (1, 2.0, 1, -1), (1, 5.5, -1, 1)],
        ),
    ],
)
def test_sampled_stumps_v4_split_between_sampled_values(counts, delta_true, expected):
    n = np.array([[int(c) for c in row] for row in counts.split()], dtype=float)
    magnitude = np.where(S > 0, delta_true, 1.0 / 3.0)
    learner = Stump()
    h = learner.fit(learner.prepare(X), BinaryLabels(n * S * magnitude))
    assert stumps(h) == expected


def test_samme_stumps_v7():
    learner = Stump()
    data = learner.prepare(X)
    weights = [
        np.full(10, 0.1),
        np.where(np.isin(np.arange(10), [0, 2, 3]), 0.22222222, 0.04761905),
        np.choose([0, 1, 0, 0, 2, 1, 1, 1, 2, 2], [0.09150327, 0.16666667, 0.01960784]),
    ]
    expected = [(1, 1.5, 1, 0), (1, 4.5, 0, 2), (1, 1.5, 1, 0)]
    for w, (feature, threshold, low, high) in zip(weights, expected, strict=True):
        h = learner.fit(data, WeightedLabels(Y, w, 3))
        assert h.trees.feature.tolist() == [feature - 1]
        assert h.trees.threshold.tolist() == [threshold]
        assert h.trees.leaf_column.tolist() == [low, high]


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
