"""Tables of the leaderboard: standings, and recommendations tried on other data sets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench.data.catalog import catalog
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.inputs import load_plugin

from .synthetic import with_records
from .test_study_figures import made_up

FOLDER = Path(__file__).resolve().parents[2] / "configs/noise-study"
standings = load_plugin(FOLDER / "standings.py")


def test_elo_has_the_odds_of_the_comparisons() -> None:
    errors = np.array([[1.0] * 7 + [2.0] * 2, [2.0] * 7 + [1.0] * 2])
    better, worse = standings.elo(errors, anchor=1)
    assert worse == 1000.0
    assert better - worse == pytest.approx(400.0 * np.log10(7.5 / 2.5), abs=1e-3)


def test_elo_of_a_method_that_always_wins_is_finite_and_ties_are_even() -> None:
    errors = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])
    best, second, third = standings.elo(errors, anchor=2)
    assert 1000.0 < best < 2000.0
    assert second == pytest.approx(third, abs=1e-3)


def test_standings_rank_by_elo_over_the_data_sets_with_results_of_all(tmp_path: Path) -> None:
    study = made_up(tmp_path)
    table = standings.standings(study, noise="clean", anchor="samme")
    assert [row.labels for row in table.rows] == [("adaboost-mh",), ("samme",), ("sm-boost",)]
    cells = [[cell.text for cell in row.cells] for row in table.rows]
    assert [row[0] for row in cells][1] == "1000"
    assert [row[2:4] for row in cells] == [["1.0", "3.5"], ["2.0", "5.5"], ["3.0", "7.5"]]
    assert cells[0][4] == "0.0"
    share = np.mean([200.0 / (3 + k) for k in range(6)])  # two points above the best of each set
    assert float(cells[1][4]) == pytest.approx(share, abs=0.05)


def test_a_choice_on_half_of_the_sets_is_judged_on_the_other_half() -> None:
    errors = np.array([[1.0, 1.0, 1.0, 9.0], [2.0, 2.0, 2.0, 2.0]])
    (mean, low, high), chosen = standings.tried(errors)
    # the half with the last set takes the second method, one point above the first on the others;
    # the half without it takes the first, seven points above the second on the last set
    assert (low, high) == (1.0, 3.5)
    assert mean == pytest.approx(3.5 * chosen[0] + 1.0 * chosen[1])
    assert_allclose(chosen, 0.5, atol=0.1)


def test_recommendations_are_for_each_kind_of_noise_and_for_an_unknown_rate(tmp_path: Path) -> None:
    table = standings.recommend(made_up(tmp_path))
    rows = {row.labels[1]: [cell.text for cell in row.cells] for row in table.rows}
    assert list(rows) == [
        "unknown",
        "unknown, 500 samples or more",
        "none",
        "pair ≤ 20 %",
        "pair > 20 %",
        "exchange ≤ 20 %",
        "exchange > 20 %",
    ]
    assert rows["none"] == ["6", "adaboost-mh", "–", "3.5", "0.0 [0.0, 0.0]", "100", "0.0"]
    assert rows["pair > 20 %"][1] == "samme"
    assert rows["pair > 20 %"][-1] == "2.0"
    assert "unknown share of wrong labels" in table.answer[0]


def test_a_method_for_two_classes_is_not_recommended_for_more(tmp_path: Path) -> None:
    study = made_up(tmp_path)
    two = study.datasets[:2]
    study = with_records(study, lambda r: {"n_classes": 2 if r.run.dataset in two else 3})
    results = [
        replace(r, status="skipped", record=None)
        if r.run.method == "adaboost-mh" and r.run.dataset not in two
        else r
        for r in study.results
    ]
    table = standings.recommend(replace(study, results=tuple(results)))
    takes = {row.labels: row.cells[1].text for row in table.rows}
    assert takes["≥ 3", "none"] == "samme"


def test_a_recommendation_needs_results_of_every_method(tmp_path: Path) -> None:
    study = made_up(tmp_path)
    few = study.only(datasets=study.datasets[:3])
    with pytest.raises(BoostbenchError, match="four data sets"):
        standings.recommend(few)


def test_the_study_at_full_size_runs_all_data_sets_of_the_suite() -> None:
    path = shipped_configs()["noise-study/defaults"]
    config = load_config(path, size="full", check_parameters=False)
    names = {dataset.data.name for dataset in config.datasets}
    assert names == {entry.name for entry in catalog().values() if "noise" in entry.suites}
