"""Runs sent to a cluster give the records that they give here."""

import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boostbench.api import load_experiments
from boostbench.cli import main
from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running import dask_executor, dask_worker
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.store.records import RecordStore
from boostbench.inputs import digest_of
from tests.experiments.conftest import TOYS
from tests.experiments.tools import SMALL, carry_out, records_of


@pytest.fixture(autouse=True, scope="module")
def distributed():
    """Return the library; a process that only collects the tests does not import it."""
    return pytest.importorskip("distributed", reason="the extra 'dask' is not installed")


@pytest.fixture(scope="module")
def cluster(distributed):
    """Two worker processes that are replaced when they die; a run that kills one is given up."""
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
    ):
        yield cluster


def test_records_are_those_of_this_process(cluster, runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-centroids, samme]"))
    carry_out(runs, tmp_path / "here")
    with DaskExecutor(cluster.scheduler_address) as executor:
        assert carry_out(runs, tmp_path / "there", executor).counts == {"ok": 16}
    assert records_of(tmp_path / "there") == records_of(tmp_path / "here")


def test_runs_that_fail_or_kill_their_process_have_records(cluster, runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-raises, toy-kills-itself]"))[:4]
    runs += runs_of(SMALL)[:2]
    with DaskExecutor(cluster.scheduler_address) as executor:
        outcome = carry_out(runs, tmp_path, executor)
    assert outcome.counts == {"failed": 2, "killed": 2, "ok": 2}
    plan = make_plan(runs, RecordStore(tmp_path))
    errors = {planned.status: planned.record().error for planned in plan.runs}
    assert errors["failed"].message == "no luck today"
    assert errors["killed"].message == "the worker process ended with signal SIGKILL"


def test_limits_hold_for_each_run(cluster, runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-sleeps, toy-centroids]"))[:2]
    with DaskExecutor(cluster.scheduler_address, time_limit=3) as executor:
        assert carry_out(runs, tmp_path, executor).counts == {"timeout": 1, "ok": 1}


def test_the_command_line_takes_a_cluster(cluster, config_file, tmp_path, capsys):
    path = config_file(SMALL.replace("toy-centroids", "samme"))
    command = ["run", str(path), "--results", str(tmp_path / "results")]
    dask = [*command, "--executor", "dask", "--scheduler"]
    assert main([*dask, cluster.scheduler_address]) == 0
    assert "8 runs: 8 ok" in capsys.readouterr().out
    again = ["--fresh", "--scheduler", "tcp://127.0.0.1:1"]
    assert main([*command, *again]) == 2
    assert "--scheduler: only goes with `--executor dask`" in capsys.readouterr().err
    tls = ["--dask", "tls_ca_file=nowhere.pem"]
    assert main([*dask, "tls://127.0.0.1:1", "--fresh", *tls]) == 2
    assert "--dask: " in capsys.readouterr().err


def test_batch_systems_are_known_by_name():
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    with pytest.raises(BoostbenchError, match="batch system; did you mean 'slurm'"):
        DaskExecutor("slrm")


def test_workers_of_other_code_are_refused(cluster, runs_of, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_executor, "code_of", lambda run: "0ff1ce00")
    with (
        DaskExecutor(cluster.scheduler_address) as executor,
        pytest.raises(BoostbenchError, match=r"other code of booster 'toy-centroids' .*0ff1ce00"),
    ):
        carry_out(runs_of(SMALL), tmp_path, executor)
    assert records_of(tmp_path) == {}


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:1", r"tcp://127\.0\.0\.1:1: no Dask scheduler answers"),
        ("nowhere://x", "expected an address as in tcp://host:8786"),
    ],
)
def test_an_address_without_a_scheduler_is_refused(address, message, monkeypatch):
    monkeypatch.setattr("boostbench.experiments.running.dask_clusters._CONNECT_SECONDS", 0.5)
    with pytest.raises(BoostbenchError, match=message):
        DaskExecutor(address)


def test_workers_of_several_threads_are_refused(distributed, runs_of, tmp_path):
    with (
        distributed.LocalCluster(
            1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        DaskExecutor(cluster.scheduler_address) as executor,
        pytest.raises(BoostbenchError, match="has several threads; start workers with"),
    ):
        carry_out(runs_of(SMALL), tmp_path, executor)


def test_files_that_a_worker_lacks_are_kept_by_content(tmp_path, monkeypatch):
    monkeypatch.setenv("BOOSTBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(dask_worker, "_moved", {})
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "mine.csv").write_text("1,a\n2,b\n")
    (folder / "more.yaml").write_text("{}")
    content = (
        str(folder),
        tuple((n, digest_of(str(folder / n))) for n in ("mine.csv", "more.yaml")),
    )
    assert dask_worker.greet((), [content]) == ([], [])
    assert dask_worker._path_here(str(folder)) == str(folder)
    parcel = content, dask_worker.Parcel(content).read()
    shutil.rmtree(folder)
    assert dask_worker.greet((), [content]) == ([0], [])
    dask_worker.receive([parcel])
    assert dask_worker.greet((), [content]) == ([], [])
    here = Path(dask_worker._path_here(str(folder)))
    assert (here / "mine.csv").read_text() == "1,a\n2,b\n"
    folder.mkdir()
    (folder / "mine.csv").write_text("other rows")
    assert dask_worker.greet((), [content]) == ([], [])
    assert Path(dask_worker._path_here(str(folder))) == here


def test_plugins_and_data_are_sent_to_workers_that_lack_them(
    cluster, config_file, tmp_path, monkeypatch
):
    code, data = tmp_path / "code", tmp_path / "data"
    for folder in (code, data):
        folder.mkdir()
    (code / "sent.py").write_text(TOYS.read_text().replace('"toy-', '"sent-'))
    rows = "".join(f"{i % 7},{i % 3},{'ab'[i % 2]}\n" for i in range(60))
    (data / "mine.csv").write_text(f"x,y,label\n{rows}")
    facts = "title: mine, n_rows: 60, n_features: 2, n_classes: 2, target: label"
    (data / "mine.yaml").write_text(f"mine: {{{facts}}}\n")
    text = SMALL.replace("[wine, iris]", "[mine]").replace("toy-centroids", "sent-centroids")
    path = config_file(text)
    (experiment,) = load_experiments(
        [path], results=tmp_path / "r", data=data, plugins=code / "sent.py"
    )
    plan = experiment.plan()
    with DaskExecutor(cluster.scheduler_address, experiment.data) as executor:
        prepare = executor.prepare

        def then_hide(runs):
            yield from prepare(runs)
            files = {parcel.content: parcel.read() for parcel in executor._parcels}
            names = {name for _, its in files for name, _ in its}
            assert {"sent.py", "mine.csv", "mine.yaml"} <= names
            monkeypatch.setattr(dask_worker.Parcel, "read", lambda its: files[its.content])
            for folder in (code, data):
                shutil.rmtree(folder)

        monkeypatch.setattr(executor, "prepare", then_hide)
        assert run_plan(plan.todo(), experiment.store, executor).counts == {"ok": 4}


class Machines:
    """A scheduler and workers as processes of a cluster that are started and killed one by one."""

    def __init__(self, start_process, folder):
        self.start_process, self.folder = start_process, folder
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"

    def start(self, kind, *options, **more):
        words = [sys.executable, "-m", "distributed.cli.dask_" + kind, *options]
        return self.start_process(words, cwd=self.folder, stderr=subprocess.DEVNULL, **more)

    def start_scheduler(self):
        scheduler = self.start(
            "scheduler", "--host", "127.0.0.1", "--port", self.port, "--no-dashboard"
        )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            with socket.socket() as caller:
                if caller.connect_ex(("127.0.0.1", self.port)) == 0:
                    return scheduler
            time.sleep(0.2)
        raise AssertionError

    def start_worker(self, **more):
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "120")
        return self.start("worker", self.address, *options, **more)


def test_workers_may_come_late_and_go_and_the_scheduler_restart(
    start_process, runs_of, config_file, tmp_path
):
    runs = runs_of(SMALL.replace("seeds: 2", "seeds: 6"))
    machines = Machines(start_process, tmp_path)
    scheduler = machines.start_scheduler()
    workers, notices, done = [], set(), 0

    def listen(event):
        nonlocal scheduler, done
        notices.add(event.progress.notice)
        done += event.kind == "finished"
        if not workers and event.progress.notice:
            workers.append(machines.start_worker())
        elif len(workers) == 1 and done >= 6:
            workers[0].kill()
            workers.append(machines.start_worker())
        elif len(workers) == 2 and done >= 12:
            scheduler.kill()
            scheduler.wait()
            workers[1].kill()
            scheduler = machines.start_scheduler()
            workers.append(machines.start_worker())

    store = RecordStore(tmp_path / "r")
    with DaskExecutor(machines.address) as executor:
        todo = make_plan(runs, store).todo()
        assert run_plan(todo, store, executor, on_event=listen).counts == {"ok": 24}
    assert "waiting for workers of the cluster" in notices
    assert len(workers) == 3
    carry_out(runs, tmp_path / "here")
    assert records_of(tmp_path / "r") == records_of(tmp_path / "here")


def test_a_run_that_kills_its_worker_costs_itself_alone(
    start_process, runs_of, tmp_path, monkeypatch
):
    monkeypatch.setattr(dask_executor, "MOST_LOSSES", 1)
    text = SMALL.replace("[toy-centroids]", "[toy-centroids, toy-kills-dask]")
    runs = runs_of(text.replace("noise: [none, {model: exchange, rate: 0.2}]\n", ""))
    machines = Machines(start_process, tmp_path)
    machines.start_scheduler()
    alive = [machines.start_worker()]
    with DaskExecutor(machines.address) as executor:

        def listen(event):
            if all(worker.poll() is not None for worker in alive):
                alive.append(machines.start_worker())

        store = RecordStore(tmp_path / "r")
        todo = make_plan(runs[:3], store).todo()
        outcome = run_plan(todo, store, executor, on_event=listen)
    assert outcome.counts == {"ok": 2, "killed": 1}
    assert outcome.failures[0][1].error.message.startswith("its worker was lost 1 times")
