"""Commands of two machines share the runs of one config in one folder."""

import subprocess
import sys

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.store.records import RecordStore
from tests.experiments.conftest import TOYS
from tests.experiments.tools import SMALL, plan_of

#: Does the runs of a config as a machine of a given name, and tells which it starts.
MACHINE = """
import sys, time
from boostbench import registry
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.store import locks
from boostbench.experiments.store.records import RecordStore

name, config, results, toys = sys.argv[1:]
registry.load_plugin(toys)
locks._host, locks._BEAT_SECONDS, locks._DEAD_SECONDS = (lambda: name), 0.2, 2.0
store = RecordStore(results)
runs = expand(load_config(config, check_parameters=False))  # imports no booster
todo = make_plan(runs, store).todo()
print("ready", flush=True)
sys.stdin.readline()

def listen(event):
    if event.kind == "started":
        print(event.planned.run.id, flush=True)
        if name == "dies":
            time.sleep(3600)

run_plan(todo, store, InlineExecutor(), on_event=listen)
"""


def start_machines(start_process, config, results, *names):
    command = [sys.executable, "-c", MACHINE]
    machines = [
        start_process([*command, name, config, results, TOYS], stdin=subprocess.PIPE)
        for name in names
    ]
    for machine in machines:  # all have the same plan
        assert machine.stdout.readline() == "ready\n"
    for machine in machines:
        machine.stdin.write("\n")
        machine.stdin.flush()
    return machines


def test_no_run_is_done_twice_and_none_is_lost(start_process, config_file, tmp_path):
    config = config_file(SMALL)
    machines = start_machines(start_process, config, tmp_path / "r", "one", "two")
    done = [machine.communicate(timeout=300)[0].split() for machine in machines]
    assert [machine.returncode for machine in machines] == [0, 0]
    runs = expand(load_config(config))
    assert sorted(done[0] + done[1]) == sorted(run.id for run in runs)
    assert plan_of(runs, tmp_path / "r").counts() == {"ok": 8}


def test_the_run_of_a_machine_that_died_is_done_by_another(start_process, config_file, tmp_path):
    config = config_file(SMALL)
    dies, lives = start_machines(start_process, config, tmp_path / "r", "dies", "lives")
    lost = dies.stdout.readline().strip()
    dies.kill()
    done = lives.communicate(timeout=300)[0].split()
    runs = expand(load_config(config))
    assert sorted(done) == sorted(run.id for run in runs)
    assert lost in done
    assert len(RecordStore(tmp_path / "r").all_paths()) == 8
