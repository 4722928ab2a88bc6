"""Runs sent to a cluster give the records that they give here."""

import socket
from dataclasses import replace

import pytest

from boostbench.cli import main
from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.fields import Limits
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import SMALL, carry_out, records_of


@pytest.fixture(autouse=True, scope="module")
def distributed():
    """Return the library; a process that only collects the tests does not import it."""
    return pytest.importorskip("distributed", reason="the extra 'dask' is not installed")


def configured(**settings):
    """Set values of Dask's configuration, by the last part of their names, in a block."""
    import dask

    names = {"allowed_failures": "scheduler.allowed-failures", "connect": "comm.timeouts.connect"}
    return dask.config.set({f"distributed.{names[name]}": x for name, x in settings.items()})


@pytest.fixture(scope="module")
def cluster(distributed):
    """A worker process, which is replaced when it dies; a run that ends it is given up at once."""
    with configured(allowed_failures=0):
        cluster = distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=":0"
        )
    with cluster:
        yield cluster


#: What the record says of a run that goes wrong.
WRONG = {
    "toy-raises": "no luck today",
    "toy-kills-itself": "the worker process ended with signal SIGKILL",
    "toy-sleeps": "was stopped at the time limit of 8 s",
    "toy-kills-dask": "its worker was lost each time",
}


def test_a_run_that_goes_wrong_costs_itself_alone(cluster, runs_of, tmp_path):
    text = SMALL.replace("[toy-centroids]", f"[{', '.join(WRONG)}, toy-centroids]")
    runs = [run for run in runs_of(text) if run.data.name == "iris" and not run.seed]
    store = RecordStore(tmp_path)
    todo = [p for p in make_plan(runs, store).todo() if p.run.noise.model == "none"]
    with DaskExecutor(cluster.scheduler_address, limits=Limits(time=8)) as executor:
        for alone in (True, False):  # the worker's other thread does no run when it is lost
            part = [p for p in todo if (p.run.booster.name == "toy-kills-dask") is alone]
            run_plan(part, store, executor)
    done = [planned for planned in make_plan(runs, store).runs if planned.status != "missing"]
    told = {p.run.booster.name: p.record().error for p in done}
    assert told.pop("toy-centroids") is None
    assert {name: told[name].message[: len(text)] for name, text in WRONG.items()} == WRONG


def test_each_thread_of_a_worker_gives_the_records_of_this_process(cluster, runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-centroids, samme]"))
    carry_out(runs, tmp_path / "here")
    with DaskExecutor(cluster.scheduler_address) as executor:
        assert carry_out(runs, tmp_path / "there", executor).counts == {"ok": 16}
        assert executor.jobs == 2
    assert records_of(tmp_path / "there") == records_of(tmp_path / "here")


def test_the_command_line_takes_a_cluster(cluster, config_file, tmp_path, capsys):
    path = config_file(SMALL.replace("toy-centroids", "samme"))
    command = ["run", str(path), "--only", "iris", "--results", str(tmp_path / "results")]
    assert main([*command, "--executor", cluster.scheduler_address]) == 0
    assert "4 runs: 4 ok" in capsys.readouterr().out


def test_workers_of_other_code_are_refused(cluster, runs_of, tmp_path):
    store = RecordStore(tmp_path)
    todo = make_plan(runs_of(SMALL), store).todo()
    todo = [replace(planned, key=replace(planned.key, code="0ff1ce00")) for planned in todo]
    with (
        DaskExecutor(cluster.scheduler_address) as executor,
        pytest.raises(BoostbenchError, match=r"tcp://.* other code of 'toy-centroids'; .*0ff1ce00"),
    ):
        run_plan(todo, store, executor)
    assert records_of(tmp_path) == {}


@pytest.fixture
def half_open():
    """The address of a socket that accepts connections, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def test_an_address_without_a_scheduler_is_refused(half_open, distributed):
    bad = ["tcp://127.0.0.1:1", "nowhere://x", "tcp://", "tcp://x:y"]
    with configured(connect="1s"):
        for address in (*bad, half_open):
            with pytest.raises(BoostbenchError) as refusal:
                DaskExecutor(address)
            assert str(refusal.value).startswith(f"{address}: no Dask scheduler answers")
            assert len(str(refusal.value).splitlines()) == 1
