"""Runs sent to a cluster give the records that they give here."""

import pytest

from boostbench.cli import main
from boostbench.errors import BoostbenchError
from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running import dask_executor
from boostbench.experiments.running.dask_executor import DaskExecutor
from boostbench.experiments.store.records import RecordStore
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
        assert executor.jobs == 2
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


def test_the_command_line_takes_a_cluster(cluster, config_file, tmp_path, capsys):
    path = config_file(SMALL.replace("toy-centroids", "samme"))
    command = ["run", str(path), "--results", str(tmp_path / "results"), "--executor", "dask"]
    assert main([*command, "--scheduler", cluster.scheduler_address]) == 0
    assert "8 runs: 8 ok" in capsys.readouterr().out
    assert main(command) == 2
    assert "`--scheduler ADDRESS` are given together" in capsys.readouterr().err
    assert main([*command, "--scheduler", "tcp://127.0.0.1:1", "--time-limit", "3s"]) == 2
    assert "--time-limit: only goes with `--executor local`" in capsys.readouterr().err


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
    monkeypatch.setattr("boostbench.experiments.running.dask_executor._CONNECT_SECONDS", 0.5)
    with pytest.raises(BoostbenchError, match=message):
        DaskExecutor(address)


def test_workers_of_several_threads_are_refused(distributed):
    with (
        distributed.LocalCluster(
            1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        pytest.raises(BoostbenchError, match="1 of its 1 workers have several threads"),
    ):
        DaskExecutor(cluster.scheduler_address)
