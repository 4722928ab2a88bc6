"""A run is claimed by one process at a time, and by none that has ended."""

import subprocess
import sys

from boostbench.experiments.store.claims import Claims
from boostbench.experiments.store.identity import Key

KEY, OTHER = Key("0123456789abcdef", 5, "01234567", "89abcdef"), Key("0" * 16, 5, "", "")
HOLDER = f"""
import sys
from pathlib import Path
from boostbench.experiments.store.claims import Claims
from boostbench.experiments.store.identity import Key
claims = Claims(Path(sys.argv[1]))
assert claims.take({KEY!r})
print("taken", flush=True)
for line in sys.stdin:
    claims.release({KEY!r})
    print("released", flush=True)
"""


def test_a_claim_is_of_one_process_until_it_lets_go_or_ends(tmp_path):
    claims = Claims(tmp_path)
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    for _ in range(2):
        with subprocess.Popen(command, **pipes) as holder:
            try:
                assert holder.stdout.readline() == "taken\n"
                assert not claims.take(KEY)
                assert claims.take(OTHER)
                holder.stdin.write("\n")
                holder.stdin.flush()
                assert holder.stdout.readline() == "released\n"
                assert claims.take(KEY)
            finally:
                claims.release(KEY)
                holder.kill()
    claims.close()


def test_a_killed_process_holds_no_claim(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "taken\n"
        holder.kill()
    claims = Claims(tmp_path)
    assert claims.take(KEY)
    claims.close()
