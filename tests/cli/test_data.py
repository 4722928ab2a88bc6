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


def test_the_list_tells_where_each_set_is(boostbench):
    rows = {row["name"]: row for row in boostbench("data", "list", "--json").json}
    assert rows["iris"]["found"] == "scikit-learn load_iris"
    assert rows["iris"]["available"]
    assert not rows["vowel"]["available"]
    table = boostbench("data", "list").out
    assert "scikit-learn load_iris" in table


def test_fetch_tells_what_is_here_absent_and_damaged(boostbench, tmp_path):
    outcome = boostbench("data", "fetch", "iris", "wine", "iris")
    assert outcome.code == 0
    assert outcome.out.count("\n") == 2
    assert outcome.out.startswith(
        "iris: scikit-learn load_iris: 150 samples, 4 features, 3 classes\n"
    )
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "vowel.csv").write_text("a,target\n1,0\n2,1\n")
    outcome = boostbench("data", "fetch", "vowel")
    assert outcome.code == 2
    assert "rows: 2 found" in outcome.err


def test_an_added_file_can_be_used(boostbench, mushrooms, tmp_path):
    outcome = boostbench("data", "add", mushrooms, "--target", "edible")
    assert outcome.code == 0
    assert outcome.err == ""
    copy = Path("datasets/mushrooms.csv")
    assert outcome.out.startswith(f"mushrooms: {copy}: 4 samples, 2 features, 2 classes\n")
    assert ["colour", "category", "3", "0"] in [line.split() for line in outcome.out.splitlines()]
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
    assert "2 features" in boostbench("data", "fetch", "mushrooms").out
    assert boostbench("show", "mushrooms", "--json").json["target"] == "edible"


def test_the_sign_of_the_home_folder_is_read(boostbench, mushrooms, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    boostbench("data", "add", mushrooms, "--target", "edible", "--to=~/mine")
    assert (tmp_path / "mine" / "mushrooms.csv").is_file()


def test_changed_copies_are_noticed_and_replaced(boostbench, mushrooms):
    boostbench("data", "add", mushrooms, "--target", "edible")
    Path("datasets/mushrooms.csv").write_text(CSV.replace("4.5,green,yes\n", ""))
    assert boostbench("data", "fetch", "mushrooms").code == 2
    mushrooms.write_text(CSV + "5.5,red,no\n")
    asked = ("data", "add", mushrooms, "--target", "edible", "--drop", "colour")
    assert boostbench(*asked).code == 2
    assert "5 samples, 1 features" in boostbench(*asked, "--replace").out


def test_a_file_that_lies_there_is_not_replaced_unasked(boostbench, mushrooms):
    copy = Path("datasets/mushrooms.csv")
    copy.parent.mkdir()
    copy.write_text("mine,edible\n1,a\n2,b\n")
    asked = ("data", "add", mushrooms, "--target", "edible")
    said = f"{copy}: this file of a data set 'mushrooms' is there already; choose another --name"
    assert boostbench(*asked).err == f"boostbench: {said}\n"
    assert copy.read_text().startswith("mine")
    assert "4 samples, 2 features" in boostbench(*asked, "--replace").out


PEOPLE = "name,No,height,class,age\n" + "".join(
    f"p{n:02},{37 - n},{n % 9},{'ab'[n % 2]},{n}.5\n" for n in range(30)
)


def test_columns_of_ids_are_left_out_unless_they_are_asked_for(boostbench):
    Path("people.csv").write_text(PEOPLE)
    outcome = boostbench("data", "add", "people.csv", "--to", "own")
    assert outcome.code == 0
    assert "people: own/people.csv: 30 samples, 2 features, 2 classes\n" in outcome.out
    lines = outcome.out.splitlines()
    [advice] = [line for line in lines if line.startswith("'No' only identifies")]
    options = advice.partition("; ")[2].partition(" (")[0].split()
    again = boostbench("data", "add", "people.csv", "--to", "own", *options)
    assert "30 samples, 3 features" in again.out
    kept = boostbench("data", "add", "people.csv", "--to", "kept", "--type", "name=category")
    assert "30 samples, 3 features" in kept.out
    assert boostbench("data", "fetch", "people", "--data", "own").code == 0
    described = yaml.safe_load(Path("own/people.yaml").read_text())["people"]
    assert described["types"] == {"No": "number", "name": "id"}
    assert described["n_categorical"] == 0


def test_a_column_split_is_said_to_be_none_of_the_features(boostbench):
    rows = "".join(f"{n % 9},{'ab'[n % 2]},{'train' if n % 3 else 'test'}\n" for n in range(30))
    Path("halves.csv").write_text(f"height,class,Split\n{rows}")
    outcome = boostbench("data", "add", "halves.csv", "--to", "own")
    told = "'split' divides training and test rows, for 'split: official', and is no feature\n"
    assert told in outcome.out
    assert told not in boostbench("data", "add", "halves.csv", "--to", "o", "--drop", "Split").out


@pytest.mark.parametrize("option", ["a=number", "a=category"])
def test_the_advice_for_odd_cells_can_be_followed(boostbench, option):
    Path("odd.csv").write_text("a,my class\n1,x\n2,y\nsee note,x\n4,y\n")
    add = ("data", "add", "odd.csv", "--target", "my class")
    assert f"--type {option} " in boostbench(*add).err
    assert boostbench(*add, "--type", option).code == 0


def test_an_index_that_pandas_wrote_is_no_feature(boostbench, tmp_path):
    for name in ("", "Unnamed: 0"):
        (tmp_path / "own.csv").write_text(f"{name},a,target\n0,5,x\n1,7,y\n2,6,x\n")
        outcome = boostbench(
            "data", "add", tmp_path / "own.csv", "--to", tmp_path / "d", "--replace"
        )
        assert "only identifies the rows" in outcome.out
        assert "1 features" in outcome.out
