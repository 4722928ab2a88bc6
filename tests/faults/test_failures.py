"""A run that raises, hangs, dies or eats all memory costs that run alone."""

import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import SMALL, carry_out, records_of

MIXED = """
name: mixed
datasets: [iris]
split: {holdout: 0.3}
boosters: [toy-centroids, BAD, samme]
rounds: 5
seeds: 2
"""
#: Status, kind of error, what the message says, and the last line that is kept of the output.
ENDINGS = {
    "toy-sleeps": ("timeout", "TimeoutError", "at the time limit of 10 s", "sleeping"),
    "toy-raises": ("failed", "RuntimeError", "no luck today", "RuntimeError: no luck today"),
    "toy-exits": ("failed", "SystemExit", "3", "SystemExit: 3"),
    "toy-kills-itself": ("killed", "ProcessExpired", "signal SIGKILL", "goodbye"),
    "toy-eats-memory": ("out-of-memory", "MemoryError", "memory limit of 768 MiB", None),
    "toy-maps-memory": ("out-of-memory", "MemoryError", "memory limit of 768 MiB", None),
}


@pytest.fixture(scope="module")
def mixed(toys, tmp_path_factory):
    """Return what came of runs of bad and good boosters by turns, and the plan."""
    folder = tmp_path_factory.mktemp("mixed")
    names = [
        name
        for n, bad in enumerate(ENDINGS, start=1)
        for name in (bad, f"toy-centroids: {{scale: {n}, label: after {bad}}}")
    ]
    listed = "".join(f"\n  - {name}" for name in names)
    config = MIXED.replace("[toy-centroids, BAD, samme]", listed).replace("seeds: 2", "seeds: 1")
    (folder / "mixed.yaml").write_text(config)
    runs = expand(load_config(folder / "mixed.yaml"))
    # Two at a time: the others are done while one sleeps until its limit.
    with LocalExecutor(2, time_limit=10, memory_limit=3 * 2**28) as executor:
        outcome = carry_out(runs, folder, executor)
    return outcome, make_plan(runs, RecordStore(folder)).runs


@pytest.mark.parametrize("booster", ENDINGS)
def test_a_bad_run_has_its_record(booster, mixed):
    status, kind, message, last_line = ENDINGS[booster]
    (planned,) = (each for each in mixed[1] if each.run.booster.name == booster)
    error = planned.record().error
    assert (planned.status, error.kind) == (status, kind)
    assert message in error.message
    assert last_line is None or error.log_tail[-1] == last_line


def test_bad_runs_leave_the_others(mixed):
    outcome, planned = mixed
    assert outcome.counts == {"ok": 6, "failed": 2, "killed": 1, "timeout": 1, "out-of-memory": 2}
    assert len(outcome.failures) == 6
    assert {each.status for each in planned if each.run.booster.name == "toy-centroids"} == {"ok"}


def test_two_jobs_and_this_process_give_identical_records(runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[sm-boost, toy-centroids]"))
    carry_out(runs, tmp_path / "inline")
    with LocalExecutor(2) as executor:
        carry_out(list(reversed(runs)), tmp_path / "workers", executor)
    expected = records_of(tmp_path / "inline")
    assert len(expected) == 16
    assert records_of(tmp_path / "workers") == expected


def test_workers_use_one_thread_and_say_so(mixed):
    record = next(each for each in mixed[1] if each.status == "ok").record()
    assert record.threads
    assert set(record.threads.values()) == {1}
    assert record.peak_memory_mb > 20
    assert {"python", "numpy", "scikit-learn", "numba", "boostbench"} <= set(record.versions)


def test_after_the_first_failure_nothing_new_is_started_if_asked(runs_of, tmp_path):
    from boostbench.experiments.running.conduct import run_plan
    from boostbench.experiments.running.executors import InlineExecutor

    runs = runs_of(MIXED.replace("BAD", "toy-raises"))
    store = RecordStore(tmp_path)
    todo = make_plan(runs, store).todo()
    outcome = run_plan(todo, store, InlineExecutor(), fail_fast=True)
    assert outcome.counts == {"ok": 1, "failed": 1}
    assert outcome.n_left == 4


def test_a_memory_limit_that_no_worker_can_keep_is_refused():
    with pytest.raises(BoostbenchError, match="memory limit: a worker alone needs about 300 MiB"):
        LocalExecutor(1, memory_limit=2**28)
