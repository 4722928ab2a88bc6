"""Wrong labels: their share with an interval, and the rows that have them."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench import load_dataset
from boostbench.label_errors import estimate, find_label_errors, wrong_by_label
from boostbench.noise import corrupt
from tests.cli.conftest import alone, boostbench  # noqa: F401


def problem(rate, model="uniform-other", **params):
    """Return noisy labels, true ones, and probabilities that are uncertain for half of the rows."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=3000)
    seen = corrupt(y, 3, model, rate, rng, **params).y
    sure = rng.random(3000) < 0.5
    taken = np.where(sure | (rng.random(3000) < 0.6), y, rng.integers(3, size=3000))
    P = np.full((3000, 3), 0.1)
    P[np.arange(3000), taken] += np.where(sure, 0.7, 0.2) + 0.01 * rng.random(3000)
    return seen, y, P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("rate", [0.0, 0.05, 0.2, 0.4])
def test_the_share_is_that_of_wrong_labels_also_where_classes_overlap(rate):
    seen, _, P = problem(rate)
    found = estimate(seen, P[None], "abc")
    assert found.share == pytest.approx(rate, abs=0.02)
    assert found.low - 1e-9 <= rate <= found.high
    assert found.high - found.low < 0.12


def test_noise_of_one_class_is_found_in_the_labels_that_it_makes():
    seen, y, P = problem(0.4, "one-sided", source=0)
    found = wrong_by_label(seen, P, 0.4)
    true = [(y[seen == k] != k).mean() for k in range(3)]
    assert found == pytest.approx(true, abs=0.04)
    assert true[0] == 0.0 < 0.1 < true[1]


def test_the_file_may_lie_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    rows = [f"{i % 7},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,class", *rows]) + "\n")
    _, table = find_label_errors("~/mine.csv", repeats=2, folds=2, rounds=2)
    assert table["class"].tolist() == ["a", "b"] * 20


def test_injected_errors_are_among_the_first_rows():
    wine = load_dataset("wine")
    noisy = corrupt(wine.y, 3, "uniform-other", 0.1, np.random.default_rng(0)).y
    pd.DataFrame(wine.X).assign(target=noisy).to_csv("wine.csv", index=False)
    fits = []
    found, table = find_label_errors(
        "wine.csv", repeats=2, rounds=30, on_fit=lambda *n: fits.append(n)
    )
    assert fits == [(k, 10) for k in range(1, 11)]
    assert found.low <= (noisy != wine.y).mean() <= found.high
    first = found.suspects.head(18)
    is_wrong = (noisy != wine.y)[first["row"] - 1]
    assert is_wrong.mean() > 0.8
    assert (first["suggested"].astype(int) == wine.y[first["row"] - 1])[is_wrong].mean() > 0.9
    assert table.columns.tolist() == [*map(str, range(13)), "target"]
    assert len(table) == 178
    again, _ = find_label_errors("wine.csv", repeats=2, rounds=30)
    assert again.suspects.equals(found.suspects)


def test_classes_that_are_too_small_are_left_out():
    rows = "".join(f"{k},{'abc'[k % 2]}\n" for k in range(40)) + "1,d\n2,d\n"
    Path("few.csv").write_text(f"x,target\n{rows}")
    found, _ = find_label_errors("few.csv", repeats=2, rounds=5)
    assert found.left_out == ("d",)
    assert len(found.suspects) == 40


def test_the_command_tells_the_share_the_rows_and_the_comparison(boostbench):  # noqa: F811
    rows = "".join(
        f"{k},{'red' if k % 3 else 'blue'},{'small' if k < 60 else 'large'},7,q\n"
        for k in range(120)
    )
    Path("plants.csv").write_text(f"width,colour,kind,row,label\n5,red,large,7,q\n{rows}")
    asked = ("labels", "plants.csv", "--target", "kind", "--repeats", "2", "--rounds", "20")
    outcome = boostbench(*asked, "-o", "out/suspects.csv")
    assert outcome.code == 0, outcome.err
    assert ["colour", "category", "2", "0"] in [line.split() for line in outcome.err.splitlines()]
    first, *_, last = outcome.out.splitlines()
    assert first.startswith("About ")
    assert "% of the labels of plants.csv are wrong (95 % interval " in first
    assert " compare filter-and-refit random-forest sm-boost --on plants.csv --target kind" in last
    suspect, *_ = csv.DictReader(Path("out/suspects.csv").read_text().splitlines())
    assert (suspect["row"], suspect["label"], suspect["suggested"]) == ("1", "large", "small")
    assert (suspect["width"], suspect["row (file)"], suspect["label (file)"]) == ("5", "7", "q")
    right = (f"{k},{'small' if k < 60 else 'large'}" for k in range(120))
    Path("right.csv").write_text("\n".join(["width,kind", *right]))
    *_, said, last = boostbench("labels", "right.csv", *asked[2:]).out.splitlines()
    assert said == "No label looks wrong."
    assert last.endswith("--on right.csv --target kind --rounds 20")
