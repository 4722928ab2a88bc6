"""Parts of records that reports and packed records leave out."""

import json
from dataclasses import replace

import numpy as np

from boostbench.experiments.configs.config import Select
from boostbench.experiments.runs import Params
from boostbench.experiments.store.record import Record
from boostbench.reports.values.part_options import Unread

from .claims.stating import with_claims
from .synthetic import make_config, make_record, make_result, runs_of

PLUGIN = """
from boostbench.reports.tables.table import Table


def losses(study, *, value="loss"):
    return Table("", (), (), (), tuple(r.record.curves[value][-1] for r in study.results))
"""


def left_out(config, *, for_file=False):
    run = runs_of(config)[0]
    record = make_result(run, record=make_record(run)).record
    return record, Unread(config, runs_of(config), for_file=for_file).left_out(run, record)


def test_unread_losses_and_rounds_are_left_out(
    tmp_path,
):
    record, kept = left_out(make_config(tmp_path, rounds=60, checkpoints=[10, 20]))
    assert set(record.curves) - set(kept.curves) == {"loss"}
    assert set(record.by_round("right")) == {"1", "2", "5", "10", "20", "50", "60"}
    assert set(kept.by_round("right")) == {"10", "20", "60"}
    same = record.plain() | {"curves": 0, "at_checkpoints": 0}
    assert kept.plain() | {"curves": 0, "at_checkpoints": 0} == same


def test_the_samples_of_a_round_that_a_claim_names_are_kept(tmp_path):
    claim = {"says": "so", "compares": {"booster": "samme", "at": 5, "lower_than": "others"}}
    config = with_claims(make_config(tmp_path, rounds=60, checkpoints=[10]), claim)
    assert set(left_out(config)[1].by_round("right")) == {"5", "10", "60"}


def test_which_samples_were_right_is_left_out_where_seeds_repeat_splits(tmp_path):
    config = make_config(tmp_path, seeds=2)
    runs = [replace(run, split=Params({"holdout": 0.3})) for run in runs_of(config)]
    record = make_result(runs[0], record=make_record(runs[0])).record
    assert Unread(config, runs).left_out(runs[0], record).by_round("right") == {}


def test_a_curve_that_an_option_of_a_plugin_names_is_kept(tmp_path):
    (tmp_path / "own.py").write_text(PLUGIN)
    config = make_config(tmp_path, report=[("own.py:losses", {})])
    assert "loss" in left_out(config)[1].curves
    config = make_config(tmp_path, report=[("own.py:losses", {"value": "below-loss"})])
    assert "loss" not in left_out(config)[1].curves


def test_files_have_the_days_of_begin_and_end(tmp_path):
    for for_file, expected in ((False, "2026-10-01T10:00:02+00:00"), (True, "2026-10-01")):
        assert left_out(make_config(tmp_path), for_file=for_file)[1].finished == expected


def test_quantities_are_kept_at_rounds_that_are_read(tmp_path):
    def read(*report, **more):
        more |= {"rounds": 60, "checkpoints": [10], "metrics": ("log_loss",)}
        config = make_config(tmp_path, report=report, **more)
        run = runs_of(config)[0]
        made = make_record(run)
        made["curves"]["test_log_loss"] = [0.5] * 60
        record = make_result(run, record=made).record
        return Unread(config, runs_of(config)).left_out(run, record).curves["test_log_loss"]

    table = ("table", {"value": "test_log_loss", "at": [5], "name": "log-loss-20"})
    assert (np.flatnonzero(~np.isnan(read(table))) + 1).tolist() == [5, 10, 60]
    figure = ("critical-difference", {"value": "test_log_loss", "at": 20})
    assert (np.flatnonzero(~np.isnan(read(figure))) + 1).tolist() == [10, 20, 60]
    assert not np.isnan(read(table, ("curves", {"y": "test_log_loss"}))).any()
    rounds = Select.model_validate({"by": "test", "rounds": True})
    assert not np.isnan(read(table, select=rounds)).any()


def test_files_keep_errors_at_rounds_that_are_read(tmp_path):
    config = make_config(tmp_path, rounds=60, checkpoints=[10, 20], report=[("table", {})])
    record, kept = left_out(config, for_file=True)
    drawn = make_config(
        tmp_path, rounds=60, report=[("curves", {"y": ["train_error_clean", "test_error"]})]
    )
    whole = left_out(drawn, for_file=True)[1].curves
    for name in ("train_errors_clean", "test_errors"):
        assert left_out(config)[1].curves[name].dtype == np.int32
        curve = kept.curves[name]
        assert (np.flatnonzero(~np.isnan(curve)) + 1).tolist() == [10, 20, 60]
        assert curve[-1] == record.curves[name][-1]
        read_back = Record.model_validate_json(json.dumps(kept.plain()))
        np.testing.assert_array_equal(read_back.curves[name], curve)
        assert not np.isnan(whole[name]).any()


def test_lists_that_no_option_names_are_kept_in_a_file_for_one_seed(tmp_path):
    def kept(seed, *report, for_file=True):
        (tmp_path / "own.py").write_text(PLUGIN)
        config = make_config(tmp_path, seeds=3, report=report)
        run = next(run for run in runs_of(config) if run.seed == seed)
        made = make_record(run)
        made["at_checkpoints"]["sample_weights"] = {"10": [0.5, 0.5]}
        record = make_result(run, record=made).record
        unread = Unread(config, runs_of(config), for_file=for_file)
        return bool(unread.left_out(run, record).by_round("sample_weights"))

    assert [kept(seed) for seed in (0, 1, 2)] == [True, False, False]
    assert kept(2, for_file=False)
    assert kept(2, ("own.py:losses", {"value": 2}))  # as an option `seed: 2`
    assert kept(2, ("own.py:losses", {"value": "sample_weights"}))
