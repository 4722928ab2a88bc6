import pytest

from boostbench.data.catalog import catalog, find_entry
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


def test_the_first_folder_wins(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "toy.yaml").write_text("toy: {n_train: 7, n_test: 2, title: other}\n")
    assert catalog([folder, other])["toy"].n_train == 4
    assert catalog([folder, other])["toy"].title == "other"
    monkeypatch.setenv("BOOSTBENCH_DATA", str(folder))
    assert catalog([other])["toy"].n_train == 7
