"""run -> status -> plan -> export, as a user types them."""

import csv
import io
import re
import subprocess
import sys
import time

import pandas as pd
import pytest

from boostbench.api import Experiment
from boostbench.experiments.store.locks import RunLocks
from tests.cli.conftest import CURVES, TINY

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


def test_from_config_to_csv_in_processes_of_its_own(shell, boostbench, tiny, tmp_path):
    tiny.write_text(TINY.replace("[adaboost-mh, samme, sm-boost]", "[samme]"))
    ran = shell("run", "tiny.yaml", "--jobs", "2")
    assert ran.code == 0, ran.err
    assert "boostbench:" not in ran.err
    assert ran.out.startswith("tiny: 2 runs: 2 ok in ")
    again = boostbench("run", "tiny.yaml")
    assert again.code == 0
    assert re.fullmatch(r"tiny: 2 runs: 2 cached\nnext: \S+ report tiny.yaml\n", again.out)
    options = ("--only", "iris/*", "--results", "other", "--set", "seeds=1", "--executor", "inline")
    *_, line = boostbench("run", "tiny.yaml", *options).out.splitlines()
    assert line.endswith(" report tiny.yaml --set seeds=1 --only 'iris/*' --results other")
    rows = rows_of(boostbench("export", "tiny.yaml", "--at", "1,4").out)
    assert len(rows) == 2 * 2 * 3
    assert {row["metric"] for row in rows} == {"train_error", "train_error_clean", "test_error"}
    assert all(0 <= float(row["value"]) <= 1 for row in rows)
    last = ("export", "tiny.yaml", "--at", "end", "--sources", "-o")
    assert boostbench(*last, "rows.csv").code == 0
    rows = rows_of((tmp_path / "rows.csv").read_text(encoding="utf-8"))
    assert {(row["dataset"], row["round"]) for row in rows} == {("iris", "4"), ("wine", "4")}
    assert all(row["citation"] and row["source"] == row["licence"] == "" for row in rows)
    pytest.importorskip("pyarrow", reason="writes parquet")
    assert boostbench(*last, "rows.parquet").code == 0
    table = pd.read_parquet(tmp_path / "rows.parquet")
    assert [*table["value"]] == [float(row["value"]) for row in rows]


def test_a_report_whose_pack_would_lose_records_is_not_replaced(boostbench, tiny, tmp_path):
    assert boostbench("run", tiny).code == 0
    assert boostbench("report", tiny, "--pack").code == 0
    (folder,) = (tmp_path / "results").glob("*/summary.json")
    before = {file.name: file.read_bytes() for file in folder.parent.iterdir()}
    outcome = boostbench("report", tiny, "--pack", "--set", "datasets=[iris]")
    assert outcome.code == 2, outcome.out
    assert "is kept: 3 of its 6 records" in outcome.err
    assert {file.name: file.read_bytes() for file in folder.parent.iterdir()} == before


def test_a_plan_counts_and_trains_nothing(boostbench, tiny, tmp_path):
    outcome = boostbench("plan", tiny)
    assert outcome.code == 0
    assert outcome.out.startswith("tiny: 6 runs: 6 missing\n")
    assert not (tmp_path / "results").exists()


def test_options_choose_the_runs(boostbench, tiny):
    def planned(*options):
        return boostbench("plan", tiny, *options, "--json").json

    assert [row["booster"] for row in planned("--only", "wine/s*")] == ["samme", "sm-boost"]
    assert len(planned("--only", "samme", "--only", "iris")) == 4
    assert {row["seed"] for row in planned("--set", "seeds=3")} == {0, 1, 2}
    rows = planned("--set", "rounds=3", "--set", "noise.rate=0.1")
    assert {(row["rounds"], row["noise"]) for row in rows} == {(3, "exchange 0.1")}
    ids = [row["id"] for i in (1, 2, 3) for row in planned("--shard", f"{i}/3")]
    assert len(ids) == len(set(ids)) == 6


def test_only_missing_runs_are_done_unless_all_are_asked_for(boostbench, tiny):
    first = boostbench("run", tiny, "--only", "iris", "--executor", "inline")
    assert first.out.startswith("tiny: 3 runs: 3 ok")
    plan = "tiny: 6 runs: 3 ok, 3 missing\n"
    assert boostbench("plan", tiny).out.startswith(plan)
    half = boostbench("report", tiny, "--output", "elsewhere")
    assert half.code == 1
    assert half.out.endswith("elsewhere/tiny/report.html\n")
    exported = boostbench("export", tiny, "--at", "4")
    assert (exported.code, len(rows_of(exported.out))) == (1, 9)
    assert "3 of 6 runs have no result" in exported.err
    second = boostbench("run", tiny, "--executor", "inline")
    assert "3 ok in" in second.out
    assert "3 cached" in second.out
    fresh = boostbench("run", tiny, "--fresh", "--executor", "inline")
    assert fresh.out.startswith("tiny: 6 runs: 6 ok in")
    fewer = boostbench("run", tiny, "--fresh", "--set", "rounds=2", "--executor", "inline")
    assert (fewer.code, fewer.out[:22]) == (0, "tiny: 6 runs: 6 ok in ")


def test_several_configs_share_their_runs(boostbench, done, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(TINY.replace("name: tiny", "name: other"))
    outcome = boostbench("run", done, other, "--executor", "inline")
    assert outcome.out.startswith("tiny: 6 runs: 6 cached\nother: 6 runs: 6 cached\nnext: ")


def test_status_tells_what_is_done(boostbench, done):
    outcome = boostbench("status", done)
    assert outcome.code == 0
    assert outcome.out == "tiny: 6 runs: 6 ok\n"
    rows = boostbench("status", done, "--json").json
    assert {row["status"] for row in rows} == {"ok"}
    assert all(row["record"] for row in rows)


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

    monkeypatch.setattr("boostbench.cli.run.time.sleep", work)
    outcome = boostbench("status", tiny, "--watch")
    last = "6 ok" if does_its_runs else "6 missing"
    first = "6 runs: 6 missing; 2 in progress in 1 process"
    assert outcome.err.splitlines() == [first, f"6 runs: {last}"]
    assert outcome.out.startswith(f"tiny: 6 runs: {last}\n")


def test_the_report_ends_with_the_table_and_the_paths(boostbench, done, tmp_path):
    done.write_text(TINY + CURVES)
    outcome = boostbench("report", done)
    assert outcome.code == 0
    assert outcome.err == ""
    table, _, paths = outcome.out.strip().rpartition("\n\n")
    assert all(word in table for word in ("iris", "wine", "sm-boost", "T = 4", "20 % exchanged"))
    written = {tmp_path / path for path in paths.splitlines()}
    assert written == set((tmp_path / "results/tiny").iterdir())
    assert {path.name for path in written} >= {"table.md", "table.csv"}
    assert paths.splitlines()[-1] == "results/tiny/report.html"
    assert "curves.png" in {path.name for path in written}


def test_a_report_is_opened_on_request(boostbench, done, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", lambda page: opened.append(page) or len(opened) - 1)
    assert boostbench("report", done, "--open").err == ""
    assert opened == [(tmp_path / "results/tiny/report.html").as_uri()]
    without = boostbench("report", done, "--open").err
    assert without == f"boostbench: no web browser found; open {opened[0]}\n"


def test_limits_that_do_not_hold_are_told(boostbench, tiny):
    tiny.write_text(tiny.read_text() + "limits: {time: 30m, memory: 4G}\n")
    outcome = boostbench("run", tiny, "--only", "iris", "--executor", "inline")
    assert outcome.code == 0
    told = "tiny: --executor inline does not enforce the limits on time and memory"
    assert told in outcome.err
    assert "limits" not in boostbench("run", tiny, "--only", "iris", "--executor", "inline").err


def test_a_run_that_raises_has_its_row_and_leaves_the_others(boostbench, sad):
    config = sad()
    outcome = boostbench("run", config, "--executor", "inline")
    assert outcome.code == 1
    first, second = outcome.err.splitlines()
    what = "failed: iris/Sad/exchange-0.2/seed-0: ValueError: no good (sad.py:16 in fit)"
    assert first == f"boostbench: {what} (and 1 more with this error)"
    told = "boostbench: --retry failed repeats these runs; `status -v` shows the tracebacks"
    assert second == told
    assert "2 failed, 2 ok in" in outcome.out
    again = boostbench("run", config, "--executor", "inline")
    assert again.code == 1
    assert "2 cached, 2 failed before" in again.out
    status = boostbench("status", config)
    assert status.code == 1
    assert "ValueError: no good (sad.py:16 in fit)" in status.out
    assert "raise ValueError" not in status.err
    assert '    raise ValueError("no good")' in boostbench("status", config, "-v").err
    retried = boostbench("run", config, "--retry", "failed", "--executor", "inline")
    assert "2 failed in" in retried.out


def test_a_run_that_kills_its_worker_or_hangs_leaves_the_others(boostbench, sad):
    config = sad("[kill, sleep]")
    config.write_text(config.read_text().replace("[iris, wine]", "[iris]"))
    outcome = boostbench("run", config, "--set", "limits.time=8s", "--jobs", "2")
    assert outcome.code == 1
    assert "killed: iris/Sad (kill)/exchange-0.2/seed-0: " in outcome.err
    assert "timeout: iris/Sad (sleep)/exchange-0.2/seed-0: was stopped at the time" in outcome.err
    assert "1 killed, 1 ok, 1 timeout in" in outcome.out


def test_data_that_is_absent_is_said_before_the_rest_is_run(boostbench, tmp_path):
    path = tmp_path / "half.yaml"
    path.write_text(TINY.replace("[iris, wine]", "[iris, vowel]"))
    outcome = boostbench("run", path, "--executor", "inline")
    assert outcome.code == 1
    assert "skipping 3 runs: data set 'vowel' is not available" in outcome.err
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


@pytest.mark.parametrize("command", ["status", "plan", "report", "export", "run"])
def test_a_damaged_record_is_named_once_on_stderr(boostbench, done, tmp_path, command):
    damaged = next(tmp_path.rglob("runs/*/*.json"))
    damaged.write_text("cut off")
    outcome = boostbench(command, done)
    [line] = [line for line in outcome.err.splitlines() if damaged.name in line]
    assert line.startswith("boostbench: ")
    assert line.endswith("it is ignored, and `run` does the run again")
