"""Batch jobs do batches of runs, keep all that is finished, and take no run twice."""

import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.quantities import RunLimits
from boostbench.experiments.running import submission
from boostbench.experiments.running.executors import InlineExecutor
from boostbench.experiments.running.submission import Batch, BatchJob, jobs_under_way, submit_runs
from tests.experiments.conftest import TOYS
from tests.experiments.tools import SMALL, carry_out, plan_of, records_of

HOW = {"name": "trial", "cluster": "local", "most_jobs": 2, "job_time": 600.0, "options": {}}


@pytest.fixture
def template(tmp_path):
    return Batch((), str(tmp_path / "r"), (), (str(TOYS),))


def wait_until(condition):
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


def test_batches_are_of_about_equal_time_and_leave_no_run_out(runs_of, tmp_path):
    todo = plan_of(runs_of(SMALL.replace("seeds: 2", "seeds: 30")), tmp_path).todo()
    total = sum(planned.seconds for planned in todo)
    longest = max(planned.seconds for planned in todo)
    for most, seconds in ((1000, total / 7), (5, 0.0), (1, 1.0), (1000, 2 * total)):
        batches = [*submission._batches(todo, seconds, most)]
        assert [planned for batch in batches for planned in batch] == [*todo]
        assert 1 <= len(batches) <= most
        size = max(seconds, total / most)
        assert all(sum(p.seconds for p in batch) <= size + longest for batch in batches)


def test_a_bundle_does_only_what_is_still_missing(runs_of, template, monkeypatch):
    monkeypatch.setattr(submission, "LocalExecutor", lambda _, dirs, __: InlineExecutor(dirs))
    runs = runs_of(SMALL)
    carry_out(runs[:3], template.results)
    planned = plan_of(runs, template.results).runs
    batch = replace(template, runs=tuple(each.run for each in planned))
    assert batch() == {"ok": 5}
    assert batch() == {}
    assert plan_of(runs, template.results).counts() == {"ok": 8}


def test_jobs_that_are_over_and_files_that_make_no_sense_do_not_count(tmp_path, monkeypatch):
    folder = tmp_path / ".jobs"
    folder.mkdir()
    for name, jobs in (("a", {"7_0": ["x-5"], "7_1": ["y-5"]}), ("b", {"8_0": ["z-5"]})):
        content = {"cluster": "slurm", "jobs": jobs}
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    for number, text in enumerate(("", "[]", '{"cluster": "slurm", "jobs": {"7_0": 3}}')):
        (folder / f"{number}.json").write_text(text, encoding="utf-8")
    monkeypatch.setattr(submission, "_slurm_states", lambda: {"7_1": "PENDING", "9": "RUNNING"})
    assert jobs_under_way(tmp_path) == [BatchJob("7_1", "PENDING", ("y-5",))]
    assert (folder / "a.json").exists()
    assert not (folder / "b.json").exists()


def test_a_system_that_does_not_answer_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BoostbenchError, match="squeue: cannot list the jobs"):
        submission._slurm_states()


def test_runs_submitted_are_done_once_and_have_the_records_of_this_process(
    runs_of, config_file, tmp_path
):
    pytest.importorskip("submitit", reason="the extra 'slurm' is not installed")
    text = SMALL.replace("[toy-centroids]", "[toy-centroids, toy-raises]")
    config, results = config_file(text, "submitted.yaml"), tmp_path / "r"

    def boostbench(command, *options):
        words = [command, config, "--results", results, "--plugin", TOYS, *options]
        done = subprocess.run(
            [sys.executable, "-m", "boostbench", *words], capture_output=True, text=True
        )
        assert not done.stderr
        return done.stdout

    submitting = ("submit", "--local", "--most-jobs", "2", "--job-time", "0.001s")
    assert "submitted 16 runs in 2 jobs" in boostbench(*submitting)
    assert "nothing to submit" in boostbench(*submitting)
    assert boostbench("watch", "--every", "0.3").endswith("16 runs: 8 ok, 8 failed\n")
    wait_until(lambda: not jobs_under_way(results))
    carry_out(runs_of(SMALL), tmp_path / "here")
    done = {k: v for k, v in records_of(results).items() if v["status"] == "ok"}
    assert done == records_of(tmp_path / "here")


def test_a_refused_submission_is_one_line(runs_of, template, monkeypatch):
    pytest.importorskip("submitit", reason="the extra 'slurm' is not installed")
    monkeypatch.setattr(submission, "_slurm_states", dict)
    monkeypatch.setenv("PATH", "")
    todo = plan_of(runs_of(SMALL), template.results).todo()
    with pytest.raises(BoostbenchError, match=r"--slurm: the jobs were rejected: .*srun"):
        submit_runs(todo, template, **(HOW | {"cluster": "slurm"}))


def test_a_job_asks_for_a_core_for_each_thread_of_each_run(runs_of, template, monkeypatch):
    submitit = pytest.importorskip("submitit", reason="the extra 'slurm' is not installed")
    asked = {}

    def update(self, **parameters):
        asked.update(parameters)
        raise ValueError("enough")

    monkeypatch.setattr(submitit.AutoExecutor, "update_parameters", update)
    todo = plan_of(runs_of(SMALL), template.results).todo()
    with pytest.raises(BoostbenchError, match="enough"):
        submit_runs(todo, replace(template, jobs=2, limits=RunLimits(threads=3)), **HOW)
    assert asked["cpus_per_task"] == 6


def test_folders_of_two_clusters_merge_by_copying(runs_of, tmp_path):

    runs = runs_of(SMALL)
    carry_out(runs[:4], tmp_path / "one")
    carry_out(runs[4:], tmp_path / "two")
    shutil.copytree(tmp_path / "two", tmp_path / "one", dirs_exist_ok=True, symlinks=True)
    assert plan_of(runs, tmp_path / "one").counts() == {"ok": 8}
