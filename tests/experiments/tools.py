"""Short ways to carry out small experiments in tests."""

from pathlib import Path

from boostbench.boosters import make_booster
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.execution import prepare
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.runs import BoosterSpec, Data, Noise, Params, Run
from boostbench.experiments.store import identity
from boostbench.experiments.store.records import RecordStore
from boostbench.experiments.streams import stream

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


#: Half of iris, with noise.
RUN = Run(
    Data("iris"),
    Params({"holdout": 0.5}),
    Noise("exchange", 0.2),
    BoosterSpec("sm-boost"),
    rounds=12,
    seed=0,
)


def fitted(run):
    """Return the problem of a run and its booster, fitted without `execute`."""
    problem, own = prepare(run), run.booster.params.plain()
    seed = int(stream(run, "booster").integers(2**31 - 1))
    booster = make_booster(run.booster.name, n_estimators=run.rounds, random_state=seed, **own)
    return problem, booster.fit(problem.X, problem.y)


def plan_of(runs, results, data_dirs=()):
    """Return the plan of runs against a results folder."""
    return make_plan(runs, RecordStore(results), data_dirs, check_packages=True)


def load_plan(config, results):
    """Return the plan of a config against a results folder."""
    return make_plan(expand(config), RecordStore(results), config=config)


def carry_out(runs, results, executor=None, data_dirs=(), on_event=None, **options):
    """Do what is to do; returns the outcome."""
    todo = plan_of(runs, results, data_dirs).todo(**options)
    executor = executor or InlineExecutor(data_dirs)
    return run_plan(todo, RecordStore(results), executor, on_event=on_event)


def records_of(results):
    """Return all records, by run, without their circumstances."""
    store = RecordStore(results)
    found = {}
    for path in store.all_paths():
        record = store.read(Path(path)).plain()
        found[record["key"]] = {k: v for k, v in record.items() if k not in CIRCUMSTANCES}
    return found
