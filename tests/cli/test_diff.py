"""What changed between two results folders."""

import csv
import json
import shutil

import pytest

from boostbench import Experiment
from tests.cli.conftest import TINY


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A results folder with a report."""
    folder = tmp_path_factory.mktemp("reported")
    (folder / "tiny.yaml").write_text(TINY)
    experiment = Experiment.load(folder / "tiny.yaml", results=folder / "results")
    experiment.run(executor="inline")
    experiment.report().write(experiment.report_folder)
    return folder / "results"


@pytest.fixture
def reported(report, tmp_path):
    """Two folders with the same report."""
    for name in ("before", "after"):
        shutil.copytree(report, tmp_path / name)
    return tmp_path / "after" / "tiny"


def test_the_same_reports_do_not_differ(boostbench, reported):
    outcome = boostbench("diff", "before", "after")
    assert (outcome.code, outcome.out) == (0, "no differences\n")


def test_a_cell_that_changed_is_told_with_its_place(boostbench, reported):
    table = reported / "table.csv"
    header, first, *rest = csv.reader(table.read_text().splitlines())
    value = first[2]
    first[2] = f"{float(value) + 1.5:.2f}"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([header, first, *rest])
    outcome = boostbench("diff", "before", "after", "--json")
    (change,) = outcome.json
    assert outcome.code == 1
    assert (change["experiment"], change["part"]) == ("tiny", "table")
    assert change["place"] == "iris, adaboost-mh, T=1"
    assert (change["before"], change["after"], change["difference"]) == (value, first[2], 1.5)
    assert boostbench("diff", "before", "after", "--by", "1.5").code == 0


def test_other_verdicts_runs_and_experiments_are_told(boostbench, reported):
    summary = json.loads((reported / "summary.json").read_text())
    claim = {"says": "it wins", "note": "", "verdict": "reproduced", "reasons": ["holds"]}
    (reported / "summary.json").write_text(json.dumps({**summary, "claims": [claim]}))
    shutil.copytree(reported, reported.parent / "another")
    rows = boostbench("diff", "before", "after", "--json").json
    assert [(row["experiment"], row["place"], row["before"], row["after"]) for row in rows] == [
        ("another", "", "", "there"),
        ("tiny", "it wins", "", "reproduced"),
    ]


def test_more_runs_are_a_difference(boostbench, reported, tiny):
    more = ("--results", "after", "--set", "seeds=2", "--executor", "inline")
    boostbench("run", tiny, *more)
    boostbench("report", tiny, "--results", "after", "--set", "seeds=2")
    rows = boostbench("diff", "before", "after", "--json").json
    assert {"experiment": "tiny", "part": "runs", "place": "with a result", "before": "6 of 6",
            "after": "12 of 12", "difference": None} in rows  # fmt: skip


@pytest.mark.parametrize("damage", ["{", "{}"])
def test_a_damaged_summary_is_bad_input(refused, reported, damage):
    (reported / "summary.json").write_text(damage)
    err = refused("diff", "before", "after")
    assert err.startswith("boostbench: after/tiny/summary.json: is not the summary")


def test_a_folder_without_reports_is_bad_input(refused, reported):
    assert "nowhere: there are no reports here" in refused("diff", "before", "nowhere")
