import bz2
import re

import numpy as np
import pandas as pd
import pytest

from boostbench.data.loading import load
from boostbench.errors import DataError

CSV = "split,a,b,target\n" + "".join(
    f"{part},{a},{b},{label}\n"
    for part, a, b, label in [
        ("train", 1, 2.5, "x"),
        ("train", 3, "", "y"),
        ("train", 5, 6, "x"),
        ("train", 7, 8, "y"),
        ("test", 1, 3, "x"),
        ("test", 2, 4, "y"),
    ]
)
X = [[1, 2.5], [3, np.nan], [5, 6], [7, 8], [1, 3], [2, 4]]


def same(data):
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == [0, 1, 0, 1, 0, 1]
    assert data.classes == ("x", "y")
    assert data.feature_names == ("a", "b")
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.y.dtype == np.int64


def test_a_packed_file_is_read_as_the_plain_one(put):
    for name in ("toy.csv.gz", "toy.csv"):
        data = load("toy", None, [put(name, CSV)])
        same(data)
        assert [len(part) for part in data.official] == [4, 2]


def test_parquet_with_damaged_text_is_refused(folder):
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(target=["north", "south"] * 3)
    content = frame.to_parquet()
    (folder / "toy.parquet").write_bytes(content.replace(b"north", b"no\xffth"))
    with pytest.raises(DataError, match="this is not a readable parquet file"):
        load("toy", None, [folder])


def test_parquet_without_pyarrow_says_what_to_install(folder, monkeypatch):
    (folder / "toy.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(Exception, match=r"pip install 'boostbench\[parquet\]'"):
        load("toy", None, [folder])


@pytest.mark.parametrize(("suffix", "pack"), [("", bytes), (".bz2", bz2.compress)])
def test_libsvm_training_and_test_file(folder, suffix, pack):
    (folder / "toy.yaml").write_text(
        "toy: {n_train: 4, n_test: 2, n_features: 3, n_classes: 2,"
        " libsvm: {train: binary/toy.scale, test: binary/toy.scale.t}}\n"
    )
    train = b"+1 1:1 2:2.5\n-1 1:3\n# a comment\n1 1:5 2:6\n-1 1:7 2:8 # here too\n"
    (folder / f"toy.scale{suffix}").write_bytes(pack(train))
    (folder / f"toy.scale.t{suffix}").write_bytes(pack(b"1 1:1 2:3\n-1 1:2 2:4\n"))
    data = load("toy", None, [folder])
    expected = np.column_stack([np.nan_to_num(X), np.zeros(6)])
    np.testing.assert_array_equal(data.X, expected)  # the third column has no entry anywhere
    assert data.classes == ("-1", "1")
    assert data.y.tolist() == [1, 0, 1, 0, 1, 0]
    assert [part.tolist() for part in data.official] == [[0, 1, 2, 3], [4, 5]]


def test_libsvm_parts_under_the_name_of_the_set(put):
    put("mine.libsvm.bz2", bz2.compress(b"1 1:1\n2 1:2\n"))
    data = load("mine", None, [put("mine.libsvm.t", "1 1:3\n")])
    assert data.X.ravel().tolist() == [1, 2, 3]
    assert [part.tolist() for part in data.official] == [[0, 1], [2]]


def test_one_hot_columns_are_named_and_missing_cells_stay_missing(put):
    folder = put("c.csv", "size,colour,target\n1,red,x\n2,blue,y\n3,,x\n")
    data = load("c", None, [folder], encode="one-hot")
    assert data.feature_names == ("size", "colour=blue", "colour=red")
    np.testing.assert_array_equal(data.X, [[1, 0, 1], [2, 1, 0], [3, np.nan, np.nan]])
    assert not data.categorical.any()


def test_missing_cells_are_filled_from_the_official_training_rows(put):
    text = CSV.replace("test,1,3,x", "test,1,,x").replace("test,2,4,y", "test,2,400,y")
    data = load("toy", None, [put("toy.csv", text)], missing="median")
    assert data.X[:, 1].tolist() == [2.5, 6, 6, 8, 6, 400]
    assert load("toy", None, [put("toy.csv", text)], missing=-999).X[1, 1] == -999


def test_a_cached_table_is_the_parsed_one(put, tmp_path, monkeypatch):
    monkeypatch.setattr("boostbench.data.loading._CACHED_FROM_BYTES", 0)
    folder = put("toy.csv.gz", CSV)
    first = load("toy", None, [folder])
    (cached,) = (tmp_path / "cache" / "columns").glob("*.npz")
    monkeypatch.setattr("boostbench.data.loading.parse_files", None)
    second = load("toy", None, [folder])
    same(second)
    assert second.columns == first.columns
    assert [p.tolist() for p in second.official] == [p.tolist() for p in first.official]
    monkeypatch.undo()
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    cached.write_bytes(cached.read_bytes()[:50])
    same(load("toy", None, [folder]))


def test_a_cache_that_cannot_be_written_only_costs_time(put, tmp_path, monkeypatch):
    monkeypatch.setattr("boostbench.data.loading._CACHED_FROM_BYTES", 0)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "file"))
    same(load("toy", None, [put("toy.csv", CSV)]))


@pytest.mark.parametrize(
    ("cells", "values"),
    [(["1,234", "5", "6"], {1234, 1.234}), (["01/02/1970", "03/04/1970"], {31, 1})],
)
def test_the_advice_of_a_refusal_can_be_copied_into_the_description(put, cells, values):
    folder = put("f.csv", "f;target\n" + "".join(f"{c};{i}\n" for i, c in enumerate(cells)))
    with pytest.raises(DataError) as caught:
        load("f", None, [folder])
    advice = re.findall(r"types: (\{.*?\})", str(caught.value))
    read = [load("f", None, [put("f.yaml", f"f: {{types: {types}}}")]).X[0, 0] for types in advice]
    assert set(read) == values
