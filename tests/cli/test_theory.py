"""`boostbench theory`: conditions, potentials, bounds, degrees and figures, from end to end."""

import csv
from pathlib import Path

import pytest
from numpy.testing import assert_allclose

from boostbench.reports.overview import write_overview

from .test_help import HEAVY, modules_after

FIGURES = "multiclass-theory/figures1-6"


def test_help_imports_nothing_heavy():
    assert not modules_after("theory conditions --help") & HEAVY


def edges(outcome):
    assert outcome.code == 0, outcome.err
    return {row["condition"]: round(row["edge"], 6) for row in outcome.json["conditions"]}


def test_figure_1_satisfies_only_samme_s_condition(boostbench):
    outcome = boostbench("theory", "conditions", "two-constants", "--json")
    assert edges(outcome) == {
        "samme": 0.25,
        "m1": 0,
        "mh": 0,
        "mr": 0,
        "edge-over-random": -0.5,
        "minimal": 0,
    }
    assert not outcome.json["boostable"]
    satisfied = [row["condition"] for row in outcome.json["conditions"] if row["satisfied"]]
    assert satisfied == ["samme"]


def test_the_certificate_of_failure_is_printed(boostbench):
    out = boostbench("theory", "conditions", "two-constants").out
    assert "not boostable" in out
    assert "the baseline costs -0.1, the cheapest classifier 0" in out
    assert out.splitlines()[-2].split() == ["0", "0", "-0.5", "0.5", "0"]


def test_the_certificate_of_success_is_a_mixture(boostbench):
    arguments = ("--certificate", "samme", "--gamma", "0.2")
    out = boostbench("theory", "conditions", "two-constants", *arguments).out
    assert "'samme' holds up to edge 0.25 by this mixture" in out
    assert out.splitlines()[-2:] == ["0.5000  h1", "0.5000  h2"]


def test_an_example_space_takes_parameters(boostbench):
    settings = ("--set", "n=5", "--set", "n_classes=4", "--set", "n_right=2")
    found = edges(boostbench("theory", "conditions", "subsets", *settings, "--json"))
    assert found == {
        "samme": 0.2,
        "m1": -0.2,
        "mh": -0.2,
        "mr": 0.2,
        "edge-over-random": 0.2,
        "minimal": 0.2,
    }


def test_predictions_are_read_from_a_file(boostbench, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("left,truth,right\ncat,cat,dog\ncat,dog,dog\n")
    outcome = boostbench(
        "theory", "conditions", path, "--target", "truth", "--classes", 3, "--json"
    )
    assert edges(outcome)["samme"] == 0.25
    assert outcome.json["classes"] == ["cat", "dog", "(unseen 2)"]
    assert set(outcome.json["conditions"][0]["mixture"]) == {"left", "right"}


def test_the_stumps_of_a_data_set_are_named(boostbench):
    outcome = boostbench("theory", "conditions", "iris", "--rows", 30, "--json")
    assert outcome.json["n_samples"] == 30
    assert outcome.json["boostable"]
    names = [name for row in outcome.json["conditions"] for name in row["mixture"]]
    assert any(name.startswith("petal length (cm) <= ") for name in names)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "answers.csv: the file is empty; a header row and data rows are expected"),
        ("h,y\n", "answers.csv: holds no predictions; expected a column for each classifier"),
        ("h,y\n0\n", "answers.csv:2: the row has 1 cells, the header has 2"),
        ("h,y\n,0\n", "answers.csv:2: the label (column 'h') is missing; every row needs one"),
        ("h,h,y\n0,0,0\n", "answers.csv:1: column 'h' occurs twice in the header"),
        ("y\n0\n", "answers.csv: holds no predictions; expected a column for each classifier"),
        ("h,yy\n0,0\n", "has no column 'y' of true labels; did you mean 'yy'?"),
        ('h,y\n"0,0\n', "answers.csv:2: the row has 1 cells, the header has 2"),
    ],
)
def test_a_bad_file_of_predictions_is_named(refused, tmp_path, content, complaint):
    (tmp_path / "answers.csv").write_text(content)
    err = refused("theory", "conditions", "answers.csv")
    assert complaint in err
    assert len(err.splitlines()) == 1


def test_a_potential_has_costs_and_degrees(boostbench):
    game = ("--classes", 3, "--gamma", 0.1, "--condition", "minimal", "--state", "2,1,0")
    outcome = boostbench("theory", "potential", "--rounds", "0..4", *game, "--json")
    rows = outcome.json["potentials"]
    assert [row["rounds_left"] for row in rows] == [0, 1, 2, 3, 4]
    assert_allclose([row["potential"] for row in rows], [0, 0.45, 0.36, 0.42525, 0.404325])
    assert [row["degree"] for row in rows] == [None, 2, 3, 2, 3]
    assert_allclose(rows[3]["costs"], [0.2025, 0.6975, 0.36])
    table = boostbench("theory", "potential", "--rounds", "0..4", *game).out.splitlines()
    assert table[0].split() == ["rounds", "left", "potential", "degree", "costs"]
    assert table[4].split() == ["3", "0.42525", "2", "0.2025,", "0.6975,", "0.36"]


def test_the_exponential_loss_has_a_default_weight(boostbench):
    game = ("--classes", 3, "--rounds", 5, "--gamma", 0.2, "--loss", "exponential")
    default = boostbench("theory", "potential", *game, "--json").json
    given = boostbench("theory", "potential", *game, "--eta", default["eta"], "--json").json
    assert default == given
    assert default["eta"] == pytest.approx(0.1823215568)


def test_bounds_are_compared_over_rounds_and_classes(boostbench):
    outcome = boostbench(
        "theory", "bound", "--classes", "3,6", "--rounds", "9..10", "--gamma", 0, "--json"
    )
    rows = outcome.json["bounds"]
    assert [(row["classes"], row["rounds"]) for row in rows] == [(3, 9), (3, 10), (6, 9), (6, 10)]
    assert_allclose([rows[-1]["uniform"], rows[-1]["minimal"]], [0.884883, 0.918557], atol=1e-6)
    assert rows[-1]["adaboost_mm"] == 5


def test_a_game_of_too_many_states_is_left_out(boostbench):
    outcome = boostbench("theory", "bound", "--classes", 10, "--rounds", "5,100", "--gamma", 0.1)
    assert outcome.code == 0
    assert "left out 1 of 2, with more than 5000000 states" in outcome.err
    assert len(outcome.out.splitlines()) == 3


def test_degrees_are_mapped_as_specified(boostbench):
    out = boostbench("theory", "degrees", "--rounds", 3, "--gamma", 0.1).out
    # Rows x, columns y; 0 where both degrees attain the maximum.
    rows = ["3323230", "3323230", "2233230", "3333230", "2222330", "3333330", "0000000"]
    lines = ["".join(row[y] for row in rows).replace("0", "=") for y in reversed(range(7))]
    assert out.splitlines()[:7] == lines


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("conditions windws", "unknown example space, file or data set 'windws'; did you mean"),
        ("conditions no.csv", "no.csv: the file cannot be read: No such file or directory"),
        ("conditions windows --set n=x", "--set n=x: n must be a whole number, found 'x'"),
        ("conditions windows --set m=1", "unknown parameter 'm' of 'windows'; known are: gamma, n"),
        ("conditions windows --rows 3", "--rows: is for a data set, which 'windows' is not"),
        ("conditions iris --gamma 2", "gamma must lie in [0, 1], found 2.0"),
        ("conditions iris --certificate mri", "unknown condition 'mri'; did you mean 'mr'?"),
        ("conditions digits", "1797 samples is too large; it may hold at most 20000000"),
        ("potential --classes 3 --rounds x", "--rounds: 'x' is not a list of whole numbers"),
        ("potential --classes 3 --rounds 5..2", "ranges in ascending order; found 5..2"),
        ("potential --classes 3 --rounds 9999", "expected numbers from 0 to 2000"),
        ("potential --classes 3 --rounds 1 --state 1,2", "not the votes for 3 labels"),
        ("potential --classes 3 --rounds 1 --eta 1", "the zero-one loss has no eta, found 1.0"),
        ("potential --classes 3 --rounds 1 --loss hinge", "loss must be 'zero-one' or"),
        ("potential --classes 3 --rounds 1 --condition mr", "condition must be 'uniform' or"),
        (
            "degrees --rounds 2 --gamma 0 --loss exponential",
            "--eta: needed for the exponential loss if",
        ),
        (
            "degrees --rounds 9 --loss exponential --eta 99",
            "eta may be at most 38.89 with 18 votes, found 99",
        ),
        ("bound --classes 1 --rounds 3", "--classes: expected numbers from 2 to 1000"),
    ],
)
def test_a_mistake_is_one_line(boostbench, command, complaint):
    outcome = boostbench("theory", *command.split())
    assert outcome.code == 2
    assert complaint in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert outcome.out == ""


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
    overview = write_overview(folder.parent).read_text(encoding="utf-8")
    assert "| [A theory of multiclass boosting (Mukherjee and Schapire, " in overview
    assert "-research-2013) | 1 |  |  |  |  | 3 of 3 hold |" in overview
    assert overview.count("(#a-theory-of-multiclass-boosting-mukherjee-and-schapire-") == 1
    for line in overview.splitlines():
        for part in line.split("](")[1:]:
            target, _, anchor = part.partition(")")[0].partition("#")
            file = folder.parent / (target or "README.md")
            assert not (target and anchor) or f'id="{anchor}"' in file.read_text()
            assert file.exists()

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
    ours, identities = "3 claims of ours: 3 reproduced", "12 identities: 11 reproduced"
    assert outcome.out.endswith(f"{ours}; {identities}, 1 not reproduced\n")
