import numpy as np

from boostbench.data.dataset import impute

NAN = np.nan
X = np.array([[1.0, 0.0, NAN], [2.0, 2.0, NAN], [NAN, 2.0, NAN], [9.0, NAN, NAN]])


def test_nothing_missing_or_nothing_to_do_copies_nothing():
    assert impute(X, "keep") is X
    full = np.ones((2, 2))
    assert impute(full, "median") is full


def test_rules():
    assert impute(X, "median")[:, :2].tolist() == [[1, 0], [2, 2], [2, 2], [9, 2]]
    assert impute(X, "most-frequent")[2, 0] == 1
    assert impute(X, -9)[3, 1] == -9
    assert np.isnan(X[2, 0])


def test_a_column_without_any_value_is_filled_with_zero():
    assert impute(X, "median")[:, 2].tolist() == [0, 0, 0, 0]


def test_a_categorical_column_takes_its_most_frequent_code():
    codes = np.array([[0.0], [0.0], [3.0], [4.0], [NAN]])
    assert impute(codes, "median", categorical=np.array([True]))[4, 0] == 0
