"""Metrics beside the error in tables, rankings, figures and rows: high or low, as is better."""

import numpy as np
import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import BoosterSpec
from boostbench.reports.figures.rank_figures import case_errors
from boostbench.reports.tables.error_table import build_table
from boostbench.reports.values.frame import collect, export_rows

from .synthetic import make_config, make_record, make_result, runs_of

AUC = {"one": 0.75, "two": 0.875}
LOG_LOSS = {"one": 0.5, "two": 0.25}


def study(folder, without=(), seeds=1):
    config = make_config(
        folder,
        datasets=["dna", "vowel"],
        boosters=[BoosterSpec(name, label=name) for name in AUC],
        rounds=5,
        checkpoints=(2, 5),
        seeds=seeds,
    )
    results = []
    for run in runs_of(config):
        record = make_record(run)
        name = run.booster.name
        if not {name, (name, run.seed)} & {*without}:
            record["curves"]["test_auc"] = [AUC[name]] * 5
            record["curves"] |= {"test_log_loss": [LOG_LOSS[name]] * 5, "edge": [0.5] * 5}
        record["at_checkpoints"]["model_size"] = 1234
        results.append(make_result(run, record=record))
    return collect(config, results)


def cells(table, row):
    return next(its.cells for its in table.rows if row in its.labels)


def test_the_best_is_the_highest_where_high_is_better(tmp_path):
    table = build_table(study(tmp_path), value="test_auc")
    assert [cell.text for cell in cells(table, "one")] == ["75.00", "75.00"]
    best = [[cell.best for cell in cells(table, row)] for row in ("one", "two")]
    assert best == [[False, False], [True, True]]
    assert "Test AUC in percent. Bold: the highest" in table.footers[0]
    assert [cell.text for cell in cells(table, "mean rank")] == ["2.00", "2.00"]


def test_the_best_is_the_lowest_where_low_is_better(tmp_path):
    table = build_table(study(tmp_path), value="test_log_loss")
    assert cells(table, "two")[0].text == "0.2500"
    assert cells(table, "two")[0].best
    assert "Test log loss. Bold: the lowest" in table.footers[0]


def test_nothing_is_best_where_neither_high_nor_low_is_better(tmp_path):
    table = build_table(study(tmp_path), value="edge", tested=True)
    assert {cell.best for row in table.rows for cell in row.cells} == {False}
    assert (table.answer, "Bold" in table.footers[0]) == ((), False)


def test_comparisons_are_of_what_is_lacking_of_1(tmp_path):
    its = study(tmp_path)
    errors, _ = case_errors(its, "test_auc")
    assert errors.to_numpy().tolist() == [[0.25, 0.125]] * 2


def test_what_has_no_probabilities_is_said_in_its_cells(tmp_path):
    table = build_table(study(tmp_path, without=("one",)), value="test_log_loss")
    assert {cell.text for cell in cells(table, "one")} == {"not recorded"}
    assert any("a booster with probabilities" in note for note in table.notes)


def test_a_mean_without_the_runs_that_did_not_record_the_metric_says_so(tmp_path):
    table = build_table(study(tmp_path, [("one", 1)], seeds=3), value="test_auc")
    [note] = {note for cell in cells(table, "one") for note in cell.notes}
    assert (
        note
        == "not recorded by 1 of 3 runs; it takes 'metrics: [auc]' and a booster with probabilities"
    )
    assert not any(cell.notes for cell in cells(table, "two"))


def test_a_cell_without_a_finite_value_is_not_beyond_the_rounds(tmp_path):
    its = study(tmp_path)
    for result in its.results[::2]:
        result.record.curves["test_auc"][:] = np.nan
    table = build_table(its, value="test_auc")
    assert {cell.text for cell in cells(table, "one")} == {"no value"}
    assert table.notes == ("no finite value of 1 of 1 runs",)
    assert not any("beyond" in footer for footer in table.footers)


def test_a_metric_that_is_not_recorded_is_refused(tmp_path):
    with pytest.raises(BoostbenchError, match=r"metrics: \[log_loss\]"):
        build_table(study(tmp_path, without=("one", "two")), value="test_log_loss")


def test_quantities_of_a_whole_run_are_in_the_row_of_its_last_round(tmp_path):
    table = build_table(study(tmp_path), value="model_size")
    assert [cell.text for cell in cells(table, "one")] == ["\N{EN DASH}", "1234"]
    table = build_table(study(tmp_path), value="fit_time", at="end")
    assert cells(table, "one")[0].text == "1.5000"


def test_rows_hold_metrics_as_they_are_and_times_if_they_are_asked_for(tmp_path):
    results = study(tmp_path).results
    rows = export_rows(results, [5])
    assert {"test_auc", "test_log_loss", "model_size"} < set(rows["metric"])
    assert not {"fit_time", "predict_time"} & set(rows["metric"])
    auc = rows[(rows["metric"] == "test_auc") & (rows["booster"] == "one")]
    np.testing.assert_array_equal(auc["value"], 0.75)
    rows = export_rows(results, [5], ["fit_time"])
    assert (rows.loc[rows["metric"] == "fit_time", "value"] == 1.5).all()
