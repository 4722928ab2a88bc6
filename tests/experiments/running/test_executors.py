"""Executors of this machine: threads, plugins, limits, and the loss of the server."""

import os
import socket
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Pipe

import psutil
import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.configs.fields import Limits
from boostbench.experiments.running import executors, supervisor
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.running.worker import Job
from tests.experiments.tools import SMALL, carry_out, plan_of, records_of


@pytest.fixture(scope="module")
def executor():
    with LocalExecutor(3) as executor:
        yield executor


def test_idle_cores_become_threads_of_the_last_runs(executor, runs_of, tmp_path, monkeypatch):
    first, second, *_ = runs_of(SMALL.replace("toy-centroids", "samme"))
    assert carry_out([first], tmp_path / "local", executor).counts == {"ok": 1}
    monkeypatch.setattr(executor, "_limits", Limits(threads=2))
    assert carry_out([second], tmp_path / "local", executor).counts == {"ok": 1}
    done = plan_of([first, second], tmp_path / "local").runs
    assert [planned.record().threads["boostbench"] for planned in done] == [3, 2]
    carry_out([first, second], tmp_path / "here")
    assert records_of(tmp_path / "local") == records_of(tmp_path / "here")


def test_unused_plugins_are_not_loaded_by_workers(executor, runs_of, tmp_path, monkeypatch):
    plugin, executed = tmp_path / "notes.py", tmp_path / "executed"
    plugin.write_text(f"open({str(executed)!r}, 'w')\n")
    monkeypatch.setattr(executors, "executed_plugins", lambda: (plugin,))
    runs = runs_of(SMALL.replace("toy-centroids", "samme"))[:2]
    assert carry_out(runs, tmp_path, executor).counts == {"ok": 2}
    assert not executed.exists()


def test_a_killed_server_is_replaced_and_its_runs_go_on(runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-sleeps: {seconds: 0.3}]"))
    killed = {}

    def kill(event):
        if event.kind in ("started", "finished") and event.kind not in killed:
            killed[event.kind] = executor._server.pid
            executor._server.kill()
            executor._server.wait()
            executor.jobs = 1 + len(killed)  # which needs a new supervisor

    with LocalExecutor(1) as executor:
        assert carry_out(runs, tmp_path, executor, on_event=kill).counts == {"ok": 8}
        assert executor._server.pid not in killed.values()


@pytest.mark.parametrize(
    ("code", "message"), [(os.EX_OSERR, "`ulimit -u`"), (1, "ends repeatedly, with exit code 1")]
)
def test_a_server_that_cannot_work_is_told(code, message, runs_of, tmp_path, monkeypatch):
    def start(executor):
        executor._requests, server_end = socket.socketpair()
        server_end.close()
        executor._server = subprocess.Popen([sys.executable, "-Sc", f"raise SystemExit({code})"])

    monkeypatch.setattr(LocalExecutor, "_start_server", start)
    with LocalExecutor(1) as executor, pytest.raises(BoostbenchError, match=message):
        carry_out(runs_of(SMALL)[:1], tmp_path, executor)


def test_suspended_time_counts_against_no_limit(runs_of, tmp_path):
    runs = runs_of(SMALL.replace("[toy-centroids]", "[toy-sleeps: {seconds: 1.5}]"))[:1]
    with LocalExecutor(1, limits=Limits(time=8)) as executor:
        server = psutil.Process(executor._server.pid)

        def suspend(progress):
            if progress.kind == "tick" and progress.running and not suspended:
                suspended.extend([*server.children(recursive=True), server])
                for process in reversed(suspended):
                    process.suspend()
                time.sleep(8.5)
                for process in suspended:
                    process.resume()

        suspended = []
        assert carry_out(runs, tmp_path, executor, on_event=suspend).counts == {"ok": 1}
    assert suspended


def test_a_suspension_between_two_waits_counts_against_no_limit(runs_of, tmp_path, monkeypatch):
    """As in a supervisor, which is suspended while it measures the memory of its worker."""

    def memory(pid):
        monkeypatch.setattr(supervisor, "_memory", lambda pid: 0)
        time.sleep(0.6)
        threading.Timer(0.3, answer.sendall, [b"+\n"]).start()
        return 0

    killed = []
    monkeypatch.setattr(supervisor, "_SUSPENDED_SECONDS", 0.3)
    monkeypatch.setattr(supervisor, "_memory", memory)
    monkeypatch.setattr(supervisor, "kill_tree", killed.append)
    worker = object.__new__(supervisor._Worker)
    worker.pid, worker.exit_code, worker.has_ended, worker._kill = 0, None, bool, bool
    worker._channel, answer = socket.socketpair()
    worker._client, other = Pipe()
    worker._sources = {worker._channel}
    planned = plan_of(runs_of(SMALL)[:1], tmp_path).runs[0]
    with worker._channel, answer, worker._client, other:
        worker.do(Job(planned.run, planned.key, limits=Limits(time=0.5, memory=2**30)))
    assert not killed
