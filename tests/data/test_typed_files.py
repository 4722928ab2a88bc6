"""ARFF, libsvm and parquet files, each with its right reading; liac-arff is the judge of ARFF."""

import io
import re
from datetime import date, time, timedelta
from decimal import Decimal

import arff
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from boostbench.data import load
from boostbench.data.columns import MISSING, clean
from boostbench.errors import DataError

N = np.nan

#: Type of an attribute, its cells in three rows, and the values and categories, or the message.
ARFF = [
    ("numeric", "1|2.5|-3e2", [1, 2.5, -300], None),
    ("REAL", "1|?|3", [1, N, 3], None),
    ("Integer", "1||3", [1, N, 3], None),
    ("real [0,5]", "1|2|3", [1, 2, 3], None),
    ("numeric", "'1'|\"2\"|3", [1, 2, 3], None),
    ("numeric", " 1 |\t2|3 ", [1, 2, 3], None),
    ("numeric", "1|nan|3", [1, N, 3], None),
    (
        "numeric",
        "1|x|3",
        "f.arff:6: column 'f' holds 'x', which is not a number; the f",
        None,
    ),
    ("numeric", "1|1,5|3", "f.arff:6: the row has 3 cells, the header has 2", None),
    ("numeric", "1|'1,5'|3", "column 'f' holds '1,5', which is not a number", None),
    ("numeric", "1|inf|3", "f.arff:6: column 'f' holds inf", None),
    ("{a,b}", "a|b|a", [0, 1, 0], ("a", "b")),
    ("{b,a}", "a|b|a", [0, 1, 0], ("a", "b")),
    ("{ a , b }", "a|b|a", [0, 1, 0], ("a", "b")),
    ("{1,2,10}", "10|2|1", [2, 1, 0], ("1", "2", "10")),
    ("{0,1}", "0|1|0", [0, 1, 0], ("0", "1")),
    ("{1,2,3}", "1|3|?", [0, 1, N], ("1", "3")),
    ("{1.0,2.0}", "1.0|2.0|1.0", [0, 1, 0], ("1.0", "2.0")),
    ("{a,b}", "a|?|b", [0, N, 1], ("a", "b")),
    ("{a,b}", "a||b", [0, N, 1], ("a", "b")),
    ("{a,?}", "a|?|a", [1, 0, 1], ("?", "a")),
    ("{NA,EU}", "NA|EU|?", [1, 0, N], ("EU", "NA")),
    ("{None,null}", "None|null|?", [0, 1, N], ("None", "null")),
    ("{a,b}", "a|c|b", "f.arff:6: column 'f' holds 'c', not a declared value", None),
    ("{a,b}", "A|a|b", "f.arff:5: column 'f' holds 'A', not a declared value", None),
    ("{'dark red',blue}", "'dark red'|blue|\"dark red\"", [1, 0, 1], ("blue", "dark red")),
    ("{\"a, b\",'c, d'}", "\"a, b\"|'c, d'|'a, b'", [0, 1, 0], ("a, b", "c, d")),
    ('{"x",y}', '"x"|x|y', [0, 0, 1], ("x", "y")),
    (r"{'it\'s',c}", r"'it\'s'|c|'it\'s'", [1, 0, 1], ("c", "it's")),
    (r'{"a \"b\"",c}', r'"a \"b\""|c|c', [0, 1, 1], ('a "b"', "c")),
    (r"{'\'B1of3\'','\'B2of3\''}", r"'\'B1of3\''|'\'B2of3\''|?", [0, 1, N], ("'B1of3'", "'B2of3'")),
    (r"{'a\\b',c}", r"'a\\b'|c|c", [0, 1, 1], ("a\\b", "c")),
    ('{"it\'s",c}', '"it\'s"|c|c', [1, 0, 0], ("c", "it's")),
    ("{'say \"x\"',c}", "'say \"x\"'|c|c", [1, 0, 0], ("c", 'say "x"')),
    ("{'  yes','no  '}", "'  yes'|'no  '|'no  '", [1, 0, 0], ("no", "yes")),
    ("{'{a}',b}", "'{a}'|b|b", [1, 0, 0], ("b", "{a}")),
    ("{'50%',b}", "'50%'|b|b", [0, 1, 1], ("50%", "b")),
    ("{'',b}", "''|b|b", [0, 1, 1], ("", "b")),
    ("{<=5,>5}", "<=5|>5|<=5", [0, 1, 0], ("<=5", ">5")),
    ("{a-b,a_b,a.b}", "a-b|a_b|a.b", [0, 2, 1], ("a-b", "a.b", "a_b")),
    ("{\u00e9,\u65e5\u672c}", "\u00e9|\u65e5\u672c|e\u0301", [0, 1, 0], ("\u00e9", "\u65e5\u672c")),
    ("{'a\u3000b',c}", "'a\u3000b'|c|c", [0, 1, 1], ("a b", "c")),
    ("{'a\u2028b',c}", "'a\u2028b'|c|c", [0, 1, 1], ("a b", "c")),
    ("{'a\x0cb','a\x85b',c}", "'a\x0cb'|'a\x85b'|c", [0, 0, 1], ("a b", "c")),
    ("{a}", "a|a|?", [0, 0, N], ("a",)),
    ("string", "it's|b|a", [2, 1, 0], ("a", "b", "it's")),
    ("string", "'some text'|\"some text\"|other", [1, 1, 0], ("other", "some text")),
    ("string", r"'a\nb'|'a\tb'|'a b'", [0, 0, 0], ("a b",)),
    ("string", r"'\u0041'|A|B", [0, 0, 1], ("A", "B")),
    ("string", "don't|won't|x", [0, 1, 2], ("don't", "won't", "x")),
    ("string", "5'|x\"|y", [0, 1, 2], ("5'", 'x"', "y")),
    ('date "yyyy-MM-dd"', "2020-01-02|1970-01-01|?", [18263, 0, N], None),
    ("date 'dd/MM/yyyy'", "02/01/2020|01/01/1970|?", [18263, 0, N], None),
    (
        'DATE "yyyy-MM-dd HH:mm:ss"',
        '"1970-01-01 12:00:00"|?|"1970-01-02 00:00:00"',
        [0.5, N, 1],
        None,
    ),
    ("date", "1970-01-01T12:00:00|1970-01-02T00:00:00|?", [0.5, 1, N], None),
    ('date "dd-MMM-yy"', "02-Jan-70|01-JAN-70|?", [1, 0, N], None),
    (
        "date 'yyyy-MM-dd'",
        "2020-01-02|x|?",
        "f.arff:6: column 'f' holds 'x', but is declared",
        None,
    ),
    (
        "date 'yyyy-MM-dd z'",
        "?|?|?",
        "attributes of type \"date 'yyyy-MM-dd z'\" are not read",
        None,
    ),
    ("relational", "?|?|?", "f.arff:2: attributes of type 'relational' are not read", None),
    ("colour", "?|?|?", "attributes of type 'colour' are not read", None),
]

HEAD = "@relation r\n@attribute f real\n@attribute class {x,y}\n"
ROWS = "@data\n1,x\n2,y\n"
#: Whole ARFF files with the feature f of the values 1, 2 and the labels x, y.
ARFF_FILES = {
    "upper case": "@RELATION r\n@ATTRIBUTE f NUMERIC\n@ATTRIBUTE class {x,y}\n" + ROWS,
    "comments": "% c\n" + HEAD.replace("\n", "\n% d\n") + "@data\n% e\n1,x\n%\n2,y\n",
    "CRLF": (HEAD + ROWS).replace("\n", "\r\n"),
    "CR": (HEAD + ROWS).replace("\n", "\r"),
    "mark": "\ufeff" + HEAD + ROWS,
    "tabs": HEAD.replace(" ", "\t") + "@data\n1,\tx\n2,\ty\n",
    "quoted names": HEAD.replace(" r\n", " 'a b'\n").replace("class", '"class"') + ROWS,
    "no space before the values": HEAD.replace(" {", "{") + ROWS,
    "no relation": HEAD.partition("\n")[2] + ROWS,
    "indented": (HEAD + ROWS).replace("\n", "\n  "),
    "blank lines": (HEAD + ROWS).replace("\n", "\n\n"),
    "last attribute": HEAD.replace("class", "kind") + ROWS,
    "sparse": HEAD + "@data\n{0 1}\n{0 2, 1 y}\n",
    "sparse, quoted": HEAD.replace("{x", '{"x"') + '@data\n{0 1,1 "x"}\n{0 2,1 y}\n',
    "sparse and dense": HEAD + "@data\n1,x\n{ 0 2 , 1 y }\n",
    "string labels": HEAD.replace("{x,y}", "string") + "@data\n1,x\n2,'y'\n",
}

LIBSVM = [
    ("1 1:1\n2 1:3\n", [[1], [3]], ("1", "2")),
    ("+1 1:1\n-1 1:3\n", [[1], [3]], ("-1", "1")),
    ("1.0 1:1\n2.50 1:3\n", [[1], [3]], ("1", "2.5")),
    ("1.000000e+00 1:1\n0.000000e+00 1:3\n", [[1], [3]], ("0", "1")),
    (
        "9007199254740993 1:1\n9007199254740992 1:3\n",
        [[1], [3]],
        ("9007199254740992", "9007199254740993"),
    ),
    ("1 1:1 # note\n# all\n\n2 1:3\n", [[1], [3]], ("1", "2")),
    ("1 1:1\r\n2 1:3\r\n", [[1], [3]], ("1", "2")),
    ("1 qid:3 1:1\n2 qid:4 1:3\n", [[1], [3]], ("1", "2")),
    ("1 1:1   3:2  \n2\t2:3\n", [[1, 0, 2], [0, 3, 0]], ("1", "2")),
    ("1 0:1 2:2\n2 1:3\n", [[1, 0, 2], [0, 3, 0]], ("1", "2")),
    ("1 1:1e-3\n2 1:.5\n", [[0.001], [0.5]], ("1", "2")),
    ("01 1:1\n1 1:3\n", [[1], [3]], ("01", "1")),
    ("1 1:1\n2 1:nan\n", [[1], [N]], ("1", "2")),
    ("nan 1:1\n2 1:3\n", "f.svm:1: the label is missing ('nan'); every row needs one", None),
    ("1 1:1\ninf 1:3\n", "f.svm:2: the label is missing ('inf')", None),
    ("1,2 1:1\n2 1:3\n", "f.svm:1: the label '1,2' is not a number", None),
    ("a 1:1\n2 1:3\n", "the label 'a' is not a number", None),
    ("1 1:1\n2 1:3,2\n", "f.svm:2: '1:3,2' is not INDEX:VALUE", None),
    ("1 1:1\n2 -1:3\n", "'-1:3' is not INDEX:VALUE", None),
    ("1 1:1\n2 1:3 1:4\n", "index 1 follows 1; indices must rise", None),
    ("1 1:1\n1 1:3\n", "all 2 rows have the one label '1'", None),
]

#: Columns of a data frame that is saved as parquet, and their values and categories.
PARQUET = [
    (pd.Series([1, 2, 3]), [1, 2, 3], None),
    (pd.Series([1, None, 3], dtype="Int64"), [1, N, 3], None),
    (pd.Series([1.5, None, 3], dtype="float32"), [1.5, N, 3], None),
    (pd.Series([1, 2, 255], dtype="uint8"), [1, 2, 255], None),
    (pd.Series([2**63, 1, 2], dtype="uint64"), [2**63, 1, 2], None),
    (pd.Series([True, False, True]), [1, 0, 1], ("False", "True")),
    (pd.Series([True, None, False], dtype="boolean"), [1, N, 0], ("False", "True")),
    (pd.Series([Decimal("1.50"), Decimal("2"), None]), [1.5, 2, N], None),
    (pd.Series(["a", None, "b"]), [0, N, 1], ("a", "b")),
    (pd.Series(["1,5", "2", None]), [1.5, 2, N], None),
    (pd.Series(["a", "NA", "b"]), [0, N, 1], ("a", "b")),
    (pd.Series([b"a", b"b", None]), [0, 1, N], ("a", "b")),
    (pd.Categorical([10, 9, 10]), [1, 0, 1], ("9", "10")),
    (pd.Categorical(["b", None, "a"]), [1, N, 0], ("a", "b")),
    (pd.Categorical(["NA", "EU", None]), [1, 0, N], ("EU", "NA")),
    (
        pd.Categorical(["lo", "hi", "lo"], ["lo", "mid", "hi"], ordered=True),
        [0, 1, 0],
        ("lo", "hi"),
    ),
    (pd.Categorical([1.5, 2.5, 1.5]), [0, 1, 0], ("1.5", "2.5")),
    (
        pd.to_datetime(
            pd.Series(["1970-01-02", None, "1970-01-01 12:00"], dtype="str"), format="mixed"
        ),
        [1, N, 0.5],
        None,
    ),
    (pd.to_datetime(pd.Series(["1970-01-02", "1970-01-03", None]), utc=True), [1, 2, N], None),
    (
        pd.to_datetime(pd.Series(["1970-01-02", "1970-01-03", None])).dt.tz_localize("Asia/Tokyo"),
        [0.625, 1.625, N],
        None,
    ),
    (pd.Series([date(1970, 1, 2), None, date(9999, 12, 31)]), [1, N, 2932896], None),
    (pd.Series([time(12, 30), time(0, 0, 1), None]), [45000, 1, N], None),
    (
        pd.Series([timedelta(days=1), timedelta(days=10), timedelta(days=2)]),
        [86400, 864000, 172800],
        None,
    ),
    (pd.Categorical([10, None, 9]), [1, N, 0], ("9", "10")),
    (pd.Series([None, None, None]), [N, N, N], None),
]


def message_of(folder):
    with pytest.raises(DataError) as caught:
        load("f", None, [folder])
    assert "\n" not in str(caught.value)
    return str(caught.value)


def check(folder, expected, values):
    if isinstance(expected, str):
        assert expected in message_of(folder)
        return
    data = load("f", None, [folder])
    np.testing.assert_array_equal(data.X[:, 0], expected)
    [column] = [column for column in data.columns if column.is_feature]
    assert column.values == values


@pytest.mark.parametrize(("kind", "cells", "expected", "values"), ARFF)
def test_arff_attributes_are_what_the_header_declares(put, kind, cells, expected, values):
    rows = "".join(f"{cell},{label}\n" for cell, label in zip(cells.split("|"), "xyx", strict=True))
    header = f"@relation r\n@attribute f {kind}\n@attribute class {{x,y}}\n@data\n"
    check(put("f.arff", header + rows), expected, values)


@pytest.mark.parametrize("case", ARFF_FILES)
def test_every_way_to_write_an_arff_file_is_read_alike(put, case):
    data = load("f", None, [put("f.arff", ARFF_FILES[case])])
    assert data.X.tolist() == [[1], [2]]
    assert data.classes == ("x", "y")
    assert data.feature_names == ("f",)


def test_a_sparse_arff_row_has_zeros_and_first_values(put):
    text = (
        "@relation r\n@attribute a real\n@attribute b {X,Y,Z}\n@attribute c real\n"
        '@attribute d real\n@attribute cls {"class A","class B"}\n'
        '@data\n{1 Y, 3 .5, 4 "class B"}\n{}\n{0 7}\n{1 Z,3 ?}\n'
    )
    data = load("f", None, [put("f.arff", text)])
    np.testing.assert_array_equal(
        data.X, [[0, 1, 0, 0.5], [0, 0, 0, 0], [7, 0, 0, 0], [0, 2, 0, N]]
    )
    assert data.classes == ("class A", "class B")
    assert data.y.tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize(("text", "expected", "classes"), LIBSVM)
def test_libsvm_files(put, text, expected, classes):
    folder = put("f.svm", text)
    if isinstance(expected, str):
        assert expected in message_of(folder)
        return
    data = load("f", None, [folder])
    np.testing.assert_array_equal(data.X, expected)
    assert data.classes == classes


@pytest.mark.parametrize(("column", "expected", "values"), PARQUET)
def test_parquet_columns_are_what_the_file_declares(folder, column, expected, values):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"f": column, "target": list("xyx")})
    frame.to_parquet(folder / "f.parquet")
    check(folder, expected, values)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([2**60, 2**60 + 1, 2**60], ("1152921504606846976", "1152921504606846977")),
        ([1.0, 2.0, 1.0], ("1", "2")),
        ([0.1, 0.5, 0.1], ("0.1", "0.5")),
        ([True, False, True], ("False", "True")),
        (pd.Categorical(["NA", "EU", "EU"]), ("EU", "NA")),
        (pd.Categorical([10, 9, 9]), ("9", "10")),
        (["01", "1", "1"], ("01", "1")),
        ([1.0, None, 2.0], "f.parquet: row 2: the label (column 'target') is missing; every row"),
        (["a", None, "b"], "f.parquet: row 2: the label (column 'target') is missing"),
        (pd.Categorical(["a", None, "b"]), "row 2: the label (column 'target') is missing"),
        (["a", "NA", "b"], "row 2: the label (column 'target') is missing: it is 'NA'"),
    ],
)
def test_labels_of_parquet_files(folder, labels, classes):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"f": [1, 2, 3], "target": labels}).to_parquet(folder / "f.parquet")
    if isinstance(classes, str):
        assert classes in message_of(folder)
    else:
        assert load("f", None, [folder]).classes == classes


def test_what_a_parquet_file_holds_besides_columns_of_values(folder):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def written(names, *columns):
        table = pyarrow.Table.from_arrays([pyarrow.array(column) for column in columns], names)
        parquet.write_table(table, folder / "f.parquet")

    written(["f", "target"], [[1], [2, 3]], ["x", "y"])
    assert "column 'f' holds list<" in message_of(folder)
    written(["f", "target"], [{"a": 1}, {"a": 2}], ["x", "y"])
    assert "column 'f' holds struct<a: int64>; a cell must be one value" in message_of(folder)
    written(["f", " f ", "target"], [1, 2], [1, 2], ["x", "y"])
    assert "column 'f' occurs twice" in message_of(folder)
    frame = pd.DataFrame({"f": [5, 7], "target": ["x", "y"]}).set_index("target")
    frame.to_parquet(folder / "f.parquet")
    assert load("f", None, [folder]).classes == ("x", "y")


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]),
    min_size=1,
    max_size=6,
).filter(lambda text: clean(text) == text not in MISSING and not text[0].isdigit())
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
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(frame=frames())
def test_a_frame_is_read_back_the_same_from_every_format_and_dialect(folder, way, frame):
    if way.endswith("parquet"):
        pytest.importorskip("pyarrow")
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


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
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
