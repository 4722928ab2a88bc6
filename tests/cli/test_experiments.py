"""run -> status -> plan -> export, as a user types them."""

import csv
import io
import shlex
import subprocess
import sys
import time

import pytest

from boostbench.api import Experiment
from boostbench.experiments.store.locks import RunLocks
from tests.cli.conftest import TINY

SAD = '''
import os, signal, time
from sklearn.dummy import DummyClassifier

class Sad(DummyClassifier):
    """Goes wrong."""

    def __init__(self, how="raise", n_estimators=1, random_state=None):
        super().__init__()
        self.how = how
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        if self.how == "raise":
            raise ValueError("no good")
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "sleep":
            time.sleep(60)
        return super().fit(X, y)

    def staged_predict(self, X):
        for _ in range(self.n_estimators):
            yield self.predict(X)
'''


@pytest.fixture
def done(boostbench, tiny):
    """Return a tiny experiment that has been run in this process."""
    outcome = boostbench("run", tiny, "--executor", "inline")
    assert outcome.code == 0, outcome.err
    return tiny


@pytest.fixture
def sad(tmp_path):
    """Return a config one of whose boosters goes wrong."""

    def make(how="raise"):
        (tmp_path / "sad.py").write_text(SAD)
        boosters = f"boosters:\n  - samme\n  - sad.py:Sad: {{how: {how}}}"
        path = tmp_path / "sad.yaml"
        path.write_text(
            TINY.replace("boosters: [adaboost-mh, samme, sm-boost]", boosters).replace(
                "tiny", "sad"
            )
        )
        return path

    return make


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_from_config_to_csv_in_processes_of_its_own(shell, boostbench, tiny):
    ran = shell("run", "tiny.yaml", "--jobs", "2")
    assert ran.code == 0, ran.err
    assert "boostbench:" not in ran.err
    assert ran.out.startswith("tiny: 6 runs: 6 ok in ")
    again = boostbench("run", "tiny.yaml")
    next_one = "next: boostbench report tiny.yaml\n"
    assert (again.code, again.out) == (0, f"tiny: 6 runs: 6 cached\n{next_one}")
    exported = boostbench("export", "tiny.yaml", "--at", "1,4")
    rows = rows_of(exported.out)
    assert len(rows) == 2 * 3 * 2 * 3
    assert list(rows[0]) == [
        "dataset",
        "booster",
        "parameters",
        "noise_model",
        "noise_rate",
        "seed",
        "round",
        "metric",
        "value",
        "carried",
    ]
    assert {row["metric"] for row in rows} == {"train_error", "train_error_clean", "test_error"}
    assert all(0 <= float(row["value"]) <= 1 for row in rows)


def test_a_dry_plan_counts_and_trains_nothing(boostbench, tiny, tmp_path):
    outcome = boostbench("plan", tiny)
    assert outcome.code == 0
    assert outcome.out.startswith("tiny: 6 runs: 6 missing\nwould do 6 runs in about")
    assert "that is a guess: no run of the same booster on the same data set" in outcome.out
    assert not (tmp_path / "results").exists()
    rows = boostbench("plan", tiny, "--json").json
    assert len(rows) == 6
    assert all(row["would_run"] and row["status"] == "missing" for row in rows)


def test_a_sample_of_each_kind_is_done_for_the_estimate(boostbench, tiny, in_this_process):
    more = ("plan", tiny, "--set", "seeds=3")
    assert boostbench(*more, "--sample", "1").out.startswith("tiny: 18 runs: 6 ok, 12 missing\n")
    done = [row for row in boostbench(*more, "--json").json if row["status"] == "ok"]
    assert len({(row["dataset"], row["booster"]) for row in done}) == 6
    assert boostbench(*more, "--sample", "1").out.startswith("tiny: 18 runs: 6 ok, 12 missing\n")


def test_only_what_is_missing_is_run(boostbench, tiny):
    first = boostbench("run", tiny, "--only", "iris", "--executor", "inline")
    assert first.out.startswith("tiny: 3 runs: 3 ok")
    assert boostbench("plan", tiny).out.startswith(
        "tiny: 6 runs: 3 ok, 3 missing\nwould do 3 runs in about"
    )
    assert "that is a guess" not in boostbench("plan", tiny, "--only", "iris", "--seeds", "2").out
    second = boostbench("run", tiny, "--executor", "inline")
    assert "3 ok in" in second.out
    assert "3 cached" in second.out


def test_only_takes_boosters_and_patterns(boostbench, tiny):
    rows = boostbench("plan", tiny, "--only", "wine/s*", "--json").json
    assert [row["booster"] for row in rows] == ["samme", "sm-boost"]
    assert len(boostbench("plan", tiny, "--only", "samme", "--only", "iris", "--json").json) == 4


def test_a_pattern_that_matches_nothing_is_answered_with_the_nearest(refused, tiny):
    err = refused("run", tiny, "--only", "irs")
    assert err == "boostbench: --only: no run matches 'irs'; did you mean 'iris'?\n"


def test_a_value_is_replaced_for_one_command(boostbench, done):
    rows = boostbench("plan", done, "--set", "rounds=3", "--set", "noise.rate=0.1", "--json").json
    assert {row["status"] for row in rows} == {"missing"}
    assert {(row["rounds"], row["noise"]) for row in rows} == {(3, "exchange 0.1")}


def test_shards_share_nothing_and_leave_nothing_out(boostbench, tiny):
    parts = [boostbench("plan", tiny, "--shard", f"{i}/3", "--json").json for i in (1, 2, 3)]
    ids = [row["id"] for part in parts for row in part]
    assert len(ids) == len(set(ids)) == 6


def test_fresh_does_all_again(boostbench, done):
    assert boostbench("run", done, "--fresh", "--executor", "inline").out.startswith(
        "tiny: 6 runs: 6 ok in"
    )


def test_several_configs_share_their_runs(boostbench, done, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(TINY.replace("name: tiny", "name: other"))
    outcome = boostbench("run", done, other, "--executor", "inline")
    summaries, _, next_one = outcome.out.partition("next: ")
    assert summaries == "tiny: 6 runs: 6 cached\nother: 6 runs: 6 cached\n"
    assert next_one == f"boostbench report {done} {other}\n"


def test_a_run_ends_with_the_command_that_reports_it(boostbench, tiny):
    options = [
        "--set",
        "noise.rate=0.1",
        "--seeds",
        "2",
        "--only",
        "ir*",
        "--results",
        "my results",
    ]
    ran = boostbench("run", "tiny.yaml", *options, "--executor", "inline")
    line = ran.out.splitlines()[-1]
    assert line.startswith("next: boostbench report tiny.yaml ")
    again = shlex.split(line)[2:]
    assert sorted(again) == sorted(["report", "tiny.yaml", *options])
    assert boostbench(*again).out.splitlines()[-1] == "my results/tiny/report.html"
    assert "next" not in boostbench("run", "tiny.yaml", *options, "-q").out


def test_seeds_are_those_of_the_config(boostbench, refused, tiny):
    rows = boostbench("plan", tiny, "--seeds", "3", "--json").json
    assert {row["seed"] for row in rows} == {0, 1, 2}
    err = refused("plan", tiny, "--seeds", "many")
    assert "--set seeds=many: seeds must be a number of seeds" in err


def test_two_configs_of_one_name_are_refused(refused, tiny, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(TINY)
    assert "the name 'tiny' is also that of" in refused("run", tiny, other)


def test_status_tells_what_is_done(boostbench, done):
    outcome = boostbench("status", done)
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].split() == ["all", "6", "6"]
    rows = boostbench("status", done, "--json").json
    assert {row["status"] for row in rows} == {"ok"}
    assert all(row["record"] for row in rows)


def test_status_without_a_config_tells_of_all_records(boostbench, done):
    rows = boostbench("status", "--json").json
    assert len(rows) == 6
    assert {row["booster"] for row in rows} == {"adaboost-mh", "samme", "sm-boost"}
    assert sorted(rows, key=str) == sorted(boostbench("status", done, "--json").json, key=str)


@pytest.mark.parametrize("does_its_runs", [True, False])
def test_status_watch_ends_with_the_process_at_work(boostbench, tiny, monkeypatch, does_its_runs):
    experiment = Experiment.load(tiny)
    experiment.store.folder.mkdir(parents=True)
    locks = RunLocks(experiment.store.folder)
    assert all(locks.take(planned.key) for planned in experiment.plan().runs[:2])

    def work(seconds):
        locks.close()
        if does_its_runs:
            experiment.run(executor="inline")

    monkeypatch.setattr("boostbench.cli.status.time.sleep", work)
    outcome = boostbench("status", tiny, "--watch")
    last = "6 ok" if does_its_runs else "6 missing"
    first = "6 runs: 6 missing; 2 in progress in 1 process"
    assert outcome.err.splitlines() == [first, f"6 runs: {last}"]
    assert outcome.out.splitlines()[-1].split() == ["all", "6", "6"]


def test_status_of_a_folder_without_records_is_bad_input(refused):
    assert "results: there are no records" in refused("status")


def test_the_report_ends_with_the_table_and_the_paths(boostbench, done, tmp_path):
    outcome = boostbench("report", done)
    assert outcome.code == 0
    assert outcome.err == ""
    table, _, paths = outcome.out.strip().rpartition("\n\n")
    assert all(word in table for word in ("iris", "wine", "sm-boost", "T = 4", "exchange 0.2"))
    written = {tmp_path / path for path in paths.splitlines()}
    assert written == set((tmp_path / "results/tiny").iterdir())
    assert {path.name for path in written} >= {"table.md", "table.tex", "table.csv"}
    assert paths.splitlines()[-1] == "results/tiny/report.html"
    assert {"curves.png", "curves.svg"} <= {path.name for path in written}


def test_the_report_of_half_an_experiment_says_so(boostbench, tiny, tmp_path):
    boostbench("run", tiny, "--only", "iris", "--executor", "inline")
    outcome = boostbench("report", tiny, "--output", "elsewhere")
    assert outcome.code == 1
    assert (tmp_path / "elsewhere/tiny/report.html").is_file()


def test_a_report_is_opened_on_request(boostbench, done, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", lambda page: opened.append(page) or len(opened) - 1)
    done.write_text(done.read_text().partition("  - curves")[0])
    assert boostbench("report", done, "--open").err == ""
    assert opened == [(tmp_path / "results/tiny/report.html").as_uri()]
    without = boostbench("report", done, "--open").err
    assert without == f"boostbench: no web browser found; open {opened[0]}\n"


def test_a_report_before_anything_was_run(refused, tiny, tmp_path):
    assert "no run has a result yet: 6 missing" in refused("report", tiny)
    assert not (tmp_path / "results").exists()


def test_export_to_a_file(boostbench, done, tmp_path):
    assert boostbench("export", done, "--output", "curves.csv").out == ""
    assert len(rows_of((tmp_path / "curves.csv").read_text())) == 6 * 4 * 3


def test_export_before_anything_was_run(refused, tiny):
    assert "none of the 6 runs has a result yet" in refused("export", tiny)


def test_export_of_half_an_experiment_says_so(boostbench, tiny):
    boostbench("run", tiny, "--only", "iris", "--executor", "inline")
    outcome = boostbench("export", tiny, "--at", "4")
    assert outcome.code == 1
    assert len(rows_of(outcome.out)) == 9
    assert "3 of 6 runs have no result" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "tiny.yml"], "tiny.yml: no such config file; did you mean 'tiny.yaml'?"),
        (["run", "."], ".: is a folder; name the configs in it"),
        (["run", "tiny.yaml", "--set", "round=3"], "unknown key 'round'; did you mean 'rounds'?"),
        (["run", "tiny.yaml", "--set", "rounds"], "expected key=value"),
        (["run", "tiny.yaml", "--set", "report.0.table.valu=x"], "unknown key 'valu'"),
        (["run", "tiny.yaml", "--time-limit", "soon"], "--time-limit: 'soon' is not a duration"),
        (["run", "tiny.yaml", "--memory-limit", "4"], "--memory-limit: '4' is not a size"),
        (["run", "tiny.yaml", "--shard", "3/2"], "--shard: '3/2' is not a shard"),
        (["run", "tiny.yaml", "--retry", "fail"], "--retry: cannot retry status 'fail'"),
        (["run", "tiny.yaml", "--size", "small"], "--size small: this config has no 'sizes'"),
        (["run", "tiny.yaml", "--data", "gone"], "--data: there is no folder 'gone'"),
        (["run", "tiny.yaml", "--plugin", "gone.py"], "--plugin: plugin file"),
        (["run", "tiny.yaml", "--jobs", "0"], "'--jobs'"),
        (["run", "tiny.yaml", "--executor", "cloud"], "'cloud' is not one of 'local', 'inline'"),
        (["export", "tiny.yaml", "--at", "ten"], "--at: 'ten' is not a list of whole numbers"),
        (["export", "tiny.yaml", "--output", "a.xls"], "write to a .csv or .parquet file"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_trained(
    refused, tiny, tmp_path, arguments, complaint
):
    assert complaint in refused(*arguments)
    assert not (tmp_path / "results").exists()


def test_the_mistakes_of_all_configs_are_said_at_once(refused, tmp_path):
    (tmp_path / "a.yaml").write_text(TINY.replace("sm-boost", "smboost").replace("rounds", "runds"))
    (tmp_path / "b.yaml").write_text(TINY.replace("exchange", "exchnge"))
    err = refused("run", "a.yaml", "b.yaml", "c.yaml")
    assert "a.yaml:5: unknown booster 'smboost'; did you mean 'sm-boost'?" in err
    assert "a.yaml:6: unknown key 'runds'; did you mean 'rounds'?" in err
    assert "b.yaml:4: unknown noise model 'exchnge'; did you mean 'exchange'?" in err
    assert "c.yaml: no such config file" in err


def test_a_results_folder_that_cannot_be_made_is_bad_input(refused, tiny, tmp_path):
    (tmp_path / "results").write_text("a file")
    err = refused("run", tiny, "--executor", "inline")
    assert "results/runs: cannot be written: Not a directory" in err


def test_limits_that_do_not_hold_are_told(boostbench, tiny):
    tiny.write_text(tiny.read_text() + "limits: {time: 30m, memory: 4G}\n")
    outcome = boostbench("run", tiny, "--only", "iris", "--executor", "inline")
    assert outcome.code == 0
    told = "tiny: --executor inline does not enforce the limits on time and memory"
    assert told in outcome.err
    assert "limits" not in boostbench("run", tiny, "--only", "iris", "--executor", "inline").err


@pytest.mark.parametrize(
    ("option", "value"), [("--jobs", "2"), ("--time-limit", "2s"), ("--memory-limit", "2G")]
)
def test_options_of_another_executor_are_refused(refused, tiny, option, value):
    err = refused("run", tiny, "--executor", "inline", option, value)
    assert f"{option}: only valid with `--executor local` or `dask`; leave it out" in err


def test_a_run_that_raises_has_its_row_and_leaves_the_others(boostbench, sad):
    config = sad()
    outcome = boostbench("run", config, "--executor", "inline")
    assert outcome.code == 1
    first, second = outcome.err.splitlines()
    what = "failed: iris/Sad/exchange-0.2/seed-0: ValueError: no good (sad.py:16 in fit)"
    assert first == f"boostbench: {what} (and 1 more with this error)"
    assert second.startswith(
        "boostbench: to repeat these runs (-v shows the tracebacks): boostbench "
    )
    assert second.endswith(" --retry failed")
    assert "2 failed, 2 ok in" in outcome.out
    again = boostbench("run", config, "--executor", "inline")
    assert again.code == 1
    assert "2 cached, 2 failed before" in again.out
    status = boostbench("status", config)
    assert status.code == 1
    assert "ValueError: no good (sad.py:16 in fit)" in status.out
    assert "raise ValueError" not in status.err
    for command in ("run", "status"):
        assert '    raise ValueError("no good")' in boostbench(command, config, "-v").err
    retried = boostbench("run", config, "--retry", "failed", "--executor", "inline")
    assert "2 failed in" in retried.out


def test_a_run_that_kills_its_worker_or_hangs_leaves_the_others(boostbench, sad):
    config = sad("[kill, sleep]")
    config.write_text(config.read_text().replace("[iris, wine]", "[iris]"))
    outcome = boostbench("run", config, "--time-limit", "3s", "--jobs", "2")
    assert outcome.code == 1
    assert "killed: iris/Sad (kill)/exchange-0.2/seed-0: " in outcome.err
    assert "timeout: iris/Sad (sleep)/exchange-0.2/seed-0: was stopped at the time" in outcome.err
    assert "1 killed, 1 ok, 1 timeout in" in outcome.out


def test_data_that_is_absent_is_said_before_the_rest_is_run(boostbench, tmp_path):
    path = tmp_path / "half.yaml"
    path.write_text(TINY.replace("[iris, wine]", "[iris, vowel]"))
    outcome = boostbench("run", path, "--executor", "inline")
    assert outcome.code == 1
    assert "skipping 3 runs: data set 'vowel' cannot be had" in outcome.err
    assert "3 ok in" in outcome.out
    assert "3 skipped" in outcome.out


def test_being_terminated_keeps_what_is_done(sad, tmp_path, start_process):
    command = [sys.executable, "-m", "boostbench", "run", str(sad("sleep"))]
    command += ["--executor", "inline"]
    process = start_process(command, cwd=tmp_path, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not list(tmp_path.glob("results/runs/*/*.json")):
        time.sleep(0.1)
    process.terminate()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "interrupted; finished runs are kept" in out
    assert "Traceback" not in err
    assert list(tmp_path.glob("results/runs/*/*.json"))


@pytest.mark.parametrize("command", ["status", "plan", "report", "export"])
def test_a_damaged_record_is_named_once_on_stderr(boostbench, done, tmp_path, command):
    damaged = next(tmp_path.rglob("runs/*/*.json"))
    damaged.write_text("cut off")
    outcome = boostbench(command, done)
    [line] = [line for line in outcome.err.splitlines() if damaged.name in line]
    assert line.startswith("boostbench: ")
    assert f"renamed to {damaged.name}.damaged, the run will be done again" in line
