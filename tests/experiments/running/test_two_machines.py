"""Commands of two machines share the runs of one config in one folder."""

import shutil
import sys

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.inline import InlineExecutor
from boostbench.experiments.store import locks
from boostbench.experiments.store.records import RecordStore
from tests.experiments.conftest import TOYS
from tests.experiments.tools import SMALL, carry_out, plan_of

#: Does a run of a config as a machine of another name, begins a second one, and hangs.
OTHER = """
import sys, time
from boostbench.plugin_files import load_plugin
from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.inline import InlineExecutor
from boostbench.experiments.running.worker import failure, now
from boostbench.experiments.store import locks
from boostbench.experiments.store.records import RecordStore

config, results, toys = sys.argv[1:]
load_plugin(toys)
locks._host, locks._BEAT_SECONDS = (lambda: "other"), 0.2
store = RecordStore(results)
runs = expand(load_config(config, check_parameters=False))  # imports no booster

def listen(event):
    if event.kind == "started":
        print(event.planned.run.id, flush=True)
        if store.all_paths():
            time.sleep(3600)

run_plan(make_plan(runs, store).todo(), store, InlineExecutor(), on_event=listen)
"""


def test_runs_are_not_repeated_and_runs_of_a_dead_machine_are_done(
    start_process, config_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(locks, "_DEAD_SECONDS", 2.0)
    config, results = config_file(SMALL), tmp_path / "r"
    runs = expand(load_config(config))
    todo = plan_of(runs, results).todo()  # before the other begins
    other = start_process([sys.executable, "-c", OTHER, config, results, TOYS])
    done, lost = (other.stdout.readline().strip() for _ in range(2))
    started = []

    def listen(event):
        if event.kind == "started":
            started.append(event.planned.run.id)
        elif event.kind == "tick":  # nothing is left but what the other has locked
            other.kill()

    run_plan(todo, RecordStore(results), InlineExecutor(), on_event=listen)
    assert sorted([done, *started]) == sorted(run.id for run in runs)
    assert started[-1] == lost
    assert plan_of(runs, results).counts() == {"ok": 8}


def test_folders_of_two_clusters_merge_by_copying(runs_of, tmp_path):
    runs = runs_of(SMALL)
    carry_out(runs[:4], tmp_path / "one")
    carry_out(runs[4:], tmp_path / "two")
    shutil.copytree(tmp_path / "two", tmp_path / "one", dirs_exist_ok=True, symlinks=True)
    assert plan_of(runs, tmp_path / "one").counts() == {"ok": 8}
