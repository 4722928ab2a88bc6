"""The encoding of tables: the numbers of a data set, for new rows too."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

from boostbench import load_dataset
from boostbench.data.encoding import TableEncoder
from boostbench.data.readers import read_rows
from boostbench.errors import DataError

ROWS = [
    *("1;007;1.234,5;5 kg;ja;01.02.2020;12:30;2;a", "2;012;7,25;7 kg;nein;31.12.2021;1:05;10;b"),
    *("3;007;-;;;15.06.2020;0:10;2;a", "4;100;8;1 kg;Ja;01.01.1999;23:59;1;b"),
    *("5;012;0,5;9 kg;ja;02.03.2020;;10;a", "6;007;2,5;3 kg;ja;;2:00;2;b"),
]
HEADER = "nr;code;price;weight;smokes;seen;at;grade;target\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text(HEADER + "\n".join(ROWS) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("encode", ["ordinal", "one-hot"])
def test_the_rows_of_a_file_become_the_numbers_of_its_data_set(file, encode):
    file.write_text(file.read_text(encoding="utf-8").replace("007;-;", "007;k.A.;"))
    types = {"grade": "category", "nr": "id", "price": "number"}
    data = load_dataset(file, types=types, encode=encode)
    frame, place = read_rows(file, data.columns)
    encoder = TableEncoder(data.columns, encode=encode).fit(frame)
    X, remarks = encoder.read(frame, place)
    assert np.array_equal(X, data.X, equal_nan=True)
    assert tuple(encoder.get_feature_names_out()) == data.feature_names
    assert remarks == ()
    assert {each.kind for each in encoder.columns_} == {"number", "category", "date", "duration"}
    with pytest.raises(DataError, match=r"'price' holds 'k\.B\.' .* must be a number"):
        encoder.transform(frame.assign(price="k.B."))


def test_a_few_rows_in_another_order_of_columns_are_read_alike(file, tmp_path):
    data = load_dataset(file, types={"grade": "category"})
    names = HEADER.strip().split(";")
    rows = [dict(zip(names, row.split(";"), strict=True)) for row in ROWS[3:]]
    kept = ["at", "seen", "smokes", "grade", "weight", "price", "code", "nr"]
    new = tmp_path / "new.csv"
    lines = [";".join(kept), *(";".join(row[name] for name in kept) for row in rows)]
    new.write_text("\n".join(lines) + "\n", encoding="utf-8")
    encoder = TableEncoder(data.columns).fit(read_rows(file, data.columns)[0])
    X = encoder.transform(read_rows(new, data.columns)[0])
    assert np.array_equal(X, data.X[3:], equal_nan=True)


@pytest.mark.parametrize("options", [{}, {"encode": "one-hot", "missing": "median"}])
def test_the_encoder_is_a_scikit_learn_transformer(options):
    check_estimator(TableEncoder(**options), on_skip=None)


def test_an_unseen_value_of_a_category_counts_as_missing(file):
    data = load_dataset(file)
    frame, _ = read_rows(file, data.columns)
    encoder = TableEncoder(data.columns).fit(frame)
    with pytest.warns(UserWarning, match="'smokes' holds 'vielleicht' .row 2.*counts as missing"):
        X = encoder.transform(frame.assign(smokes=["ja", "vielleicht", *["nein"] * 4]))
    expected = pd.Series(X[:, [each.name for each in encoder.columns_].index("smokes")])
    assert expected.isna().tolist() == [False, True, False, False, False, False]


def test_typed_frames_are_read_as_texts_are():
    frame = pd.DataFrame(
        {
            "sure": [True, False, True],
            "when": pd.to_datetime(["2020-01-01", "2020-01-03", None]),
            "size": pd.Categorical(["small", "large", "small"]),
            "n": pd.array([1, None, 3], dtype="Int64"),
        }
    )
    texts = frame.astype(object).map(lambda cell: "" if pd.isna(cell) else str(cell))
    encoder = TableEncoder().fit(frame)
    expected = [[1, 18262, 1, 1], [0, 18264, 0, np.nan], [1, np.nan, 1, 3]]
    for table in (frame, texts):
        assert np.array_equal(encoder.transform(table), expected, equal_nan=True)


def test_a_pipeline_takes_raw_tables_to_labels(file):
    data = load_dataset(file)
    frame, _ = read_rows(file, data.columns)
    model = data.pipeline("samme").set_params(booster__n_estimators=3).fit(frame, data.labels)
    alone = model.named_steps["booster"].__class__(3).fit(data.X, data.labels)
    assert model.predict(frame).tolist() == alone.predict(data.X).tolist()
    assert set(model.classes_) == {"a", "b"}
