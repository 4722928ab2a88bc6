import os

import pytest

from boostbench.data.catalog import catalog, find_entry
from boostbench.errors import DataError
from boostbench.resources import shipped

PAPERS = {
    "softmax-boosting": "dna letter mnist pendigits satimage segment splice vowel",
    "deep-boosting": ("abalone handwritten letters pageblocks pendigits satimage statlog yeast"),
    "mcboost": "landsat letter pendigit optdigit shuttle isolet",
    "multiclass-theory": (
        "letter nursery pendigits satimage segmentation vowel car chess connect4 forest magic04"
        " poker abalone covtype-15k"
    ),
    "spl-boosting": (
        "adult bank bank-small blood connect-4 magic miniboone ozone pima parkinsons pb-T-OR-D"
        " ringnorm spambase titanic oocMerl4D st-german-credit twonorm vc-2classes"
    ),
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_data_set_of_a_paper_is_known_by_the_papers_name(paper):
    for name in PAPERS[paper].split():
        entry = find_entry(name)
        assert paper in entry.papers, name
        assert entry.n_rows
        assert entry.n_features
        assert entry.n_classes
        assert entry.citation


def test_every_shipped_entry_says_where_it_may_come_from():
    for entry in catalog().values():
        assert entry.title
        assert entry.where.startswith(str(shipped("datasets")))
        assert entry.n_train is None or entry.n_train + entry.n_test == entry.n_rows
    assert len(catalog()) > 45


def test_a_merged_set_has_the_features_of_its_base():
    assert catalog()["connect-4-2c"].n_features == 42


def test_names_are_found_whatever_their_case_and_dashes():
    assert find_entry("Oocytes_Merluccius_Nucleus_4D").name == "oocytes-merluccius-4d"


def test_a_users_catalog_adds_and_replaces_single_keys(folder):
    (folder / "more.yaml").write_text(
        "mine:\n  n_rows: 3\n  aliases: [ours]\nletter:\n  notes: mine\n"
    )
    entries = catalog([folder])
    assert entries["mine"].n_rows == 3
    assert entries["letter"].notes == "mine"
    assert entries["letter"].n_train == 15000
    assert find_entry("ours", [folder]).where == f"{folder / 'more.yaml'}:1"


def test_the_first_folder_wins(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "toy.yaml").write_text("toy: {n_train: 7, n_test: 2, title: other}\n")
    assert catalog([folder, other])["toy"].n_train == 4
    assert catalog([folder, other])["toy"].title == "other"
    monkeypatch.setenv("BOOSTBENCH_DATA", str(folder))
    assert catalog([other])["toy"].n_train == 7


def test_an_empty_catalog_is_no_mistake(folder):
    (folder / "empty.yaml").write_text("# nothing yet\n")
    assert "toy" in catalog([folder])


def test_a_catalog_that_is_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.yaml")
    with pytest.raises(DataError, match="cannot be read: it is not a regular file"):
        catalog([folder])
