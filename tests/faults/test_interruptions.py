"""Whatever ends an experiment, finished runs are kept and the next call does the rest."""

import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store.records import RecordStore
from tests.conftest import family_of
from tests.experiments.tools import carry_out, records_of

DRIVER = Path(__file__).with_name("driver.py")
SLOW = """
name: slow
datasets: [iris]
split: {holdout: 0.3}
noise: [none, {model: exchange, rate: [0.1, 0.2]}]
boosters: [toy-sleeps: {seconds: 0.1}]
rounds: 5
seeds: 4
"""
#: Generous: a busy machine is slow, and none of these waits is long on an idle one.
PATIENCE = 120


@pytest.fixture
def start(config_file, start_process):
    """Start the driver."""

    def begin(results, jobs=2, config=SLOW):
        process = start_process([sys.executable, DRIVER, config_file(config), results, jobs])
        assert process.stdout.readline().startswith("ready")
        return process

    return begin


def wait_for_runs(process, n):
    return [process.stdout.readline() for _ in range(n)]


def run_here(runs, results, on_event):
    """Do what is to do in this process."""
    store = RecordStore(results)
    return run_plan(make_plan(runs, store).todo(), store, InlineExecutor(), on_event=on_event)


def assert_all_gone(processes):
    _, alive = psutil.wait_procs(processes, timeout=PATIENCE)
    assert not alive


def test_a_signal_keeps_finished_runs_and_the_next_command_does_the_rest(start, tmp_path, runs_of):
    process = start(tmp_path)
    finished = wait_for_runs(process, 4)
    family = family_of(process)
    for _ in range(10):  # an impatient user
        os.killpg(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert_all_gone(family)
    assert not list(tmp_path.rglob("*.tmp"))
    n_done = len(finished) + len(rest.splitlines())
    runs = runs_of(SLOW)
    assert make_plan(runs, RecordStore(tmp_path)).counts() == {"ok": n_done, "missing": 12 - n_done}
    assert carry_out(runs, tmp_path).counts == {"ok": 12 - n_done}


def test_kill_9_loses_nothing_that_was_finished_and_leaves_no_process(start, tmp_path, runs_of):
    process = start(tmp_path / "killed", config=SLOW.replace("0.1}", "[0.1, 600]}"))
    wait_for_runs(process, 1)
    family = family_of(process)
    os.kill(process.pid, signal.SIGKILL)
    assert_all_gone(family)
    runs, store = runs_of(SLOW), RecordStore(tmp_path / "killed")
    before = make_plan(runs, store).counts()
    assert before["ok"] >= 1
    assert set(before) <= {"ok", "missing"}
    carry_out(runs, tmp_path / "killed")
    carry_out(runs, tmp_path / "undisturbed")
    assert len(records_of(tmp_path / "killed")) == 12
    assert records_of(tmp_path / "killed") == records_of(tmp_path / "undisturbed")


def test_two_commands_share_runs_and_survive_a_kill(start, tmp_path, runs_of):
    process = start(tmp_path, jobs=1)
    wait_for_runs(process, 1)
    here = []

    def listen(event):
        if event.kind == "started":
            here.append(event.planned.run.id)
            if len(here) == 3:
                process.kill()

    run_here(runs_of(SLOW), tmp_path, listen)
    told = process.communicate(timeout=PATIENCE)[0].splitlines()
    assert len(here) > 3
    assert not {*here} & {line.removesuffix(" ok") for line in told}
    assert make_plan(runs_of(SLOW), RecordStore(tmp_path)).counts() == {"ok": 12}
