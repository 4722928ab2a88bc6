"""A config that chooses parameters, from plan to report, as a user types it."""

import pytest

CHOOSES = """\
name: chooses
datasets: [iris, wine]
split: {holdout: 0.3, stratify: true}
noise: {model: exchange, rate: 0.2}
boosters:
  - samme: {grid: {weak_learner: {tree: {max_leaf_nodes: [2, 3]}}}}
rounds: 6
seeds: 2
select:
  by: {folds: 3, stratify: true}
  rounds: true
  extend: {max_leaf_nodes: {step: 1, within: [2, 5]}}
  prefer: {max_leaf_nodes: smallest}
report: [table: {}, selected: {}]
"""


@pytest.fixture
def chooses(tmp_path):
    path = tmp_path / "chooses.yaml"
    path.write_text(CHOOSES)
    return path


def test_run_goes_on_until_nothing_more_is_wanted(boostbench, chooses, tmp_path):
    before = boostbench("plan", chooses).out
    assert "8 missing" in before
    assert "4 parameter selections are still open" in before
    some = boostbench("plan", chooses, "--only", "iris", "--json").json
    assert {row["dataset"] for row in some} == {"iris"}
    outcome = boostbench("run", chooses, "--executor", "inline")
    assert outcome.code == 0, outcome.err
    plan = boostbench("plan", chooses).out
    assert "missing" not in plan
    assert "not made yet" not in plan
    rows = boostbench("plan", chooses, "--json").json
    assert len(rows) >= 12  # at least the grid and a fit of what was chosen, for each problem
    assert boostbench("status", chooses).code == 0
    again = boostbench("run", chooses, "--executor", "inline")
    assert f"{len(rows)} runs: {len(rows)} cached" in again.out

    assert boostbench("report", chooses).code == 0
    table = (tmp_path / "results/chooses/selected.md").read_text()
    assert r"max\_leaf\_nodes" in table
    assert "rounds" in table
    exported = boostbench("export", chooses).out.splitlines()
    assert sum("test_error" in line for line in exported) == 4 * 6


def test_the_table_of_choices_says_what_it_lacks(boostbench, chooses):
    text = chooses.read_text()
    chooses.write_text(text.replace("selected: {}", "selected: {at: 3}"))
    assert boostbench("run", chooses, "--executor", "inline", "--only", "iris").code == 0
    outcome = boostbench("report", chooses, "--only", "iris")
    assert outcome.code == 1
    assert "at must be a T for which a choice was made (6), found 3" in outcome.err
    without = text[: text.index("select:")] + "report: [table: {}, selected: {}]\n"
    grid = ": {grid: {weak_learner: {tree: {max_leaf_nodes: [2, 3]}}}}"
    chooses.write_text(without.replace(grid, ""))
    assert boostbench("run", chooses, "--executor", "inline", "--only", "iris").code == 0
    outcome = boostbench("report", chooses, "--only", "iris")
    assert outcome.code == 1
    assert "nothing is chosen in this config" in outcome.err
