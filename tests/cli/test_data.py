"""`boostbench data`."""

from pathlib import Path

import pytest
import yaml

CSV = "length,colour,edible\n1.5,red,yes\n2.5,blue,no\n3.5,red,no\n4.5,green,yes\n"


@pytest.fixture
def mushrooms(tmp_path):
    path = tmp_path / "inbox" / "mushrooms.csv"
    path.parent.mkdir()
    path.write_text(CSV)
    return path


def test_the_list_says_where_each_set_is(boostbench):
    rows = {row["name"]: row for row in boostbench("data", "list", "--json").json}
    assert rows["iris"]["found"] == "scikit-learn load_iris"
    assert rows["iris"]["available"]
    assert not rows["vowel"]["available"]
    table = boostbench("data", "list").out
    assert "scikit-learn load_iris" in table


def test_a_data_folder_that_is_not_there_is_bad_input(refused):
    assert "--data: there is no folder 'nowhere'" in refused("data", "list", "--data", "nowhere")


def test_verify_reads_what_is_here(boostbench):
    rows = boostbench("data", "verify", "iris", "wine", "--json").json
    assert [(row["name"], row["verdict"], row["rows"]) for row in rows] == [
        ("iris", "ok", 150),
        ("wine", "ok", 178),
    ]


def test_verify_tells_absent_from_damaged(boostbench, tmp_path):
    assert boostbench("data", "verify", "vowel").code == 1
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "vowel.csv").write_text("a,target\n1,0\n2,1\n")
    outcome = boostbench("data", "verify", "vowel", "--json")
    assert outcome.code == 2
    [row] = outcome.json
    assert row["verdict"] == "damaged"
    assert "rows: 2 found" in row["detail"]


def test_an_unknown_set_is_answered_with_the_nearest(refused):
    assert "unknown data set 'leter'; did you mean 'letter'?" in refused("data", "verify", "leter")


def test_an_added_file_can_be_used(boostbench, mushrooms, tmp_path):
    outcome = boostbench("data", "add", mushrooms, "--target", "edible")
    assert outcome.code == 0
    assert outcome.err == ""
    copy = Path("datasets/mushrooms.csv")
    assert outcome.out.startswith(f"mushrooms: {copy}: 4 samples, 2 features, 2 classes\n")
    assert copy.read_text() == CSV
    assert yaml.safe_load((tmp_path / "datasets/mushrooms.yaml").read_text()) == {
        "mushrooms": {
            "title": "mushrooms",
            "n_rows": 4,
            "n_features": 2,
            "n_classes": 2,
            "n_categorical": 1,
            "target": "edible",
        }
    }
    [row] = boostbench("data", "verify", "mushrooms", "--json").json
    assert (row["verdict"], row["features"]) == ("ok", 2)
    assert boostbench("show", "mushrooms", "--json").json["target"] == "edible"


def test_a_changed_copy_is_noticed(boostbench, mushrooms, tmp_path):
    boostbench("data", "add", mushrooms, "--target", "edible")
    (tmp_path / "datasets/mushrooms.csv").write_text(CSV.replace("4.5,green,yes\n", ""))
    [row] = boostbench("data", "verify", "mushrooms", "--json").json
    assert row["verdict"] == "damaged"


def test_a_file_of_a_known_set_must_be_that_set(refused, mushrooms):
    assert "mushrooms.csv" in refused("data", "add", mushrooms, "--name", "vowel")


def test_a_column_that_numbers_the_rows_is_named(boostbench, tmp_path):
    rows = "".join(f"{37 - n},{n % 9},{'ab'[n % 2]},{n}.5\n" for n in range(30))
    (tmp_path / "people.csv").write_text(f"id,height,class,age\n{rows}")
    outcome = boostbench("data", "add", "people.csv", "--to", "own")
    assert outcome.code == 0
    told = "feature 'id' holds row numbers"
    assert outcome.err == f"boostbench: {told}; drop it with 'drop: [id]' in own/people.yaml\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nothing.csv"], "nothing.csv: the file cannot be read: No such file or directory"),
        (["inbox/mushrooms.csv"], "there is no column 'target' for the labels"),
        (["inbox/mushrooms.csv", "--name", "a b"], "'a b' cannot name a data set"),
        (["inbox/mushrooms.txt"], "inbox/mushrooms.txt: unknown file format; known are .csv.gz"),
    ],
)
def test_a_file_that_cannot_be_added_is_named(refused, mushrooms, arguments, complaint):
    assert complaint in refused("data", "add", *arguments)
    assert not (mushrooms.parent.parent / "datasets").exists()


def test_fetch_says_where_a_set_is_already(boostbench):
    outcome = boostbench("data", "fetch", "iris")
    assert outcome.code == 0
    assert outcome.out == "iris: scikit-learn load_iris\n"
