from boostbench.data.loading import locate

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


def test_the_checksum_of_a_generator_follows_its_parameters():
    sums = [locate("two-norm", params).checksum for params in (None, {}, {"n_train": 5})]
    assert sums[0] == sums[1] != sums[2]
