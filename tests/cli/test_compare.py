"""compare, as a user types it."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boostbench.reports.text import in_print

SMALL = ("--folds", "2", "--repeats", "1", "--rounds", "2", "--jobs", "1")
FIT = ("samme", "--rounds", "2", "-o", "m.skops", "--on")


def test_the_answer_comes_first_then_the_tables_and_a_page_shows_them(
    boostbench, in_this_process, tmp_path
):
    asked = ("compare", "samme", "adaboost-mh", "--on", "iris", *SMALL, "--noise", "pair:rate=0.2")
    outcome = boostbench(*asked, "--page", "out/iris.html")
    assert outcome.code == 0, outcome.err
    first, *rest, last, following = outcome.out.splitlines()
    wrong = "On iris with 20 % of the training labels wrong (pair 0.2), "
    assert first.startswith(wrong)
    assert " is best by test error with probability " in first
    assert following.startswith("next: ")
    assert " ".join(rest[1].split()) == "booster runs error 95 % interval best near best"
    assert last == "out/iris.html"
    page = (tmp_path / last).read_text(encoding="utf-8")
    title = (
        "Comparison of boosters on iris, 20 % of the training labels wrong (20 % to the next class)"
    )
    tables = ("Error of each class, in percent", "Confusion of ")
    shown = (
        title,
        *tables,
        in_print(first).partition("; ")[0],
        "Means, the best first",
        "Pairs of boosters",
        "Figure 1: ",
    )
    assert [text for text in shown if text not in page] == []
    assert "Not drawn" not in page
    again = boostbench(*asked, "--json")
    assert again.err == ""  # nothing is run again
    assert {row["booster"] for row in again.json["boosters"]} == {"samme", "adaboost-mh"}
    (pair,) = again.json["pairs"]
    chances = [pair[key] for key in ("left_better", "equivalent", "right_better")]
    assert sum(chances) == pytest.approx(1.0)


@pytest.fixture
def recommend(tmp_path, monkeypatch):
    """Return a function that writes rows of recommendations; there are none before."""
    monkeypatch.setattr("boostbench.compare_boosters.shipped", lambda folder: tmp_path)

    def write(*rows):
        head = "classes,wrong_labels,take,nexttoit,error(%),regretelsewhere"
        (tmp_path / "recommended.csv").write_text("\n".join([head, *rows]), encoding="utf-8")

    return write


def test_the_recommended_boosters_are_shown_and_compared(boostbench, in_this_process, recommend):
    recommend(
        "2,unknown,extra-trees,samme,1,2",
        '≥ 3,unknown,filtered random-forest,"random-forest, samme",20.1,1.5',
        "≥ 3,none,samme,–,9.0,1.0",
    )
    outcome = boostbench("compare", "sm-boost", "--advise", "--on", "iris", *SMALL)
    assert outcome.code == 0, outcome.err
    shown = [" ".join(line.split()) for line in outcome.err.splitlines()]
    assert "≥ 3 unknown filtered random-forest random-forest, samme 20.1 1.5" in shown
    assert not [line for line in shown if line.startswith("2 unknown")]
    compared = ["sm-boost", "filtered random-forest", "samme", "random-forest"]
    assert [name for name in compared if f"\n{name}" not in outcome.out] == []


@pytest.mark.usefixtures("recommend")
def test_advice_without_recommendations_is_refused(boostbench):
    outcome = boostbench("compare", "--on", "iris", "--advise")
    assert outcome.code == 2
    said = "recommended.csv: the recommendations of the noise study are not here"
    assert said in outcome.err


@pytest.mark.parametrize("package", ["catboost", "lightgbm"])
def test_advice_that_needs_a_package_is_refused_before_the_training(
    boostbench, in_this_process, tmp_path, monkeypatch, recommend, package
):
    recommend(f"≥ 3,unknown,{package} (early stopping),filtered random-forest,20.1,1.5")
    monkeypatch.setitem(sys.modules, package, None)
    Path("plants.csv").write_text("x,class\n" + "".join(f"{n},{n % 3}\n" for n in range(30)))
    outcome = boostbench("compare", "--advise", "--on", "plants.csv", *SMALL)
    assert outcome.code == 2
    needed = f"--advise: needs the package '{package}': pip install 'boostbench[study]'"
    assert needed in outcome.err
    assert "filtered random-forest" in outcome.err
    assert "runs" not in outcome.err
    assert not [*tmp_path.rglob("own-*")]


def test_a_column_that_alone_gives_the_label_is_told(boostbench, in_this_process):
    rng = np.random.default_rng(0)
    label = np.repeat(["a", "b", "rare"], [20, 15, 3])
    columns = {"class": label, "same": np.char.upper(label), "x": rng.random(38)}
    columns["only b"] = np.where(label == "b", rng.random(38), np.nan)
    columns["nearly"] = (np.arange(38) < 21).astype(int)
    pd.DataFrame(columns).to_csv("told.csv", index=False)
    outcome = boostbench("compare", "samme", "adaboost-mh", "--on", "told.csv", *SMALL)
    assert outcome.code == 0, outcome.err
    told = [line for line in outcome.err.splitlines() if "alone gives the label; --drop" in line]
    assert [re.split("  +", line)[0] for line in told] == ["same", "only b"]
    drop = ["--drop", "x", "--drop", "nearly"]
    fitted = boostbench("fit", *FIT, "told.csv", *drop)
    assert fitted.err.count("alone gives the label; --drop") == 2
    few = pd.DataFrame(columns)[["class", "same", "x"]]
    few[26:].to_csv("few.csv", index=False)  # nine rows of b and three others
    assert "alone" not in boostbench("fit", *FIT, "few.csv").err


def test_rare_classes_are_told_before_the_training_and_errors_of_each_class_after(
    boostbench, in_this_process
):
    rows = (
        "".join(f"{n % 9},{n},{'ab'[n % 2]}\n" for n in range(30))
        + "3,4,rare\n5,5,once\n8,1,rare\n"
    )
    Path("people.csv").write_text(f"height,age,class\n{rows}")
    asked = ("compare", "samme", "adaboost-mh", "--on", "people.csv", *SMALL, "--folds", "3")
    outcome = boostbench(*asked)
    assert outcome.code == 0, outcome.err
    few = "class 'rare' has 2 rows: 1 of 3 folds test none of it; --folds 2 tests it in each"
    assert f"people: {few}\n" in outcome.err
    assert "class 'once' has one row: when it is tested, it has not been learnt" in outcome.err
    found = boostbench(*asked, "--json").json
    assert found["labels"] == {"people": ["a", "b", "once", "rare"]}
    for row in found["classes"]:
        matrix = found["confusion"]["people"][row["booster"]]
        counts = matrix[found["labels"]["people"].index(row["class"])]
        k = found["labels"]["people"].index(row["class"])
        assert sum(counts) == row["rows"]
        assert row["error"] == pytest.approx(100 * (1 - counts[k] / sum(counts)))
    assert "'rare'" not in boostbench(*asked[:-1], "2").err  # the advice
