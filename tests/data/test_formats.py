import re

import numpy as np
import pytest

from boostbench.data.loading import load
from boostbench.errors import DataError

CSV = """\
split,a,b,target
train,1,2.5,x
train,3,,y
train,5,6,x
train,7,8,y
test,1,3,x
test,2,4,y
"""
X = [[1, 2.5], [3, np.nan], [5, 6], [7, 8], [1, 3], [2, 4]]


def same(data):
    np.testing.assert_array_equal(data.X, X)
    assert data.y.tolist() == [0, 1, 0, 1, 0, 1]
    assert data.classes == ("x", "y")
    assert data.feature_names == ("a", "b")
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert data.y.dtype == np.int64


def test_parquet_without_pyarrow_says_what_to_install(folder, monkeypatch):
    (folder / "toy.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(Exception, match=r"pip install 'boostbench\[parquet\]'"):
        load("toy", None, [folder])


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
