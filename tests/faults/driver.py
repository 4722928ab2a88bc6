"""Carries out a config in a process of its own: ``driver.py CONFIG RESULTS JOBS``.

Prints a line when it is ready and one for every run that it did; ends with the exit code that the
command line has: 130 after Ctrl-C, 2 if records cannot be written.
"""

import sys
from pathlib import Path

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.store.records import RecordStore
from boostbench.inputs import load_plugin


def main(config, results, jobs):
    load_plugin(Path(__file__).parent.parent / "experiments" / "toys.py")
    store = RecordStore(results)
    plan = make_plan(expand(load_config(config, check_parameters=False)), store)

    started = set()

    def tell(event):
        if event.kind == "started":
            started.add(event.planned)
        elif event.kind == "finished" and event.planned in started:
            print(event.planned.run.id, event.record.status, flush=True)

    print("ready", len(plan.todo()), flush=True)
    try:
        with LocalExecutor(int(jobs)) as executor:
            outcome = run_plan(plan.todo(), store, executor, on_event=tell)
    except BoostbenchError as error:
        print(error, flush=True)
        return 2
    return 130 if outcome.interrupted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
