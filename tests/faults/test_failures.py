"""A run that raises, hangs, dies or eats all memory costs that run alone."""

import pytest

from boostbench.errors import BoostbenchError
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


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


def bad_record(runs, results):
    plan = make_plan(runs, RecordStore(results))
    return next(
        planned for planned in plan.runs if planned.status not in ("ok", "missing")
    ).record()


@pytest.mark.parametrize(
    ("booster", "status", "kind", "message", "log"),
    [
        ("toy-raises", "failed", "RuntimeError", "no luck today", "about to fail"),
        ("toy-exits", "failed", "SystemExit", "3", "SystemExit: 3"),
        ("toy-kills-itself", "killed", "ProcessExpired", "signal SIGKILL", "goodbye"),
    ],
)
def test_one_bad_booster_leaves_the_others(booster, status, kind, message, log, runs_of, results):
    runs = runs_of(MIXED.replace("BAD", booster))
    with LocalExecutor(2) as executor:
        outcome = carry_out(runs, results, executor)
    assert outcome.counts == {"ok": 4, status: 2}
    assert len(outcome.failures) == 2
    error = bad_record(runs, results).error
    assert error.kind == kind
    assert message in error.message
    assert log in error.log_tail


def test_a_hanging_run_ends_at_the_time_limit(runs_of, results):
    runs = runs_of(
        MIXED.replace("BAD", "toy-sleeps").replace("samme, ", "").replace("seeds: 2", "")
    )
    with LocalExecutor(2, time_limit=5) as executor:
        outcome = carry_out(runs, results, executor)
    assert outcome.counts == {"ok": 2, "timeout": 1}
    error = bad_record(runs, results).error
    assert error.message == "was stopped at the time limit of 5 s"
    assert error.log_tail == ["sleeping"]


@pytest.mark.parametrize("booster", ["toy-eats-memory", "toy-maps-memory"])
def test_a_run_that_eats_memory_ends_at_the_memory_limit(booster, runs_of, results):
    runs = runs_of(MIXED.replace("BAD", booster).replace("seeds: 2", "seeds: 1"))
    with LocalExecutor(2, memory_limit=2**30) as executor:
        outcome = carry_out(runs, results, executor)
    assert outcome.counts == {"ok": 2, "out-of-memory": 1}
    assert "memory limit of 1024 MiB" in bad_record(runs, results).error.message


def test_a_worker_that_had_too_little_memory_goes_on_with_the_next_run(runs_of, results):
    runs = runs_of(MIXED.replace("BAD", "toy-eats-memory"))
    with LocalExecutor(1, memory_limit=2**30) as executor:
        outcome = carry_out(runs, results, executor)
    assert outcome.counts == {"ok": 4, "out-of-memory": 2}


def test_one_or_two_jobs_or_this_process_give_identical_records(runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[sm-boost, toy-centroids]"))
    carry_out(runs, tmp_path / "inline")
    for jobs in (1, 2):
        with LocalExecutor(jobs) as executor:
            carry_out(list(reversed(runs)), tmp_path / str(jobs), executor)
    expected = records_of(tmp_path / "inline")
    assert len(expected) == 16
    assert records_of(tmp_path / "1") == expected
    assert records_of(tmp_path / "2") == expected


def test_workers_use_one_thread_and_say_so(runs_of, results):
    runs = runs_of(SMALL.replace("seeds: 2", "seeds: 1"))
    with LocalExecutor(1) as executor:
        carry_out(runs[:1], results, executor)
    record = make_plan(runs, RecordStore(results)).runs[0].record()
    assert record.threads
    assert set(record.threads.values()) == {1}
    assert record.peak_memory_mb > 20
    assert {"python", "numpy", "scikit-learn", "numba", "boostbench"} <= set(record.versions)


def test_after_the_first_failure_nothing_new_is_started_if_asked(runs_of, results):
    from boostbench.experiments.running.conduct import run_plan
    from boostbench.experiments.running.executors import InlineExecutor

    runs = runs_of(MIXED.replace("BAD", "toy-raises"))
    store = RecordStore(results)
    todo = make_plan(runs, store).todo()
    outcome = run_plan(todo, store, InlineExecutor(), fail_fast=True)
    assert outcome.counts == {"ok": 1, "failed": 1}
    assert outcome.n_left == 4


def test_a_memory_limit_that_no_worker_can_keep_is_refused():
    with pytest.raises(BoostbenchError, match="memory limit: a worker alone needs about 300 MiB"):
        LocalExecutor(1, memory_limit=2**28)
