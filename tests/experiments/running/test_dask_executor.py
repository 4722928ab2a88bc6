"""Runs sent to a cluster give the records that they give here."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from boostbench.api import load_experiments
from boostbench.cli import main
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.quantities import RunLimits
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
    """A worker process, which is replaced when it dies."""
    with distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


def test_records_are_those_of_this_process(cluster, runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-centroids, samme]"))
    carry_out(runs, tmp_path / "here")
    with DaskExecutor(cluster.scheduler_address) as executor:
        assert carry_out(runs, tmp_path / "there", executor).counts == {"ok": 16}
    assert records_of(tmp_path / "there") == records_of(tmp_path / "here")


#: What the record says of a run that goes wrong.
WRONG = {
    "toy-raises": "no luck today",
    "toy-kills-itself": "the worker process ended with signal SIGKILL",
    "toy-sleeps": "was stopped at the time limit of 3 s",
    "toy-kills-dask": "its worker was lost 1 times",
}


def test_a_run_that_goes_wrong_costs_itself_alone(cluster, runs_of, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_executor, "MOST_LOSSES", 1)
    text = SMALL.replace("[toy-centroids]", f"[{', '.join(WRONG)}, toy-centroids]")
    runs = [run for run in runs_of(text) if run.data.name == "iris" and not run.seed]
    store = RecordStore(tmp_path)
    todo = [p for p in make_plan(runs, store).todo() if p.run.noise.model == "none"]
    with DaskExecutor(cluster.scheduler_address, limits=RunLimits(time=3)) as executor:
        run_plan(todo, store, executor)
    done = [planned for planned in make_plan(runs, store).runs if planned.status != "missing"]
    told = {p.run.booster.name: p.record().error for p in done}
    assert told.pop("toy-centroids") is None
    assert all(told[name].message.startswith(message) for name, message in WRONG.items())


def test_the_command_line_takes_a_cluster(cluster, config_file, tmp_path, capsys):
    path = config_file(SMALL.replace("toy-centroids", "samme"))
    command = ["run", str(path), "--only", "iris", "--results", str(tmp_path / "results")]
    dask = [*command, "--executor", "dask", "--scheduler"]
    assert main([*dask, cluster.scheduler_address]) == 0
    assert "4 runs: 4 ok" in capsys.readouterr().out
    again = ["--fresh", "--scheduler", "tcp://127.0.0.1:1"]
    assert main([*command, *again]) == 2
    assert "--scheduler: only valid with `--executor dask`" in capsys.readouterr().err
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
    monkeypatch.setattr(dask_worker, "_local_folders", {})
    nothing = SimpleNamespace(prepare_jobs=lambda jobs: ())
    monkeypatch.setattr(dask_worker, "_executor", lambda: nothing)
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "mine.csv").write_text("1,a\n2,b\n")
    (folder / "more.yaml").write_text("{}")
    content = (
        str(folder),
        tuple((n, digest_of(str(folder / n))) for n in ("mine.csv", "more.yaml")),
    )
    assert dask_worker.greet((), [content]) == ([], [])
    assert dask_worker._local_path(str(folder)) == str(folder)
    parcel = content, dask_worker.read_parcel(content)
    shutil.rmtree(folder)
    assert dask_worker.greet((), [content]) == ([0], [])
    dask_worker.receive([parcel])
    assert dask_worker.greet((), [content]) == ([], [])
    here = Path(dask_worker._local_path(str(folder)))
    assert (here / "mine.csv").read_text() == "1,a\n2,b\n"
    folder.mkdir()
    (folder / "mine.csv").write_text("other rows")
    assert dask_worker.greet((), [content]) == ([], [])
    assert Path(dask_worker._local_path(str(folder))) == here


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
            files = {parcel: dask_worker.read_parcel(parcel) for parcel in executor._parcels}
            names = {name for _, its in files for name, _ in its}
            assert {"sent.py", "mine.csv", "mine.yaml"} <= names
            monkeypatch.setattr(dask_worker, "read_parcel", files.get)
            for folder in (code, data):
                shutil.rmtree(folder)

        monkeypatch.setattr(executor, "prepare", then_hide)
        assert run_plan(plan.todo(), experiment.store, executor).counts == {"ok": 4}
