"""The computed figures of the theory: a config without runs, its figures, values and claims."""

import csv
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from boostbench.api import Experiment
from boostbench.reports.overview import write_overview

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = ROOT / "configs/multiclass-theory/figures1-6.yaml"
    experiment = Experiment.load(path, results=tmp_path_factory.mktemp("results"))
    report = experiment.report()
    report.write(experiment.report_folder)
    return SimpleNamespace(report=report, folder=experiment.report_folder)


def test_figures_are_written_with_the_paper_s_values_beside_ours(written):
    folder = written.folder
    names = {path.name for path in folder.iterdir()}
    assert {"figure3.csv", "figure3.png", "claims.md", "report.html", "summary.json"} <= names
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "neither degree is right everywhere" in page
    with (folder / "figure2.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["over"] == "T"]
    paper = ["1.00", *(f"0.{n}" for n in (83, 97, 93, 89, 89, 90, 91, 90, 89, 89))]
    assert [row["paper"] for row in rows] == paper
    assert [f"{float(row['bound']):.2f}" for row in rows[:-1]] == paper[:-1]
    index = write_overview(folder.parent).read_text(encoding="utf-8")
    assert "A theory of multiclass boosting (Mukherjee and Schapire" in index
    assert "14 of 15 claims are true in these runs" in index

    assert_values_are_those_that_are_committed(folder)


def assert_values_are_those_that_are_committed(folder):
    committed = ROOT / "results" / folder.name
    for path in sorted(committed.glob("figure*.csv")):
        ours = (folder / path.name).read_text(encoding="utf-8").splitlines()
        theirs = path.read_text(encoding="utf-8").splitlines()
        assert len(ours) == len(theirs) > 1
        for line, expected in zip(ours, theirs, strict=True):
            for cell, wanted in zip(line.split(","), expected.split(","), strict=True):
                assert cell == wanted or float(cell) == pytest.approx(float(wanted), rel=1e-8)


def test_a_degree_map_has_x_along_the_horizontal_axis(written):
    report = written.report
    shown = np.asarray(report.figures["figure3"].axes[0].images[0].get_array())
    for _, _, x, y, degree, both in report.values["figure3"].head(441).itertuples(index=False):
        assert shown[y + 10, x + 10] == (2 if both else degree - 2)
