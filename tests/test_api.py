"""Experiments from Python do what the command line does, and stay silent."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from boostbench import Experiment, load_dataset, load_results
from boostbench.api import load_experiments
from boostbench.errors import BoostbenchError, ConfigError
from boostbench.experiments.store.records import PackedRecords

SMALL, CHOSEN = (Path(__file__).with_name(name) for name in ("small.yaml", "chosen.yaml"))


@pytest.fixture
def path(alone):
    return Path(shutil.copy(SMALL, alone))


def chosen(path, select, split):
    """Do the runs of an experiment that selects parameters."""
    path.write_text(f"{CHOSEN.read_text()}select: {select}\nsplit: {split}\n")
    experiment = Experiment.load(path)
    experiment.run(executor="inline")
    return experiment


@pytest.fixture
def done(path):
    experiment = Experiment.load(path)
    experiment.run(executor="inline")
    return experiment


def test_nothing_is_printed(path, capfd):
    experiment = Experiment.load(path, overrides={"rounds": 2})
    experiment.run(executor="inline")
    experiment.report().write(experiment.report_folder)
    experiment.verify()
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_a_run_leaves_what_is_done_and_statuses_to_retry_may_be_one_text(done):
    events = []
    again = done.run(
        executor="inline", plan=done.plan(), retry="failed, stale", on_event=events.append
    )
    assert again.counts == {}
    assert [planned.status for planned in again.untouched] == ["ok"] * 4
    assert events == []


def test_overrides_as_a_mapping_and_as_texts_are_the_same(path, tmp_path):
    mapped = Experiment.load(path, overrides={"rounds": 2, "noise.rate": 0.1})
    written = Experiment.load(path, overrides=["rounds=2", "noise.rate=0.1"])
    assert mapped.runs == written.runs
    assert {(run.rounds, run.noise.rate) for run in mapped.runs} == {(2, 0.1)}
    odd = Experiment.load(path, overrides={"title": "\N{SNAIL}", "paper": tmp_path})
    assert (odd.config.title, odd.config.paper) == ("\N{SNAIL}", str(tmp_path))
    one = Experiment.load(path, overrides="rounds=2", only="wine")
    assert {(run.dataset, run.rounds) for run in one.runs} == {("wine", 2)}


def test_results_of_the_folder_are_those_of_the_experiment(done):
    frame = done.results()
    assert list(frame.columns[:3]) == ["dataset", "booster", "parameters"]
    assert set(frame["parameters"]) == {"{}", '{"subsample":0.5}'}
    columns = ["dataset", "booster", "round", "metric", "value"]
    assert in_order(load_results("results"))[columns].equals(in_order(frame)[columns])
    assert done.results(rounds=2).equals(done.results(rounds=[2]))


def test_an_error_has_no_other_behind_it(path):
    with pytest.raises(ConfigError) as error:
        Experiment.load(path, overrides={"boosters": ["smboost"]})
    assert error.value.__context__ is None  # a traceback in a notebook says it once


def test_a_pattern_has_to_match_in_one_of_several_configs(path, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text("name: other\nextends: small.yaml\ndatasets: [digits]\n")
    small, large = load_experiments([path, other], only=["digits"])
    assert (len(small.runs), len(large.runs)) == (0, 2)


def test_the_home_folder_has_a_sign_and_other_names_begin_with_it_too(path, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    experiment = Experiment.load(path, results="~/results")
    assert experiment.store.folder == tmp_path / "home" / "results" / "runs"
    (tmp_path / "~$own.csv").write_text("a,b,target\n1,2,x\n3,4,y\n5,6,x\n")
    assert load_dataset("~$own.csv").n_rows == 3


def test_packed_records_have_the_rows_that_reports_read(done, path, tmp_path):
    frame, rows = done.results(), load_results()
    done.pack()
    shutil.rmtree(done.store.folder)
    again = Experiment.load(path)
    assert again.plan().counts() == {"missing": 4}
    for whole, packed in ((frame, again.results()), (rows, load_results())):
        unread = (whole["round"] == 2) & ~whole["carried"]
        assert unread.sum() == 6
        assert_frame_equal(in_order(packed), in_order(whole[~unread]))


def test_a_pack_is_not_replaced_by_one_that_lacks_its_runs(done, path):
    file = done.pack()
    before = file.read_bytes()
    kept = re.escape(f"{file}: is kept: 2 of its 4 records are of runs that have none here; ")
    for fewer in (["datasets=[iris]"], ["boosters=[samme]"]):
        with pytest.raises(BoostbenchError, match=kept):
            Experiment.load(path, overrides=fewer).pack()
    shutil.rmtree(done.store.folder / "wine")
    Experiment.load(path).pack()  # with the packed records of wine
    assert file.read_bytes() == before
    more = Experiment.load(path, overrides=["rounds=4"])
    more.run(executor="inline")
    more.pack()
    assert file.read_bytes() != before
    with pytest.raises(BoostbenchError, match="4 of its 4 records are of runs that have none"):
        Experiment.load(path, overrides=["noise=none"], only="iris").pack(file.parent)


def test_a_pack_of_selections_is_not_replaced_by_some_of_their_trials(path):
    experiment = chosen(path, "{by: test}", "{holdout: 0.3}")
    before = experiment.pack().read_bytes()
    for record in experiment.store.all_paths()[1:]:
        record.unlink()
    with pytest.raises(BoostbenchError, match="of runs that have none here; do them, or delete"):
        experiment.pack()
    assert (experiment.report_folder / "records.jsonl.xz").read_bytes() == before


def in_order(frame):
    return frame.sort_values(["dataset", "booster", "seed", "round", "metric"], ignore_index=True)


def told(path, folder):
    """Return the files of the report, the selections and the verdicts of an experiment."""
    experiment = Experiment.load(path)
    files = {file.name: file.read_bytes() for file in experiment.report().write(folder)}
    selected = [result.selected for result in experiment.study().results]
    fits = [(fit.run, fit.status, fit.seconds) for each in selected for fit in each.trials]
    selections = [(each.grid, each.choices, each.n_fits) for each in selected]
    return files, selections, fits, [verdict.status for verdict in experiment.verify()]


@pytest.mark.parametrize(
    ("select", "split"),
    [
        ("{by: test}", "{holdout: 0.3}"),
        ("{by: validation}", "{folds: 3, validation: true}"),
        ("{by: {folds: 2}, rounds: true}", "{holdout: 0.3}"),
    ],
)
def test_choices_from_packed_records_are_those_of_the_records(select, split, tmp_path, path):
    experiment = chosen(path, select, split)
    before = told(path, tmp_path / "a")
    fewer = Experiment.load(path, overrides=["rounds=2", "checkpoints=[2]"]).study().results
    of_fewer = [each.selected.choices for each in fewer]
    packed = PackedRecords(experiment.pack())
    curves = [packed.read(path).curves for path in packed.all_paths()]
    assert len(curves) == len(experiment.store.all_paths())
    compared = [curve for each in curves if len(each) == 1 for curve in each.values()]
    assert compared
    if "rounds: true" in select:
        assert all((np.diff(curve[~np.isnan(curve)]) < 0).all() for curve in compared)
    shutil.rmtree(experiment.store.folder)
    assert told(path, tmp_path / "b") == before
    assert set(load_results()["seed"]) == {0, 1}
    fewer = Experiment.load(path, overrides=["rounds=2", "checkpoints=[2]"]).study().results
    found = [each.selected and each.selected.choices for each in fewer]
    if select == "{by: validation}":  # the file has no errors of round 2
        assert not any(found)
        assert all(re.match(r"[1-9]\d* of \d+ fits needed", each.reason) for each in fewer)
    else:
        assert found == of_fewer


def test_a_trial_packed_without_test_errors_is_never_chosen(path, tmp_path):
    experiment = chosen(path, "{by: validation}", "{folds: 3, validation: true}")
    experiment.pack()
    shutil.rmtree(experiment.store.folder)
    for prefer in ("smallest", "largest"):
        rule = f"select={{by: validation, prefer: {{max_depth: {prefer}}}}}"
        results = Experiment.load(path, overrides=[rule, "rounds=1"]).study().results
        for result in results:
            if result.ok:
                assert "test_errors" in result.record.curves
            else:
                assert "only the errors that were compared" in result.reason


def test_runs_without_a_record_are_read_from_the_packed_records_and_said_to_be_so(
    done, path, monkeypatch
):
    done.pack()
    shutil.rmtree(done.store.folder / "wine")
    results = Experiment.load(path).study().results
    taken = "taken from the packed records"
    found = {(result.run.dataset, result.status, result.reason) for result in results}
    assert found == {("iris", "ok", ""), ("wine", "ok", taken)}
    shutil.rmtree(done.store.folder)
    planner = "boostbench.experiments.planning.planner.code_of"
    monkeypatch.setattr(planner, lambda run, generator: "0" * 8)
    found = {(each.status, each.reason) for each in Experiment.load(path).study().results}
    assert found == {("ok", "the code changed since it was done")}
