"""The benchmark harness measures, judges and writes; how fast things are is not tested here."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import method_times, run_times, wrong_labels
from benchmarks.data import SHAPES, covtype_like, load
from benchmarks.table import Row, write
from benchmarks.timing import compete
from boostbench.api import Experiment

ROOT = Path(__file__).resolve().parent.parent
SMALL = {"name": "small", "datasets": ["iris"], "split": {"holdout": 0.3}, "rounds": 3}


@pytest.mark.parametrize(
    ("ratio", "at_least", "ok", "met"),
    [
        (0.9, False, True, True),
        (1.1, False, True, False),
        (1.1, True, True, True),
        (0.9, True, True, False),
        (1.1, True, False, False),
        (None, False, True, None),
    ],
)
def test_a_benchmark_meets_its_target_by_ratio_and_side_conditions(ratio, at_least, ok, met):
    assert Row("m", "d", "1", "1", ratio, 1.0, at_least, ok).met is met


def test_contestants_take_turns_and_medians_count():
    turns = []
    times = {"a": iter([3.0, 1.0, 2.0]), "b": iter([5.0, 5.0, 9.0])}

    def contestant(name):
        turns.append(name)
        return next(times[name])

    results = compete([lambda: contestant("a"), lambda: contestant("b")], 3, budget=60.0)
    assert results == [2.0, 5.0]
    assert turns == ["a", "b"] * 3
    assert compete([lambda: 1.0], 5, budget=0.0) == [1.0]


def test_absent_files_are_replaced_by_data_of_the_same_shape(tmp_path):
    n, n_test, d, n_classes, *_ = SHAPES["dna"]
    data = load("dna", tmp_path)
    assert data.name == "dna (generated)"
    assert (data.X.shape, data.X_test.shape) == ((n, d), (n_test, d))
    assert np.array_equal(np.unique(data.y), np.arange(n_classes))
    assert covtype_like(2_000).X.shape == (2_000, 54)


def test_the_table_is_written_as_markdown_and_csv(tmp_path):
    rows = [Row("tree", "letter", "1 ms", "2 ms", 0.5, 1.0, note="fast, once")]
    markdown, table = write(rows, tmp_path / "new", "python -m benchmarks")
    assert "| tree | letter | 1 ms | 2 ms | 0.5 | <= 1 | yes | fast, once |" in markdown.read_text()
    with table.open(newline="") as file:
        assert [row["met"] for row in csv.DictReader(file)] == ["yes"]


def test_chosen_measures_run_on_chosen_data_sets(tmp_path, monkeypatch):
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    command = [sys.executable, "-m", "benchmarks", "--quick", "--data-set", "pendigits"]
    command += ["--measure", "histogram", "tree-lightgbm", "--repeats", "1", "--out", str(tmp_path)]
    assert "histogram additions" in subprocess.check_output(command, cwd=ROOT, text=True)
    with (tmp_path / "benchmarks.csv").open(newline="") as file:
        histogram, tree = csv.DictReader(file)
    assert float(histogram["ratio"]) > 0
    assert "peer not installed" in tree["note"] or float(tree["ratio"]) > 0


def test_the_estimate_of_wrong_labels_is_shown_beside_the_truth_and_cleanlab(monkeypatch):
    pytest.importorskip("cleanlab")
    monkeypatch.setattr(wrong_labels, "RATES", (0.2,))
    monkeypatch.setattr(wrong_labels, "_FIRST", 20)
    (row,) = wrong_labels.measure("wine", [], 178)
    assert row["truth"] == pytest.approx(0.2, abs=0.005)
    assert row["low"] <= row["truth"] <= row["high"]
    assert abs(row["estimate"] - row["truth"]) < 0.08
    assert row["found"] >= row["found by cleanlab"] - 2
    shown = wrong_labels.table([row])
    assert "| wine | 3 | 20.2 |" in shown
    assert f"cleanlab {100 * abs(row['cleanlab'] - row['truth']):.1f}." in shown


def test_fits_and_predictions_of_each_method_are_timed():
    boosters = ["samme", "random-forest"]
    runs = Experiment.load({**SMALL, "boosters": boosters, "seeds": 1}).runs
    times = method_times.measure(runs, (), turns=1)
    assert np.shape(times) == (3, 2)
    assert np.all(np.array(times) > 0.0)


def test_the_minutes_of_packed_runs_are_those_that_they_timed(tmp_path):
    experiment = Experiment.load({**SMALL, "boosters": ["samme"], "seeds": 2}, results=tmp_path)
    experiment.run(executor="inline")
    minutes = run_times.minutes_of(experiment.pack())
    assert minutes["runs"] == 2
    assert minutes["fit"] > 0
    phases = sum(minutes[phase] for phase in run_times.PHASES)
    assert minutes["minutes"] == pytest.approx(phases)
