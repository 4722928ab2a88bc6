"""Comparisons from Python: what is asked becomes an experiment that goes on where it ended."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from boostbench import Experiment
from boostbench.compare_boosters import answer, compare, comparison_experiment, data_of
from boostbench.data.cautions import cautions
from boostbench.data.dataset import Dataset

pytestmark = pytest.mark.usefixtures("alone")
SMALL = {"folds": 2, "repeats": 1, "rounds": 2}


def test_a_booster_more_is_all_that_is_done_again():
    first = comparison_experiment(["samme", "adaboost-mh"], "iris", **SMALL)
    assert first.run(executor="inline").counts == {"ok": 4}
    more = comparison_experiment(["samme", "adaboost-mh", "sm-boost"], "iris", **SMALL)
    assert more.plan().counts() == {"ok": 4, "missing": 2}


def test_the_rows_of_a_class_are_those_of_the_data_also_if_a_run_is_missing():
    asked = ["samme", "adaboost-mh"]
    experiment = comparison_experiment(asked, "iris", **{**SMALL, "repeats": 2})
    experiment.run(executor="inline")
    experiment.store.all_paths()[0].unlink()
    assert answer(experiment).classes["rows"].tolist() == [50] * 6


def test_boosters_are_compared_by_stratified_folds_under_one_noise():
    asked = ["samme", {"adaboost-mh": {"label": "mine"}}]
    runs = comparison_experiment(asked, ["iris", "two-norm"], noise=0.2, **SMALL).runs
    assert {(run.dataset, run.method) for run in runs} == {
        *product(["iris", "two-norm"], ["samme", "mine"])
    }
    assert {(run.noise.label, run.rounds) for run in runs} == {("uniform-other 0.2", 2)}
    assert {(run.seed, run.split["fold"]) for run in runs} == {(0, 0), (0, 1)}
    assert all(run.split["stratify"] for run in runs)


def test_rare_classes_are_warned_of(tmp_path):
    rows = [f"{n},{label}" for n, label in enumerate("ababababc")]
    (tmp_path / "few.csv").write_text("\n".join(["x,class", *rows]) + "\n")
    options = {**SMALL, "executor": "inline"}
    with pytest.warns(UserWarning, match="few: class 'c' has one row: when it is tested, it has"):
        compare(["samme", "sm-boost"], "few.csv", **options)


@pytest.mark.parametrize(("n_copies", "is_told"), [(0, False), (1, False), (2, True)])
def test_copies_of_rows_are_told_from_a_share_of_them_on(n_copies, is_told):
    X = np.random.default_rng(0).normal(size=(150, 2))
    X[:, 1], labels = np.nan, np.arange(150) % 2
    X[148], X[149] = X[147] if n_copies == 2 else X[148], X[147] if n_copies else X[149]
    labels[147:] = 0
    remarks = [*cautions(Dataset.from_arrays("drawn", X, labels), 5)]
    assert [remark.partition(" rows")[0] for remark in remarks] == ["2 of 150"] * is_told
    labels[149] = 1  # another label: no copy
    assert not [*cautions(Dataset.from_arrays("drawn", X, labels), 5)]


def test_a_column_split_of_a_file_is_told_among_the_columns(tmp_path):
    rows = [f"{n},{'ab'[n % 2]},{'test' if n % 3 else 'train'}" for n in range(30)]
    (tmp_path / "halves.csv").write_text("\n".join(["x,class,split", *rows]) + "\n")
    experiment = comparison_experiment(["samme", "sm-boost"], ["halves.csv", "iris"], **SMALL)
    (_, halves), (_, iris) = data_of(experiment)
    assert [(c.name, c.kind) for c in halves.columns if c.note] == [("split", "dropped")]
    assert halves.columns[-1].note.endswith("; not used here")
    assert "dropped" not in {column.kind for column in iris.columns}
    assert halves.pipeline("samme").fit(pd.DataFrame({"x": range(30)}), halves.y)


def test_files_that_differ_in_the_suffix_are_two_data_sets(tmp_path):
    rows = [f"{i},{i % 2}" for i in range(40)]
    (tmp_path / "mine.csv").write_text("\n".join(["x,class", *rows]) + "\n")
    (tmp_path / "mine.tsv").write_text("\n".join(["y,class", *rows]).replace(",", "\t") + "\n")
    for file in ("mine.csv", "mine.tsv", "mine.csv"):
        ((label, data),) = data_of(comparison_experiment(["samme", "sm-boost"], file, **SMALL))
        assert (label, data.feature_names) == ("mine", ("y" if file == "mine.tsv" else "x",))


def test_a_config_may_be_a_mapping():
    written = {"name": "mapped", "extends": "quickstart", "datasets": ["iris"], "rounds": 3}
    experiment = Experiment.load(written, overrides={"boosters": ["samme"], "noise": "none"})
    assert {run.rounds for run in experiment.runs} == {3}
    assert experiment.config.name == "mapped"
    assert written["extends"] == "quickstart"
