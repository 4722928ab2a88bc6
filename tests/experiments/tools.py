"""Short ways to carry out small experiments in tests."""

from pathlib import Path

from boostbench.experiments.planning.grid import expand, select
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store import identity
from boostbench.experiments.store.records import RecordStore

forget_code = identity.forget

#: Fields that records of the same run may differ in.
CIRCUMSTANCES = {
    *("seconds", "peak_memory_mb", "versions", "host", "threads", "started", "finished", "inputs")
}


def files_behind(origin):
    """Return the files that determine what a module or plugin file computes."""
    found = identity.sources_of(identity.code_fingerprint(origin))
    return [Path(path) for path, _ in found]


SMALL = """
name: trial
datasets: [wine, iris]
split: {holdout: 0.3}
noise: [none, {model: exchange, rate: 0.2}]
boosters: [toy-centroids]
rounds: 8
seeds: 2
"""


def plan_of(runs, results, data_dirs=()):
    return make_plan(runs, RecordStore(results), data_dirs, check_packages=True)


def load_plan(config, results, patterns=()):
    """Return the plan of a config against a results folder."""
    return make_plan(select(expand(config), patterns), RecordStore(results), config=config)


def carry_out(runs, results, executor=None, data_dirs=(), **options):
    """Do what is to do; returns the outcome."""
    store = RecordStore(results)
    plan = make_plan(runs, store, data_dirs, check_packages=True)
    return run_plan(plan.todo(**options), store, executor or InlineExecutor(data_dirs))


def records_of(results):
    """Return all records, by run, without their circumstances."""
    store = RecordStore(results)
    found = {}
    for path in store.all_paths():
        record = store.read(Path(path)).plain()
        found[record["key"]] = {k: v for k, v in record.items() if k not in CIRCUMSTANCES}
    return found
