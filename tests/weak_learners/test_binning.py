import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boostbench.weak_learners.binning import SPARSE_SHARE, bin_features

#: Tables of few rows, with zeros of both signs and missing values.
tables = arrays(
    np.float64,
    st.tuples(st.integers(1, 40), st.integers(1, 4)),
    elements=st.sampled_from([-0.0, np.nan]) | st.integers(-3, 3).map(float) | st.floats(-1e6, 1e6),
)


@given(tables)
def test_few_distinct_values_get_a_bin_each(X):
    data = bin_features(X)
    for j, column in enumerate(X.T):
        distinct = np.unique(column[~np.isnan(column)])
        assert data.n_bins[j] == len(distinct)
        codes = np.where(np.isnan(column), len(distinct), np.searchsorted(distinct, column))
        np.testing.assert_array_equal(data.codes[j], codes)
        bins = slice(*data.offset[j : j + 2])
        np.testing.assert_array_equal(data.low[bins], np.unique(column))  # NaN is the last
        np.testing.assert_array_equal(data.high[bins], np.unique(column))


@pytest.mark.parametrize("n_values", [254, 255, 256, 257])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_bins_follow_the_quantiles_of_the_values(n_values, missing):
    rng = np.random.default_rng(n_values)
    distinct = rng.normal(size=n_values)
    values = rng.permutation(distinct.repeat(rng.integers(1, 9, n_values)))
    values[rng.random(len(values)) < missing] = np.nan
    n_values = len(np.unique(values[~np.isnan(values)]))
    data = bin_features(values[:, None])
    assert data.n_bins[0] == n_values if n_values <= 255 else 128 <= data.n_bins[0] <= 255
    codes = data.codes[0].astype(int)
    assert (np.diff(codes[np.argsort(values)]) >= 0).all()  # missing values are last
    assert len(np.unique(codes[~np.isnan(values)])) == data.n_bins[0]
    assert (codes[np.isnan(values)] == data.n_bins[0]).all()
    low, high = data.low[codes], data.high[codes]
    assert (np.isnan(values) | ((low <= values) & (values <= high))).all()


@pytest.mark.parametrize("max_bins", [2, 16, 255])
def test_many_distinct_values_get_bins_of_about_equally_many_rows(max_bins):
    values = np.random.default_rng(0).normal(size=5000)
    data = bin_features(values[:, None], max_bins=max_bins)
    counts = np.bincount(data.codes[0])
    assert len(counts) == max_bins
    assert counts.max() <= 2 * counts.min()
    low, high = data.low[data.codes[0]], data.high[data.codes[0]]
    assert ((low <= values) & (values <= high)).all()
    assert (data.high[:-1] < data.low[1:]).all()


@pytest.mark.parametrize("max_bins", [7, 255])
def test_bins_are_quantiles_of_the_samples(max_bins):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 2)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    count = rng.integers(1, 9, 700) ** 2
    rows = rng.permutation(700)[:500]
    merged = bin_features(X, rows, count[rows], max_bins)
    apart = bin_features(X[rows].repeat(count[rows], axis=0), max_bins=max_bins)
    for name in ("offset", "n_bins", "low", "high"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(apart, name))
    np.testing.assert_array_equal(merged.codes.repeat(count[rows], axis=1), apart.codes)
    uncounted = bin_features(X, rows, None, max_bins)
    assert not np.array_equal(uncounted.high, merged.high, equal_nan=True)


def test_a_frequent_value_does_not_starve_the_others():
    values = np.concatenate([np.zeros(9000), np.arange(1.0, 1001.0)])
    data = bin_features(values[:, None], max_bins=101)
    assert data.n_bins[0] == 101
    assert np.bincount(data.codes[0])[1:].max() <= 20


@pytest.mark.parametrize("sparse_share", [0.0, 0.6, 2.0])
def test_rows_hold_every_code_but_the_most_frequent_of_sparse_features(sparse_share):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (200, 6)) * (rng.random((200, 6)) < np.linspace(0.1, 1.0, 6)) * 1.0
    X[rng.random(X.shape) < 0.05] = np.nan
    data = bin_features(X, sparse_share=sparse_share)
    expected = (data.codes + data.offset[:-1, None]).T
    for i in range(len(X)):
        dense = set((data.dense_codes[i] + data.dense_offset.astype(np.int64)).tolist())
        first, end = data.sparse_start[i : i + 2] if len(data.sparse_features) else (0, 0)
        sparse = set(data.sparse_bins[first:end].tolist())
        left_out = {
            b
            for j, b in zip(data.sparse_features, data.default_bin, strict=True)
            if expected[i, j] == b
        }
        assert dense | sparse | left_out == set(expected[i].tolist())
        assert not sparse & left_out


@given(tables)
def test_the_features_with_a_frequent_bin_are_sparse(X):
    data = bin_features(X)
    counts = [np.bincount(codes) for codes in data.codes]
    sparse = [j for j, its in enumerate(counts) if its.max() >= SPARSE_SHARE * len(X)]
    assert data.sparse_features.tolist() == sparse
    assert data.default_bin.tolist() == [data.offset[j] + counts[j].argmax() for j in sparse]
