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
from tests.cli.conftest import TINY
from tests.faults.conftest import HOSTILE


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_from_config_to_csv_in_processes_of_its_own(boostbench, tiny, tmp_path):
    tiny.write_text(TINY.replace("[adaboost-mh, samme, sm-boost]", "[samme]"))
    command = [sys.executable, "-m", "boostbench", "run", "tiny.yaml", "--jobs", "2"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert "boostbench:" not in ran.stderr
    assert ran.stdout.startswith("tiny: 2 runs: 2 ok in ")
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


def test_a_report_is_opened_on_request(boostbench, done, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", lambda page: opened.append(page) or len(opened) - 1)
    assert boostbench("report", done, "--open").err == ""
    assert opened == [(tmp_path / "results/tiny/report.html").as_uri()]
    without = boostbench("report", done, "--open").err
    assert without == f"boostbench: no web browser found; open {opened[0]}\n"


@pytest.fixture
def hostile(tmp_path):
    """Return a function that makes a config one of whose boosters does what it should not."""

    def make(how):
        boosters = f"boosters: [samme, '{HOSTILE}:Hostile': {{how: {how}}}]"
        path = tmp_path / "hostile.yaml"
        path.write_text(re.sub("boosters: .*", boosters, TINY.replace("[iris, wine]", "[iris]")))
        return path

    return make


def test_a_run_that_kills_its_worker_or_hangs_leaves_the_others(boostbench, hostile):
    config = hostile("[kills itself, sleeps]")
    outcome = boostbench("run", config, "--set", "limits.time=8s", "--jobs", "2")
    assert outcome.code == 1
    assert "killed: iris/Hostile (kills itself)/exchange-0.2/seed-0: " in outcome.err
    sleeper = "timeout: iris/Hostile (sleeps)/exchange-0.2/seed-0: was stopped at the time"
    assert sleeper in outcome.err
    assert "1 killed, 1 ok, 1 timeout in" in outcome.out


def test_being_terminated_keeps_what_is_done(hostile, tmp_path, start_process):
    command = [sys.executable, "-m", "boostbench", "run", hostile("sleeps"), "--executor", "inline"]
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
