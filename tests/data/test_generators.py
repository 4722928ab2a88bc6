import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import make_classification

from boostbench.data import generators as g
from boostbench.data.loading import load

ALL = {
    "gaussians-mcboost": {},
    "gaussians-spl": {},
    "long-servedio": {"n_train": 40, "n_test": 20},
    "madelon": {"n_test": 50},
    "ring-norm": {},
    "two-norm": {},
    "waveform": {},
}


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", ALL)
def test_a_generator_depends_on_its_stream_alone(name):
    first, again, other = (load(name, ALL[name], rng=rng(s)) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert first.extras == again.extras
    assert not np.array_equal(first.X, other.X)


@pytest.mark.parametrize("name", ALL)
def test_the_first_rows_train_and_the_others_test(name):
    data = load(name, ALL[name], rng=rng())
    assert np.concatenate(data.official).tolist() == list(range(data.n_rows))
    assert data.X.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert set(np.unique(data.y)) == set(range(data.n_classes))


def test_madelon_draws_within_its_laws_and_redraws_what_cannot_be():
    ranges = {**g._MADELON_RANGES, "beta": (0, 0.25)}
    seen = {key: set() for key in ranges}
    for seed in range(60):
        data = g.madelon(rng(seed), n_test=20)
        drawn = data.extras
        assert drawn["n_classes"] * drawn["n_clusters_per_class"] <= 2 ** drawn["n_informative"]
        assert data.n_features == sum(
            drawn[f"n_{part}"] for part in ("informative", "redundant", "repeated", "useless")
        )
        assert len(data.official[0]) == drawn["n_train"]
        assert len(data.official[1]) == 20
        for key, (low, high) in ranges.items():
            assert low <= drawn[key] <= high
            seen[key].add(drawn[key])
    assert all(len(seen[key]) >= 3 for key in ranges)
    assert {2, 10} <= seen["n_informative"]


def test_madelon_may_redraw_only_the_classes():
    drawn = [g.madelon(rng(seed), n_test=2, redraw="classes").extras for seed in range(120)]
    for one in drawn:
        assert one["n_classes"] * one["n_clusters_per_class"] <= 2 ** one["n_informative"]
    two = [one for one in drawn if one["n_informative"] == 2]
    assert 3 <= len(two) <= 30  # 120 / 9 are expected; of "all" hardly any
    assert {one["n_classes"] * one["n_clusters_per_class"] for one in two} == {4}


def test_long_servedio_facts():
    data = g.long_servedio(rng(), n_train=4000, n_test=10_000)
    for rows in data.official:
        right = data.X[rows] == data.y[rows, None]
        count = right.sum(axis=1)
        quarter = len(rows) // 4
        assert np.sum(count == 21) == quarter
        assert np.sum(count == 11) == 3 * quarter
        pullers = right[:, :11].all(axis=1) & ~right[:, 11:].any(axis=1)
        assert np.sum(pullers) == quarter
        penalizers = right[(count == 11) & ~pullers]
        assert (penalizers[:, :11].sum(axis=1) == 5).all()
        assert (penalizers[:, 11:].sum(axis=1) == 6).all()
        assert (count > 10).all()
        np.testing.assert_allclose(right[:, :11].mean(axis=0), 8 / 11, atol=0.02)
        np.testing.assert_allclose(right[:, 11:].mean(axis=0), 11 / 20, atol=0.03)
    assert data.y.mean() == pytest.approx(0.5, abs=0.02)
    assert set(np.unique(data.X)) == {0.0, 1.0}


A = np.full(20, 2 / np.sqrt(20))
#: Size, means and covariances of the classes, and the Bayes error by Breiman or in the papers.
MIXTURES = {
    "two-norm": (100_000, [A, -A], [np.eye(20)] * 2, 0.0228, 0.0015),
    "ring-norm": (100_000, [0 * A, A], [4 * np.eye(20), np.eye(20)], 0.0125, 0.0012),
    "gaussians-spl": (
        200_000,
        [[2, -2], [-2, 2]],
        [[[2.5, 1.5], [1.5, 5]], [[2.3, -0.7], [-0.7, 2.3]]],
        *(0.03281, 0.001),
    ),
    "gaussians-mcboost": (
        200_000,
        [[1, 2], [-1, 0], [2, -1]],
        [[[1, 0.5], [0.5, 2]], [[1, 0.3], [0.3, 1]], [[0.4, 0.1], [0.1, 0.8]]],
        *(0.11445, 0.002),
    ),
}


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixture_of_gaussians_has_its_bayes_error(name):
    n, means, covariances, expected, tolerance = MIXTURES[name]
    data = load(name, {"n_test": n}, rng=rng())
    classes = zip(means, covariances, strict=True)
    densities = [multivariate_normal(*each).logpdf(data.X) for each in classes]
    error = np.mean(np.argmax(densities, axis=0) != data.y)
    assert error == pytest.approx(expected, abs=tolerance)


def test_the_training_part_of_spl_boosting_has_even_classes():
    data = load("gaussians-spl", {"n_train": 200}, rng=rng())
    assert data.classes == ("-1", "1")
    assert np.bincount(data.y[:200]).tolist() == [100, 100]


def test_waveform_classes_have_the_means_of_their_waves():
    data = g.waveform(rng(), n_train=60_000, n_test=0, n_useless=2)
    i = np.arange(1, 22)
    h = [np.maximum(6 - np.abs(i - 11 - shift), 0) for shift in (0, 4, -4)]
    for k, (first, second) in enumerate([(0, 1), (0, 2), (1, 2)]):
        mean = data.X[data.y == k].mean(axis=0)
        np.testing.assert_allclose(mean[:21], (h[first] + h[second]) / 2, atol=0.06)
        np.testing.assert_allclose(mean[21:], 0, atol=0.06)
    # Near its tip a wave's own share u shifts it: variance 1 + 36 / 12 there.
    assert data.X[data.y == 0, 6].var() == pytest.approx(1 + 4 / 12, abs=0.1)


def test_madelon_draws_the_rows_of_make_classification():
    for seed in range(12):
        data = g.madelon(rng(seed), n_test=40)
        same = rng(seed)
        drawn = g._draw_madelon(same, [None] * 7, "all")
        same.uniform(0.0, 0.25)
        kinds = ("informative", "redundant", "repeated", "useless")
        X, y = make_classification(
            n_samples=drawn["n_train"] + 40,
            n_features=sum(drawn[f"n_{kind}"] for kind in kinds),
            **{key: drawn[key] for key in drawn if key not in ("n_train", "n_useless")},
            flip_y=0.0,
            shift=None,
            scale=None,
            random_state=int(same.integers(2**32)),
        )
        np.testing.assert_array_equal(data.y, y)
        np.testing.assert_allclose(data.X, X, rtol=1e-9, atol=1e-9)
