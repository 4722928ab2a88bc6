"""The computed figures of the theory, from end to end."""

import csv
from pathlib import Path

import pytest

from boostbench.reports.overview import write_overview

FIGURES = "multiclass-theory/figures1-6"


def test_figures_are_written_with_the_paper_s_values_beside_ours(boostbench, tmp_path):
    outcome = boostbench("report", FIGURES)
    assert outcome.code == 0, outcome.err
    folder = tmp_path / "results/multiclass-theory-figures1-6"
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
    assert "14 of 15 claims true in these runs" in index

    assert_values_are_those_that_are_committed(folder)


def assert_values_are_those_that_are_committed(folder):
    committed = Path(__file__).resolve().parents[2] / "results" / folder.name
    for path in sorted(committed.glob("figure*.csv")):
        ours = (folder / path.name).read_text(encoding="utf-8").splitlines()
        theirs = path.read_text(encoding="utf-8").splitlines()
        assert len(ours) == len(theirs) > 1
        for line, expected in zip(ours, theirs, strict=True):
            for cell, wanted in zip(line.split(","), expected.split(","), strict=True):
                assert cell == wanted or float(cell) == pytest.approx(float(wanted), rel=1e-8)


def test_nothing_is_trained_for_computed_figures(boostbench):
    for command in ("run", "plan", "status"):
        assert boostbench(command, FIGURES).code == 0
    outcome = boostbench("verify", FIGURES)
    assert outcome.code == 1
    ours = "3 claims of ours: 3 true in these runs (3 beyond chance)"
    identities = (
        "12 identities: 11 true in these runs (11 beyond chance), 1 false (1 beyond chance)"
    )
    assert outcome.out.endswith(f"{ours}; {identities}\n")
