"""Rows of ARFF and parquet files, and files written by others; liac-arff is the judge of ARFF."""

import io
import re
from datetime import date

import arff
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from boostbench.data.columns import MISSING, clean
from boostbench.data.loading import load

N = np.nan


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]),
    min_size=1,
    max_size=6,
).filter(
    lambda text: (
        clean(f"w{text}") == f"w{text}"
        and clean(text) == text not in MISSING
        and not text[0].isdigit()
    )
)
numbers = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def frames(draw):
    """Draw columns of numbers, words and dates, some cells missing, and labels."""
    n = draw(st.integers(2, 8))

    def column(cells):
        return draw(st.lists(st.none() | cells, min_size=n, max_size=n))

    dates = st.dates(date(1800, 1, 1), date(2200, 12, 31))
    labels = draw(st.lists(st.sampled_from(["x", "y z", "it's", '"q"']), min_size=n, max_size=n))
    return pd.DataFrame(
        {
            "number": pd.Series(column(numbers), dtype="float64"),
            "word": pd.Series([None if w is None else f"w{w}" for w in column(words)], dtype="str"),
            "day": pd.Series(column(dates), dtype="object"),
            "target": ["x", "y z", *labels][:n],
        }
    )


def write_arff(frame, path):
    rows = frame.astype(object).where(frame.notna(), None)
    rows["day"] = [None if d is None else d.isoformat() for d in rows["day"]]
    kinds = ["REAL", "STRING", "STRING", "STRING"]
    table = {
        "relation": "r",
        "attributes": list(zip(frame, kinds, strict=True)),
        "data": rows.to_numpy().tolist(),
    }
    path.write_text(arff.dumps(table), encoding="utf-8")


def dialect(**options):
    return lambda frame, path: frame.to_csv(path, index=False, **options)


WAYS = {
    "comma.csv": dialect(),
    "semicolon.csv": dialect(sep=";"),
    "german.csv": dialect(sep=";", decimal=",", date_format="%d.%m.%Y"),
    "tab.csv": dialect(sep="\t"),
    "bar.csv": dialect(sep="|"),
    "quoted.csv": dialect(quoting=1),
    "crlf.csv": dialect(lineterminator="\r\n"),
    "mark.csv": dialect(encoding="utf-8-sig"),
    "wide.csv": dialect(sep="\t", encoding="utf-16"),
    "packed.csv.gz": dialect(compression="gzip"),
    "weka.arff": write_arff,
    "arrow.parquet": lambda frame, path: frame.to_parquet(path),
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=frames())
def test_a_frame_is_read_back_the_same_from_every_format_and_dialect(folder, way, frame):
    WAYS[way](frame, folder / way)
    data = load(way.partition(".")[0], None, [folder])
    assert [data.classes[k] for k in data.y] == frame["target"].tolist()
    values = dict(zip(data.feature_names, data.X.T, strict=True))
    np.testing.assert_array_equal(values["number"], frame["number"])
    origin = date(1970, 1, 1)
    np.testing.assert_array_equal(
        values["day"], [N if d is None else (d - origin).days for d in frame["day"]]
    )
    [column] = [column for column in data.columns if column.name == "word"]
    if column.values is not None:
        words = [None if np.isnan(code) else column.values[int(code)] for code in values["word"]]
        assert words == [None if pd.isna(word) else word for word in frame["word"]]
    else:
        assert frame["word"].isna().all()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(st.none() | numbers, st.none() | words, st.none() | words),
        min_size=2,
        max_size=6,
    )
)
@example(rows=[(1.0, "it's", '"'), (None, "a, b", "%"), (2.0, "c\\d", "\\")])
def test_arff_cells_are_those_that_liac_arff_reads(folder, rows):
    # liac-arff does not quote braces, which it then cannot read
    rows = [(a, *(w and re.sub("[{}]", "_", w) for w in words)) for a, *words in rows]
    nominal = sorted({row[2] for row in rows if row[2] is not None} | {"p", "q"})
    table = {
        "relation": "r",
        "attributes": [("a", "REAL"), ("s", "STRING"), ("n", nominal), ("class", ["x", "y"])],
        "data": [
            [a, None if s is None else f"w{s}", n, "xy"[i % 2]] for i, (a, s, n) in enumerate(rows)
        ],
    }
    text = arff.dumps(table)
    (folder / "f.arff").write_text(text, encoding="utf-8")
    data = load("f", None, [folder])
    columns = {column.name: column.values for column in data.columns}
    for j, name in enumerate(["a", "s", "n"]):
        read = [None if np.isnan(x) else x for x in data.X[:, j]]
        if columns[name] is not None:
            read = [None if x is None else columns[name][int(x)] for x in read]
        assert read == [row[j] for row in arff.load(io.StringIO(text))["data"]]
