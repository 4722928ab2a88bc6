"""Tidy rows of error curves: exact, ordered as the config, and quick."""

import numpy as np
import pytest

from boostbench.errors import BoostbenchError, UnknownNameError
from boostbench.experiments.runs import CLEAN, BoosterSpec, Noise, Params
from boostbench.quantities import QUANTITIES
from boostbench.reports.values.frame import (
    EXPORT_COLUMNS,
    collect,
    error_at,
    error_curve,
    export_rows,
    tidy,
)

from .synthetic import (
    EXCHANGE,
    N_TEST,
    make_config,
    make_record,
    make_result,
    plan_of,
    study_of,
)
from .told import study_told


def test_a_row_is_an_error_rate_of_one_run_and_round(tmp_path):
    config = make_config(tmp_path, noise=[EXCHANGE], rounds=20, seeds=2)
    frame = tidy(study_of(config).results)
    assert len(frame) == 2 * 3 * 2 * 20 * 3  # data sets, boosters, seeds, rounds, metrics
    row = frame.query(
        "dataset == 'dna' and booster == 'samme' and seed == 1 and round == 7"
        " and metric == 'test_error'"
    ).iloc[0]
    record = next(
        planned.record
        for planned in plan_of(config)
        if planned.run.id == "dna/samme/exchange-0.2/seed-1"
    )
    assert row["value"] == record.curves["test_errors"][6] / N_TEST["dna"]
    assert (row["noise_model"], row["noise_rate"]) == ("exchange", 0.2)


def test_export_has_exactly_its_columns_and_the_config_s_order(tmp_path):
    config = make_config(tmp_path, datasets=["segment", "dna"], rounds=5)
    rows = export_rows(study_of(config).results)
    assert tuple(rows.columns) == EXPORT_COLUMNS
    assert list(rows["dataset"].drop_duplicates()) == ["segment", "dna"]
    assert set(rows["metric"]) == {"train_error", "train_error_clean", "test_error"}
    assert rows["value"].between(0, 1).all()
    first = rows.to_csv(index=False).splitlines()[1]
    assert first.startswith("segment,adaboost-mh,{},none,0.0,0,1,train_error,0.")


def test_a_run_that_stopped_early_holds_its_last_value_up_to_its_rounds(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme"], rounds=30)
    study = study_of(config, stopped={"dna/samme/clean/seed-0": 12})
    frame = tidy(study.results, [10, 12, 13, 30, 80], ["test_error"]).set_index("round")
    assert frame["carried"].to_dict() == {10: False, 12: False, 13: True, 30: True}
    assert frame["value"][13] == frame["value"][30] == frame["value"][12] != frame["value"][10]


def test_a_stopped_run_has_no_edge_after_its_last_round(tmp_path):
    study = study_of(make_config(tmp_path, rounds=20), stopped={"dna/samme/clean/seed-0": 7})
    (result,) = [r for r in study.results if r.stopped_at]
    result.record.curves["edge"] = np.full(7, 0.2)
    edge = error_curve(result, "edge", [1, 7, 8, 20])
    np.testing.assert_array_equal(edge, [0.2, 0.2, np.nan, np.nan])


@pytest.mark.parametrize("metric", QUANTITIES)
def test_a_value_at_one_round_is_that_of_the_curve(tmp_path, metric):
    config = make_config(tmp_path, datasets=["dna"], rounds=30)
    for result in study_of(config, stopped={"dna/samme/clean/seed-0": 12}).results:
        curve = error_curve(result, metric)
        single = [error_at(result, metric, at) for at in range(1, 31)]
        np.testing.assert_array_equal(single, curve)
        np.testing.assert_array_equal(error_at(result, metric), curve[-1])


def test_a_run_that_never_began_has_the_error_of_no_rounds(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme"], rounds=30)
    study = study_of(config, stopped={"dna/samme/clean/seed-0": 0})
    assert error_curve(study.results[0], "test_error", [1, 30]).tolist() == [0.5, 0.5]


def test_what_an_export_lacks_is_said(tmp_path, caplog):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme"], rounds=4)
    (result,) = study_of(config).results
    result.record.curves["test_log_loss"] = np.array([0.2, np.nan, np.nan, 0.1])
    export_rows([result])
    assert caplog.messages[0].startswith("2 of 16 values are not recorded, by packed records")
    study = study_of(config, absent={"dna/*": "missing"})
    with pytest.raises(BoostbenchError, match="none of the 1 runs has a result yet"):
        export_rows(study.results)


def test_an_unknown_metric_names_the_nearest(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean 'test_error'"):
        tidy(study_of(make_config(tmp_path)).results, metrics=["test_eror"])


def test_no_runs_at_all(tmp_path):
    with pytest.raises(BoostbenchError, match=r"tiny\.yaml: there is no run to report on"):
        collect(make_config(tmp_path), [])


def test_a_damaged_record_counts_as_missing(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme"])
    run = plan_of(config)[0].run
    study = collect(config, [make_result(run, "ok", "", None)])
    assert (study.results[0].status, study.results[0].ok) == ("missing", False)


def test_noises_of_one_rate_are_told_apart_in_the_export(tmp_path):
    noise = [Noise("pair", 0.2, Params({"ring": ring})) for ring in (1, 2)]
    rows = export_rows(study_of(make_config(tmp_path, noise=noise, rounds=5)).results)
    assert list(rows.columns) == [*EXPORT_COLUMNS, "noise"]
    assert set(rows["noise"]) == {"pair 0.2 (ring=1)", "pair 0.2 (ring=2)"}


def test_folds_are_told_apart_in_the_export(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme"], rounds=5)
    base = plan_of(config)[0].run
    planned = []
    for fold in range(3):
        run = type(base)(
            base.data, Params({"folds": 3, "fold": fold}), CLEAN, BoosterSpec("samme"), 5, 0
        )
        planned.append(make_result(run, record=make_record(run)))
    rows = export_rows(collect(config, planned).results, [5])
    assert list(rows.columns) == [*EXPORT_COLUMNS, "fold"]
    assert sorted(set(rows["fold"])) == [0, 1, 2]


def test_rows_hold_metrics_as_they_are_and_times_if_they_are_asked_for(tmp_path):
    results = study_told("two metrics", tmp_path).results
    rows = export_rows(results, [5])
    assert {"test_auc", "test_log_loss", "model_size"} < set(rows["metric"])
    assert not {"fit_time", "predict_time"} & set(rows["metric"])
    auc = rows[(rows["metric"] == "test_auc") & (rows["booster"] == "one")]
    np.testing.assert_array_equal(auc["value"], 0.75)
    rows = export_rows(results, [5], ["fit_time"])
    assert (rows.loc[rows["metric"] == "fit_time", "value"] == 1.5).all()
