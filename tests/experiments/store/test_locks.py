"""A run is locked by one process at a time, and by none that has ended."""

import subprocess
import sys

from boostbench.experiments.store.identity import Key
from boostbench.experiments.store.locks import RunLocks

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


def test_a_lock_is_of_one_process_until_it_lets_go_or_ends(tmp_path):
    locks = RunLocks(tmp_path)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    for _ in range(2):
        with subprocess.Popen(command, **pipes) as holder:
            try:
                assert holder.stdout.readline() == "taken\n"
                assert not locks.take(KEY)
                assert locks.take(OTHER)
                holder.stdin.write("\n")
                holder.stdin.flush()
                assert holder.stdout.readline() == "released\n"
                assert locks.take(KEY)
            finally:
                locks.release(KEY)
                holder.kill()
    locks.close()


def test_a_killed_process_holds_no_lock(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "taken\n"
        holder.kill()
    locks = RunLocks(tmp_path)
    assert locks.take(KEY)
    locks.close()
