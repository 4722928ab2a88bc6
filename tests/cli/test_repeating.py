"""Repeating recorded runs: adoption after a change of the code, and verification elsewhere."""

import json
import shutil
import sys
from dataclasses import replace

import pytest

from boostbench.experiments.running import execution
from boostbench.experiments.store.records import PACKED, PackedRecords, pack
from tests.experiments.tools import forget_code

PLUGIN = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Prior(ClassifierMixin, BaseEstimator):
    def __init__(self, n_estimators=10, smoothing=0, random_state=None):
        self.n_estimators = n_estimators
        self.smoothing = smoothing
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[counts.ARGMAX()]
        return self

    def staged_predict(self, X):
        for _ in range(self.n_estimators):
            yield np.full(len(X), self.answer_)

    def predict(self, X):
        return np.full(len(X), self.answer_)
"""
CONFIG = """
name: adopted
datasets: [iris, wine]
split: {holdout: 0.3}
boosters: [prior.py:Prior]
rounds: 3
seeds: 4
"""


@pytest.fixture
def write(tmp_path):
    def booster(text):
        (tmp_path / "prior.py").write_text(PLUGIN.replace("counts.ARGMAX()", text))
        forget_code()
        for module in [name for name in sys.modules if name.startswith("boostbench_plugin_prior")]:
            del sys.modules[module]

    (tmp_path / "adopted.yaml").write_text(CONFIG)
    return booster


@pytest.fixture
def done(boostbench, write):
    """Eight runs, made by code that is then changed."""
    write("counts.argmax()")
    assert boostbench("run", "adopted.yaml", "--quiet", "--executor", "inline").code == 0


def statuses(boostbench):
    return [row["status"] for row in boostbench("status", "adopted.yaml", "--json").json]


def test_results_that_a_change_left_alone_are_adopted(
    boostbench, write, done, in_this_process, tmp_path
):
    write("int(np.argmax(counts))")
    assert statuses(boostbench) == ["stale"] * 8
    outcome = boostbench("adopt", "adopted.yaml", "--sample", "0.5", "--quiet")
    assert outcome.code == 0, outcome.err
    assert outcome.out == "adopted: repeated 4 of 8 runs: 4 same to the bit; adopted 4 records\n"
    assert statuses(boostbench) == ["ok"] * 8
    records = [json.loads(p.read_text()) for p in tmp_path.glob("results/runs/*/*.json")]
    noted = [record["adopted"] for record in records if "adopted" in record]
    assert [(note["checked"], note["of"]) for note in noted] == [(2, 4)] * 4
    again = boostbench("adopt", "adopted.yaml")
    assert again.code == 0
    assert "adopted: no record is of other code alone" in again.err


@pytest.mark.parametrize("fingerprint", ["", "0fda7a00"], ids=["same data", "as in 0.2"])
def test_packed_records_are_adopted_in_their_file(
    boostbench, write, done, in_this_process, tmp_path, fingerprint
):
    assert boostbench("report", "adopted.yaml", "--pack").code == 0
    shutil.rmtree(tmp_path / "results" / "runs")
    if fingerprint:
        store = PackedRecords(tmp_path / "results" / "adopted" / PACKED)
        records = [store.read(path) for path in store.all_paths()]
        old = (r.model_copy(update={"key": replace(r.key, data=fingerprint)}) for r in records)
        pack(old, store.folder)
    write("int(np.argmax(counts))")
    what = "code and the data" if fingerprint else "code"
    changed = f"8 of 8 results: the {what} changed since it was done"
    assert changed in boostbench("report", "adopted.yaml").err
    outcome = boostbench("adopt", "adopted.yaml", "--sample", "0.5", "--quiet")
    assert outcome.err == ""
    assert outcome.out == "adopted: repeated 4 of 8 runs: 4 same to the bit; adopted 8 records\n"
    assert "no record is of other code alone" in boostbench("adopt", "adopted.yaml").err
    assert not (tmp_path / "results" / "runs").exists()
    assert "changed since" not in boostbench("report", "adopted.yaml").err
    page = (tmp_path / "results" / "adopted" / "report.html").read_text()
    assert "4 of 8 runs repeated with this code gave the recorded results" in page


def test_packed_records_of_another_result_stay_as_they_are(
    boostbench, write, done, in_this_process, tmp_path
):
    boostbench("report", "adopted.yaml", "--pack")
    shutil.rmtree(tmp_path / "results" / "runs")
    packed = tmp_path / "results" / "adopted" / "records.jsonl.xz"
    before = packed.read_bytes()
    write("(1 + counts.argmax()) % len(counts)")
    outcome = boostbench("adopt", "adopted.yaml", "--quiet")
    assert outcome.code == 1
    assert "not the same" in outcome.out
    assert packed.read_bytes() == before


def test_parameters_of_one_booster_are_one_family(boostbench, write, in_this_process, tmp_path):
    several = CONFIG.replace("[prior.py:Prior]", "\n  - prior.py:Prior: {smoothing: [0, 1, 2]}")
    write("counts.argmax()")
    (tmp_path / "adopted.yaml").write_text(several)
    assert boostbench("run", "adopted.yaml", "--quiet", "--executor", "inline").code == 0
    write("int(np.argmax(counts))")
    outcome = boostbench("adopt", "adopted.yaml", "--sample", "0.2", "--quiet", "--json")
    assert [(row["sample"], row["adopted"]) for row in outcome.json] == [(3, 9)] * 2
    assert statuses(boostbench) == ["ok"] * 24


def test_runs_that_follow_from_what_was_adopted_are_adopted_too(
    boostbench, write, in_this_process, tmp_path
):
    extending = """
name: adopted
datasets: [iris]
split: {folds: 3, validation: true}
boosters:
  - prior.py:Prior: {grid: {smoothing: [1, 2]}}
select:
  by: validation
  extend: {smoothing: {step: 1, within: [0, 4]}}
  prefer: {smoothing: largest}
rounds: 3
"""
    write("counts.argmax()")
    (tmp_path / "adopted.yaml").write_text(extending)
    assert boostbench("run", "adopted.yaml", "--quiet", "--executor", "inline").code == 0
    n_runs = len(statuses(boostbench))
    assert n_runs >= 12  # 1 and 2, then 3 and 4, on three folds
    write("int(np.argmax(counts))")
    outcome = boostbench("adopt", "adopted.yaml", "--sample", "0", "--quiet", "--json")
    assert [(row["sample"], row["adopted"]) for row in outcome.json] == [(1, n_runs - 1)]
    assert statuses(boostbench) == ["ok"] * n_runs


def test_a_file_that_the_sample_read_may_have_changed_too(
    boostbench, write, in_this_process, tmp_path
):
    reading = "len(__import__('pathlib').Path(__file__).with_name('table').read_bytes())"
    (tmp_path / "table").write_text("a")
    write(f"counts.argmax() + 0 * {reading}")
    assert boostbench("run", "adopted.yaml", "--quiet", "--executor", "inline").code == 0
    (tmp_path / "table").write_text("bc")
    assert statuses(boostbench) == ["stale"] * 8
    write(f"counts.argmax() + {reading} * 0")
    outcome = boostbench("adopt", "adopted.yaml", "--sample", "0", "--quiet", "--json")
    assert [(row["sample"], row["adopted"]) for row in outcome.json] == [(1, 3)] * 2
    assert statuses(boostbench) == ["ok"] * 8


def test_nothing_is_adopted_if_a_result_changed(boostbench, write, done, in_this_process):
    write("counts.argmin()")
    outcome = boostbench("adopt", "adopted.yaml", "--quiet", "--json")
    assert outcome.code == 1
    assert [(row["same"], row["adopted"]) for row in outcome.json] == [(0, 0)] * 2
    assert statuses(boostbench).count("stale") == 6


@pytest.fixture
def elsewhere(boostbench, done, tmp_path):
    """Only the config, the files that it names and the packed records are left."""
    assert boostbench("report", "adopted.yaml", "--pack").code == 0
    shutil.rmtree(tmp_path / "results" / "runs")


def test_a_result_that_differs_from_its_packed_record_is_shown(
    boostbench, write, elsewhere, in_this_process
):
    write("counts.argmin()")
    outcome = boostbench("verify", "adopted.yaml", "--sample", "0")
    assert outcome.code == 1
    assert outcome.out.endswith("adopted: repeated 2 of 8 runs: 2 not the same\n")
    assert "curves.train_errors at round 1: " in outcome.out


def test_a_selection_is_repeated_from_packed_records(boostbench, write, in_this_process, tmp_path):
    selecting = CONFIG.replace(
        "[prior.py:Prior]", "\n  - prior.py:Prior: {grid: {smoothing: [1, 2]}}"
    )
    write("counts.argmax()")
    (tmp_path / "adopted.yaml").write_text(f"{selecting}select: {{by: test}}\n")
    assert boostbench("run", "adopted.yaml", "--quiet", "--executor", "inline").code == 0
    assert boostbench("report", "adopted.yaml", "--pack").code == 0
    shutil.rmtree(tmp_path / "results" / "runs")
    outcome = boostbench("verify", "adopted.yaml", "--sample", "1")
    assert outcome.out == "adopted: repeated 16 of 16 runs: 16 same to the bit\n"


def test_valid_records_are_repeated_and_stay(boostbench, done, in_this_process, tmp_path):
    before = {path: path.read_bytes() for path in tmp_path.glob("results/runs/*/*.json")}
    assert boostbench("verify", "adopted.yaml", "--sample", "1").code == 0
    assert {path: path.read_bytes() for path in tmp_path.glob("results/runs/*/*.json")} == before


GENERATOR = """
from pathlib import Path

from boostbench.errors import DataUnavailableError
from boostbench.plugins import load


def mine(rng):
    if not Path(__file__).with_name("here").exists():
        raise DataUnavailableError("the rows of mine are not here")
    return load("iris")
"""


def test_a_run_that_is_skipped_when_it_is_repeated_says_why(
    boostbench, write, in_this_process, tmp_path
):
    write("counts.argmax()")
    (tmp_path / "mine.py").write_text(GENERATOR)
    (tmp_path / "here").touch()
    (tmp_path / "adopted.yaml").write_text(CONFIG.replace("[iris, wine]", "[mine.py:mine]"))
    assert boostbench("run", "adopted.yaml", "--quiet", "--executor", "inline").code == 0
    write("int(np.argmax(counts))")
    (tmp_path / "here").unlink()
    execution._latest.clear()  # another process would have no problem at hand
    outcome = boostbench("adopt", "adopted.yaml", "--quiet")
    assert outcome.code == 1
    assert "skipped: the rows of mine are not here" in outcome.out


def test_a_comparison_of_nothing_is_no_success(boostbench, write):
    write("counts.argmax()")
    outcome = boostbench("verify", "adopted.yaml", "--sample", "0.5")
    assert outcome.code == 1
    assert "adopted: no run has a valid record to repeat; `status` says why" in outcome.err


def test_a_run_that_fails_when_it_is_repeated_is_no_success(
    boostbench, write, elsewhere, in_this_process
):
    write("counts.nonesuch()")
    outcome = boostbench("verify", "adopted.yaml", "--sample", "0")
    assert outcome.code == 1
    assert "failed: AttributeError" in outcome.out
    assert outcome.out.endswith("repeated 0 of 8 runs: 2 could not be repeated\n")
