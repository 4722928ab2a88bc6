"""A run is locked by one process at a time, and by none that has ended."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from boostbench.experiments.store import locks as locks_module
from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.locks import RunLocks
from boostbench.experiments.store.records import RecordStore
from tests.experiments.tools import SMALL, carry_out, plan_of

KEY, OTHER = Key("0123456789abcdef", 5, "01234567", "89abcdef"), Key("0" * 16, 5, "", "")
HOLDER = f"""
import sys
from pathlib import Path
from boostbench.experiments.store.locks import RunLocks
from boostbench.experiments.store.identity import Key
locks = RunLocks(Path(sys.argv[1]))
assert locks.take({KEY!r})
print("taken", flush=True)
for line in sys.stdin:
    locks.release({KEY!r})
    print("released", flush=True)
"""


@pytest.fixture
def hold(tmp_path, start_process):
    """Start a process that has the lock of KEY."""

    def start():
        command = [sys.executable, "-c", HOLDER, tmp_path]
        holder = start_process(command, stdin=subprocess.PIPE)
        assert holder.stdout.readline() == "taken\n"
        return holder

    return start


@pytest.fixture
def on_another_machine(monkeypatch):
    monkeypatch.setattr(locks_module, "_host", lambda: "elsewhere")


def test_a_lock_belongs_to_one_process_until_it_is_released_or_the_process_ends(tmp_path, hold):
    locks = RunLocks(tmp_path)
    for _ in range(2):
        holder = hold()
        assert not locks.take(KEY)
        assert locks.take(OTHER)
        holder.stdin.write("\n")
        holder.stdin.flush()
        assert holder.stdout.readline() == "released\n"
        assert locks.take(KEY)
        locks.release(KEY)
        locks.release(OTHER)
    locks.close()


@pytest.mark.parametrize("noticed", [True, False])
def test_a_killed_process_holds_no_lock(tmp_path, hold, noticed):
    holder = hold()
    holder.kill()
    while psutil.Process(holder.pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    if noticed:
        holder.wait()
    first, second = RunLocks(tmp_path), RunLocks(tmp_path)
    assert first.take(KEY)
    assert not second.take(KEY)
    first.close()
    assert second.take(KEY)
    second.close()


@pytest.mark.usefixtures("on_another_machine")
def test_a_lock_of_another_machine_holds_while_it_is_alive(tmp_path, hold):
    hold()
    (owner,) = (path for path in (tmp_path / ".locked").iterdir() if not path.is_symlink())
    waiting = [RunLocks(tmp_path) for _ in range(3)]
    for age in (0, 100, 170):
        os.utime(owner, (time.time() - age,) * 2)
        assert not any(locks.take(KEY) for locks in waiting)
    os.utime(owner, (time.time() - 190,) * 2)
    assert [locks.take(KEY) for locks in waiting] == [True, False, False]
    for locks in waiting:
        locks.close()


def test_without_links_every_lock_is_granted(tmp_path):
    (tmp_path / ".locked").write_text("a file in the way")
    first, second = RunLocks(tmp_path), RunLocks(tmp_path)
    assert first.take(KEY)
    assert second.take(KEY)
    first.release(KEY)
    first.close()
    second.close()


def test_locks_work_where_no_thread_can_be_started(tmp_path, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(locks_module.threading.Thread, "start", refuse)
    locks = RunLocks(tmp_path)
    assert locks.take(KEY)
    locks.close()


def test_who_waits_for_another_process_is_told_so(runs_of, results):
    RecordStore(results).prepare()
    other, runs = RunLocks(RecordStore(results).folder), runs_of(SMALL)[:2]
    assert all(other.take(planned.key) for planned in plan_of(runs, results).runs)
    notices = []

    def note(progress):
        notices.append(progress.notice)
        other.close()

    assert carry_out(runs, results, on_event=note).counts == {"ok": 2}
    waiting, *others = notices
    assert waiting == "waiting for another process, which does the runs that are left"
    assert not any(others)
