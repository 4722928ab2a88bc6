"""Every file of the folder BOOSTBENCH_DATA loads and is what the catalog says."""

import os
from pathlib import Path

import numpy as np
import pytest

from boostbench.data.catalog import find_entry
from boostbench.data.loading import load, sha256_of_rows
from boostbench.data.sources import locate
from boostbench.data.splits import split

FOLDER = os.environ.get("BOOSTBENCH_DATA", "")
FOLDER = str(Path(FOLDER).resolve()) if FOLDER else ""
FILES = sorted(Path(FOLDER).resolve().glob("*.csv.gz")) if FOLDER else []

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FILES, reason="BOOSTBENCH_DATA names no folder with *.csv.gz files"),
]


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.name.partition(".")[0])
def test_a_file_of_the_folder_fits_the_catalog(file):
    name = file.name.removesuffix(".csv.gz")
    entry = find_entry(name, [FOLDER])
    assert entry.name == name
    assert locate(name, None, [FOLDER]).paths == (file,)
    data = load(name, None, [FOLDER])
    assert data.n_rows in (entry.n_rows, *entry.variants)
    assert (data.n_features, data.n_classes) == (entry.n_features, entry.n_classes)
    assert int(data.categorical.sum()) == entry.n_categorical
    assert (data.official is None) == (entry.n_train is None)
    assert set(np.unique(data.y)) == set(range(data.n_classes))
    codes = data.X[:, data.categorical]
    assert np.array_equal(codes, np.floor(codes), equal_nan=True)


@pytest.mark.parametrize("name", ["dna", "segment", "vowel", "pima", "car", "blood"])
def test_rows_have_the_checksum_of_the_catalog(name):
    if not any(file.name == f"{name}.csv.gz" for file in FILES):
        pytest.skip(f"{name} is not there")
    located = locate(name, None, [FOLDER])
    assert sha256_of_rows(located) == find_entry(name).rows_sha256


@pytest.mark.parametrize("name", ["abalone-3c", "connect-4-2c"])
def test_merged_classes(name):
    base = find_entry(name, [FOLDER]).base
    if not any(file.name == f"{base}.csv.gz" for file in FILES):
        pytest.skip(f"{base} is not there")
    data = load(name, None, [FOLDER])
    counts = np.bincount(data.y)
    assert data.n_classes == find_entry(name).n_classes
    if name == "connect-4-2c":
        assert counts.max() / counts.sum() == pytest.approx(0.754, abs=0.0005)


def test_digits_are_the_test_rows_of_optdigits():
    if not any(file.name == "optdigits.csv.gz" for file in FILES):
        pytest.skip("optdigits is not there")
    data = load("optdigits", None, [FOLDER])
    _, test = split(data, "official", np.random.default_rng(0))
    np.testing.assert_array_equal(data.X[test], load("digits").X)
    np.testing.assert_array_equal(data.y[test], load("digits").y)
