"""Whatever ends an experiment, finished runs are kept and the next call does the rest."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from boostbench.experiments.planning.plan import make_plan
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import carry_out, records_of

DRIVER = Path(__file__).with_name("driver.py")
SLOW = """
name: slow
datasets: [iris]
split: {holdout: 0.3}
noise: [none, {model: exchange, rate: [0.1, 0.2]}]
boosters: [toy-sleeps: {seconds: 0.15}]
rounds: 5
seeds: 8
"""


@pytest.fixture
def logs():
    """Return the folder for the driver's temporary files; sockets lie there: no long path."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture
def start(config_file, logs):
    """Start the driver; whatever is left of it is stopped in the end."""
    started = []

    def begin(results, jobs=2, config=SLOW):
        command = [sys.executable, str(DRIVER), str(config_file(config)), str(results), str(jobs)]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(logs)},
        )
        started.append(process)
        assert process.stdout.readline().startswith("ready")
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def wait_for_runs(process, n):
    return [process.stdout.readline() for _ in range(n)]


def family_of(process):
    parent = psutil.Process(process.pid)
    return [parent, *parent.children(recursive=True)]


def assert_all_gone(processes):
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert not alive


def test_ctrl_c_keeps_what_is_finished_and_the_rest_is_done_next_time(start, tmp_path, runs_of):
    process = start(tmp_path)
    finished = wait_for_runs(process, 6)
    family = family_of(process)
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all processes
    rest = process.stdout.read().splitlines()
    assert process.wait(timeout=20) == 130
    assert_all_gone(family)
    n_done = len(finished) + len(rest)
    runs = runs_of(SLOW)
    assert make_plan(runs, RecordStore(tmp_path)).counts() == {"ok": n_done, "missing": 24 - n_done}
    with LocalExecutor(2) as executor:
        assert carry_out(runs, tmp_path, executor).counts == {"ok": 24 - n_done}


def test_kill_9_at_any_moment_loses_nothing_that_was_finished(start, tmp_path, runs_of):
    moments = random.Random(0)
    runs = runs_of(SLOW)
    results = tmp_path / "killed"
    for _ in range(3):
        process = start(results)
        wait_for_runs(process, 1)
        time.sleep(moments.uniform(0, 0.4))
        family = family_of(process)
        os.kill(process.pid, signal.SIGKILL)
        assert_all_gone(family)
        store = RecordStore(results)
        before = make_plan(runs, store).counts()
        assert set(before) <= {"ok", "missing"}
        assert not store.damaged
    with LocalExecutor(2) as executor:
        carry_out(runs, results, executor)
        carry_out(runs, tmp_path / "undisturbed", executor)
    assert len(records_of(results)) == 24
    assert records_of(results) == records_of(tmp_path / "undisturbed")


def test_workers_do_not_outlive_a_killed_parent_in_the_middle_of_a_run(start, tmp_path, logs):
    process = start(tmp_path, config=SLOW.replace("0.15", "600"))
    deadline = time.monotonic() + 120
    while not list(logs.glob("*/*.log")) and time.monotonic() < deadline:
        time.sleep(0.1)
    family = family_of(process)
    assert len(family) > 3
    os.kill(process.pid, signal.SIGKILL)
    assert_all_gone(family)


def test_a_killed_idle_worker_is_replaced(runs_of, tmp_path):
    runs = runs_of(SLOW)
    with LocalExecutor(1) as executor:
        carry_out(runs[:1], tmp_path, executor)
        (worker,) = executor._pool._pool_manager.worker_manager.workers
        os.kill(worker, signal.SIGKILL)
        time.sleep(0.5)
        assert carry_out(runs[:3], tmp_path, executor).counts == {"ok": 2}
