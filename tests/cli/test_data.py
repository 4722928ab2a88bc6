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


PEOPLE = "name,No,height,class,age\n" + "".join(
    f"p{n:02},{37 - n},{n % 9},{'ab'[n % 2]},{n}.5\n" for n in range(30)
)


def test_columns_that_identify_the_rows_are_left_out_and_the_advice_brings_them_back(boostbench):
    Path("people.csv").write_text(PEOPLE)
    outcome = boostbench("data", "add", "people.csv", "--to", "own")
    assert outcome.code == 0
    assert "people: own/people.csv: 30 samples, 2 features, 2 classes\n" in outcome.out
    lines = outcome.out.splitlines()
    [advice] = [line for line in lines if line.startswith("'No' only identifies")]
    options = advice.partition("; ")[2].partition(" (")[0].split()
    again = boostbench("data", "add", "people.csv", "--to", "own", *options)
    assert "30 samples, 3 features" in again.out
    assert boostbench("data", "verify", "people", "--data", "own").code == 0
    assert yaml.safe_load(Path("own/people.yaml").read_text())["people"]["types"] == {
        "No": "number",
        "name": "id",
    }


def test_the_advice_for_odd_cells_can_be_followed_to_the_letter(boostbench, refused):
    Path("odd.csv").write_text("a,my class\n1,x\n2,y\nsee note,x\n4,y\n")
    message = refused("data", "add", "odd.csv", "--target", "my class")
    assert "odd.csv:4: column 'a' holds 3 numbers, but also 'see note'" in message
    for option in ("a=number", "a=category"):
        assert f"--type {option} " in message
        added = ("data", "add", "odd.csv", "--target", "my class", "--type", option)
        assert boostbench(*added, "--to", option[2:]).code == 0


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("diabetes", "'diabetes' is a name of the data set 'pima'"),
        ("chess", "choose another one with --name, or --name krkopt"),
        ("WDBC", "'WDBC' is a name of the data set 'breast-cancer'"),
        ("Iris", "or --name iris if the file holds that set"),
        ("bank_small", "a name of the data set 'bank-small'"),
        ("iris", "data set 'iris' is described already; choose another --name"),
        ("taken", "taken.csv.gz: this file of a data set 'taken' is there already"),
        ("multiclass", "data set 'multiclass' is described already"),
    ],
)
def test_a_name_that_is_taken_is_refused_before_anything_is_written(refused, name, complaint):
    folder = Path("datasets")
    folder.mkdir()
    (folder / "multiclass.yaml").write_text("other: {n_rows: 3}\n")
    (folder / "taken.csv.gz").write_bytes(b"")
    Path(f"{name}.csv").write_text(CSV)
    before = sorted(path.name for path in folder.iterdir())
    assert complaint in refused("data", "add", f"{name}.csv", "--target", "edible")
    assert sorted(path.name for path in folder.iterdir()) == before
    assert (folder / "multiclass.yaml").read_text() == "other: {n_rows: 3}\n"


def test_a_description_is_replaced_on_request_alone(boostbench, refused, mushrooms):
    boostbench("data", "add", mushrooms, "--target", "edible")
    mushrooms.write_text(CSV + "5.5,red,no\n")
    assert "rows: 5 found, 4 expected" in refused("data", "add", mushrooms)
    asked = ("data", "add", mushrooms, "--target", "edible", "--drop", "colour")
    assert "mushrooms' is described already; --replace describes it anew" in refused(*asked)
    assert Path("datasets/mushrooms.csv").read_text() == CSV
    assert "5 samples, 1 features" in boostbench(*asked, "--replace").out


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
