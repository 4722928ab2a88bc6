"""Frames with categories, and sparse matrices, beside arrays of the same numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

from boostbench import make_booster
from boostbench.weak_learners import Tree

from .test_common import BINARY, every_booster, made, problem


@every_booster
def test_a_sparse_matrix_gives_the_model_of_its_numbers(name):
    X, y = problem(name if name in BINARY else "samme", 120)
    rng = np.random.default_rng(0)
    X[rng.random(X.shape) < 0.6] = 0.0
    X[rng.random(X.shape) < 0.05] = np.nan
    X[50:80], y[50:80] = X[:30], y[:30]  # equal samples
    expected = made(name, n_estimators=6, random_state=0).fit(X, y)
    stored = sp.csr_array(np.where(X == 0.0, 7.0, X))
    stored.data[stored.data == 7.0] = 0.0  # zeros that are stored
    for matrix in (sp.csr_array(X), sp.csc_matrix(X), stored):
        booster = made(name, n_estimators=6, random_state=0).fit(matrix, y)
        assert_array_equal(booster.scores(matrix), expected.scores(X))
        assert_array_equal(booster.scores(X), expected.scores(X))
        stages = zip(booster.staged_scores(matrix), expected.staged_scores(X), strict=True)
        for one, other in stages:
            assert_array_equal(one, other)


@pytest.mark.parametrize("edges", ["feature", "global"])
def test_bins_of_equal_width_are_those_of_the_numbers(edges):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * (rng.random((200, 3)) < 0.3)
    tree = Tree(splitter="equal-width", bin_range=edges, max_bins=9)
    dense, sparse = tree.prepare(X), tree.prepare(sp.csr_array(X))
    for one, other in zip(dense, sparse, strict=True):
        assert_array_equal(one, other)


def frame(n=200):
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "letter": pd.Categorical(rng.choice(["b", "a", "z"], n)),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
        }
    )
    X.loc[3, "letter"] = None
    return X, ((X["letter"] == "a") | (X["size"] == "L")).to_numpy().astype(int)


def test_categories_are_codes_by_their_order():
    X, y = frame()
    booster = make_booster("samme", n_estimators=5).fit(X, y)
    assert booster.categories_ == {"letter": ["a", "b", "z"], "size": ["S", "M", "L"]}
    assert booster.feature_names_in_.tolist() == ["number", "letter", "size"]
    codes = X.assign(
        letter=X["letter"].map({"a": 0.0, "b": 1.0, "z": 2.0}).astype(float),
        size=X["size"].map({"S": 0.0, "M": 1.0, "L": 2.0}).astype(float),
    )
    by_hand = make_booster("samme", n_estimators=5).fit(codes, y)
    assert_array_equal(booster.scores(X), by_hand.scores(codes))
    new = X.assign(letter="a value that is new")  # as text; like a missing value
    assert_array_equal(booster.scores(new), by_hand.scores(codes.assign(letter=np.nan)))


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_frames_of_other_packages_are_those_of_pandas(package):
    module = pytest.importorskip(package)
    X, y = frame()
    convert = module.from_pandas if package == "polars" else module.Table.from_pandas
    expected = make_booster("samme", n_estimators=5).fit(X, y).scores(X)
    booster = make_booster("samme", n_estimators=5).fit(convert(X), y)
    assert_array_equal(booster.scores(convert(X)), expected)
    numbers = X[["number"]]
    alone = make_booster("samme", n_estimators=5).fit(convert(numbers), y)
    expected = make_booster("samme", n_estimators=5).fit(numbers, y).predict(numbers)
    assert_array_equal(alone.predict(convert(numbers)), expected)
    other = make_booster("hist-gradient-boosting", n_estimators=5).fit(X, y)
    assert_array_equal(other.predict(convert(X)), other.predict(X))


@pytest.mark.parametrize("name", ["samme", "random-forest", "filter-and-refit", "one-vs-all"])
def test_skops_keeps_a_model(name):
    io = pytest.importorskip("skops.io")
    X, y = load_iris(return_X_y=True)
    booster = make_booster(name, n_estimators=5).fit(X, y)
    content = io.dumps(booster)
    trusted = io.get_untrusted_types(data=content)
    assert all(each.startswith(("boostbench.", "sklearn.")) for each in trusted)
    loaded = io.loads(content, trusted=trusted)
    assert type(loaded) is type(booster)
    assert_array_equal(loaded.predict_proba(X), booster.predict_proba(X))
