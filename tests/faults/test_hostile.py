"""Whatever a booster does to its process, runs of others end well and give the same numbers."""

import psutil
import pytest

from boostbench import registry
from boostbench.experiments.configs.fields import Limits
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.executors import InlineExecutor, LocalExecutor
from boostbench.experiments.store.records import RecordStore
from boostbench.inputs import load_plugin
from tests.experiments.tools import carry_out, records_of
from tests.faults.conftest import HOSTILE

INNOCENT = """
name: innocent
datasets: [iris]
split: {holdout: 0.3}
noise: {model: exchange, rate: 0.2}
boosters: [samme]
rounds: 3
seeds: SEEDS
"""
LIMIT = 3 * 2**28
#: Kind of error, what the message says, and the last line that is kept of the output.
TOLD = {
    "raises SystemExit": ("SystemExit", "0", "SystemExit: 0"),
    "raises a surrogate": ("ValueError", "\\udc80", "ValueError: \\udc80"),
    "kills itself": ("ProcessExpired", "signal SIGKILL", "goodbye"),
    "exits with 7": ("ProcessExpired", "exit code 7", None),
    "eats memory": ("MemoryError", "memory limit of 768 MiB", None),
    "maps memory": ("MemoryError", "memory limit of 768 MiB", None),
    "sleeps": ("TimeoutError", "at the time limit of 3 s", "sleeping"),
}


def hostile_runs(runs_of, kinds):
    boosters = "".join(f"\n  - hostile: {{how: {how}, label: {how}}}" for how in kinds)
    return runs_of(INNOCENT.replace("[samme]", boosters).replace("SEEDS", "1"))


def sleepers(seconds):
    return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", seconds]]


def assert_each_ends_as_expected(runs, results, expected):
    plan = make_plan(runs, RecordStore(results))
    statuses = {planned.run.booster.params["how"]: planned.status for planned in plan.runs}
    errors = {planned.run.booster.params["how"]: planned.record().error for planned in plan.runs}
    wrong = {
        how: status
        for how, status in statuses.items()
        if status not in (expected[how], *expected[how])
    }
    assert not wrong
    for how in TOLD.keys() & errors.keys():
        kind, message, last_line = TOLD[how]
        assert errors[how].kind == kind
        assert message in errors[how].message
        assert last_line in (None, *errors[how].log_tail[-1:])
    assert all(path.stat().st_size < 100_000 for path in RecordStore(results).all_paths())


def test_a_hostile_booster_costs_its_own_run_alone(runs_of, tmp_path, hostile):
    kinds = [how for how, status in hostile.EXPECTED.items() if status != "timeout"]
    bad = hostile_runs(runs_of, kinds)
    good = runs_of(INNOCENT.replace("SEEDS", str(len(bad) // 3)))
    carry_out(good, tmp_path / "alone")
    mixed = list(bad)
    for place, run in enumerate(good):  # after every third of the others
        mixed.insert(4 * place + 3, run)
    with LocalExecutor(2, limits=Limits(memory=LIMIT)) as executor:
        carry_out(mixed, tmp_path / "together", executor)
    assert_each_ends_as_expected(bad, tmp_path / "together", hostile.EXPECTED)
    assert not sleepers(hostile.LEFT_BEHIND)
    together = records_of(tmp_path / "together")
    alone = records_of(tmp_path / "alone")
    assert {key: together[key] for key in alone} == alone
    threads = make_plan(good[:1], RecordStore(tmp_path / "together")).runs[0].record().threads
    assert {*threads.values()} == {1}


def test_what_a_stopped_run_started_ends_with_it(runs_of, tmp_path, hostile):
    kinds = [how for how, status in hostile.EXPECTED.items() if status == "timeout"]
    runs = hostile_runs(runs_of, kinds)
    with LocalExecutor(3, limits=Limits(time=3.0)) as executor:
        carry_out(runs, tmp_path, executor)
        assert not sleepers(hostile.LEFT_BEHIND)
    assert_each_ends_as_expected(runs, tmp_path, hostile.EXPECTED)


def test_in_this_process_too_any_exception_is_a_record(runs_of, tmp_path, hostile):
    kinds = [how for how in hostile.EXPECTED if how.startswith(("raises", "stops with", "has"))]
    kinds.remove("raises KeyboardInterrupt")  # which is Ctrl-C here
    runs = hostile_runs(runs_of, kinds)
    carry_out(runs, tmp_path, InlineExecutor())
    assert_each_ends_as_expected(runs, tmp_path, hostile.EXPECTED)


def test_ctrl_c_in_this_process_interrupts(runs_of, tmp_path, hostile):
    runs = hostile_runs(runs_of, ["raises KeyboardInterrupt"])
    assert carry_out(runs, tmp_path, InlineExecutor()).interrupted


@pytest.fixture(scope="module")
def hostile():
    """Return the plugin module, known for the tests of this module only."""
    module = load_plugin(HOSTILE)
    yield module
    registry.boosters.declarations.pop("hostile")
